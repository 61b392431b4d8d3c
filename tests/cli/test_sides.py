"""Two trees are each read from themselves, whatever the include path says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program

Write = Callable[..., Path]

BEFORE = "typedef struct A { int x; int y; } A;\n"
AFTER = "typedef struct A { int y; int x; } A;\n"
HINT = re.compile(r"hint: add (--(?:old|new)-include) (\S+)\n")


@pytest.fixture
def trees(write: Write) -> Callable[[str, str, str], list[str]]:
    """Writes a header and what it includes into `old` and `new`; gives the operands of a comparison."""

    def make(header: str, name: str, part: str) -> list[str]:
        for tree, text in (("old", BEFORE), ("new", AFTER)):
            write(f"{tree}/{header}", f"#include {name}\nstruct Holder {{ A held; }};\n")
            write(f"{tree}/{part}", text)
        write("far/lib/types.h", BEFORE)
        return [f"old/{header}", f"new/{header}"]

    return make


BELOW_ITSELF = ("lib/api.h", "<lib/types.h>", "lib/types.h")
ELSEWHERE = ("src/api.h", "<lib/types.h>", "include/lib/types.h")


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("tree", "includes"),
    [
        (BELOW_ITSELF, ()),
        (BELOW_ITSELF, ("-I", "old")),
        (BELOW_ITSELF, ("-I", "new")),
        (BELOW_ITSELF, ("-I", "far", "-I", "old", "-I", "new")),
        (("api.h", "<types.h>", "types.h"), ("-I", "old")),
        (("lib/deep/api.h", '"lib/types.h"', "lib/types.h"), ("-I", "old")),
        (("sub/api.h", "<types.h>", "types.h"), ()),
        (ELSEWHERE, ("-I", "old/include")),
        (ELSEWHERE, ("-I", "far", "-I", "new/include")),
        (ELSEWHERE, ("-I", "old/include", "-I", "new/include")),
        (ELSEWHERE, ("--old-include", "old/include", "--new-include", "new/include")),
    ],
)
def test_each_side_is_read_from_its_own_tree(
    tree: tuple[str, str, str], includes: tuple[str, ...], trees: Callable[[str, str, str], list[str]], abigen: Program
) -> None:
    result = abigen("diff", *trees(*tree), "--own", "types.h", *includes)
    assert (result.code, result.remarks) == (1, "")
    assert "field-reordered: A.y" in result.output


def test_directories_are_read_from_themselves(trees: Callable[[str, str, str], list[str]], abigen: Program) -> None:
    trees(*BELOW_ITSELF)
    assert "field-reordered: A.y" in abigen("diff", "old/lib", "new/lib", "-I", "old").output


def test_what_the_system_has_is_the_systems(write: Write, abigen: Program) -> None:
    for tree in ("old", "new"):
        write(f"{tree}/string.h", "#error not this one\n")
        write(f"{tree}/sub/api.h", "#include <string.h>\nsize_t f(void);\n")
    assert abigen("diff", "old/sub/api.h", "new/sub/api.h").code == 0


def test_hints_propose_what_works(trees: Callable[[str, str, str], list[str]], abigen: Program) -> None:
    operands = trees(*ELSEWHERE)
    refused = abigen("diff", *operands)
    assert refused.code == 2
    hints = [word for hint in HINT.findall(refused.remarks) for word in hint]
    assert hints == ["--old-include", "old/include", "--new-include", "new/include"]
    assert abigen("diff", *operands, *hints, "--own", "types.h").code == 1


def test_what_belongs_to_the_other_side_is_refused_unless_it_is_named(
    trees: Callable[[str, str, str], list[str]], write: Write, abigen: Program
) -> None:
    operands = trees(*BELOW_ITSELF)
    write("new/lib/types.h", "").unlink()
    refused = abigen("diff", *operands, "-I", "old")
    assert (refused.code, refused.output) == (2, "")
    assert refused.remarks.startswith("new/lib/api.h:1:10: error: NEW reads old/lib/types.h, which belongs to OLD\n")
    assert "--new-include old/lib" in refused.remarks
    assert abigen("diff", *operands, "-I", "old", "--new-include", "old/lib").code == 0
    write("new/lib/api.h", '#include "../../old/lib/types.h"\n')
    assert "NEW reads old/lib/types.h" in abigen("diff", *operands).remarks


def test_the_answer_follows_the_files_of_both_sides(
    trees: Callable[[str, str, str], list[str]], write: Write, abigen: Program
) -> None:
    operands = [*trees(*ELSEWHERE), "--own", "types.h", "-I", "old/include", "--summary"]
    assert abigen("diff", *operands).output.startswith("1 breaking change.")
    write("new/include/lib/types.h", BEFORE)
    assert abigen("diff", *operands).output.startswith("No change")
    write("new/lib/types.h", AFTER)  # found after the folders of -I, as compilers have it
    assert abigen("diff", *operands).output.startswith("No change")
    write("new/include/lib/types.h", AFTER)
    assert abigen("diff", *operands).output.startswith("1 breaking change.")


@pytest.mark.parametrize("quoted", ["<bits/t.h>", "<t.h>"])
def test_the_folder_of_the_header_comes_after_those_that_are_named(quoted: str, write: Write, abigen: Program) -> None:
    name = quoted.strip("<>")
    write(f"own/{name}", "typedef long long t_t;\n")
    write(f"arch/{name}", "typedef int t_t;\n")
    write("own/a.h", f"#include {quoted}\nstruct s {{ t_t a; }};\n")
    assert "size: 4," in abigen("layout", "own/a.h", "-I", "arch", "-I", "own").output
    assert "size: 8," in abigen("layout", "own/a.h", "-I", "own", "-I", "arch").output


def test_a_directory_to_include_from_has_to_exist(write: Write, abigen: Program, git: Callable[..., str]) -> None:
    write("include/api.h", "int f(void);\n")
    write("gone/base.h", "")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    for option in ("-I", "--old-include", "--new-include"):
        refused = abigen("diff", "include/api.h", "include/api.h", option, "includ")
        assert (refused.code, refused.output) == (2, "")
        assert "there is no directory includ to include from\n  hint: did you mean `include`?" in refused.remarks
    for command in ("lint", "layout"):
        assert abigen(command, "include/api.h", "-I", "include/api.h").code == 2
    write("gone/base.h", "").parent.rename(write("marker", "").parent / "went")
    assert abigen("diff", "include/api.h", "include/api.h", "-I", "gone").code == 2
    assert abigen("diff", "HEAD:include/api.h", "include/api.h", "-I", "gone").code == 0
