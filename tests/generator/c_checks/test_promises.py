"""Tests of released layouts: a build that would change one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.build.building import Run, abigen
from tests.generator.c_checks.building import SPEC

_LAMP = (SPEC / "lamp.yaml").read_text()
_HINT = "  hint: append a member instead, or raise MAJOR, which ends the compatibility with older releases\n"

REFUSED = {
    "a member of another type": (
        ("name: colour, type: int32_t", "name: colour, type: int64_t"),
        "23:16: error: 'LP_Lamp.colour' has another size, 4 before and 8 now, but the layout of release 1.0.0",
    ),
    "a member before others": (
        ("      - {name: colour", "      - {name: kind, type: int64_t}\n      - {name: colour"),
        "24:16: error: 'LP_Lamp.colour' has another offset, 24 before and 32 now, but the layout of release 1.0.0",
    ),
    "a member before one of a later release": (
        (
            "      - {name: near",
            "      - {name: far, type: int8_t, since: 1.1.0, zero: meaningful}\n      - {name: near",
        ),
        "26:16: error: 'LP_Lamp.near' has another offset, 32 before and 33 now, but the layout of release 1.1.0",
    ),
    "a member that is gone": (
        ("      - {name: x, type: int8_t}\n", ""),
        "13:11: error: 'LP_Point.x' was removed, but the layout of release 1.0.0",
    ),
    "a struct of one size that grew": (
        ("      - {name: y, type: int64_t}\n", "      - {name: y, type: int64_t}\n      - {name: z, type: int64_t}\n"),
        "13:11: error: 'LP_Point' has another size, 16 before and 24 now, but the layout of release 1.0.0",
    ),
}


def _build(project: Path, text: str, *options: str) -> Run:
    (project / "spec").mkdir(exist_ok=True)
    (project / "spec/lamp.yaml").write_text(text)
    return abigen("build", "--no-cache", "--target", "c-checks", *options, cwd=project)


@pytest.mark.ci
@pytest.mark.parametrize("what", REFUSED)
def test_a_spec_that_breaks_the_promise_of_a_release_is_refused(what: str, tmp_path: Path) -> None:
    (old, new), message = REFUSED[what]
    assert old in _LAMP
    assert _build(tmp_path, _LAMP).code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "generated").rglob("*.h")}
    options = ("--check",) if what == "a member that is gone" else ()
    done = _build(tmp_path, _LAMP.replace(old, new, 1), *options)
    assert (done.code, done.stderr) == (2, f"spec/lamp.yaml:{message} never changes\n{_HINT}")
    assert {path: path.read_bytes() for path in before} == before


def test_the_release_that_is_being_made_may_still_change(tmp_path: Path) -> None:
    assert _build(tmp_path, _LAMP).code == 0
    changed = _LAMP.replace("dim, type: void (*)(int percent)", "dim, type: int16_t")
    done = _build(tmp_path, changed)
    assert (done.code, done.stderr) == (0, "")
    assert "LP_Lamp, dim, LAMP_1_2_0_PICK(2" in (tmp_path / "generated/c-checks/lamp/lamp_asserts_1_2_0.h").read_text()


def test_a_major_version_ends_what_older_ones_have_promised(tmp_path: Path) -> None:
    assert _build(tmp_path, _LAMP).code == 0
    old, new = REFUSED["a member before others"][0]
    later = _LAMP.replace("1.2.0]", "1.2.0, 2.0.0]").replace("version: 1.2.0", "version: 2.0.0").replace(old, new, 1)
    done = _build(tmp_path, later)
    assert done.code == 0
    assert "lamp_asserts_1_0_0.h: no spec generates this file any more; abigen build --prune removes it" in done.stderr
    folder = tmp_path / "generated/c-checks/lamp"
    assert "lamp_asserts_2_0_0.h" in (folder / "lamp_asserts.h").read_text()
    assert "1_0_0" not in (folder / "lamp_asserts.h").read_text()
    # Nor does core take a plugin of then for one of now: the least size is that of 2.0.0.
    assert '{"2.0.0", 0, ABIGEN_V1_END(LP_Lamp, dim)}' in (folder / "lamp_checks.c").read_text()


def test_before_the_first_major_version_who_deletes_the_promise_is_rid_of_it(tmp_path: Path) -> None:
    early = _LAMP.replace("1.0.0", "0.1.0").replace("1.1.0", "0.2.0").replace("1.2.0", "0.3.0")
    assert _build(tmp_path, early).code == 0
    changed = early.replace(*REFUSED["a member of another type"][0])
    done = _build(tmp_path, changed)
    assert done.code == 2
    assert (
        "hint: append a member instead; if no program relies on 0.1.0, delete the file with its asserts" in done.stderr
    )
    for path in (tmp_path / "generated").rglob("*_asserts_0_*.h"):
        path.unlink()
    assert _build(tmp_path, changed).code == 0
