"""Reads YAML and TOML into a tree in which every key and value has its place.

PyYAML is asked for events only, so it constructs no objects and does not recurse; composing, aliases and limits are
here. For TOML no library in use gives the places of values; tomlkit keeps the text of a document, but no offsets in
it.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Any, TypeAlias

import msgspec
import yaml

from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean
from abigen.model.version import Version
from abigen.workspace.options import SourceFile

MAX_PROBLEMS = 200
"""The number of errors that are looked for; more of them would not explain more."""

_MOST_CANDIDATES = 2000


class Problems:
    """The errors so far. Reading goes on, so that users see all errors at once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._diagnostics: dict[Diagnostic, None] = {}

    def __bool__(self) -> bool:
        """True if anything is wrong."""
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
    """Return the hint for a misspelled word; empty when nothing known is close to it.

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
        """Return the place of a run of characters; it is cut off at the end of its first line.

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
    """A part of a document, from offset `start` to before offset `end`."""

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
        """Return the value of a boolean, in any of YAML 1.1's spellings."""
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
        """True if the key stands there with a valid value."""
        return key in self.values

    def scalar(self, key: str) -> Scalar | None:
        """Return the scalar behind a key."""
        value = self.values.get(key)
        return value if isinstance(value, Scalar) else None

    def text(self, key: str, default: str = "") -> str:
        """Return the text behind a key; of numbers, as they are written."""
        value = self.scalar(key)
        return default if value is None else value.text

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return the boolean behind a key."""
        value = self.scalar(key)
        return default if value is None or value.kind != "boolean" else value.is_true

    def number(self, key: str) -> int | None:
        """Return the whole number behind a key."""
        value = self.scalar(key)
        return None if value is None else int(value.text, 0)

    def version(self, key: str) -> Version | None:
        """Return the version behind a key."""
        value = self.scalar(key)
        return None if value is None else parse_version(value.text)

    def place(self, key: str) -> Span:
        """Return the place of the value behind a key, or of the whole item."""
        return self.values.get(key, self).span

    def nodes(self, key: str) -> tuple[Node, ...]:
        """Return the entries of the list behind a key."""
        value = self.values.get(key)
        return value.items if isinstance(value, ListNode) else ()

    def scalars(self, key: str) -> tuple[Scalar, ...]:
        """Return the entries of the list of scalars behind a key."""
        return tuple(node for node in self.nodes(key) if isinstance(node, Scalar))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts in the list behind a key."""
        return tuple(scalar.text for scalar in self.scalars(key))

    def items(self, key: str) -> tuple[Item, ...]:
        """Return the entries of the list of mappings behind a key."""
        return tuple(node for node in self.nodes(key) if isinstance(node, Item))

    def item(self, key: str) -> Item:
        """Return the mapping behind a key; an empty one at the place of this item when there is none."""
        value = self.values.get(key)
        return value if isinstance(value, Item) else Item(self.source, self.start, self.end, {}, {})

    def table(self) -> dict[str, str]:
        """Return the mapping as one of texts, sorted by key: the order in which a mapping is written means nothing."""
        return {key: value.text for key, value in sorted(self.values.items()) if isinstance(value, Scalar)}


def parse_version(text: str) -> Version:
    """Return a version whose form has been checked: three numbers with dots between them."""
    major, minor, patch = text.split(".")
    return Version(int(major), int(minor), int(patch))


_IN_C = {
    "integer": re.compile(r"[-+]?(0|[1-9][0-9]{0,99}|0[xX][0-9a-fA-F]{1,99})"),
    "number": re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"),
}
"""Numbers that mean the same in C as in YAML; 010 and 1:30 do not."""
MAX_CHARACTERS = 8 * 1024 * 1024
"""Longest text that is read as a spec, in characters."""
MAX_NODES = 200_000
"""Most nodes in a document, each alias counted with its whole value."""
MAX_DEPTH = 32
"""Deepest nesting of lists and mappings; the language itself needs six levels."""
_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"

_Event: TypeAlias = Any
"""An event of PyYAML, whose stubs say that marks may be missing."""
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KINDS = {"int": "integer", "float": "number", "bool": "boolean", "null": "null", "timestamp": "timestamp"}


def read_yaml(source: SourceFile, problems: Problems) -> Node:
    """Read the one document of a file.

    Args:
        source: the document as the user named it; a byte order mark is skipped.
        problems: receives what is wrong and does not stop the reading: duplicate keys, tags.

    Raises:
        AbigenError: not a text, not YAML 1.1, too long, too deep, too many values, several documents, or empty.
    """
    if len(source.text) > MAX_CHARACTERS:
        message = f"{source.name}: {len(source.text)} characters are too many for a spec; the limit is {MAX_CHARACTERS}"
        raise AbigenError.at(None, message)
    lines = index_lines(source.name, without_mark(source.text))
    _require_printable(lines)
    root: Node | None = None
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        root = _Composer(lines, yaml.parse(lines.text, Loader=loader), problems).run()
    except (yaml.MarkedYAMLError, AbigenError) as error:
        problems.add(error.diagnostics if isinstance(error, AbigenError) else _syntax_error(lines, error).diagnostics)
        problems.raise_errors()
    if root is None:
        raise AbigenError.at(lines.span(0), "the file is empty", "a spec begins with 'abigen: 1'")
    return root


def without_mark(text: str) -> str:
    """Return a text without its byte order mark, which neither editors nor columns count."""
    return text.removeprefix("\ufeff")


def decode(name: str, data: bytes) -> str:
    """Turn the bytes of a spec into text.

    Args:
        name: the file as messages name it.
        data: its content; UTF-8, as every spec has to be.

    Raises:
        AbigenError: too long, or not UTF-8, at the first byte that is wrong.
    """
    if len(data) > 4 * MAX_CHARACTERS:
        raise AbigenError.at(None, f"{name}: {len(data)} bytes are too many for a spec")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8")
        place = index_lines(name, good).span(len(good))
        raise AbigenError.at(place, f"byte 0x{data[error.start]:02x} is not UTF-8", "save the spec as UTF-8") from None


class _Composer:
    """Builds the tree from events; recursion goes as deep as documents may be nested."""

    def __init__(self, lines: Lines, events: Iterator[_Event], problems: Problems) -> None:
        self.lines = lines
        self.events = events
        self.problems = problems
        self._anchors: dict[str, tuple[Node | None, int]] = {}
        """Anchor to its node, None while it is open, and to how many nodes it stands for."""
        self._count = 0

    def run(self) -> Node | None:
        """Take all events of a stream; None when there is no document."""
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                message = "a second document begins here; a spec is one document per file"
                raise AbigenError.at(self._span(event), message)
            if isinstance(event, yaml.NodeEvent):
                root = self._node(event, 0)
        return root

    def _span(self, event: _Event) -> Span:
        return self.lines.span(*_marks(event))

    def _node(self, event: _Event, depth: int) -> Node:
        """Return the node that begins with an event."""
        before = self._count
        if isinstance(event, yaml.AliasEvent):
            node, weight = self._alias(event)
        else:
            if event.tag is not None:
                message = f"a tag, '{_excerpt(event.tag)}', is not allowed in a spec"
                self.problems.error(self.lines.span(event.start_mark.index), message, "put text in quotes")
            if event.anchor:
                self._anchors[event.anchor] = (None, 0)
            node, weight = self._scalar(event) if isinstance(event, yaml.ScalarEvent) else self._list(event, depth), 1
        self._count += weight
        if self._count > MAX_NODES:
            message = f"more than {MAX_NODES} values, each alias counted with its whole value"
            raise AbigenError.at(node.span, message)
        if event.anchor and not isinstance(event, yaml.AliasEvent):
            self._anchors[event.anchor] = (node, self._count - before)
        return node

    def _scalar(self, event: _Event) -> Scalar:
        plain = event.style in (None, "")
        kind = _kind(event.value) if plain else "string"
        return Scalar(self.lines, *_marks(event), event.value, kind, plain)

    def _list(self, event: _Event, depth: int) -> Node:
        """Return a list, or a mapping."""
        start = event.start_mark.index
        if depth == MAX_DEPTH:
            raise AbigenError.at(self.lines.span(start), _TOO_DEEP)
        children: list[Node] = []
        while not isinstance(inner := next(self.events), yaml.CollectionEndEvent):
            children.append(self._node(inner, depth + 1))
        # A block collection ends where the next token begins: what the caret shows must not reach that far.
        end = max((child.end for child in children), default=_marks(inner)[1])
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(start, end, children)
        return ListNode(self.lines, start, end, tuple(children))

    def _mapping(self, start: int, end: int, children: list[Node]) -> Item:
        keys: dict[str, Scalar] = {}
        values: dict[str, Node] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.problems.error(key.span, "a key is one word, not a list or mapping")
            elif key.text in keys:
                first = keys[key.text].span.line
                message = f"duplicate key '{_excerpt(key.text)}', which is at line {first} already"
                self.problems.error(key.span, message)
            else:
                keys[key.text], values[key.text] = key, value
        return Item(self.lines, start, end, keys, values)

    def _alias(self, event: _Event) -> tuple[Node, int]:
        """Return the node that an alias stands for, and the number of nodes in it."""
        if event.anchor not in self._anchors:
            message = f"'*{_excerpt(event.anchor)}' refers to an anchor that does not exist"
            raise AbigenError.at(self._span(event), message, "quote the text if it is a C type or name")
        node, weight = self._anchors[event.anchor]
        if node is None:
            raise AbigenError.at(self._span(event), f"'*{_excerpt(event.anchor)}' contains itself")
        return node, weight


def _marks(event: _Event) -> tuple[int, int]:
    """Return the offsets of an event's first character and of the one behind its last."""
    return event.start_mark.index, event.end_mark.index


def _require_printable(lines: Lines) -> None:
    bad = _NOT_YAML.search(lines.text)
    if bad is None:
        return
    code = ord(bad.group())
    if 0xD800 <= code <= 0xDFFF:
        raise AbigenError.at(lines.span(bad.start()), "a byte that is not UTF-8", "save the spec as UTF-8")
    raise AbigenError.at(lines.span(bad.start()), f"the control character U+{code:04X} is not allowed in YAML")


def _syntax_error(lines: Lines, error: yaml.MarkedYAMLError) -> AbigenError:
    """Say what libyaml, or PyYAML in its other words, means."""
    mark = error.problem_mark or error.context_mark
    index = min(mark.index, len(lines.text)) if mark else 0
    opening = error.context_mark.index if error.context_mark else index
    context, problem = error.context or "", error.problem or "cannot be read"
    character = lines.text[index : index + 1]
    at_end = not lines.text[index:].strip()
    if "nest" in problem or "depth" in problem:
        # Since 0.2.6 libyaml has a limit of its own, and refuses what it has read ahead before its events reach ours.
        message, hint = _TOO_DEEP, ""
    elif character == "\t":
        message, hint = "a tab cannot indent or begin a value in YAML", "use spaces"
    elif "cannot start any token" in problem:
        message, hint = f"'{character}' cannot begin a value in YAML", "put the value in quotes"
    elif "mapping values are not allowed" in problem:
        message, hint = "': ' inside a value that is not quoted", "put the whole value in quotes"
    elif at_end and "quoted scalar" in context:
        index, message, hint = opening, "the quote that opens here is never closed", ""
    elif at_end and "flow" in context and lines.text[opening : opening + 1] in ("[", "{"):
        index, message, hint = opening, f"'{lines.text[opening]}' is never closed", ""
    elif "flow" in context:
        hint = "put a value that contains any of , : [ ] { } in quotes"
        message = f"cannot be read as YAML: {problem}"
    else:
        message, hint = f"cannot be read as YAML: {f'{context}: ' if context else ''}{problem}", ""
    return AbigenError.at(lines.span(index), message, hint)


def _kind(text: str) -> str:
    """Return the type that YAML 1.1 gives a plain scalar."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], ())
    tag = next((tag for tag, pattern in resolvers if pattern.match(text)), "")
    kind = _KINDS.get(tag.rpartition(":")[2], "string")
    return "ambiguous" if kind in _IN_C and not _IN_C[kind].fullmatch(text) else kind


def _excerpt(text: str) -> str:
    """Return a piece of the user's text, short enough for one line of a message."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."


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
    """A pass over a text that is TOML, or over the part before the first error, and the nodes of that part."""

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
        """Return a table's header; returns the path that it means, below an array in its last table."""
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
        """Yield the parts of a dotted key with their extents."""
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
        """Return a table that stands somewhere."""
        places = {name: self.keys.get((*path, name), extent) for name in table}
        keys = {name: Scalar(self.lines, *places[name], name, "string") for name in table}
        values = {name: self.node(value, (*path, name), places[name]) for name, value in table.items()}
        return Item(self.lines, *extent, keys, values)

    def node(self, value: object, path: _Keys, near: _Extent) -> Node:
        """Return a value; one without a place of its own stands near something."""
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
    """Return the parser's error, at its place."""
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
