"""Names of checks: they follow from those of the API, and take none of them away."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.generator.c.lines import with_suffix
from tests.generator.build.building import REPOSITORY, abigen

_SPEC = """\
abigen: 1
api: api
prefix: XY
version: 1.0.0
conventions: {leading_fields: [size_t struct_size]}
structs:
  - {name: Thing, fields: [{name: a, type: int}]}
functions:
  - {name: XY_Init, entry_point: true, type: void (Thing* thing)}
  - {name: TAKEN, implemented_by: core, type: void (void)}
"""


def test_a_suffix_is_written_as_the_name_is() -> None:
    assert with_suffix("XY_Device", "Check") == "XY_Device_Check"
    assert with_suffix("xy_device_t", "Check") == "xy_device_check"


@pytest.mark.parametrize(
    "name", ["Thing_Check", "XY_Init_Load", "XY_Init_Unload", "XY_Init_Library", "XY_Finding", "XY_FindingFn"]
)
def test_checks_do_not_take_a_name_that_the_api_uses(tmp_path: Path, name: str) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/api.yaml").write_text(_SPEC.replace("TAKEN", name))
    run = abigen("build", "--target", "c-checks", cwd=tmp_path)
    assert run.code == 2
    assert f"spec/api.yaml:10:12: error: `{name}` is a name that target c-checks uses itself" in run.stderr
    assert not (tmp_path / "generated").exists()


@pytest.mark.parametrize(("steps", "code"), [(200, 0), (201, 2)])
def test_a_pattern_with_more_steps_than_the_runtime_has_room_for_is_refused(
    tmp_path: Path, steps: int, code: int
) -> None:
    (tmp_path / "spec").mkdir()
    member = f"{{name: a, type: const char*, pattern: {'a' * steps}}}"
    (tmp_path / "spec/api.yaml").write_text(_SPEC.replace("{name: a, type: int}", member))
    run = abigen("build", "--target", "c-checks", cwd=tmp_path)
    assert run.code == code, run.stderr
    runtime = (REPOSITORY / "templates/runtime/c-checks/abigen/checks_v1.h").read_text()
    assert "#define ABIGEN_V1_MOST_PIECES 200 " in runtime


def test_an_api_without_structs_and_entry_points_needs_no_checks(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/api.yaml").write_text("abigen: 1\napi: api\nconstants: [{name: XY_ONE, value: 1}]\n")
    assert abigen("build", "--target", "c-checks", cwd=tmp_path).code == 0
    assert not (tmp_path / "generated").exists()


def test_the_files_of_one_target_are_not_taken_for_those_of_another(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/api.yaml").write_text(_SPEC.replace("TAKEN", "XY_Other") + "header: {path: base/c/api.h}\n")
    assert abigen("build", cwd=tmp_path).code == 0
    run = abigen("build", "--check", "--target", "c", "--no-cache", cwd=tmp_path)
    assert (run.code, run.stderr) == (0, "")
