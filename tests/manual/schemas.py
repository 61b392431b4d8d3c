"""Make JSON Schemas of records: keys, types and limits as msgspec tells them, descriptions from the docstrings."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, get_args, get_type_hints

import msgspec

Schema = dict[str, Any]


def json_schema(
    record: type[msgspec.Struct],
    published: Mapping[str, type[msgspec.Struct]] = {},
    defined: Mapping[str, type[msgspec.Struct]] = {},
) -> Schema:
    """Return the JSON Schema of a record.

    What it uses once stands in its place, all else in `$defs`.

    Args:
        record: the first line of its docstring is the title, what follows the description. In those of records inside
            the first line is the title only if something follows. What stands below a key, or else what the docstring
            of its type says, is the description of the key.
        published: records that have a schema of their own, by the names of the files.
        defined: records that stand in `$defs` first, even if they are used once, by the names that they have there.
    """
    (top,), definitions = msgspec.json.schema_components([record], ref_template="{name}")
    types = {each.__name__: each for each in _types(record)}
    for name, definition in definitions.items():
        _describe(definition, types[name])
    files = {each.__name__: file for file, each in published.items() if each is not record}
    used = Counter(_references(record.__name__, definitions, files))
    given = {each.__name__: name for name, each in defined.items()}

    def placed(part: Any) -> Any:
        if isinstance(part, list):
            return [placed(each) for each in part]
        if not isinstance(part, dict):
            return part
        if "$ref" not in part:
            return {key: placed(each) for key, each in part.items()}
        name = part["$ref"]
        if name not in files and name not in given and used[name] == 1:
            return placed(definitions[name] | {key: each for key, each in part.items() if key != "$ref"})
        return part | {"$ref": files.get(name, f"#/$defs/{given.get(name, name)}")}

    whole = placed(definitions[top["$ref"]])
    if "title" not in whole:
        whole["title"] = whole.pop("description").rstrip(".")
    shared = [name for name in dict.fromkeys((*given, *definitions)) if name in given or used[name] > 1]
    order = ("$schema", "title", "description", "type", "required", "properties")
    whole |= {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    whole |= {"$defs": {given.get(name, name): placed(definitions[name]) for name in shared if name not in files}}
    return {key: whole[key] for key in dict.fromkeys((*order, *whole)) if whole.get(key) not in (None, "", {})}


def _types(hint: Any, met: set[Any] | None = None) -> Iterator[type]:
    """Yield the records and enumerations that a type is made of, each once."""
    met = set() if met is None else met
    if isinstance(hint, type) and issubclass(hint, (msgspec.Struct, Enum)) and hint not in met:
        met.add(hint)
        yield hint
        inside = get_type_hints(hint, include_extras=True).values() if issubclass(hint, msgspec.Struct) else ()
    else:
        inside = get_args(hint)
    for each in inside:
        yield from _types(each, met)


def _describe(definition: Schema, kind: type) -> None:
    """Say what the docstrings say, and put the words of an enumeration in order."""
    title, _, description = definition["description"].partition("\n\n")
    if description and not issubclass(kind, Enum):
        definition |= {"title": title.rstrip("."), "description": description}
    else:
        del definition["title"]
    definition["description"] = " ".join(definition["description"].split())
    if issubclass(kind, Enum):
        definition["enum"] = [each.value for each in kind]
        return
    if not definition["required"]:
        del definition["required"]
    for key in definition["properties"].values():
        key.pop("default", None)  # what the code takes for a key that is absent need not be what holds then
    names = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
    for each in reversed(kind.__mro__[:-1]):
        if "__annotations__" in vars(each) and each.__module__.startswith("abigen"):
            for name, text in _texts(each):
                key = definition["properties"][names[name]]
                definition["properties"][names[name]] = {"description": text} | key | {"description": text}


def _texts(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the keys of a record below which a text stands, with that text."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    for line, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and isinstance(below, ast.Expr):
            yield line.target.id, " ".join(ast.literal_eval(below.value).split())


def _references(name: str, definitions: Mapping[str, Schema], files: Mapping[str, str]) -> Iterator[str]:
    """Yield the names that a definition and those below it refer to; of published records none below."""
    waiting: list[Any] = [definitions[name]]
    met: set[str] = set()
    while waiting:
        part = waiting.pop()
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        if isinstance(part, dict) and isinstance(part.get("$ref"), str):
            yield part["$ref"]
            if part["$ref"] not in met and part["$ref"] not in files:
                met.add(part["$ref"])
                waiting.append(definitions[part["$ref"]])
