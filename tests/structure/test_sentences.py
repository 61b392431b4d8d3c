"""Tests of the sentences in docstrings, messages and pages: they name their subject, as CONTRIBUTING.md asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("abigen", "templates", "tests")
Documented: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_CLAUSE = re.compile(
    r"(?:What|Whether|How|Where|When|Who|Whom|Whose|Which|Why|That|Those|One|All|Everything|Everybody|Nothing|Nobody"
    r"|Anything|Something|Somebody|Whatever|Whoever)\b"
)
"""The beginnings of a sentence without a subject: a reader looks for the noun and does not find it."""
_NOUN = re.compile(r"(?:The|A|An|Its)\b")
_VAGUE = re.compile(
    r"\b(?:nobody|somebody|whoever|whatever|(?:is|are) gone|(?:is|are) told|stands? (?:at|for|behind)"
    r"|lies? (?:at|behind)|is no more|hands? over|(?:is|are) handed|says (?:that|which|how|why|what))\b"
)
"""Words that CONTRIBUTING.md replaces: a message names the side, and says `removed`, `reported`, `is at offset`."""
_WITHOUT_EFFECT = re.compile(r"(?:functools\.)?(?:cache|lru_cache|(?:static|class)method|override|wraps)\b")
"""Decorators of functions that are called as they are written, unlike properties, rules and fixtures."""


class Described(msgspec.Struct, frozen=True):
    """A docstring with its place."""

    place: str
    text: str
    function: ast.FunctionDef | None = None


@cache
def _trees() -> tuple[tuple[str, ast.Module], ...]:
    """Return the tree of each module, with its path in the repository."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple((path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in files)


@cache
def _docstrings() -> tuple[Described, ...]:
    """Return the docstrings of modules, classes, functions, attributes and constants."""
    return tuple(_each_docstring())


def _each_docstring() -> Iterator[Described]:
    for path, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                function = node if isinstance(node, ast.FunctionDef) else None
                yield Described(f"{path}:{node.body[0].lineno}", text, function)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                for first, second in zip(node.body, node.body[1:], strict=False):
                    if isinstance(first, (ast.Assign, ast.AnnAssign)) and (text := _text_of(second)):
                        yield Described(f"{path}:{second.lineno}", text)


def _text_of(statement: ast.stmt) -> str:
    """Return the text of a statement that is a string alone; empty for others."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _is_generator(function: ast.FunctionDef) -> bool:
    """True if a function itself has a `yield`, outside of functions in it."""
    ahead: list[ast.AST] = list(function.body)
    while ahead:
        node = ahead.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            ahead += ast.iter_child_nodes(node)
    return False


def _is_plain(function: ast.FunctionDef) -> bool:
    """True for a function that is called by its name, and is no property, rule, check, fixture or test."""
    decorators = map(ast.unparse, function.decorator_list)
    return not function.name.startswith("test_") and all(map(_WITHOUT_EFFECT.match, decorators))


@pytest.mark.ci
def test_no_docstring_begins_with_a_clause() -> None:
    assert [f"{each.place}: {each.text}" for each in _docstrings() if _CLAUSE.match(each.text)] == []


@pytest.mark.ci
def test_docstrings_of_functions_with_a_result_begin_with_a_verb() -> None:
    found = []
    for each in _docstrings():
        function = each.function
        has_result = function is not None and function.returns is not None and ast.unparse(function.returns) != "None"
        if function is not None and has_result and _is_plain(function) and _NOUN.match(each.text):
            found.append(f"{each.place}: {each.text}")
    assert found == []


@pytest.mark.ci
def test_generators_yield_and_other_functions_return() -> None:
    found = []
    for each in _docstrings():
        if each.function is not None and _is_plain(each.function):
            wrong = "Return " if _is_generator(each.function) else "Yield "
            if each.text.startswith(wrong):
                found.append(f"{each.place}: {each.text}")
    assert found == []


@pytest.mark.ci
def test_messages_name_sides_and_facts() -> None:
    found = []
    for path, tree in _trees():
        if path.startswith("abigen/"):
            docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            found += [
                f"{path}:{node.lineno}: {node.value}"
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
                if " " in node.value and "\\" not in node.value and _VAGUE.search(node.value)
            ]
    assert found == []


def test_pages_name_sides_and_facts() -> None:
    found = []
    for path in sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))):
        if path.name != "CHANGELOG.md":
            prose = re.sub(
                r"(?ms)^```.*?^```$|`[^`\n]*`", lambda code: "\n" * code[0].count("\n"), path.read_text("utf-8")
            )
            place = path.relative_to(ROOT).as_posix()
            lines = enumerate(prose.splitlines(), start=1)
            found += [f"{place}:{number}: {line}" for number, line in lines if _VAGUE.search(line)]
    assert found == []
