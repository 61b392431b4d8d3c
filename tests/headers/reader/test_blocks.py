"""Blocks of Apple's compilers are read as clang understands them."""

from __future__ import annotations

import subprocess

import pytest

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import spell
from abigen.model.target import find_target
from tests.headers.reader.proof import proof
from tests.headers.reader.reading import read, read_set
from tests.tools import require

_BLOCKS = """\
typedef void (^done_t)(void);
typedef int compare_t(const void *, const void *);
typedef int (^compare_block_t)(const void *, const void *);
struct job {
    char c;
    done_t done;
    void (^ _Nonnull named)(int x);
    compare_t ^of_a_typedef;
    int (^many[3])(void);
    int (*(^result_is_a_function)(int))(long);
    int (^const constant)(void);
    void (^*behind_a_pointer)(void);
    void (__attribute__((noescape)) ^with_an_attribute)(void);
    void (*function)(int);
};
void each(int (^ _Nullable body)(int index, void (^stop)(void)), unsigned long count);
void abstract(int (^)(const void *), compare_t ^ _Nonnull);
done_t get(void);
int (^returned(int a))(long);
int (^(^nested)(int))(void);
enum { XOR = (1 ^ 3), OF_SIZES = sizeof(int) ^ 2, OF_CASTS = (int)1 ^ (unsigned)2 };
"""
_MACS = ("x86_64-apple-darwin", "aarch64-apple-darwin")


@pytest.mark.parametrize("target", _MACS)
def test_blocks_are_read_as_clang_understands_them(target: str) -> None:
    (clang,) = require("clang")
    api = read(_BLOCKS, targets=(target,))
    offsets = "".join(
        f'_Static_assert(__builtin_offsetof(struct job, {each.name}) == {each.offset}, "");\n'
        for each in Layouts(api, find_target(target)).of("job").fields
    )
    command = [clang, f"--target={target}", "-fblocks", "-fsyntax-only", "-w", "-x", "c", "-"]
    text = f"{_BLOCKS}\n{proof(api)}\n{offsets}"
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert result.stderr == ""


def test_a_block_is_shown_as_c_writes_it() -> None:
    fields = {each.name: each for each in read(_BLOCKS).structs["job"].fields or ()}
    shown = [spell(fields[name].type, name) for name in ("named", "many", "constant", "behind_a_pointer", "function")]
    assert shown == [
        "void (^named)(int x)",
        "int (^many[3])(void)",
        "int (^const constant)(void)",
        "void (^*behind_a_pointer)(void)",
        "void (*function)(int)",
    ]


@pytest.mark.parametrize("declaration", ["int (^b);", "typedef int number; number ^b;", "struct s { char (^b)[3]; };"])
def test_a_block_of_what_is_no_function_is_refused(declaration: str) -> None:
    with pytest.raises(AbigenError, match="a block is for functions"):
        read(declaration)


def test_a_redeclaration_with_a_function_pointer_for_a_block_is_refused() -> None:
    with pytest.raises(AbigenError, match="'f'"):
        read("void f(void (^b)(void)); void f(void (*b)(void));")


def test_headers_with_blocks_have_no_change_to_themselves() -> None:
    assert compare(read_set(_BLOCKS), read_set(_BLOCKS), find_policy("default")).findings == ()


def test_nobody_calls_a_block_as_a_function_pointer() -> None:
    api = read(_BLOCKS)
    fields = {each.name: each.type for each in api.structs["job"].fields or ()}
    assert api.callback(fields["function"]) is not None
    for name in ("done", "named", "of_a_typedef"):
        assert api.callback(fields[name]) is None
        assert api.function_behind(fields[name]) is not None
