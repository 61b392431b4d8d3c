"""Headers of random specs: compilers accept them, and they say what the specs say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.generator.build import build
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.headers.reader import read_headers
from abigen.model.api import ApiSet
from abigen.specs.spec_reader import read_spec
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile
from abigen.workspace.shipped import shipped
from tests.generator.build.building import compile_text, flags

_OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",), cache=False)
_TEMPLATES = Templates((), shipped("templates"), Files())

_SCALARS = ["int", "unsigned char", "uint64_t", "int8_t", "double", "float", "size_t", "bool", "long long"]
_DOCS = st.one_of(
    st.just(""),
    st.sampled_from(["Plain.", "*/ /* // \\", "A - list:\n\n- one\n- two", "x??/", "word " * 40, "tab\there"]),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs", "Cf"]), max_size=60),
)


def _types(structs: list[str], depth: int = 2) -> st.SearchStrategy[str]:
    """Return types of members, with a place for the declarator left out, as specs write them."""
    plain = st.sampled_from([*_SCALARS, *(f"{name}*" for name in structs), "void*", "const char*", "Kind", "Handle"])
    if not depth:
        return plain
    inner = _types(structs, depth - 1)
    parameters = st.lists(inner.filter(lambda text: "[" not in text), max_size=5)
    results = plain.filter(lambda text: "[" not in text)
    function = st.builds(
        lambda result, types: f"{result} (*)({', '.join(types) or 'void'})",
        st.one_of(results, st.just("void")),
        parameters,
    )
    array = st.builds(lambda element, length: f"{element}[{length}]", plain, st.integers(1, 5))
    pointer = st.builds(lambda target: f"const {target}* const", st.sampled_from([*_SCALARS, *structs]))
    return st.one_of(plain, function, array, pointer)


@st.composite
def _specs(draw: st.DrawFn) -> dict[str, object]:
    """A spec as JSON, which is YAML."""
    structs = [f"Struct{index}" for index in range(draw(st.integers(1, 4)))]
    types = _types(structs)

    def member(index: int) -> dict[str, object]:
        fields: dict[str, object] = {"name": f"member_{'x' * draw(st.integers(0, 30))}{index}", "type": draw(types)}
        fields |= {"doc": draw(_DOCS)} if draw(st.booleans()) else {}
        fields |= {"group": draw(st.sampled_from(["First", "*/", "Other things"]))} if draw(st.booleans()) else {}
        fields |= {"optional": True, "zero": "no-op"} if draw(st.booleans()) else {}
        fields |= {"deprecated": True} if draw(st.booleans()) else {}
        return fields

    return {
        "abigen": 1,
        "api": "api",
        "doc": draw(_DOCS),
        "version": "1.2.0",
        "conventions": {"leading_fields": ["size_t struct_size", "void* ext"]},
        "handles": [{"name": "Handle", "tag": "Handle_st", "doc": draw(_DOCS)}],
        "enums": [
            {"name": "Kind", "enumerators": [{"name": f"KIND_{index}", "doc": draw(_DOCS)} for index in range(3)]}
        ],
        "structs": [
            {
                "name": name,
                "versioned": draw(st.booleans()),
                "doc": draw(_DOCS),
                "fields": [member(index) for index in range(draw(st.integers(1, 6)))],
            }
            for name in structs
        ],
        "functions": [
            {"name": f"function{index}", "type": draw(types.filter(_may_be_result)) + f" ({draw(types)})"}
            for index in range(2)
        ],
    }


def _may_be_result(text: str) -> bool:
    return "[" not in text and "(" not in text and not text.endswith("const")


def _header(spec: dict[str, object], folder: Path) -> tuple[ApiSet, str]:
    source = SourceFile("api.yaml", str(folder / "api.yaml"), json.dumps(spec, ensure_ascii=False))
    api = read_spec(source, _OPTIONS)
    files = build([Publication(api.groups[0].api, "spec/api.yaml", "")], ["c"], _TEMPLATES)
    return api, files["c/api.h"].decode("utf-8")


def _check(spec: dict[str, object], folder: Path, compilers: list[tuple[str, str]]) -> None:
    api, text = _header(spec, folder)
    for compiler, standard in compilers:
        assert compile_text(compiler, (*flags(compiler, standard), "-Wno-ignored-qualifiers"), text) == ""
    back = read_headers([SourceFile("api.h", str(folder / "api.h"), text)], _OPTIONS)
    findings = compare(api, back, find_policy("default")).findings
    assert [(each.rule, each.entity, each.message) for each in findings if each.rule != "field-repurposed"] == []


@pytest.mark.ci
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_specs())
def test_a_random_spec_gives_a_header_that_is_c_and_says_the_same(spec: dict[str, object], tmp_path: Path) -> None:
    _check(spec, tmp_path, [("gcc", "c99")])


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_specs())
def test_more_random_specs_give_headers_that_are_c(spec: dict[str, object], tmp_path: Path) -> None:
    _check(spec, tmp_path, [("gcc", "c99")])


@pytest.mark.fuzz
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_specs())
def test_many_random_specs_give_headers_for_every_compiler(spec: dict[str, object], tmp_path: Path) -> None:
    _check(spec, tmp_path, [("gcc", "c99"), ("clang", "c2x"), ("g++", "c++11"), ("clang++", "c++20")])
