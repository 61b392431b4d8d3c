"""Which functions of a library are handlers, and what they do when they are called with many frames."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import msgspec

from abigen.host.process import Bounds, Ending, Outcome, StoppedError, Trace, run_isolated
from abigen.host.verify.harness import Harness
from abigen.host.verify.repro import GuardedMemory, StructInstance
from abigen.model.ctype import NamedType
from abigen.model.entities import Function

from .core import PREFIX, Core

_BOUNDS = Bounds(seconds=5.0)
"""What a child process may use: less time than the check that waits for it."""
_GUARD = 256
_UNKNOWN = 0x5B5B
SIZES = {"F32": 4, "F64": 8, "S32": 4, "PRED": 1, "C128": 16, "INVALID": 4}
Shape = tuple[str, tuple[int, ...]]
"""The type of an array's elements, and its dimensions."""


class Frame(msgspec.Struct, frozen=True):
    """What a handler is called with."""

    name: str
    args: tuple[Shape, ...] = ()
    rets: tuple[Shape, ...] = ()
    stage: str = "EXECUTE"


_LINE, _TABLE = ("F32", (3,)), ("F32", (2, 3))
FRAMES = (
    Frame("no arrays"),
    Frame("no arrays, in INSTANTIATE", stage="INSTANTIATE"),
    Frame("no arrays, in PREPARE", stage="PREPARE"),
    Frame("no arrays, in INITIALIZE", stage="INITIALIZE"),
    Frame("one result", (), (_LINE,)),
    Frame("one argument", (_LINE,)),
    Frame("an array", (_LINE,), (_LINE,)),
    Frame("a shorter result", (_TABLE,), (("F32", (2,)),)),
    Frame("a longer result", (("F32", (2,)),), (_TABLE,)),
    Frame("two arrays", (_LINE, _LINE), (_LINE,)),
    Frame("three arrays", (_LINE, _LINE, _LINE), (_LINE,)),
    Frame("two results", (_TABLE,), (_TABLE, ("F32", (2,)))),
    Frame("scalars", (("F32", ()),), (("F32", ()),)),
    Frame("two scalars", (("F32", ()), ("F32", ())), (("F32", ()),)),
    Frame("a scalar of S32", (("S32", ()),), (("S32", ()),)),
    Frame("an array without elements", (("F32", (0, 4)),), (("F32", (0, 4)),)),
    Frame("a table", (_TABLE,), (_TABLE,)),
    Frame("four dimensions", (("F32", (1, 2, 1, 3)),), (("F32", (1, 2, 1, 3)),)),
    *(Frame(f"an array of {kind}", ((kind, (3,)),), ((kind, (3,)),)) for kind in ("F64", "S32", "PRED", "C128")),
    Frame("types that differ", (("F32", (3,)),), (("F64", (3,)),)),
    Frame("an array of no type", (("INVALID", (3,)),), (("INVALID", (3,)),)),
)
"""Calls that a user of JAX can bring about; what a handler does not take, it refuses."""


_MANY = ("F32", (1 << 18,))
TOGETHER = (
    Frame("a large array", (_MANY,), (_MANY,)),
    Frame("two large arrays", (_MANY, _MANY), (_MANY,)),
    Frame("a large table", (("F32", (1 << 9, 1 << 9)),), (("F32", (1 << 9, 1 << 9)),)),
)
"""Calls that take a while, so that several threads are in a handler at once."""
_NO_HANDLERS = ("_Z", "_R", "_init", "_fini")
"""How names of C++ and Rust begin, and the linker's."""
_ROUNDS = 40
"""How often each of these threads calls."""


class Sight(msgspec.Struct, frozen=True):
    """Something that was seen of a handler."""

    handler: str
    kind: str
    """`ended`, `foreign`, `lost`, `malformed`, `lent` or `overrun`."""
    text: str


def handlers(harness: Harness) -> dict[str, tuple[int, int]]:
    """The library's handlers: the functions that answer XLA's question for their version, each with its answer.

    Those that do not answer are told of in the trace.

    Raises:
        StoppedError: the library's symbols cannot be read.
    """
    if harness.trial.binary is None:
        raise StoppedError("the names of this library's functions cannot be read here")
    harness.load()
    found = {}
    for name in sorted(harness.trial.binary.functions):
        if name not in harness.avoided and not name.startswith(_NO_HANDLERS):
            outcome = _apart(harness, partial(_ask, name=name))
            if outcome.finished and isinstance(outcome.result, list):
                found[name] = (int(outcome.result[0]), int(outcome.result[1]))
            else:
                if outcome.ending is Ending.HUNG:
                    harness.trace.write(hanging=name)
                reason = "it does not answer XLA's question for its version, as handlers do"
                harness.trace.write(uncalled=name, reason=reason)
    return found


def sights(harness: Harness) -> Iterator[Sight]:
    """Yield what is seen of each handler when it is called with all frames, in processes of their own.

    A frame with which another check has seen the handler hang is the last one, and is left out.
    """
    for name in handlers(harness):
        at, end = 0, next((at for at, each in enumerate(FRAMES) if _doing(name, each) in harness.avoided), len(FRAMES))
        while at < end:
            outcome = _apart(harness, partial(_call_all, name=name, first=at, end=end))
            for event in outcome.events:
                if "seen" in event:
                    yield Sight(name, str(event["seen"]), str(event["text"]))
                elif "overrun" in event:
                    yield Sight(name, "overrun", f"writes at offset {event['offset']} of {event['overrun']}")
            if outcome.finished:
                break
            at = int(str(outcome.of_kind("frame")[-1]["frame"])) if outcome.of_kind("frame") else at
            yield Sight(name, "ended", f"{_ended(outcome)} when it is called with {FRAMES[at].name}")
            if outcome.ending is Ending.HUNG:
                harness.trace.write(hanging=_doing(name, FRAMES[at]))
                break
            at += 1


def _doing(name: str, frame: Frame) -> str:
    return f"{name} with {frame.name}"


def mixed(harness: Harness) -> Iterator[tuple[str, str]]:
    """The handlers that give something else when several threads call them, each with what happens.

    Those that take none of the calls, or give something else each time, are left out.
    """
    for name in handlers(harness):
        if any(_doing(name, each) in harness.avoided for each in (*FRAMES, *TOGETHER)):
            continue
        outcome = _apart(harness, partial(_call_together, name=name))
        if outcome.finished and outcome.result:
            yield name, f"gives other results with {outcome.result}"
        elif not outcome.finished and outcome.of_kind("together"):
            yield name, f"{_ended(outcome)} with {outcome.of_kind('together')[-1]['together']}"


def _ended(outcome: Outcome) -> str:
    """How a call ended that did not return."""
    words = {Ending.HUNG: "does not return", Ending.EXCEEDED: f"uses {outcome.exceeded}"}
    return words.get(outcome.ending, "ends the process")


def _apart(harness: Harness, work: Callable[[Harness], object]) -> Outcome:
    """Do something with the library in a child process, with a harness of its own."""

    def begin(trace: Trace) -> object:
        inner = Harness(harness.trial, harness.scenario, trace)
        inner.load()
        return work(inner)

    harness.trace.write(waiting=True)  # its time begins anew
    return run_isolated(begin, _BOUNDS)


def _handler(harness: Harness, name: str) -> Function:
    return Function(name=name, type=harness.function_type(NamedType(f"{PREFIX}Handler")))


def _new_frame(harness: Harness, core: Core, stage: str) -> StructInstance:
    """A call frame without arguments."""
    frame = harness.new_struct(f"{PREFIX}CallFrame")
    frame.write("api", core.table.address)
    frame.write("ctx", core.context)
    frame.write("stage", harness.value_of(f"{PREFIX}ExecutionStage_{stage}"))
    for member in ("args", "rets", "attrs"):
        core.embedded(frame, member, f"{PREFIX}{member.capitalize()}")
    return frame


def _ask(harness: Harness, name: str) -> list[int] | None:
    """Ask a function for its version; None when it does not say any."""
    core = Core(harness)
    frame = _new_frame(harness, core, "EXECUTE")
    metadata = harness.new_struct(f"{PREFIX}Metadata")
    version = core.embedded(metadata, "api_version", f"{PREFIX}Api_Version")
    for member in ("major_version", "minor_version"):
        version.write(member, _UNKNOWN)
    question = harness.new_struct(f"{PREFIX}Metadata_Extension")
    base = core.embedded(question, "extension_base", f"{PREFIX}Extension_Base")
    base.write("type", harness.value_of(f"{PREFIX}Extension_Metadata"))
    question.write("metadata", metadata.address)
    frame.write("extension_start", question.address)
    harness.call_exported(_handler(harness, name), [frame])
    said = [int(version.read("major_version")), int(version.read("minor_version"))]
    return said if _UNKNOWN not in said else None


def _call_all(harness: Harness, name: str, first: int, end: int) -> None:
    """Call a handler with the frames from one on, up to another, and tell what is seen."""
    for at in range(first, end):
        harness.trace.write(frame=at)
        for kind, text in _call(harness, name, FRAMES[at]):
            harness.trace.write(seen=kind, text=f"{text} when it is called with {FRAMES[at].name}")


def _call(harness: Harness, name: str, wanted: Frame) -> Iterator[tuple[str, str]]:
    """Call a handler once; gives what is wrong with what it does, by kind."""
    core = Core(harness)
    frame = _new_frame(harness, core, wanted.stage)
    args, rets = (
        _Arrays(harness, core, frame, member, shapes)
        for member, shapes in (("args", wanted.args), ("rets", wanted.rets))
    )
    before = args.contents()
    place = frame.layout.named("future")
    assert place is not None
    head = ctypes.string_at(frame.address, place.offset)
    reply = harness.call_exported(_handler(harness, name), [frame])
    error = int(reply.value)
    if error and not core.take(error):
        yield "foreign", "returns something that is no error of XLA's"
    for mistake in core.mistakes:
        yield "malformed", mistake
    if core.errors:
        yield "lost", "makes an error that it neither returns nor destroys"
    if ctypes.string_at(frame.address, place.offset) != head or args.contents() != before:
        yield "lent", "writes into its arguments"
    if any(each.overruns() for each in (*args.memory, *rets.memory)):
        yield "overrun", "writes beyond the elements of an array"


def _call_together(harness: Harness, name: str) -> str:
    """Call a handler from several threads, each with arrays of its own; gives the call of which results differ."""
    harness.watching = False
    for wanted in TOGETHER:
        calls = [_Repeated(harness, name, wanted, salt) for salt in range(1, harness.trial.threads + 1)]
        alone = [each.result() for each in calls]
        if None in alone or alone != [each.result() for each in calls]:
            continue
        harness.trace.write(together=wanted.name)
        with ThreadPoolExecutor(len(calls)) as threads:
            are_same = [*threads.map(_gives_always, calls, alone)]
        return "" if all(are_same) else wanted.name
    return ""


def _gives_always(call: _Repeated, expected: bytes | None) -> bool:
    return all(call.result() == expected for _ in range(_ROUNDS))


class _Repeated:
    """A call that is made again and again with the same arguments."""

    def __init__(self, harness: Harness, name: str, wanted: Frame, salt: int) -> None:
        self._core = Core(harness)
        self._frame = _new_frame(harness, self._core, wanted.stage)
        self._args, self._rets = (
            _Arrays(harness, self._core, self._frame, member, shapes)
            for member, shapes in (("args", wanted.args), ("rets", wanted.rets))
        )
        for each in self._args.memory:
            ctypes.memset(each.address, salt, each.size)
        self._call = partial(harness.call_exported, _handler(harness, name), [self._frame])

    def result(self) -> bytes | None:
        """All bytes of the results; None when the handler gives an error."""
        for each in self._rets.memory:
            ctypes.memset(each.address, 0, each.size)
        error = int(self._call().value)
        if error:
            self._core.take(error)
            return None
        return b"".join(ctypes.string_at(each.address, each.size) for each in self._rets.memory)


class _Arrays:
    """The arguments or the results of a call."""

    def __init__(
        self, harness: Harness, core: Core, frame: StructInstance, member: str, shapes: Sequence[Shape]
    ) -> None:
        lists = core.embedded(frame, member, f"{PREFIX}{member.capitalize()}")
        self.memory: list[GuardedMemory] = []
        self._buffers: list[StructInstance] = []
        self._kept: list[ctypes.Array[ctypes.c_int64]] = []
        for kind, dims in shapes:
            size = SIZES[kind]
            for each in dims:
                size *= each
            self.memory.append(GuardedMemory(size, 64, _GUARD))
            ctypes.memset(self.memory[-1].address, 1, size)
            buffer = harness.new_struct(f"{PREFIX}Buffer")
            self._kept.append((ctypes.c_int64 * len(dims))(*dims))
            buffer.write("dtype", harness.value_of(f"{PREFIX}DataType_{kind}"))
            buffer.write("data", self.memory[-1].address)
            buffer.write("rank", len(dims))
            buffer.write("dims", ctypes.addressof(self._kept[-1]) if dims else 0)
            self._buffers.append(buffer)
        buffer_kind = harness.value_of(f"{PREFIX}{member.capitalize()[:-1]}Type_BUFFER")
        self._types = (ctypes.c_int * len(shapes))(*[buffer_kind] * len(shapes))
        self._pointers = (ctypes.c_void_p * len(shapes))(*(each.address for each in self._buffers))
        lists.write("size", len(shapes))
        if shapes:
            lists.write("types", ctypes.addressof(self._types))
            lists.write(member, ctypes.addressof(self._pointers))

    def contents(self) -> list[bytes]:
        """All bytes that a handler may only read, where these are arguments."""
        data = [ctypes.string_at(each.address, each.size) for each in self.memory]
        return [*data, *(each.content() for each in self._buffers), *(bytes(each) for each in self._kept)]
