"""`python -m tests.benchmarks.calls` prints what a call through a generated package takes beside bare cffi."""

from __future__ import annotations

import sys
import time
import timeit
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tests.emit_python.building import HERE, compile_library, generate, load_package

LIMIT = 2.0
"""How many times as long as bare cffi a call may take."""


class Pair(msgspec.Struct, frozen=True):
    """The same call twice: through the package, and by hand with cffi, checks of the status included."""

    ours: Callable[[], object]
    bare: Callable[[], object]


def pairs(folder: Path) -> Mapping[str, Pair]:
    """Calls into a plugin that is compiled here.

    Args:
        folder: an empty folder for what is generated and compiled.
    """
    generate(folder)
    include = folder / "c"
    package: Any = load_package(folder / "python", "plugin_api.robot")
    shared: Any = load_package(folder / "python", "plugin_api")
    shared.core.load(compile_library(HERE / "core.c", folder / "libcore.so", include))
    plugin = package.Plugin(compile_library(HERE / "plugin.c", folder / "plugin.so", include))
    robot, arms = package.RB_Robot(ordinal=1), package.RB_Arms()
    plugin.RB_Start(package.RB_Params(robot=robot, arms=arms))

    ffi, table, object_ = package.ffi, arms.cdata, robot.cdata
    signals: Any = load_package(folder / "python", "plugin_api.signal")
    new, code, delete = (getattr(signals._core, f"SIG_{name}") for name in ("New", "Code", "Delete"))

    def measure() -> object:
        free, total = ffi.new("int64_t *"), ffi.new("int64_t *")
        result = table.measure(object_, free, total)
        return result, free[0], total[0]

    target, source = bytearray(64), bytes(64)

    def copy() -> None:
        status = new()
        try:
            table.copy(ffi.from_buffer(target, require_writable=True), ffi.from_buffer(source), 64, status)
            if code(status) != 0:
                raise RuntimeError
        finally:
            delete(status)

    def run() -> None:
        status = new()
        try:
            table.run(object_, ffi.NULL, ffi.NULL, status)
            if code(status) != 0:
                raise RuntimeError
        finally:
            delete(status)

    return {
        "numbers": Pair(lambda: arms.add(1, 2), lambda: table.add(1, 2)),
        "a struct": Pair(lambda: arms.name_of(robot), lambda: ffi.string(table.name_of(object_)).decode()),
        "two results": Pair(lambda: arms.measure(robot), measure),
        "a status": Pair(lambda: arms.run(robot, None, None), run),
        "memory, a status": Pair(lambda: arms.copy(target, source, 64), copy),
    }


def ratio(pair: Pair, rounds: int = 60, calls: int = 300) -> tuple[float, float]:
    """How long one call takes in seconds of the processor, ours and bare: the best of many rounds, taken in turn.

    Args:
        pair: what to call.
        rounds: how often to look at the clock for each.
        calls: how many calls there are between two looks.
    """
    ours, bare = [], []
    for _ in range(rounds):
        bare.append(timeit.timeit(pair.bare, timer=time.thread_time, number=calls))
        ours.append(timeit.timeit(pair.ours, timer=time.thread_time, number=calls))
    return min(ours) / calls, min(bare) / calls


def main() -> None:
    """Measure, and print a line for each kind of call."""
    with TemporaryDirectory(prefix="abigen-calls-") as folder:
        for name, pair in pairs(Path(folder)).items():
            ours, bare = ratio(pair, rounds=200)
            print(
                f"{name:<18} {ours * 1e9:6.0f} ns, bare {bare * 1e9:6.0f} ns, {ours / bare:.2f} times", file=sys.stdout
            )


if __name__ == "__main__":
    main()
