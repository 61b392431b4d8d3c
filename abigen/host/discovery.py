"""Plugins in the directories where they are installed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from abigen.model.span import AbigenError

_SUFFIXES = {"win32": (".dll",), "darwin": (".dylib", ".so")}


def plugin_suffixes(platform: str = sys.platform) -> tuple[str, ...]:
    """What names of shared libraries end in on a platform."""
    return _SUFFIXES.get(platform, (".so",))


def default_directories(folder: str) -> tuple[Path, ...]:
    """The folder of this name in every directory of Python packages that has one.

    Args:
        folder: as the API's documents name it.
    """
    import site
    import sysconfig

    paths = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    if site.ENABLE_USER_SITE:
        paths.append(site.getusersitepackages())
    found = (Path(path) / folder for path in dict.fromkeys(paths))
    return tuple(path for path in found if path.is_dir())


def find_plugins(directories: Iterable[Path]) -> tuple[Path, ...]:
    """Find the plugins in directories.

    A plugin is a shared library in a directory, or in a folder below it, as packages install theirs. Symlinks and hard
    links to one file are one plugin, under the first of its names.

    Args:
        directories: in the order in which their plugins are to be loaded.

    Returns:
        Paths below the directories, those of one directory sorted by their names.

    Raises:
        AbigenError: there is no such directory.
    """
    found: dict[tuple[int, int], Path] = {}
    for directory in directories:
        if not directory.is_dir():
            raise AbigenError.at(None, f"there is no directory {directory} to look for plugins in")
        for path in _libraries(directory):
            status = path.stat()
            found.setdefault((status.st_dev, status.st_ino), path)
    return tuple(found.values())


def _libraries(directory: Path) -> Iterator[Path]:
    """Shared libraries below a directory, sorted; hidden files, caches and dangling links are none."""
    suffixes = plugin_suffixes()
    for path in sorted(directory.rglob("*"), key=lambda path: path.relative_to(directory).parts):
        parts = path.relative_to(directory).parts
        hidden = any(part.startswith((".", "__pycache__")) for part in parts)
        if not hidden and path.name.endswith(suffixes) and path.is_file():
            yield path


def identity(path: Path) -> tuple[int, int]:
    """What two paths to one file have in common.

    Raises:
        AbigenError: there is no such file.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise AbigenError.at(None, f"{path}: {error.strerror}") from error
    return status.st_dev, status.st_ino
