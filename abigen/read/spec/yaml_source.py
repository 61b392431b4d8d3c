"""From the text of a spec to a tree of nodes, within bounds: specs are untrusted input.

PyYAML is asked for events only, so nothing of it constructs objects or recurses; composing, aliases and limits are
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from abigen.model.span import AbigenError, Diagnostic
from abigen.read.options import SourceFile
from abigen.read.spec.nodes import Entry, Mapping, Node, Scalar, Sequence, Text, index_lines

if TYPE_CHECKING:
    import yaml

MAX_CHARACTERS = 8 * 1024 * 1024
"""Longest text that is read as a spec, in characters."""
MAX_NODES = 200_000
"""Most nodes in a document, each alias counted as all that it stands for."""
MAX_DEPTH = 32
"""Deepest nesting of lists and mappings; the language itself needs six levels."""

_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KINDS = {"int": "integer", "float": "number", "bool": "boolean", "null": "null", "timestamp": "timestamp"}


@dataclass
class _Open:
    """A list or mapping whose end has not been reached."""

    start: int
    is_mapping: bool
    anchor: str | None
    count_before: int
    children: list[Node] = field(default_factory=list)


class _Composer:
    """Builds the tree from events; keeps what is wrong but does not stop the reading."""

    def __init__(self, source: Text) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.root: Node | None = None
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Node | None, int]] = {}
        self._count = 0
        self._documents = 0

    def run(self, events: Iterator[yaml.Event]) -> None:
        """Take all events of a stream."""
        import yaml

        for event in events:
            start = event.start_mark.index if event.start_mark else 0
            end = event.end_mark.index if event.end_mark else start
            if isinstance(event, yaml.ScalarEvent):
                self._check_tag(event.tag, start)
                plain = event.style is None or event.style == ""
                kind = _kind(event.value) if plain else "string"
                self._add(Scalar(self.source, start, end, event.value, kind, plain), event.anchor, 1)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._check_tag(event.tag, start)
                self._enter(event, start)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._leave(end)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(str(event.anchor), start, end)
            elif isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise AbigenError.at(
                        self.source.span(start, end), "a second document begins here; a spec is one document per file"
                    )

    def _fail(self, start: int, end: int, message: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(self.source.span(start, end), message, hint))

    def _check_tag(self, tag: str | None, start: int) -> None:
        if tag is not None:
            self._fail(start, start + 1, f"a tag, '{_printable(tag)}', has no place in a spec", "quote what is text")

    def _enter(self, event: yaml.CollectionStartEvent, start: int) -> None:
        import yaml

        if len(self._open) == MAX_DEPTH:
            raise AbigenError.at(self.source.span(start), f"nested more than {MAX_DEPTH} levels deep")
        if event.anchor:
            self._anchors[event.anchor] = (None, 0)
        self._open.append(_Open(start, isinstance(event, yaml.MappingStartEvent), event.anchor, self._count))

    def _leave(self, end: int) -> None:
        top = self._open.pop()
        node: Node
        # A block collection ends where the next token begins: what the caret shows must not reach that far.
        end = max((child.end for child in top.children), default=end) if top.children else end
        if top.is_mapping:
            node = Mapping(self.source, top.start, end, self._entries(top.children))
        else:
            node = Sequence(self.source, top.start, end, tuple(top.children))
        self._add(node, top.anchor, 1, since=top.count_before)

    def _entries(self, children: list[Node]) -> tuple[Entry, ...]:
        entries: dict[str, Entry] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar):
                self._fail(key.start, key.end, "a key is one word, not a list or mapping")
            elif key.text in entries:
                first = entries[key.text].key.span
                self._fail(
                    key.start,
                    key.end,
                    f"duplicate key '{_printable(key.text)}', which stands at line {first.line} already",
                )
            else:
                entries[key.text] = Entry(key, value)
        return tuple(entries.values())

    def _alias(self, anchor: str, start: int, end: int) -> None:
        if anchor not in self._anchors:
            raise AbigenError.at(
                self.source.span(start, end),
                f"'*{_printable(anchor)}' refers to an anchor that does not exist",
                "quote the text if it is a C type or name",
            )
        node, weight = self._anchors[anchor]
        if node is None:
            raise AbigenError.at(self.source.span(start, end), f"'*{_printable(anchor)}' contains itself")
        self._add(node, None, weight)

    def _add(self, node: Node, anchor: str | None, weight: int, since: int | None = None) -> None:
        self._count += weight
        if self._count > MAX_NODES:
            message = f"more than {MAX_NODES} values, each alias counted as all that it stands for"
            raise AbigenError.at(node.span, message)
        if anchor:
            self._anchors[anchor] = (node, weight if since is None else self._count - since)
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node


def read_yaml(source: SourceFile) -> tuple[Node, list[Diagnostic]]:
    """Read the one document of a file.

    Args:
        source: the spec as the user named it; a byte order mark is skipped.

    Returns:
        The document's root, and what is wrong with it that did not stop the reading (duplicate keys, tags).

    Raises:
        AbigenError: not a text, not YAML 1.1, too long, too deep, too many values, several documents, or empty.
    """
    import yaml

    if len(source.text) > MAX_CHARACTERS:
        message = f"{source.name}: {len(source.text)} characters are too many for a spec; the limit is {MAX_CHARACTERS}"
        raise AbigenError.at(None, message)
    content = without_mark(source.text)
    text = index_lines(source.name, content)
    _require_printable(text)
    composer = _Composer(text)
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        composer.run(yaml.parse(content, Loader=loader))
    except yaml.MarkedYAMLError as error:
        raise AbigenError([*composer.diagnostics, _syntax_error(text, error)]) from None
    except AbigenError as error:
        raise AbigenError([*composer.diagnostics, *error.diagnostics]) from None
    if composer.root is None:
        raise AbigenError.at(text.span(0), "the file is empty", "a spec begins with 'abigen: 1'")
    return composer.root, composer.diagnostics


def without_mark(text: str) -> str:
    """A text without its byte order mark, which neither editors nor columns count."""
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


def _require_printable(text: Text) -> None:
    bad = _NOT_YAML.search(text.text)
    if bad is None:
        return
    code = ord(bad.group())
    if 0xD800 <= code <= 0xDFFF:
        message, hint = "a byte that is not UTF-8", "save the spec as UTF-8"
    else:
        message, hint = f"the control character U+{code:04X} cannot stand in YAML", ""
    raise AbigenError.at(text.span(bad.start()), message, hint)


def _syntax_error(text: Text, error: yaml.MarkedYAMLError) -> Diagnostic:
    """Say what libyaml, or PyYAML in its other words, means."""
    mark = error.problem_mark or error.context_mark
    index = min(mark.index, len(text.text)) if mark else 0
    context = error.context or ""
    problem = error.problem or "cannot be read"
    character = text.text[index : index + 1]
    at_end = not text.text[index:].strip()
    if character == "\t":
        return Diagnostic(text.span(index), "a tab cannot indent or begin a value in YAML", "use spaces")
    if "cannot start any token" in problem:
        return Diagnostic(text.span(index), f"'{character}' cannot begin a value in YAML", "put the value in quotes")
    if "mapping values are not allowed" in problem:
        return Diagnostic(text.span(index), "': ' inside a value that is not quoted", "put the whole value in quotes")
    if at_end and error.context_mark and "quoted scalar" in context:
        return Diagnostic(text.span(error.context_mark.index), "the quote that opens here is never closed")
    if error.context_mark and "flow" in context:
        opening = text.text[error.context_mark.index : error.context_mark.index + 1]
        if at_end and opening in ("[", "{"):
            return Diagnostic(text.span(error.context_mark.index), f"'{opening}' is never closed")
        hint = "put a value that contains any of , : [ ] { } in quotes"
        return Diagnostic(text.span(index), f"cannot be read as YAML: {problem}", hint)
    where = f"{context}: " if context else ""
    return Diagnostic(text.span(index), f"cannot be read as YAML: {where}{problem}")


def _kind(text: str) -> str:
    """What YAML 1.1 takes a plain scalar for."""
    for tag, pattern in _resolvers().get(text[:1], ()):
        if pattern.match(text):
            return _KINDS.get(tag.rpartition(":")[2], "string")
    return "string"


@cache
def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    import yaml

    table: dict[str, list[tuple[str, re.Pattern[str]]]] = yaml.SafeLoader.yaml_implicit_resolvers
    return table


def _printable(text: str) -> str:
    """A piece of the user's text, short enough for one line of a message."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."
