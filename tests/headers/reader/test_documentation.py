"""Comments go to the entity that they document, as plain text."""

from __future__ import annotations

import pytest

from abigen.model.ctype import FunctionType, Pointer
from abigen.model.entities import Field
from tests.headers.reader.reading import read

STRUCT = """\
struct T {
  size_t struct_size;
  void* ext;      // reserved
                  // for later

  /*** ALLOCATION ***/
  // Allocates.
  // On two lines.
  int (*allocate)(int size,     // how many bytes
                  void* where,  /* where to */
                  int last);    // the last

  int a; int b;  // only b
  /* before c */ int c;
  int d;
  // before e
  int e;  ///< behind e

  // belongs to nothing

  int f;
  /* ---- Events ---- */
  int g, h;  /**< both */
  int i  // behind i
  ;
  //------------------------------
  // Timers and such
  //------------------------------
  struct { int x; /* of x */ } j;  // of j
} T;  // the end of T
"""


def fields(text: str) -> dict[str, Field]:
    (struct,) = (each for each in read("#include <stddef.h>\n" + text).structs.values() if each.tag == "T")
    assert struct.fields is not None
    return {each.name: each for each in struct.fields}


@pytest.mark.parametrize(
    ("name", "doc"),
    [
        ("struct_size", ""),
        ("ext", "reserved\nfor later"),
        ("allocate", "Allocates.\nOn two lines."),
        ("a", ""),
        ("b", "only b"),
        ("c", "before c"),
        ("d", ""),
        ("e", "before e\n\nbehind e"),
        ("f", ""),
        ("g", "both"),
        ("h", "both"),
        ("i", "behind i"),
        ("j", "of j"),
    ],
)
def test_a_comment_documents_the_member_that_it_stands_at(name: str, doc: str) -> None:
    assert fields(STRUCT)[name].doc == doc


def test_a_comment_on_the_line_of_a_nested_struct_documents_the_member_that_it_stands_behind() -> None:
    nested = read("#include <stddef.h>\n" + STRUCT).structs["T.j"]
    assert nested.fields is not None
    assert nested.fields[0].doc == "of x"


@pytest.mark.parametrize(
    ("name", "group"),
    [("ext", ""), ("allocate", "ALLOCATION"), ("f", "ALLOCATION"), ("g", "Events"), ("j", "Timers and such")],
)
def test_a_heading_groups_the_members_behind_it_and_documents_none(name: str, group: str) -> None:
    assert fields(STRUCT)[name].group == group


def test_a_heading_does_not_reach_into_the_next_struct() -> None:
    text = "struct A {\n  /*** ONE ***/\n  int a;\n};\nstruct B {\n  int b;\n};\n"
    struct = read(text).structs["B"]
    assert struct.fields is not None
    assert struct.fields[0].group == ""


@pytest.mark.parametrize(
    "heading",
    [
        "/*** Streams ***/",
        "/* ==== Streams ==== */",
        "// --- Streams ---",
        "//// Streams ////",
        "// ---- Streams",
        "/** @name Streams */",
        "/// \\name Streams",
        "//======================\n// Streams\n//======================",
        "/**********************\n * Streams\n **********************/",
    ],
)
def test_headings_are_known_in_all_their_forms(heading: str) -> None:
    member = fields(f"struct T {{\n{heading}\nint a;\n}};")["a"]
    assert (member.group, member.doc) == ("Streams", "")


@pytest.mark.parametrize(
    "comment", ["/** Streams. */", "/* Streams. */", "// Streams.", "/*! Streams. */", "/// Streams."]
)
def test_a_comment_without_decoration_is_no_heading(comment: str) -> None:
    member = fields(f"struct T {{\n{comment}\nint a;\n}};")["a"]
    assert (member.group, member.doc) == ("", "Streams.")


def test_parameters_on_lines_of_their_own_have_their_comments() -> None:
    type = fields(STRUCT)["allocate"].type
    assert isinstance(type, Pointer)
    assert isinstance(type.target, FunctionType)
    assert [each.doc for each in type.target.parameters] == ["how many bytes", "where to", "the last"]


@pytest.mark.parametrize(
    "comment",
    [
        "// Makes it.\n// Twice.",
        "/* Makes it.\n   Twice. */",
        "/*\n * Makes it.\n * Twice.\n */",
        "/** Makes it.\n *  Twice.\n */",
        "/*!\n * \\brief Makes it.\n * Twice.\n */",
        "/// @brief Makes it.\n/// Twice.",
        "/**\n** Makes it.\n** Twice.\n**/",
        "//! Makes it.\n//! Twice.",
        "/* ------------\n   Makes it.\n   Twice.\n   ------------ */",
    ],
)
def test_markers_and_decoration_are_no_text(comment: str) -> None:
    assert read(f"int x;\n\n{comment}\nint f(void);").functions["f"].doc == "Makes it.\nTwice."


def test_paragraphs_and_indentation_stay() -> None:
    doc = read("int x;\n\n// One.\n//\n//   * item\n//     more\n//\n//\n// Two.\nint f(void);").functions["f"].doc
    assert doc == "One.\n\n  * item\n    more\n\nTwo."


def test_the_comment_behind_a_one_line_function_documents_it() -> None:
    assert read("int f(int a);  // of f").functions["f"].doc == "of f"


def test_the_comment_before_attributes_and_macros_documents_the_function() -> None:
    text = '#define API __attribute__((visibility("default")))\nint x;\n/* of f */\nAPI\nint f(int a);'
    assert read(text).functions["f"].doc == "of f"


def test_a_comment_before_a_blank_line_documents_nothing() -> None:
    assert read("int x;\n// of nobody\n\nint f(int a);").functions["f"].doc == ""


def test_enumerators_are_documented_before_and_behind() -> None:
    text = (
        "enum E {\n  A,  // of A\n  // of B\n  B = 3,  /* more */\n  C  // of C\n};\n"
        "enum F { D /* of D */, G /* of G */ };"
    )
    api = read(text)
    assert [each.doc for each in api.enums["E"].enumerators or ()] == ["of A", "of B\n\nmore", "of C"]
    assert [each.doc for each in api.enums["F"].enumerators or ()] == ["of D", "of G"]


def test_macros_are_documented_too() -> None:
    api = read(
        "int x;\n// How many.\n#define COUNT 3\n#define OTHER 4  // Not many.\n"
        "/* Doubles. */\n#define TWICE(x) (2 * (x))"
    )
    assert api.constants["COUNT"].doc == "How many."
    assert api.constants["OTHER"].doc == "Not many."
    assert api.macros["TWICE"].doc == "Doubles."


def test_the_licence_is_neither_the_apis_nor_the_first_entitys_documentation() -> None:
    api = read("// Copyright 2020 Somebody.\n// All rights reserved, see LICENSE.\nint f(void);")
    assert api.doc == ""
    assert api.functions["f"].doc == ""


def test_the_comment_at_the_top_says_what_the_api_is_for() -> None:
    text = (
        "/* Copyright 2020 Somebody */\n#ifndef A_H\n#define A_H\n/*! \\file\n * Streams and events.\n */\n"
        "#include <stddef.h>\n// of f\nint f(void);\n#endif"
    )
    assert read(text).doc == "Streams and events."


def test_the_comment_of_the_first_entity_is_not_that_of_the_api() -> None:
    api = read("#ifndef A_H\n#define A_H\n// of f\nint f(void);\n#endif")
    assert (api.doc, api.functions["f"].doc) == ("", "of f")


def test_wrapping_in_crlf_changes_no_text() -> None:
    text = "int x;\n\n// One.\n// Two.\nint f(void);\n"
    assert read(text.replace("\n", "\r\n")).functions["f"].doc == read(text).functions["f"].doc


def test_documentation_stands_at_every_declaration_of_a_list() -> None:
    text = "struct S {\n  int a, b;  // a pair\n};"
    struct = read(text).structs["S"]
    assert [each.doc for each in struct.fields or ()] == ["a pair", "a pair"]


@pytest.mark.parametrize("indent", ["\t\t\t\t", "      ", "\t    "])
def test_a_deeper_comment_below_one_behind_a_member_continues_that(indent: str) -> None:
    members = f"\tint a;\t// One,\n{indent}// and more of it.\n\tint b;\n\tint c;  // Three.\n\t// Four.\n\tint d;\n"
    text = f"struct S {{\n{members}}};\n"
    docs = [field.doc for field in read(text).structs["S"].fields or ()]
    assert docs == ["One,\nand more of it.", "", "Three.", "Four."]
