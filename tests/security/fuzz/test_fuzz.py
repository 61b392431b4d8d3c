"""Tests that the program answers or refuses any header, spec or configuration, soon and in little memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import short_form
from tests.security.fuzz.bombs import BOMBS
from tests.security.fuzz.seeds import KINDS, ROOT
from tests.tools import require

SHORT = {"header": (100, 250), "spec": (25, 60), "config": (30, 80)}
"""The numbers of inputs of the usual run and of continuous integration."""

HEAVY = {
    "a chain of structs",
    "a chain of typedefs",
    "a constant that doubles",
    "a doc of stars",
    "a doc of words",
    "a huge enumeration",
    "a huge struct",
    "a long comment",
    "a line for ever continued",
    "a long string",
    "a spec whose constants double",
    "an open string",
    "includes that double",
    "macros that are not used",
    "macros that double",
    "many constants",
    "many functions",
}
"""Bombs that take seconds of honest work."""

LONG = 100_000
LIBRARIES = 2000
CHUNK = 1000


def run(*arguments: str, seconds: float) -> str:
    """Run a module in a process of its own, and fail with what it says when it fails."""
    child = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False
    )
    if child.returncode:
        last = (child.stdout + child.stderr).rpartition("\r")[2]
        pytest.fail(f"{' '.join(arguments)} ended with {child.returncode}:\n{last}")
    return child.stdout


@pytest.mark.first_case
@pytest.mark.parametrize("kind", KINDS)
def test_a_mutated_input_is_answered_or_refused(kind: str) -> None:
    run("tests.security.fuzz", kind, "0", str(SHORT[kind][0]), seconds=300)


@pytest.mark.ci
@pytest.mark.parametrize("kind", KINDS)
def test_more_mutated_inputs_are_answered_or_refused(kind: str) -> None:
    run("tests.security.fuzz", kind, *map(str, SHORT[kind]), seconds=300)


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(0, LONG, CHUNK))
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_mutated_inputs_are_answered_or_refused(kind: str, first: int) -> None:
    run("tests.security.fuzz", kind, str(first), str(first + CHUNK), seconds=3600)


@pytest.mark.ci
@pytest.mark.parametrize("end", [10, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_strange_surrounding_does_no_harm(end: int) -> None:
    require("git")
    run("tests.security.fuzz.surroundings", "0", str(end), "--seconds", "12", seconds=300)


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(0, LIBRARIES, LIBRARIES // 10))
def test_two_thousand_mutated_libraries_are_compared_or_refused(first: int) -> None:
    require("gcc", "objcopy")
    run("tests.security.fuzz.libraries", str(first), str(first + LIBRARIES // 10), seconds=3600)


@pytest.mark.ci
def test_a_mutated_library_is_the_same_each_time() -> None:
    require("gcc", "objcopy")
    shown = [run("tests.security.fuzz.libraries", "0", "30", "--show", seconds=60) for _ in range(2)]
    assert shown[0] == shown[1]
    hashes = [line.split()[-1] for line in shown[0].splitlines()]
    assert len({*hashes}) > 25


@pytest.mark.ci
def test_an_input_is_the_same_each_time() -> None:
    shown = [run("tests.security.fuzz", "header", "17", "18", "--show", seconds=60) for _ in range(2)]
    texts = [text.partition("\n")[2] for text in shown]  # the command line names a temporary folder
    assert texts[0] == texts[1]
    assert texts[0] not in run("tests.security.fuzz", "header", "18", "19", "--show", seconds=60)


@pytest.mark.ci
@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=[pytest.mark.fuzz, pytest.mark.slow]) for name in BOMBS if name in HEAVY),
        *short_form([name for name in BOMBS if name not in HEAVY], 6, in_ci=True),
    ],
)
def test_a_bomb_is_answered_or_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "bomb"
    folder.mkdir()
    (tmp_path / "plain.h").write_text("struct S { int a; };\nint f(void);\n")
    BOMBS[name](folder)
    (bomb,) = folder.glob("bomb.*")
    try:
        run("tests.security.fuzz.explode", str(bomb), seconds=300)
    finally:
        bomb.unlink()  # some are large
