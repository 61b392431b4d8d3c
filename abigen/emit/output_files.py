"""Files that are made: compared, written as a whole or not at all, and found again when nothing makes them any more."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from abigen.emit.publication import BANNER
from abigen.files import Files
from abigen.model.span import AbigenError

_BANNER_REACH = 400
"""Bytes at the beginning of a file within which its banner stands."""


def outdated(made: Mapping[str, bytes], directory: Path, disk: Files) -> tuple[str, ...]:
    """Find the files that are missing or differ.

    Args:
        made: path relative to the directory to content.
        directory: where they are to be.
        disk: where they are looked up.

    Returns:
        Their paths, in the order of `made`.

    Raises:
        AbigenError: a file exists and cannot be read.
    """
    return tuple(path for path, content in made.items() if read_file(directory / path, disk) != content)


def write_files(made: Mapping[str, bytes], directory: Path) -> None:
    """Write files so that nobody ever meets half of one, and so that all are written or none.

    Each is written beside its place first, to a hidden file; when all are there they are renamed.

    Args:
        made: path relative to the directory to content.
        directory: where they go; made when it is missing.

    Raises:
        AbigenError: something cannot be written; what was there before is still there.
    """
    written: list[tuple[Path, Path]] = []
    try:
        for path, content in made.items():
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


def difference(made: Mapping[str, bytes], directory: Path, disk: Files) -> str:
    """What writing the files would change.

    Args:
        made: path relative to the directory to content.
        directory: where they would go.
        disk: where they are looked up.

    Returns:
        A unified diff, empty when nothing would change.
    """
    from difflib import unified_diff

    parts: list[str] = []
    for path in outdated(made, directory, disk):
        place = str(directory / path)
        there = read_file(place, disk)
        old, new = (there or b"").decode("utf-8", "replace").splitlines(), made[path].decode("utf-8").splitlines()
        lines = unified_diff(old, new, os.devnull if there is None else place, place, lineterm="")
        parts += lines if old != new else (f"{place}: line endings differ",)
    return "".join(f"{line}\n" for line in parts)


def stale_files(
    made: Collection[str], directory: Path, targets: Collection[str], known: Collection[str], disk: Files
) -> tuple[str, ...]:
    """Find files that abigen once made and that no spec makes any more.

    Their first lines say that abigen made them, and they stand below the folder of a target. The outermost folder that
    is named for any target is the target's; one below may be part of a header's path. What is hidden is passed over, so
    the temporary files of another build are.

    Args:
        made: what is made today, by path relative to the directory.
        directory: where generated files are.
        targets: only what these targets made counts.
        known: names of all targets.
        disk: where files are looked up.

    Returns:
        Their paths relative to the directory, sorted.

    Raises:
        AbigenError: a folder cannot be listed.
    """
    try:
        there = disk.below(directory) if disk.is_dir(directory) else ()
    except OSError as error:
        raise AbigenError.at(None, f"cannot list {error.filename or directory}: {error.strerror}") from error
    target_of = {path: next((each for each in path.split("/")[:-1] if each in known), "") for path in there}
    left = (path for path in there if path not in made and target_of[path] in targets)
    return tuple(path for path in left if _is_generated(directory / path, disk))


def read_file(path: str | Path, disk: Files) -> bytes | None:
    """Read a file; None when there is none.

    Raises:
        AbigenError: it exists and cannot be read.
    """
    try:
        return disk.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise AbigenError.at(None, f"cannot read {path}: {error.strerror}") from error


def _is_generated(path: Path, disk: Files) -> bool:
    try:
        return BANNER.encode() in disk.read(path)[:_BANNER_REACH]
    except OSError:
        return False
