"""Tests of specs that are read: entities, contracts, places, and the options of the header."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.api import Api
from abigen.model.contract import Contract, Lifecycle, Requirement, Zero
from abigen.model.ctype import Array, Basic, FunctionType, Literal, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Callback, Handle, ObjectCallbacks
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Span
from abigen.model.spelling import spell
from abigen.model.target import find_target
from abigen.model.version import Version
from abigen.specs.spec_reader import read_spec
from abigen.workspace.options import ReadOptions, SourceFile
from tests.specs.language.samples import FULL, OPTIONS, errors_in, read_set, read_text

HEAD = "abigen: 1\napi: toy\nversion: 1.2.0\n"


@pytest.fixture(scope="module")
def toy() -> Api:
    return read_text(FULL)


def test_members_have_types_places_documentation_and_contracts(toy: Api) -> None:
    piece = toy.structs["SP_Piece"]
    fields = {field.name: field for field in piece.fields or ()}
    assert list(fields) == [
        *("struct_size", "ext", "id", "label", "colours", "alive", "num_ids", "ids", "reserved0", "title", "finish"),
    ]
    label = fields["label"]
    assert label.type == Pointer(Qualified(Basic("char"), ("const",)))
    assert label.contract == Contract(
        requirement=Requirement.OPTIONAL,
        zero=Zero.NO_OP,
        lifecycle=Lifecycle(deprecated=True, deprecated_since=Version(1, 2), replaced_by="title"),
    )
    line = next(number for number, text in enumerate(FULL.splitlines(), 1) if "name: label" in text)
    assert label.span == Span("toy.yaml", line, 16, 5)
    assert fields["title"].contract.lifecycle.replaces == "label"
    assert fields["title"].contract.lifecycle.since == Version(1, 1)
    assert fields["ids"].count == "num_ids"
    assert fields["reserved0"].contract.reserved
    assert fields["finish"].contract.must_be_understood
    assert fields["id"].doc == "Its name."
    assert fields["alive"].contract.set_by == "core"


def test_leading_fields_come_from_the_conventions_with_the_struct_s_own_words(toy: Api) -> None:
    piece, params = toy.structs["SP_Piece"].fields or (), toy.structs["SE_Params"].fields or ()
    assert [spell(field.type, field.name) for field in piece[:2]] == ["size_t struct_size", "void *ext"]
    assert (piece[1].doc, params[1].doc) == ("Set by the plugin.", "Free for extensions.")
    assert toy.conventions.size_field == "struct_size"
    assert toy.conventions.extension_field == "ext"


def test_a_group_goes_on_until_the_next(toy: Api) -> None:
    assert {field.group for field in (toy.structs["SP_Piece"].fields or ())[2:]} == {"Identity"}


def test_size_constants_end_at_the_last_member(toy: Api) -> None:
    extensions = ["SE_EXTENSION_STRUCT_SIZE", "SE_PAINT_STRUCT_SIZE"]
    assert list(toy.size_constants) == ["SE_PARAMS_STRUCT_SIZE", *extensions, "SP_PIECE_SIZE"]
    size = toy.size_constants["SP_PIECE_SIZE"]
    assert (size.struct, size.last_member, size.form) == ("SP_Piece", "finish", "macro")
    layouts = Layouts(toy, find_target("x86_64-linux-gnu"))
    assert layouts.evaluate(size.expression) == layouts.of("SP_Piece").unpadded_size


def test_handles_are_opaque_structs(toy: Api) -> None:
    handle = toy.typedefs["SP_Toy"]
    assert isinstance(handle, Handle)
    assert handle.type == Pointer(RecordType("SP_Toy_st"))
    assert (handle.tag, handle.by_pointer, handle.defined_by) == ("SP_Toy_st", True, "plugin")
    assert (handle.create, handle.destroy) == ("SE_NewToy", "SE_DeleteToy")
    assert toy.structs["SP_Toy_st"].fields is None
    status = toy.typedefs["SE_Status"]
    assert isinstance(status, Handle)
    assert status.type == RecordType("SE_Status")
    assert toy.structs["SE_Status"].tag == "SE_Status"


def test_handles_may_share_one_opaque_struct() -> None:
    handles = "[{name: A, by_pointer: false}, {name: B, tag: A, by_pointer: false}, {name: C, tag: A}]"
    api = read_text(HEAD + f"handles: {handles}\n")
    assert [typedef.type for typedef in api.typedefs.values()] == [
        RecordType("A"),
        RecordType("A"),
        Pointer(RecordType("A")),
    ]
    assert api.structs["A"].typedef_names == ("A", "B")


def test_callbacks_and_functions_have_parameters_with_places(toy: Api) -> None:
    callback = toy.typedefs["SE_Done"]
    assert isinstance(callback, Callback)
    assert callback.by_pointer
    assert spell(callback.type, "f") == "void (*f)(void *arg, SE_Status *status)"
    function = toy.functions["SE_InitPlugin"]
    assert function.entry_point
    assert function.implemented_by == "plugin"
    first, second = function.type.parameters
    line = FULL.splitlines()[(first.span or Span("", 1, 1)).line - 1]
    assert first.span and line[first.span.column - 1 :].startswith("params, ")
    assert second.name is None


def test_what_members_are_that_say_nothing_can_be_agreed_upon_once() -> None:
    fields = (
        "fields: [{name: a, type: int}, {name: b, type: int, optional: true}, {name: c, type: int, reserved: true}]"
    )
    text = "structs: [{name: S, " + fields + "}]\n"
    for conventions, first in (("", Requirement.UNSAID), ("conventions: {unmarked: required}\n", Requirement.REQUIRED)):
        members = read_text(HEAD + conventions + text).structs["S"].fields or ()
        assert [each.contract.requirement for each in members] == [first, Requirement.OPTIONAL, Requirement.UNSAID]


def test_enumerators_count_on_and_compute(toy: Api) -> None:
    colours = toy.enums["SE_Colour"].enumerators or ()
    assert {each.name: each.value for each in colours} == {
        "SE_RED": 0,
        "SE_GREEN": 5,
        "SE_BLUE": 7,
        "SE_GREY": 8,
        "SE_COLOUR_COUNT": 9,
    }
    assert colours[0].expression is None
    assert colours[1].expression == Literal(5)
    assert toy.enums["SE_Size"].underlying == NamedType("uint8_t")


def test_enumerations_may_compute_with_later_ones_which_then_come_first() -> None:
    api = read_text(
        HEAD
        + "enums:\n  - {name: A, enumerators: [{name: A_ONE, value: B_TWO - 1}]}\n"
        + "  - {name: B, enumerators: [{name: B_TWO, value: 2}]}\n"
    )
    assert (api.enums["A"].enumerators or ())[0].value == 1
    assert api.header and [name for _, name in api.header.order] == ["B", "A"]


def test_constants_stand_for_values_types_and_text(toy: Api) -> None:
    constants = toy.constants
    assert (constants["TOY_DIMENSIONS"].text, constants["TOY_DIMENSIONS"].expression) == ("8", Literal(8))
    assert constants["TOY_FLAGS"].text == "0x10"
    assert constants["TOY_NAME"].expression is None
    assert constants["TOY_BOOL"].text == "unsigned char"
    fields = {field.name: field.type for field in toy.structs["SP_Piece"].fields or ()}
    assert fields["alive"] == NamedType("TOY_BOOL")
    assert toy.resolve(fields["alive"]) == Basic("unsigned char")
    assert not toy.typedefs["TOY_BOOL"].in_api
    assert fields["colours"] == Array(NamedType("SE_Colour"), 8)


def test_function_like_macros_expand_in_types() -> None:
    api = read_text(
        HEAD
        + "macros: [{name: TWICE, parameters: [n], body: ((n) * 2)}]\n"
        + "structs: [{name: S, fields: [{name: x, type: 'char[TWICE(TWICE(3))]'}]}]\n"
    )
    assert (api.structs["S"].fields or ())[0].type == Array(Basic("char"), 12)


def test_constants_of_which_cases_depend_on_the_target_are_read_per_target() -> None:
    cases = '[{if: defined(_WIN32), text: "1"}, {if: __SIZEOF_POINTER__ == 4, text: "2"}, {text: "3"}]'
    apis = read_set(HEAD + f"constants: [{{name: C, value: {cases}}}]\n")
    found = {target: apis.for_target(target).constants["C"].text for target in apis.targets}
    assert found == {"x86_64-linux-gnu": "3", "i686-linux-gnu": "2", "x86_64-windows-msvc": "1"}


def test_a_condition_that_is_none_is_refused_where_it_stands() -> None:
    cases = "[{if: defined(X, text: a}, {text: b}]"
    assert errors_in(HEAD + f"constants: [{{name: C, value: {cases}}}]\n") == [
        "4:36: error: #if: ')' is missing behind 'defined'"
    ]


def test_the_header_is_described_in_full(toy: Api) -> None:
    header = toy.header
    assert header is not None
    assert (header.path, header.guard, header.prefix, header.export) == ("toy/toy.h", "TOY_TOY_H_", "TOY", "TOY_EXPORT")
    assert header.includes == ("<stddef.h>", "<stdint.h>", '"toy/other.h"')
    assert header.extern
    assert header.version_macros == ("TOY_MAJOR", "TOY_MINOR", "TOY_PATCH")
    assert header.size_macros == {
        "SP_Piece": "SP_PIECE_SIZE",
        "SE_Params": "SE_PARAMS_STRUCT_SIZE",
        "SE_Extension": "SE_EXTENSION_STRUCT_SIZE",
        "SE_Paint": "SE_PAINT_STRUCT_SIZE",
    }
    assert header.offset_of_end == "TOY_OFFSET_OF_END"
    assert header.guarded == ("TOY_OFFSET_OF_END", "TOY_BOOL")
    assert header.unexported == ("SE_DeleteToy",)
    assert header.releases == (Version(1, 0), Version(1, 1), Version(1, 2))
    assert header.cases == {"TOY_EXPORT": (("defined(_WIN32)", "__declspec(dllexport)"), ("", ""))}
    listed = [name for _, name in header.order if not name.startswith("TOY_HAS_")]
    assert (listed[:2], header.order[0][0]) == (["TOY_OFFSET_OF_END", "TOY_MAX"], "constant")
    assert header.order[-1] == ("variable", "SE_Table")
    assert toy.version and toy.version.version == Version(1, 2)
    assert toy.doc == "A toy API\nwith all that the language has."


def test_what_is_not_said_follows_from_what_is() -> None:
    api = read_text(
        "abigen: 1\napi: my_toy\nversion: 0.1.0\nconventions: {leading_fields: [size_t struct_size]}\n"
        "structs: [{name: SP_MyToyFns, fields: [{name: ok, type: bool}, {name: id, type: uint16_t}]}]\n"
    )
    header = api.header
    assert header is not None
    assert (header.path, header.guard, header.prefix) == ("my_toy.h", "MY_TOY_H_", "MY_TOY")
    assert header.version_macros == ("MY_TOY_MAJOR", "MY_TOY_MINOR", "MY_TOY_PATCH")
    assert header.size_macros == {"SP_MyToyFns": "SP_MY_TOY_FNS_STRUCT_SIZE"}
    assert header.includes == ("<stdbool.h>", "<stddef.h>", "<stdint.h>")
    assert list(api.macros) == ["MY_TOY_OFFSET_OF_END"]
    assert header.guarded == ("MY_TOY_OFFSET_OF_END",)


def test_an_api_without_versions_has_no_version_macros() -> None:
    api = read_text("abigen: 1\napi: toy\nconstants: [{name: C, value: 1}]\n")
    assert api.version is None
    assert api.header and api.header.version_macros == ()
    silent = read_text(HEAD + "version_macros: []\n")
    assert silent.version and silent.header and silent.header.version_macros == ()


def test_a_struct_that_states_its_size_is_versioned_without_a_convention() -> None:
    api = read_text(HEAD + "structs: [{name: S, fields: [{name: struct_size, type: size_t}, {name: x, type: int}]}]\n")
    assert list(api.size_constants) == ["S_STRUCT_SIZE"]


def test_declarations_move_to_the_front_only_where_c_wants_it() -> None:
    api = read_text(
        HEAD
        + "typedefs: [{name: Ids, type: 'Id[COUNT]'}, {name: Id, type: int}]\nconstants: [{name: COUNT, value: 3}]\n"
        + "callbacks: [{name: F, type: 'void (*)(S* s, E e)'}]\nenums: [{name: E, enumerators: [{name: E_ONE}]}]\n"
        + "structs: [{name: S, fields: [{name: t, type: T}]}, {name: T, fields: [{name: f, type: F}]}]\n"
    )
    assert api.header and [name for _, name in api.header.order] == ["COUNT", "Id", "Ids", "E", "F", "T", "S"]


def test_a_struct_without_a_tag_has_to_come_before_its_first_use() -> None:
    text = (
        HEAD + "callbacks: [{name: F, type: void (*)(S*)}]\nstructs: [{name: S, TAG fields: [{name: x, type: int}]}]\n"
    )
    tagless = read_text(text.replace("TAG", "tag: '',"))
    assert tagless.header and [name for _, name in tagless.header.order] == ["S", "F"]
    tagged = read_text(text.replace("TAG", ""))
    assert tagged.header and [name for _, name in tagged.header.order] == ["F", "S"]


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("int32_t", "int32_t x"),
        ("const char* const*", "const char *const *x"),
        ("char[16]", "char x[16]"),
        ("void (*)(int a, ...)", "void (*x)(int a, ...)"),
        ("void (*(*)(int which))(void)", "void (*(*x)(int which))(void)"),
        ("int (*)[4]", "int (*x)[4]"),
        ("unsigned long int", "unsigned long x"),
        ("_Bool", "bool x"),
        ("struct S*", "S *x"),
        ("void (__stdcall *)(int)", "void (__attribute__((stdcall)) *x)(int)"),
        ("long double _Complex", "long double _Complex x"),
        ("volatile int*", "volatile int *x"),
    ],
)
def test_types_are_read_as_c_writes_them(written: str, spelled: str) -> None:
    text = (
        f"structs:\n  - name: S\n    fields:\n      - {{name: y, type: int}}\n      - {{name: x, type: '{written}'}}\n"
    )
    fields = read_text(HEAD + text).structs["S"].fields or ()
    assert spell(fields[1].type, "x") == spelled


def test_a_folded_type_is_one_type_and_its_parameters_know_their_lines() -> None:
    text = HEAD + "functions:\n  - name: f\n    type: >-\n      void (int first,\n            int second)\n"
    function = read_text(text).functions["f"].type
    assert isinstance(function, FunctionType)
    assert [(each.span.line, each.span.column) for each in function.parameters if each.span] == [(7, 17), (8, 17)]


def test_documentation_that_would_end_a_comment_is_kept_as_it_is() -> None:
    doc = "Ends */ here, /* begins, ??/ and a line with a backslash \\"
    api = read_text(HEAD + f"constants:\n  - name: C\n    value: 1\n    doc: |\n      {doc}\n")
    assert api.constants["C"].doc == doc


def test_exported_functions_are_marked_where_the_macro_s_meaning_is_known() -> None:
    text = FULL.replace('{text: ""}', """{text: '__attribute__((visibility("default")))'}""")
    functions = read_text(text).functions
    assert {name: each.exported for name, each in functions.items()} == {
        "SE_NewToy": True,
        "SE_DeleteToy": None,
        "SE_InitPlugin": True,
        "SE_SetStatus": True,
        "SE_GetCode": True,
        "SE_Message": True,
        "SE_LastCode": True,
        "SE_LastMessage": True,
        "SE_Fail": True,
        "SE_CountToys": True,
        "SE_Play": True,
        "SE_Idle": True,
        "SE_NewGame": True,
        "SE_Turn": True,
        "SE_EndGame": True,
        "SE_List": True,
    }


def test_functions_say_what_becomes_of_arguments_and_results(toy: Api) -> None:
    functions = toy.functions
    assert functions["SE_NewToy"].gives == ("return",)
    assert functions["SE_DeleteToy"].takes == ("toy",)
    assert functions["SE_CountToys"].outputs == ("count",)
    assert functions["SE_Play"].object == ObjectCallbacks("start", ("turn",), "end")
    given = read_text(
        HEAD + "handles: [{name: H}]\nfunctions: [{name: find, type: 'void (int at, H* found)', gives: [found]}]\n"
    )
    assert given.functions["find"].outputs == ("found",)


def test_structs_whose_members_are_known_can_be_made_and_destroyed() -> None:
    structs = "structs: [{name: S, fields: [{name: a, type: int}], create: make, destroy: drop}]\n"
    api = read_text(HEAD + structs + "functions: [{name: make, type: S* (void)}, {name: drop, type: void (S* s)}]\n")
    assert (api.structs["S"].create, api.structs["S"].destroy) == ("make", "drop")


def test_names_for_c_plus_plus_and_failures_are_read(toy: Api) -> None:
    assert (toy.conventions.cpp_namespace, toy.conventions.cpp_names) == ("toys", {"SP_Toy": "Plaything"})
    work = toy.typedefs["SE_Work"]
    assert isinstance(work, Handle) and work.failure == "SE_Fail"


def test_a_spec_reports_errors_as_the_specs_that_it_uses_do(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(FULL)
    (tmp_path / "between.yaml").write_text("abigen: 1\napi: between\nversion: 1.2.0\nuses: [base]\n")
    path = tmp_path / "top.yaml"
    path.write_text("abigen: 1\napi: top\nversion: 1.2.0\nuses: [between]\nconventions: {max_alignment: 4}\n")
    api = read_file(path)
    errors = api.conventions.errors
    assert errors is not None and (errors.status, Path(errors.file).name) == ("SE_Status", "base.yaml")
    headers = {Path(file).name: header.path for file, (header, _) in api.used.items()}
    assert headers == {"base.yaml": "toy/toy.h", "between.yaml": "between.h"}
    assert api.used[errors.file][1].cpp_namespace == "toys"


def test_a_used_spec_is_context(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "status.yaml").write_text(
        "abigen: 1\napi: status\nheader: {path: base/status.h, includes: [<stdint.h>]}\n"
        "handles: [{name: T_Status, by_pointer: false}]\nconstants: [{name: T_MAX, value: 4}]\n"
        "enums: [{name: T_Code, enumerators: [{name: T_OK}, {name: T_BAD}]}]\n"
    )
    text = HEAD + "uses: [base/status]\nstructs:\n  - name: S\n    fields:\n"
    text += "      - {name: s, type: T_Status*}\n      - {name: a, type: 'int32_t[T_MAX + T_BAD]'}\n"
    path = tmp_path / "toy.yaml"
    apis = read_spec(SourceFile("toy.yaml", str(path), text), OPTIONS)
    api = apis.groups[0].api
    assert not api.typedefs["T_Status"].in_api
    assert not api.enums["T_Code"].in_api
    assert api.structs["S"].in_api
    assert (api.structs["S"].fields or ())[1].type == Array(NamedType("int32_t"), 5)
    assert api.header and api.header.includes == ('"base/status.h"',)
    assert set(apis.sources) == {"toy.yaml", str(tmp_path / "base" / "status.yaml")}
    assert apis.dependencies == (str(path), str(tmp_path / "base" / "status.yaml"))


def test_specs_cannot_use_one_another_in_a_circle(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"abigen: 1\napi: {name}\nuses: [{other}]\n")
    with pytest.raises(AbigenError, match=r"c.yaml:3:8: error: .* in a circle: a.yaml -> b.yaml -> c.yaml -> a.yaml"):
        read_file(tmp_path / "a.yaml")


def test_errors_in_a_used_spec_are_told_with_those_of_its_user(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("abigen: 1\napi: base\nhandles: [{name: class}, {name: Gone, tga: x}]\n")
    path = tmp_path / "toy.yaml"
    path.write_text(HEAD + "uses: [base]\nstructz: []\ncallbacks: [{name: F, type: void (*)(Gone)}]\n")
    with pytest.raises(AbigenError) as refusal:
        read_file(path)
    assert [str(each).partition("\n")[0].rpartition("/")[2] for each in refusal.value.diagnostics] == [
        "base.yaml:3:18: error: 'class' is a keyword of C++",
        "base.yaml:3:39: error: a handle has no key 'tga'",
        "toy.yaml:5:1: error: a spec has no key 'structz'",
    ]


def test_a_name_that_a_used_spec_has_cannot_be_declared_again(tmp_path: Path) -> None:
    base = "constants: [{name: A, value: 1}, {name: B, value: 2, guarded: true}]\nhandles: [{name: H}]\n"
    (tmp_path / "base.yaml").write_text("abigen: 1\napi: base\n" + base)
    path = tmp_path / "toy.yaml"
    path.write_text("abigen: 1\napi: toy\nuses: [base]\n" + base.replace("value: 1}", "value: 1, guarded: true}"))
    with pytest.raises(AbigenError) as refusal:
        read_file(path)
    assert [each.message for each in refusal.value.diagnostics] == ["'H' is declared twice: base declares it"]


def test_a_spec_used_twice_on_different_ways_is_one(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("abigen: 1\napi: base\nhandles: [{name: H}]\n")
    for name in "left", "right":
        (tmp_path / f"{name}.yaml").write_text(
            f"abigen: 1\napi: {name}\nuses: [base]\ncallbacks: [{{name: F_{name}, type: void (*)(H)}}]\n"
        )
    path = tmp_path / "toy.yaml"
    path.write_text(HEAD + "uses: [left, right]\ncallbacks: [{name: F, type: 'void (*)(F_left, F_right)'}]\n")
    api = read_file(path)
    assert [name for name, each in api.typedefs.items() if each.in_api] == ["F"]


def test_structs_that_share_their_members_by_an_alias_have_inner_structs_of_their_own() -> None:
    text = HEAD + "structs:\n  - {name: A, fields: &all [{name: a, type: int}, {fields: [{name: b, type: int}]}]}\n"
    api = read_text(text + "  - {name: B, fields: *all}\n")
    assert sorted(api.structs) == ["A", "A.<anonymous 1>", "B", "B.<anonymous 1>"]


def read_file(path: Path) -> Api:
    """Return the API of a spec on disk."""
    options = ReadOptions(targets=("x86_64-linux-gnu",))
    return read_spec(SourceFile(str(path), str(path), path.read_text()), options).groups[0].api
