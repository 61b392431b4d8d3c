"""Structs that end with an array without a length are made as large as what they hold."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.generator.build.building import abigen
from tests.generator.python.building import run_python
from tests.tools import require

_SPEC = """\
abigen: 1
api: fl
prefix: FL
version: 1.0.0
header: {path: fl.h, includes: [<stddef.h>]}
structs:
  - {name: FL_List, versioned: false, fields: [{name: count, type: size_t}, {name: items, type: "int[]"}]}
functions:
  - {name: fl_sum, implemented_by: core, type: int (const FL_List* list)}
  - {name: fl_make, implemented_by: core, type: FL_List* (size_t count)}
"""
_CORE = """
#include <stdlib.h>
#include "fl.h"
int fl_sum(const FL_List* list) {
  int sum = 0;
  for (size_t at = 0; at < list->count; ++at) sum += list->items[at];
  return sum;
}
FL_List* fl_make(size_t count) {
  FL_List* made = calloc(1, sizeof(*made) + count * sizeof(int));
  made->count = count;
  made->items[count - 1] = 9;
  return made;
}
"""
_USER = """
from plugin_api import core, fl
many = fl.FL_List(count=300, items=range(300))
assert (len(many.items), many.items[299], sum(many.items)) == (300, 299, 44850)
many.items = [7, 8]
assert list(many.items)[:3] == [7, 8, 2]
try:
    many.items = [0] * 301
except ValueError as error:
    print(error)
assert list(fl.FL_List().items) == []
core.load("LIBRARY")
assert fl.fl_sum(many) == 44850 + 7 + 7
foreign = fl.fl_make(4)
assert (list(foreign.items), list(foreign.cdata.items[0:4])) == ([], [0, 0, 0, 9])
"""


def test_an_object_has_room_for_the_elements_that_it_is_made_with(tmp_path: Path) -> None:
    (compiler,) = require("gcc")
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/fl.yaml").write_text(_SPEC)
    run = abigen("build", "--no-cache", "--spec-dir", tmp_path / "spec", "--out", tmp_path / "out")
    assert run.code == 0, run.stderr
    (tmp_path / "core.c").write_text(_CORE)
    library = tmp_path / "core.so"
    command = [compiler, "-shared", "-fPIC", f"-I{tmp_path / 'out/c'}", str(tmp_path / "core.c"), "-o", str(library)]
    subprocess.run(command, check=True)
    ran = run_python(_USER.replace("LIBRARY", str(library)), tmp_path / "out/python")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == (
        "FL_List.items has room for 300 elements, not 301: an object is made with the elements that it is to have\n"
    )
