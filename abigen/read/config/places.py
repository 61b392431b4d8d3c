"""Where the keys of a TOML document stand, which Python's parser does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple["str | int", ...]
"""Keys from the top of the document to a value; numbers count the tables of an array of tables, from 0."""

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_PART = re.compile(r""" [A-Za-z0-9_-]+ | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' """, re.VERBOSE)
_PIECE = re.compile(
    r'''
    """(?:[^\\]|\\.)*?"{3,5} | \'\'\'.*?'{3,5}     # strings of several lines
    | "(?:[^"\\\n]|\\.)*"    | '[^'\n]*'           # strings of one line
    | \#[^\n]* | [\[{] | [\]}] | \n | [^"'\#\[\]{}\n]+
    ''',
    re.VERBOSE | re.DOTALL,
)


def places_of(text: str) -> dict[Path, tuple[int, int, int]]:
    """Find where every key of a document stands.

    Args:
        text: a document that is valid TOML (1.0.0); of any other the answer is of no use.

    Returns:
        For each key of a table, and for each table that has a header: line, column, and length, in characters; lines
        and columns count from 1. Keys inside of values in braces are not among them.
    """
    found: dict[Path, tuple[int, int, int]] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    at = _end(_SPACE, text, 0)
    while at < len(text):
        start = at
        if text[at] == "[":
            is_array = text.startswith("[[", at)
            parts, at = _key(text, at + 1 + is_array)
            table = _inside(tuple(parts), counts, is_array=is_array)
            found.setdefault(table, _place(text, start, text.index("]", at) + 1 + is_array))
            at = text.index("]", at) + 1 + is_array
        else:
            parts, at = _key(text, at)
            for length in range(1, len(parts) + 1):
                found.setdefault((*table, *parts[:length]), _place(text, start, at))
            at = _end_of_value(text, text.index("=", at) + 1)
        at = max(_end(_SPACE, text, at), start + 1)
    return found


def _key(text: str, at: int) -> tuple[list[str], int]:
    """A dotted key that begins here, and where it ends."""
    parts: list[str] = []
    end = at
    while match := _PART.match(text, _end(_BLANK, text, at)):
        parts.append(_unquoted(match.group()))
        end = match.end()
        at = _end(_BLANK, text, end)
        if text[at : at + 1] != ".":
            break
        at += 1
    return parts, end


def _unquoted(part: str) -> str:
    """A part of a key without its quotes."""
    if part[0] not in "\"'":
        return part
    import tomllib

    return str(next(iter(tomllib.loads(f"{part} = 0"))))


def _inside(parts: Path, counts: dict[Path, int], *, is_array: bool) -> Path:
    """The path that a table's header means: below an array, its last table is meant."""
    path: Path = ()
    for number, part in enumerate(parts):
        path = (*path, part)
        if is_array and number == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _end_of_value(text: str, at: int) -> int:
    """Where the value that begins here ends: at the end of its line, or of the line of its last bracket."""
    depth = 0
    for piece in _pieces(text, at):
        mark = piece.group()
        if mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
        elif mark == "\n" and depth <= 0:
            return piece.start()
    return len(text)


def _pieces(text: str, at: int) -> Iterator[re.Match[str]]:
    while match := _PIECE.match(text, at):
        yield match
        at = match.end()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _place(text: str, start: int, end: int) -> tuple[int, int, int]:
    line_start = text.rfind("\n", 0, start) + 1
    return text.count("\n", 0, start) + 1, start - line_start + 1, max(1, end - start)
