"""Where the keys and values of a TOML document stand, which Python's parser does not tell."""

from __future__ import annotations

import re
from typing import NamedTuple

Path = tuple["str | int", ...]
"""Keys from the top of the document to a value; numbers count the elements of an array, from 0."""

Extent = tuple[int, int]
"""Offsets of the first character and of the one behind the last."""

_DEPTH = 8
"""How deep places are looked for; no configuration is deeper, and a hostile file may be."""

_SPACE = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_STRING = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?'{3,5}'''  # of several lines; up to two quotes stand before the last three
    r"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'""",
    re.DOTALL,
)
_BARE = re.compile(r"[^,\]}#\r\n]*[^,\]}# \t\r\n]")
_BRACKET = re.compile(r"[\[{]|[\]}]")
_NO_BRACKET = re.compile(r"""[^"'#\[\]{}]+|#[^\n]*""")


class Places(NamedTuple):
    """Extents by path, down to a depth of eight."""

    keys: dict[Path, Extent]
    """Of each key, and of each part of a dotted one, where it is first given; the header of a table in an array."""
    values: dict[Path, Extent]
    """Of each value behind a key, and of each element of an array in brackets."""
    repeated: list[tuple[Path, Extent]]
    """Keys that have a value already; in a valid document there are none."""


def places_of(text: str) -> Places:
    """Find where everything in a document stands.

    Args:
        text: valid TOML (1.0.0), or the part of a document before the first error; of any other text the answer is of
            no use, but there is one.
    """
    return _Scan(text).run()


class _Scan:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found = Places({}, {}, [])
        self._tables: dict[Path, int] = {}
        """The number of the last table of each array of tables."""

    def run(self) -> Places:
        """Go through all lines."""
        table: Path | None = ()
        at = _end(_SPACE, self._text, 0)
        while at < len(self._text):
            if self._text[at] == "[":
                at, table = self._header(at)
            else:
                at = self._pair(at, table)
            at = _end(_SPACE, self._text, at)
        return self._found

    def _header(self, start: int) -> tuple[int, Path | None]:
        """A table's header: where it ends, and the path that it means; below an array its last table is meant."""
        is_array = self._text.startswith("[[", start)
        parts, at = self._key(start + 1 + is_array)
        end = self._behind("]", at) + is_array
        path: Path | None = ()
        for number, part in enumerate(parts):
            path = self._inside(path, [part])
            if path is not None and is_array and number == len(parts) - 1:
                self._tables[path] = self._tables.get(path, -1) + 1
            if path in self._tables:
                path = (*path, self._tables[path])
        if path is not None and is_array:
            self._found.keys[path] = start, end
        return end, path

    def _pair(self, at: int, table: Path | None) -> int:
        """A key with its value; returns where it ends."""
        parts, at = self._key(at)
        path = self._inside(table, parts)
        if parts and path in self._found.values:
            self._found.repeated.append((path, (parts[0][1], parts[-1][2])))
        return self._value(_end(_SPACE, self._text, self._behind("=", at)), path)

    def _key(self, at: int) -> tuple[list[tuple[str, int, int]], int]:
        """The parts of a dotted key with their extents, and where it ends."""
        parts = []
        while match := _PART.match(self._text, _end(_BLANK, self._text, at)):
            parts.append((_unquoted(match.group()), match.start(), match.end()))
            at = _end(_BLANK, self._text, match.end())
            if not self._text.startswith(".", at):
                break
            at += 1
        return parts, at

    def _inside(self, path: Path | None, parts: list[tuple[str, int, int]]) -> Path | None:
        """The path of a key below a path; None when it is too deep."""
        for name, start, end in parts:
            if path is None or len(path) >= _DEPTH:
                return None
            path = (*path, name)
            self._found.keys.setdefault(path, (start, end))
        return path

    def _value(self, start: int, path: Path | None) -> int:
        """A value; returns where it ends."""
        opening = self._text[start : start + 1]
        if opening in ("[", "{") and path is not None and len(path) < _DEPTH:
            end = self._elements(start, path) if opening == "[" else self._members(start, path)
        elif opening in ("[", "{"):
            end = self._skip(start)
        else:
            end = max(_end(_STRING if opening in ('"', "'") else _BARE, self._text, start), start + 1)
        if path is not None:
            self._found.values.setdefault(path, (start, end))
        return end

    def _elements(self, start: int, path: Path) -> int:
        """An array in brackets; returns where it ends."""
        at = _end(_SPACE, self._text, start + 1)
        number = 0
        while at < len(self._text) and not self._text.startswith("]", at):
            at = self._after_comma(self._value(at, (*path, number)))
            number += 1
        return at + 1

    def _members(self, start: int, path: Path) -> int:
        """A table in braces; returns where it ends."""
        at = _end(_SPACE, self._text, start + 1)
        while at < len(self._text) and not self._text.startswith("}", at):
            at = self._after_comma(self._pair(at, path))
        return at + 1

    def _after_comma(self, at: int) -> int:
        """Where the next element begins, or the bracket behind the last one."""
        at = _end(_SPACE, self._text, at)
        return _end(_SPACE, self._text, at + 1) if self._text.startswith(",", at) else at

    def _behind(self, mark: str, at: int) -> int:
        """Where a mark ends that comes next; the end of a text that breaks off before it."""
        found = self._text.find(mark, at)
        return found + 1 if found >= 0 else len(self._text)

    def _skip(self, at: int) -> int:
        """The end of what the bracket here opens."""
        depth = 0
        while at < len(self._text):
            if match := _BRACKET.match(self._text, at):
                depth += 1 if match.group() in "[{" else -1
                if not depth:
                    return match.end()
            else:
                match = _STRING.match(self._text, at) or _NO_BRACKET.match(self._text, at)
            if match is None:
                break
            at = match.end()
        return len(self._text)


def _unquoted(part: str) -> str:
    """A part of a key without its quotes."""
    if part[0] not in "\"'":
        return part
    import tomllib

    try:
        return str(next(iter(tomllib.loads(f"{part} = 0"))))
    except tomllib.TOMLDecodeError:
        return part


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
