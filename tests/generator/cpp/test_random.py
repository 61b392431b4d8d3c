"""Headers of random specs: compilers accept them, whatever their types and names are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abigen.generator.build import build
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.model.span import AbigenError
from abigen.specs.spec_reader import read_spec
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile
from abigen.workspace.shipped import shipped
from tests.generator.build.test_random import _specs
from tests.generator.cpp.building import WARNINGS, compiled

_OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",), cache=False)
_TEMPLATES = Templates((), shipped("templates"), Files())

_HANDLES = ["XY_Device", "XY_Device_Ref", "XY_Status", "xy_thing_t", "XYThing", "Bare", "XY_2D", "XY_class"]
_WORDS = ["Open", "Device", "Status", "get", "New", "Device_Name", "Thing", "release", "Name", "ok", "2D_Name"]
_PARAMETERS = ["get", "status", "data", "num_data", "len", "handle", "self", "Device", "table", "values"]
_TYPES = [
    "int",
    "size_t",
    "const char*",
    "void*",
    "const void*",
    "double*",
    "XY_Kind",
    "XY_Plain*",
    "XY_DoneFn",
    "bool",
]


@st.composite
def _functions(draw: st.DrawFn, handles: dict[str, bool]) -> list[dict[str, object]]:
    """Functions of every kind, with what becomes of their arguments."""
    values = [name if pointer else f"{name}*" for name, pointer in handles.items()]
    types = st.sampled_from(
        [*_TYPES, *values, *values, *(f"const {each}" for each in values), *(f"{v}*" for v in values)]
    )
    found: dict[str, dict[str, object]] = {}
    for _ in range(draw(st.integers(1, 10))):
        prefix = draw(st.sampled_from(["XY_", "XY_Device", "XY", "xy_thing_", "xy_", ""]))
        name = prefix + draw(st.sampled_from(_WORDS))
        names = draw(st.lists(st.sampled_from([*_PARAMETERS, ""]), max_size=5, unique_by=lambda each: each or object()))
        parameters = [(draw(types), each) for each in names]
        if draw(st.booleans()):
            parameters.append(("XY_Status*", "how"))
        text = ", ".join(f"{type} {each}" for type, each in parameters)
        returned = draw(st.sampled_from(["void", "int", "const char*", *values, *(f"const {each}" for each in values)]))
        known = [(type, each) for type, each in parameters if each]
        gives = [each for type, each in known if type in {f"{value}*" for value in values} and draw(st.booleans())]
        gives += ["return"] if returned in values and draw(st.booleans()) else []
        takes = [each for type, each in known if type in values and each not in gives and draw(st.booleans())]
        outputs = [each for type, each in known if type == "double*" and draw(st.booleans())]
        function: dict[str, object] = {"name": name, "type": f"{returned} ({text or 'void'})"}
        function |= {"gives": gives} if gives else {}
        function |= {"takes": takes} if takes else {}
        function |= {"outputs": outputs} if outputs else {}
        function |= {"deprecated": True} if draw(st.booleans()) else {}
        function |= {"implemented_by": draw(st.sampled_from(["core", "plugin"]))}
        found[name] = function
    return list(found.values())


@st.composite
def _api(draw: st.DrawFn) -> dict[str, object]:
    chosen = dict.fromkeys(draw(st.lists(st.sampled_from(_HANDLES), min_size=1, max_size=5)))
    chosen["XY_Status"] = None
    by_pointer = {name: draw(st.booleans()) if name != "XY_Status" else False for name in chosen}
    functions = draw(_functions(by_pointer))
    handles = []
    for name, pointer in by_pointer.items():
        handle: dict[str, object] = {"name": name, "by_pointer": pointer}
        value = name if pointer else f"{name}*"
        if draw(st.booleans()):
            functions.append({"name": f"{name}_make", "type": f"{value} (void)", "implemented_by": "core"})
            functions.append({"name": f"{name}_drop", "type": f"void ({value} it)", "implemented_by": "core"})
            handle |= {"create": f"{name}_make", "destroy": f"{name}_drop"}
        elif draw(st.booleans()):
            handle |= {"create": "XY_Table.make", "destroy": "XY_Table.drop"}
        handles.append(handle)
    kept = next((each["name"] for each in handles if each.get("create") == "XY_Table.make"), "XY_Status")
    value = str(kept) if by_pointer[str(kept)] else f"{kept}*"
    functions.append({"name": "XY_Set", "type": "void (XY_Status* s, XY_Kind code, const char* text)"})
    functions.append({"name": "XY_Code", "type": "XY_Kind (const XY_Status* s)"})
    functions.append({"name": "XY_Text", "type": "const char* (const XY_Status* s)"})
    codes = {"ok": "XY_A", "failed_precondition": "XY_B"}
    errors = {"status": "XY_Status", "set": "XY_Set", "code": "XY_Code", "message": "XY_Text", "codes": codes}
    return {
        "abigen": 1,
        "api": "api",
        "prefix": draw(st.sampled_from(["XY", "xy", "Z", "class"])),
        "conventions": {"errors": errors} if draw(st.booleans()) else {},
        "handles": handles,
        "callbacks": [{"name": "XY_DoneFn", "type": "void (*)(void* arg, XY_Status* status)"}],
        "enums": [{"name": "XY_Kind", "enumerators": [{"name": "XY_A"}, {"name": "XY_B"}]}],
        "structs": [
            {"name": "XY_Plain", "fields": [{"name": "a", "type": "int"}]},
            {
                "name": "XY_Table",
                "fields": [
                    {
                        "name": "make",
                        "type": f"void (*)(void* self, {value}* made, XY_Status* status)",
                        "required": True,
                    },
                    {"name": "drop", "type": f"void (*)(void* self, {value} it)"},
                    {"name": "memset", "type": "XY_DoneFn"},
                    {"name": "Fill", "type": "int (*)(void)"},
                ],
            },
        ],
        "functions": functions,
    }


def _check(spec: dict[str, object], folder: Path, compilers: list[tuple[str, str]]) -> None:
    source = SourceFile("api.yaml", str(folder / "api.yaml"), json.dumps(spec, ensure_ascii=False))
    try:
        api = read_spec(source, _OPTIONS).groups[0].api
        files = build([Publication(api, "spec/api.yaml", "")], ["c", "cpp"], _TEMPLATES)
    except AbigenError:
        return  # names that C or C++ reserves, and those that two things would have
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    use = folder / "use.cc"
    use.write_text('#include "api.hpp"\n' if "cpp/api.hpp" in files else "")
    for compiler, standard in compilers:
        options = (
            f"-std={standard}",
            *WARNINGS,
            "-Wno-ignored-qualifiers",
            f"-I{folder}/c",
            f"-I{folder}/cpp",
            "-fsyntax-only",
        )
        assert compiled(compiler, *options, use) == ""


SPECS = st.one_of(_api(), _specs())


@pytest.mark.ci
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=SPECS)
def test_a_random_spec_gives_a_header_that_is_c_plus_plus(spec: dict[str, object], tmp_path: Path) -> None:
    _check(spec, tmp_path, [("g++", "c++17")])


@pytest.mark.fuzz
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=SPECS)
def test_many_random_specs_give_headers_for_every_compiler(spec: dict[str, object], tmp_path: Path) -> None:
    _check(spec, tmp_path, [("g++", "c++17"), ("clang++", "c++20")])
