"""Attributes are understood wherever compilers let them stand; none is silently lost."""

from __future__ import annotations

import pytest

from abigen.model.ctype import Alignments, AlignOf, Basic, CType, FunctionType, Literal, Pointer, SizeOf, Vector
from abigen.model.entities import Field, Struct
from abigen.model.span import AbigenError
from tests.headers.reader.reading import read, read_set


def struct(text: str) -> Struct:
    return next(iter(read(text).structs.values()))


def member(text: str) -> Field:
    (found,) = struct(f"struct S {{ {text} }};").fields or ()
    return found


@pytest.mark.parametrize(
    "text",
    [
        "struct __attribute__((packed)) S { char c; int i; };",
        "struct S { char c; int i; } __attribute__((packed));",
        "struct S { char c; int i; } __attribute__((__packed__)) x;",
        "typedef struct { char c; int i; } __attribute__((packed)) S;",
        "typedef struct __attribute__((packed)) S { char c; int i; } S;",
        "struct [[gnu::packed]] S { char c; int i; };",
        "typedef struct S { char c; int i; } __attribute((packed, deprecated)) S;",
        "__extension__ struct __attribute__((packed)) S { char c; int i; };",
        "#define PACKED __attribute__((packed))\nstruct PACKED S { char c; int i; };",
    ],
)
def test_packed_is_found_wherever_it_stands(text: str) -> None:
    assert struct(text).packed


@pytest.mark.parametrize(
    "text",
    [
        "typedef struct { char c; int i; } S __attribute__((packed));",
        "typedef struct S { char c; int i; } *P __attribute__((packed));",
        "__attribute__((packed)) typedef struct S { char c; int i; } S;",
    ],
)
def test_packed_where_compilers_ignore_it_is_a_warning(text: str) -> None:
    api = read(text)
    assert not next(iter(api.structs.values())).packed
    assert any("packed" in str(each) for each in api.warnings)


@pytest.mark.parametrize(
    ("text", "alignment"),
    [
        ("struct __attribute__((aligned(16))) S { int i; };", 16),
        ("struct S { int i; } __attribute__((aligned(16)));", 16),
        ("struct S { int i; } __attribute__((aligned));", 0),
        ("struct S { int i; } __attribute__((aligned(8), aligned(32)));", 32),
        ("struct S { int i; } __attribute__((aligned(32), aligned(8)));", Alignments((Literal(32), Literal(8)))),
        ("struct __attribute__((aligned(8))) S { int i; } __attribute__((aligned(8)));", 8),
        ("struct S { int i; } __attribute__((aligned(4 * 4)));", 16),
        ("struct S { int i; } __attribute__((aligned(sizeof(void*))));", SizeOf(Pointer(Basic("void")))),
        ("struct __declspec(align(64)) S { int i; };", 64),
        ("struct S { int i; };", None),
    ],
)
def test_the_alignment_of_a_struct_is_found(text: str, alignment: object) -> None:
    assert struct(text).alignment == alignment


@pytest.mark.parametrize(
    ("text", "alignment"),
    [
        ("int a __attribute__((aligned(16)));", 16),
        ("__attribute__((aligned(16))) int a;", 16),
        ("int __attribute__((aligned(16))) a;", 16),
        ("int * __attribute__((aligned(16))) a;", 16),
        ("int a[3] __attribute__((aligned(16)));", 16),
        ("int (*a)(int) __attribute__((aligned(16)));", 16),
        ("_Alignas(16) int a;", 16),
        ("int _Alignas(16) a;", 16),
        ("_Alignas(8) _Alignas(16) int a;", 16),
        ("_Alignas(16) _Alignas(8) int a;", Alignments((Literal(16), Literal(8)))),
        ("_Alignas(16) _Alignas(0) int a __attribute__((aligned(16)));", 16),
        ("_Alignas(0) int a;", None),
        ("_Alignas(double) int a;", AlignOf(Basic("double"))),
        ("__declspec(align(16)) int a;", 16),
        ("int a [[gnu::aligned(16)]];", 16),
        ("[[gnu::aligned(16)]] int a;", 16),
        ("int a;", None),
    ],
)
def test_the_alignment_of_a_member_is_found(text: str, alignment: object) -> None:
    assert member(text).alignment == alignment


def test_attributes_of_one_declarator_do_not_touch_the_others() -> None:
    members = "short a, b __attribute__((aligned(16))), *c, d __attribute__((packed));"
    text = f"struct S {{ __attribute__((aligned(4))) {members} }};"
    fields = {each.name: each for each in struct(text).fields or ()}
    assert {name: each.alignment for name, each in fields.items()} == {"a": 4, "b": 16, "c": 4, "d": 4}
    assert [name for name, each in fields.items() if each.packed] == ["d"]


@pytest.mark.parametrize(
    ("text", "pack"),
    [
        ("#pragma pack(1)\nstruct S { char c; int i; };", 1),
        ("#pragma pack(push, 2)\nstruct S { char c; int i; };\n#pragma pack(pop)", 2),
        ("#pragma pack(push)\n#pragma pack(4)\nstruct S { char c; int i; };", 4),
        ("#pragma pack(push, name, 2)\nstruct S { char c; int i; };", 2),
        ("#pragma pack(1)\n#pragma pack()\nstruct S { char c; int i; };", None),
        ("#pragma pack(push, 1)\n#pragma pack(pop)\nstruct S { char c; int i; };", None),
        ("#pragma pack(push, a, 1)\n#pragma pack(push, 2)\n#pragma pack(pop, a)\nstruct S { char c; };", None),
        ("#pragma pack(0)\nstruct S { char c; int i; };", None),
        ('_Pragma("pack(1)") struct S { char c; int i; };', 1),
        ("struct S { char c; int i; };\n#pragma pack(1)", None),
    ],
)
def test_pragma_pack_limits_the_structs_behind_it(text: str, pack: int | None) -> None:
    assert struct(text).pack == pack


@pytest.mark.parametrize("pragma", ["pack(3)", "pack(pop)", "pack(pop, unknown)", "scalar_storage_order big-endian"])
def test_a_pragma_about_layout_that_cannot_be_obeyed_is_a_warning(pragma: str) -> None:
    assert read(f"#pragma {pragma}\nstruct S {{ char c; }};").warnings


def function_of(type: CType) -> FunctionType:
    while not isinstance(type, FunctionType):
        assert isinstance(type, Pointer)
        type = type.target
    return type


@pytest.mark.parametrize(
    "text",
    [
        "void (__attribute__((ms_abi)) *f)(int);",
        "void (*f)(int) __attribute__((ms_abi));",
        "__attribute__((ms_abi)) void (*f)(int);",
        "void __attribute__((ms_abi)) (*f)(int);",
        "void (* __attribute__((ms_abi)) f)(int);",
        "#define CALL __attribute__((__ms_abi__))\nvoid (CALL *f)(int);",
        "[[gnu::ms_abi]] void (*f)(int);",
    ],
)
@pytest.mark.parametrize("kind", ["member", "typedef", "variable", "parameter"])
def test_a_calling_convention_is_found_wherever_it_stands(text: str, kind: str) -> None:
    define, _, declaration = text.rpartition("\n")
    if kind == "member":
        found = (struct(f"{define}\nstruct S {{ {declaration} }};").fields or ())[0].type
    elif kind == "typedef":
        if declaration.startswith("[["):
            pytest.skip("an attribute of C23 stands before the keyword typedef")
        found = read(f"{define}\ntypedef {declaration}").typedefs["f"].type
    elif kind == "variable":
        found = read(f"{define}\n{declaration}").variables["f"].type
    else:
        found = read(f"{define}\nvoid g({declaration[:-1]});").functions["g"].type.parameters[0].type
    assert function_of(found).calling_convention == "ms_abi"


@pytest.mark.parametrize(
    ("text", "convention"),
    [
        ("int __stdcall f(int);", "stdcall"),
        ("int __cdecl f(int);", "cdecl"),
        ("int __fastcall f(int);", "fastcall"),
        ("int __vectorcall f(int);", "vectorcall"),
        ("int __thiscall f(int);", "thiscall"),
        ("int f(int) __attribute__((regparm(3)));", "regparm(3)"),
        ('__attribute__((pcs("aapcs-vfp"))) int f(int);', "pcs(aapcs-vfp)"),
        ("int __attribute__((sysv_abi)) f(int);", "sysv_abi"),
        ("int f(int);", ""),
    ],
)
def test_the_calling_convention_of_a_function_is_found(text: str, convention: str) -> None:
    assert read(text).functions["f"].type.calling_convention == convention


def test_a_calling_convention_in_parameters_does_not_reach_the_function() -> None:
    function = read("void f(void (__attribute__((ms_abi)) *g)(int));").functions["f"].type
    assert function.calling_convention == ""


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("int a __attribute__((vector_size(16)));", Vector(Basic("int"), 16)),
        ("float a __attribute__((vector_size(4 * sizeof(float))));", Vector(Basic("float"), 16)),
        ("__attribute__((vector_size(8))) char a;", Vector(Basic("char"), 8)),
        ("float a __attribute__((ext_vector_type(4)));", Vector(Basic("float"), 16)),
        ("int a __attribute__((mode(DI)));", Basic("long long")),
        ("unsigned a __attribute__((mode(QI)));", Basic("unsigned char")),
        ("int a __attribute__((__mode__(__HI__)));", Basic("short")),
        ("float a __attribute__((mode(DF)));", Basic("double")),
    ],
)
def test_attributes_that_choose_a_type_are_understood(text: str, type: CType) -> None:
    assert member(text).type == type


def test_a_union_is_transparent_however_it_is_said() -> None:
    assert struct("union __attribute__((transparent_union)) U { int *a; void *b; };").transparent
    assert struct("typedef union { int *a; void *b; } U __attribute__((transparent_union));").transparent


def test_the_rule_for_bit_fields_is_found() -> None:
    assert struct("struct __attribute__((ms_struct)) S { int a : 3; };").bitfield_rule == "ms"
    assert struct("struct S { int a : 3; } __attribute__((gcc_struct));").bitfield_rule == "sysv"
    assert struct("#pragma ms_struct on\nstruct S { int a : 3; };").bitfield_rule == "ms"
    assert struct("struct S { int a : 3; };").bitfield_rule == ""


@pytest.mark.parametrize(
    ("text", "exported"),
    [
        ('__attribute__((visibility("default"))) int f(void);', True),
        ('int f(void) __attribute__((visibility("hidden")));', False),
        ("__declspec(dllexport) int f(void);", True),
        ("__declspec(dllimport) extern int f(void);", True),
        ("int f(void);", None),
        ('#define API __attribute__((visibility("default")))\nAPI int f(void);', True),
        ('[[gnu::visibility("default")]] int f(void);', True),
    ],
)
def test_the_export_of_a_function_is_found(text: str, exported: bool | None) -> None:
    assert read(text).functions["f"].exported is exported


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("__attribute__((weak, noreturn)) void f(void);", ("weak", "noreturn")),
        ("_Noreturn void f(void);", ("noreturn",)),
        ("[[nodiscard]] int f(void);", ("nodiscard",)),
        ("int f(void) __attribute__((warn_unused_result, unused));", ("warn_unused_result",)),
        ("int f(void); int f(void) __attribute__((weak));", ("weak",)),
    ],
)
def test_other_attributes_are_kept_by_name(text: str, flags: tuple[str, ...]) -> None:
    assert read(text).functions["f"].flags == flags


def test_an_assembler_name_is_the_symbol() -> None:
    assert read('int f(void) __asm__("g" "_1");').functions["f"].symbol == "g_1"
    assert read('int f(void) asm("_f$v2") __attribute__((weak));').functions["f"].flags == ("weak",)


@pytest.mark.parametrize(
    "text", ["struct S { int a; } __attribute__((frobnicate));", "int f(void) __attribute__((frobnicate(1)));"]
)
def test_an_unknown_attribute_is_a_warning_that_names_it_at_its_place(text: str) -> None:
    (warning,) = read(text).warnings
    assert "'frobnicate'" in warning.message
    assert warning.place is not None
    assert text[warning.place.column - 1 :].startswith("frobnicate")


def test_an_unknown_attribute_of_a_system_header_is_nobodys_business() -> None:
    assert read("#include <stdio.h>\n#include <stdlib.h>\nextern FILE *f; div_t g(void);").warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        'struct __attribute__((scalar_storage_order("big-endian"))) S { int a; };',
        "typedef int __attribute__((address_space(3))) *P;",
    ],
)
def test_an_attribute_that_changes_bytes_as_no_model_can_say_is_an_error(text: str) -> None:
    with pytest.raises(AbigenError, match="cannot model"):
        read(text)


def test_keywords_of_microsofts_compiler_are_read_for_its_targets() -> None:
    text = """
        #ifdef _WIN32
        #define CALL __stdcall
        #define API __declspec(dllimport)
        #else
        #define CALL
        #define API
        #endif
        API int CALL f(void); typedef int (CALL *cb)(unsigned __int64 a); struct S { __int32 a; };
    """
    found = read_set(
        text.replace("__int64", "long long").replace("__int32", "int"), ("x86_64-linux-gnu", "i686-windows-msvc")
    )
    linux, windows = found.for_target("x86_64-linux-gnu"), found.for_target("i686-windows-msvc")
    assert (linux.functions["f"].exported, windows.functions["f"].exported) == (None, True)
    assert windows.functions["f"].type.calling_convention == "stdcall"
    assert function_of(windows.typedefs["cb"].type).calling_convention == "stdcall"
    assert function_of(linux.typedefs["cb"].type).calling_convention == ""
