"""Core as a plugin meets it: it loads the plugin, calls it, and watches the memory that it hands over."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
from _ctypes import CFuncPtr
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

from abigen.host.process import StoppedError, Trace
from abigen.host.verify.core_side import CoreFunction, CoreSide
from abigen.host.verify.repro import MOST_BYTES, Recorder
from abigen.host.verify.scenario import Scenario, Trial
from abigen.host.verify.shim import ANSWER, CALLS, CHURN, WATCH, CallObserver, CoreStatus
from abigen.host.verify.struct_memory import Buffer, StructInstance, prototype
from abigen.model.contract import Party, ResultKind
from abigen.model.ctype import CType, FunctionType, NamedType
from abigen.model.entities import Function, Variable
from abigen.model.finding import Level
from abigen.model.layout import Layouts
from abigen.model.releases import size_steps

LOADING = "loading the library"
UNLOADING = "unloading the library"
_PERTURB = -6
_PERTURB_VALUE = 0xA5


class _Symbol(ctypes.Structure):
    """`Dl_info` of dladdr(3)."""

    _fields_ = tuple(zip(("file", "base", "name", "address"), (ctypes.c_char_p, ctypes.c_void_p) * 2, strict=True))


class Addressed(Protocol):
    """Anything that is passed by its address."""

    @property
    def address(self) -> int:
        """Where it is, or what stands for it."""


CallArgument: TypeAlias = "int | float | Addressed | CFuncPtr | ctypes.Array[ctypes.c_char] | ctypes.Structure | None"


class Reply(msgspec.Struct, frozen=True):
    """What a call gave."""

    value: int | float
    """What it returned; 0 for nothing."""
    code: int
    """What its status says; 0 is success."""
    message: str
    refusal: str = ""
    """What it returned, in words, where the API has agreed that this means failure; empty otherwise."""

    @property
    def ok(self) -> bool:
        """Whether it reported no error."""
        return self.code == 0 and not self.refusal


class Harness:
    """One core and one plugin, in a process of their own."""

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
        """What is known not to return."""
        self._recorder = Recorder(trace) if trial.recorded else None
        self.watching = True
        """Whether memory is looked at after each call; not while several threads call."""
        self._shim = ctypes.CDLL(str(trial.shim), mode=ctypes.RTLD_GLOBAL)
        self._plugin: ctypes.CDLL | None = None
        self._reads_status = self.api.status_handle is not None
        self._statuses: deque[CoreStatus] = deque(maxlen=32)
        """Those of the last calls, whose memory is not used again so soon."""
        self._observer = CallObserver(self.api, self._shim, trace)
        self._shim[WATCH](trace.descriptor, trace.fault_mark)
        for path in trial.stand_ins:
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        if hasattr(ctypes.CDLL(None), "mallopt"):  # what has been freed does not look as it did
            ctypes.CDLL(None).mallopt(_PERTURB, _PERTURB_VALUE)

    @contextmanager
    def calling(self, doing: str) -> Iterator[None]:
        """Say that the plugin's code is run from here to there.

        Args:
            doing: what for, a function's name most often.

        Raises:
            StoppedError: that is known not to return.
        """
        if doing in self.avoided:
            self.trace.write(stake="", meaning="")  # that is no news
            raise StoppedError(f"{doing} does not return")
        self.doing = doing
        with self.trace.calling(doing):
            yield

    @contextmanager
    def staking(self, entity: str, meaning: str) -> Iterator[None]:
        """Say what it means when something that is called from here to there fails, crashes or does not return.

        Args:
            entity: what is to blame.
            meaning: the finding's message.
        """
        self.trace.write(stake=entity, meaning=meaning)
        yield
        self.trace.write(stake="", meaning="")

    def load(self) -> None:
        """Load the plugin, as core does.

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
        """The files in memory: libraries, and the plugin, which unloading may leave there."""
        maps = Path("/proc/self/maps")
        if not maps.exists():
            return {self.trial.plugin}
        lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
        return {
            Path(line[line.index("/") :]) for line in lines if " /" in line and Path(line[line.index("/") :]).is_file()
        }

    def calls_of_core(self) -> int:
        """How often the plugin has called functions of core's so far, those for status objects aside."""
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
        """A function of the library that plugins link against."""
        return self._shim[name]

    def watched(self, entity: str) -> AbstractContextManager[None]:
        """Look at the process before and after; see `CallObserver.watched`."""
        return self._observer.watched(entity)

    def finds(self, symbol: str) -> bool:
        """Whether a symbol is in the plugin, in what it depends on, in core or in the process."""
        places = [self._plugin] if self._plugin is not None else []
        return any(hasattr(place, symbol) for place in (*places, ctypes.CDLL(None)))

    def new_struct(self, key: str) -> StructInstance:
        """A new struct, of the size that this core knows."""
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
        """Let nobody touch a struct or buffer from now on, because core has ended it."""
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
        """A function of the library, by its name."""
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
        """What a function has returned, in words, if that means failure."""
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
        """The name of a code that a function has returned; of others the number."""
        return next((name for name in self.api.codes_of(type) if self.value_of(name) == value), str(value))

    def number(self, code: str) -> int:
        """Return the number that a code or a truth value is."""
        known = {"true": 1, "false": 0}
        return known[code] if code in known else self.value_of(code) if code.isidentifier() else int(code, 0)

    def look(self, entity: str) -> None:
        """Note who has written beyond the end of a struct."""
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
        """The function that a pointer to one points to, or that a type is."""
        found = self.api.callback(type) or self.api.resolve(type)
        if not isinstance(found, FunctionType):
            raise StoppedError("what is called is no function")
        return found

    def ends_of(self, key: str) -> set[int]:
        """The sizes that a struct has had, up to now, in bytes without padding."""
        last = {step.last_member for step in size_steps(self.trial.latest.structs[key])}
        return {each.offset + each.size for each in self.latest.of(key).fields if each.name in last}

    def expects(self, place: Addressed, content: bytes) -> None:
        """Tell what ought to be in memory by now, and is not, for a program that shows it."""
        if self._recorder is not None and len(content) <= MOST_BYTES:
            self.trace.write(expected=content.hex(), at=place.address)

    def set_status(self, status: int, code: int, message: str) -> None:
        """Store an error in a status, as core's own function does."""
        errors = self.api.conventions.errors
        assert errors is not None
        self._shim[errors.set](ctypes.c_void_p(status), code, message.encode())

    def failed(self, entity: str, said: str, *, level: Level = Level.ERROR) -> StoppedError:
        """Note that a function of the plugin does not do what it is there for.

        Args:
            entity: the function.
            said: what it does instead, as the rest of a sentence.
            level: how loud that is.

        Returns:
            What ends a check that cannot go on without it.
        """
        self.trace.write(failed=entity, said=said, level=level.value)
        return StoppedError(f"{entity} {said}")

    def refused(self, entity: str, reply: Reply) -> StoppedError:
        """Note that a function has reported an error, though nothing was wrong; see `failed`."""
        said = f"fails: code {reply.code}, {reply.message!r}"
        level = Level.WARNING if self.is_unimplemented(reply) else Level.ERROR
        return self.failed(entity, said, level=level)

    def is_unimplemented(self, reply: Reply) -> bool:
        """Whether a function has said that it is not written."""
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
        """The value of an enumerator or constant of the API.

        Raises:
            StoppedError: there is none of that name.
        """
        enumerators = {each.name: each for enum in self.api.enums.values() for each in enum.enumerators or ()}
        if name in enumerators:
            return enumerators[name].value
        constant = self.api.constants.get(name)
        if constant is not None and constant.expression is not None:
            return self.layouts.evaluate(constant.expression)
        raise StoppedError(f"the API has no {name}")

    def callback(self, name: str, function: Callable[..., object]) -> CFuncPtr:
        """A Python function as the plugin calls it.

        Args:
            name: the callback's type in the API.
            function: takes what the callback takes, pointers as addresses.
        """
        made: CFuncPtr = prototype(self.function_type(NamedType(name)), self.layouts)(function)
        self._closures.append(made)  # a thread of the plugin may call it when the check has forgotten it
        return made
