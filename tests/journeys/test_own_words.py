"""Tests of unusual descriptions of APIs: each one once made abigen wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.generator.build.building import STRICT, abigen, compile_text
from tests.journeys.releases import write
from tests.tools import require

ODD = """\
abigen: 1
api: odd
doc: Odd things.
prefix: OD
version: 2.1.0
releases: [1.1.0, 2.0.0, 2.1.0]
header: {path: odd.h, includes: [<stddef.h>, <stdint.h>]}
conventions:
  leading_fields: [uint32_t struct_size]
  filled_by: {OD_Host: core, OD_: plugin}
  since_macro: OD_HAS_{name}
enums:
  - {name: OD_Kind, doc: Kinds., enumerators: [{name: OD_ONE, doc: One.}, {name: OD_TWO, since: 2.0.0, doc: Two.}]}
structs:
  - name: OD_Value
    kind: union
    doc: A value.
    fields: [{name: real, type: double, doc: Real.}, {name: whole, type: int64_t, since: 2.0.0, doc: Whole.}]
  - name: OD_List
    size_macro: false
    doc: A list.
    fields:
      - {name: name, type: const char*, required: true, pattern: "[A-Za-z0-9 _-]*", doc: The name.}
      - {name: items, type: "int32_t[]", doc: The items.}
  - name: OD_Host
    doc: The host.
    fields: [{name: log, type: void (*)(const char* text), required: true, doc: Logs.}]
  - name: OD_Table
    doc: Functions.
    fields:
      - {name: use, type: int (*)(const OD_Value* value), required: true, doc: Uses a value.}
      - {name: find, type: "void (*(*)(const char* name))(void)", required: true, doc: Finds a function.}
      - {name: scan, type: int (*)(void), optional: true, zero: no-op, since: 2.1.0, doc: Scans.}
      - {name: scan_end, type: void (*)(void), required: {when: scan}, since: 2.1.0, doc: Ends.}
functions:
  - name: OD_Init
    implemented_by: plugin
    entry_point: true
    since: 1.1.0
    type: "int (const OD_Host* host, OD_Table* table)"
    doc: Begins.
  - {name: OD_Lookup, implemented_by: core, since: 2.0.0, type: "int (*(const char* name))(int x)", doc: Looks up.}
  - {name: OD_Use, implemented_by: core, type: int (const OD_List* list), doc: Uses a list.}
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of the odd API, built."""
    folder = tmp_path_factory.mktemp("odd")
    write(ODD, folder / "spec/odd.yaml")
    run = abigen("build", cwd=folder)
    assert run.code == 0, run.stderr
    return folder


def found(folder: Path, *operands: str) -> set[str]:
    run = abigen(*operands, "--format", "json", "--fail-on", "never", cwd=folder)
    assert run.code == 0, run.stderr
    return {each["rule"] for each in json.loads(run.stdout)["findings"]}


def test_lint_asks_nothing_that_the_spec_settles(odd: Path) -> None:
    assert found(odd, "lint", "spec/odd.yaml") & {"zero-unspecified", "owner-prefix"} == set()


def test_a_version_that_rose_in_two_listed_steps_need_not_end_in_zero(odd: Path) -> None:
    assert "bump-not-reset" not in found(odd, "diff", "spec/odd.yaml@1.1.0", "spec/odd.yaml")


def test_a_condition_is_in_the_comment_and_comes_back_by_import(odd: Path, tmp_path: Path) -> None:
    header = odd / "generated/c/odd.h"
    assert "// Required when `scan` is set. Ends. Since 2.1.0.\n" in header.read_text(encoding="utf-8")
    run = abigen("import", header, "--out", tmp_path)
    assert run.code in (0, 1), run.stderr
    assert "required: {when: scan}" in (tmp_path / "odd.yaml").read_text(encoding="utf-8")


TABLE = """\
#ifndef ODD_TABLE_H_
#define ODD_TABLE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct OT_Table {
  uint32_t struct_size;
  void (*use)(void);
LATER} OT_Table;

#ifdef __cplusplus
extern "C" {
#endif

void OT_Init(OT_Table* tableMORE);

#ifdef __cplusplus
}
#endif

#endif  // ODD_TABLE_H_
"""
SCAN = "  void (*scan)(void);  // Optional. NULL is no-op.\n"
SCAN_END = "  void (*scan_end)(void);  // Required when `scan` is set. Since 2.1.0.\n"


def table(later: str, path: Path, more: str = "") -> Path:
    return write(TABLE.replace("LATER", later).replace("MORE", more), path)


def test_a_condition_settles_zero_only_where_it_is_as_young(tmp_path: Path) -> None:
    old = table("", tmp_path / "old/table.h")
    scan = table(SCAN, tmp_path / "scan/table.h")
    both = table(SCAN + SCAN_END.replace(" Since 2.1.0.", ""), tmp_path / "both/table.h")
    assert "what zero means" not in abigen("diff", old, both).stdout
    assert "state in its comment what zero means" in abigen("diff", scan, both).stdout
    text = ODD.replace("optional: true, zero: no-op, since: 2.1.0, doc: Scans.", "optional: true, doc: Scans.")
    built = abigen("build", write(text, tmp_path / "odd.yaml"), "--out", tmp_path / "made")
    assert built.code == 2
    assert "'scan_end' was appended in 2.1.0 and does not state the meaning of zero" in built.stderr


@pytest.mark.first_case
@pytest.mark.parametrize("comment", ["Required when `scan` is set. ", "Required. ", "Required when it is set. ", ""])
def test_what_import_writes_can_be_built_whatever_a_comment_says_of_zero(comment: str, tmp_path: Path) -> None:
    later = SCAN + SCAN_END.replace("Required when `scan` is set. ", comment)
    run = abigen("import", table(later, tmp_path / "table.h"), "--out", tmp_path)
    assert run.code == 1
    assert "OT_Table.scan_end: it was appended, and no comment states the meaning of 0; assumed: no-op" in run.stdout
    run = abigen("build", tmp_path / "table.yaml", "--out", tmp_path / "made")
    assert run.code == 0, run.stderr


def test_lint_advises_the_declaration_of_a_size_that_the_other_structs_have(tmp_path: Path) -> None:
    header = table("", tmp_path / "table.h", ", const struct OT_Point* point")
    point = "typedef struct OT_Point {\n  int32_t x;\n} OT_Point;\n\n#ifdef __cplusplus\nextern"
    text = header.read_text(encoding="utf-8").replace("#ifdef __cplusplus\nextern", point)
    header.write_text(text, encoding="utf-8")
    assert "begin it with `uint32_t struct_size`" in abigen("lint", header).stdout


def test_since_macros_are_for_functions_and_enumerators_after_the_first_release(odd: Path) -> None:
    lines = (odd / "generated/c/odd.h").read_text(encoding="utf-8").splitlines()
    macros = {line.split()[1] for line in lines if line.startswith("#define OD_HAS_")}
    assert macros == {"OD_HAS_OD_TWO", "OD_HAS_OD_Lookup"}


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_checks_of_a_flexible_array_and_results_that_are_functions_compile(compiler: str, odd: Path) -> None:
    made = odd / "generated"
    include = tuple(f"-I{made / each}" for each in ("c", "c-checks", "cpp"))
    checks = (made / "c-checks/odd_checks.c").read_text(encoding="utf-8")
    assert not compile_text(compiler, ("-std=c11", *STRICT, *include), checks)
    cpp = {"gcc": "g++", "clang": "clang++"}[compiler]
    strict = tuple(each for each in STRICT if each != "-Wpedantic")  # which refuses flexible arrays in C++
    text = '#include "odd.hpp"\n#include "odd_helpers.h"\nOD_Table odd_table = OD_TABLE_INITIALIZER;\nint main() {}\n'
    assert not compile_text(cpp, ("-std=c++17", *strict, "-Wold-style-cast", *include), text)


EXTENSION = """\
abigen: 1
api: chain
doc: Chains.
prefix: CH
version: 1.0.0
header: {path: chain.h, includes: [<stddef.h>, <stdint.h>]}
conventions: {filled_by: {CH_: core, CP_: plugin}}
enums:
  - {name: CH_Kind, doc: Kinds., enumerators: [{name: CH_ONE, value: 1, doc: One.}, {name: CH_LIGHT, doc: Light.}]}
structs:
  - name: CH_Base
    next_extension: next
    versioned: false
    doc: An extension.
    fields:
      - {name: struct_size, type: size_t, doc: Size.}
      - {name: type, type: int32_t, doc: Type.}
      - {name: next, type: struct CH_Base*, doc: Next.}
  - name: CH_Light
    extension: CH_LIGHT
    doc: A light.
    fields: [{name: base, type: CH_Base, doc: Base.}, {name: lit, type: int32_t, doc: Lit.}]
  - name: CP_Fns
    doc: Functions.
    fields:
      - {name: struct_size, type: size_t, doc: Size.}
      - {name: run, type: int (*)(const CH_Light* light), required: true, doc: Runs.}
functions:
  - {name: CH_Init, implemented_by: plugin, entry_point: true, type: int (CP_Fns* fns), doc: Begins.}
"""


@pytest.mark.ci
def test_an_enumerator_numbers_an_extension_of_which_the_base_has_an_integer(tmp_path: Path) -> None:
    (cargo,) = require("cargo")
    spec = write(EXTENSION, tmp_path / "spec/chain.yaml")
    run = abigen("new", "Chain", tmp_path / "chain", "--api", spec, "--lang", "rust", cwd=tmp_path)
    assert run.code == 0, run.stderr
    done = subprocess.run([cargo, "build", "--offline"], cwd=tmp_path / "chain", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_plugin_in_python_of_values_that_python_cannot_hold_is_refused_with_the_reason(tmp_path: Path) -> None:
    text = ODD.replace(
        "    kind: union\n    doc: A value.\n", "    alignment: 16\n    versioned: false\n    doc: A value.\n"
    )
    text = text.replace("since: 2.0.0, doc: Whole", "doc: Whole").replace("const OD_Value* value", "OD_Value value")
    spec = write(text, tmp_path / "spec/odd.yaml")
    run = abigen("new", "Odd", tmp_path / "odd", "--api", spec, "--lang", "python", cwd=tmp_path)
    assert run.code == 2
    assert "OD_Table.use passes OD_Value by value, which Python cannot represent" in run.stderr
    assert not (tmp_path / "odd").exists()
