"""Tests of specs that C++ cannot express, and of specs that only look so."""

from __future__ import annotations

import pytest

from abigen.generator.cpp.header import header_of
from abigen.generator.cpp.view import CppHeader
from abigen.generator.publication import Publication
from abigen.model.span import AbigenError
from tests.specs.language.samples import read_text

HEAD = "abigen: 1\napi: toy\nprefix: XY\n"


def header(text: str) -> CppHeader:
    return header_of(Publication(read_text(HEAD + text), "spec/toy.yaml", ""))


def test_names_that_clash_in_c_plus_plus_become_longer() -> None:
    made = header(
        "handles: [{name: XY_Device, by_pointer: false}, {name: ZZ_Device, by_pointer: false}]\n"
        "functions:\n"
        "  - {name: XY_Name, type: const char* (XY_Device*)}\n"
        "  - {name: XY_DeviceName, type: const char* (XY_Device*)}\n"
        "  - {name: XY_Device_Name, type: const char* (XY_Device*)}\n"
    )
    first, second = made.classes
    assert (first.ref, second.ref) == ("Device", "ZZDevice")
    assert [each.name for each in first.methods] == ["Name", "DeviceName", "Device_Name"]


def test_a_chosen_name_that_is_taken_is_refused_with_what_has_it() -> None:
    with pytest.raises(AbigenError) as refusal:
        header(
            "conventions: {cpp: {names: {XY_Close: Open}}}\n"
            "handles: [{name: XY_Device, by_pointer: false}]\n"
            "functions:\n"
            "  - {name: XY_Open, type: void (XY_Device*)}\n"
            "  - {name: XY_Close, type: void (XY_Device*)}\n"
        )
    (problem,) = refusal.value.diagnostics
    assert str(problem) == (
        "toy.yaml:8:12: error: `XY_Close` and `XY_Open` would both be `Open` in C++\n"
        "  hint: name one of them in conventions.cpp.names"
    )


def test_a_chosen_namespace_that_is_a_name_of_the_api_is_refused() -> None:
    with pytest.raises(AbigenError, match="`toys` is also the namespace of the API in C\\+\\+"):
        header("conventions: {cpp: {namespace: toys}}\nfunctions: [{name: toys, type: void (void)}]\n")


def test_what_an_object_s_functions_are_said_to_be_has_to_be_functions() -> None:
    with pytest.raises(AbigenError, match="`make` of `XY_Run` is not a function"):
        header(
            "functions:\n  - name: XY_Run\n    type: void (void* make, void (*step)(void* self))\n"
            "    object: {create: make, methods: [step]}\n"
        )


def test_an_api_without_anything_for_c_plus_plus_has_no_header() -> None:
    assert header("constants: [{name: XY_ONE, value: 1}]\n").is_empty


@pytest.mark.parametrize(
    ("parameters", "pairs"),
    [
        ("const int64_t* dims, int num_dims", {0: 1}),
        ("const int64_t* new_dims, int num_new_dims", {0: 1}),
        ("const int64_t* output_dims, int output_num_dims", {0: 1}),
        ("int32_t* values, size_t value_count", {0: 1}),
        ("int32_t* vals, int max_vals", {0: 1}),
        ("void* data, size_t len", {0: 1}),
        ("const void* proto, size_t proto_len", {0: 1}),
        ("const char* text, size_t text_length", {0: 1}),
        ("const char* path, size_t size", {}),
        ("int32_t* values, size_t size", {}),
        ("double* values, double num_values", {}),
        ("int32_t* values, int other, int num_values", {}),
        ("struct S* values, int num_values", {}),
        ("void** values, int num_values, void* data, size_t size", {0: 1, 2: 3}),
    ],
)
def test_a_pointer_and_the_count_behind_it_are_one_span(parameters: str, pairs: dict[int, int]) -> None:
    made = header(
        "handles: [{name: S, by_pointer: false}]\n"
        f"functions: [{{name: f, type: 'void (int first, {parameters.replace('struct ', '')})'}}]\n"
    )
    (function,) = made.functions
    kinds = [each.kind for each in function.parameters[1:]]
    assert {at: at + 1 for at, kind in enumerate(kinds) if kind == "span"} == pairs
    assert [at for at, kind in enumerate(kinds) if kind == "count"] == list(pairs.values())


def test_a_required_function_stays_required_while_it_is_deprecated() -> None:
    made = header(
        "version: 1.1.0\nconventions: {leading_fields: [size_t struct_size]}\n"
        "structs:\n  - name: XY_Fns\n    fields:\n"
        "      - {name: run, type: void (*)(void), required: true, deprecated: {since: 1.1.0}}\n"
        "      - {name: walk, type: void (*)(void), required: true}\n"
        "      - {name: rest, type: void (*)(void), optional: true}\n"
    )
    (table,) = made.tables
    assert [each.c.contract.is_required for each in table.members] == [True, True, False]
