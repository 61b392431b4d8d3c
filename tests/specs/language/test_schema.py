"""The published JSON Schema and the reader agree: what one accepts as structure, the other does."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, cast

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from abigen.model.attributes import ATTRIBUTES, Value
from abigen.model.span import AbigenError
from abigen.specs.spec_reader import SCHEMA_FILE
from abigen.workspace.document.json_schema import Schema, check_structure, load_schema
from abigen.workspace.document.tree import Problems, read_yaml
from abigen.workspace.options import SourceFile
from tests.specs.language.samples import FULL

EXPLAINED = {
    *(
        "additionalProperties",
        "anyOf",
        "const",
        "dependentRequired",
        "enum",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
    ),
    *("minLength", "minimum", "pattern", "properties", "propertyNames", "required", "type", "uniqueItems"),
}
"""The keywords for whose errors there are words."""
OTHER = {
    "$ref",
    "$defs",
    "$id",
    "$schema",
    "description",
    "examples",
    "constErrorMessage",
    "default",
    "patternErrorMessage",
    "title",
}
"""The keys that refuse nothing."""

SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
VALID = yaml.safe_load(FULL)


def _schemas(node: object) -> Iterator[Schema]:
    """Yield all schemas in a schema."""
    if isinstance(node, list):
        for each in node:
            yield from _schemas(each)
    elif isinstance(node, dict):
        yield node
        for key, value in node.items():
            if key in ("properties", "$defs"):
                for each in value.values():
                    yield from _schemas(each)
            elif key not in ("enum", "required", "dependentRequired", "examples", "const"):
                yield from _schemas(value)


def _accepts(data: object) -> bool:
    """True if the reader finds nothing wrong with the structure of a document."""
    text = json.dumps(data, ensure_ascii=False)
    problems = Problems()
    root = read_yaml(SourceFile("spec.yaml", "spec.yaml", text), problems)
    try:
        check_structure(root, load_schema(SCHEMA_FILE), problems)
    except AbigenError:
        return False
    return not problems


def _places(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield paths to all values in a document."""
    yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _places(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _places(value, (*path, index))


ASKING = {"flag", "has", "item", "items", "nodes", "number", "place", "scalar", "scalars", "text", "texts", "version"}
"""The methods by which a reader asks an item of the document for a key."""
SECOND = yaml.safe_load((SCHEMA_FILE.parents[2] / "tests/manual/more_keys.yaml").read_text(encoding="utf-8"))
PLACES = list(_places(VALID))[1:]
NAMES = sorted({key for schema in _schemas(SCHEMA) for key in cast(dict[str, Schema], schema.get("properties", {}))})
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 20),
    st.sampled_from(
        [1.5, 0.25, "", "x", "1.2.3", "1.2", "no-op", "core", "both", "a.h", "../a.h", "<a.h>", "A.b", "9x", "*", "..."]
    ),
    st.lists(st.sampled_from(["x", "x", 1, {}, {"name": "x"}]), max_size=3),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["x", 1, True, "1.2.3"]), max_size=3),
)


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A valid spec with one to three values replaced, removed or added."""
    data = copy.deepcopy(VALID)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PLACES))
        try:
            parent = data
            for step in path[:-1]:
                parent = parent[step]
            action = draw(st.sampled_from(["replace", "remove", "add"]))
            if action == "replace":
                parent[path[-1]] = draw(VALUES)
            elif action == "remove":
                del parent[path[-1]]
            elif isinstance(parent, dict):
                parent[draw(st.sampled_from([*NAMES, "other"]))] = draw(VALUES)
            elif isinstance(parent, list):
                parent.append(draw(VALUES))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier mutation has removed the place
    return data


def test_the_schema_is_valid_and_uses_only_keywords_whose_errors_can_be_explained() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    used = {key for schema in _schemas(SCHEMA) for key in schema}
    assert used <= EXPLAINED | OTHER


def test_alternatives_differ_in_type_so_that_the_reader_can_tell_them_apart() -> None:
    definitions = cast(dict[str, Schema], SCHEMA["$defs"])
    for schema in _schemas(SCHEMA):
        branches = [
            definitions[cast(str, each["$ref"]).rpartition("/")[2]] if "$ref" in each else each
            for each in cast(list[Schema], schema.get("anyOf", []))
        ]
        types = [each["type"] for each in branches]
        assert len(set(types)) == len(types)


def test_every_key_has_a_description_for_editors() -> None:
    definitions = cast(dict[str, Schema], SCHEMA["$defs"])
    for schema in _schemas(SCHEMA):
        for key, value in cast(dict[str, Schema], schema.get("properties", {})).items():
            target = definitions[cast(str, value["$ref"]).rpartition("/")[2]] if "$ref" in value else {}
            assert value.get("description") or target.get("description"), key


def test_readers_ask_for_no_key_that_the_language_does_not_have() -> None:
    calls = [
        node
        for path in SCHEMA_FILE.parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKING
    ]
    asked = {each.args[0].value for each in calls if each.args and isinstance(each.args[0], ast.Constant)}
    assert len(asked) > 30 and asked <= set(NAMES)


def test_the_language_has_the_attributes_that_the_table_lists() -> None:
    stated = [each for each in ATTRIBUTES if each.value is not Value.FROM_PARAMETERS]
    keys = {(kind.__name__.lower(), each.key) for each in stated for kind in each.kinds}
    assert keys <= {(name, key) for name, part in SCHEMA["$defs"].items() for key in part["properties"]}


def test_a_default_in_the_reader_is_the_default_of_the_schema() -> None:
    stated: dict[str, set[object]] = {}
    for schema in _schemas(SCHEMA):
        for key, value in cast(dict[str, Schema], schema.get("properties", {})).items():
            stated.setdefault(key, set()).add(value.get("default"))
    used = {
        (node.args[0].value, default.value)
        for path in SCHEMA_FILE.parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("text", "flag")
        for default in (*node.args[1:], *(each.value for each in node.keywords))
        if isinstance(default, ast.Constant) and isinstance(node.args[0], ast.Constant) and default.value is not False
    }
    assert {("kind", "struct"), ("size_form", "macro"), ("export", True)} <= used
    assert [(key, default) for key, default in used if default not in stated[str(key)] and key != "api"] == []


def test_the_sample_uses_every_key_of_the_language() -> None:
    used = {key for path in (*PLACES, *_places(SECOND)) for key in path if isinstance(key, str)}
    assert used >= set(NAMES)


def test_reader_and_schema_accept_the_sample() -> None:
    VALIDATOR.validate(VALID)
    assert _accepts(VALID)


@pytest.mark.ci
@given(mutated())
def test_reader_and_schema_agree_on_mutated_specs(data: object) -> None:
    assert _accepts(data) == VALIDATOR.is_valid(data)


def test_the_schema_command_prints_the_schema() -> None:
    result = subprocess.run([sys.executable, "-m", "abigen", "schema"], capture_output=True, text=True, check=True)
    assert json.loads(result.stdout) == SCHEMA
    assert result.stderr == ""
