"""Names of files that look like options, as a hook or a shell hands them on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.integrations.test_pre_commit import pre_commit
from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED

__all__ = ["pre_commit"]

Write = Callable[..., Path]
COMPILER = "#!/bin/sh\ntouch ran\n"


@pytest.fixture
def compiler(write: Write) -> Path:
    """A header that is a program, below a folder whose name makes it the value of an option."""
    path = write("--cc=./toy.h", COMPILER)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("command", [["lint"], ["layout"], ["diff", "--against", "HEAD"]])
def test_a_file_whose_name_is_an_option_is_neither_read_nor_run(
    abigen: Program, repository: Callable[[str], None], write: Write, compiler: Path, command: list[str]
) -> None:
    write("near.h", FIRST)
    repository("planted")
    result = abigen(*command, "--cc=./toy.h", "near.h")
    assert result.code == 2
    assert "'--cc=./toy.h' is an option and a file: write './--cc=./toy.h', or put '--' before it." in result.remarks
    assert not (abigen.directory / "ran").exists()


def test_a_file_whose_name_is_an_option_can_be_named(abigen: Program, write: Write) -> None:
    write("--cc=./toy.h", FIRST)
    assert abigen("lint", "./--cc=./toy.h").code == 0
    assert abigen("lint", "--", "--cc=./toy.h").code == 0


@pytest.mark.ci
@pytest.mark.parametrize("hook", ["abigen-lint", "abigen-diff"])
def test_hooks_hand_on_names_as_names(
    abigen: Program,
    pre_commit: Callable[..., subprocess.CompletedProcess[str]],
    write: Write,
    compiler: Path,
    hook: str,
) -> None:
    write("near.h", FIRST)
    result = pre_commit(hook)
    assert result.returncode == 1, result.stdout
    assert "--cc=./toy.h:1:1: error" in result.stdout
    assert not (abigen.directory / "ran").exists()


@pytest.mark.first_case
@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="the file system takes UTF-8 only")
@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "markdown", "html", "junit"])
def test_a_name_that_is_not_utf_8_is_only_a_name(abigen: Program, form: str) -> None:
    folder = abigen.directory / os.fsdecode(b"b\xffd")
    folder.mkdir()
    odd = folder / os.fsdecode(b"toy\xff.h")
    odd.write_text(INSERTED)
    (folder / "plain.h").write_text("typedef int Plain;\n")
    for command in (["lint"], ["diff", "--against", "HEAD", "--fail-on", "never"]):
        for operand in (folder, odd):
            result = abigen(*command, "--format", form, str(operand.relative_to(abigen.directory)))
            assert (result.code, "Traceback" in result.remarks) == (0, False), result.remarks
