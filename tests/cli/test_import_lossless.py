"""Tests of `abigen import` with constructs of plugin APIs: each is kept, or named as a loss."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.importing import imported, spec_of
from tests.cli.program import Program
from tests.tools import require

Write = Callable[..., Path]


def built(abigen: Program, name: str) -> str:
    """Build the specs, compile a header of them in C and C++, and return its text."""
    result = abigen("build", "--target", "c")
    assert result.code == 0, result.remarks
    path = abigen.directory / f"generated/c/{name}.h"
    for compiler, language in (("gcc", "c"), ("g++", "c++")):
        command = [*require(compiler), "-Wall", "-Werror", "-fsyntax-only", "-x", language, path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stderr == ""
    return path.read_text()


def test_typedefs_for_structs_of_the_system_stay(abigen: Program, write: Write) -> None:
    write(
        "api.h",
        "#include <dirent.h>\ntypedef struct dirent my_dirent;\nvoid use(my_dirent *one, struct dirent *two);\n",
    )
    result = imported(abigen, "api.h")
    assert (result.output, result.code) == ("wrote spec/api.yaml\n", 0)
    assert spec_of(abigen, "api")["typedefs"] == [{"name": "my_dirent", "type": "struct dirent"}]
    text = built(abigen, "api")
    assert "typedef struct dirent my_dirent;\n" in text
    assert "void use(my_dirent* one, struct dirent* two);\n" in text


def test_typedefs_for_types_of_other_headers_stay_whether_used_or_not(abigen: Program, write: Write) -> None:
    write(
        "base.h",
        "#pragma once\nenum kind { KIND_A, KIND_B = 5 };\nstruct base { int a; };\nunion both { int a; float b; };\n",
    )
    write(
        "api.h",
        """\
#include "base.h"
typedef enum kind my_kind;
typedef struct base my_base;
typedef union both my_both;
struct holder { my_kind kind; struct base base; union both *both; };
""",
    )
    result = imported(abigen, "api.h")
    assert (result.output, result.code) == ("wrote spec/base.yaml\nwrote spec/api.yaml\n", 0)
    text = built(abigen, "api")
    for line in ("enum kind my_kind", "struct base my_base", "union both my_both"):
        assert f"typedef {line};\n" in text
    assert "  my_kind kind;\n  struct base base;\n  union both* both;\n" in text


def test_a_typedef_that_is_called_as_the_struct_of_another_header_is_listed(abigen: Program, write: Write) -> None:
    write("base.h", "#pragma once\nstruct base { int a; };\n")
    write("api.h", '#include "base.h"\ntypedef struct base base;\nvoid use(base *one);\n')
    result = imported(abigen, "api.h")
    text = "typedef base: its type has this name in another header; the spec has its tag"
    assert f"api.h:2:21: not in the spec as it is: {text}\n" in result.output
    assert "void use(struct base* one);\n" in built(abigen, "api")


def test_types_that_enumerations_have_in_cpp_only_stay(abigen: Program, write: Write) -> None:
    write(
        "api.h",
        """\
#include <stdint.h>
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  DEVICE_CPU = 1,
  DEVICE_GPU = 2
} Device;
enum Mode
#ifdef __cplusplus
  : uint8_t
#endif
{ MODE_A, MODE_B };
""",
    )
    result = imported(abigen, "api.h")
    assert (result.output, result.code) == ("wrote spec/api.yaml\n", 0)
    assert [each["cpp_underlying"] for each in spec_of(abigen, "api")["enums"]] == ["int32_t", "uint8_t"]  # type: ignore[attr-defined]
    text = built(abigen, "api")
    assert "#ifdef __cplusplus\ntypedef enum : int32_t {\n#else\ntypedef enum {\n#endif\n" in text
    assert "#ifdef __cplusplus\nenum Mode : uint8_t {\n#else\nenum Mode {\n#endif\n" in text
    assert abigen("diff", "api.h", "generated/c/api.h", "--fail-on", "minor").code == 0


def test_functions_without_a_prototype_stay_so(abigen: Program, write: Write) -> None:
    lines = ["int any();", "int none(void);", "typedef int (*each)();", "each get();"]
    write(
        "api.h",
        "\n".join(
            [
                "#pragma once",
                "#ifdef __cplusplus",
                'extern "C" {',
                "#endif",
                *lines,
                "#ifdef __cplusplus",
                "}",
                "#endif",
                "",
            ]
        ),
    )
    result = imported(abigen, "api.h")
    assert (result.output, result.code) == ("wrote spec/api.yaml\n", 0)
    types = {each["name"]: each["type"] for each in spec_of(abigen, "api")["functions"]}  # type: ignore[attr-defined]
    assert types == {"any": "int ()", "none": "int (void)", "get": "each ()"}
    text = built(abigen, "api")
    assert all(f"{line}\n" in text for line in lines)
    caller = write("caller.c", '#include "generated/c/api.h"\nint call(void) { return any(1, "two"); }\n')
    command = [*require("gcc"), "-std=c17", "-Wall", "-Werror", "-fsyntax-only", caller]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""
    for target in ("python", "rust", "cpp"):
        assert abigen("build", "--target", target).code == 0


def test_guards_of_headers_without_specs_of_their_own_are_listed(abigen: Program, write: Write) -> None:
    names = ["one", "two", "three", "four", "five"]
    for each in names:
        write(
            f"{each}.h", f"#ifndef {each.upper()}_H\n#define {each.upper()}_H\nint {each}(struct first *a);\n#endif\n"
        )
    includes = "".join(f'#include "{each}.h"\n' for each in names)
    write("api.h", f"#ifndef API_H\n#define API_H\nstruct first {{ int a; }};\n{includes}#endif\n")
    result = imported(abigen, "api.h")
    why = "its header is part of the spec, which defines no other guard than its own"
    guards = ", ".join(f"{each.upper()}_H" for each in names)
    assert f"not in the spec as they are: 5 times include guard ({guards}): {why}\n" in result.output
    assert "API_H:" not in result.output


def test_macros_that_the_header_undefines_behind_a_spec_of_their_own_are_listed(abigen: Program, write: Write) -> None:
    write("codes.h", "#pragma once\n#define CODE(x) (-(x))\n#define CODE_LAST CODE(4095)\n")
    write(
        "api.h", '#pragma once\n#include "codes.h"\nenum Code { CODE_A = CODE(1), CODE_B = CODE_LAST };\n#undef CODE\n'
    )
    result = imported(abigen, "api.h")
    text = "not in the spec as it is: macro CODE: the header undefines it, and the specs leave it defined"
    assert f"codes.h:2:9: {text}\n" in result.output
    assert "macro CODE_LAST" not in result.output
    assert "#define CODE(x)" in built(abigen, "codes")


@pytest.mark.ci
def test_includes_of_headers_that_are_included_below_a_condition_are_listed(abigen: Program, write: Write) -> None:
    more = "#include <sys/types.h>\n#include <sys/stat.h>\n#include <fcntl.h>\n#include <time.h>\n#include <stdio.h>\n"
    write("unix.h", f"#ifndef UNIX_H\n#define UNIX_H\n{more}typedef struct first unix_file;\n#endif\n")
    write("more.h", "#ifndef MORE_H\n#define MORE_H\n#include <errno.h>\ntypedef struct first more_file;\n#endif\n")
    write(
        "api.h",
        """\
#ifndef API_H
#define API_H
#include <stdio.h>
struct first { int a; };
#ifndef _WIN32
#include "unix.h"
#endif
#include "more.h"
#endif
""",
    )
    result = imported(abigen, "api.h")
    text = "header unix.h: it is included below a condition; the spec has its declarations anyway"
    assert f"api.h:6:10: not in the spec as it is: {text}\n" in result.output
    assert "header more.h: it is included" not in result.output
    names = "<sys/types.h>, <sys/stat.h>, <fcntl.h>, <time.h>"
    text = f"4 times include ({names}): it depends on a condition; the spec has the result for this machine"
    assert f"unix.h:3:10: not in the spec as they are: {text}\n" in result.output
    assert spec_of(abigen, "api")["header"]["includes"] == [  # type: ignore[index]
        *("<stdio.h>", "<sys/types.h>", "<sys/stat.h>", "<fcntl.h>", "<time.h>", "<errno.h>")
    ]
    built(abigen, "api")


def test_types_that_cpp_knows_by_the_struct_around_them_are_listed(abigen: Program, write: Write) -> None:
    text = """\
struct other { int a; };
struct outer {
  struct inner { int b; } *first;
  struct other *second;
  union both { int c; float d; } third[2];
  enum kind { KIND_A } fourth;
  struct { int e; } fifth;
};
"""
    write("c.h", text)
    assert imported(abigen, "c.h").code == 0
    write("api.h", f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{text}#ifdef __cplusplus\n}}\n#endif\n')
    result = imported(abigen, "api.h")
    why = "the spec has it at the top"
    assert result.output.splitlines()[1:] == [
        f"api.h:{place}: not in the spec as it is: {kind} {name}: C++ calls it outer::{name}; {why}"
        for place, kind, name in (("6:10", "struct", "inner"), ("8:9", "union", "both"), ("9:8", "enum", "kind"))
    ]
    built(abigen, "api")


def test_a_header_that_is_included_by_a_roundabout_path_becomes_a_spec(abigen: Program, write: Write) -> None:
    write("sub/x.h", "#ifndef X_H\n#define X_H\ntypedef struct x_one { int a; } x_one;\n#endif\n")
    write("a.h", '#ifndef A_H\n#define A_H\n#include "sub/../sub/x.h"\nint a_take(const x_one *one);\n#endif\n')
    assert "not the same" not in imported(abigen, "a.h").output
    built(abigen, "a")


def test_tags_that_are_used_before_their_typedef_stay_across_headers(abigen: Program, write: Write) -> None:
    write(
        "list.h",
        "#ifndef LIST_H\n#define LIST_H\n"
        "typedef struct list { struct node *first; union value *last; } list;\n#endif\n",
    )
    write(
        "node.h",
        '#ifndef NODE_H\n#define NODE_H\n#include "list.h"\nstruct node { list *in; int number; };\n'
        "typedef struct node node_t;\ntypedef union value { int a; float b; } value_t;\n#endif\n",
    )
    assert "not the same" not in imported(abigen, "node.h").output
    built(abigen, "node")


def test_version_macros_of_an_included_header_are_not_removed(abigen: Program, write: Write) -> None:
    write("ver.h", "#ifndef VER_H\n#define VER_H\n#define VV_MAJOR 1\n#define VV_MINOR 2\n#define VV_PATCH 3\n#endif\n")
    write("vv.h", '#ifndef VV_H\n#define VV_H\n#include "ver.h"\nint vv_start(void);\n#endif\n')
    result = imported(abigen, "vv.h")
    assert "VV_M" not in result.output
    assert result.code == 0
    built(abigen, "vv")
