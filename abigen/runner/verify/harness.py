"""Plays the core: loads a plugin, calls it, and watches the memory that it passes.

A routine is a list of calls that C runs again and again, in one thread or in several at once (`repeat.c`).
"""

from __future__ import annotations

import ctypes
import errno
import gc
import mmap
import os
import time
from _ctypes import CFuncPtr
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

from abigen.model.contract import Party, ResultKind
from abigen.model.ctype import Basic, CType, FunctionType, NamedType
from abigen.model.entities import Function, Variable
from abigen.model.finding import Level
from abigen.model.layout import Layouts
from abigen.model.releases import size_steps
from abigen.runner.verify.core_side import CoreFunction, CoreSide
from abigen.runner.verify.repro import MOST_BYTES, Buffer, Recorder, StructInstance, prototype
from abigen.runner.verify.scenario import (
    ANSWER,
    CALLS,
    CHURN,
    CLAIM,
    GIVE_UP,
    REPEAT,
    WATCH,
    CallObserver,
    CoreStatus,
    Scenario,
    Trial,
)
from abigen.workspace.process import InapplicableError, StoppedError, Trace

LOADING = "loading the library"
UNLOADING = "unloading the library"
_PERTURB = -6
_PERTURB_VALUE = 0xA5


class _Symbol(ctypes.Structure):
    """`Dl_info` of dladdr(3)."""

    _fields_ = tuple(zip(("file", "base", "name", "address"), (ctypes.c_char_p, ctypes.c_void_p) * 2, strict=True))


class Addressed(Protocol):
    """An object that is passed by its address."""

    @property
    def address(self) -> int:
        """The address of the object, or of its substitute."""


CallArgument: TypeAlias = "int | float | Addressed | CFuncPtr | ctypes.Array[ctypes.c_char] | ctypes.Structure | None"


class Reply(msgspec.Struct, frozen=True):
    """The result of a call."""

    value: int | float
    """The returned value; 0 for none."""
    code: int
    """The code of its status; 0 is success."""
    message: str
    refusal: str = ""
    """The returned value in words, if the API defines it as a failure; empty otherwise."""

    @property
    def ok(self) -> bool:
        """True if the call reported no error."""
        return self.code == 0 and not self.refusal


class Harness:
    """A core and a plugin, in a process of their own."""

    def __init__(self, trial: Trial, scenario: Scenario, trace: Trace) -> None:
        """Begin; nothing is loaded yet."""
        gc.freeze()  # so that a collection looks at what is new alone
        self.trial = trial
        self.scenario = scenario
        self.api = scenario.api
        self.layouts = Layouts(scenario.api, trial.target)
        self.latest = Layouts(trial.latest, trial.target)
        self.trace = trace
        self._structs: list[StructInstance] = []
        self._buffers: list[Buffer] = []
        self._closures: list[CFuncPtr] = []
        self._found: dict[str, int] = {}
        """Addresses of functions that another function of the plugin finds by their names."""
        self.core_side = CoreSide(self)
        self.doing = LOADING
        """The function of the plugin's that is being called, or was called last."""
        self._located: set[str] = set()
        self.is_bound = False
        """True if the loader has found all functions that the plugin needs, also those of older versions."""
        self.avoided: frozenset[str] = frozenset()
        """The functions that are known not to return."""
        self._recorder = Recorder(trace) if trial.recorded else None
        self.watching = True
        """True if memory is inspected after each call; not while several threads call."""
        self._shim = ctypes.CDLL(str(trial.shim), mode=ctypes.RTLD_GLOBAL)
        self._plugin: ctypes.CDLL | None = None
        self._reads_status = self.api.status_handle is not None
        self._statuses: deque[CoreStatus] = deque(maxlen=32)
        """The structs of the last calls, whose memory is not used again so soon."""
        self._observer = CallObserver(self.api, self._shim, trace)
        self._shim[WATCH](trace.descriptor, trace.fault_mark)
        for path in trial.stand_ins:
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        if hasattr(ctypes.CDLL(None), "mallopt"):  # what has been freed does not look as it did
            ctypes.CDLL(None).mallopt(_PERTURB, _PERTURB_VALUE)

    @contextmanager
    def calling(self, doing: str) -> Iterator[None]:
        """Mark that the plugin's code runs in this context.

        Args:
            doing: the purpose, mostly the name of a function.

        Raises:
            StoppedError: the function is known not to return.
        """
        if doing in self.avoided:
            self.trace.write(stake="", meaning="")  # that is no news
            raise StoppedError(f"{doing} does not return")
        self.doing = doing
        with self.trace.calling(doing):
            yield

    @contextmanager
    def staking(self, entity: str, meaning: str) -> Iterator[None]:
        """Set the finding for a call in this context that fails, crashes or does not return.

        Args:
            entity: the function to blame.
            meaning: the finding's message.
        """
        self.trace.write(stake=entity, meaning=meaning)
        yield
        self.trace.write(stake="", meaning="")

    def load(self) -> None:
        """Load the plugin, as the core does.

        Raises:
            StoppedError: it cannot be loaded; carries the loader's message.
        """
        try:
            with self.calling(LOADING), self._observer.watched(LOADING):
                self._plugin = ctypes.CDLL(str(self.trial.plugin), mode=os.RTLD_NOW | os.RTLD_LOCAL)
            self.is_bound = True
        except OSError as first:
            try:  # functions that are not there are told by a check of their own, and may never be called
                self._plugin = ctypes.CDLL(str(self.trial.plugin), mode=os.RTLD_LAZY | os.RTLD_LOCAL)
            except OSError:
                raise StoppedError(f"the library cannot be loaded: {first}") from None

    def unload(self) -> None:
        """Unload the plugin."""
        from _ctypes import dlclose  # not on Windows, where the manual has to be readable as well

        assert self._plugin is not None
        with self.calling(UNLOADING), self._observer.watched(UNLOADING):
            dlclose(self._plugin._handle)
        self._plugin = None

    def mapped(self) -> set[Path]:
        """Return the files in memory: libraries, and the plugin, which may remain there after unloading."""
        maps = Path("/proc/self/maps")
        if not maps.exists():
            return {self.trial.plugin}
        lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
        return {
            Path(line[line.index("/") :]) for line in lines if " /" in line and Path(line[line.index("/") :]).is_file()
        }

    def calls_of_core(self) -> int:
        """Return the number of calls of the core's functions by the plugin so far, except calls about status
        objects."""
        return int(ctypes.c_long.in_dll(self._shim, CALLS).value)

    def call_symbol(self, name: str) -> None:
        """Call a function of the library that takes nothing and gives nothing.

        Raises:
            StoppedError: there is none of that name.
        """
        function = self._symbol(name)
        function.restype = None
        with self.calling(name):
            function()

    def core_function(self, name: str) -> CFuncPtr:
        """Return a function of the library that plugins link against."""
        return self._shim[name]

    def watched(self, entity: str) -> AbstractContextManager[None]:
        """Look at the process before and after; see `CallObserver.watched`."""
        return self._observer.watched(entity)

    def finds(self, symbol: str) -> bool:
        """True if a symbol is in the plugin, in its dependencies, in the core or in the process."""
        places = [self._plugin] if self._plugin is not None else []
        return any(hasattr(place, symbol) for place in (*places, ctypes.CDLL(None)))

    def new_struct(self, key: str) -> StructInstance:
        """Create a struct of the size that this core knows."""
        made = StructInstance(key, self.layouts, pages=self.scenario.pages)
        self._structs.append(made)
        self.trace.write(memory=key, address=made.address, start=made.memory.start, end=made.memory.end)
        return made

    def new_buffer(self, name: str, size: int, content: bytes = b"", alignment: int = 16) -> Buffer:
        """Return new memory of the core's for an argument that is no struct; see `Buffer`."""
        made = Buffer(name, size, content, alignment, pages=self.scenario.pages)
        self._buffers.append(made)
        start, end = made.memory.start, made.memory.end
        self.trace.write(memory="", buffer=name, size=made.size, address=made.address, start=start, end=end)
        return made

    def closure(self, type: FunctionType, work: CoreFunction) -> CFuncPtr:
        """Return a pointer to a function of the core's, which stays valid as long as the process lives.

        Args:
            type: its type; one that cannot be called back gets a function that returns an address of zeros.
            work: the function in Python.
        """
        try:
            made: CFuncPtr = prototype(type, self.layouts)(work)
        except (StoppedError, TypeError):
            made = self._shim[ANSWER]
        self._closures.append(made)
        return made

    def retire(self, record: StructInstance | Buffer) -> None:
        """Make a struct or buffer inaccessible, because the core has ended it."""
        record.retire()
        self.trace.write(retired=record.name, start=record.memory.start, end=record.memory.end)

    def enter(self, arguments: Sequence[CallArgument]) -> Reply:
        """Call the plugin's entry point.

        Raises:
            StoppedError: the library has none.
        """
        return self.call_exported(self.trial.entry, arguments)

    def call_exported(self, function: Function, arguments: Sequence[CallArgument]) -> Reply:
        """Call a function that the library exports; see `call`.

        Raises:
            StoppedError: the library has none of that name.
        """
        return self.call_address(function.name, function.type, self.address_of(function), arguments)

    def address_of(self, function: Function) -> int:
        """Return the address of a function that the library exports.

        Raises:
            StoppedError: the library has none of that name.
        """
        name = function.symbol or function.name
        finder = self.api.functions.get(function.found_by)
        if finder is not None and finder.implemented_by is Party.PLUGIN and not self._has(name):
            if name not in self._found:
                text = self.new_buffer("a name", 0, name.encode() + b"\0", 1)
                self._found[name] = int(self.call_exported(finder, [text]).value)
            return self._found[name]
        return ctypes.cast(self._symbol(name), ctypes.c_void_p).value or 0

    def _has(self, name: str) -> bool:
        binary = self.trial.binary
        return name in binary.exports if binary is not None else hasattr(self._plugin, name)

    def address_of_object(self, variable: Variable) -> int:
        """Return the address of an object that the library exports.

        Raises:
            StoppedError: the library has none of that name.
        """
        name = variable.symbol or variable.name
        if self._plugin is None or not hasattr(self._plugin, name):
            raise StoppedError(f"the library has no object {name}")
        return ctypes.addressof(ctypes.c_char.in_dll(self._plugin, name))

    def exports(self, function: Function) -> bool:
        """True if the library has a function of that name itself."""
        finder = self.api.functions.get(function.found_by)
        if finder is not None and finder.implemented_by is Party.PLUGIN:
            return bool(self.address_of(function))
        return self._has(function.symbol or function.name)

    def _symbol(self, name: str) -> CFuncPtr:
        """Return a function of the library, by its name."""
        if self._plugin is None or not hasattr(self._plugin, name):
            raise StoppedError(f"the library has no function {name}")
        return self._plugin[name]

    def call(self, record: StructInstance, member: str, *arguments: CallArgument) -> Reply:
        """Call a function that the plugin has put into a struct.

        Args:
            record: the struct.
            member: the function's name there.
            arguments: all but a status object, which is made where the function takes one.

        Raises:
            StoppedError: the function is not there.
        """
        field = record.field(member)
        entity = f"{record.name}.{member}"
        if field is None:
            raise StoppedError(f"this core knows no {entity}")
        return self.call_address(entity, self.function_type(field.type), int(record.read(member)), arguments)

    def call_address(self, entity: str, type: FunctionType, address: int, arguments: Sequence[CallArgument]) -> Reply:
        """Call a function by its address; see `call`."""
        if not address:
            raise StoppedError(f"{entity} is NULL")
        given = iter(arguments)
        status = CoreStatus()
        self._statuses.append(status)
        values = [status if self.api.is_status(each.type) else next(given) for each in type.parameters]
        function = prototype(type, self.layouts)(address)
        self._locate(entity, address)
        if self.watching:
            self._shim[CHURN]()
        lent = [
            (each, each.content())
            for each, parameter in zip(values, type.parameters, strict=True)
            if isinstance(each, StructInstance | Buffer)
            and not each.retired
            and self.api.is_const_pointer(parameter.type)
        ]
        if self._recorder is not None and self.watching:
            self._recorder.call(entity, address, type, self.layouts, values, self._structs)
        with self.calling(entity), self._observer.watched(entity) if self.watching else nullcontext():
            value = function(*(getattr(each, "address", each) for each in values))
        status.state = 0
        if self.watching:
            self.look(entity)
        for record, before in lent:
            if record.content() != before:
                self.trace.write(lent=entity, struct=record.name)
        if self._recorder is not None and self.watching:
            self._recorder.returned(value, status.code, self._structs)
        said = (status.code, status.message.decode("utf-8", "replace")) if self._reads_status else (0, "")
        outcome = self.api.outcome(type, entity)
        listed = self.api.conventions.returned.result
        is_closed = not self.api.is_vendors or (listed is not None and listed.codes)
        codes = self.api.codes_of(type) if outcome.kind is ResultKind.CODE and is_closed else ()
        known = {self.value_of(each) for each in codes} | ({self.number(outcome.ok)} if codes else set())
        if outcome.kind is ResultKind.CODE and listed is not None and listed.codes:
            known |= {self.number(each) for each in (listed.ok, listed.failed, listed.unsupported, *listed.codes)}
        self._observer.judge(entity, type, value, said[0], known)
        number = value if isinstance(value, (int, float)) else 0
        code, message = said
        return Reply(number, code, message, self._refusal(entity, type, number))

    def _locate(self, entity: str, address: int) -> None:
        """Tell once where in the plugin's file a function is."""
        found = _Symbol()
        if entity in self._located or not ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(found)):
            return
        self._located.add(entity)
        if os.fsdecode(found.file or b"") == str(self.trial.plugin):
            self.trace.write(located=entity, offset=address - (found.base or 0))

    def _refusal(self, entity: str, type: FunctionType, value: int | float) -> str:
        """Return the result of a function in words if it means failure; empty otherwise."""
        outcome = self.api.outcome(type, entity, entry_point=self.trial.is_entry(entity))
        match outcome.kind:
            case ResultKind.CODE:
                return "" if value == self.number(outcome.ok) else self._name_of(type, value)
            case ResultKind.NEGATIVE:
                name = errno.errorcode.get(-int(value), "")
                return (f"-{name}" if name else str(value)) if value < 0 else ""
            case ResultKind.NULL:
                return "" if value else "NULL"
            case ResultKind.TRUTH:
                return "" if value else "false"
            case ResultKind.COMPLAINT:
                return "an error" if value else ""
        return ""

    def _name_of(self, type: FunctionType, value: int | float) -> str:
        """Return the name of a code that a function has returned; for others the number."""
        return next((name for name in self.api.codes_of(type) if self.value_of(name) == value), str(value))

    def number(self, code: str) -> int:
        """Return the number that a code or a truth value is."""
        known = {"true": 1, "false": 0}
        return known[code] if code in known else self.value_of(code) if code.isidentifier() else int(code, 0)

    def look(self, entity: str) -> None:
        """Record writes beyond the end of structs and buffers, with the function that is blamed."""
        for record in self._structs:
            for overrun in () if record.retired else record.memory.overruns():
                self.trace.write(overrun=record.name, by=entity, offset=overrun.offset, length=overrun.length)
        for each in self._buffers:
            for overrun in () if each.retired else each.memory.overruns():
                self.trace.write(
                    overrun="", buffer=each.name, size=each.size, by=entity, offset=overrun.offset,
                    length=overrun.length,
                )  # fmt: skip
        self.core_side.look()

    def function_type(self, type: CType) -> FunctionType:
        """Return the function type that a type is, or that it points to."""
        found = self.api.callback(type) or self.api.resolve(type)
        if not isinstance(found, FunctionType):
            raise StoppedError("the called value is not a function")
        return found

    def ends_of(self, key: str) -> set[int]:
        """Return the sizes that a struct has had in all releases, in bytes without padding."""
        last = {step.last_member for step in size_steps(self.trial.latest.structs[key])}
        return {each.offset + each.size for each in self.latest.of(key).fields if each.name in last}

    def expects(self, place: Addressed, content: bytes) -> None:
        """Record the bytes that memory should contain, and does not, for a program that shows it."""
        if self._recorder is not None and len(content) <= MOST_BYTES:
            self.trace.write(expected=content.hex(), at=place.address)

    def set_status(self, status: int, code: int, message: str) -> None:
        """Store an error in a status, as the core's own function does."""
        errors = self.api.conventions.errors
        assert errors is not None
        self._shim[errors.set](ctypes.c_void_p(status), code, message.encode())

    def failed(self, entity: str, said: str, *, level: Level = Level.ERROR) -> StoppedError:
        """Record that a function of the plugin does not do its task.

        Args:
            entity: the function.
            said: the wrong behaviour, as the rest of a sentence.
            level: the level of the finding.

        Returns:
            The exception that ends a check which cannot continue.
        """
        self.trace.write(failed=entity, said=said, level=level.value)
        return StoppedError(f"{entity} {said}")

    def refused(self, entity: str, reply: Reply) -> StoppedError:
        """Note that a function has reported an error, though nothing was wrong; see `failed`."""
        said = f"fails: code {reply.code}, {reply.message!r}"
        level = Level.WARNING if self.is_unimplemented(reply) else Level.ERROR
        return self.failed(entity, said, level=level)

    def is_unimplemented(self, reply: Reply) -> bool:
        """True if a function has reported that it is not implemented."""
        errors, result = self.api.conventions.errors, self.api.conventions.returned.result
        if reply.refusal and result is not None:
            return reply.refusal == result.unsupported
        if reply.refusal and self.api.conventions.returned.negative is not None:
            return reply.refusal in ("-ENOTSUP", "-EOPNOTSUPP", "-ENOSYS")
        if errors is None or reply.ok or "unimplemented" not in errors.codes:
            return False
        try:
            return reply.code == self.value_of(errors.codes["unimplemented"])
        except StoppedError:
            return False

    def value_of(self, name: str) -> int:
        """Return the value of an enumerator or constant of the API.

        Raises:
            StoppedError: there is none of that name.
        """
        if name in self.api.enumerators:
            return self.api.enumerators[name].value
        constant = self.api.constants.get(name)
        if constant is not None and constant.expression is not None:
            return self.layouts.evaluate(constant.expression)
        raise StoppedError(f"the API has no {name}")

    def callback(self, name: str, function: Callable[..., object]) -> CFuncPtr:
        """Return a Python function as a pointer that the plugin can call.

        Args:
            name: the callback's type in the API.
            function: takes what the callback takes, pointers as addresses.
        """
        made: CFuncPtr = prototype(self.function_type(NamedType(name)), self.layouts)(function)
        self._closures.append(made)  # a thread of the plugin may call it when the check has forgotten it
        return made


MOST_ARGUMENTS = 10
"""The most arguments of a call."""
MOST_RESTORED = 4096
"""Bytes of the largest buffer whose content each round restores."""
_AS_IT_IS, _STORED, _STATUS = range(3)
ANYTHING, ZERO, NOT_ZERO = range(3)
"""The result that a call has to return: any, zero, or not zero."""


_COUNTED = (("files", "fd"), ("threads", "task"))
_PATIENCE = 1.0
"""Seconds in which threads have to end whose work is done."""
_ALLOCATOR_INFO = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
_WARM_UP, _ROUNDS, _WINDOWS, _WINDOW = 100, 500, 3, 0.04
"""Rounds of the warm-up, rounds of one measurement, the number of measurements, and the seconds of one."""
_AT_ONCE = 100
"""Rounds between two waits for the work to end: a queue keeps the memory that its longest backlog needed."""
_LONGER = 8
"""The factor by which the last measurement is longer if the growth is small: growth by an allocator declines."""
_SMALL = 16
"""Bytes each time of which that may be true: the smallest block of an allocator."""
_LEAST = {"bytes": 2.0, "mapped bytes": 2048.0, "files": 0.05, "threads": 0.05}
"""The least growth per round, on average, that is a leak; caches grow by less."""
_NOISE = {"bytes": 2200, "mapped bytes": 1 << 20, "files": 3, "threads": 3}
"""The growth that abigen itself may cause in one measurement."""


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


class StoredArgument(msgspec.Struct, frozen=True):
    """An argument that is read from an address at the time of the call."""

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
        self, record: StructInstance, member: str, *arguments: CallArgument | StoredArgument, wanted: int = ANYTHING,
        result: Addressed | None = None,
    ) -> Routine:  # fmt: skip
        """Add a call of a function that the plugin has put into a struct; see `Harness.call`."""
        field = record.field(member)
        assert field is not None
        type, address = self._harness.function_type(field.type), int(record.read(member))
        return self.function(f"{record.name}.{member}", address, type, arguments, wanted=wanted, result=result)

    def function(
        self, entity: str, address: int, type: FunctionType, arguments: Sequence[CallArgument | StoredArgument], *,
        wanted: int = ANYTHING, result: Addressed | None = None,
    ) -> Routine:  # fmt: skip
        """Add a call of a function of the plugin's by its address; see `Harness.call_address`."""
        given, values = iter(arguments), []
        for parameter in type.parameters:
            is_status = self._harness.api.is_status(parameter.type)
            values.append((_STATUS, CoreStatus()) if is_status else _kind(next(given)))
        self._add(entity, address, values, wanted, self._mask(type), result)
        return self

    def system(self, name: str, *arguments: CallArgument | StoredArgument, wanted: int = ANYTHING) -> Routine:
        """Add a call of a function of the C library's, or of the core's."""
        function = getattr(ctypes.CDLL(None), name, None) or self._harness.core_function(name)
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        self._add("", address, [_kind(each) for each in arguments], wanted, 0xFFFFFFFF, None)
        return self

    def claim(self, entity: str, slot: object) -> Routine:
        """Add a call that claims the handle in `slot`, so that no other thread may have the same."""
        self.system(CLAIM, StoredArgument(slot), wanted=ZERO)
        self._entities[-1] = entity
        return self

    def give_up(self, slot: object) -> Routine:
        """Add a call that releases the handle in `slot` for other threads."""
        return self.system(GIVE_UP, StoredArgument(slot))

    def expect(self, entity: str, place: Addressed, content: bytes) -> Routine:
        """Add a comparison of memory with its expected content; a difference is blamed on `entity`."""
        self.system("memcmp", place, ctypes.create_string_buffer(content), len(content), wanted=ZERO)
        self._entities[-1] = entity
        return self

    def restore(self, record: StructInstance | Buffer) -> Routine:
        """Add a call that restores the present content of a struct or buffer."""
        content = record.content()
        return self.system("memcpy", record, ctypes.create_string_buffer(content, len(content)), len(content))

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield each function that failed in the last run of the routine, and how."""
        for entity, call in zip(self._entities, self._ran or (), strict=True):
            if call.wrong and entity:
                yield entity, f"fails with code {call.code}" if call.code else "returns an object that another one owns"

    def thread(self) -> _Thread:
        """Return the calls as the struct that the C code receives."""
        calls = (_Call * len(self._calls))(*self._calls)
        self._ran = calls
        return _Thread(calls=calls, count=len(calls))

    def _mask(self, type: FunctionType) -> int:
        """Return the mask of the bits of a result."""
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
        harness: has the plugin.
        entity: the function that is blamed if the plugin crashes meanwhile.
        routines: one for each thread.
        rounds: the most rounds of each thread.
        seconds: the time limit.

    Returns:
        The number of rounds of all threads together.
    """
    doing = entity if len(routines) == 1 else f"{entity} by several threads"
    harness.trace.write(unshown="calls are repeated, mostly by several threads")
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


def _kind(value: CallArgument | StoredArgument) -> tuple[int, object]:
    return (_STORED, value.place) if isinstance(value, StoredArgument) else (_AS_IT_IS, value)


def _number(value: object) -> int:
    """Return an argument as a signed number of 64 bits, as in a register."""
    if value is None or isinstance(value, int):
        number = value or 0
    elif hasattr(value, "address"):
        number = int(value.address)
    else:
        assert isinstance(value, (CFuncPtr, ctypes.Array))
        number = ctypes.cast(value, ctypes.c_void_p).value or 0
    return number - (1 << 64) if number >= 1 << 63 else number


def left_behind(harness: Harness, entity: str, routine: Routine, finish: Callable[[], object] = bool) -> str:
    """Return the resources that each run of a routine leaves, in words; empty for none.

    Args:
        harness: has the plugin.
        entity: the function that is blamed if the plugin crashes meanwhile.
        routine: the calls to repeat.
        finish: waits for the end of the work.
    """
    return left_each_time(lambda rounds, seconds: repeat(harness, entity, [routine], rounds, seconds), finish)


def left_each_time(run: Callable[[int, float], int], finish: Callable[[], object] = bool) -> str:
    """Return the resources that each round leaves, in words; empty for none.

    Args:
        run: does at most so many rounds, for so many seconds; returns the number of rounds.
        finish: waits for the end of the work.
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
    """Return an average in words: `1 file`, `2.5 bytes`, `4016 bytes`."""
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
    """Return the `bytes`, `mapped bytes`, open `files` and `threads` of the process, plugin and core together.

    Raises:
        InapplicableError: the C library does not report it.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        raise InapplicableError("the C library does not state how much memory is allocated")
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
    """Return the number of open files of the process; 0 if the system does not report it."""
    own = Path("/proc/self/fd")
    return len(list(own.iterdir())) if own.is_dir() else 0


def held_since(before: Mapping[str, int]) -> dict[str, int]:
    """Return the growth of each resource since `before`, after waiting for threads that are about to end."""
    end = time.monotonic() + _PATIENCE
    while held()["threads"] > before["threads"] and time.monotonic() < end:
        time.sleep(0.001)
    return {name: number - before[name] for name, number in held().items()}
