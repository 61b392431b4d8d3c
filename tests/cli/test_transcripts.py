"""Runs the commands in `transcripts/*.txt`, and compares what they print.

A transcript is a sequence of::

    # What this shows.
    $ abigen diff old.h new.h
    what goes to stdout
    ! what goes to stderr
    [1]

with the exit code last. Commands run beside a copy of the headers in that folder. `< FILE` redirects standard input;
the folder's path is written HERE. After a deliberate change of output, run the tests with ABIGEN_UPDATE_TRANSCRIPTS=1
and review the difference.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import msgspec
import pytest

from tests.cli.program import Program, Result
from tests.cli.samples import FOLDER
from tests.tools import require

TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))


class Step(msgspec.Struct, frozen=True):
    """A command of a transcript."""

    heading: str
    """The text before the command: comments and empty lines."""
    command: str
    expected: str


def _parse(text: str) -> list[Step]:
    pattern = r"(?P<heading>(?:#.*\n|\n)*)\$ (?P<command>.*)\n(?P<expected>(?:.*\n)*?\[\d+\]\n)"
    steps = [Step(match["heading"], match["command"], match["expected"]) for match in re.finditer(pattern, text)]
    assert "".join(_print(step) for step in steps) == text, "the transcript is not of the form that this test reads"
    return steps


def _print(step: Step) -> str:
    return f"{step.heading}$ {step.command}\n{step.expected}"


def _run(step: Step, program: Program) -> str:
    words = shlex.split(step.command)
    text = ""
    if "<" in words:
        at = words.index("<")
        text = (program.directory / words[at + 1]).read_text()
        del words[at : at + 2]
    assert words[0] == "abigen"
    return _show(program(*words[1:], text=text), program.directory)


def _show(result: Result, directory: Path) -> str:
    remarks = "".join(f"! {line}\n" for line in result.remarks.splitlines())
    text = result.output + remarks.replace("! \n", "!\n") + f"[{result.code}]\n"
    return text.replace(str(directory), "HERE")


@pytest.mark.first_case
@pytest.mark.parametrize("path", TRANSCRIPTS, ids=[path.stem for path in TRANSCRIPTS])
def test_a_transcript_is_what_happens(path: Path, tmp_path: Path) -> None:
    directory = tmp_path / "here"
    shutil.copytree(FOLDER, directory)
    program = Program(directory, tmp_path / "cache", {"GIT_CEILING_DIRECTORIES": str(tmp_path)})
    steps = _parse(path.read_text())
    if any("HEAD" in step.command for step in steps):
        require("git")
    actual = [Step(step.heading, step.command, _run(step, program)) for step in steps]
    assert not [step.command for step in actual if "this is a bug in abigen" in step.expected]
    if os.environ.get("ABIGEN_UPDATE_TRANSCRIPTS"):
        path.write_text("".join(_print(step) for step in actual))
    for step, happened in zip(steps, actual, strict=True):
        assert happened.expected == step.expected, step.command


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) >= 3
