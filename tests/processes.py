"""Looks at the processes of the system, as /proc shows them."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc like it")
"""Marks tests that look at processes."""


def descendants(process: int) -> list[int]:
    """Return the processes that a process has started, and those that they have started."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(entry.name)] = int(_stat(int(entry.name))[1])
    family = [process]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family[1:]


def command(process: int) -> str:
    """Return the words of the command of a process; empty for one that has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def lives(process: int) -> bool:
    """True if a process has not ended."""
    try:
        return _stat(process)[0] != "Z"
    except OSError:
        return False


def _stat(process: int) -> list[str]:
    """Return the state of a process, its parent, and more: see proc(5)."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
