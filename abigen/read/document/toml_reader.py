"""From the text of a TOML document to a tree: Python's parser reads the values, this finds where they stand.

No library in use tells the places of what it reads; tomlkit keeps the text of a document, but not offsets in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date
from typing import TypeAlias

from abigen.model.span import AbigenError
from abigen.read.document.tree import Item, Lines, ListNode, Node, Scalar, index_lines

_Keys: TypeAlias = tuple[str | int, ...]
"""Keys from the top of the document to a value; numbers count the elements of an array, from 0."""
_Extent: TypeAlias = tuple[int, int]
"""Offsets of the first character and of the one behind the last."""

_SPACE = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_PART = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*""")
_STRING = re.compile(
    r"(?s:\"{3}(?:[^\\]|\\.)*?\"{3,5}|'{3}.*?'{3,5})"  # of several lines; up to two quotes stand before the last three
    r"|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'",
)
_BARE = re.compile(r"[^,\]}#\r\n]*[^,\]}# \t\r\n]")
_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_NAMESPACE = re.compile(r"\((?P<names>(?:'[^']*',? ?)+)\)")


def read_toml(name: str, text: str) -> Item:
    """Read a document.

    Args:
        name: the file as messages name it.
        text: its text.

    Returns:
        Its tree. A table stands at its header, and what has no place of its own at the nearest thing around it.

    Raises:
        AbigenError: it is no TOML.
    """
    lines = index_lines(name, text)
    try:
        values = tomllib.loads(text)
        scan = _Scan(lines, text)
        scan.run()
        return scan.item(values, (), (0, 1))
    except RecursionError:
        raise AbigenError.at(lines.span(0), "the lists and tables in this file are nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or that a number has too many digits
        raise _explain(lines, str(error)) from None


class _Scan:
    """One pass over a text that is TOML, or over the part before the first error, and the nodes of what it met."""

    def __init__(self, lines: Lines, text: str) -> None:
        self.lines = lines
        self.text = text
        self.at = 0
        self.keys: dict[_Keys, _Extent] = {}
        """Each key, and each part of a dotted one, where it is first given; the header of a table in an array."""
        self.values: dict[_Keys, _Extent] = {}
        """Each value behind a key, and each element of an array in brackets."""
        self.repeated: tuple[_Keys, _Extent] | None = None
        """A key that has a value already."""
        self._tables: dict[_Keys, int] = {}
        """The number of the last table of each array of tables."""

    def run(self) -> None:
        """Go through all lines."""
        table: _Keys = ()
        self._skip()
        while self.at < len(self.text):
            if self._is("["):
                table = self._header()
            else:
                self._pair(table)
            self._skip()

    def _is(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def _skip(self) -> None:
        if match := _SPACE.match(self.text, self.at):
            self.at = match.end()

    def _behind(self, mark: str) -> None:
        """Go on behind a mark that comes next; to the end of a text that breaks off before it."""
        found = self.text.find(mark, self.at)
        self.at = found + 1 if found >= 0 else len(self.text)

    def _header(self) -> _Keys:
        """A table's header; returns the path that it means, below an array in its last table."""
        start, is_array = self.at, self._is("[[")
        self.at += 1 + is_array
        path: _Keys = ()
        parts = list(self._key())
        for number, (name, extent) in enumerate(parts, 1):
            path = (*path, name)
            self.keys.setdefault(path, extent)
            if is_array and number == len(parts):
                self._tables[path] = self._tables.get(path, -1) + 1
            if path in self._tables:
                path = (*path, self._tables[path])
        self._behind("]")
        self.at += is_array
        if is_array:
            self.keys[path] = start, self.at
        return path

    def _key(self) -> Iterator[tuple[str, _Extent]]:
        """The parts of a dotted key with their extents."""
        while match := _PART.match(self.text, self.at):
            part = match[1]
            yield next(iter(tomllib.loads(f"{part} = 0"))) if part[0] in "\"'" else part, match.span(1)
            self.at = match.end() + 1
            if not self.text.startswith(".", match.end()):
                self.at = match.end()
                return

    def _pair(self, path: _Keys) -> None:
        """A key with its value."""
        first = last = (self.at, self.at)
        for number, (name, last) in enumerate(self._key()):
            first = first if number else last
            path = (*path, name)
            self.keys.setdefault(path, last)
        if path in self.values:
            self.repeated = path, (first[0], last[1])
        self._behind("=")
        self._skip()
        self._value(path)

    def _value(self, path: _Keys) -> None:
        start = self.at
        if self._is("[") or self._is("{"):
            end = "]" if self._is("[") else "}"
            number = 0
            self.at += 1
            self._skip()
            while self.at < len(self.text) and not self._is(end):
                if end == "]":
                    self._value((*path, number))
                else:
                    self._pair(path)
                number += 1
                self._skip()
                if self._is(","):
                    self.at += 1
                    self._skip()
            self.at += 1
        else:
            match = (_STRING if self._is('"') or self._is("'") else _BARE).match(self.text, self.at)
            self.at = match.end() if match else self.at + 1
        self.values.setdefault(path, (start, self.at))

    def item(self, table: dict[str, object], path: _Keys, extent: _Extent) -> Item:
        """A table that stands somewhere."""
        places = {name: self.keys.get((*path, name), extent) for name in table}
        keys = {name: Scalar(self.lines, *places[name], name, "string") for name in table}
        values = {name: self.node(value, (*path, name), places[name]) for name, value in table.items()}
        return Item(self.lines, *extent, keys, values)

    def node(self, value: object, path: _Keys, near: _Extent) -> Node:
        """A value; one without a place of its own stands near something."""
        extent = self.values.get(path) or self.keys.get(path) or near
        if isinstance(value, dict):
            return self.item(value, path, extent)
        if isinstance(value, list):
            items = (self.node(each, (*path, number), extent) for number, each in enumerate(value))
            return ListNode(self.lines, *extent, tuple(items))
        if isinstance(value, str):
            text, kind = value, "string"
        elif isinstance(value, bool):
            text, kind = str(value).lower(), "boolean"
        elif isinstance(value, int):
            text, kind = (str(value), "integer") if value.bit_length() < 256 else ("", "very large number")
        elif isinstance(value, float):
            text, kind = str(value), "number"
        else:
            text, kind = str(value), "date" if type(value) is date else "time"
        return Scalar(self.lines, *extent, text, kind)


def _explain(lines: Lines, message: str) -> AbigenError:
    """What the parser says, at the place that it says it of."""
    position = _POSITION.search(message)
    if position is None:  # Python's own limit on the digits of a number, which knows no place
        return AbigenError.at(lines.span(0), message.partition(";")[0])
    text, at = message[: position.start()], len(lines.text.rstrip())
    if position["line"] is not None:
        at = lines.starts[int(position["line"]) - 1] + int(position["column"]) - 1
    if text == "Cannot overwrite a value":
        scan = _Scan(lines, lines.text[:at])
        scan.run()
        if scan.repeated:
            path, extent = scan.repeated
            first = lines.span(*scan.keys[path]).line
            name = ".".join(str(each) for each in path)
            return AbigenError.at(lines.span(*extent), f"'{name}' is given twice", f"first in line {first}")
    text = _NAMESPACE.sub(lambda found: "'" + ".".join(re.findall("'([^']*)'", found["names"])) + "'", text)
    return AbigenError.at(lines.span(at), f"not TOML: {text[:1].lower()}{text[1:]}")
