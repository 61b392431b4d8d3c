"""Small libraries in C, compiled when they are needed and kept."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from abigen.model.span import AbigenError

_COMPILERS = ("cc", "gcc", "clang")


def find_compiler() -> str:
    """Path of the C compiler: what the environment's `CC` names, else the usual one.

    Raises:
        AbigenError: there is none.
    """
    wanted = os.environ.get("CC", "")
    for name in (wanted, *_COMPILERS):
        path = shutil.which(name) if name else None
        if path is not None:
            return path
    message = "no C compiler is there to make the functions that plugins link against"
    raise AbigenError.at(None, message, "install one (gcc or clang), or name it in the environment variable CC")


def shared_library(source: str, options: Sequence[str], folder: Path) -> Path:
    """Compile a shared library, unless that has been done before.

    Args:
        source: of one file in C.
        options: for the compiler besides those that make a shared library.
        folder: where such libraries are kept; it need not exist.

    Returns:
        The library.

    Raises:
        AbigenError: there is no compiler, or it refuses.
    """
    import subprocess

    compiler = find_compiler()
    key = hashlib.sha256("\0".join((compiler, source, *options)).encode()).hexdigest()[:32]
    path = folder / f"{key}.so"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{key}.{os.getpid()}"
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", "-fno-builtin", *options, "-x", "c", "-", "-o", str(made)]
    run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise AbigenError.at(
            None, f"{compiler} does not compile the functions that plugins link against:\n{run.stderr}"
        )
    made.replace(path)
    return path
