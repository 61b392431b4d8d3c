"""Runs of abigen in this process, which saves its start; tests of the process itself start one."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO
from unittest.mock import patch

from abigen.cli.main import run

REPOSITORY = Path(__file__).parents[1]
LOADS_PLUGINS = ("verify", "run")
"""Commands that load plugins."""


@dataclass(frozen=True)
class Run:
    """What a command said."""

    code: int
    stdout: str
    stderr: str


def run_here(
    arguments: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    text: bytes = b"",
) -> Run:
    """Run abigen in this process; apart, where plugins would find a core that another test has loaded here.

    Args:
        arguments: without the program's name.
        folder: the current directory of the run.
        environment: all variables; None for those of this process.
        text: standard input.
    """
    if arguments[:1] and arguments[0] in LOADS_PLUGINS and hasattr(ctypes.CDLL(None), "TF_SetStatus"):
        return run_apart(arguments, folder, environment, text)

    def call() -> int:
        with chdir(folder or Path.cwd()), patch.object(sys, "argv", ["abigen", *arguments]):
            return run(list(arguments))

    variables = os.environ if environment is None else environment
    with patch.dict(os.environ, dict(variables), clear=True):
        return _redirected(call, text)


def run_apart(
    arguments: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    text: bytes = b"",
) -> Run:
    """Run abigen in a process of its own, for tests of starts, signals, limits, or what a process leaves behind.

    Args:
        arguments: without the program's name.
        folder: the current directory of the run.
        environment: all variables but those that lead Python to this checkout; None for those of this process.
        text: standard input.
    """
    variables = os.environ if environment is None else environment
    paths = os.pathsep.join(filter(None, (str(REPOSITORY), variables.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "abigen", *arguments],
        cwd=folder,
        input=text,
        env={**variables, "PYTHONPATH": paths},
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def _redirected(call: Callable[[], int], text: bytes) -> Run:
    """Call with the three standard streams as files, for the processes that the call starts, too."""
    with TemporaryFile() as given, TemporaryFile() as output, TemporaryFile() as errors:
        given.write(text)
        given.seek(0)
        with _as_stream(0, given), _as_stream(1, output), _as_stream(2, errors):
            code = call()
        return Run(code, _content(output), _content(errors))


@contextmanager
def _as_stream(number: int, file: BinaryIO) -> Iterator[None]:
    """Let a file take the place of a standard stream, for Python and for the operating system."""
    name, mode = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))[number]
    kept = os.dup(number)
    try:
        os.dup2(file.fileno(), number)
        with open(number, mode, encoding="utf-8", closefd=False) as stream, patch.object(sys, name, stream):
            yield
    finally:
        os.dup2(kept, number)
        os.close(kept)


def _content(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "backslashreplace")
