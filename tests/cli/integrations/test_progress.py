"""Tests of the progress of a long run, which is shown on a terminal only."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from abigen.cli.terminal import DELAY
from tests.cli.program import Program
from tests.cli.samples import FIRST

Write = Callable[..., Path]


def _slow_compiler(path: Path, seconds: float) -> str:
    """Return a compiler that takes its time, as one does for a large header on a busy machine."""
    path.write_text(f'#!/bin/sh\nsleep {seconds}\nexec cc "$@"\n')
    path.chmod(0o755)
    return str(path)


def _on_a_terminal(abigen: Program, *arguments: str) -> tuple[str, str, int]:
    """Run the program with a terminal as its stderr: what went to stdout, to the terminal, and the exit code."""
    controller, terminal = pty.openpty()
    try:
        run = subprocess.Popen(
            [sys.executable, "-m", "abigen", *arguments],
            cwd=abigen.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=terminal,
            env={
                **os.environ,
                "TERM": "xterm",
                "COLUMNS": "60",
                "PYTHONPATH": str(Path(__file__).parents[3]),
                "ABIGEN_CACHE_DIR": str(abigen.cache),
            },
            text=True,
        )
    finally:
        os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(controller, 4096)
        except OSError:  # Linux says so when the last writer has gone
            break
        if not part:
            break
        shown += part
    os.close(controller)
    output, _ = run.communicate(timeout=60)
    return output, shown.decode(), run.returncode


@pytest.mark.ci
def test_a_long_run_says_what_it_does_and_leaves_nothing(abigen: Program, write: Write, tmp_path: Path) -> None:
    write("old.h", FIRST)
    write("new.h", FIRST)
    slow = _slow_compiler(tmp_path / "cc", 2)
    output, shown, code = _on_a_terminal(abigen, "diff", "old.h", "new.h", "--summary", "--no-cache", "--cc", slow)
    assert (output, code) == (
        "No change. No new version is needed. The version is still 1.0.0 (TOY_MAJOR, TOY_MINOR, TOY_PATCH).\n",
        0,
    )
    assert re.search(r"\r\x1b\[Kabigen: reading (old|new)\.h, [12] s", shown)
    assert shown.endswith("\r\x1b[K")
    assert "\n" not in shown


def test_a_short_run_shows_nothing(abigen: Program, write: Write) -> None:
    write("old.h", FIRST)
    write("new.h", FIRST)
    abigen("diff", "old.h", "new.h", "--cc", "none")
    start = monotonic()
    _, shown, code = _on_a_terminal(abigen, "diff", "old.h", "new.h", "--cc", "none")
    assert code == 0
    assert not shown or monotonic() - start > DELAY  # on a busy machine no run is short


@pytest.mark.ci
def test_a_pipe_is_spared(abigen: Program, write: Write, tmp_path: Path) -> None:
    write("old.h", FIRST)
    write("new.h", FIRST)
    result = abigen("diff", "old.h", "new.h", "--no-cache", "--cc", _slow_compiler(tmp_path / "cc", 1.2))
    assert (result.remarks, result.code) == ("", 0)
