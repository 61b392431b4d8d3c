"""Building the core's library from C, and loading it so that plugins find its functions."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from abigen.model.span import AbigenError

COMPILERS = ("cc", "gcc", "clang")
"""Names of C compilers, in the order in which they are tried when the environment names none in CC."""


def find_compiler() -> list[str]:
    """The C compiler and its first arguments: the environment's CC, or the first on PATH.

    Raises:
        AbigenError: there is none; with how to get one.
    """
    from shutil import which

    chosen = shlex.split(os.environ.get("CC", ""))
    if chosen:
        if which(chosen[0]) is None:
            raise AbigenError.at(
                None, f"there is no C compiler `{chosen[0]}`, which CC names", "set CC to one that is there"
            )
        return chosen
    found = next((name for name in COMPILERS if which(name)), None)
    if found is None:
        raise AbigenError.at(
            None,
            "a C compiler is needed to build what plugins link against, and there is none",
            f"install {_package()}, or name one in the environment as CC",
        )
    return [found]


def build_library(sources: Sequence[Path], include_dirs: Sequence[Path], output: Path) -> None:
    """Compile and link a shared library that exports what its headers declare.

    Args:
        sources: the C files.
        include_dirs: where to look for headers.
        output: the library; it is put in place whole, or not at all.

    Raises:
        AbigenError: there is no compiler, or it refuses; with what it said.
    """
    import subprocess

    if sys.platform == "win32":
        raise AbigenError.at(
            None,
            "the core's library is built for Linux and macOS only",
            "on Windows plugins link against the import library of one core; run abigen under WSL",
        )
    temporary = output.with_name(f".{output.name}.{os.getpid()}")
    system = ["-dynamiclib"] if sys.platform == "darwin" else ["-shared", "-pthread", "-Wl,-z,defs"]
    command = [
        *find_compiler(),
        *("-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-fPIC", "-fvisibility=hidden"),
        *system,
        *(f"-I{path}" for path in include_dirs),
        *map(str, sources),
        *("-o", str(temporary)),
    ]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode:
        temporary.unlink(missing_ok=True)
        said = (result.stderr or result.stdout).strip()
        raise AbigenError.at(None, f"{command[0]} cannot build the core's library:\n{said}")
    temporary.replace(output)


def library_name() -> str:
    """The file name of a core's library on this platform."""
    return "libabigen-core.dylib" if sys.platform == "darwin" else "libabigen-core.so"


def _package() -> str:
    return "the command line tools by `xcode-select --install`" if sys.platform == "darwin" else "gcc or clang"
