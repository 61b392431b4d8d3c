"""Checks of handlers for XLA: functions that XLA calls, and whose names the plugin chooses."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import msgspec

from abigen.model.ctype import NamedType
from abigen.model.entities import Function
from abigen.model.finding import Level
from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.harness import Harness
from abigen.runner.verify.repro import GuardedMemory, StructInstance, prototype
from abigen.workspace.process import Bounds, Ending, Outcome, StoppedError, Trace, run_isolated

PREFIX = "XLA_FFI_"
_DEVICE_ALIGNMENT = 64
Memory = ctypes.Array[ctypes.c_char]


class XlaFunctions:
    """XLA's functions. Nothing is on a device, and tasks run at once, in the caller's thread."""

    def __init__(self, harness: Harness) -> None:
        """Make the table."""
        self._harness = harness
        self._kept: list[object] = []
        self._errors: dict[int, Memory] = {}
        """The texts of the errors that have not been freed, by their addresses."""
        self._states: dict[tuple[int, int], int] = {}
        self._types = 0
        self.mistakes: list[str] = []
        """The problems with calls of XLA's functions, as the rest of a sentence about the handler."""
        self.table = harness.new_struct(f"{PREFIX}Api")
        version = self.embedded(self.table, "api_version", f"{PREFIX}Api_Version")
        version.write("major_version", harness.value_of(f"{PREFIX}API_MAJOR"))
        version.write("minor_version", harness.value_of(f"{PREFIX}API_MINOR"))
        self.context = ctypes.addressof(self._room(16))
        written: dict[str, Callable[[StructInstance], int]] = {
            "Error_Create": self._create_error,
            "Error_GetMessage": self._get_message,
            "Error_Destroy": self._destroy_error,
            "Type_Register": self._register_type,
            "State_Set": self._set_state,
            "State_Get": self._get_state,
            "DeviceMemory_Allocate": self._allocate,
            "DeviceMemory_Free": _do_nothing,
            "ThreadPool_Schedule": self._schedule,
            "ThreadPool_NumThreads": self._number_of_threads,
            "RunId_Get": _do_nothing,
            "DeviceOrdinal_Get": _do_nothing,
        }
        for _, each in self.table.members():
            type = harness.api.callback(each.field.type)
            if type is not None:
                name = each.name.removeprefix(PREFIX)
                work = partial(self._called, name, written.get(name, self._unimplemented))
                function = prototype(type, harness.layouts)(work)
                self._kept.append(function)
                self.table.write(each.name, ctypes.cast(function, ctypes.c_void_p).value or 0)

    def embedded(self, record: StructInstance, member: str, key: str) -> StructInstance:
        """Return a struct that is a member of another one, with its size set."""
        place = record.layout.named(member)
        assert place is not None
        made = StructInstance(key, self._harness.layouts, at=record.address + place.offset)
        made.write("struct_size", made.layout.unpadded_size)
        return made

    @property
    def errors(self) -> frozenset[int]:
        """The errors that have not been freed."""
        return frozenset(self._errors)

    def take(self, error: int) -> bool:
        """Free an error that a handler has returned; false when it is none."""
        return self._errors.pop(error, None) is not None

    def _room(self, size: int) -> Memory:
        """Return memory that stays where it is as long as this process lives."""
        made = ctypes.create_string_buffer(size)
        self._kept.append(made)
        return made

    def _called(self, name: str, work: Callable[[StructInstance], int], address: int | None) -> int:
        """Do what one of the functions is for; gives the address of an error, or 0."""
        if not address:
            self.mistakes.append(f"passes NULL to {PREFIX}{name}")
            return self._error(f"{name} needs its arguments")
        key = f"{PREFIX}{name}_Args"
        given = StructInstance(key, self._harness.layouts, at=address)
        least = self._least(key)
        if given.size < least:
            self.mistakes.append(f"states {given.size} in {key}.struct_size, which is less than {least},")
            return self._error(f"{name} needs all of its arguments")
        return work(given)

    def _least(self, key: str) -> int:
        """Return the least size of an argument struct in any release; size constants of four structs are too small."""
        if f"{key}_STRUCT_SIZE" in self._harness.api.constants:
            return self._harness.value_of(f"{key}_STRUCT_SIZE")
        return min(self._harness.ends_of(key))

    def _error(self, text: str) -> int:
        made = self._room(len(text.encode()) + 1)
        made.value = text.encode()
        address = ctypes.addressof(made)
        self._errors[address] = made
        return address

    def _unimplemented(self, given: StructInstance) -> int:
        return self._error(f"{given.name} is not implemented here")

    def _create_error(self, given: StructInstance) -> int:
        text, code = given.text("message"), int(given.read("errc"))
        last = self._harness.value_of(f"{PREFIX}Error_Code_UNAUTHENTICATED")
        if not text:
            self.mistakes.append("creates an error without a text")
        if code == self._harness.value_of(f"{PREFIX}Error_Code_OK"):
            self.mistakes.append("creates an error with the code for success")
        elif not 0 < code <= last:
            self.mistakes.append(f"creates an error with the code {code}, which does not exist,")
        return self._error(text or "")

    def _get_message(self, given: StructInstance) -> int:
        known = self._errors.get(int(given.read("error")))
        given.write("message", ctypes.addressof(known) if known is not None else 0)
        return 0

    def _destroy_error(self, given: StructInstance) -> int:
        if not self.take(int(given.read("error"))):
            self.mistakes.append("destroys an error that does not exist, or was destroyed before,")
        return 0

    def _register_type(self, given: StructInstance) -> int:
        number = ctypes.c_int64.from_address(int(given.read("type_id")))
        self._types += 1
        number.value = number.value or self._types
        return 0

    def _set_state(self, given: StructInstance) -> int:
        key = int(given.read("ctx")), int(given.read("stage"))
        if key in self._states:
            return self._error("there is a state already")
        self._states[key] = int(given.read("state"))
        return 0

    def _get_state(self, given: StructInstance) -> int:
        key = int(given.read("ctx")), int(given.read("stage"))
        if key not in self._states:
            return self._error("there is no state")
        given.write("state", self._states[key])
        return 0

    def _allocate(self, given: StructInstance) -> int:
        alignment = max(int(given.read("alignment")), _DEVICE_ALIGNMENT)
        start = ctypes.addressof(self._room(int(given.read("size")) + alignment))
        given.write("data", -(-start // alignment) * alignment)
        return 0

    def _schedule(self, given: StructInstance) -> int:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(int(given.read("task")))(int(given.read("data")))
        return 0

    def _number_of_threads(self, given: StructInstance) -> int:
        ctypes.c_int64.from_address(int(given.read("num_threads"))).value = 1
        return 0


def _do_nothing(given: StructInstance) -> int:
    """Do nothing: XLA's result is 0."""
    return 0


_BOUNDS = Bounds(seconds=5.0)
"""Limits of a child process: less time than the check that waits for it."""
_GUARD = 256
_UNKNOWN = 0x5B5B
SIZES = {"F32": 4, "F64": 8, "S32": 4, "PRED": 1, "C128": 16, "INVALID": 4}
Shape = tuple[str, tuple[int, ...]]
"""The type of an array's elements, and its dimensions."""


class Frame(msgspec.Struct, frozen=True):
    """The arguments of a handler's call."""

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
"""Prefixes of the names of C++, Rust and the linker."""
_ROUNDS = 40
"""The number of calls by each of these threads."""


class Sight(msgspec.Struct, frozen=True):
    """A problem that was seen with a handler."""

    handler: str
    kind: str
    """`ended`, `foreign`, `lost`, `malformed`, `lent` or `overrun`."""
    text: str


def handlers(harness: Harness) -> dict[str, tuple[int, int]]:
    """Return the library's handlers: the functions that answer XLA's question for their version, each with its answer.

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
    """Yield the problems of each handler when it is called with all frames, in processes of their own.

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
    """Yield the handlers with other results when several threads call them, each with a description.

    Those that take none of the calls, or give something else each time, are left out.
    """
    for name in handlers(harness):
        if any(_doing(name, each) in harness.avoided for each in (*FRAMES, *TOGETHER)):
            continue
        outcome = _apart(harness, partial(_call_together, name=name))
        if outcome.finished and outcome.result:
            yield name, f"computes other results with {outcome.result}"
        elif not outcome.finished and outcome.of_kind("together"):
            yield name, f"{_ended(outcome)} with {outcome.of_kind('together')[-1]['together']}"


def _ended(outcome: Outcome) -> str:
    """Return the end of a call that did not return, in words."""
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


def _new_frame(harness: Harness, core: XlaFunctions, stage: str) -> StructInstance:
    """Return a call frame without arguments."""
    frame = harness.new_struct(f"{PREFIX}CallFrame")
    frame.write("api", core.table.address)
    frame.write("ctx", core.context)
    frame.write("stage", harness.value_of(f"{PREFIX}ExecutionStage_{stage}"))
    for member in ("args", "rets", "attrs"):
        core.embedded(frame, member, f"{PREFIX}{member.capitalize()}")
    return frame


def _ask(harness: Harness, name: str) -> list[int] | None:
    """Ask a function for its version; None if it states none."""
    core = XlaFunctions(harness)
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
    """Call a handler with a range of frames, and record the problems."""
    for at in range(first, end):
        harness.trace.write(frame=at)
        for kind, text in _call(harness, name, FRAMES[at]):
            harness.trace.write(seen=kind, text=f"{text} when it is called with {FRAMES[at].name}")


def _call(harness: Harness, name: str, wanted: Frame) -> Iterator[tuple[str, str]]:
    """Call a handler once; yield its problems, by kind."""
    core = XlaFunctions(harness)
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
        yield "foreign", "returns a value that is not an error of XLA"
    for mistake in core.mistakes:
        yield "malformed", mistake
    if core.errors:
        yield "lost", "creates an error that it neither returns nor destroys"
    if ctypes.string_at(frame.address, place.offset) != head or args.contents() != before:
        yield "lent", "writes into its arguments"
    if any(each.overruns() for each in (*args.memory, *rets.memory)):
        yield "overrun", "writes past the elements of an array"


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
        self._core = XlaFunctions(harness)
        self._frame = _new_frame(harness, self._core, wanted.stage)
        self._args, self._rets = (
            _Arrays(harness, self._core, self._frame, member, shapes)
            for member, shapes in (("args", wanted.args), ("rets", wanted.rets))
        )
        for each in self._args.memory:
            ctypes.memset(each.address, salt, each.size)
        self._call = partial(harness.call_exported, _handler(harness, name), [self._frame])

    def result(self) -> bytes | None:
        """Return all bytes of the results; None when the handler gives an error."""
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
        self, harness: Harness, core: XlaFunctions, frame: StructInstance, member: str, shapes: Sequence[Shape]
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
        """Return all bytes that a handler may only read, where these are arguments."""
        data = [ctypes.string_at(each.address, each.size) for each in self.memory]
        return [*data, *(each.content() for each in self._buffers), *(bytes(each) for each in self._kept)]


@check("ABI860", quick=True)
def handler_missing(harness: Harness) -> Iterator[Observation]:
    """The library exports no function that answers XLA's question for its version.

    What happens: JAX refuses to register the function, or treats it as one of another version.

    Instead: Define handlers with C linkage and default visibility. They look for the extension of type
    `XLA_FFI_Extension_Metadata` in the call frame before they do anything else.

    Source: `XLA_FFI_Metadata_Extension`.
    """
    if not handlers(harness):
        entity = f"{PREFIX}Handler"
        yield Observation(entity, "the library exports no function that answers XLA's question for its version")


@check("ABI861", quick=True)
def handler_version_foreign(harness: Harness) -> Iterator[Observation]:
    """A handler states a version of the header that XLA does not accept.

    What happens: JAX raises an exception when the handler is registered.

    Instead: Write `XLA_FFI_API_MAJOR` and `XLA_FFI_API_MINOR` of the header that it is built with.

    Source: `XLA_FFI_Api_Version`.
    """
    major, minor = (harness.value_of(f"{PREFIX}API_{part}") for part in ("MAJOR", "MINOR"))
    for name, said in handlers(harness).items():
        if said[0] != major or not 0 <= said[1] <= minor:
            version = f"{said[0]}.{said[1]}"
            yield Observation(name, f"{name} states version {version}; XLA accepts {major}.0 to {major}.{minor}")


@check("ABI862", quick=True, level=Level.WARNING)
def frame_unchecked(harness: Harness) -> Iterator[Observation]:
    """A handler crashes, hangs or ends the process for a call frame that it does not expect.

    What happens: A mistake in a Python program, such as one argument too few, ends the interpreter.

    Instead: Check the number of arguments, results and attributes, their kinds, types and ranks before they are used,
    and return an error.

    Source: `XLA_FFI_Args`, `XLA_FFI_Rets`, `XLA_FFI_Attrs`.
    """
    yield from _seen(harness, "ended")


@check("ABI863", quick=True)
def handler_error_foreign(harness: Harness) -> Iterator[Observation]:
    """A handler returns a pointer that is not an error of XLA.

    What happens: XLA destroys the value as an error of its own, and crashes.

    Instead: Return NULL, or an error of `XLA_FFI_Error_Create`.

    Source: `XLA_FFI_Handler`, `XLA_FFI_Error`.
    """
    yield from _seen(harness, "foreign")


@check("ABI864", level=Level.WARNING)
def handler_error_lost(harness: Harness) -> Iterator[Observation]:
    """A handler creates an error, and neither returns nor destroys it.

    What happens: The error is not reported, and its memory leaks.

    Instead: Return it, or call `XLA_FFI_Error_Destroy`, also for errors that functions of XLA have returned.

    Source: `XLA_FFI_Error`.
    """
    yield from _seen(harness, "lost")


@check("ABI865", quick=True)
def handler_arguments_malformed(harness: Harness) -> Iterator[Observation]:
    """A handler calls XLA's functions with too few arguments, or creates an error without a text.

    What happens: XLA refuses the call, or users get an exception without a text.

    Instead: Set `struct_size` to the constant of the struct. Give each error a text and a code that is not OK.

    Source: `XLA_FFI_Error_Create_Args`; `struct_size`.
    """
    yield from _seen(harness, "malformed")


@check("ABI866", quick=True)
def argument_written(harness: Harness) -> Iterator[Observation]:
    """A handler writes into its arguments.

    What happens: XLA uses the same array for other operations, which then compute with the changed values.

    Instead: Write results only. An argument that may be overwritten arrives as a result, too.

    Source: `XLA_FFI_Buffer`, `XLA_FFI_Args`.
    """
    yield from _seen(harness, "lent")


@check("ABI867", quick=True)
def result_overrun(harness: Harness) -> Iterator[Observation]:
    """A handler writes beyond the end of an array.

    What happens: The memory after it belongs to other objects.

    Instead: Compare the dimensions of arguments and results before the first write.

    Source: `XLA_FFI_Buffer`.
    """
    yield from _seen(harness, "overrun")


@check("ABI868")
def handler_results_mix(harness: Harness) -> Iterator[Observation]:
    """A handler returns other results when several threads call it at once.

    What happens: From time to time, the results are wrong: XLA calls a handler from all of its threads.

    Instead: Store the data of a call in local variables, or protect it.

    Source: XLA runs operations of one program, and several programs, at the same time.
    """
    for name, what in mixed(harness):
        yield Observation(name, f"{name} {what} when {harness.trial.threads} threads call it")


def _seen(harness: Harness, kind: str) -> Iterator[Observation]:
    """Yield the problems of one kind, the first of each handler."""
    told = set()
    for each in sights(harness):
        if each.kind == kind and each.handler not in told:
            told.add(each.handler)
            yield Observation(each.handler, f"{each.handler} {each.text}")
