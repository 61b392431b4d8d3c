"""From the text of a YAML document to a tree, within bounds: documents are untrusted input.

PyYAML is asked for events only, so nothing of it constructs objects or recurses; composing, aliases and limits are
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import yaml

from abigen.model.span import AbigenError, Span
from abigen.read.document.tree import Item, Lines, ListNode, Node, Problems, Scalar, index_lines
from abigen.read.options import SourceFile

_IN_C = {
    "integer": re.compile(r"[-+]?(0|[1-9][0-9]{0,99}|0[xX][0-9a-fA-F]{1,99})"),
    "number": re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"),
}
"""Numbers that mean the same in C as in YAML; 010 and 1:30 do not."""
MAX_CHARACTERS = 8 * 1024 * 1024
"""Longest text that is read as a spec, in characters."""
MAX_NODES = 200_000
"""Most nodes in a document, each alias counted as all that it stands for."""
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
        """The node that begins with an event."""
        before = self._count
        if isinstance(event, yaml.AliasEvent):
            node, weight = self._alias(event)
        else:
            if event.tag is not None:
                message = f"a tag, '{_excerpt(event.tag)}', has no place in a spec"
                self.problems.error(self.lines.span(event.start_mark.index), message, "quote what is text")
            if event.anchor:
                self._anchors[event.anchor] = (None, 0)
            node, weight = self._scalar(event) if isinstance(event, yaml.ScalarEvent) else self._list(event, depth), 1
        self._count += weight
        if self._count > MAX_NODES:
            message = f"more than {MAX_NODES} values, each alias counted as all that it stands for"
            raise AbigenError.at(node.span, message)
        if event.anchor and not isinstance(event, yaml.AliasEvent):
            self._anchors[event.anchor] = (node, self._count - before)
        return node

    def _scalar(self, event: _Event) -> Scalar:
        plain = event.style in (None, "")
        kind = _kind(event.value) if plain else "string"
        return Scalar(self.lines, *_marks(event), event.value, kind, plain)

    def _list(self, event: _Event, depth: int) -> Node:
        """A list, or a mapping."""
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
                message = f"duplicate key '{_excerpt(key.text)}', which stands at line {first} already"
                self.problems.error(key.span, message)
            else:
                keys[key.text], values[key.text] = key, value
        return Item(self.lines, start, end, keys, values)

    def _alias(self, event: _Event) -> tuple[Node, int]:
        """What an alias stands for, and how many nodes that are."""
        if event.anchor not in self._anchors:
            message = f"'*{_excerpt(event.anchor)}' refers to an anchor that does not exist"
            raise AbigenError.at(self._span(event), message, "quote the text if it is a C type or name")
        node, weight = self._anchors[event.anchor]
        if node is None:
            raise AbigenError.at(self._span(event), f"'*{_excerpt(event.anchor)}' contains itself")
        return node, weight


def _marks(event: _Event) -> tuple[int, int]:
    """The offsets of an event's first character and of the one behind its last."""
    return event.start_mark.index, event.end_mark.index


def _require_printable(lines: Lines) -> None:
    bad = _NOT_YAML.search(lines.text)
    if bad is None:
        return
    code = ord(bad.group())
    if 0xD800 <= code <= 0xDFFF:
        raise AbigenError.at(lines.span(bad.start()), "a byte that is not UTF-8", "save the spec as UTF-8")
    raise AbigenError.at(lines.span(bad.start()), f"the control character U+{code:04X} cannot stand in YAML")


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
    """What YAML 1.1 takes a plain scalar for."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], ())
    tag = next((tag for tag, pattern in resolvers if pattern.match(text)), "")
    kind = _KINDS.get(tag.rpartition(":")[2], "string")
    return "ambiguous" if kind in _IN_C and not _IN_C[kind].fullmatch(text) else kind


def _excerpt(text: str) -> str:
    """A piece of the user's text, short enough for one line of a message."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."
