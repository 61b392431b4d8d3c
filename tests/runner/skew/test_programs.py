"""Programs are compiled with sanitizers, and run within limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.runner.skew.programs import BuildSteps, ProgramFolder, ProgramRun, compile_command, find_toolchain
from tests.tools import require

OVERFLOW = "AddressSanitizer: heap-buffer-overflow, WRITE of size 1"
SIGNED = "runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"


def run(folder: Path, body: str, seconds: float = 10.0) -> ProgramRun:
    require("gcc")
    programs = ProgramFolder(folder, find_toolchain("gcc"), lambda _: None)
    programs.write("main.c", f"#include <stdlib.h>\nint main(int count, char **words) {{ {body} }}\n")
    for wrong in filter(None, programs.compile([BuildSteps([compile_command(programs.tools, ["main.c"], "main")])])):
        raise wrong
    return programs.run(["./main"], seconds=seconds)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ("return 0;", 0, ""),
        ("return 7;", 7, ""),
        ("char *eight = malloc(8); eight[7 + count] = 1; return 0;", 99, OVERFLOW),
        ("int most = 2147483647; most += count; return 0;", 99, SIGNED),
        ("free((void *)words);", 99, "AddressSanitizer: attempting free"),
    ],
)
def test_what_a_sanitizer_says_first_is_told(body: str, status: int, said: str, tmp_path: Path) -> None:
    ran = run(tmp_path, body)
    assert (ran.status, ran.sanitizer[: len(said) or None]) == (status, said)


@pytest.mark.ci
def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    ran = run(tmp_path, "for (;;) {}", 0.5)
    assert not ran.is_fine
    assert ran.ended == "it has not come to its end within 0.5 s"


def test_what_the_compiler_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(AbigenError) as caught:
        run(tmp_path, "return wrong;")
    assert "gcc cannot compile" in str(caught.value)
    assert "wrong" in str(caught.value)


@pytest.mark.parametrize(
    ("compiler", "emulator", "message"),
    [
        ("no-such-cc", "", "`no-such-cc`"),
        ("gcc", "no-such-run", "`no-such-run`"),
        ("gcc", "false", "does not run here"),
    ],
)
def test_tools_that_are_not_there_or_do_not_work_are_named(compiler: str, emulator: str, message: str) -> None:
    require("gcc")
    with pytest.raises(AbigenError) as caught:
        find_toolchain(compiler, emulator)
    assert message in str(caught.value)
