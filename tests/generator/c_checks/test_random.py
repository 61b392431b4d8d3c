"""Checks of random specs: compilers accept them, and what they assert holds."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abigen.generator.build import build
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.specs.spec_reader import read_spec
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile
from abigen.workspace.shipped import shipped
from tests.generator.build.test_random import _specs
from tests.generator.c_checks.building import Generated, compiled

_OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",), cache=False)
_COMPILERS = (("gcc", "c99"), ("clang", "c11"), ("g++", "c++17"))


@st.composite
def _marked(draw: st.DrawFn) -> dict[str, Any]:
    """A spec with required members, objects that core provides, and an entry point."""
    spec: dict[str, Any] = draw(_specs())
    names = [struct["name"] for struct in spec["structs"]]
    if draw(st.booleans()):
        spec["conventions"]["filled_by"] = {"Struct0": "core", "Struct": "plugin"}
    conditions = [f"{struct['name']}.{each['name']}" for struct in spec["structs"] for each in _scalars(struct)]
    for struct in spec["structs"]:
        conditions_here = [*conditions, *(each["name"] for each in _scalars(struct))]
        for member in struct["fields"]:
            path = f"{struct['name']}.{member['name']}"
            others = [each for each in conditions_here if each not in (path, member["name"])]
            if not member.get("optional") and others and draw(st.booleans()):
                words = draw(st.sampled_from([["when"], ["unless"], ["when", "unless"]]))
                condition = {word: draw(st.sampled_from(others)) for word in words}
                if len({each.rpartition(".")[2] for each in condition.values()}) < len(words):
                    del condition["unless"]
                member |= {"required": condition, "zero": "no-op"}
            elif not member.get("optional") and draw(st.booleans()):
                member |= {"required": True, "zero": "no-op"}
            asked = member.get("required")
            when = asked.get("when", "").rpartition(".")[2] if isinstance(asked, dict) else ""
            siblings = [each["name"] for each in _scalars(struct) if each["name"] not in (member["name"], when)]
            if siblings and draw(st.booleans()):
                member["excludes"] = draw(st.sampled_from(siblings))
            if member["type"] == "const char*" and draw(st.booleans()):
                member["pattern"] = draw(st.sampled_from(["[A-Z][A-Z_]*", '"?\\\\+', "[^a-z]?.+", "a\\?\\?/"]))
            if member["type"].removesuffix("*") in names:
                member["allocated_by"] = "core"
            if member["type"] in ("int", "uint64_t", "int8_t", "size_t"):
                member |= {"version_part": draw(st.sampled_from(["major", "minor", "patch"]))}
    spec["functions"][1]["entry_point"] = True
    return spec


def _scalars(struct: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the members that conditions can ask."""
    return [each for each in struct["fields"] if each["type"] in ("int", "uint64_t", "bool", "void*", "Handle")]


def _check(spec: dict[str, Any], compilers: tuple[tuple[str, str], ...]) -> None:
    source = SourceFile("api.yaml", "api.yaml", json.dumps(spec, ensure_ascii=False))
    publication = Publication(read_spec(source, _OPTIONS).groups[0].api, "spec/api.yaml", "")
    with tempfile.TemporaryDirectory() as folder:
        for path, content in build(
            [publication], ["c", "c-checks"], Templates((), shipped("templates"), Files())
        ).items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        generated = Generated(Path(folder))
        for compiler, standard in compilers:
            language = "c++" if "++" in compiler else "c"
            warnings = ("-Wall", "-Wextra", "-Werror", "-Wno-ignored-qualifiers")
            options = (f"-std={standard}", *warnings, *generated.include, "-fsyntax-only", "-x", language)
            assert compiled(compiler, *options, *generated.sources) == ""


@pytest.mark.ci
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_marked())
def test_checks_of_random_specs_compile(spec: dict[str, Any]) -> None:
    _check(spec, _COMPILERS[:1])


@pytest.mark.fuzz
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=_marked())
def test_checks_of_many_random_specs_compile(spec: dict[str, Any]) -> None:
    _check(spec, _COMPILERS)
