"""What an answer rests on: the files that were read, those that were looked for in vain, and the compiler.

An answer that is kept between runs is believed only while all of its evidence still holds. Everything here must stay
cheap to import (so neither pathlib nor contextlib): a run that repeats an old answer loads little else.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

try:  # hashlib loads OpenSSL, which takes longer than all the hashing does
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

Evidence = dict[str, str]
"""Absolute path to its mark: `content <digest>`, `list <digest>`, `stat <size> <time>`, `exists <yes or no>`, or
`absent`; and nothing to `date <today>`."""

ABSENT = "absent"

_TIMELESS = ("absent", "exists", "date")
"""Kinds of marks that the time of a file's last change says nothing about."""

_CLOCK_SLACK = 10_000_000
"""Nanoseconds by which file systems may stamp a file before the time that the clock shows."""


def digest(parts: Iterable[bytes]) -> str:
    """Hash a sequence of byte strings; where one ends and the next begins counts.

    Args:
        parts: what to hash, in order.

    Returns:
        40 hexadecimal digits (BLAKE2b, RFC 7693, of 20 bytes).
    """
    state = blake2b(digest_size=20)
    for part in parts:
        state.update(b"%d:" % len(part))
        state.update(part)
    return state.hexdigest()


def content_mark(content: bytes) -> str:
    """The mark of a file with this content."""
    return "content " + digest((content,))


def content_evidence(paths: Iterable[str]) -> Evidence:
    """Evidence that files have the content that they have now.

    Args:
        paths: files; one that does not exist, or is not a regular file, counts as absent.
    """
    return {os.path.abspath(path): _mark("content", path) for path in paths}


def absence_evidence(paths: Iterable[str]) -> Evidence:
    """Evidence that these files do not exist; those that do are left out."""
    return {os.path.abspath(path): ABSENT for path in paths if _mark("stat", path) == ABSENT}


def listing_evidence(directory: str) -> Evidence:
    """Evidence that a directory has the entries that it has now (their names, not their contents)."""
    return {os.path.abspath(directory): _mark("list", directory)}


def executable_evidence(path: str) -> Evidence:
    """Evidence that a program is the same, by size and time of modification: its content is too long to hash."""
    return {os.path.abspath(path): _mark("stat", path)}


def existence_evidence(paths: Iterable[str]) -> Evidence:
    """Evidence that something of this name, of whatever kind, is there or is not, as it is now."""
    return {os.path.abspath(path): _mark("exists", path) for path in paths}


def date_evidence() -> Evidence:
    """Evidence that it is still the same day, by the local clock."""
    return {"": _mark("date", "")}


def holds(evidence: Mapping[str, str]) -> bool:
    """Whether everything is still as it was when the evidence was taken."""
    return all(_mark(mark.partition(" ")[0], path) == mark for path, mark in evidence.items())


def changed_since(evidence: Mapping[str, str], moment: int) -> bool:
    """Whether a file may have changed after a moment, so that its mark may describe a later state than what was read.

    Args:
        evidence: marks taken after the moment.
        moment: nanoseconds since the epoch, taken before the first file was read.
    """
    for path, mark in evidence.items():
        if mark.partition(" ")[0] not in _TIMELESS:
            try:
                if os.stat(path).st_mtime_ns >= moment - _CLOCK_SLACK:
                    return True
            except OSError:
                return True
    return False


def _mark(kind: str, path: str) -> str:
    """Look at a file or directory as one kind of mark does."""
    try:
        if kind == "list":
            return "list " + digest(sorted(os.fsencode(name) for name in os.listdir(path)))
        if kind == "exists":
            return f"exists {'yes' if os.path.lexists(path) else 'no'}"
        if kind == "date":
            return time.strftime("date %Y-%m-%d")
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return ABSENT
        if kind != "content":
            return f"stat {status.st_size} {status.st_mtime_ns}"
        with open(path, "rb") as file:
            return content_mark(file.read())
    except (OSError, ValueError):
        return ABSENT
