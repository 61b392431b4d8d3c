"""Compiles the types of packages (API mode of cffi): the C compiler determines all offsets."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import EnumType
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from .structs import StructType

if TYPE_CHECKING:
    from .ffi import Declarations

_UNKNOWN = "/* another pointer in C */"
"""The comment behind a member that cffi takes for a `void*`."""
_STRICT = ("-Werror=incompatible-pointer-types", "-Werror=int-conversion")
"""Makes GCC and Clang refuse members of other types than were declared."""


class CompilationError(Exception):
    """The C compiler does not agree with the declarations, or is not there."""


def main(parent: str, folder: Path) -> int:
    """Run the command that compiles the packages of a group; returns its exit code.

    Args:
        parent: the package that they stand in.
        folder: its folder.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {parent}.compile", description="Compile packages."
    )
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="default: all")
    parser.add_argument(
        "-I",
        dest="include_dirs",
        action="append",
        default=[],
        metavar="DIR",
        help="where headers are",
    )
    arguments = parser.parse_args()
    names = arguments.packages or sorted(
        each.parent.name for each in folder.glob("*/_declarations.py")
    )
    try:
        for path in compile_packages(
            [f"{parent}.{name}" for name in names], arguments.include_dirs
        ):
            print(f"wrote {path}")
    except CompilationError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def compile_packages(
    names: Iterable[str], include_dirs: Sequence[str]
) -> Iterator[Path]:
    """Compile packages and those that they use, and check each against its header.

    Args:
        names: full names of packages.
        include_dirs: the folders of their headers.

    Yields:
        The compiled modules, each beside the package that it is for.

    Raises:
        CompilationError: a header does not say what a package does, or nothing can be compiled here.
    """
    done: set[str] = set()
    for name in names:
        for package in _closure(import_module(f"{name}._declarations").declarations):
            if package.package not in done:
                done.add(package.package)
                yield _compile(package, include_dirs)
    for name in done:
        _check(name)


def _closure(declarations: Declarations) -> Iterator[Declarations]:
    """Yield the declarations that some declarations need, and then these."""
    for each in declarations.uses:
        yield from _closure(each)
    yield declarations


def _compile(declarations: Declarations, include_dirs: Sequence[str]) -> Path:
    builder = declarations.builder
    builder.set_source(
        declarations.compiled_name,
        "\n".join(_source(declarations)),
        include_dirs=[str(Path(each).absolute()) for each in include_dirs],
        extra_compile_args=_options(declarations),
    )
    module = import_module(declarations.package)
    folder = Path(str(module.__file__)).parent
    with TemporaryDirectory(prefix="compiled-") as work:
        try:
            made = Path(builder.compile(tmpdir=work))
        except ModuleNotFoundError as error:
            raise CompilationError(
                f"{error}: compiling takes setuptools, install it"
            ) from error
        except Exception as error:
            if type(error).__name__ not in (
                "VerificationError",
                "CompileError",
                "LinkError",
            ):
                raise
            message = f"{declarations.package} does not compile against {declarations.include}: {error}"
            raise CompilationError(message) from error
        return Path(shutil.copy(made, folder / made.name))


def _options(declarations: Declarations) -> list[str]:
    """Return the options of the compiler; cffi does not know the types of some members."""
    if sys.platform == "win32":
        return []
    is_known = all(_UNKNOWN not in text for text, _ in declarations.pieces)
    return [*_STRICT] if is_known else ["-Wno-incompatible-pointer-types"]


def _source(declarations: Declarations) -> Iterator[str]:
    """Yield the C code that cffi's own follows: the header, and an assertion for each function."""
    yield f'#include "{declarations.include}"'
    functions = import_module(declarations.package).FUNCTIONS
    for name, signature in functions.items():
        yield f"_Static_assert(_Generic(&{name}, {signature.text}: 1, default: 0),"
        yield f'               "{name} has another type in the header");'


def _check(package: str) -> None:
    """Look at a package's compiled types in a process of their own."""
    code = f"from {__name__} import check_types; check_types({package!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [
            f"exit code {done.returncode}"
        ]
        raise CompilationError(f"{package} does not agree with its header: {reason[0]}")


def check_types(package: str) -> None:
    """Compare every type of a package that is compiled with the compiler's; cffi raises where they differ.

    Args:
        package: its full name.

    Raises:
        CompilationError: it is not compiled.
    """
    declarations = import_module(f"{package}._declarations").declarations
    if not declarations.is_compiled:
        raise CompilationError(f"{package} is not compiled")
    for each in vars(import_module(package)).values():
        if isinstance(each, StructType) and each.__module__ == package:
            each.unpadded_size  # noqa: B018
        elif isinstance(each, EnumType) and each.__module__ == package:
            members: dict[str, int] = dict(each.__members__)
            for name, member in members.items():
                with suppress(AttributeError):
                    value = declarations.ffi.integer_const(name)
                    if value != member:
                        raise CompilationError(
                            f"{name} is {value} in the header, and {member} here"
                        )
