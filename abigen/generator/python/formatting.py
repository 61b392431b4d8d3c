"""Python code on lines of at most 88 columns, broken as its usual formatters break it.

What is broken ends with a comma, which formatters take as a wish to keep it broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from abigen.generator.c.lines import cleaned, wrapped

WIDTH = 88
"""Columns of a line."""

_STEP = 4
_BLOCK = re.compile(r'(^ *(?:\w+ = r)?""".*?"""$)', re.DOTALL | re.MULTILINE)
"""A docstring, or a string of several lines: its lines stay as they are."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[()\[\]{},]| = ')
_STRING = re.compile(r'( *)("[^"\\]*")(,?)')


def lay_out(text: str) -> str:
    """Break the lines of a module that are too long.

    Args:
        text: a module with every statement on one line.
    """
    parts = _BLOCK.split(text)
    parts[::2] = ["\n".join(line for each in part.split("\n") for line in _lines(each)) for part in parts[::2]]
    return "".join(parts)


def _lines(line: str) -> list[str]:
    """Return the lines that a statement, or a part of one, is broken into."""
    if len(line) <= WIDTH or line.lstrip().startswith("#"):
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    if line.startswith("from "):
        line = line.replace(" import ", " import (", 1) + ")"
    if line.lstrip().startswith("if ") and "(" not in line:
        parts = line.strip().removeprefix("if ").removesuffix(":").replace(" or ", "\nor ").split("\n")
        return [f"{margin}if (", *(f"{margin}{' ' * _STEP}{each}" for each in parts), f"{margin}):"]
    if text := _STRING.fullmatch(line):
        return [margin + each for each in _shorter_strings(text[2], WIDTH - len(margin), text[3])]
    assigned, cuts = _cuts(line)
    if len(cuts) < 2 or cuts[0] == cuts[-1]:
        before, union, after = line.partition(" | None")
        return [before, f"{margin}{union.lstrip()}{after}"] if union and not before.endswith(":") else [line]
    head, tail = line[: cuts[0]], line[cuts[-1] :]
    if len(head) > WIDTH and assigned:
        return [f"{line[:assigned]}(", *_lines(margin + " " * _STEP + line[assigned:]), f"{margin})"]
    # Parentheses around a single expression that nothing is called with: a comma would make a tuple of it.
    comma = "" if len(cuts) == 2 and head.endswith((" (", "((")) else ","
    lines = [head]
    for begin, end in pairwise(cuts):
        lines += _lines(f"{margin}{' ' * _STEP}{line[begin:end].strip(', ')}{comma}")
    return [*lines, margin + tail]


def _cuts(line: str) -> tuple[int, list[int]]:
    """Find the brackets to break: the first ones, or the first behind an assignment.

    Returns:
        Where what is assigned begins, 0 for nothing; and where the brackets open, where their commas stand, and where
        they close.
    """
    depth, assigned, done = 0, 0, False
    cuts: list[int] = []
    for token in _TOKEN.finditer(line):
        if token[0] == " = " and depth == 0:
            assigned, cuts, done = token.end(), [], False
        elif token[0] in ("(", "[", "{"):
            depth += 1
            if depth == 1 and not done:
                cuts = [token.end()]
        elif token[0] in (")", "]", "}"):
            depth -= 1
            if depth == 0 and not done:
                cuts.append(token.start())
                done = True
        elif token[0] == "," and depth == 1 and not done:
            cuts.append(token.start())
    return assigned, cuts


def _shorter_strings(text: str, width: int, behind: str) -> list[str]:
    """Return a string literal as several that stand below each other, broken behind spaces."""
    pieces, piece = [], '"'
    for word in text[1:-1].split(" "):
        if len(piece) + len(word) + 1 + len(behind) > width - 1 and len(piece) > 1:
            pieces.append(f'{piece}"')
            piece = '"'
        piece += f"{word} "
    return [*pieces, f'{piece[:-1]}"{behind}']


def docstring(text: str, indent: int = 0) -> str:
    """Write documentation.

    Args:
        text: paragraphs, lists and indented code, as in Markdown.
        indent: columns before it.

    Returns:
        A string literal over as many lines as it takes, the first without its indentation.
    """
    margin = " " * indent
    lines = [_escaped(line) for line in wrapped(cleaned(text), WIDTH - indent)]
    for room in (3, 6):
        if len(lines[0]) > WIDTH - indent - room and (room == 3 or len(lines) == 1):
            lines = [_escaped(line) for line in wrapped(cleaned(text), WIDTH - indent - room)]
    first = f" {lines[0]}" if lines[0].startswith('"') else lines[0]
    last = " " if first.endswith('"') else ""
    single = f'"""{first}{last}"""'
    if len(lines) == 1 and len(single) <= WIDTH - indent:
        return single
    body = [f"{margin}{line}".rstrip() for line in lines[1:]]
    return "\n".join([f'"""{first}', *body, f'{margin}"""'])


def comments(lines: Iterable[str]) -> str:
    """Write comments, one on each line."""
    return "\n".join(f"# {cleaned(line)}".rstrip() for line in lines)


def literal(value: object) -> str:
    """Return a literal; text with the quotes that take fewer escapes, double ones where that makes no difference."""
    if not isinstance(value, str):
        return repr(value)
    quote = "'" if value.count('"') > value.count("'") else '"'
    return quote + "".join(_escape(each, quote) for each in value) + quote


def _escape(character: str, quote: str) -> str:
    if character in ("\\", quote):
        return f"\\{character}"
    return character if character.isprintable() else repr(character)[1:-1]


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
