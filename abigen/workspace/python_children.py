"""Starts further Python processes for abigen's own work.

They import nothing from the current directory, which may be an untrusted checkout, and they end when this process ends.
Programs that are not abigen's own are started elsewhere, with the environment unchanged.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVarTuple

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.context import SpawnContext

Ts = TypeVarTuple("Ts")


def python_command(code: str, *arguments: str) -> list[str]:
    """Return the command of a Python that runs some code, with the modules that this process can import."""
    found_here = f"import sys; sys.path[:] = {sys.path!r}; "
    return [sys.executable, *_flags(), "-c", found_here + code, *arguments]


def process_pool(processes: int, begin: Callable[[*Ts], None] | None = None, *arguments: *Ts) -> ProcessPoolExecutor:
    """Return a pool of processes.

    Args:
        processes: the largest number of processes.
        begin: called in each process before its work.
        arguments: of `begin`.
    """
    from concurrent.futures import ProcessPoolExecutor

    _isolate()
    return ProcessPoolExecutor(processes, initializer=_begin, initargs=(begin, *arguments))


def spawning() -> SpawnContext:
    """Return the way to start one process, which calls `end_with_parent` first."""
    from multiprocessing import get_context

    _isolate()
    return get_context("spawn")


def end_with_parent() -> None:
    """Let this process end as soon as the process that started it has ended, even by SIGKILL."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait
    from threading import Thread

    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _begin(begin: Callable[[*Ts], None] | None, *arguments: *Ts) -> None:
    """Prepare a process of a pool."""
    end_with_parent()
    if begin is not None:
        begin(*arguments)


def _isolate() -> None:
    """Let multiprocessing start Python with `-P`: its processes, its fork server and its resource tracker.

    The variable PYTHONSAFEPATH would do so, too, but compilers and other programs of the user would inherit it.
    """
    from multiprocessing import util

    usual = "_args_from_interpreter_flags"
    if not hasattr(util, usual):
        raise RuntimeError("this version of Python starts processes in a way that abigen does not know")
    setattr(util, usual, _flags)


def _flags() -> list[str]:
    """Return the options of this Python for further ones, with the option that leaves out the current directory."""
    flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [*flags, "-P"]
