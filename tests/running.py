"""Runs of abigen in this process, because that is quicker."""

from __future__ import annotations

import ctypes
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from abigen.cli.main import run
from tests.emit.building import REPOSITORY, Run


def run_here(arguments: Sequence[str], folder: Path | None = None) -> Run:
    """Run abigen in this process; apart, when another test has loaded a core here that plugins would find first.

    Args:
        arguments: without the program's name.
        folder: the current directory of the run.
    """
    if hasattr(ctypes.CDLL(None), "TF_SetStatus"):
        done = subprocess.run(
            [sys.executable, "-m", "abigen", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr)
    output, errors = io.StringIO(), io.StringIO()
    with chdir(folder or Path.cwd()), redirect_stdout(output), redirect_stderr(errors):
        code = run(list(arguments))
    return Run(code, output.getvalue(), errors.getvalue())
