"""`abigen verify` with APIs that have a vendor's header: what a core of theirs calls, and what it never calls."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.runner.verify.plugins import verify
from tests.tools import require

HEADER = """
typedef struct pen_info { int kind; int colors; } pen_info;
typedef unsigned long pen_id;
typedef struct pen_core pen_core;
struct pen_core { int (*add)(const char* name, void* own, void (*draw)(int count, const char** texts)); };
void pen_get_info(pen_info* info);
void pen_get_color(int index, int* color);
int pen_ink(int amount);
int pen_open(pen_id* id);
int pen_close(pen_id id);
int pen_init(const pen_core* core);
"""
SPEC = """
abigen: 1
api: pen
header: {vendor: "<pen.h>"}
conventions: {errors: {result: {type: int, ok: "0", failed: "1"}, except: []}}
constants: [{name: PEN_INK, value: 7}]
typedefs: [{name: pen_id, type: unsigned long, defined_by: plugin, create: pen_open, destroy: pen_close}]
structs:
  - {name: pen_info, filled_by: plugin, fields: [{name: kind, type: int}, {name: colors, type: int}]}
  - name: pen_core
    filled_by: core
    fields: [{name: add, type: "int (*)(const char* name, void* own, void (*draw)(int count, const char** texts))"}]
functions:
  - {name: pen_init, type: int (const pen_core* core), implemented_by: plugin, entry_point: true}
  - {name: pen_get_info, type: void (pen_info* info), implemented_by: plugin, outputs: [info]}
  - {name: pen_get_color, type: "void (int index, int* color)", implemented_by: plugin, outputs: [color],
     parameters: [{name: index, below: pen_info.colors}]}
  - {name: pen_ink, type: int (int amount), implemented_by: plugin, only_if: pen_info.kind == PEN_INK or 8}
  - {name: pen_open, type: int (pen_id* id), implemented_by: plugin, outputs: [id]}
  - {name: pen_close, type: int (pen_id id), implemented_by: plugin}
"""
PLUGIN = """
#include <stddef.h>
#include <stdlib.h>
#include "pen.h"
#define API __attribute__((visibility("default")))
static void draw(int count, const char** texts) { (void)count; (void)texts; if (DRAW) abort(); }
API int pen_init(const pen_core* core) { return core->add("draw", OWN, draw); }
API void pen_get_info(pen_info* info) { info->kind = KIND; info->colors = COLORS; }
API void pen_get_color(int index, int* color) { if (index >= 0) abort(); *color = 1; }
API int pen_ink(int amount) { (void)amount; abort(); }
API int pen_open(pen_id* id) { *id = 0; return 0; }
API int pen_close(pen_id id) { return id != 0; }
"""


def crashes(folder: Path, **values: str) -> tuple[set[str], dict[str, str]]:
    """Return the functions of a plugin that crash, and the reasons why others are not called."""
    (compiler,) = require("cc")
    (folder / "pen.h").write_text(HEADER)
    (folder / "pen.yaml").write_text(SPEC)
    (folder / "pen.c").write_text(PLUGIN)
    marks = {"KIND": "1", "COLORS": "0", "DRAW": "0", "OWN": "NULL"} | values
    defined = [f"-D{name}={value}" for name, value in marks.items()]
    library = folder / "pen.so"
    command = [compiler, "-shared", "-fPIC", f"-I{folder}", *defined, "pen.c", "-o", library]
    subprocess.run(command, cwd=folder, check=True)
    verified = verify(library, "--spec-dir", str(folder), api="pen")
    skipped = {each["function"]: each["reason"] for each in json.loads(verified.output)["not_called"]}
    return {entity for rule, entity in verified.found if rule == "callback-crashes"}, skipped


@pytest.mark.ci
def test_nothing_is_called_that_a_core_would_not_call(tmp_path: Path) -> None:
    found, skipped = crashes(tmp_path)
    assert found == set()
    assert skipped == {
        "pen_get_color": "its index cannot name an object",
        "pen_ink": "a core calls it only if pen_info.kind == PEN_INK or 8",
    }


@pytest.mark.ci
def test_a_function_is_called_whose_condition_holds(tmp_path: Path) -> None:
    assert crashes(tmp_path, KIND="8")[0] == {"pen_ink"}


@pytest.mark.ci
def test_a_function_with_an_index_is_called_for_each_that_there_is(tmp_path: Path) -> None:
    assert crashes(tmp_path, COLORS="2")[0] == {"pen_get_color"}


@pytest.mark.ci
def test_a_function_that_is_registered_with_the_core_is_called(tmp_path: Path) -> None:
    assert crashes(tmp_path, DRAW="1")[0] == {"pen_core.add.draw"}


@pytest.mark.ci
def test_a_function_that_is_registered_with_the_plugins_own_data_is_not_called(tmp_path: Path) -> None:
    assert crashes(tmp_path, DRAW="1", OWN="draw")[0] == set()
