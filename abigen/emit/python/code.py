"""Python code laid out as its usual formatters lay it out, on lines of at most 88 columns.

What is broken ends with a comma, which formatters take as a wish to keep it broken; so the code is the same to them for
any longer line as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from abigen.emit.c.prose import cleaned, wrapped

WIDTH = 88
"""Columns of a line."""
_STEP = 4
_OR_NONE = " | None"
_ROUND = ("(", ")")
SQUARE = ("[", "]")


@dataclass(frozen=True)
class Call:
    """Something with arguments in brackets."""

    head: str
    arguments: tuple[Code, ...]
    brackets: tuple[str, str] = _ROUND


Code: TypeAlias = str | Call
"""An expression; text cannot be broken."""


def call(head: str, *arguments: Code) -> Call:
    """An expression that calls something."""
    return Call(head, arguments)


def subscript(head: str, *arguments: Code) -> Call:
    """An expression with an index."""
    return Call(head, arguments, SQUARE)


def flat(code: Code) -> str:
    """An expression on one line."""
    if isinstance(code, str):
        return code
    opening, closing = code.brackets
    return f"{code.head}{opening}{', '.join(map(flat, code.arguments))}{closing}"


def lay_out(code: Code, indent: int = 0, before: str = "", behind: str = "") -> str:
    """Write an expression.

    Args:
        code: the expression.
        indent: columns before the line that it stands in.
        before: what stands before it on its line.
        behind: what stands behind it.

    Returns:
        Lines joined by newlines, the first without its indentation.
    """
    return "\n".join(_lines(code, indent, before, behind)).lstrip(" ")


def _lines(code: Code, indent: int, before: str, behind: str) -> list[str]:
    margin = " " * indent
    line = f"{margin}{before}{flat(code)}{behind}"
    if len(line) <= WIDTH:
        return [line]
    if isinstance(code, str):
        return [f"{margin}{piece}" for piece in _pieces(code, WIDTH - indent, behind)] if not before else [line]
    opening, closing = code.brackets
    first = f"{margin}{before}{code.head}{opening}"
    if len(first) > WIDTH and before.endswith(" = "):
        return [f"{margin}{before}(", *_lines(code, indent + _STEP, "", ""), f"{margin}){behind}"]
    if not code.arguments:
        return [line]
    lines = [first]
    for each in code.arguments:
        lines += _lines(each, indent + _STEP, "", ",")
    return [*lines, f"{margin}{closing}{behind}"]


def _pieces(text: str, width: int, behind: str) -> list[str]:
    """A string literal as several that stand below each other, broken behind spaces; other text as it is."""
    if text.endswith(_OR_NONE):
        return [text.removesuffix(_OR_NONE), f"{_OR_NONE.lstrip()}{behind}"]
    if not text.startswith('"') or "\\" in text:
        return [text + behind]
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


def literal(text: str) -> str:
    """A string literal, with the quotes that take fewer escapes; double ones where that makes no difference."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(_escape(each, quote) for each in text) + quote


def _escape(character: str, quote: str) -> str:
    if character in ("\\", quote):
        return f"\\{character}"
    if character.isprintable():
        return character
    number = ord(character)
    if character == "\n":
        return "\\n"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
