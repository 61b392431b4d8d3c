"""Links that a stranger has planted lead neither what is written nor what is compared out of its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.integrations.test_cmake import SCORE
from tests.cli.program import Program

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
    assert "points outside of" in _refused(abigen, outside, "build", *check)


@pytest.mark.parametrize("check", [(), ("--check",)])
def test_a_file_that_leads_out_is_neither_compared_nor_overwritten(
    abigen: Program, outside: Path, check: tuple[str, ...]
) -> None:
    link = abigen.directory / "generated/c/score/score.h"
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "score.h")
    assert "the path of generated/c/score/score.h points outside of" in _refused(abigen, outside, "build", *check)


def test_a_project_is_neither_made_nor_updated_through_a_link(abigen: Program, outside: Path, write: Write) -> None:
    write("spec/toy.yaml", SPEC.replace("api: score", "api: toy") + "functions: [{name: toy, implemented_by: plugin,"
          " entry_point: true, type: int (void)}]\n")  # fmt: skip
    (abigen.directory / "bear").mkdir()
    (abigen.directory / "bear/src").symlink_to(outside)
    assert "points outside of bear" in _refused(abigen, outside, "new", "Bear", "bear", "--api", "toy")
    (abigen.directory / "bear/src").unlink()
    assert abigen("new", "Bear", "bear", "--api", "toy").code == 0
    (abigen.directory / "bear/src/more.c").symlink_to(outside / "score.h")
    assert "points outside of bear" in _refused(abigen, outside, "new", "--update", "bear")


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


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("spec/evil.yaml", ["build"]),
        ("spec/evil.yaml", ["build", "spec/evil.yaml"]),
        ("spec/evil.yaml", ["build", "evil"]),
        ("spec/evil.yaml", ["lint", "spec/evil.yaml"]),
        ("spec/evil.yaml", ["lint", "spec"]),
        ("spec/evil.yaml", ["diff", "spec/score.yaml", "spec/evil.yaml"]),
        ("spec/evil.yaml", ["new", "Bear", "bear", "--api", "evil"]),
        ("include/evil.h", ["lint", "include/evil.h"]),
        ("include/evil.h", ["layout", "include"]),
        ("abigen.toml", ["lint", "spec/score.yaml"]),
        ("pyproject.toml", ["lint", "spec/score.yaml"]),
        ("mine/c/header.h.j2", ["build", "--templates", "mine"]),
        ("mine/c/macros.j2", ["build", "--templates", "mine"]),
    ],
)
def test_a_link_of_the_project_shows_nothing_of_what_it_leads_to(
    abigen: Program, outside: Path, place: str, command: list[str]
) -> None:
    link = abigen.directory / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "score.h")
    result = abigen(*command)
    assert SECRET.strip() not in result.output + result.remarks
    assert (result.code, "outside of the directories that may be read" in result.remarks) == (2, True)
    assert not (abigen.directory / "generated").exists()


@pytest.mark.parametrize("used", ["evil", "folder/score"])
def test_what_a_spec_uses_is_judged_by_what_is_opened(abigen: Program, outside: Path, write: Write, used: str) -> None:
    (outside / "score.yaml").write_text(SECRET)
    (abigen.directory / "spec/evil.yaml").symlink_to(outside / "score.yaml")
    (abigen.directory / "spec/folder").symlink_to(outside)
    write("spec/toy.yaml", f"abigen: 1\napi: toy\nversion: 1.0.0\nuses: [{used}]\n")
    result = abigen("lint", "spec/toy.yaml")
    assert SECRET.strip() not in result.output + result.remarks
    assert result.code == 2
    assert f"toy.yaml:4:8: error: '{used}' " in result.remarks


def test_links_within_a_project_may_be_read(abigen: Program, outside: Path, write: Write) -> None:
    (abigen.directory / "spec/again.yaml").symlink_to("../more/again.yaml")
    write("more/again.yaml", SPEC.replace("api: score", "api: again").replace("score/", "again/"))
    write("own/real.j2", "{# ours #}\n")
    (abigen.directory / "own/c").mkdir()
    (abigen.directory / "own/c/unused.j2").symlink_to("../real.j2")
    assert abigen("build", "--templates", "own", "--target", "c").code == 0
    assert abigen("lint", "spec/again.yaml").code == 0


def test_a_file_outside_may_be_named_itself(abigen: Program, outside: Path) -> None:
    (outside / "api.h").write_text("typedef int Toy;\n")
    (outside / "link.h").symlink_to("api.h")
    assert abigen("layout", str(outside / "link.h")).code == 0


def test_a_directory_that_is_a_link_out_of_the_project_is_not_walked(abigen: Program, write: Write) -> None:
    write("api/x.h", "int a;\n")
    write("../elsewhere/x.h", "int secret;\n")
    (abigen.directory / ".git").mkdir()
    (abigen.directory / "linked").symlink_to(abigen.directory.parent / "elsewhere")
    for arguments in (("diff", "api", "linked"), ("lint", "linked")):
        result = abigen(*arguments)
        assert result.code == 2
        assert "linked is a link to a file outside" in result.remarks
        assert "secret" not in result.output + result.remarks
