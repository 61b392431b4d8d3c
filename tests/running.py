"""Runs of abigen in this process, which saves its start; tests of the process itself start one."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import BinaryIO
from unittest.mock import patch

import msgspec

from abigen.cli.main import run

REPOSITORY = Path(__file__).parents[1]
LOADS_PLUGINS = ("verify", "run")
"""Commands that load plugins."""
_STREAMS = ("stdout", "stderr")
"""Files into which a copy writes."""


class Run(msgspec.Struct, frozen=True):
    """The output of a command."""

    code: int
    stdout: str
    stderr: str


def run_here(
    arguments: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    text: bytes = b"",
    *,
    is_parent: bool = False,
) -> Run:
    """Run abigen in this process, or in a small one that begins as a copy when the command loads plugins.

    Such a command starts many processes, which would all begin as copies of this large one; and a test may have loaded
    a core here, which plugins would find first.

    Args:
        arguments: without the program's name.
        folder: the current directory of the run.
        environment: all variables; None for those of this process.
        text: standard input.
        is_parent: whether the plugin's processes begin as copies of this one, because the test has prepared it.
    """
    if arguments[:1] and arguments[0] in LOADS_PLUGINS and not is_parent:
        return run_in_copy(arguments, folder, environment, text)
    return _redirected(_call_of(arguments, folder, environment), text)


def run_in_copy(
    arguments: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    text: bytes = b"",
) -> Run:
    """Run abigen in a process of its own that begins as a copy of one that has imported the commands, and done nothing.

    Args:
        arguments: without the program's name.
        folder: the current directory of the run.
        environment: all variables; None for those of this process. What Python reads when it starts has no effect.
        text: standard input.
    """
    with TemporaryDirectory() as streams:
        context = get_context("forkserver")
        context.set_forkserver_preload(
            ["tests.running", "abigen.cli.diff", "abigen.cli.verify", "abigen.runner.verify.runner"]
        )
        process = context.Process(target=_be_copy, args=(_call_of(arguments, folder, environment), text, Path(streams)))
        process.start()
        process.join(120)
        if process.exitcode is None:
            process.kill()
            process.join()
        output, errors = ((Path(streams) / name).read_bytes().decode("utf-8", "backslashreplace") for name in _STREAMS)
        return Run(process.exitcode or 0, output, errors)


def _call_of(arguments: Sequence[str], folder: Path | None, environment: Mapping[str, str] | None) -> Callable[[], int]:
    """Return the run with its surroundings, as another process can take it."""
    variables = dict(os.environ if environment is None else environment)
    return partial(_call, list(arguments), folder or Path.cwd(), variables)


def _call(arguments: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Run abigen with another directory and environment."""
    with (
        chdir(folder),
        patch.object(sys, "argv", ["abigen", *arguments]),
        patch.dict(os.environ, environment, clear=True),
    ):
        time.tzset()  # the variable TZ may be another one
        return run(arguments)


def _be_copy(call: Callable[[], int], text: bytes, folder: Path) -> None:
    """Call in the copy: write both streams to files in a folder, and exit with the code of the call."""
    gc.disable()  # as the program does
    with TemporaryFile() as given, (folder / "stdout").open("wb") as output, (folder / "stderr").open("wb") as errors:
        given.write(text)
        given.seek(0)
        with _as_stream(0, given), _as_stream(1, output), _as_stream(2, errors):
            sys.exit(call())


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
