"""Tests of the names of structs, unions and enumerations, and of their owners."""

from __future__ import annotations

import pathlib

import pytest

from abigen.headers.reader import read_headers
from abigen.model.ctype import Array, EnumType, NamedType, Pointer, RecordType
from abigen.model.entities import Callback, Handle, Typedef
from abigen.workspace.options import ReadOptions, SourceFile
from tests.headers.reader.reading import LINUX, read


@pytest.mark.parametrize(
    ("text", "key", "tag", "typedefs"),
    [
        ("struct S { int a; };", "S", "S", ()),
        ("typedef struct S { int a; } S;", "S", "S", ("S",)),
        ("typedef struct S_st { int a; } S, *P;", "S", "S_st", ("S",)),
        ("typedef struct { int a; } S, T;", "S", "", ("S", "T")),
        ("struct S_st { int a; }; typedef struct S_st S; typedef struct S_st T;", "S", "S_st", ("S", "T")),
        ("typedef struct S_st S; struct S_st { S *next; };", "S", "S_st", ("S",)),
        ("typedef struct S_st *P; struct S_st { int a; };", "S_st", "S_st", ()),
        ("typedef const struct S_st C; typedef struct S_st S; struct S_st { int a; };", "S", "S_st", ("S",)),
    ],
)
def test_a_struct_is_called_by_its_first_typedef_or_else_by_its_tag(
    text: str, key: str, tag: str, typedefs: tuple[str, ...]
) -> None:
    ((found, struct),) = read(text).structs.items()
    assert (found, struct.name, struct.tag, struct.typedef_names) == (key, key, tag, typedefs)
    assert not struct.anonymous


def test_a_nameless_struct_is_called_by_the_path_to_its_member() -> None:
    text = (
        "struct O { struct { int x; } a; union { int k; struct { int m; } n; }; struct { int z; } *p[2];"
        " enum { E } e; };"
    )
    api = read(text)
    assert list(api.structs) == ["O", "O.a", "O.<anonymous 1>", "O.<anonymous 1>.n", "O.p"]
    assert list(api.enums) == ["O.e"]
    assert all(each.anonymous for name, each in api.structs.items() if name != "O")


def test_nameless_types_of_other_declarations_are_called_after_them() -> None:
    api = read("typedef struct { int a; } *P; extern struct { int b; } v; enum { FIRST, SECOND };")
    assert list(api.structs) == ["P.<anonymous 1>", "v.<anonymous 1>"]
    assert list(api.enums) == ["<anonymous FIRST>"]


def test_a_tag_that_a_typedef_of_another_struct_has_taken_is_told_apart() -> None:
    api = read("struct A { int a; }; typedef struct B { int b; } A; struct A *f(A *x);")
    assert set(api.structs) == {"struct A", "A"}
    assert api.functions["f"].type.result == Pointer(RecordType("struct A"))


def test_every_key_that_a_type_uses_is_in_the_api() -> None:
    text = (
        "struct A; typedef struct B *B; enum E; struct C *f(struct A *a, B b, enum E *e); union U; extern union U *u;"
    )
    api = read(text)
    assert {"A", "B", "C", "U"} <= set(api.structs)
    assert all(each.fields is None for each in api.structs.values())
    assert api.enums["E"].enumerators is None


def test_typedefs_are_told_apart_by_what_they_name() -> None:
    api = read(
        "typedef struct S_st* S; typedef struct T T; typedef void (*cb)(int); typedef int fn(void);"
        " typedef struct { int a; } V;"
        " typedef V* W; typedef int I;"
    )
    kinds = {name: type(each) for name, each in api.typedefs.items()}
    assert kinds == {"S": Handle, "T": Handle, "cb": Callback, "fn": Callback, "V": Typedef, "W": Typedef, "I": Typedef}
    handle, opaque, callback, function = (api.typedefs[name] for name in ("S", "T", "cb", "fn"))
    assert isinstance(handle, Handle)
    assert isinstance(opaque, Handle)
    assert isinstance(callback, Callback)
    assert isinstance(function, Callback)
    assert (handle.tag, handle.by_pointer, opaque.by_pointer) == ("S_st", True, False)
    assert (callback.by_pointer, function.by_pointer) == (True, False)


def test_entities_keep_the_order_of_declaration() -> None:
    api = read("struct B { int b; }; struct A { struct B b; }; void z(void); void a(void); enum Y { P }; enum X { Q };")
    assert (list(api.structs), list(api.functions), list(api.enums)) == (["B", "A"], ["z", "a"], ["Y", "X"])


def test_what_an_include_brings_is_context(tmp_path: pathlib.Path) -> None:
    (tmp_path / "other.h").write_text("struct O { int a; }; struct F; typedef int I; int g(void);\n#define M 3\n")
    own = '#include "other.h"\nstruct S { struct O o; I i; }; struct F; struct G; void f(struct F *);\n'
    source = SourceFile("own.h", str(tmp_path / "own.h"), own)
    api = read_headers([source], ReadOptions(targets=LINUX)).groups[0].api
    assert {name: each.in_api for name, each in api.structs.items()} == {"O": False, "F": False, "S": True, "G": True}
    assert (api.typedefs["I"].in_api, api.functions["g"].in_api, api.functions["f"].in_api) == (False, False, True)
    assert api.constants["M"].in_api is False


def test_a_struct_that_context_declares_and_the_header_defines_is_the_headers(tmp_path: pathlib.Path) -> None:
    (tmp_path / "other.h").write_text("typedef struct S S;\n")
    source = SourceFile("own.h", str(tmp_path / "own.h"), '#include "other.h"\nstruct S { int a; };\n')
    api = read_headers([source], ReadOptions(targets=LINUX)).groups[0].api
    assert api.structs["S"].in_api
    assert not api.typedefs["S"].in_api


def test_several_headers_are_one_api() -> None:
    sources = [
        SourceFile("a.h", "a.h", "struct A { int a; };\n"),
        SourceFile("b.h", "b.h", "struct B { struct A a; };\n"),
    ]
    api = read_headers(sources, ReadOptions(targets=LINUX)).groups[0].api
    assert list(api.structs) == ["A", "B"]
    assert all(each.in_api for each in api.structs.values())
    assert api.files == ("a.h", "b.h")


def test_system_headers_only_leave_what_is_asked_for() -> None:
    api = read("#include <stdio.h>\n#include <time.h>\nvoid f(FILE *file, struct tm *when);")
    assert "FILE" in api.typedefs
    assert "tm" in api.structs
    assert "printf" not in api.functions
    assert not any(each.in_api for each in (*api.structs.values(), *api.typedefs.values()))


def test_types_refer_to_typedefs_as_they_are_written() -> None:
    api = read("typedef int I; typedef I J; struct S { J j[3]; const I *p; enum E { A } e; };")
    fields = {each.name: each.type for each in api.structs["S"].fields or ()}
    assert fields["j"] == Array(NamedType("J"), 3)
    assert fields["e"] == EnumType("E")


def test_places_are_those_of_the_names() -> None:
    text = (
        "typedef struct S {\n  int (*call)(int first,\n              int second);\n} S;\n"
        "enum E { A,\n  B };\nint f(void);\n#define M 1\n"
    )
    api = read(text)
    places = [
        api.structs["S"].span,
        *(each.span for each in api.structs["S"].fields or ()),
        *(each.span for each in api.enums["E"].enumerators or ()),
        api.functions["f"].span,
        api.constants["M"].span,
        api.typedefs["S"].span,
    ]
    assert [str(each) for each in places] == [
        "api.h:1:16",
        "api.h:2:9",
        "api.h:5:10",
        "api.h:6:3",
        "api.h:7:5",
        "api.h:8:9",
        "api.h:4:3",
    ]
