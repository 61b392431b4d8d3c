"""Tests of specs that use declarations of system headers, as headers can."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.evaluate import fold
from abigen.model.layout import Layouts
from abigen.model.target import find_target
from tests.generator.build.building import build, compile_text
from tests.running import run_here
from tests.specs.language.samples import errors_in, read_set
from tests.tools import require

CLOCK = """\
abigen: 1
api: clock
prefix: CK
version: 1.1.0
header: {path: clock.h, includes: [<time.h>, <stdio.h>, <sys/time.h>, <vendor/own.h>]}
conventions: {leading_fields: [size_t struct_size], filled_by: {CK_: plugin}}
structs:
  - name: CK_Fns
    since: 1.0.0
    fields:
      - {name: now, required: true, type: "time_t (*)(void)"}
      - {name: log, required: true, type: "void (*)(FILE *to, const struct tm *when)"}
      - {name: at, since: 1.1.0, zero: meaningful, type: time_t}
      - {name: wait, since: 1.1.0, zero: meaningful, type: struct timeval}
  - {name: CK_Plain, since: 1.0.0, fields: [{name: to, type: FILE *}]}
functions:
  - {name: CK_Init, since: 1.0.0, implemented_by: plugin, entry_point: true, type: int (CK_Fns *fns)}
  - {name: CK_Two, since: 1.0.0, implemented_by: core, type: time_t (FILE *to)}
"""


@pytest.mark.parametrize(
    ("target", "at", "wait"),
    [("x86_64-linux-gnu", 24, 32), ("i686-linux-gnu", 12, 16), ("x86_64-windows-msvc", 24, 32)],
)
def test_sizes_are_those_of_the_target(target: str, at: int, wait: int) -> None:
    api = next(each.api for each in read_set(CLOCK).groups if target in each.targets)
    layout = Layouts(api, find_target(target)).of("CK_Fns")
    offsets = {each.field.name: each.offset for each in layout.fields}
    assert (offsets["at"], offsets["wait"]) == (at, wait)


def test_types_of_headers_that_are_not_included_are_unknown() -> None:
    wrong = errors_in(CLOCK.replace("<stdio.h>, <sys/time.h>, ", ""))
    unknown = [each.partition("'")[2].partition("'")[0] for each in wrong]
    assert unknown == ["FILE", "struct timeval", "FILE", "FILE"], wrong


@pytest.mark.first_case
@pytest.mark.parametrize("compiler", ["gcc", "g++", "x86_64-w64-mingw32-gcc", "i686-w64-mingw32-gcc"])
def test_headers_and_asserts_compile_where_these_types_have_other_sizes(compiler: str, tmp_path: Path) -> None:
    require(compiler)
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/clock.yaml").write_text(CLOCK.replace(", <vendor/own.h>", ""))
    build(tmp_path / "out", tmp_path / "spec")
    out = tmp_path / "out"
    text = '#include "clock_helpers.h"\n#include "clock_asserts.h"\n'
    options = ("-Wall", "-Wextra", "-Werror", f"-I{out / 'c'}", f"-I{out / 'c-checks'}")
    assert compile_text(compiler, options, text) == ""
    if compiler == "g++":
        assert compile_text(compiler, (*options, f"-I{out / 'cpp'}"), '#include "clock.hpp"\n') == ""


def test_a_header_and_its_spec_say_the_same(tmp_path: Path) -> None:
    spec = CLOCK.replace(", <sys/time.h>, <vendor/own.h>", "").replace("struct timeval", "time_t")
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/clock.yaml").write_text(spec)
    build(tmp_path / "out", tmp_path / "spec")
    for more in ([], ["--cc", "none"]):
        ran = run_here(["diff", "spec/clock.yaml", "out/c/clock.h", "--no-config", "--summary", *more], tmp_path)
        assert ran.stdout == "No change. No new version is needed. The version is still 1.1.0.\n"


OPENING = """\
abigen: 1
api: opening
header: {path: opening.h, includes: [<fcntl.h>]}
constants:
- name: OP_MORE
  value: [{if: defined(O_APPEND) && O_CREAT, text: (O_APPEND | O_CREAT)}, {text: '0'}]
- name: OP_LINK
  value: [{if: defined(O_SYMLINK), text: O_SYMLINK}, {text: '-1'}]
- {name: OP_NEW, value: (O_CREAT | O_EXCL)}
structs:
- {name: op_names, fields: [{name: a, type: "int[O_EXCL]"}]}
"""


@pytest.mark.parametrize(
    ("target", "values"),
    [
        ("x86_64-linux-gnu", [1024 + 64, -1, 64 + 128]),
        ("i686-linux-gnu", [1024 + 64, -1, 64 + 128]),
        ("x86_64-windows-msvc", [0x108, -1, 0x500]),
    ],
)
def test_constants_and_conditions_can_use_the_macros_of_system_headers(target: str, values: list[int]) -> None:
    api = next(each.api for each in read_set(OPENING).groups if target in each.targets)
    assert [fold(each.expression, {}) for each in api.constants.values() if each.in_api and each.expression] == values


def test_without_the_system_header_its_macros_are_not_defined() -> None:
    spec = OPENING.replace(", includes: [<fcntl.h>]", "").partition("- {name: OP_NEW")[0]
    api = read_set(spec).groups[0].api
    assert [each.text for each in api.constants.values()] == ["0", "-1"]


def test_a_built_header_names_the_macros_of_system_headers(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/opening.yaml").write_text(OPENING)
    build(tmp_path / "out", tmp_path / "spec")
    lines = (tmp_path / "out/c/opening.h").read_text().splitlines()
    assert [each for each in lines if "OP_NEW" in each] == ["#define OP_NEW (O_CREAT | O_EXCL)"]
    assert compile_text("gcc", (f"-I{tmp_path / 'out/c'}",), '#include "opening.h"\n') == ""


def test_other_languages_get_no_constant_that_each_system_has_otherwise(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/opening.yaml").write_text(f"{OPENING}- {{name: op_more, fields: [{{name: a, type: int}}]}}\n")
    build(tmp_path / "out", tmp_path / "spec")
    assert "OP_NEW" not in (tmp_path / "out/python/plugin_api/opening/__init__.py").read_text()
    assert "OP_NEW" not in (tmp_path / "out/rust/opening.rs").read_text()
