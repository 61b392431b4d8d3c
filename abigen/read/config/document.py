"""A configuration file as TOML, in which every key and value knows its place."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping

from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.read.config.find import SHARED_NAME, Source
from abigen.read.config.places import Extent, Path, places_of
from abigen.read.document.tree import Lines, index_lines

_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_NAMESPACE = re.compile(r"\((?P<names>(?:'[^']*',? ?)+)\)")
_TWICE = "Cannot overwrite a value"


class Document:
    """What a file says of abigen."""

    def __init__(self, source: Source) -> None:
        """Read it.

        Args:
            source: a file; all of it counts, of a pyproject.toml only `tool.abigen`.

        Raises:
            AbigenError: it is no TOML.
        """
        self._lines = index_lines(source.path, source.text)
        document = _parse(self._lines)
        self._top: Path = ("tool", "abigen") if os.path.basename(source.path) == SHARED_NAME else ()
        self._places = places_of(source.text)
        self.content: object = document
        for name in self._top:
            if not isinstance(self.content, Mapping) or name not in self.content:
                raise AbigenError.at(self._lines.span(0), "this file has no table [tool.abigen]")
            self.content = self.content[str(name)]

    def place_of_key(self, path: Path) -> Span:
        """Where a key stands, a table of an array by its header; else the nearest thing around it.

        Args:
            path: from the top of what concerns abigen.
        """
        return self._place(path, self._places.keys, self._places.values)

    def place_of_value(self, path: Path) -> Span:
        """Where a value stands, a table by its header; else the nearest thing around it."""
        return self._place(path, self._places.values, self._places.keys)

    def _place(self, path: Path, *wanted: Mapping[Path, Extent]) -> Span:
        full = (*self._top, *path)
        while full:
            for extents in wanted:
                if full in extents:
                    return self._lines.span(*extents[full])
            full = full[:-1]
        return self._lines.span(0)


def _parse(lines: Lines) -> dict[str, object]:
    """All of the document."""
    try:
        return tomllib.loads(lines.text)
    except RecursionError:
        raise AbigenError.at(lines.span(0), "the lists and tables in this file are nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or that a number has too many digits
        raise AbigenError([_explain(lines, str(error))]) from None


def _explain(lines: Lines, message: str) -> Diagnostic:
    """What the parser says, at the place that it says it of."""
    position = _POSITION.search(message)
    text = message[: position.start()] if position else message
    if position is None:  # Python's own limit on the digits of a number, which knows no place
        return Diagnostic(lines.span(0), text.partition(";")[0])
    at = len(lines.text)
    if position["line"] is not None:
        at = lines.starts[int(position["line"]) - 1] + int(position["column"]) - 1
    if text == _TWICE:
        places = places_of(lines.text[:at])
        if places.repeated:
            path, extent = places.repeated[0]
            name, first = ".".join(str(each) for each in path), lines.span(*places.keys[path])
            return Diagnostic(lines.span(*extent), f"`{name}` is given twice", f"first in line {first.line}")
    text = _NAMESPACE.sub(lambda found: "`" + ".".join(re.findall("'([^']*)'", found["names"])) + "`", text)
    if position["line"] is None:
        at = len(lines.text.rstrip())
    return Diagnostic(lines.span(at), f"not TOML: {_begin_small(text)}")


def _begin_small(text: str) -> str:
    return text[:1].lower() + text[1:]
