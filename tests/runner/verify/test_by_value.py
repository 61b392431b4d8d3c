"""Structs that are passed by value to functions of plugins, compared with a compiler."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from abigen.model.layout import Layouts
from abigen.runner.verify.repro import prototype
from abigen.runner.verify.scenario import this_target
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.tools import require

STRUCTS = {
    "an array": "struct { char letters[3]; float numbers[2]; }",
    "bit-fields": "struct { unsigned a : 3, b : 7; double c; }",
    "a union of a float and an integer": "union { float f; int i; }",
    "a union of two floating types": "union { float f; double d; }",
    "a union in a struct": "struct { union { double d; long n; } value; int kind; }",
    "bit-fields behind floats": "struct { float x, y; int a : 4, b : 20; }",
    "more than two registers": "struct { double a[4]; union { int i; float f; } u; }",
    "a struct in a struct": "struct { struct { float x, y; } from, to; }",
}


@pytest.mark.parametrize("name", STRUCTS)
def test_a_struct_arrives_and_returns_with_the_same_bytes(name: str, tmp_path: Path) -> None:
    (compiler,) = require("cc")
    header = tmp_path / "s.h"
    header.write_text(f"typedef {STRUCTS[name]} S;\ndouble take(int first, S s, double last, void* out);\n"
                      "S give(const void* in);\n")  # fmt: skip
    source = tmp_path / "s.c"
    source.write_text(
        '#include <string.h>\n#include "s.h"\n'
        "double take(int first, S s, double last, void* out) { memcpy(out, &s, sizeof s); return first + last; }\n"
        "S give(const void* in) { S s; memcpy(&s, in, sizeof s); return s; }\n"
    )
    library = tmp_path / "s.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", str(source), "-o", str(library)], check=True)
    target = this_target()
    api = load(str(header), ReadOptions(targets=(target.name,))).groups[0].api
    layouts, loaded = Layouts(api, target), ctypes.CDLL(str(library))
    take = prototype(api.functions["take"].type, layouts)(ctypes.cast(loaded.take, ctypes.c_void_p).value or 0)
    give = prototype(api.functions["give"].type, layouts)(ctypes.cast(loaded.give, ctypes.c_void_p).value or 0)
    size = layouts.of("S").size
    zeros, ones = (give(bytes([byte]) * size) for byte in (0, 0x3F))
    for given in (zeros, ones):
        arrived = ctypes.create_string_buffer(size)
        assert take(1, given, 0.5, ctypes.addressof(arrived)) == 1.5
        returned = give(arrived)
        assert bytes(returned) == bytes(give(bytes(given)))
        seen = [at for at in range(size) if bytes(ones)[at] != bytes(zeros)[at]]
        assert [arrived.raw[at] for at in seen] == [bytes(given)[at] for at in seen]
        assert len(seen) >= layouts.of("S").unpadded_size - 7
