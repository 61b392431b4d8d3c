"""The C compiler: builds the libraries that plugins link against."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from abigen.model.span import AbigenError, Diagnostic

_COMPILERS = ("cc", "gcc", "clang")
"""Names of C compilers, in the order in which they are tried when the environment names none in CC."""


def find_compiler() -> list[str]:
    """The C compiler and its first arguments: the environment's CC, or the first on PATH.

    Raises:
        AbigenError: there is none; with how to get one.
    """
    chosen = shlex.split(os.environ.get("CC", ""))
    if chosen and which(chosen[0]) is None:
        message = f"there is no C compiler `{chosen[0]}`, which CC names"
        raise AbigenError.at(None, message, "set CC to one that is there")
    found = chosen or [name for name in _COMPILERS if which(name)][:1]
    if not found:
        mac = sys.platform == "darwin"
        package = "the command line tools by `xcode-select --install`" if mac else "gcc or clang"
        message = "a C compiler is needed to build what plugins link against, and there is none"
        raise AbigenError.at(None, message, f"install {package}, or name one in the environment as CC")
    return found


def compile_library(arguments: Sequence[str], output: Path, *, source: str = "") -> None:
    """Compile and link a shared library.

    Args:
        arguments: for the compiler: options, and the sources that are files.
        output: the library; it is put in place whole, or not at all.
        source: a further source, as text; empty for none.

    Raises:
        AbigenError: there is no compiler, or it refuses; with what it said.
    """
    import subprocess

    temporary = output.with_name(f".{output.name}.{os.getpid()}")
    kind = "-dynamiclib" if sys.platform == "darwin" else "-shared"
    given = ["-x", "c", "-"] if source else []
    command = [*find_compiler(), kind, "-fPIC", "-O1", *arguments, *given, "-o", str(temporary)]
    result = subprocess.run(command, input=source, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode:
        temporary.unlink(missing_ok=True)
        said = (result.stderr or result.stdout).strip()
        lines = (f"{command[0]} cannot build the core's library:", *said.splitlines())
        raise AbigenError([Diagnostic(None, line) for line in lines])
    temporary.replace(output)


def kept_library(source: str, options: Sequence[str], folder: Path) -> Path:
    """Compile a shared library from one text, unless that has been done before.

    Args:
        source: in C.
        options: for the compiler.
        folder: where such libraries are kept; it need not exist.

    Returns:
        The library.

    Raises:
        AbigenError: there is no compiler, or it refuses.
    """
    key = hashlib.sha256("\0".join((*find_compiler(), source, *options)).encode()).hexdigest()[:32]
    path = folder / f"{key}.so"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        compile_library(["-w", "-fno-builtin", *options], path, source=source)
    return path
