"""Tests that a name has one meaning, and that a file has one subject and a size that a person can read."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ABIGEN = Path(__file__).parents[2] / "abigen"
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_A_FILE = 800
BANNED = frozenset(
    "rereading replay evidence words word pieces piece walk ages sides form diary intake utils helper misc".split()  # noqa: SIM905
)
"""Words that name nothing in this field; the field's own are incremental, result cache, dependencies, token, directive,
rename detection, lifecycle, ownership, lint."""
NAMED_BY_FOLDER = ("cli", "checker/rules", "runner/verify/checks", "checker/report", "checker/report/formats")
"""Folders with one file per command, group of rules or report, which is named after that."""
OF_EACH_TARGET = frozenset({"target.py", "view.py", "names.py", "functions.py", "types.py", "layout.py"})
"""Files that the folders of several targets below `generator` have for the same purpose."""
TWICE = {
    "constants.py": "constants as headers declare them, and what changes in them",
    "version.py": "the version of abigen, where its build looks for it, and versions of APIs",
}
"""Names of files that stay in two places, and why."""


@cache
def _trees() -> dict[str, tuple[ast.Module, int]]:
    """Return every module's tree and number of lines, by its path below `abigen`."""
    found = {}
    for path in sorted(ABIGEN.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found[path.relative_to(ABIGEN).as_posix()] = (ast.parse(text), text.count("\n"))
    return found


def _classes() -> Iterator[tuple[str, str]]:
    for path, (tree, _) in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield node.name, f"{path}:{node.lineno}"


@pytest.mark.ci
def test_a_class_name_has_one_meaning() -> None:
    """Names with a leading underscore are visible in their module only."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, place in _classes():
        if not name.startswith("_"):
            places[name].append(place)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_file_name_has_one_meaning() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in _trees():
        folder, _, name = path.rpartition("/")
        of_target = folder.startswith("generator/") and name in OF_EACH_TARGET
        if name != "__init__.py" and folder not in NAMED_BY_FOLDER and not of_target:
            places[name].append(path)
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in TWICE} == {}
    assert [name for name in TWICE if len(places[name]) < 2] == []


@pytest.mark.ci
def test_no_name_says_nothing() -> None:
    modules = [path for path in _trees() if BANNED & set(Path(path).stem.split("_"))]
    classes = [place for name, place in _classes() if name.lower().strip("_") in BANNED]
    assert (modules, classes) == ([], [])


@pytest.mark.ci
def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{path}:{node.lineno} {node.name}"
        for path, (tree, _) in _trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_no_file_has_two_subjects() -> None:
    assert [path for path, (_, lines) in _trees().items() if lines > MOST_LINES_OF_A_FILE] == []
