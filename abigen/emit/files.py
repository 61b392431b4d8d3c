"""Files on disk: compared, written as a whole or not at all, and found again when nothing makes them any more."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from abigen.emit.publication import BANNER
from abigen.model.span import AbigenError

_BANNER_REACH = 400
"""Bytes at the beginning of a file within which its banner stands."""


def outdated(files: Mapping[str, bytes], directory: Path) -> tuple[str, ...]:
    """Find the files that are missing or differ.

    Args:
        files: path relative to the directory to content.
        directory: where they are to be.

    Returns:
        Their paths, in the order of `files`.

    Raises:
        AbigenError: a file exists and cannot be read.
    """
    return tuple(path for path, content in files.items() if read_file(directory / path) != content)


def write_files(files: Mapping[str, bytes], directory: Path) -> None:
    """Write files so that nobody ever meets half of one, and so that all are written or none.

    Each is written beside its place first; when all are there they are renamed.

    Args:
        files: path relative to the directory to content.
        directory: where they go; made when it is missing.

    Raises:
        AbigenError: something cannot be written; what was there before is still there.
    """
    written: list[tuple[Path, Path]] = []
    try:
        for path, content in files.items():
            place = directory / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.is_dir():
                raise IsADirectoryError(0, "a directory is in its place", str(place))
            temporary = place.with_name(f".{place.name}.{os.getpid()}.new")
            written.append((temporary, place))
            temporary.write_bytes(content)
            if place.exists():
                temporary.chmod(place.stat().st_mode)
        for temporary, place in written:
            temporary.replace(place)
    except OSError as error:
        for temporary, _ in written:
            temporary.unlink(missing_ok=True)
        raise AbigenError.at(None, f"cannot write {error.filename or directory}: {error.strerror or error}") from error


def difference(files: Mapping[str, bytes], directory: Path) -> str:
    """What writing the files would change.

    Args:
        files: path relative to the directory to content.
        directory: where they would go.

    Returns:
        A unified diff, empty when nothing would change.
    """
    from difflib import unified_diff

    parts: list[str] = []
    for path in outdated(files, directory):
        place = directory / path
        old, new = (read_file(place) or b"").decode("utf-8", "replace"), files[path].decode("utf-8")
        before = str(place) if place.exists() else os.devnull
        lines = unified_diff(old.splitlines(), new.splitlines(), before, str(place), lineterm="")
        parts += lines if old.splitlines() != new.splitlines() else (f"{place}: line endings differ",)
    return "".join(f"{line}\n" for line in parts)


def stale_files(made: Mapping[str, bytes], directory: Path, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Find files that abigen once made and that no spec makes any more.

    Args:
        made: what is made today, by path relative to the directory.
        directory: where generated files are.
        targets: only what these targets made counts.

    Returns:
        Their paths relative to the directory, sorted.
    """
    return tuple(sorted(path for path in _files_of(directory, targets) if path not in made))


def read_file(path: Path) -> bytes | None:
    """Read a file; None when there is none.

    Raises:
        AbigenError: it exists and cannot be read.
    """
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise AbigenError.at(None, f"cannot read {path}: {error.strerror}") from error


def _files_of(directory: Path, targets: tuple[str, ...]) -> Iterator[str]:
    """Files below the folder of a target whose first lines say that abigen made them.

    The outermost folder that is named for any target is the target's; one below may be part of a header's path.
    """
    from abigen.emit.build import target_names

    known = target_names()
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        relative = Path(folder).relative_to(directory)
        if next((part for part in relative.parts if part in known), "") not in targets:
            continue
        for name in names:
            if BANNER.encode() in _beginning(Path(folder, name)):
                yield (relative / name).as_posix()


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_BANNER_REACH)
    except OSError:
        return b""
