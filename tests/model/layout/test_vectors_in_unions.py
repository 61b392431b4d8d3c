"""Structs and unions of eight bytes that hold vectors on i386, which GCC aligns by what it can keep them in."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest

from abigen.headers.reader import read_headers
from abigen.model.layout import Layouts
from abigen.model.target import find_target
from abigen.workspace.options import ReadOptions, SourceFile
from tests.model.layout.compilers import GCC_COMMANDS
from tests.tools import require_compiler

_TARGET = "i686-linux-gnu"
_VECTORS = """\
typedef int vec8 __attribute__((vector_size(8)));
typedef float floats __attribute__((vector_size(8)));
typedef long long vec1 __attribute__((vector_size(8)));
"""
_FIRST = ("vec8 a;", "floats a;", "vec1 a;", "vec8 a[1];", "vec8 a[0];", "_Atomic long long a;", "_Complex float a;")
_SECOND = (
    "",
    "char c;",
    "char c[3];",
    "char c[8];",
    "int c : 9;",
    "long long c;",
    "double c;",
    "struct { char d[3]; char e; } c;",
    "struct { int d, e; } c;",
    "struct { vec8 d; } c;",
    "union { vec8 d; char e[3]; } c;",
)
_AROUND = ("{}", "struct {{ {} b; }}", "union {{ {} b; }}", "union {{ {} b; char f[3]; }}")


@pytest.mark.ci
def test_gcc_and_abigen_place_what_holds_a_vector_alike(tmp_path: Path) -> None:
    command = GCC_COMMANDS[_TARGET]
    require_compiler(*command, "-fsyntax-only")
    kinds = ("struct", "union")
    bodies = [f"{kind} {{ {one} {two} }}" for kind, one, two in product(kinds, _FIRST, _SECOND)]
    types = [outer.format(body) for outer, body in product(_AROUND, bodies)]
    text = _VECTORS + "".join(f"struct W{number} {{ char c; {type} m; }};\n" for number, type in enumerate(types))
    options = ReadOptions(targets=(_TARGET,), cc="none", cache=False)
    api = read_headers([SourceFile("probe.h", "probe.h", text)], options).for_target(_TARGET)
    layouts = Layouts(api, find_target(_TARGET))
    for number, type in enumerate(types):
        layout, name = layouts.of(f"W{number}"), f"struct W{number}"
        told = f"sizeof({name}) == {layout.size} && __builtin_offsetof({name}, m) == {layout.fields[1].offset}"
        text += f'_Static_assert({told}, "{type}");\n'
    probe = tmp_path / "probe.c"
    probe.write_text(text)
    run = subprocess.run([*command, "-w", "-fsyntax-only", str(probe)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
