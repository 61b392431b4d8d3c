"""Is the document built as the language's JSON Schema says: keys, and types of values?

The schema that editors use is the only description of the structure; this walks it over nodes instead of plain data, so
that every message has a place and reads well. It knows the keywords that the schema uses, and no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeAlias, cast

from abigen.model.span import Diagnostic
from abigen.read.spec.item import is_true
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.nodes import Entry, Mapping, Node, Scalar, Sequence

Schema: TypeAlias = dict[str, object]
"""A JSON Schema, or a part of one."""

KEYWORDS = frozenset(
    {"$ref", "additionalProperties", "anyOf", "const", "enum", "items", "maxItems", "maxLength", "maximum", "minItems"}
    | {"minLength", "minimum", "pattern", "properties", "propertyNames", "required", "type", "uniqueItems"}
)
"""The keywords of JSON Schema that are checked here."""
ANNOTATIONS = frozenset({"$defs", "$id", "$schema", "description", "examples", "patternErrorMessage", "title"})
"""Those that check nothing."""

_NOUNS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping of keys to values",
    "string": "text",
}
_C_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+)\Z")
_C_NUMBER = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")


def load_schema() -> Schema:
    """The JSON Schema of specs, as it is shipped."""
    import json

    return cast(Schema, json.loads(schema_text()))


def schema_text() -> str:
    """The JSON Schema of specs, as text."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


def check_structure(root: Node, schema: Schema) -> tuple[Node | None, list[Diagnostic]]:
    """Check a document against a schema.

    Args:
        root: the document.
        schema: a JSON Schema that uses `KEYWORDS` and `ANNOTATIONS` only.

    Returns:
        The document without its invalid parts (None when nothing is left), and what is wrong with them.

    Raises:
        AbigenError: too much is wrong to go on.
    """
    walker = _Walker(schema)
    return walker.check(root, schema), walker.report.diagnostics


class _Walker:
    """One walk over one document."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.report = Report()
        self._resolved: dict[int, Schema] = {}

    def check(self, node: Node, schema: Schema) -> Node | None:
        """The node without its invalid parts; None when the node itself is invalid."""
        schema = self._resolve(schema)
        if "anyOf" in schema:
            branches = [self._resolve(each) for each in cast(list[Schema], schema["anyOf"])]
            chosen = next((each for each in branches if _is_of_type(node, each)), None)
            if chosen is None:
                self._wrong_type(node, [_expected(each) for each in branches], schema | branches[-1])
                return None
            return self.check(node, chosen)
        if not _is_of_type(node, schema):
            self._wrong_type(node, [_expected(schema)], schema)
            return None
        if isinstance(node, Mapping):
            return self._check_mapping(node, schema)
        if isinstance(node, Sequence):
            return self._check_sequence(node, schema)
        return node if isinstance(node, Scalar) and self._check_scalar(node, schema) else None

    def _resolve(self, schema: Schema) -> Schema:
        """The schema with what it refers to; each is put together once."""
        if "$ref" not in schema:
            return schema
        key = id(schema)
        if key not in self._resolved:
            self._resolved[key] = self._merged(schema)
        return self._resolved[key]

    def _merged(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            name = cast(str, schema["$ref"]).rpartition("/")[2]
            target = cast(dict[str, Schema], self.root["$defs"])[name]
            schema = target | {key: value for key, value in schema.items() if key != "$ref"}
        return schema

    def _fail(self, node: Node, message: str, hint: str = "") -> None:
        self.report.error(node.span, message, hint)

    def _check_mapping(self, node: Mapping, schema: Schema) -> Mapping:
        properties = cast(dict[str, Schema], schema.get("properties", {}))
        additional = schema.get("additionalProperties", True)
        names = cast(Schema, schema.get("propertyNames", {}))
        kept: list[Entry] = []
        previous: Node | None = None
        for entry in node.entries:
            known = properties.get(entry.key.text)
            if known is None and additional is False and _is_torn(previous, entry.value):
                self._fail(
                    entry.key, "a comma ends a value that stands between { and }", "put the whole value in quotes"
                )
                del kept[-1:]
            elif known is None and additional is False:
                self._unknown_key(entry, schema, properties)
            elif self._check_scalar(replace(entry.key, kind="string"), names):
                value = self.check(entry.value, known if known is not None else cast(Schema, additional))
                if value is not None:
                    kept.append(Entry(entry.key, value))
            previous = entry.value
        for name in cast(list[str], schema.get("required", [])):
            if node.get(name) is None:
                purpose = _purpose(self._resolve(properties[name]))
                self._fail(node, f"{_subject(schema)} needs the key '{name}'", purpose and f"'{name}': {purpose}")
        return Mapping(node.source, node.start, node.end, tuple(kept))

    def _unknown_key(self, entry: Entry, schema: Schema, known: Iterable[str]) -> None:
        key = _quoted(entry.key)
        hint = did_you_mean(entry.key.text, known) or f"its keys are {', '.join(known)}"
        self._fail(entry.key, f"{_subject(schema)} has no key {key}", hint)

    def _check_sequence(self, node: Sequence, schema: Schema) -> Sequence | None:
        least, most = cast(int, schema.get("minItems", 0)), cast(int | None, schema.get("maxItems"))
        if len(node.items) < least:
            self._fail(node, "this list cannot be empty")
            return None
        if most is not None and len(node.items) > most:
            self._fail(node.items[most], f"this list has at most {most} entries")
            return None
        items = [self.check(item, cast(Schema, schema.get("items", {}))) for item in node.items]
        if schema.get("uniqueItems"):
            self._check_unique(items)
        return Sequence(node.source, node.start, node.end, tuple(item for item in items if item is not None))

    def _check_unique(self, items: Iterable[Node | None]) -> None:
        seen: set[str] = set()
        for item in items:
            if isinstance(item, Scalar):
                if item.text in seen:
                    self._fail(item, f"{_quoted(item)} stands in this list twice")
                seen.add(item.text)

    def _check_scalar(self, node: Scalar, schema: Schema) -> bool:
        if node.kind in ("integer", "number"):
            return self._check_number(node, schema)
        before = len(self.report)
        choices = cast(list[object] | None, schema.get("enum"))
        value: object = is_true(node) if node.kind == "boolean" else node.text
        if choices is not None and value not in choices:
            self._wrong_choice(node, choices)
        elif len(node.text) < cast(int, schema.get("minLength", 0)):
            self._fail(node, "this text cannot be empty")
        elif len(node.text) > cast(int, schema.get("maxLength", len(node.text))):
            self._fail(node, f"{len(node.text)} characters are too many; the limit is {schema['maxLength']}")
        elif "pattern" in schema and not _pattern(cast(str, schema["pattern"])).match(node.text):
            message = cast(str, schema.get("patternErrorMessage", f"expected {schema['pattern']}"))
            self._fail(node, f"{_quoted(node)}: {message}")
        return len(self.report) == before

    def _check_number(self, node: Scalar, schema: Schema) -> bool:
        lexical = _C_INTEGER if node.kind == "integer" else _C_NUMBER
        if not lexical.match(node.text):
            hint = f'as text, in quotes, it means what it means in C: "{node.text}"'
            self._fail(node, f"YAML and C do not agree on what {node.text} means", hint)
            return False
        before = len(self.report)
        value = float(node.text) if node.kind == "number" else int(node.text, 0)
        choices = cast(list[object] | None, schema.get("enum"))
        if choices is not None and value not in choices:
            self._wrong_choice(node, choices)
        elif "const" in schema and value != schema["const"]:
            self._fail(node, f"expected {schema['const']}, found {node.text}", _purpose(schema))
        elif value < cast(float, schema.get("minimum", value)) or value > cast(float, schema.get("maximum", value)):
            limits = f"from {schema.get('minimum')} to {schema.get('maximum')}"
            self._fail(node, f"expected a number {limits}, found {node.text}")
        return len(self.report) == before

    def _wrong_choice(self, node: Scalar, choices: list[object]) -> None:
        words = ["false" if each is False else "true" if each is True else str(each) for each in choices]
        wanted = " or ".join(words) if len(words) < 5 else f"one of {', '.join(words)}"
        hint = did_you_mean(node.text, words) if node.kind == "string" else ""
        self._fail(node, f"expected {wanted}, found {_quoted(node)}", hint)

    def _wrong_type(self, node: Node, expected: list[str], schema: Schema) -> None:
        wanted = expected[0] if len(expected) == 1 else ", ".join(expected[:-1]) + " or " + expected[-1]
        if not (isinstance(node, Scalar) and schema.get("type") == "string") or "enum" in schema:
            self._fail(node, f"expected {wanted}, found {_found(node)}", _as_since(node, schema))
        elif "pattern" in schema and "patternErrorMessage" in schema and node.kind in ("integer", "number"):
            self._fail(node, f"{_quoted(node)}: {schema['patternErrorMessage']}", _version_hint(node, schema))
        elif node.kind == "null":
            self._fail(node, f"expected {wanted}, found nothing")
        else:
            self._fail(node, f"expected {wanted}, found {_found(node)}", f'put it in quotes: "{node.text}"')


_TYPE_TESTS: dict[str, Callable[[Node], bool]] = {
    "array": lambda node: isinstance(node, Sequence),
    "object": lambda node: isinstance(node, Mapping),
    "string": lambda node: isinstance(node, Scalar) and node.kind == "string",
    "integer": lambda node: isinstance(node, Scalar) and node.kind == "integer",
    "number": lambda node: isinstance(node, Scalar) and node.kind in ("integer", "number"),
    "boolean": lambda node: isinstance(node, Scalar) and node.kind == "boolean",
}


def _is_of_type(node: Node, schema: Schema) -> bool:
    return "type" not in schema or _TYPE_TESTS[cast(str, schema["type"])](node)


def _expected(schema: Schema) -> str:
    choices = cast(list[object], schema.get("enum", []))
    if schema["type"] == "string" and choices:
        return " or ".join(str(each) for each in choices)
    return "false" if choices == [False] else _NOUNS[cast(str, schema["type"])]


def _found(node: Node) -> str:
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    scalar = cast(Scalar, node)
    return {
        "string": f"the text {_quoted(scalar)}",
        "boolean": f"{_quoted(scalar)}, which YAML reads as {'true' if is_true(scalar) else 'false'}",
        "null": "nothing",
        "timestamp": f"{_quoted(scalar)}, which YAML reads as a date",
    }.get(scalar.kind, f"the number {scalar.text}")


def _quoted(node: Scalar) -> str:
    line = " ".join(node.text.split())
    return f"'{line}'" if len(line) <= 60 else f"'{line[:57]}...'"


def _version_hint(node: Scalar, schema: Schema) -> str:
    digits = re.fullmatch(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?", node.text)
    if "examples" not in schema or digits is None:
        return ""
    return f"write {int(digits[1])}.{int(digits[2] or 0)}.0"


def _as_since(node: Node, schema: Schema) -> str:
    """The hint for a version in the place of a mapping that can hold one."""
    holds = "since" in cast(dict[str, Schema], schema.get("properties", {}))
    return f"write {{since: {node.text}}}" if holds and isinstance(node, Scalar) and node.text[:1].isdigit() else ""


def _subject(schema: Schema) -> str:
    title = cast(str, schema.get("title", "mapping")).lower()
    return f"{'an' if title[0] in 'aeiou' else 'a'} {title}"


def _purpose(schema: Schema) -> str:
    return cast(str, schema.get("description", "")).partition(". ")[0].rstrip(".")


def _is_torn(previous: Node | None, value: Node) -> bool:
    """Whether `{type: void (int a, int b)}` was meant as one value."""
    if not (isinstance(previous, Scalar) and isinstance(value, Scalar) and value.start == value.end):
        return False
    return previous.plain and previous.text.count("(") > previous.text.count(")")


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    # JSON Schema's `$` is the end of the text; Python's also stands before a last line feed.
    return re.compile(pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern)
