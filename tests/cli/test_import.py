"""`abigen import`: a header becomes a spec, the spec a header, and the two are the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from abigen.model.contract import Party
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.cli.importing import HEADER, imported, names_of, spec_of
from tests.cli.program import Program
from tests.tools import require

Write = Callable[..., Path]


def test_a_header_built_from_the_spec_of_a_header_is_the_same(abigen: Program, write: Write) -> None:
    write("filter.h", HEADER)
    result = imported(abigen, "filter.h")
    assert (result.output, result.remarks, result.code) == ("wrote spec/filter.yaml\n", "", 0)
    assert abigen("build", "--target", "c").code == 0
    result = abigen("diff", "filter.h", "generated/c/filter.h", "--format", "json")
    assert [each["message"] for each in json.loads(result.output)["findings"] if each["bump"] != "none"] == [
        "the macro FL_OFFSET_OF_END was added"
    ]
    require("gcc")
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", "c"]
    subprocess.run(["gcc", *options, "generated/c/filter.h"], cwd=abigen.directory, check=True)


@pytest.mark.ci
def test_blocks_are_imported_and_built_as_they_are(abigen: Program, write: Write) -> None:
    header = """\
#ifndef BLK_H
#define BLK_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef void (^blk_done)(int code);
typedef struct blk_job {
  size_t struct_size;
  blk_done done;
  int (^ _Nonnull each)(int index);
  void (*plain)(int code);
} blk_job;
void blk_run(const blk_job *job, void (^stop)(void));
blk_done blk_get(void);
#ifdef __cplusplus
}
#endif
#endif
"""
    write("blk.h", header)
    result = imported(abigen, "blk.h")
    assert (result.remarks, result.code) == ("", 0)
    assert abigen("build").code == 0
    assert abigen("diff", "blk.h", "generated/c/blk.h").output.startswith("No change.")
    clang, clangpp = require("clang", "clang++")
    generated = abigen.directory / "generated"
    command = ["-fblocks", "-fsyntax-only", "-I", "c", "-I", "cpp"]
    subprocess.run([clang, *command, "-x", "c", "c/blk.h"], cwd=generated, check=True)
    subprocess.run([clangpp, *command, "-std=c++17", "-x", "c++", "cpp/blk.hpp"], cwd=generated, check=True)
    python = (generated / "python/plugin_api/blk/__init__.py").read_text()
    assert "    done = _rt.Member(_rt.POINTER)\n    each = _rt.Member(_rt.POINTER)\n" in python
    assert "def plain(self, code: int, /)" in python
    assert "cannot declare blk_run" in (generated / "rust/blk.rs").read_text()


def test_everything_stands_in_the_spec_in_the_order_of_the_header(abigen: Program, write: Write) -> None:
    write("filter.h", HEADER)
    imported(abigen, "filter.h")
    spec = spec_of(abigen)
    assert spec["doc"] == "What a filter is."
    assert spec["version"] == "1.4.2"
    assert spec["conventions"] == {"leading_fields": ["size_t struct_size", "void *ext"]}
    assert spec["order"] == [
        *("FL_LONGEST", "FL_TITLE", "FL_LARGER", "FL_Stream", "FL_Bank", "FL_Id", "FL_Done", "FL_Level", "FL_Value"),
        *("FL_Point", "FL_Filter", "FL_Host", "FL_Init"),
    ]
    structs = spec["structs"]
    assert isinstance(structs, list)
    fields = {each["name"]: each for each in structs[2]["fields"]}
    assert fields["name"]["required"] is True
    assert fields["loud"]["bits"] == 1
    assert (fields["process"]["since"], fields["process"]["zero"]) == ("1.2.0", "no-op")
    assert fields["level"]["deprecated"] == {"since": "1.4.0", "use": "process"}


def test_what_a_spec_cannot_express_is_listed_with_its_place(abigen: Program, write: Write) -> None:
    write(
        "odd.h",
        """\
#include <stddef.h>
enum { ODD_A = 1, ODD_B = 2 };
struct odd_open { int a; };
typedef struct Odd {
  int kind;
  union { int whole; float real; };
  struct { int x; } at[2];
  int : 3;
} Odd;
extern int odd_global;
static inline int odd_twice(int a) { return 2 * a; }
void odd_use(Odd* odd);
""",
    )
    result = imported(abigen, "odd.h")
    assert result.code == 1
    for line in (
        "odd.h:7:3: not in the spec as it is: struct in Odd.at: it gets a name, Odd_at",
        "odd.h:8:3: not in the spec as it is: bit-field in Odd: it has no name, so it is left out",
        "odd.h:10:12: not in the spec as it is: variable odd_global: a spec declares no variables",
        "odd.h:11:19: not in the spec as it is: function odd_twice: a spec has no inline functions",
    ):
        assert f"{line}\n" in result.output
    odd = next(each for each in spec_of(abigen, "odd")["structs"] if each["name"] == "Odd")  # type: ignore[attr-defined]
    values = [{"name": "ODD_A", "value": 1}, {"name": "ODD_B", "value": 2}]
    assert spec_of(abigen, "odd")["enums"] == [{"enumerators": values}]
    inner = [{"name": "whole", "type": "int"}, {"name": "real", "type": "float"}]
    assert odd["fields"][1] == {"kind": "union", "fields": inner}
    assert abigen("build", "--target", "c").code == 0


def test_headers_that_it_takes_types_and_macros_from_become_specs_that_it_uses(abigen: Program, write: Write) -> None:
    write("include/lib/base.h", "#pragma once\n#include <stdint.h>\ntypedef int32_t Base;\n#define BASE_MOST 4\n")
    write("include/lib/unused.h", "#pragma once\ntypedef int Unused;\n")
    write("include/lib/empty.h", "#pragma once\n")
    write(
        "include/lib/api.h",
        '#pragma once\n#include "lib/base.h"\n#include "lib/unused.h"\n#include "lib/empty.h"\n'
        "typedef struct Api { Base a[BASE_MOST]; } Api;\n",
    )
    result = imported(abigen, "include/lib/api.h", "-I", "include")
    assert result.output == "wrote spec/base.yaml\nwrote spec/unused.yaml\nwrote spec/api.yaml\n"
    spec = spec_of(abigen, "api")
    assert spec["uses"] == ["base", "unused"]
    assert spec["header"] == {"path": "lib/api.h"}
    assert abigen("build", "--target", "c").code == 0


def test_members_that_are_called_as_their_types_have_them_written_out(abigen: Program, write: Write) -> None:
    write("api.h", "typedef int Post(int what);\nstruct T { Post* Post; };\ntypedef struct T T;\n")
    result = imported(abigen, "api.h")
    assert result.code == 0, result.output
    assert abigen("build", "spec/api.yaml", "--target", "c", "--out", "made").code == 0
    command = [
        *require("g++"),
        "-Wpedantic",
        "-Werror",
        "-x",
        "c++",
        "-fsyntax-only",
        abigen.directory / "made/c/api.h",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert abigen("diff", "api.h", "spec/api.yaml").code == 0


def test_who_fills_a_struct_is_said_only_when_the_user_says_it(abigen: Program, write: Write) -> None:
    write("filter.h", HEADER)
    imported(abigen, "filter.h", "--filled-by", "FL_F=plugin", "--filled-by", "XX_=core")
    conventions = spec_of(abigen)["conventions"]
    assert isinstance(conventions, dict)
    assert conventions["filled_by"] == {"FL_F": "plugin"}


FILLED = """\
#include <stddef.h>
/* What a plugin offers. Filled by the plugin. */
typedef struct FI_Offer { size_t struct_size; int level; int (*ask)(int question); } FI_Offer;
/* Populated by the core. */
typedef struct FI_Offered {
  size_t struct_size;
  int level;
  int answer;  /* Set by the plugin. */
} FI_Offered;
/* Filled by both sides. */
typedef struct FI_Shared { size_t struct_size; int level; } FI_Shared;
typedef struct FI_Silent { size_t struct_size; int level; } FI_Silent;
void fi_begin(FI_Offer* offer, FI_Offered* offered, FI_Shared* shared, FI_Silent* silent);
"""


def test_who_fills_a_struct_is_in_the_spec_and_the_rebuilt_header_where_a_comment_says_it(
    abigen: Program, write: Write
) -> None:
    write("filled.h", FILLED)
    result = imported(abigen, "filled.h", "--filled-by", "FI_Sil=core")
    assert result.code == 0, result.output
    structs = spec_of(abigen, "filled")["structs"]
    assert isinstance(structs, list)
    said = {each["name"]: each.get("filled_by") for each in structs}
    assert said == {"FI_Offer": "plugin", "FI_Offered": "core", "FI_Shared": "both", "FI_Silent": None}
    assert abigen("build", "--target", "c").code == 0
    options = ReadOptions(targets=("x86_64-linux-gnu",), cache=False)
    operands = ("filled.h", "spec/filled.yaml", "generated/c/filled.h")
    header, spec, rebuilt = (
        load(str(abigen.directory / each), options).groups[0].api.structs.values() for each in operands
    )
    expected = {each.name: (each.filler, each.doc, [field.filler for field in each.fields or ()]) for each in header}
    assert expected["FI_Offered"][2] == [Party.CORE, Party.CORE, Party.PLUGIN]
    del expected["FI_Silent"]  # of which the user said it
    for read in (spec, rebuilt):
        found = {each.name: (each.filler, each.doc, [field.filler for field in each.fields or ()]) for each in read}
        assert {name: found[name] for name in expected} == expected
    assert {each.name: each.filler for each in spec}["FI_Silent"] == Party.CORE


def test_a_spec_says_of_one_struct_who_fills_it(abigen: Program, write: Write) -> None:
    write(
        "spec/toy.yaml",
        "abigen: 1\napi: toy\nconventions: {filled_by: {T_: core}}\nstructs:\n"
        "  - {name: T_A, filled_by: plugin, fields: [{name: x, type: int}]}\n"
        "  - {name: T_B, fields: [{name: x, type: int}]}\n",
    )
    assert abigen("build", "--target", "c").code == 0
    assert "// Filled by plugin.\n" in (abigen.directory / "generated/c/toy.h").read_text()
    read = load(str(abigen.directory / "spec/toy.yaml"), ReadOptions(targets=("x86_64-linux-gnu",), cache=False))
    fillers = [each.filler for each in read.groups[0].api.structs.values()]
    assert fillers == [Party.PLUGIN, Party.CORE]


def test_a_spec_that_exists_is_replaced_only_on_demand(abigen: Program, write: Write) -> None:
    write("filter.h", HEADER)
    write("spec/filter.yaml", "mine\n")
    result = imported(abigen, "filter.h")
    assert result.code == 2
    assert "spec/filter.yaml exists" in result.remarks
    assert (abigen.directory / "spec/filter.yaml").read_text() == "mine\n"
    assert imported(abigen, "filter.h", "--force").code == 0


def test_nothing_is_written_through_a_link_that_leads_out(abigen: Program, write: Write) -> None:
    write("filter.h", HEADER)
    elsewhere = abigen.directory.parent / "elsewhere"
    elsewhere.mkdir()
    (abigen.directory / "spec").symlink_to(elsewhere)
    result = imported(abigen, "filter.h")
    assert result.code == 2
    assert "points outside" in result.remarks
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.h",), "missing.h"),
        (("broken.h",), "broken.h:1:8"),
        (("api.yaml",), "is a spec already"),
        (("a.h", "b/a.h"), "two headers would become a.yaml"),
        (("a.h", "--release", "one=a.h"), "is not VERSION=HEADER"),
        (("a.h", "--release", "1.1=a.h", "--release", "1.0=a.h"), "1.0.0 does not come after 1.1.0"),
        (("a.h", "b/a.h", "--release", "1.1=a.h"), "--release and --since-tags go with one HEADER"),
        (("a.h", "b/a.h", "--name", "one"), "--name, --release and --since-tags go with one HEADER"),
        (("a.h", "--name", "a-b"), "--name: 'a-b' is not an identifier"),
        (("a.h", "--filled-by", "X_=me"), "is not PREFIX=core"),
        ((), "Missing argument"),
    ],
)
def test_what_cannot_be_imported_is_said_and_nothing_is_written(
    abigen: Program, write: Write, arguments: tuple[str, ...], message: str
) -> None:
    write("broken.h", "struct {\n")
    write("api.yaml", "abigen: 1\napi: api\nfunctions: [{name: f, type: void (void)}]\n")
    write("a.h", "int a(void);\n")
    write("b/a.h", "int a(void);\n")
    result = imported(abigen, *arguments)
    assert result.code == 2
    assert message in result.remarks
    assert not (abigen.directory / "spec").exists()


def test_names_that_specs_refuse_get_others_and_values_of_system_macros_are_numbers(
    abigen: Program, write: Write
) -> None:
    write(
        "wide.h",
        """\
#include <stdint.h>
#define WIDE_NONE (UINT32_MAX)
#define WIDE_FEW (WIDE_SOME + 1)
#define WIDE_SOME 3
typedef struct wide__private* Wide;
typedef struct WideItem { int32_t __padding; int32_t class; Wide owner; } WideItem;
void wide_use(const WideItem* item);
""",
    )
    result = imported(abigen, "wide.h")
    assert "member WideItem.class: it becomes class_" in result.output
    spec = spec_of(abigen, "wide")
    assert spec["header"] == {"path": "wide.h", "includes": ["<stdint.h>"], "reserved_names": True}
    assert spec["handles"] == [{"name": "Wide", "tag": "wide__private"}]
    assert spec["constants"] == [
        {"name": "WIDE_NONE", "value": "4294967295U"},
        {"name": "WIDE_FEW", "value": "(WIDE_SOME + 1)"},
        {"name": "WIDE_SOME", "value": 3},
    ]
    structs = spec["structs"]
    assert isinstance(structs, list)
    assert names_of(structs[0]["fields"]) == ["__padding", "class_", "owner"]
    assert abigen("build", "--target", "c").code == 0


REAL = {
    "tags inside of others": (
        "struct rl_out { int a; union { struct rl_in { int b; struct rl_deep { int c; } d[2]; } i; int w; } u; };\n"
        "struct rl_user { struct rl_in *p; enum rl_kind { RL_ONE, RL_TWO } kind; };\n",
        (),
    ),
    "a release that something is deprecated since": (
        "#define RL_OLD 4 /* Deprecated since 4.6.0. */\nvoid rl_run(void);\n",
        (),
    ),
    "tags that belong to the implementation": (
        "typedef struct _RL_Item { int32_t size; struct _RL_Item *__next; } RL_Item;\nvoid rl_use(RL_Item *__item);\n",
        (),
    ),
    "types of the C library": (
        "#include <stdio.h>\n#include <time.h>\n"
        "typedef struct RL_Log { FILE *to; time_t since; struct tm *at; } RL_Log;\nint rl_log(RL_Log *log);\n",
        (),
    ),
    "types of headers that each system has in its own way": (
        "#include <sys/socket.h>\n#include <sys/stat.h>\n"
        "int rl_peer(struct sockaddr *address, socklen_t *size);\nint rl_stat(const struct stat *found);\n",
        (),
    ),
    "releases that no version goes with": (
        "/** Since 1.2.0. */\ntypedef int (*rl_new)(int a);\nint rl_old(int a);\nint rl_take(rl_new *function);\n",
        (),
    ),
    "a replacement that there is not": (
        "/** Deprecated: use rl_nothing(). */\nint rl_old(int a);\nint rl_other(int a);\n",
        ("rl_nothing, to be used instead, does not exist",),
    ),
    "a pointer to a struct with a tag and another name in a system's header": (
        "#include <regex.h>\nint rl_find(const regex_t *pattern);\n",
        ("type regex_t", "struct regex_t"),
    ),
    "a function that is called as a tag": (
        "typedef struct rl_context *RL_Context;\nint rl_context(RL_Context of);\n",
        (),
    ),
    "a macro that is called as a function": (
        "int rl_make(int a);\n#define rl_make(a) rl_make(a + 0)\n",
        ("macro rl_make: a function has this name, and a spec has one entity of a name",),
    ),
    "a macro without parameters that is called as a function": (
        "int rl_make(int a);\n#define rl_make rl_table->make\n",
        ("macro rl_make: a function has this name, and a spec has one entity of a name",),
    ),
    "macros that are called as enumerators and types": (
        "enum rl_state { RL_GOOD,\n#define RL_GOOD RL_GOOD\nRL_BAD };\ntypedef int rl_id;\n#define rl_id rl_id\n"
        "enum rl_state rl_look(rl_id of);\n",
        ("macro RL_GOOD: an enumerator has this name", "macro rl_id: a type has this name"),
    ),
    "arguments with a name of their own": (
        "#define RL_SAY(text, args...) rl_say(text, ## args)\nint rl_say(int a);\n",
        (),
    ),
    "what is used before it is declared": (
        "typedef struct RL_Call { struct RL_Secret *secret; } RL_Call;\nvoid rl_keep(struct RL_Secret *secret);\n",
        (),
    ),
}


@pytest.mark.first_case
@pytest.mark.parametrize("case", REAL)
def test_what_real_headers_have_can_be_read_back_and_built(case: str, abigen: Program, write: Write) -> None:
    require("gcc")
    text, told = REAL[case]
    write("real.h", f"#include <stdint.h>\n{text}")
    result = imported(abigen, "real.h", "--abi", "x86_64-linux-gnu")
    assert "yaml, line" not in result.output and "not the same" not in result.output, result.output
    assert [each for each in told if each not in result.output] == []
    assert result.code == (1 if told else 0), result.output
    built = abigen("build", "--target", "c")
    assert built.code == 0, built.remarks
    made = abigen.directory / "generated/c/real.h"
    compiled = subprocess.run(
        ["gcc", "-fsyntax-only", "-Wall", "-Werror", "-x", "c", made], capture_output=True, text=True
    )
    assert compiled.stderr == ""


def test_a_header_that_is_called_as_one_of_the_systems_keeps_its_folder(abigen: Program, write: Write) -> None:
    write("sdk/toy/string.h", "#pragma once\ntypedef int toy_length;\n")
    imported(abigen, "sdk/toy/string.h", "-I", "sdk/toy", "-I", "sdk")
    assert spec_of(abigen, "string")["header"]["path"] == "toy/string.h"
    assert abigen("build", "--target", "c").code == 0


def test_included_headers_have_their_paths_below_the_folder_of_the_header_that_is_named(
    abigen: Program, write: Write
) -> None:
    write("include/top.h", '#include "sub/errno.h"\nint top_find(sub_Id id);\n')
    write("include/sub/errno.h", "typedef int sub_Id;\n")
    result = imported(abigen, "include/top.h")
    assert (result.output, result.code) == ("wrote spec/errno.yaml\nwrote spec/top.yaml\n", 0), result.remarks
    assert spec_of(abigen, "errno")["header"] == {"path": "sub/errno.h"}
    assert abigen("build", "--target", "c").code == 0
    assert '#include "sub/errno.h"' in (abigen.directory / "generated/c/top.h").read_text()


def test_a_header_that_cannot_be_read_alone_becomes_part_of_what_includes_it(abigen: Program, write: Write) -> None:
    write("part.h", "#ifndef WHOLE_KNOWN\n#error\n#endif\n#include <stdint.h>\ntypedef WH_Number PT_Size;\n")
    head = "#define WHOLE_KNOWN\ntypedef int WH_Number;\n"
    write("whole.h", f'{head}#include "part.h"\ntypedef struct WH_Box {{ PT_Size size; }} WH_Box;\n')
    result = imported(abigen, "whole.h")
    assert "header part.h: it has no spec of its own, so what it declares is in whole.yaml" in result.output
    assert "yaml, line" not in result.output and "not the same" not in result.output, result.output
    assert spec_of(abigen, "whole")["order"] == ["WHOLE_KNOWN", "WH_Number", "PT_Size", "WH_Box"]
    assert abigen("build", "--target", "c").code == 0


def test_a_union_that_nobody_declares_is_void_in_the_spec(abigen: Program, write: Write) -> None:
    write("call.h", "struct rl_call { union rl_data *data; };\n")
    result = imported(abigen, "call.h")
    told = "union rl_data: its members are not known; the spec has void in its place"
    assert result.code == 1
    assert result.output.startswith(f"wrote spec/call.yaml\nnot in the spec as it is: {told}\n")


def test_a_header_that_asks_for_the_guard_of_its_includer_becomes_a_spec_once(abigen: Program, write: Write) -> None:
    asked = '#if !defined(ON_H) && !defined(TW_H)\n#error "include one.h or two.h"\n#endif\n'
    write("common.h", f"#ifndef CO_H\n#define CO_H\n{asked}typedef int CO_Id;\n#endif\n")
    for name, guard in (("one", "ON_H"), ("two", "TW_H")):
        text = f'#ifndef {guard}\n#define {guard}\n#include "common.h"\nCO_Id {name}_run(void);\n#endif\n'
        write(f"{name}.h", text)
    result = imported(abigen, "one.h", "two.h")
    assert (result.code, result.output) == (0, "wrote spec/common.yaml\nwrote spec/one.yaml\nwrote spec/two.yaml\n")


def test_an_included_header_is_read_as_its_includer_has_configured_it(abigen: Program, write: Write) -> None:
    write(
        "types.h",
        "#pragma once\n#ifndef TY_API\n#error include api.h\n#endif\n#ifndef TY_VERSION\n#define TY_VERSION 1\n"
        '#endif\ntypedef int TY_Id;\n#if TY_VERSION >= TY_AT(6)\n#include "more.h"\ntypedef TY_More TY_New;\n#endif\n'
        "#ifdef TY_LATER\ntypedef long TY_Never;\n#endif\n",
    )
    write("more.h", "#pragma once\n#if TY_VERSION > 5\ntypedef long TY_More;\n#endif\n")
    write(
        "api.h",
        '#pragma once\n#define TY_API\n#define TY_AT(x) (x)\n#define TY_VERSION 6\n#include "types.h"\n'
        "#define TY_LATER 1\n"
        "typedef struct TY_Box { TY_Id id; TY_New at; } TY_Box;\n",
    )
    result = imported(abigen, "api.h", "--abi", "x86_64-linux-gnu")
    assert (result.remarks, result.code) == ("", 1), result.output
    *lines, last = [line for line in result.output.splitlines() if "version macro TY_VERSION" not in line]
    assert lines == ["wrote spec/more.yaml", "wrote spec/types.yaml", "wrote spec/api.yaml"]
    assert "types.h:13:1: not in the spec as it is: text below #ifdef TY_LATER: no target reads it" in last
    assert spec_of(abigen, "api")["uses"] == ["types"]
    assert spec_of(abigen, "types")["typedefs"] == [
        {"name": "TY_Id", "type": "int"},
        {"name": "TY_New", "type": "TY_More"},
    ]
    assert spec_of(abigen, "more")["typedefs"] == [{"name": "TY_More", "type": "long"}]


def test_a_header_whose_struct_its_includer_completes_becomes_part_of_it(abigen: Program, write: Write) -> None:
    write("base.h", "#pragma once\ntypedef struct OP_Table OP_Table;\nint op_run(const OP_Table *table);\n")
    write("ext.h", '#pragma once\n#include "base.h"\nstruct OP_Table { int (*run)(const OP_Table *self); };\n')
    result = imported(abigen, "ext.h")
    told = "not in the spec as it is: header base.h: it has no spec of its own, so what it declares is in ext.yaml"
    assert (result.output, result.code) == (f"wrote spec/ext.yaml\n{told}\n", 1), result.remarks
    assert names_of(spec_of(abigen, "ext")["structs"]) == ["OP_Table"]
    assert abigen("build", "--target", "c").code == 0


def test_a_struct_that_the_included_header_of_an_included_one_declares_is_completed_in_one_spec(
    abigen: Program, write: Write
) -> None:
    write("work.h", "#pragma once\nstruct op_work { struct op_loop_s *loop; };\n")
    write("unix.h", '#pragma once\n#include "work.h"\ntypedef int op_file;\n')
    text = "typedef struct op_loop_s op_loop_t;\nstruct op_loop_s { op_file file; struct op_work first; };\n"
    write("loop.h", f'#pragma once\n#include "unix.h"\n{text}')
    result = imported(abigen, "loop.h")
    assert result.output.startswith("wrote spec/loop.yaml\n"), result.remarks
    assert names_of(spec_of(abigen, "loop")["structs"]) == ["op_work", "op_loop_t"]
    assert abigen("build", "--target", "c").code == 0


def test_what_a_macro_of_an_included_header_takes_from_the_system_is_known(abigen: Program, write: Write) -> None:
    members = "DIR *dir; struct termios saved;"
    write("plat.h", f"#pragma once\n#include <dirent.h>\n#include <termios.h>\n#define PL_MEMBERS {members}\n")
    write("api.h", '#pragma once\n#include "plat.h"\ntypedef struct PL_Dir { int file; PL_MEMBERS } PL_Dir;\n')
    result = imported(abigen, "api.h", "--abi", "x86_64-linux-gnu")
    assert (result.output, result.code) == ("wrote spec/plat.yaml\nwrote spec/api.yaml\n", 0), result.remarks
    (struct,) = cast(list[dict[str, list[dict[str, str]]]], spec_of(abigen, "api")["structs"])
    assert [each["type"] for each in struct["fields"]] == ["int", "DIR *", "struct termios"]


@pytest.mark.first_case
@pytest.mark.parametrize("arguments", [("--preinclude", "a.h"), ("--preinclude", "b.h"), ()])
@pytest.mark.parametrize("header", ["a.h", "b.h"])
def test_headers_that_include_each_other_become_one_spec(
    header: str, arguments: tuple[str, ...], abigen: Program, write: Write
) -> None:
    write("id.h", "#pragma once\ntypedef int EC_Id;\n")
    write("a.h", '#pragma once\n#include "b.h"\ntypedef struct EA { struct EB *b; int id; } EA;\n')
    write("b.h", '#pragma once\n#include "id.h"\n#include "a.h"\ntypedef struct EB { EC_Id id; struct EA *a; } EB;\n')
    result = imported(abigen, header, *arguments)
    name, other = ("a", "b.h") if header == "a.h" else ("b", "a.h")
    told = f"header {other}: it has no spec of its own, so what it declares is in {name}.yaml"
    wrote = f"wrote spec/id.yaml\nwrote spec/{name}.yaml\n"
    assert result.output == f"{wrote}not in the spec as it is: {told}\n"
    assert sorted(names_of(spec_of(abigen, name)["structs"])) == ["EA", "EB"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "#define PEER_INSIDE\n#include <inner.h>\ntypedef struct Peer { int at; } Peer;\n",
            "peer.yaml does not generate a C: ",
            id="what is built of it is not C",
        ),
    ],
)
def test_nothing_is_written_of_a_spec_that_cannot_be_built(
    text: str, message: str, abigen: Program, write: Write
) -> None:
    require("gcc")
    write("inner.h", "#ifndef PEER_INSIDE\n#error include peer.h\n#endif\n")
    write("peer.h", text)
    result = imported(abigen, "peer.h", "-I", ".", "--abi", "x86_64-linux-gnu")
    assert result.code == 2, result.output + result.remarks
    assert message in result.remarks
    assert "so nothing was written" in result.remarks
    assert "abigen-import-" not in result.remarks
    assert result.output == ""
    assert not (abigen.directory / "spec").exists()


def test_what_a_spec_cannot_keep_is_listed_and_the_rest_is_written(abigen: Program, write: Write) -> None:
    write("peer.h", "#include <regex.h>\ntypedef struct Peer { regex_t at; } Peer;\nint pr_use(Peer *peer);\n")
    result = imported(abigen, "peer.h", "--abi", "x86_64-linux-gnu")
    assert result.code == 1, result.output + result.remarks
    assert "struct Peer: the spec has it without its members; the member 'at' has a type" in result.output
    assert names_of(spec_of(abigen, "peer")["functions"]) == ["pr_use"]


KINDS = {
    "a feature is asked for inside of the question whether it is there": (
        "#ifdef __has_attribute\n#if __has_attribute(unused)\n#define PR_UNUSED __attribute__((unused))\n#endif\n"
        "#endif\n#ifndef PR_UNUSED\n#define PR_UNUSED\n#endif\nint pr_use(int a);\n"
    ),
    "a tag stands in a member before its typedef": (
        "struct pr_list { struct pr_node *first; };\ntypedef struct pr_node pr_node;\nint pr_use(struct pr_list *l);\n"
    ),
    "a struct has two typedefs, one of them its tag": (
        "typedef struct A { int x; } B;\ntypedef struct A A;\ntypedef enum E { E_X } F;\ntypedef enum E E;\n"
        "int pr_use(A *a, B *b, E e);\n"
    ),
    "a macro exports by way of others": (
        '#define PR_SEEN __attribute__ ((visibility ("default")))\n#define PR_CALL\n#define PR_API PR_SEEN PR_CALL\n'
        "PR_API int pr_use(int a);\n"
    ),
    "a condition asks for what the header defines below another one": (
        "#if defined(_WIN32) && !defined(PR_WIN)\n#define PR_WIN\n#endif\n#ifdef PR_WIN\n#ifdef PR_BUILDING\n"
        "#define PR_API __declspec(dllexport)\n#else\n#define PR_API __declspec(dllimport)\n#endif\n#else\n"
        '#define PR_API __attribute__((visibility("default")))\n#endif\nPR_API int pr_use(int a);\n'
    ),
}


@pytest.mark.first_case
@pytest.mark.parametrize("kind", KINDS)
def test_headers_of_a_kind_are_rebuilt_without_a_break(kind: str, abigen: Program, write: Write) -> None:
    require("gcc")
    write("peer.h", f"#ifndef PEER_H\n#define PEER_H\n{KINDS[kind]}#endif\n")
    result = imported(abigen, "peer.h")
    assert result.code < 2, result.remarks
    assert "exported" not in result.output
    assert abigen("build", "--target", "c").code == 0
    assert abigen("diff", "peer.h", "generated/c/peer.h").code == 0


def test_an_export_macro_of_two_headers_and_a_test_with_arguments_stay(abigen: Program, write: Write) -> None:
    require("gcc")
    api = '#define PR_API __attribute__((visibility("default")))\n'
    version = "#define PR_LEVEL 3\n#define PR_AT_LEAST(n) (PR_LEVEL >= (n))\n"
    write("base.h", f"#ifndef BASE_H\n#define BASE_H\n{api}{version}typedef int pr_id;\n#endif\n")
    asked = "#if PR_AT_LEAST(2)\n#define PR_MORE 1\n#else\n#define PR_MORE 0\n#endif\n"
    write(
        "peer.h",
        f'#ifndef PEER_H\n#define PEER_H\n#include "./base.h"\n{api}{asked}PR_API pr_id pr_use(void);\n#endif\n',
    )
    result = imported(abigen, "peer.h")
    assert (result.code, result.output) == (0, "wrote spec/base.yaml\nwrote spec/peer.yaml\n"), result.remarks


def test_a_header_beside_the_folder_has_a_path(abigen: Program, write: Write) -> None:
    require("gcc")
    write("util/x.h", "#ifndef X_H\n#define X_H\ntypedef int x_id;\n#endif\n")
    write("api/peer.h", '#ifndef PEER_H\n#define PEER_H\n#include "../util/x.h"\nx_id pr_use(void);\n#endif\n')
    result = imported(abigen, "api/peer.h")
    assert (result.code, result.output) == (0, "wrote spec/x.yaml\nwrote spec/peer.yaml\n"), result.remarks


def test_numbers_stay_as_written_and_comments_in_macros_deprecate_nothing(abigen: Program, write: Write) -> None:
    require("gcc")
    write(
        "peer.h",
        "#define PR_VERSION 0x0209 /* 2.9 */\n#define PR_ALL (1 /* deprecated */ | 2)\n"
        "#define PR_DEPRECATED __attribute__((deprecated)) /* is deprecated */\n"
        "#define PR_OLD 4 /* deprecated */\nenum { PR_A = 0x20, PR_B = 'x' };\nint pr_use(void);\n",
    )
    assert imported(abigen, "peer.h").code == 0
    document = spec_of(abigen, "peer")
    constants = {each["name"]: each for each in document["constants"]}
    assert constants["PR_VERSION"]["value"] == "0x0209"
    assert document["enums"][0]["enumerators"][0]["value"] == "0x20"
    assert [name for name, each in constants.items() if "deprecated" in each] == ["PR_OLD"]


def test_macros_that_system_headers_ask_for_stand_before_the_includes(abigen: Program, write: Write) -> None:
    require("gcc")
    write("peer.h", "#define _GNU_SOURCE 1\n#include <netdb.h>\nint pr_use(struct addrinfo *a);\n")
    assert imported(abigen, "peer.h", "--abi", "x86_64-linux-gnu").code == 0
    assert abigen("build", "--target", "c").code == 0
    text = (abigen.directory / "generated/c/peer.h").read_text()
    assert text.index("_GNU_SOURCE") < text.index("<netdb.h>")
