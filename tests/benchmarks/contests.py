"""The same work with a generated package and by hand, and how many times as long it may take with the package."""

from __future__ import annotations

import sys
import time
import timeit
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

TOO_SLOW = ": too slow"
"""The end of a line whose limit is exceeded."""


class Contest(msgspec.Struct, frozen=True):
    """The same work with a package, and by hand with cffi, and with ctypes where that is of interest."""

    limit: float
    """The limit of the package's time, as a multiple of the time with cffi."""
    ours: Callable[[], object]
    cffi: Callable[[], object]
    ctypes: Callable[[], object] | None = None


def measured(contest: Contest, rounds: int = 60, calls: int = 300) -> list[float]:
    """Return the time of each in nanoseconds of the processor: the best of many rounds, taken in turn."""
    work = [each for each in (contest.ours, contest.cffi, contest.ctypes) if each is not None]
    best = [float("inf")] * len(work)
    for _ in range(rounds):
        for at, each in enumerate(work):
            best[at] = min(best[at], timeit.timeit(each, timer=time.thread_time, number=calls) / calls)
    return [each * 1e9 for each in best]


def hold(contests: Callable[[Path], Mapping[str, Contest]]) -> int:
    """Measure each, and print a line for it.

    Args:
        contests: makes them, in an empty folder for what is generated and compiled.

    Returns:
        1 when one of them takes longer than it may, else 0.
    """
    failed = 0
    with TemporaryDirectory(prefix="abigen-benchmark-") as folder:
        for title, contest in contests(Path(folder)).items():
            ours, cffi, *other = measured(contest)
            beside = "".join(f", ctypes {each:6.0f} ns" for each in other)
            end = TOO_SLOW if ours > contest.limit * cffi else ""
            line = f"{title:<30} {ours:6.0f} ns, cffi {cffi:6.0f} ns{beside}: {ours / cffi:.2f} times cffi"
            sys.stdout.write(f"{line}, at most {contest.limit:.0f}{end}\n")
            failed |= bool(end)
    return failed
