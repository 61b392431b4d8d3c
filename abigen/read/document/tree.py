"""A document as a tree in which every key and value knows its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import islice

import msgspec

from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean
from abigen.model.version import Version

MAX_PROBLEMS = 200
"""How many errors are looked for; a file with more is broken in a way that more would not explain."""

_MOST_CANDIDATES = 2000


class Problems:
    """Everything that is wrong so far. Reading goes on, so that users see all errors at once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._diagnostics: dict[Diagnostic, None] = {}

    def __bool__(self) -> bool:
        """Whether anything is wrong."""
        return bool(self._diagnostics)

    def error(self, place: Span | None, message: str, hint: str = "") -> None:
        """Note an error; the same one twice counts once, since a YAML alias brings one text to several places."""
        self.add([Diagnostic(place, message, hint)])

    def unknown(self, place: Span | None, message: str, word: str, known: Iterable[str], otherwise: str = "") -> None:
        """Note that a word names nothing, with the known word that is closest to it as hint.

        Args:
            place: where the word stands.
            message: what is wrong.
            word: what was written.
            known: what could have been meant.
            otherwise: the hint when nothing known is close.
        """
        self.error(place, message, similar_word(word, known) or otherwise)

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Note what another part found.

        Raises:
            AbigenError: there are so many that looking for more is a waste; untrusted input may hold any number.
        """
        self._diagnostics.update(dict.fromkeys(diagnostics))
        if len(self._diagnostics) >= MAX_PROBLEMS:
            self.raise_errors()

    def raise_errors(self) -> None:
        """Stop here if anything is wrong.

        Raises:
            AbigenError: with everything that was noted, in the order of the text.
        """
        if not self._diagnostics:
            return
        found = sorted(self._diagnostics, key=lambda each: (each.place is not None, each.place or Span("", 0, 0)))
        if len(found) >= MAX_PROBLEMS:
            last = Diagnostic(None, f"too many errors; only the first {MAX_PROBLEMS} are shown")
            found = [*found[:MAX_PROBLEMS], last]
        raise AbigenError(found)


def similar_word(word: str, known: Iterable[str]) -> str:
    """The hint for a misspelled word; empty when nothing known is close to it.

    Args:
        word: what was written.
        known: what could have been meant.
    """
    word = word.lower()[:255]
    slack = 2 + len(word) // 3
    near = (each for each in known if abs(len(each) - len(word)) <= slack)
    lowered = {each.lower(): each for each in islice(near, _MOST_CANDIDATES)}
    return did_you_mean(word, lowered, shown=lambda each: f"'{lowered[each]}'")


class Lines(msgspec.Struct, frozen=True):
    """The text of a file and where its lines begin, to turn offsets into places."""

    file: str
    """The name that places state."""
    text: str
    starts: tuple[int, ...]
    """Offset of the first character of each line."""

    def span(self, start: int, end: int | None = None) -> Span:
        """The place of a run of characters; it is cut off at the end of its first line.

        Args:
            start: offset of the first character.
            end: offset behind the last character; one character when left out.
        """
        start = min(start, len(self.text))
        line = bisect_right(self.starts, start) - 1
        stop = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        if stop > start and self.text[stop - 1] == "\r":
            stop -= 1
        length = min(end if end is not None else start + 1, stop) - start
        return Span(self.file, line + 1, start - self.starts[line] + 1, max(length, 1))


def index_lines(file: str, text: str) -> Lines:
    """Find the lines of a text, as editors count them: at LF and CRLF, not at the separators that YAML 1.1 adds."""
    starts = [0]
    while position := text.find("\n", starts[-1]) + 1:
        starts.append(position)
    return Lines(file, text, tuple(starts))


class Node(msgspec.Struct, frozen=True):
    """Anything that stands in a document, from offset `start` to before offset `end`."""

    source: Lines
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The place of its first line."""
        return self.source.span(self.start, self.end)


class Scalar(Node, frozen=True):
    """A scalar: its text as YAML or TOML reads it, and what it is taken for.

    `kind` is `string`, `integer`, `number` (not whole), `boolean`, or something that JSON has not, as `null`, `date` or
    `ambiguous` (a number that C reads otherwise); in YAML by the rules of version 1.1. `plain`: it has no quotes.
    """

    text: str
    kind: str
    plain: bool = True

    @property
    def is_true(self) -> bool:
        """What a boolean says, in any of YAML 1.1's spellings."""
        return self.text.lower() in ("true", "yes", "on")


class ListNode(Node, frozen=True):
    """A list of nodes."""

    items: tuple[Node, ...]


class Item(Node, frozen=True):
    """A mapping of keys to values: an entity of a spec, a table of a configuration, or a part of one.

    Keys that are missing, or were refused when the structure was checked, read as their default.
    """

    keys: Mapping[str, Scalar]
    values: Mapping[str, Node]
    """Behind each of the keys."""

    @property
    def name(self) -> str:
        """The value of `name`, empty when there is none."""
        return self.text("name")

    @property
    def name_span(self) -> Span:
        """The place of the name, or of the whole item."""
        return self.place("name")

    def has(self, key: str) -> bool:
        """Whether the key stands there with a valid value."""
        return key in self.values

    def scalar(self, key: str) -> Scalar | None:
        """The scalar behind a key."""
        value = self.values.get(key)
        return value if isinstance(value, Scalar) else None

    def text(self, key: str, default: str = "") -> str:
        """The text behind a key; of numbers, as they are written."""
        value = self.scalar(key)
        return default if value is None else value.text

    def flag(self, key: str, *, default: bool = False) -> bool:
        """The boolean behind a key."""
        value = self.scalar(key)
        return default if value is None or value.kind != "boolean" else value.is_true

    def number(self, key: str) -> int | None:
        """The whole number behind a key."""
        value = self.scalar(key)
        return None if value is None else int(value.text, 0)

    def version(self, key: str) -> Version | None:
        """The version behind a key."""
        value = self.scalar(key)
        return None if value is None else parse_version(value.text)

    def place(self, key: str) -> Span:
        """The place of the value behind a key, or of the whole item."""
        return self.values.get(key, self).span

    def nodes(self, key: str) -> tuple[Node, ...]:
        """The entries of the list behind a key."""
        value = self.values.get(key)
        return value.items if isinstance(value, ListNode) else ()

    def scalars(self, key: str) -> tuple[Scalar, ...]:
        """The entries of the list of scalars behind a key."""
        return tuple(node for node in self.nodes(key) if isinstance(node, Scalar))

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts in the list behind a key."""
        return tuple(scalar.text for scalar in self.scalars(key))

    def items(self, key: str) -> tuple[Item, ...]:
        """The entries of the list of mappings behind a key."""
        return tuple(node for node in self.nodes(key) if isinstance(node, Item))

    def item(self, key: str) -> Item:
        """The mapping behind a key; an empty one at the place of this item when there is none."""
        value = self.values.get(key)
        return value if isinstance(value, Item) else Item(self.source, self.start, self.end, {}, {})

    def table(self) -> dict[str, str]:
        """The mapping as one of texts, sorted by key: the order in which a mapping is written means nothing."""
        return {key: value.text for key, value in sorted(self.values.items()) if isinstance(value, Scalar)}


def parse_version(text: str) -> Version:
    """A version whose form has been checked: three numbers with dots between them."""
    major, minor, patch = text.split(".")
    return Version(int(major), int(minor), int(patch))
