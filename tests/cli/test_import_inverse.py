"""Import is the inverse of build: the keys that a random spec states of its entities come back from the header."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.model.attributes import CONTRACT, keys_of
from abigen.model.entities import Entity
from tests.running import run_here
from tests.specs.language.samples import read_text

Item: TypeAlias = "dict[str, Any]"

_KEYS = {each.key.partition(".")[0] for each in CONTRACT}
_RELEASES = ("1.0.0", "1.1.0", "1.2.0")
_FIRST = [{"name": "level", "type": "uint32_t"}, {"name": "older", "type": "int64_t"}]
_TYPES = st.sampled_from(("int32_t", "double", "const char*", "void (*)(int32_t code)", "uint8_t[4]"))
_SIDES = st.sampled_from(("core", "plugin", "both"))
_REQUIREMENTS: st.SearchStrategy[Item] = st.sampled_from(
    (
        {},
        {"optional": True},
        {"required": True},
        {"required": {"when": "level"}},
        {"required": {"unless": "older"}},
        {"required": {"when": "level", "unless": "older"}},
    )
)


def _deprecated(use: str, born: str) -> st.SearchStrategy[bool | Item]:
    later = _RELEASES[_RELEASES.index(born or _RELEASES[0]) :]
    said = st.fixed_dictionaries({}, optional={"since": st.sampled_from(later), "use": st.just(use)})
    return said.map(lambda keys: keys or True)


@st.composite
def _member(draw: st.DrawFn, name: str, since: str) -> Item:
    keys: Item = {"name": name, "type": draw(_TYPES), "doc": draw(st.sampled_from(("A part.", "Two\n\nparagraphs.")))}
    keys |= draw(_REQUIREMENTS)
    marks: dict[str, st.SearchStrategy[object]] = {
        "zero": st.sampled_from(("no-op", "meaningful")),
        "set_by": _SIDES,
        "must_be_understood": st.just(True),
        "replaces": st.just("older"),
        "deprecated": _deprecated("older", since),
    }
    marks |= {} if {"required", "optional"} & {*keys} else {"reserved": st.just(True)}
    keys |= draw(st.fixed_dictionaries({}, optional=marks))
    return keys | ({"since": since, "zero": keys.get("zero", "no-op")} if since else {})


@st.composite
def _specs(draw: st.DrawFn) -> Item:
    """Draw a spec whose entities state keys of the contract at random."""
    ages = sorted(draw(st.lists(st.sampled_from(("", *_RELEASES[1:])), min_size=1, max_size=4)))
    members = [draw(_member(f"part{at}", since)) for at, since in enumerate(ages)]

    def aged(item: Item) -> Item:
        item = {"doc": "A thing.", **item}
        since = draw(st.sampled_from(("", *_RELEASES)))
        item |= {"since": since} if since else {}
        return item | draw(st.fixed_dictionaries({}, optional={"deprecated": _deprecated("SE_Other", since)}))

    return {
        "abigen": 1,
        "api": "se",
        "prefix": "SE",
        "version": _RELEASES[-1],
        "releases": [*_RELEASES],
        "header": {"path": "se.h", "includes": ["<stddef.h>", "<stdint.h>"]},
        "conventions": {"leading_fields": ["size_t struct_size"]},
        "constants": [aged({"name": "SE_LONGEST", "value": 64})],
        "typedefs": [aged({"name": "SE_Id", "type": "uint32_t"})],
        "handles": [aged({"name": "SE_Thing"})],
        "enums": [{"name": "SE_Kind", "enumerators": [{"name": "SE_A"}, aged({"name": "SE_B"})]}],
        "structs": [
            {"name": "SE_Parts", "filled_by": draw(st.sampled_from(("core", "plugin"))), "fields": _FIRST + members}
        ],
        "functions": [{"name": "SE_Other", "type": "void (void)"}, aged({"name": "SE_Do", "type": "void (void)"})],
    }


def _stated(spec: Item) -> dict[str, Item]:
    """Return the keys of the contract that each entity, member and enumerator of a spec states, by name."""
    items = [
        each for section in spec.values() if isinstance(section, list) for each in section if isinstance(each, dict)
    ]
    items += [part for each in items for part in (*each.get("fields", ()), *each.get("enumerators", ()))]
    return {each["name"]: {key: value for key, value in each.items() if key in _KEYS} for each in items}


@pytest.mark.ci
@settings(max_examples=100, deadline=None, derandomize=True)
@given(_specs())
def test_entities_of_a_spec_have_the_keys_that_it_states(spec: Item) -> None:
    api = read_text(yaml.safe_dump(spec, sort_keys=False))
    entities: list[Entity] = [*api.constants.values(), *api.typedefs.values(), *api.functions.values()]
    for struct in api.structs.values():
        entities += [struct, *(struct.fields or ())] if struct.fields else []
    entities += [value for enum in api.enums.values() for value in enum.enumerators or ()]
    found = {each.name: keys_of(each) for each in entities}
    for name, keys in _stated(spec).items():
        assert name == "SE_Kind" or found[name] == keys, name


@pytest.mark.ci
@settings(max_examples=25, deadline=None, derandomize=True)
@given(_specs())
def test_import_of_a_built_header_gives_the_keys_of_its_spec(spec: Item) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "spec").mkdir()
        (folder / "spec/se.yaml").write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
        built = run_here(["build", "--target", "c"], folder)
        assert built.code == 0, built.stderr
        run = run_here(["import", "generated/c/se.h", "--out", "again"], folder)
        assert run.code == 0, run.stdout + run.stderr
        again = yaml.safe_load((folder / "again/se.yaml").read_text(encoding="utf-8"))
    assert _stated(again) == _stated(spec)
