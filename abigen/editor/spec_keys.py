"""Suggests and explains the keys and values of specs, by the schema of the spec language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from abigen.editor.analysis import Examination
from abigen.editor.spec_text import CursorContext, context_at
from abigen.editor.subjects import NamedEntity, subjects
from abigen.model.entities import Field, Function
from abigen.model.releases import releases_of
from abigen.specs.spec_reader import SCHEMA_FILE
from abigen.workspace.document.json_schema import Schema, load_schema
from abigen.workspace.operand import SPEC_SUFFIXES

_C_TYPES = (
    *("void", "bool", "char", "int", "float", "double", "size_t", "void*", "const char*"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
)
_KINDS = {"string": "text", "integer": "whole number", "boolean": "true or false", "array": "list", "object": "mapping"}


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """A key or value that may be written at the cursor."""

    label: str
    detail: str = ""
    """Its type or allowed values, in a few words."""
    doc: str = ""
    text: str
    """The text to insert."""
    is_key: bool = False


def suggestions(text: str, line: int, column: int, examined: Examination | None, path: str) -> list[Suggestion]:
    """Return the keys and values that may be written at the cursor.

    Args:
        text: the whole text.
        line: counted from 1.
        column: counted from 1, of the character after the cursor.
        examined: the spec as it could be read last, for names; None if it never could.
        path: the path of the spec, for the names of specs beside it.
    """
    context = context_at(text, line, column)
    if context is None:
        return []
    found: dict[str, Suggestion] = {}
    for part in _parts_at(context.path):
        if context.key:
            keys = {**part.get("properties", {})}
            value = keys.get(context.key, part.get("additionalProperties"))
            for each in _alternatives(value) if isinstance(value, dict) else ():
                found |= _values(each, context, line, examined, path)
            continue
        for key, value in part.get("properties", {}).items():
            if key not in context.siblings:
                found.setdefault(key, _key(key, value))
        found |= _values(part, context, line, examined, path)
    return list(found.values())


def explanation(text: str, line: int, column: int) -> str:
    """Return the description of the key at a place in Markdown; empty if there is none.

    Args:
        text: the whole text.
        line: counted from 1.
        column: counted from 1.
    """
    lines = text.split("\n")
    current = lines[line - 1] if line <= len(lines) else ""
    for match in re.finditer(r"[A-Za-z_]\w*(?=\s*:(?:\s|$))", current):
        if match.start() < column <= match.end() + 1:
            context = context_at(text, line, match.start() + 1)
            for part in _parts_at(context.path) if context is not None else ():
                value = part.get("properties", {}).get(match[0])
                if value is not None:
                    key = _key(match[0], value)
                    return "\n\n".join(each for each in (f"**{key.label}**: {key.detail}", key.doc) if each)
    return ""


def _alternatives(part: Schema) -> Iterator[Schema]:
    """Yield the alternatives of a part of the schema."""
    if "anyOf" in part:
        for each in part["anyOf"]:
            yield from _alternatives(each)
    else:
        yield part


def _parts_at(path: Sequence[str | int]) -> list[Schema]:
    """Return the parts of the schema that a mapping or an element at a path may have."""
    parts = list(_alternatives(load_schema(SCHEMA_FILE)))
    for step in path:
        inner: list[Schema] = []
        for each in parts:
            if isinstance(step, int):
                found = each.get("items")
            else:
                found = each.get("properties", {}).get(step, each.get("additionalProperties"))
            inner += _alternatives(found) if isinstance(found, dict) else ()
        parts = inner
    return parts


def _key(key: str, value: Schema) -> Suggestion:
    """Return the suggestion of a key."""
    alternatives = list(_alternatives(value))
    detail = " or ".join(dict.fromkeys(_allowed(each) for each in alternatives))
    doc = value.get("description") or next((each["description"] for each in alternatives if "description" in each), "")
    is_block = all(each.get("type") in ("array", "object") for each in alternatives)
    return Suggestion(label=key, detail=detail, doc=doc, text=f"{key}:" if is_block else f"{key}: ", is_key=True)


def _allowed(value: Schema) -> str:
    """Return the type or the allowed values of a part of the schema, in a few words."""
    if "enum" in value:
        return ", ".join(map(str, value["enum"]))
    if "const" in value:
        return str(value["const"])
    title = str(value.get("title", ""))
    return title.lower() if title in ("Type", "Version", "Name") else _KINDS.get(str(value.get("type")), "value")


def _values(
    part: Schema, context: CursorContext, line: int, examined: Examination | None, path: str
) -> dict[str, Suggestion]:
    """Return the values that a part of the schema allows, by their texts."""
    listed = [*part.get("enum", ()), *([part["const"]] if "const" in part else ())]
    if part.get("type") == "boolean":
        listed = [True, False]
    words = [str(each).lower() if isinstance(each, bool) else str(each) for each in listed]
    words += _names(part, context, line, examined, path)
    detail = str(part.get("title", "")).lower()
    return {each: Suggestion(label=each, detail=detail, text=each) for each in words}


def _names(part: Schema, context: CursorContext, line: int, examined: Examination | None, path: str) -> Iterator[str]:
    """Yield the names that a text may be: types, releases, functions, members, specs."""
    title = part.get("title", "")
    if context.path[:1] == ("uses",):
        others = (each for each in Path(path).parent.glob("*") if each.suffix in SPEC_SUFFIXES and str(each) != path)
        yield from sorted(each.stem for each in others)
    if title == "Type":
        yield from _C_TYPES
    if examined is None:
        return
    api = examined.first
    if title == "Type":
        yield from (name for kind in (api.structs, api.enums, api.typedefs) for name in kind if "." not in name)
    elif title == "Version":
        yield from map(str, reversed(releases_of(api)))
    elif title == "Function or member":
        yield from (each.key for each in subjects(examined) if _is_callable(each, examined))
    elif title == "Member" or context.key in ("count", "excludes", "replaces"):
        yield from _members_of_the_struct_around(line, examined)


def _is_callable(subject: NamedEntity, examined: Examination) -> bool:
    """True for a function, and for a member that points to one."""
    entity = subject.entity
    if isinstance(entity, Field):
        return examined.first.function_behind(entity.type) is not None
    return isinstance(entity, Function)


def _members_of_the_struct_around(line: int, examined: Examination) -> Iterator[str]:
    """Yield the members of the struct that is declared last before a line."""
    starts = [(each.span.line, each) for each in examined.first.structs.values() if each.span is not None]
    before = [each for each in starts if each[0] <= line and each[1].in_api]
    _, nearest = max(before, key=lambda each: each[0], default=(0, None))
    yield from (each.name for each in (nearest.fields or ()) if each.name) if nearest is not None else ()
