"""Headers that declare nothing themselves: they are judged with what they include, or refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from abigen.workspace.operand import fits
from tests.cli.program import Program

Write = Callable[..., Path]

GUARDED = """\
#ifndef API_H
#define API_H
#ifdef __cplusplus
extern "C" {
#endif
#include <stddef.h>
#include "api/types.h"
#ifdef __cplusplus
}
#endif
#endif
"""
BEFORE = "typedef struct A { int x; int y; } A;\n"
AFTER = "typedef struct A { int y; int x; } A;\n"


def _trees(write: Write, umbrella: str, part: str = "api/types.h") -> None:
    """An umbrella and what it includes, in `old` and in `new`, where a struct is another."""
    for tree, text in (("old", BEFORE), ("new", AFTER)):
        write(f"{tree}/{part}", text)
        write(f"{tree}/include/api.h" if part.startswith("core") else f"{tree}/api.h", umbrella)


@pytest.mark.first_case
@pytest.mark.parametrize(
    "umbrella",
    [
        GUARDED,
        '#include "api/types.h"\n_Static_assert(sizeof(int) == 4, "int");\n',
        '#pragma once\n#define API_VERSION_MAJOR 1\n#include "api/types.h"\n',
        '#define BEGIN\n#define END\nBEGIN\n#include "api/all.h"\nEND\n',
    ],
)
def test_a_break_below_an_umbrella_is_seen_and_its_files_are_named(
    umbrella: str, write: Write, abigen: Program
) -> None:
    for tree in ("old", "new"):
        write(f"{tree}/api/all.h", '#include "types.h"\n')
    _trees(write, umbrella)
    result = abigen("diff", "old/api.h", "new/api.h")
    assert result.code == 1
    assert "field-reordered: A.y" in result.output
    assert "old/api.h declares nothing itself, and is judged together with old/api/" in result.output
    assert "new/api/types.h" in result.output
    found = json.loads(abigen("diff", "old/api.h", "new/api.h", "--format", "json").output)
    assert found["new"]["files"][0] == "new/api.h"
    assert "new/api/types.h" in found["new"]["files"]


def test_what_an_umbrella_includes_for_one_target_is_read_for_that_one_only(write: Write, abigen: Program) -> None:
    text = '#include "all.h"\n#ifdef _WIN32\n#include "win.h"\n#endif\n'
    for tree in ("old", "new"):
        write(f"{tree}/api.h", text)
        write(f"{tree}/all.h", "int f(void);\n")
    write("old/win.h", f"#ifndef _WIN32\n#error no\n#endif\n{BEFORE}")
    write("new/win.h", f"#ifndef _WIN32\n#error no\n#endif\n{AFTER}")
    result = abigen("diff", "old/api.h", "new/api.h")
    assert (result.code, result.remarks) == (1, "")
    assert "field-reordered" in result.output
    assert "x86_64-windows-msvc" in result.output


def test_an_umbrella_over_other_folders_is_refused_until_own_names_them(write: Write, abigen: Program) -> None:
    _trees(write, '#include "../core/types.h"\n', "core/types.h")
    refused = abigen("diff", "old/include/api.h", "new/include/api.h")
    assert (refused.code, refused.output) == (2, "")
    assert "old/include/api.h declares nothing\n  hint: " in refused.remarks
    assert "--own" in refused.remarks
    for glob in ("core", "core/*.h", "types.h", "t*"):
        result = abigen("diff", "old/include/api.h", "new/include/api.h", "--own", glob)
        assert "field-reordered: A.y" in result.output
        assert "new/include/api.h is judged together with new/core/types.h\n" in result.output
    write("abigen.toml", 'own = ["core/*.h"]\n')
    assert abigen("diff", "old/include/api.h", "new/include/api.h").code == 1
    assert abigen("diff", "old/include/api.h", "new/include/api.h", "--own", "other").code == 2


def test_a_header_of_macros_over_other_folders_says_what_is_not_judged(write: Write, abigen: Program) -> None:
    _trees(write, '#define LEVEL 1\n#include "../core/types.h"\n', "core/types.h")
    result = abigen("diff", "old/include/api.h", "new/include/api.h")
    assert "new/include/api.h declares no types or functions; not judged: new/core/types.h; --own GLOB" in result.output


def test_a_header_with_declarations_of_its_own_is_judged_alone(write: Write, abigen: Program) -> None:
    _trees(write, '#include "api/types.h"\nint f(A*);\n')
    result = abigen("diff", "old/api.h", "new/api.h")
    assert result.code == 0
    assert "judged" not in result.output
    assert abigen("diff", "old/api.h", "new/api.h", "--own", "types.h").code == 1


def test_an_umbrella_at_a_revision_and_on_standard_input(
    write: Write, abigen: Program, git: Callable[..., str]
) -> None:
    write("include/api.h", GUARDED)
    write("include/api/types.h", BEFORE)
    git("add", ".")
    git("commit", "-q", "-m", "one")
    write("include/api/types.h", AFTER)
    result = abigen("diff", "--against", "HEAD", "include/api.h")
    assert "field-reordered: A.y" in result.output
    assert "HEAD:include/api.h declares nothing itself, and is judged together with HEAD:include/api/types.h" in (
        result.output
    )
    piped = abigen("lint", "-", "-I", "include", text=GUARDED)
    assert "- declares nothing itself, and is judged together with include/api/types.h" in piped.output


@pytest.mark.parametrize("text", ["", "// nothing\n", "#ifndef A_H\n#define A_H\n#endif\n"])
def test_what_declares_nothing_is_an_error(text: str, write: Write, abigen: Program) -> None:
    write("nothing.h", text)
    write("api.h", BEFORE)
    for arguments in (("diff", "nothing.h", "api.h"), ("diff", "api.h", "nothing.h"), ("layout", "nothing.h")):
        result = abigen(*arguments)
        assert (result.code, result.output) == (2, "")
        assert "nothing.h declares nothing\n  hint: name the files" in result.remarks


def test_the_empty_device_is_a_file_that_does_not_exist(write: Write, abigen: Program) -> None:
    write("api.h", BEFORE)
    assert abigen("diff", os.devnull, "api.h", "--summary").output.endswith(
        "A new MINOR version is advised. No version is stated.\n"
    )


@pytest.mark.parametrize(
    ("path", "glob", "expected"),
    [
        ("/x/core/types.h", "types.h", True),
        ("/x/core/types.h", "core/*.h", True),
        ("/x/core/types.h", "core/", True),
        ("/x/core/types.h", "./core/types.h", True),
        ("/x/core/types.h", "/x/core/*", True),
        ("/x/core/types.h", "/core/*", False),
        ("/x/score/types.h", "core/*.h", False),
        ("/x/core/my_types.h", "types.h", False),
    ],
)
def test_a_glob_means_a_name_the_end_of_a_path_or_a_folder(path: str, glob: str, expected: bool) -> None:
    assert fits(path, [glob]) is expected


@pytest.mark.ci
def test_a_wrapper_around_other_folders_is_read_and_says_what_it_includes(write: Write, abigen: Program) -> None:
    for tree in ("old", "new"):
        write(f"{tree}/lib/errno.h", "#ifndef LIB_ERRNO_H\n#define LIB_ERRNO_H\n#include <asm/errno.h>\n#endif\n")
        write(f"{tree}/lib/bare.h", "#include <asm/errno.h>\n")
        write(
            f"{tree}/lib/of_target.h",
            '#ifndef _WIN32\n#include <asm/errno.h>\n#else\n#include "asm/nested.h"\n#endif\n',
        )
        write(f"{tree}/asm/nested.h", "#include <asm/errno.h>\n")
        write(f"{tree}/asm/errno.h", BEFORE if tree == "old" else AFTER)
    for header, included in {
        "errno.h": "asm/errno.h",
        "bare.h": "asm/errno.h",
        "of_target.h": "asm/errno.h",
    }.items():
        both = (f"old/lib/{header}", f"new/lib/{header}", "-I", "old")
        result = abigen("diff", *both)
        assert (result.code, result.remarks) == (0, "")
        assert f"new/lib/{header} declares nothing of its own; includes {included}; --own GLOB" in result.output
        assert "field-reordered: A.y" in abigen("diff", *both, "--own", "asm").output
        refused = abigen("diff", *both, "--own", "other")
        assert (refused.code, refused.output) == (2, "")
    assert abigen("lint", "old/lib/errno.h", "-I", "old").code == 0
    assert abigen("layout", "old/lib/errno.h", "-I", "old").code == 0


def test_a_wrapper_of_a_wrapper_names_the_includes_of_both(write: Write, abigen: Program) -> None:
    write("lib/poll.h", "#include <asm/poll.h>\n")
    write("asm/poll.h", "#include <generic/poll.h>\n")
    write("generic/poll.h", BEFORE)
    result = abigen("diff", "lib/poll.h", "lib/poll.h", "-I", ".", "--own", "asm")
    assert result.code == 0
    assert "lib/poll.h declares nothing of its own; includes asm/poll.h, generic/poll.h; --own GLOB" in result.output


@pytest.mark.parametrize(
    "hidden", ["int f(void);", "#define LEVEL 1", "struct s { int a; };"], ids=["function", "macro", "struct"]
)
def test_a_header_whose_declarations_lack_a_definition_is_no_wrapper(
    hidden: str, write: Write, abigen: Program
) -> None:
    write("lib/api.h", f"#include <asm/api.h>\n#ifdef WITH_IT\n{hidden}\n#endif\n")
    write("asm/api.h", BEFORE)
    result = abigen("diff", "lib/api.h", "lib/api.h", "-I", ".")
    assert (result.code, result.output) == (2, "")
    assert "is -D missing?" in result.remarks


def test_a_header_that_became_a_wrapper_lost_its_functions(write: Write, abigen: Program) -> None:
    write("old/api.h", "int f(void);\n")
    write("new/api.h", "#include <asm/api.h>\n")
    write("asm/api.h", BEFORE)
    result = abigen("diff", "old/api.h", "new/api.h", "-I", ".")
    assert result.code == 1
    assert "function-removed" in result.output


def test_import_writes_no_spec_of_a_wrapper(write: Write, abigen: Program) -> None:
    write("lib/api.h", "#include <asm/api.h>\n")
    write("asm/api.h", BEFORE)
    result = abigen("import", "lib/api.h", "-I", ".")
    assert (result.code, result.output) == (2, "")
    assert "lib/api.h declares nothing\n  hint: name the files" in result.remarks
