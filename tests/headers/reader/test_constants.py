"""Macros and enumerators: their values, the sizes that they state, and the version."""

from __future__ import annotations

import pytest

from abigen.model.api import Api
from abigen.model.ctype import Basic
from abigen.model.entities import SizeConstant
from abigen.model.layout import Layouts
from abigen.model.target import find_target
from abigen.model.version import Version
from tests.headers.reader.reading import read, read_set

TARGET = find_target("x86_64-linux-gnu")


def value(api: Api, name: str) -> int | None:
    expression = api.constants[name].expression
    return None if expression is None else Layouts(api, TARGET).evaluate(expression)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("3", 3),
        ("(-3)", -3),
        ("0x10u", 16),
        ("017", 15),
        ("0b101", 5),
        ("1UL << 40", 1 << 40),
        ("(1 << 3) | 1", 9),
        ("'a'", 97),
        ("'\\n'", 10),
        ("sizeof(long)", 8),
        ("(int)sizeof(struct S) + 1", 17),
        ("offsetof(struct S, b)", 8),
        ("E1 + 1", 6),
        ("OTHER * 2", 14),
        ("TWICE(OTHER)", 14),
        ("JOIN(OTH, ER)", 7),
        ("(uint8_t)300", 44),
        ("~0u", 0xFFFFFFFF),
        ("10 > 3 ? 1 : 2", 1),
        ("INT32_MAX", 2147483647),
        ("UINT64_C(5)", 5),
        ("(int)2.9", 2),
        ("((size_t)&((struct S*)0)->b)", 8),
    ],
)
def test_an_object_like_macro_has_the_value_that_its_users_see(body: str, expected: int) -> None:
    text = f"""
        #include <stddef.h>
        #include <stdint.h>
        struct S {{ int a; double b; }};
        enum {{ E1 = 5 }};
        #define CONSTANT {body}
        #define OTHER 7
        #define TWICE(x) ((x) * 2)
        #define JOIN(a, b) a##b
    """
    assert value(read(text), "CONSTANT") == expected


@pytest.mark.parametrize(
    "body",
    ['"text"', "3.14", "unsigned char", "", "__attribute__((packed))", "do { } while (0)", "f(3)", "x", "1,", "(",
     "UNKNOWN + 1",
     "CONSTANT", "struct S", "{ 1, 2 }", "return 1", "&v", "v + 1", "(struct S){0}", "extern", "1.0 / 2"],
)  # fmt: skip
def test_a_macro_that_stands_for_anything_else_keeps_its_text(body: str) -> None:
    api = read(f"struct S {{ int a; }}; extern int v; int f(int);\n#define CONSTANT {body}\n")
    assert api.constants["CONSTANT"].expression is None
    assert api.constants["CONSTANT"].text == body


def test_white_space_in_bodies_is_folded() -> None:
    api = read("#define A 1  +\\\n  2\n#define F(x,  y) x   +\\\n y\n")
    assert api.constants["A"].text == "1 + 2"
    assert (api.macros["F"].parameters, api.macros["F"].body) == (("x", "y"), "x + y")


def test_include_guards_and_macros_of_the_system_are_no_constants() -> None:
    text = "#ifndef API_H_\n#define API_H_\n#include <stdint.h>\n#define A 1\n#define FEATURE\n#endif\n"
    assert list(read(text).constants) == ["A", "FEATURE"]
    assert list(read("// c\n#if !defined(API_H)\n# define API_H\n#define A 1\n#endif\n").constants) == ["A"]


@pytest.mark.parametrize(
    "before",
    [
        '#ifdef __cplusplus\nextern "C" {\n#endif\n',
        '#if defined(OLD_API) && OLD_API < 3\n#error "an older one is there"\n#endif\n',
    ],
)
def test_an_include_guard_that_does_not_stand_first_is_no_constant(before: str) -> None:
    assert list(read(f"{before}#ifndef API_H_\n#define API_H_ 1\n#define A 1\n#endif\n").constants) == ["A"]


def test_the_last_definition_counts() -> None:
    api = read("#define A 1\n#undef A\n#define A 2\n#define B 3\n#undef B\n")
    assert value(api, "A") == 2
    assert "B" not in api.constants


END = "#include <stddef.h>\n#define END(T, m) (offsetof(T, m) + sizeof(((T *)0)->m))\n"
STRUCTS = (
    "typedef struct T { size_t struct_size; struct { int a[2]; char b; } in; void* p; } T;"
    "typedef struct U { int last; } U;\n"
)


@pytest.mark.parametrize(
    ("text", "struct", "member", "form"),
    [
        ("#define SIZE END(T, p)", "T", "p", "macro"),
        ("#define SIZE (offsetof(T, p) + sizeof(((T*)0)->p))", "T", "p", "macro"),
        ("#define SIZE (sizeof(((T*)0)->p) + offsetof(T, p))", "T", "p", "macro"),
        ("#define SIZE (offsetof(struct T, p) + sizeof(((struct T*)0)->p))", "T", "p", "macro"),
        ("#define SIZE (offsetof(T, p) + sizeof(void*))", "T", "p", "macro"),
        ("#define SIZE ((size_t)END(T, in.a[1]))", "T", "in.a[1]", "macro"),
        ("#define SIZE sizeof(T)", "T", "", "macro"),
        ("#define SIZE ((int)sizeof(struct T))", "T", "", "macro"),
        ("#define SIZE ((size_t)&((T*)0)->p + sizeof(((T*)0)->p))", "T", "p", "macro"),
        ("enum { SIZE = END(T, p) };", "T", "p", "enumerator"),
        ("enum { SIZE = sizeof(T) };", "T", "", "enumerator"),
        ("#define TRAITS(T, m) enum { T##_X = 0, SIZE = END(T, m) }\nTRAITS(T, p);", "T", "p", "enumerator"),
        ("#define ALIAS END(U, last)\n#define SIZE ALIAS", "U", "last", "macro"),
    ],
)
def test_a_size_constant_is_known_by_the_type_that_it_names(text: str, struct: str, member: str, form: str) -> None:
    api = read(END + STRUCTS + text)
    size = api.size_constants["SIZE"]
    assert (size.struct, size.last_member, size.form, size.offset_struct, size.offset_member) == (
        struct,
        member,
        form,
        "",
        "",
    )
    assert "SIZE" not in api.constants


def wrong(text: str) -> SizeConstant:
    return read(END + STRUCTS + text).size_constants["SIZE"]


def test_a_size_constant_of_two_structs_or_members_says_both() -> None:
    mixed = wrong("#define SIZE (offsetof(T, p) + sizeof(((U*)0)->last))")
    assert (mixed.struct, mixed.last_member, mixed.offset_struct, mixed.offset_member) == ("U", "last", "T", "p")
    other = wrong("#define SIZE (offsetof(T, in) + sizeof(((T*)0)->p))")
    assert (other.struct, other.last_member, other.offset_struct, other.offset_member) == ("T", "p", "T", "in")


@pytest.mark.parametrize(
    "body", ["8", "sizeof(int)", "offsetof(T, p)", "END(T, p) + 1", "2 * sizeof(T)", "sizeof(T) - 4"]
)
def test_other_numbers_are_no_size_constants(body: str) -> None:
    assert not read(END + STRUCTS + f"#define SIZE {body}").size_constants


@pytest.mark.parametrize(
    ("text", "version", "parts"),
    [
        ("#define X_MAJOR 1\n#define X_MINOR 2\n#define X_PATCH 3", Version(1, 2, 3), 3),
        ("#define X_MAJOR 1\n#define X_MINOR 2\n#define X_REVISION 3", Version(1, 2, 3), 3),
        ("#define X_API_MAJOR 0\n#define X_API_MINOR 3", Version(0, 3, 0), 2),
        ("#define X_VERSION_MAJOR 4\n#define X_VERSION_MINOR 5\n#define X_VERSION_PATCH 6", Version(4, 5, 6), 3),
        ("#define X_MAJOR_VERSION 1\n#define X_MINOR_VERSION 1\n#define X_ABI_VERSION 1", Version(1, 1, 0), 2),
        ("#define MAJOR 1\n#define MINOR 2", Version(1, 2, 0), 2),
        ("#define X_MAJOR 7", Version(7, 0, 0), 1),
        ("#define X_MAJOR (1)\n#define X_MINOR 0x2u", Version(1, 2, 0), 2),
        ("#define X_VERSION 010", Version(10, 0, 0), 1),
        ("#define X_VERSION 60", Version(60, 0, 0), 1),
        ("#define X_VERSION 123", Version(123, 0, 0), 1),
        ("#define X_VERSION 10203", Version(10203, 0, 0), 1),
        ("#define X_VERSION 1002003", Version(1002003, 0, 0), 1),
        ("#define X_VERSION 0x010203", Version(0x010203, 0, 0), 1),
        ("#define X_VERSION_NUMBER 0x0102", Version(0x0102, 0, 0), 1),
        ("#define X_API_VERSION 3", Version(3, 0, 0), 1),
        ("#define X_API_VERSION 23", Version(23, 0, 0), 1),
        ("#define X_HEADER_VERSION 239", Version(239, 0, 0), 1),
        ("#define X_ABI_VERSION 20240131", Version(20240131, 0, 0), 1),
        ("#define V(a, b) ((a) << 16 | (b))\n#define X_API_VERSION V(2, 5)", Version(2, 5, 0), 2),
        ("#define V(a, b, c) ((a) << 24 | (b) << 16 | (c))\n#define X_VERSION V(2, 5, 1)", Version(2, 5, 1), 3),
        ("#define X_VERSION ((1 << 22) | (3 << 12) | 7)", Version(1, 3, 7), 3),
        ("#define X_API_VERSION 4\n#define X_CALL_SINCE_VERSION 1\n#define X_MIN_VERSION 2", Version(4, 0, 0), 1),
        ("#define X_PART_VERSION 4\n#define X_VERSION 60", Version(60, 0, 0), 1),
        ("#define X_MAJOR_VERSION 3\n#define X_MINOR_VERSION 1\n#define X_HOTFIX_VERSION 2", Version(3, 1, 2), 3),
        ('#define X_VERSION_STRING "v1.2.3-rc1"', Version(1, 2, 3), 3),
        ("enum { X_MAJOR = 1, X_MINOR = 4 };", Version(1, 4, 0), 2),
        ('#define X_VERSION_MAJOR "5"\n#define X_VERSION_MINOR "4"\n#define X_VERSION_NUM 504', Version(5, 4, 0), 2),
        (
            "#define X_VERSION_MAJOR_N 5\n#define X_VERSION_MINOR_N 5\n#define X_VERSION_RELEASE_N 2",
            Version(5, 5, 2),
            3,
        ),
        ('#define X_VERSION 0x1e128b6f001423fcULL\n#define X_VERSION_STRING "2.1"', Version(2, 1, 0), 2),
        ("static const int X_MAJOR = 2;\nstatic const int X_MINOR = 1;", Version(2, 1, 0), 2),
        (
            "#define V(v, a, b, c) ((v) << 29 | (a) << 22 | (b) << 12 | (c))\n#define X_VERSION V(0, 1, 3, 250)",
            Version(1, 3, 250),
            3,
        ),
        ("#define __X__ 1\n#define __X_MINOR__ 7", Version(1, 7, 0), 2),
        ("#define X_KERNEL_VERSION 7\n#define X_KERNEL_MINOR_VERSION 45", Version(7, 45, 0), 2),
        ("#define X_MAJOR 1\n#define X_MINOR 2\n#define X_VERSION (X_MAJOR * 100 + X_MINOR)", Version(1, 2, 0), 2),
        ("/* 1000*major + 10*minor */\n#define X_VERSION 21000", Version(21, 0, 0), 2),
        ("/* MAJOR * 10000 + MINOR * 100 + PATCH */\n#define X_VERSION 21000", Version(2, 10, 0), 3),
        ("#define X_VERSION 0x00010002 /* major << 16 | minor */", Version(1, 2, 0), 2),
        ("#define X_VERSION 0x00010002 /* 0xMMMMmmmm */", Version(1, 2, 0), 2),
        ("#define X_VERSION 0x0210 // BCD: 0xMMmp", Version(2, 1, 0), 3),
        ("#define X_VERSION 102 // XYY: 1.02", Version(1, 2, 0), 2),
        ("#define X_VERSION 123 // raised by one for each change", Version(123, 0, 0), 1),
        ("#define X_VERSION 12010 // CUDA 12.1", Version(12, 1, 0), 2),
        ('#define X_VERSION 21000\n#define X_VERSION_STRING "2.10.0"', Version(2, 10, 0), 3),
        ("#define X_VERSION 12010", Version(12010, 0, 0), 1),
        ("#define X_VERSION ((1<<24) | (18<<16) | (6<<8) | 0)", Version(1, 18, 6), 3),
        ("#define X_VERSION ((1u << 16) + (2u << 8) + 3u)", Version(1, 2, 3), 3),
        ("#define X_VERSION 0x020002ff /* 2.0.2, last byte: release */", Version(2, 0, 2), 3),
        ("#define X_VERSION 0x00902000 /* 0.9.2 */", Version(0, 9, 2), 3),
        ("#define X_VERSION 0x00902000L /* MNNFFPPS */", Version(0, 9, 2), 3),
        ("/* Version 2.9. */\n#define X_VERSION 0x0209", Version(2, 9, 0), 2),
        ("#define X_A 4\n#define X_B 5\n#define X_VERSION (X_A << 8 | X_B)", Version(4, 5, 0), 2),
        ("#define V(b, a) ((b) | (a) << 8)\n#define X_VERSION V(5, 4)", Version(4, 5, 0), 2),
        ("#define M(a,b,c) ((a)*10000+(b)*100+(c))\n#define X_VERSION M(1, 2, 3)", Version(1, 2, 3), 3),
        (
            "#define X_VERSION 0x04050607\n#define X_VERSION_MAJOR(v) ((v) >> 24)\n"
            "#define X_VERSION_MINOR(v) (((v) >> 16) & 0xff)\n#define X_VERSION_PATCH(v) ((v) & 0xffff)",
            Version(4, 5, 0x607),
            3,
        ),
        (
            "#define X_VERSION 10203\n#define X_GET_MAJOR(v) ((v) / 10000)\n#define X_GET_MINOR(v) ((v) / 100 % 100)",
            Version(1, 2, 0),
            2,
        ),
        ("#define X_NOW 0x01000009\n#define X_VERSION X_NOW", Version(0x01000009, 0, 0), 1),
        ("#define X_VERSION ((unsigned)10203u)", Version(10203, 0, 0), 1),
        ("#define X_VERSION (1 * 10000 + 2 * 100 + 3)", Version(1, 2, 3), 3),
        ("enum { X_API_VERSION = 7 };", Version(7, 0, 0), 1),
        ("enum { X_ABI_VERSION = 0x0102 };", Version(0x0102, 0, 0), 1),
        ("static const unsigned X_API_VERSION = 12;", Version(12, 0, 0), 1),
        ("#define OTHER_MAJOR 9\n#define X_MAJOR 1\n#define X_MINOR 2\n#define X_PATCH 3", Version(1, 2, 3), 3),
    ],
)
def test_the_version_is_found_however_it_is_stated(text: str, version: Version, parts: int) -> None:
    declared = read(text).version
    assert declared is not None
    assert (declared.version, declared.parts) == (version, parts)


@pytest.mark.parametrize(
    ("name", "is_of_the_header"),
    [
        ("language.h", True),
        ("include/toy_language.h", True),
        ("api.h", False),
    ],
)
def test_the_version_of_a_language_is_that_of_a_header_which_is_named_after_it(
    name: str, *, is_of_the_header: bool
) -> None:
    api = read_set("#define TOY_LANGUAGE_VERSION 14\n", name=name).groups[0].api
    assert (api.version is not None) == is_of_the_header


def test_version_macros_are_no_constants_and_keep_their_places() -> None:
    api = read("#define X_MAJOR 1\n#define X_MINOR 2\n#define X_PATCH 3\n#define X_LEVELS 4\n")
    assert list(api.constants) == ["X_LEVELS"]
    assert api.version is not None
    assert [(name, str(span)) for name, span in api.version.macros] == [
        ("X_MAJOR", "api.h:1:9"),
        ("X_MINOR", "api.h:2:9"),
        ("X_PATCH", "api.h:3:9"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '#define X_DEFAULT_VERSION "1.0"',
        "#define X_FILE_FORMAT_VERSION 3",
        "#define X_METALAYER_VERSION 0",
        "#define X_COUNT 3",
        '#define X_VERSION "spring"',
        "#define X_MAJOR_KEY k",
        "int x;",
        "#define X_FIND_LAST_VERSION (1 << 1)",
        "enum { X_VERSION_SHIFT_MAJOR = 16, X_VERSION_SHIFT_MINOR = 8, X_VERSION_SHIFT_MICRO = 0 };",
        "#define X_FLAG_LATEST_VERSION 0x2",
        "#define X_ATTRIB_MAJOR_VERSION 0\n#define X_ATTRIB_MINOR_VERSION 1",
        "#define X_MAJOR_VERSION 0x821B\n#define X_MINOR_VERSION 0x821C",
        "#define _IOWR(a, t) ((a) | sizeof(t) << 16)\n#define X_IOCTL_VERSION _IOWR(3, int)",
        "#define _IO(a, b) ((a) << 8 | (b))\n#define X_IOCTL_VERSION _IO(18, 3)",
        "#define X_OPEN 1\n#define X_VERSION 2\n#define X_CLOSE 3",
        "enum { A };\n#define X_STAT 6\n#define X_AUX 7\n#define X_VERSION 8\n#define X_LEN 9",
        "#define X_ONE_SINCE_VERSION 1\n#define X_TWO_SINCE_VERSION 1",
        "#define X_ONE_VERSION 3\n#define X_TWO_VERSION 1",
        "#ifndef X_VERSION  // set by users\n#define X_VERSION 8\n#endif",
    ],
)
def test_a_header_without_a_version_has_none(text: str) -> None:
    assert read(text).version is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("enum { A, B, C };", [0, 1, 2]),
        ("enum { A = 5, B, C = 2, D };", [5, 6, 2, 3]),
        ("enum { A = -1, B };", [-1, 0]),
        ("enum { A = 1 << 4, B = A | 1, C = A + B };", [16, 17, 33]),
        ("enum { A = sizeof(void*), B, C = A * 2 };", [8, 9, 16]),
        ("enum { A = 0xffffffff, B = 0x7fffffff };", [0xFFFFFFFF, 0x7FFFFFFF]),
        ("enum { A = (char)300, B = (unsigned char)-1 };", [44, 255]),
        ("enum { A = 'ab' };", [24930]),
        ("enum { A = 10 / -3, B = 10 % -3, C = -10 / 3 };", [-3, 1, -3]),
        ("enum { A = 4294967296, B = -2147483648 };", [4294967296, -2147483648]),
    ],
)
def test_enumerators_have_the_values_that_compilers_give_them(text: str, values: list[int]) -> None:
    (enum,) = read(text).enums.values()
    assert [each.value for each in enum.enumerators or ()] == values


def test_only_explicit_values_have_an_expression() -> None:
    (enum,) = read("enum { A, B = 3, C };").enums.values()
    assert [each.expression is None for each in enum.enumerators or ()] == [True, False, True]


def test_the_underlying_type_of_an_enumeration_is_read_in_c23() -> None:
    api = read("enum E : unsigned char { A, B };\nenum F : short;", std="c2x")
    assert str(api.enums["E"].underlying) == "Basic(name='unsigned char')"
    assert api.enums["F"].enumerators is None


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("#ifdef __cplusplus\ntypedef enum : short {\n#else\ntypedef enum {\n#endif\n A } E;", "short"),
        ("#if defined(__cplusplus)\nenum E : unsigned {\n#else\nenum E {\n#endif\n A };", "unsigned int"),
        ("enum E\n#ifdef __cplusplus\n  : /* wide */ long long\n#endif\n{ A };", "long long"),
        ("struct S { enum\n#ifdef __cplusplus\n: int\n#endif\n{ A } e; };", "int"),
        ("#ifdef __cplusplus\nenum F : short {\n#else\nenum E {\n#endif\n A };", None),
        ("#ifdef __cplusplus\nenum F : short { B };\n#endif\nenum E { A };", None),
        ("enum E {\n#ifdef __cplusplus\n : short\n#endif\n A };", None),
        ("#ifdef __cplusplus\nenum E : Short {\n#else\nenum E {\n#endif\n A };", None),
    ],
)
def test_the_underlying_type_that_only_cpp_reads_is_known(text: str, type: str | None) -> None:
    (enum,) = read(text).enums.values()
    assert enum.cpp_underlying == (Basic(type) if type else None)
    assert enum.underlying is None


@pytest.mark.parametrize("body", ["= 3", "[[ [", "1 +", "__attribute__", "(" * 100_000, ")", "[[deprecated]] 1"])
def test_a_macro_whose_body_is_no_expression_has_no_value(body: str) -> None:
    assert read(f"#define A {body}\nint f(void);").constants["A"].expression is None
