"""Links that a stranger has planted lead neither what is written nor what is compared out of its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.integrations.test_cmake import SCORE

Write = Callable[..., Path]
SPEC = SCORE + "header: {path: score/score.h}\n"
SECRET = "the secret of somebody else\n"


@pytest.fixture
def outside(tmp_path: Path, write: Write) -> Path:
    """A folder beside the project, which has a spec."""
    write("spec/score.yaml", SPEC)
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "score.h").write_text(SECRET)
    return folder


def _refused(abigen: Program, outside: Path, *command: str) -> str:
    result = abigen(*command)
    assert result.code == 2
    assert SECRET not in result.output + result.remarks
    assert [(each.name, each.read_text()) for each in outside.iterdir()] == [("score.h", SECRET)]
    return result.remarks


@pytest.mark.parametrize("check", [(), ("--check",)])
@pytest.mark.parametrize("place", ["generated", "generated/c", "generated/c/score"])
def test_a_folder_that_leads_out_is_not_written_to(
    abigen: Program, outside: Path, place: str, check: tuple[str, ...]
) -> None:
    link = abigen.directory / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    assert "leads out of" in _refused(abigen, outside, "build", *check)


@pytest.mark.parametrize("check", [(), ("--check",)])
def test_a_file_that_leads_out_is_neither_compared_nor_overwritten(
    abigen: Program, outside: Path, check: tuple[str, ...]
) -> None:
    link = abigen.directory / "generated/c/score/score.h"
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "score.h")
    assert "a link on the way to generated/c/score/score.h leads out of" in _refused(abigen, outside, "build", *check)


def test_a_project_is_neither_made_nor_updated_through_a_link(abigen: Program, outside: Path, write: Write) -> None:
    write("spec/toy.yaml", SPEC.replace("api: score", "api: toy") + "functions: [{name: toy, implemented_by: plugin,"
          " entry_point: true, type: int (void)}]\n")  # fmt: skip
    (abigen.directory / "bear").mkdir()
    (abigen.directory / "bear/src").symlink_to(outside)
    assert "leads out of bear" in _refused(abigen, outside, "new", "Bear", "bear", "--api", "toy")
    (abigen.directory / "bear/src").unlink()
    assert abigen("new", "Bear", "bear", "--api", "toy").code == 0
    (abigen.directory / "bear/src/more.c").symlink_to(outside / "score.h")
    assert "leads out of bear" in _refused(abigen, outside, "new", "--update", "bear")


def test_links_within_a_folder_and_folders_that_are_named_are_followed(
    abigen: Program, outside: Path, write: Write
) -> None:
    (abigen.directory / "generated/real").mkdir(parents=True)
    (abigen.directory / "generated/c").symlink_to("real")
    assert abigen("build", "--target", "c").code == 0
    assert "SCORE_MAJOR" in (abigen.directory / "generated/real/score/score.h").read_text()
    (abigen.directory / "elsewhere").symlink_to(outside)
    assert abigen("build", "--target", "c", "--out", "elsewhere").code == 0
    assert "SCORE_MAJOR" in (outside / "c/score/score.h").read_text()
