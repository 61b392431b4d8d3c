"""The schema of specs against the rules: each key has a rule that sees it change, or a line why none is needed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.model.api import ApiSet
from abigen.specs.load import load
from abigen.specs.spec_reader import SCHEMA_FILE
from abigen.workspace.options import ReadOptions
from tests.checker.rules.fixtures import TARGET

FOLDER = Path(__file__).parent / "every_key"
SPEC = (FOLDER / "toy.yaml").read_text()
CHANGES: dict[str, str | list[list[str]]] = yaml.safe_load((FOLDER / "changes.yaml").read_text())


def keys_of(schema: dict[str, Any], owner: str) -> Iterator[str]:
    """Yield the keys of all objects in a schema: `field.zero`, `required.when`; of the spec itself `version`."""
    for key, value in schema.get("properties", {}).items():
        yield f"{owner}.{key}" if owner else key
        yield from keys_of(value, key)
    for each in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from keys_of(each, owner)


def all_keys() -> list[str]:
    """Return all keys of specs."""
    schema = json.loads(SCHEMA_FILE.read_text())
    parts = [("", schema), *schema["$defs"].items()]
    return list(dict.fromkeys(key for owner, part in parts for key in keys_of(part, owner)))


EDITS = [
    pytest.param(*change, id=f"{key}-{number}")
    for key, changes in CHANGES.items()
    for number, change in enumerate([] if isinstance(changes, str) else changes)
]


@pytest.mark.parametrize("key", all_keys())
def test_a_key_is_seen_to_change_or_it_is_said_why_not(key: str) -> None:
    assert key in CHANGES or f"*.{key.rpartition('.')[2]}" in CHANGES


def test_nothing_is_said_of_keys_that_there_are_not() -> None:
    known = all_keys()
    owners = {f"*.{key.rpartition('.')[2]}" for key in known}
    assert [key for key in CHANGES if key not in known and key not in owners] == []


@cache
def read(path: Path, text: str) -> ApiSet:
    path.write_text(text)
    return load(str(path), ReadOptions(targets=(TARGET,)))


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "toy.yaml"


def found(old: ApiSet, new: ApiSet) -> set[str]:
    findings = compare(old, new, find_policy("default")).findings
    return {f"{each.rule} {each.bump.value}" for each in findings} - {"bump-missing none"}


@pytest.mark.first_case
@pytest.mark.parametrize(("was", "now", "there", "back"), EDITS)
def test_a_change_is_seen_both_ways(place: Path, was: str, now: str, there: str, back: str) -> None:
    assert SPEC.count(was) == 1
    old, new = read(place, SPEC), read(place, SPEC.replace(was, now))
    assert found(old, new) == {each for each in there.split(", ") if each}
    assert found(new, old) == {each for each in back.split(", ") if each}
