"""`python -m tests.benchmarks.calls` prints what a call through a generated package takes beside bare cffi."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.contests import Contest, hold
from tests.generator.python.building import HERE, compile_library, generate, load_package

LIMIT = 2.0
"""The limit of a call, as a multiple of the time with bare cffi."""


def contests(folder: Path) -> Mapping[str, Contest]:
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
        "numbers": Contest(LIMIT, lambda: arms.add(1, 2), lambda: table.add(1, 2)),
        "a struct": Contest(LIMIT, lambda: arms.name_of(robot), lambda: ffi.string(table.name_of(object_)).decode()),
        "two results": Contest(LIMIT, lambda: arms.measure(robot), measure),
        "a status": Contest(LIMIT, lambda: arms.run(robot, None, None), run),
        "memory, a status": Contest(LIMIT, lambda: arms.copy(target, source, 64), copy),
    }


if __name__ == "__main__":
    sys.exit(hold(contests))
