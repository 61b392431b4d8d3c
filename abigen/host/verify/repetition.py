"""Routines: calls that C runs again and again, by one thread or by several at once; see `repeat.c`."""

from __future__ import annotations

import ctypes
import gc
import mmap
import time
from _ctypes import CFuncPtr
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import msgspec

from abigen.host.process import InapplicableError
from abigen.host.verify.harness import Addressed, CallArgument, Harness
from abigen.host.verify.shim import CLAIM, GIVE_UP, REPEAT, CoreStatus
from abigen.host.verify.struct_memory import Buffer, StructInstance
from abigen.model.ctype import Basic, FunctionType

MOST_ARGUMENTS = 10
"""How many a call may have."""
MOST_RESTORED = 4096
"""Bytes of the largest buffer whose content each round restores."""
_AS_IT_IS, _WHAT_IS_THERE, _STATUS = range(3)
ANYTHING, ZERO, NOT_ZERO = range(3)
"""What a call has to give."""


_COUNTED = (("files", "fd"), ("threads", "task"))
_PATIENCE = 1.0
"""Seconds in which threads have to end whose work is done."""
_ALLOCATOR_INFO = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
_WARM_UP, _ROUNDS, _WINDOWS, _WINDOW = 100, 500, 3, 0.04
"""How often something is done before and while it is looked at, how often that is, and for how many seconds."""
_AT_ONCE = 100
"""How often something is done before it is waited for: a queue keeps the room that its longest backlog needed."""
_LONGER = 8
"""How much longer the last window is where little is left: what an allocator keeps grows less and less."""
_SMALL = 16
"""Bytes each time of which that may be true: the smallest block of an allocator."""
_LEAST = {"bytes": 2.0, "mapped bytes": 2048.0, "files": 0.05, "threads": 0.05}
"""What is a leak, on an average for each time; less is what caches take."""
_NOISE = {"bytes": 2200, "mapped bytes": 1 << 20, "files": 3, "threads": 3}
"""What the tool itself may keep meanwhile."""


class _AllocatorInfo(ctypes.Structure):
    """`struct mallinfo2` of the GNU C library."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _ALLOCATOR_INFO.split())


class _Call(ctypes.Structure):
    _fields_ = (
        ("function", ctypes.c_void_p),
        ("values", ctypes.c_long * MOST_ARGUMENTS),
        ("kinds", ctypes.c_int * MOST_ARGUMENTS),
        ("result", ctypes.c_void_p),
        ("mask", ctypes.c_long),
        ("wanted", ctypes.c_int),
        ("code", ctypes.c_int),
        ("wrong", ctypes.c_long),
    )


class _Thread(ctypes.Structure):
    _fields_ = (
        ("calls", ctypes.POINTER(_Call)),
        ("count", ctypes.c_long),
        ("done", ctypes.c_long),
        ("rounds", ctypes.c_long),
        ("seconds", ctypes.c_double),
        ("together", ctypes.c_void_p),
    )


class There(msgspec.Struct, frozen=True):
    """An argument that is what stands at an address by then."""

    place: object
    """It has an `address`."""


class Routine:
    """Calls, one after the other."""

    def __init__(self, harness: Harness) -> None:
        """Begin with none."""
        self._harness = harness
        self._calls: list[_Call] = []
        self._ran: ctypes.Array[_Call] | None = None
        self._entities: list[str] = []
        self._kept: list[object] = []

    def call(
        self, record: StructInstance, member: str, *arguments: CallArgument | There, wanted: int = ANYTHING,
        result: Addressed | None = None,
    ) -> Routine:  # fmt: skip
        """Add a call of a function that the plugin has put into a struct; see `Harness.call`."""
        field = record.field(member)
        assert field is not None
        type, address = self._harness.function_type(field.type), int(record.read(member))
        return self.function(f"{record.name}.{member}", address, type, arguments, wanted=wanted, result=result)

    def function(
        self, entity: str, address: int, type: FunctionType, arguments: Sequence[CallArgument | There], *,
        wanted: int = ANYTHING, result: Addressed | None = None,
    ) -> Routine:  # fmt: skip
        """Add a call of a function of the plugin's by its address; see `Harness.call_address`."""
        given, values = iter(arguments), []
        for parameter in type.parameters:
            is_status = self._harness.api.is_status(parameter.type)
            values.append((_STATUS, CoreStatus()) if is_status else _kind(next(given)))
        self._add(entity, address, values, wanted, self._mask(type), result)
        return self

    def system(self, name: str, *arguments: CallArgument | There, wanted: int = ANYTHING) -> Routine:
        """Add a call of a function of the C library's, or of core's."""
        function = getattr(ctypes.CDLL(None), name, None) or self._harness.core_function(name)
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        self._add("", address, [_kind(each) for each in arguments], wanted, 0xFFFFFFFF, None)
        return self

    def claim(self, entity: str, slot: object) -> Routine:
        """Let nobody else have the handle that stands somewhere."""
        self.system(CLAIM, There(slot), wanted=ZERO)
        self._entities[-1] = entity
        return self

    def give_up(self, slot: object) -> Routine:
        """Let others have the handle again."""
        return self.system(GIVE_UP, There(slot))

    def expect(self, entity: str, place: Addressed, content: bytes) -> Routine:
        """Compare what stands somewhere with what should, which is the concern of a function of the plugin's."""
        self.system("memcmp", place, ctypes.create_string_buffer(content), len(content), wanted=ZERO)
        self._entities[-1] = entity
        return self

    def restore(self, record: StructInstance | Buffer) -> Routine:
        """Put back what is in a struct or buffer now."""
        content = record.content()
        return self.system("memcpy", record, ctypes.create_string_buffer(content, len(content)), len(content))

    def problems(self) -> Iterator[tuple[str, str]]:
        """Which function has failed, and how; when the routine has been run."""
        for entity, call in zip(self._entities, self._ran or (), strict=True):
            if call.wrong and entity:
                yield entity, f"fails with code {call.code}" if call.code else "gives what belongs to another one"

    def thread(self) -> _Thread:
        """What C is handed."""
        calls = (_Call * len(self._calls))(*self._calls)
        self._ran = calls
        return _Thread(calls=calls, count=len(calls))

    def _mask(self, type: FunctionType) -> int:
        """The bits that a result has."""
        if self._harness.layouts.resolve(type.result) == Basic("void"):
            return 0
        bits = 8 * self._harness.layouts.size_of(type.result)
        return (1 << bits) - 1 if bits < 64 else -1

    def _add(
        self, entity: str, address: int, values: Sequence[tuple[int, object]], wanted: int, mask: int,
        result: Addressed | None,
    ) -> None:  # fmt: skip
        call = _Call(function=address, wanted=wanted, mask=mask, result=result.address if result is not None else None)
        for at, (kind, value) in enumerate(values):
            call.kinds[at] = kind
            call.values[at] = _number(value)
        self._kept += [values, result]
        self._calls.append(call)
        self._entities.append(entity)


def repeat(harness: Harness, entity: str, routines: Sequence[Routine], rounds: int, seconds: float) -> int:
    """Let each routine be run again and again by a thread of its own; one alone by this thread.

    Args:
        harness: where the plugin is.
        entity: what is told when the plugin does not survive that.
        routines: one for each thread.
        rounds: how often at most.
        seconds: how long at most.

    Returns:
        How many rounds there were, of all threads together.
    """
    doing = entity if len(routines) == 1 else f"{entity} by several threads"
    harness.trace.write(unshown="calls are repeated, most often by several threads")
    threads = (_Thread * len(routines))(*(each.thread() for each in routines))
    with harness.calling(doing), harness.watched(entity) if len(routines) == 1 else nullcontext():
        harness.core_function(REPEAT)(
            threads, ctypes.c_long(len(threads)), ctypes.c_long(rounds), ctypes.c_double(seconds)
        )
    return sum(each.done for each in threads)


def is_repeatable(values: Sequence[CallArgument]) -> bool:
    """True if a routine can pass these arguments: it knows numbers and addresses, and no floating numbers or structs.

    Args:
        values: of one call.
    """
    return not any(isinstance(each, (float, ctypes.Structure)) for each in values)


def _kind(value: CallArgument | There) -> tuple[int, object]:
    return (_WHAT_IS_THERE, value.place) if isinstance(value, There) else (_AS_IT_IS, value)


def _number(value: object) -> int:
    """An argument as a register has it."""
    if value is None or isinstance(value, int):
        number = value or 0
    elif hasattr(value, "address"):
        number = int(value.address)
    else:
        assert isinstance(value, (CFuncPtr, ctypes.Array))
        number = ctypes.cast(value, ctypes.c_void_p).value or 0
    return number - (1 << 64) if number >= 1 << 63 else number


def left_behind(harness: Harness, entity: str, routine: Routine, finish: Callable[[], object] = bool) -> str:
    """What a routine leaves each time that it is run, in words; empty for nothing.

    Args:
        harness: where the plugin is.
        entity: what is told when the plugin does not survive that.
        routine: what is done.
        finish: waits until it is done.
    """
    return left_each_time(lambda rounds, seconds: repeat(harness, entity, [routine], rounds, seconds), finish)


def left_each_time(run: Callable[[int, float], int], finish: Callable[[], object] = bool) -> str:
    """What is left each time that something is done, in words; empty for nothing.

    Args:
        run: does it, at most so often and for so many seconds; gives how often.
        finish: waits until it is done.
    """
    _in_parts(run, finish, _WARM_UP, 2 * _WINDOW)
    found: list[dict[str, float]] = []
    while len(found) < _WINDOWS and (not found or found[-1]):
        before = held()
        is_small = bool(found) and set(found[-1]) == {"bytes"} and found[-1]["bytes"] < _SMALL
        longer = _LONGER if is_small and len(found) == _WINDOWS - 1 else 1
        rounds = _in_parts(run, finish, longer * _ROUNDS, longer * _WINDOW)
        grown = held_since(before)
        found.append({
            name: grown[name] / rounds
            for name, least in _LEAST.items() if grown[name] >= max(least * rounds, _NOISE[name])
        })  # fmt: skip
    always = set.intersection(*map(set, found))
    return " and ".join(_counted(found[-1][name], name) for name in sorted(always))


def _counted(number: float, things: str) -> str:
    """An average in words: `1 file`, `2.5 bytes`, `4016 bytes`."""
    shown = f"{number:.3g}" if number < 100 else f"{number:.0f}"
    return f"{shown} {things.removesuffix('s') if shown == '1' else things}"


def _in_parts(run: Callable[[int, float], int], finish: Callable[[], object], rounds: int, seconds: float) -> int:
    """Do something at most so often, and for so many seconds beside the time in which it is waited for."""
    done, spent = 0, 0.0
    while done < rounds and spent < seconds:
        began = time.monotonic()
        done += run(min(_AT_ONCE, rounds - done), seconds - spent)
        spent += time.monotonic() - began
        finish()
    return done


def held() -> dict[str, int]:
    """What the process holds: `bytes` of memory, plugin and core together, open `files`, and `threads`.

    Raises:
        InapplicableError: the C library does not tell.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        raise InapplicableError("the C library does not tell how much memory is allocated")
    gc.collect()
    library.mallinfo2.restype = _AllocatorInfo
    info = library.mallinfo2()
    own = Path("/proc/self")
    counts = {name: len(list((own / place).iterdir())) for name, place in _COUNTED if own.is_dir()}
    pages = int((own / "statm").read_text(encoding="ascii").split()[0]) if own.is_dir() else 0
    taken = int(info.uordblks) + int(info.hblkhd)
    mapped = pages * mmap.PAGESIZE - int(info.arena) - int(info.hblkhd)
    return {"bytes": taken, "mapped bytes": mapped, "files": 0, "threads": 0, **counts}


def open_files() -> int:
    """How many files the process has open; 0 where the system does not tell."""
    own = Path("/proc/self/fd")
    return len(list(own.iterdir())) if own.is_dir() else 0


def held_since(before: Mapping[str, int]) -> dict[str, int]:
    """How much more it holds; threads that are about to end are waited for."""
    end = time.monotonic() + _PATIENCE
    while held()["threads"] > before["threads"] and time.monotonic() < end:
        time.sleep(0.001)
    return {name: number - before[name] for name, number in held().items()}
