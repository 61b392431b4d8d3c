"""Files that are made: compared, written as a whole or not at all, and found again when nothing makes them any more."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from abigen.emit.publication import BANNER
from abigen.files import Files
from abigen.model.span import AbigenError

_REMAINS = ".*.[0-9]*.new"
"""The names of hidden files that are not yet in their places: `.toy.h.PID.new`."""
_BANNER_REACH = 400
"""Bytes at the beginning of a file within which its banner stands."""


def inside(directory: Path, path: str, disk: Files) -> Path:
    """The place of a file in a directory.

    Args:
        directory: where the file is to be.
        path: relative to it.
        disk: where links are looked up; they may lead around in the directory.

    Raises:
        AbigenError: a link leads out of it.
    """
    place = directory / path
    if not Path(disk.real(place)).is_relative_to(disk.real(directory)):
        raise AbigenError.at(None, f"a link on the way to {place} leads out of {directory}", "delete the link")
    return place


def outdated(made: Mapping[str, bytes], directory: Path, disk: Files) -> tuple[str, ...]:
    """Find the files that are missing or differ.

    Args:
        made: path relative to the directory to content.
        directory: where they are to be.
        disk: where they are looked up.

    Returns:
        Their paths, in the order of `made`.

    Raises:
        AbigenError: a file exists and cannot be read, or is behind a link that leads out of the directory.
    """
    return tuple(path for path, content in made.items() if read_file(inside(directory, path, disk), disk) != content)


def write_files(made: Mapping[str, bytes], directory: Path, disk: Files) -> tuple[str, ...]:
    """Write the files that differ, so that nobody ever meets half of one, and so that all are written or none.

    Each is written beside its place first, to a hidden file; when all are there they are renamed. One run at a time
    writes to a directory, so hidden files that are there already were left by a run that was stopped.

    Args:
        made: path relative to the directory to content.
        directory: where they go; made when it is missing.
        disk: where files are looked up.

    Returns:
        Paths of those that were written, in the order of `made`.

    Raises:
        AbigenError: something cannot be written, or a link leads out of the directory; what was there before is still
            there.
    """
    if not made:
        return ()
    changed = outdated(made, directory, disk)
    written: list[tuple[Path, Path]] = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _alone_in(directory):
            _remove_remains(directory, made)
            for path in changed:
                place = directory / path
                place.parent.mkdir(parents=True, exist_ok=True)
                if place.is_dir():
                    raise IsADirectoryError(0, "a directory is in its place", str(place))
                temporary = place.with_name(f".{place.name}.{os.getpid()}.new")
                written.append((temporary, place))
                with temporary.open("xb") as file:  # never through a link that somebody has put there
                    file.write(made[path])
                if place.exists():
                    temporary.chmod(place.stat().st_mode)
            for temporary, place in written:
                temporary.replace(place)
    except OSError as error:
        for temporary, _ in written:
            temporary.unlink(missing_ok=True)
        raise AbigenError.at(None, f"cannot write {error.filename or directory}: {error.strerror or error}") from error
    return changed


def remove_files(paths: Iterable[str], directory: Path) -> None:
    """Remove files that `stale_files` has found.

    Raises:
        AbigenError: one of them cannot be removed.
    """
    try:
        for path in paths:
            (directory / path).unlink(missing_ok=True)
    except OSError as error:
        raise AbigenError.at(None, f"cannot remove {error.filename}: {error.strerror}") from error


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


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Wait until no other run writes to a directory, where the system has locks for that (`flock`)."""
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove_remains(directory: Path, made: Iterable[str]) -> None:
    """Remove the hidden files that a stopped run has left beside the places of files."""
    for folder in {(directory / path).parent for path in made}:
        for path in folder.glob(_REMAINS):
            path.unlink()


def _is_generated(path: Path, disk: Files) -> bool:
    try:
        return BANNER.encode() in disk.read(path)[:_BANNER_REACH]
    except OSError:
        return False
