"""Measures whole processes, side by side: abigen on two headers, and gcc and abidiff on the same."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.tools import works

ROOT = Path(__file__).parents[2]
ROWS = (
    "abigen diff, nothing kept",
    "abigen diff, one side edited",
    "abigen diff, unchanged",
    "gcc -g twice, then abidiff",
)


class Cost(msgspec.Struct, frozen=True):
    """The time of a command, in seconds."""

    wall: float
    processor: float
    """Of the process, and of those that it has started."""


class Pair(msgspec.Struct, frozen=True):
    """Two headers to compare."""

    title: str
    old: Path
    new: Path
    include_dirs: tuple[Path, ...] = ()


def measure(pair: Pair, rounds: int, directory: Path) -> dict[str, list[Cost]]:
    """Ask about a pair again and again, each way in turn, so that what else the machine does hits all of them alike.

    Args:
        pair: what to compare.
        rounds: how often.
        directory: empty; holds caches, copies and object files.

    Returns:
        What each round took, for each of `ROWS` whose tools exist.
    """
    edited = directory / "edited.h"
    shutil.copy(pair.new, edited)
    ways: dict[str, Callable[[int], Cost]] = {
        ROWS[0]: lambda number: _abigen(pair, pair.new, directory / f"cold-{number}"),
        ROWS[1]: lambda number: _edited(pair, edited, directory / "edited", number),
        ROWS[2]: lambda number: _abigen(pair, pair.new, directory / "warm"),
    }
    if works("gcc") and works("abidiff"):
        ways[ROWS[3]] = lambda number: _reference(pair, directory)
    for way in ways.values():
        way(0)
    results: dict[str, list[Cost]] = {name: [] for name in ways}
    for number in range(1, rounds + 1):
        for name, way in ways.items():
            results[name].append(way(number))
    return results


def table(results: dict[str, dict[str, list[Cost]]]) -> str:
    """Return the medians in milliseconds, of wall clock and of processor time: a column per pair and a row per way.

    Args:
        results: by title of the pair, what `measure` returned.
    """
    lines = [f"{'median, ms of wall clock (processor)':38}" + "".join(f"{title:>34}" for title in results)]
    for row in ROWS:
        cells = [_cell(costs[row]) if row in costs else "-" for costs in results.values()]
        lines.append(f"{row:38}" + "".join(f"{cell:>34}" for cell in cells))
    return "\n".join(lines) + "\n"


def _cell(costs: list[Cost]) -> str:
    wall, processor = (
        statistics.median(each) * 1000 for each in ([one.wall for one in costs], [one.processor for one in costs])
    )
    return f"{wall:.0f} ({processor:.0f})"


def _abigen(pair: Pair, new: Path, cache: Path) -> Cost:
    """Run `abigen diff` with a cache of its own."""
    includes = [argument for each in pair.include_dirs for argument in ("-I", str(each))]
    command = [sys.executable, "-m", "abigen", "diff", str(pair.old), str(new), *includes]
    compiled = {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "abigen-benchmark-pyc")}
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, **compiled, "ABIGEN_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    return _timed([command], (0, 1), environment)


def _edited(pair: Pair, edited: Path, cache: Path, number: int) -> Cost:
    """Append a declaration to NEW, and ask while OLD is still known."""
    with edited.open("a") as file:
        file.write(f"typedef int bench_edit_{number};\n")
    os.utime(edited, (number, number))
    return _abigen(pair, edited, cache)


def _reference(pair: Pair, directory: Path) -> Cost:
    """Compile both headers with debug information, and compare what abidiff finds in it."""
    commands = []
    for side, header in (("old", pair.old), ("new", pair.new)):
        unit = directory / f"{side}.c"
        unit.write_text(f'#include "{header}"\nint anchor;\n')  # abidiff refuses an object without a symbol
        includes = [f"-I{each}" for each in pair.include_dirs]
        flags = ["-g", "-fno-eliminate-unused-debug-types", "-c"]
        commands.append(["gcc", *flags, *includes, str(unit), "-o", str(directory / f"{side}.o")])
    objects = [str(directory / "old.o"), str(directory / "new.o")]
    commands.append(["abidiff", "--non-reachable-types", *objects])
    return _timed(commands, (0, 4, 8, 12), dict(os.environ))


def _timed(commands: list[list[str]], codes: tuple[int, ...], environment: dict[str, str]) -> Cost:
    """Run programs one after the other, and check that they answered."""
    before, start = os.times(), time.perf_counter()
    runs = [subprocess.run(each, env=environment, capture_output=True, check=False) for each in commands]
    wall, after = time.perf_counter() - start, os.times()
    processor = sum(after[2:4]) - sum(before[2:4])  # of processes that have ended
    for run in runs:
        if run.returncode not in codes:
            raise RuntimeError(f"{run.args} exited {run.returncode}: {run.stderr.decode()[-2000:]}")
    return Cost(wall, processor)
