"""Sizes and both kinds of alignment of the types of the language and of standard headers, on all targets of clang."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from abigen.headers.reader import read_headers
from abigen.model.layout import Layouts
from abigen.model.target import find_target, target_names
from abigen.workspace.options import ReadOptions, SourceFile
from tests.model.layout.compilers import clang_triple
from tests.tools import require, require_compiler

_TYPES = (
    "_Bool",
    "char",
    "short",
    "int",
    "long",
    "unsigned long long",
    "float",
    "double",
    "double _Complex",
    "void*",
    "void (*)(void)",
    "size_t",
    "ptrdiff_t",
    "wchar_t",
    "int64_t",
    "uint64_t",
    "intptr_t",
    "intmax_t",
    "max_align_t",
    "enum wide",
    "struct pair",
    "double[3]",
    "two_longs",
    "three_longs",
)
_DECLARED = """\
#include <stddef.h>
#include <stdint.h>
enum wide { WIDE = 0x100000000 };
struct pair { char c; double d; };
typedef __attribute__((__ext_vector_type__(2))) long two_longs;
typedef unsigned long three_longs __attribute__((__ext_vector_type__(3)));
"""
_GCC_ONLY = {"i686-linux-gnu": ("max_align_t",), "i686-windows-gnu": ("max_align_t",)}
"""The types where abigen answers as GCC does, and clang's own header differs."""

_NOT_CLANG = ("sparc-linux-gnu", "s390-linux-gnu", "m68k-linux-gnu", "i386-apple-darwin", "avr-unknown-none")


@pytest.mark.first_case
@pytest.mark.parametrize("target", [each for each in target_names() if each not in _NOT_CLANG])
def test_types_are_as_large_and_as_aligned_as_clang_says(target: str, tmp_path: Path) -> None:
    (clang,) = require("clang")
    types = [each for each in _TYPES if each not in _GCC_ONLY.get(target, ())]
    probes = [f"struct P{number} {{ char c; __typeof__({each}) v; }};" for number, each in enumerate(types)]
    probes += [f"struct A{number} {{ char c[__alignof__({each})]; }};" for number, each in enumerate(types)]
    text = _DECLARED + "\n".join(probes) + "\n"
    options = ReadOptions(targets=(target,), cc="none", cache=False)
    api = read_headers([SourceFile("probe.h", str(tmp_path / "probe.h"), text)], options).for_target(target)
    layouts = Layouts(api, find_target(target))
    asserted = []
    for number, each in enumerate(types):
        member = layouts.of(f"P{number}").fields[1]
        asserted += [
            f'_Static_assert(sizeof({each}) == {member.size}, "size of {each}");',
            f'_Static_assert(offsetof(struct P{number}, v) == {member.offset}, "offset of {each}");',
            f'_Static_assert(__alignof__({each}) == {layouts.of(f"A{number}").size}, "alignment of {each}");',
        ]
    source = tmp_path / "probe.c"
    source.write_text(text + "\n".join(asserted) + "\n")
    command = [clang, f"--target={clang_triple(target)}", "-ffreestanding", "-nostdlibinc"]
    command += ["-std=gnu17", "-w", "-fsyntax-only"]
    run = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("x86_64-linux-gnu", ["gcc", "-m64"]),
        ("i686-linux-gnu", ["gcc", "-m32", "-msse2"]),
        ("aarch64-linux-gnu", ["clang", "--target=aarch64-linux-gnu"]),
    ],
)
def test_complex_numbers_of_16_bits_lie_as_compilers_put_them(target: str, command: list[str], tmp_path: Path) -> None:
    require_compiler(*command, "-fsyntax-only")
    text = "struct P { char c; _Float16 _Complex v; char d; _Complex _Float16 w[3]; };\n"
    options = ReadOptions(targets=(target,), cc="none", cache=False)
    api = read_headers([SourceFile("probe.h", str(tmp_path / "probe.h"), text)], options).for_target(target)
    layout = Layouts(api, find_target(target)).of("P")
    asserted = [f'_Static_assert(sizeof(struct P) == {layout.size}, "size");']
    asserted += [
        f'_Static_assert(__builtin_offsetof(struct P, {each.name}) == {each.offset}, "{each.name}");'
        for each in layout.fields
    ]
    source = tmp_path / "probe.c"
    source.write_text(text + "\n".join(asserted) + "\n")
    run = subprocess.run([*command, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
