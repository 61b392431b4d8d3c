"""Checking a document against its published JSON Schema: jsonschema finds what is wrong, this says it with places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from msgspec.structs import replace

from abigen.workspace.document.tree import MAX_PROBLEMS, Item, ListNode, Node, Problems, Scalar, similar_word

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, or a part of one."""
_Error: TypeAlias = Any
"""A `jsonschema.ValidationError`: a keyword, its value, the schema that it stands in, and the keys to the value."""
_Keys: TypeAlias = tuple[str | int, ...]
"""Keys and numbers from the top of a document to a value in it."""

_NOUNS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping of keys to values",
    "string": "text",
}
_RANK = ("type", "anyOf", "enum", "const", "minLength", "maxLength", "format", "pattern")
"""The order in which one of several errors of a value is chosen."""
_MESSAGES = {
    "minimum": "expected a number of at least {limit}, found {found}",
    "maximum": "expected a number of at most {limit}, found {found}",
    "minLength": "this text cannot be empty",
    "maxLength": "{length} characters are too many; the limit is {limit}",
    "pattern": "{quoted}: {explained}",
    "format": "{quoted}: {explained}",
    "minItems": "this list cannot be empty",
    "maxItems": "this list has at most {limit} entries",
    "uniqueItems": "{quoted} is in this list twice",
}
"""The message for a value that does not meet a keyword."""


@cache
def load_schema(path: Path) -> Schema:
    """Read a JSON Schema that is shipped; what `$ref` refers to stands in its place."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    definitions = schema.pop("$defs", {})
    met: dict[str, Schema] = {}

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(each) for each in part]
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).rpartition("/")[2]
            if name and len(part) == 1:  # each once, since a definition may lead back to itself
                if name not in met:
                    met[name] = {}
                    met[name].update(resolved(definitions[name]))
                return met[name]
            whole = definitions.get(name, {}) | {key: value for key, value in part.items() if key != "$ref"}
            if isinstance(whole.get("pattern"), str):  # `$` is the end of the text; Python's is before a line feed too
                whole["pattern"] = re.sub(r"\$$", r"\\Z", whole["pattern"])
            return {key: resolved(value) for key, value in whole.items()}
        return part

    return cast(Schema, resolved(schema))


def check_structure(root: Node, schema: Schema, problems: Problems) -> Node | None:
    """Check a document against a schema.

    Args:
        root: the document.
        schema: a JSON Schema in which the alternatives of each `anyOf` differ in type.
        problems: receives what is wrong.

    Returns:
        The document without its invalid parts; None when nothing is left.

    Raises:
        AbigenError: too much is wrong to go on.
    """
    check = _Check(root, schema, problems)
    check.tell(list(islice(_validators()(schema).iter_errors(_plain(root)), 5 * MAX_PROBLEMS)))
    return _without(root, (), check.refused) if check.refused else root


class _Check:
    """Puts the errors of one document into words."""

    def __init__(self, root: Node, schema: Schema, problems: Problems) -> None:
        self.root = root
        self.schema = schema
        self.problems = problems
        self.refused: set[_Keys] = set()
        """The invalid values, which have to be left out."""

    def tell(self, errors: Sequence[_Error]) -> None:
        """Report errors, of each scalar only the first by rank."""
        told: set[_Keys] = set()
        for error in sorted(errors, key=lambda each: _RANK.index(each.validator) if each.validator in _RANK else 9):
            keys = tuple(error.absolute_path)
            node = self._node(keys)
            if not isinstance(node, Item) and keys in told:
                continue
            told.add(keys)
            if error.validator == "additionalProperties":
                self._unknown_keys(cast(Item, node), keys, error.schema)
            elif error.validator in ("required", "dependentRequired"):
                self._missing_keys(cast(Item, node), error.schema)
            elif "propertyNames" in error.absolute_schema_path:
                self._explain(error, cast(Item, node).keys[error.instance], (*keys, error.instance))
            else:
                self._explain(error, node, keys)

    def _node(self, keys: _Keys) -> Node:
        node = self.root
        for key in keys:
            node = node.values[str(key)] if isinstance(node, Item) else cast(ListNode, node).items[int(key)]
        return node

    def _fail(self, node: Node, message: str, hint: str = "") -> None:
        self.problems.error(node.span, message, hint)

    def _missing_keys(self, node: Item, schema: Schema) -> None:
        needed = dict.fromkeys(schema.get("required", ()))
        for key, others in schema.get("dependentRequired", {}).items():
            needed |= dict.fromkeys(others) if node.has(key) else {}
        for name in needed:
            if not node.has(name):
                purpose = _purpose(schema["properties"][name])
                self._fail(node, f"{_subject(schema)} needs the key '{name}'", purpose and f"'{name}': {purpose}")

    def _unknown_keys(self, node: Item, keys: _Keys, schema: Schema) -> None:
        known = schema.get("properties", {})
        previous = ""
        for name, key in node.keys.items():
            if name not in known:
                self.refused.add((*keys, name))
                if _is_split_by_comma(node.values.get(previous), node.values[name]):
                    message = "a comma ends a value between { and }"
                    self._fail(key, message, "put the whole value in quotes")
                    self.refused.add((*keys, previous))
                else:
                    hint = (
                        self._hint_for_misplaced_key(name)
                        or similar_word(name, known)
                        or f"its keys are {', '.join(known)}"
                    )
                    self._fail(key, f"{_subject(schema)} has no key {_quoted(key)}", hint)
            previous = name

    def _hint_for_misplaced_key(self, name: str) -> str:
        """Return the hint for a key that stands in the wrong mapping."""
        top = self.schema["properties"]
        homes = [outer for outer, each in top.items() if name in each.get("properties", {})]
        if name in top:
            return f"'{name}' belongs to the top of the file"
        return f"'{name}' belongs to '{homes[0]}'" if homes else ""

    def _explain(self, error: _Error, node: Node, keys: _Keys) -> None:
        """Report an error of a value, which is refused."""
        keyword, limit, schema = error.validator, error.validator_value, error.schema
        self.refused.add(keys)
        if keyword == "anyOf":
            self._wrong_alternative(error, node)
        elif keyword == "type" and schema.get("format") == "date" == getattr(node, "kind", ""):
            self.refused.discard(keys)  # TOML has dates of its own, JSON Schema only text that looks like one
        elif keyword in ("type", "const") and "constErrorMessage" in schema:
            message, _, hint = schema["constErrorMessage"].partition("; ")
            self._fail(node, f"{message}, and found {_found(node)}", hint)
        elif keyword == "type":
            self._wrong_type(node, [schema])
        elif keyword in ("enum", "const"):
            choices = [json.dumps(each).strip('"') for each in (limit if keyword == "enum" else [limit])]
            wanted = _either(choices) if len(choices) < 5 else f"one of {', '.join(choices)}"
            word = node.text if isinstance(node, Scalar) and node.kind == "string" else ""
            hint = similar_word(word, choices) or (_purpose(schema) if keyword == "const" else "")
            self._fail(node, f"expected {wanted}, found {_found(node)}", hint)
        else:
            explained, _, hint = schema.get("patternErrorMessage", "").partition("; ")  # of abigen's own schema
            words = {"limit": limit, "found": _found(node), "explained": explained}
            if isinstance(node, Scalar):
                words |= {"length": len(node.text), "quoted": _quoted(node)}
            place = node.items[limit] if isinstance(node, ListNode) and keyword == "maxItems" else node
            self._fail(place, _MESSAGES[keyword].format(**words), hint)

    def _wrong_alternative(self, error: _Error, node: Node) -> None:
        """Report why no alternative fits: what is wrong with the one of the right type, or that there is none."""
        branches: dict[object, list[_Error]] = {}
        for each in error.context or ():
            branches.setdefault(each.relative_schema_path[0], []).append(each)
        for inner in branches.values():
            if not any(each.validator == "type" and not each.relative_path for each in inner):
                self.refused.discard(tuple(error.absolute_path))
                self.tell(inner)
                return
        self._wrong_type(node, error.validator_value)

    def _wrong_type(self, node: Node, schemas: Sequence[Schema]) -> None:
        """Report that a value is of none of the types that schemas ask for."""
        last, hint = schemas[-1], ""
        if isinstance(node, Scalar) and node.kind == "ambiguous" and schemas[0]["type"] in ("integer", "number"):
            hint = f'in quotes, it has the meaning that it has in C: "{node.text}"'
            self._fail(node, f"YAML and C do not agree on what {node.text} means", hint)
            return
        if isinstance(node, Scalar) and last["type"] == "string" and "enum" not in last:
            if "patternErrorMessage" in last and node.kind in ("integer", "number", "ambiguous", "time"):
                hint = _as_version(node.text) if "examples" in last else ""
                self._fail(node, f"{_quoted(node)}: {last['patternErrorMessage']}", hint)
                return
            hint = f'put it in quotes: "{node.text}"' if node.kind != "null" else ""
        elif isinstance(node, Scalar) and "since" in last.get("properties", {}):
            hint = f"write {{since: {node.text}}}" if node.text[:1].isdigit() else ""
        wanted = _either([_expected(each, node) for each in schemas])
        self._fail(node, f"expected {wanted}, found {_found(node)}", hint)


@cache
def _validators() -> Callable[[Schema], Draft202012Validator]:
    """Return the validator of JSON Schema 2020-12, which tells of each entry that stands in a list twice."""
    from jsonschema import Draft202012Validator, FormatChecker, ValidationError
    from jsonschema.validators import extend

    def unique_items(validator: object, wanted: bool, instance: object, schema: Schema) -> Iterator[_Error]:
        # The library compares each entry with each, and does not say which one stands there twice.
        seen: set[str] = set()
        for index, each in enumerate(instance if isinstance(instance, list) else ()):
            if isinstance(each, str) and each in seen:
                yield ValidationError("twice", path=[index], instance=each)
            elif isinstance(each, str):
                seen.add(each)

    extended = extend(Draft202012Validator, {"uniqueItems": unique_items})  # type: ignore[no-untyped-call]
    return partial(extended, format_checker=FormatChecker(["date"]))


def _plain(node: Node) -> object:
    """Return a value as JSON has it; what JSON has not stays a node, which is of no type that a schema can ask for."""
    if isinstance(node, Item):
        return {key: _plain(value) for key, value in node.values.items()}
    if isinstance(node, ListNode):
        return [_plain(each) for each in node.items]
    scalar = cast(Scalar, node)
    if scalar.kind == "integer":
        return int(scalar.text, 0)
    if scalar.kind == "number":
        return Decimal(scalar.text)  # 8.0 as a float would pass for a whole number
    return {"string": scalar.text, "boolean": scalar.is_true}.get(scalar.kind, scalar)


def _inside(node: Node) -> Iterable[tuple[str | int, Node]]:
    """Return the values in a value, by key or number."""
    if isinstance(node, Item):
        return node.values.items()
    return enumerate(node.items) if isinstance(node, ListNode) else ()


def _without(node: Node, keys: _Keys, refused: Collection[_Keys]) -> Node | None:
    """Return a value without its invalid parts; None when it is invalid itself."""
    if keys in refused:
        return None
    inside = {key: _without(value, (*keys, key), refused) for key, value in _inside(node)}
    kept = {key: value for key, value in inside.items() if value is not None}
    if isinstance(node, Item):
        return replace(node, values={str(key): value for key, value in kept.items()})
    return replace(node, items=tuple(kept.values())) if isinstance(node, ListNode) else node


def _expected(schema: Schema, node: Node) -> str:
    choices = schema.get("enum", [])
    if choices and schema["type"] in ("string", "boolean"):
        return _either([str(each).lower() if each is False else str(each) for each in choices])
    if schema["type"] == "object" and node.source.file.endswith(".toml"):
        return "a table"
    return _NOUNS[schema["type"]]


def _found(node: Node) -> str:
    """Return the kind of a value of the wrong kind, in words."""
    if not isinstance(node, Scalar):
        is_table = node.source.file.endswith(".toml")
        return "a list" if isinstance(node, ListNode) else "a table" if is_table else "a mapping"
    if node.kind == "boolean":
        read_as = "true" if node.is_true else "false"
        return read_as if node.text == read_as else f"{_quoted(node)}, which YAML reads as {read_as}"
    if node.kind in ("integer", "number", "ambiguous"):
        return f"the number {node.text[:60]}"
    return {
        "string": f"the text {_quoted(node)}",
        "null": "nothing",
        "timestamp": f"{_quoted(node)}, which YAML reads as a date",
    }.get(node.kind, f"a {node.kind}")


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _quoted(node: Scalar) -> str:
    line = " ".join(node.text.split())
    return f"'{line}'" if len(line) <= 60 else f"'{line[:57]}...'"


def _as_version(text: str) -> str:
    digits = re.fullmatch(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?", text)
    return f"write {int(digits[1])}.{int(digits[2] or 0)}.0" if digits else ""


def _subject(schema: Schema) -> str:
    title = str(schema.get("title", "mapping")).lower()
    return f"{'an' if title[0] in 'aeiou' else 'a'} {title}"


def _purpose(schema: Schema) -> str:
    return str(schema.get("description", "")).partition(". ")[0].rstrip(".")


def _is_split_by_comma(previous: Node | None, value: Node) -> bool:
    """True if `{type: void (int a, int b)}` was meant as one value."""
    if not (isinstance(previous, Scalar) and isinstance(value, Scalar) and value.start == value.end):
        return False
    return previous.plain and previous.text.count("(") > previous.text.count(")")
