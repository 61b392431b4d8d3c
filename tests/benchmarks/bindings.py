"""`python -m tests.benchmarks.bindings` prints what members and callbacks cost in a package, with cffi, with ctypes."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.contests import Contest, hold
from tests.generator.python.building import generate, load_package

MEMBER, WRITE, CALLBACK = 2.0, 3.0, 3.0
"""The limits of reading and writing a member, and of a call by C, as multiples of the time with bare cffi."""


class _Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_float), ("y", ctypes.c_double))


class _Robot(ctypes.Structure):
    """The first members of a robot, and those after them that are asked for."""

    _fields_ = (
        *(("struct_size", ctypes.c_size_t), ("ext", ctypes.c_void_p), ("ordinal", ctypes.c_int32)),
        *(("name", ctypes.c_char_p), ("where", _Point), ("grip", ctypes.c_int16 * 4), ("path", ctypes.c_void_p)),
        *(("num_path", ctypes.c_size_t), ("mood", ctypes.c_int), ("next", ctypes.c_void_p)),
        *(("watcher", ctypes.c_void_p), ("awake", ctypes.c_bool)),
    )


def contests(folder: Path) -> Mapping[str, Contest]:
    """Return the measured operations.

    Args:
        folder: an empty folder for what is generated.
    """
    generate(folder)
    package: Any = load_package(folder / "python", "plugin_api.robot")
    return {**_members(package), **_callbacks(package)}


def _members(package: Any) -> dict[str, Contest]:
    ffi, mood = package.ffi, package.RB_Mood
    robot = package.RB_Robot(ordinal=3, name="Robby", mood=mood.RB_ANGRY, awake=True)
    bare, point, bare_point = robot.cdata, robot.where, robot.where.cdata
    other = _Robot.from_address(int(ffi.cast("uintptr_t", bare)))
    other_point = other.where
    needed = package.RB_Robot.offset_of("awake") + 1

    def checked(struct: Any) -> Any:
        """Return the struct, after the look at its size that the package takes, too."""
        if struct.struct_size < needed:
            raise AttributeError
        return struct

    def write(to: Any) -> Callable[[], object]:
        def ordinal() -> None:
            to.ordinal = 3

        return ordinal

    def write_later(to: Any) -> Callable[[], object]:
        def awake() -> None:
            to.awake = True

        return awake

    return {
        "write: a number": Contest(WRITE, write(robot), write(bare), write(other)),
        "write: of a later release": Contest(WRITE, write_later(robot), write_later(bare), write_later(other)),
        "member: a number": Contest(
            MEMBER, lambda: robot.ordinal, lambda: checked(bare).ordinal, lambda: checked(other).ordinal
        ),
        "member: of a small struct": Contest(MEMBER, lambda: point.y, lambda: bare_point.y, lambda: other_point.y),
        "member: of a struct within": Contest(
            MEMBER, lambda: robot.where.y, lambda: bare.where.y, lambda: other.where.y
        ),
        "member: of a later release": Contest(
            MEMBER, lambda: robot.awake, lambda: checked(bare).awake, lambda: checked(other).awake
        ),
        "member: an enumeration": Contest(
            MEMBER, lambda: robot.mood, lambda: mood(checked(bare).mood), lambda: mood(checked(other).mood)
        ),
        "member: text": Contest(
            MEMBER,
            lambda: robot.name,
            lambda: ffi.string(checked(bare).name).decode(),
            lambda: checked(other).name.decode(),
        ),
    }


def _callbacks(package: Any) -> dict[str, Contest]:
    ffi = package.ffi
    robot, arms = package.RB_Robot(ordinal=3, mood=2), package.RB_Arms()
    bare = robot.cdata
    other = ctypes.cast(int(ffi.cast("uintptr_t", bare)), ctypes.POINTER(_Robot))
    arms.add = lambda a, b: a + b
    arms.mood_of = lambda of: of.mood
    arms.name_of = lambda of: "Robby"
    arms.measure = lambda of: (True, 1, 2)
    table = arms.cdata
    text = ffi.new("char[]", b"Robby")
    free, total = ffi.new("int64_t *"), ffi.new("int64_t *")
    other_text = ctypes.create_string_buffer(b"Robby")
    number = ctypes.POINTER(ctypes.c_int64)
    first, second = (ctypes.pointer(ctypes.c_int64()) for _ in range(2))

    def measure(of: Any, free: Any, total: Any) -> bool:
        free[0], total[0] = 1, 2
        return True

    ours = {name: getattr(table, name) for name in ("add", "mood_of", "name_of", "measure")}
    by_cffi = {
        "add": ffi.callback("int(int, int)", lambda a, b: a + b),
        "mood_of": ffi.callback("RB_Mood(const RB_Robot*)", lambda of: of.mood),
        "name_of": ffi.callback("const char*(const RB_Robot*)", lambda of: text),
        "measure": ffi.callback("bool(const RB_Robot*, int64_t*, int64_t*)", measure),
    }
    pointer = ctypes.POINTER(_Robot)
    by_ctypes = {
        "add": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(lambda a, b: a + b),
        "mood_of": ctypes.CFUNCTYPE(ctypes.c_int, pointer)(lambda of: of.contents.mood),
        "name_of": ctypes.CFUNCTYPE(ctypes.c_void_p, pointer)(lambda of: ctypes.addressof(other_text)),
        "measure": ctypes.CFUNCTYPE(ctypes.c_bool, pointer, number, number)(measure),
    }
    given = {
        "add": ("callback: numbers", (1, 2), (1, 2)),
        "mood_of": ("callback: a struct", (bare,), (other,)),
        "name_of": ("callback: gives text", (bare,), (other,)),
        "measure": ("callback: gives three results", (bare, free, total), (other, first, second)),
    }
    return {
        title: Contest(
            CALLBACK,
            lambda call=ours[name], passed=passed, owner=arms: call(*passed),  # type: ignore[misc]
            lambda call=by_cffi[name], passed=passed: call(*passed),  # type: ignore[misc]
            lambda call=by_ctypes[name], passed=others: call(*passed),  # type: ignore[misc]
        )
        for name, (title, passed, others) in given.items()
    }


if __name__ == "__main__":
    sys.exit(hold(contests))
