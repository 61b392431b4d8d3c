"""A YAML document as a tree in which everything knows its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abigen.model.span import Span


@dataclass(frozen=True)
class Text:
    """The lines of a source file, to turn offsets into places.

    `starts` holds the offset of the first character of each line; `limit` is the length of the text in characters.
    """

    file: str
    text: str
    starts: tuple[int, ...]

    def span(self, start: int, end: int | None = None) -> Span:
        """The place of a run of characters; it is cut off at the end of its first line.

        Args:
            start: offset of the first character.
            end: offset behind the last character; one character when left out.
        """
        from bisect import bisect_right

        start = min(start, len(self.text))
        line = bisect_right(self.starts, start) - 1
        stop = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        if stop > start and self.text[stop - 1] == "\r":
            stop -= 1
        length = min(end if end is not None else start + 1, stop) - start
        return Span(self.file, line + 1, start - self.starts[line] + 1, max(length, 1))


def index_lines(file: str, text: str) -> Text:
    """Find the lines of a text, as editors count them: at LF and CRLF, not at the separators that YAML 1.1 adds.

    Args:
        file: the name that spans state.
        text: the whole text.
    """
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return Text(file, text, tuple(starts))


@dataclass(frozen=True)
class Node:
    """Anything that stands in a document, from offset `start` to before offset `end`."""

    source: Text
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The place of its first line."""
        return self.source.span(self.start, self.end)


@dataclass(frozen=True)
class Scalar(Node):
    """A scalar: its text as YAML reads it, and what YAML takes a plain one for.

    `kind` is `string`, `integer`, `number` (not whole), `boolean`, `null` or `timestamp`, by the rules of YAML 1.1.
    """

    text: str
    kind: str
    plain: bool


@dataclass(frozen=True)
class Sequence(Node):
    """A list of nodes."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Entry:
    """A key and its value."""

    key: Scalar
    value: Node


@dataclass(frozen=True)
class Mapping(Node):
    """Keys with values, in the order of the text; keys are unique."""

    entries: tuple[Entry, ...]

    def get(self, key: str) -> Node | None:
        """The value of a key, None when the key is missing."""
        for entry in self.entries:
            if entry.key.text == key:
                return entry.value
        return None

    def __iter__(self) -> Iterator[Entry]:
        """The entries in order."""
        return iter(self.entries)
