"""Tests of files that a pull request may add to attack the steps of `action.yml`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.integrations.test_action import COMPARE, INSTALL, Runner
from tests.cli.samples import INSERTED
from tests.sampling import short_form

Write = Callable[..., Path]
PLANTED = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"


@pytest.mark.ci
@pytest.mark.parametrize(
    "name", short_form(["pip.py", "venv.py", "venv/__main__.py", "secrets.py", "encodings/__init__.py"], 5)
)
def test_modules_of_the_checkout_are_not_imported_when_the_environment_is_made(
    runner: Runner, write: Write, name: str
) -> None:
    planted = write(name, PLANTED)
    runner.environment["PIP_NO_INDEX"] = "1"  # pip runs, and finds nothing to install
    result = runner.run(INSTALL, {"paths": "x", "python": sys.executable, "version": "0"})
    assert "No matching distribution found for abigen==0" in result.stderr
    assert not planted.with_name("ran").exists()


def test_reports_that_the_checkout_brings_along_are_not_published(runner: Runner, write: Write) -> None:
    for name in ("abigen.md", "abigen.sarif"):
        write(name, "forged")
        (runner.folder / name).write_text("forged")
    result = runner.run(COMPARE, {"paths": "include/nowhere.h", "against": "HEAD"})
    assert result.returncode == 2
    assert runner.outputs == {"exit-code": "2"}
    assert runner.summary == ""


@pytest.mark.ci
def test_links_of_the_checkout_are_not_written_through(runner: Runner, write: Write, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    write("include/toy.h", INSERTED)
    for name in ("abigen.md", "abigen.sarif"):
        (runner.workspace / name).symlink_to(victim)
    assert runner.run(COMPARE, {"paths": "include/toy.h", "against": "HEAD"}).returncode == 1
    assert victim.read_text() == "mine"
    assert Path(runner.outputs["markdown"]).is_relative_to(runner.folder)
