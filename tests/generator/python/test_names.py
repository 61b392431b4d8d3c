"""Names: C's, unless Python or a package has a use of its own for one."""

from __future__ import annotations

import enum
from typing import Any

import pytest
from msgspec.structs import replace

from abigen.generator.c.lines import free_name
from abigen.generator.publication import Publication
from abigen.generator.python.package import package_of
from abigen.generator.python.view import (
    OF_ENUMS,
    OF_LIBRARIES,
    OF_STRUCTS,
    PythonStruct,
    attribute,
    linter_order,
    module_name,
    parent_name,
    python_name,
)
from abigen.headers.facts import with_facts
from tests.generator.python.building import RUNTIME, SHARED, load_package
from tests.generator.python.conftest import Robots
from tests.specs.language.samples import read_text


def _public(type: type) -> set[str]:
    return {name for name in dir(type) if not name.startswith("_")}


def test_no_member_takes_the_place_of_what_all_structs_have(robots: Robots) -> None:
    runtime: Any = load_package(SHARED, RUNTIME)
    assert _public(runtime.Struct) | {"cdata", "unpadded_size", "mro", "self"} == OF_STRUCTS


def test_no_function_takes_the_place_of_what_all_libraries_have(robots: Robots) -> None:
    runtime: Any = load_package(SHARED, RUNTIME)
    assert _public(runtime.Library) | {"path", "symbols"} == OF_LIBRARIES


def test_no_enumerator_takes_the_place_of_what_all_enumerators_have() -> None:
    assert _public(int) | {"name", "value", "mro"} <= OF_ENUMS | {"is_integer"}
    assert "mro" not in enum.IntEnum.__members__


@pytest.mark.parametrize(
    ("name", "expected"),
    [("class", "class_"), ("None", "None_"), ("match", "match"), ("at", "at_"), ("speed", "speed")],
)
def test_names_that_are_taken_get_an_underscore(name: str, expected: str) -> None:
    assert python_name(name, OF_STRUCTS) == expected


@pytest.mark.parametrize(
    ("path", "module"),
    [("tf_status.yaml", "tf_status"), ("a/stream-executor.yml", "stream_executor"), ("class.yaml", "class_")],
)
def test_packages_are_called_after_their_specs(path: str, module: str) -> None:
    assert module_name(path) == module


@pytest.mark.parametrize("path", ["2d.yaml", "_x.yaml", "ä b.yaml", "v1.2.yaml"])
def test_every_spec_gives_a_name_that_can_be_imported(path: str) -> None:
    assert module_name(path).isidentifier()
    assert not module_name(path).startswith("_")


@pytest.mark.parametrize(
    ("group", "parent"),
    [("", "plugin_api"), ("rfc", "rfc_plugin_api"), ("a/b-c", "a_b_c_plugin_api"), ("../x", "x_plugin_api")],
)
def test_groups_have_a_package_each(group: str, parent: str) -> None:
    assert parent_name(group) == parent


def test_attributes_that_python_cannot_write_are_asked_for() -> None:
    assert attribute("table", "from", in_class=False) == 'getattr(table, "from")'
    assert attribute("table", "__x", in_class=True) == 'getattr(table, "__x")'
    assert attribute("table", "x", in_class=True) == "table.x"


def test_free_names_and_the_order_of_linters() -> None:
    assert free_name("a", ["a", "a_"]) == "a__"
    names = ["tf_b", "TF_INT16", "Zoo", "TF_INT8", "a10", "a9"]
    assert sorted(names, key=linter_order) == ["TF_INT8", "TF_INT16", "Zoo", "a9", "a10", "tf_b"]


def test_the_names_of_counts_that_an_api_has_agreed_on_count() -> None:
    read = read_text(
        "abigen: 1\napi: toy\nprefix: XY\n"
        "structs: [{name: XY_Box, fields: [{name: toys, type: int32_t*}, {name: how_many_toys, type: size_t}]}]\n"
    )
    api = with_facts(replace(read, conventions=replace(read.conventions, counts=("how_many_*",))))
    (made,) = package_of(Publication(api, "spec/toy.yaml", "")).types
    assert isinstance(made, PythonStruct)
    assert [each.count for each in made.members] == ["how_many_toys", ""]
