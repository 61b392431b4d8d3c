"""A very large header is read in little memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("command", ["layout", "lint"])
def test_sixty_thousand_structs_take_less_than_600_megabytes(command: str, tmp_path: Path) -> None:
    header = tmp_path / "large.h"
    header.write_text("".join(f"struct S{number} {{ int a; long b; }};\n" for number in range(60_000)))
    arguments = [sys.executable, "-m", "abigen", command, str(header), "--no-cache"]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert usage.ru_maxrss < 600_000
