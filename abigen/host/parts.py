"""What a core of one API is made of, put together in a folder: headers, bindings, library, its side in Python."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from abigen.host.backend import Backend
from abigen.host.library import build_library, library_name
from abigen.model.span import AbigenError

LIBRARY, BACKEND = "library", "backend"
"""Folders of an API's own files: the library in C, and the side in Python."""

_INCLUDE = "include"
_HEADER = "core.h"
_KEPT = 8
_OLD_SECONDS = 24 * 3600


def assemble(
    folder: Path, headers: Mapping[str, bytes], bindings: Mapping[str, bytes], own: Mapping[str, bytes]
) -> None:
    """Put a core's parts together.

    Args:
        folder: where; it appears whole, or not at all. Its name is that of a Python package.
        headers: path to content of what plugins and the library include, and of what they include.
        bindings: path to content of the packages of the API.
        own: path to content of the API's own files, in the folders `library` and `backend`.

    Raises:
        AbigenError: there is no C compiler, or the folder cannot be written.
    """
    import tempfile

    files = {f"{_INCLUDE}/{path}": content for path, content in headers.items()}
    files.update(bindings)
    files.update(own)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
            made = Path(temporary) / folder.name
            for path, content in files.items():
                place = made / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            build_library(sorted((made / LIBRARY).glob("*.c")), [made / _INCLUDE], made / library_name())
            made.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # nobody else was faster
            raise AbigenError.at(None, f"{error.filename}: {error.strerror}") from error


def forget_old(folder: Path) -> None:
    """Remove the cores that nobody has used for long, all but the last few.

    Args:
        folder: where cores are kept.
    """
    import shutil
    import time

    cores = sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: each.stat().st_mtime)
    for each in cores[:-_KEPT]:
        if time.time() - each.stat().st_mtime > _OLD_SECONDS:
            shutil.rmtree(each, ignore_errors=True)


def start_backend(folder: Path) -> Backend:
    """Load the library of a core that has been assembled, and import its side in Python.

    Plugins find the functions of the first library that is loaded, so cores of several releases share that one.

    Raises:
        AbigenError: the library of another abigen's core of this API has been loaded before.
    """
    _import_as_package(folder)
    backend = import_module(f"{folder.name}.{BACKEND}").Backend
    started: Backend = backend(_serving(folder), folder / library_name(), folder / LIBRARY / _HEADER)
    return started


_libraries: dict[str, tuple[dict[str, bytes], Path]] = {}
"""The part of a folder's name that tells the API, to what the library that serves it was made of, and where it is."""


def _serving(folder: Path) -> Path:
    """The library in which plugins find the core's functions."""
    sources = {path.name: path.read_bytes() for path in sorted((folder / LIBRARY).iterdir()) if path.is_file()}
    made_of, library = _libraries.setdefault(folder.name.rpartition("_")[0], (sources, folder / library_name()))
    if made_of != sources:
        raise AbigenError.at(None, "another core of this API is in this process already", "start it in a new process")
    return library


def _import_as_package(folder: Path) -> None:
    """Make a folder a package of its own name, so that cores of several releases can be in one process."""
    from types import ModuleType

    if folder.name not in sys.modules:
        package = ModuleType(folder.name, "A core and the bindings that it is built on.")
        package.__path__ = [str(folder)]
        sys.modules[folder.name] = package
