"""Scenarios of `abigen verify`: a plugin, its API, and the release of the core that is played.

Status objects work as the API's conventions name them. All other functions of the core exist, do nothing, and return
zero or a handle that only functions of this library accept.
"""

from __future__ import annotations

import ctypes
import locale
import math
import os
import platform
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.contract import Party
from abigen.model.ctype import Array, Basic, CType, FunctionType, Pointer, RecordType
from abigen.model.entities import Field, Function, Struct, Variable
from abigen.model.releases import at_release, releases_of
from abigen.model.span import AbigenError
from abigen.model.target import Target, find_target, target_names
from abigen.model.version import Version
from abigen.workspace.libraries import SharedLibrary, kept_library
from abigen.workspace.process import InapplicableError, Trace
from abigen.workspace.shipped import fill_in, hint_about

CHURN = "abigen_verify_churn"
"""`void (void)`: makes the allocator of this thread overwrite the memory that is freed next."""

UNMAP = "abigen_verify_unmap"
"""`void (void)`: from now on, memory of this thread is unmapped when it is freed, so that its use crashes."""

ANSWER = "abigen_verify_answer"
"""`void* (void)`: replaces functions of the core that Python cannot implement; returns the address of zeros."""

CALLS = "abigen_verify_calls"
"""`long`: how many of the functions that do nothing have been called."""

WATCH = "abigen_verify_watch"
"""`void (int descriptor, const char* mark)`: from now on a crash writes the mark, its signal and its address there
before it takes its course."""

STATUS_ROOM = 1000
"""Bytes that a status object has for its message; it begins with its code, an int, and ends with its state, one as
well."""

STATUS_IS_CORES = 0x5354
"""The state of a status that the core has made, for the time of a call; one that has ended has the state 0."""

MISUSES = ("frees", "uses after the call")
"""Forbidden uses of a status of the core's, in the order of their counters."""
MISUSES_SYMBOL = "abigen_verify_misuses"

STATE = "abigen_verify_state"
"""`void (char* text, size_t room)`: the state of the process and of the calling thread, as lines `name=value`.
"""

REPEAT = "abigen_verify_repeat"
"""`void (struct thread* threads, long count, long rounds, double seconds)`; see `repeat.c`."""
CLAIM, GIVE_UP, COUNT = "abigen_verify_claim", "abigen_verify_give_up", "abigen_verify_count"
"""Functions for programs that are repeated; see `repeat.c`."""


def core_functions(apis: Iterable[Api]) -> dict[str, tuple[Function, Api]]:
    """Return the functions that the core implements, by name, and an API that has each."""
    found: dict[str, tuple[Function, Api]] = {}
    for api in apis:
        finders = {each.found_by for each in api.functions.values()}
        for function in api.functions.values():
            is_found = bool(function.found_by) or function.name in finders
            if function.implemented_by == "core" and not (function.static or is_found):
                found.setdefault(function.symbol or function.name, (function, api))
    return found


def shim_source(api: Api, others: Sequence[Api]) -> str:
    """Return the library's source.

    Args:
        api: the API that plugins are tried against, as the core knows it.
        others: APIs whose functions the core has as well.

    Returns:
        C that includes nothing but the system's headers.
    """
    errors, status = api.conventions.errors, api.status_handle
    known = api.status_functions if status else ()
    functions = core_functions((api, *others)).items()
    stubs = {name: _result_of(*found) for name, found in functions if name not in known}
    return fill_in("verify/_core/shim.c.j2", errors=errors, status=status, room=STATUS_ROOM, stubs=stubs)


def _result_of(function: Function, api: Api) -> str:
    """Return the result type of a stub: `pointer`, `struct` or a name; callers use as much of a `long` as they need."""
    result = api.resolve(function.type.result)
    if isinstance(result, (Pointer, RecordType)):
        return "pointer" if isinstance(result, Pointer) else "struct"
    known = result.name if isinstance(result, Basic) else ""
    return known if known in ("void", "float", "double") else "long"


def _change_process_defaults() -> None:
    """Set unusual process settings, so that a plugin which sets the usual ones is noticed."""
    import resource  # not on Windows, where the manual has to be readable as well

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores both
    signal.signal(signal.SIGXFSZ, lambda *_: None)  # by default it would end a plugin that writes up to the limit
    os.umask(os.umask(0) ^ 0o005)
    os.environ["LC_ALL"] = "C.UTF-8"
    locale.setlocale(locale.LC_ALL, "C")
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE, resource.RLIMIT_STACK):
        soft, hard = resource.getrlimit(kind)
        if soft == hard and soft > 1:
            resource.setrlimit(kind, (soft - 1, hard))


class CoreStatus(ctypes.Structure):
    """A status object of the core's, as the library with core's functions has it."""

    _fields_ = (("code", ctypes.c_int), ("message", ctypes.c_char * STATUS_ROOM), ("state", ctypes.c_int))

    def __init__(self) -> None:
        """Say that all is well."""
        super().__init__(state=STATUS_IS_CORES)

    @property
    def address(self) -> int:
        """Its address."""
        return ctypes.addressof(self)


_ROOM = 8192
_STREAMS = {1: "standard output", 2: "standard error"}


class CallObserver:
    """Compares the process before and after each call, and checks the results of the call."""

    def __init__(self, api: Api, shim: ctypes.CDLL, trace: Trace) -> None:
        """Look at nothing yet.

        Args:
            api: the API as the plugin knows it.
            shim: the library that the plugin links against.
            trace: receives the observations.
        """
        self._api = api
        self._shim = shim
        self._trace = trace
        errors = api.conventions.errors
        reads = api.functions.get(errors.code) if errors is not None else None
        self._codes = self._values_of(reads.type.result) if reads is not None else {}
        _change_process_defaults()
        for stream in _STREAMS:  # each gets a position of its own, which tells who has written
            with suppress(OSError):
                again = os.open(f"/proc/self/fd/{stream}", os.O_WRONLY | os.O_APPEND)
                os.dup2(again, stream)
                os.close(again)

    @contextmanager
    def watched(self, entity: str) -> Iterator[None]:
        """Record the changes of the process during the context."""
        before, written, misused = self._state(), self._written(), self._misused()
        yield
        after = self._state()
        changed = [name for name, value in before.items() if after.get(name) != value]
        if changed:
            self._trace.write(changed=entity, what=changed)
        for stream, position in self._written().items():
            if position > written.get(stream, position):
                self._trace.write(printed=entity, stream=_STREAMS[stream])
        for misuse, count, known in zip(MISUSES, self._misused(), misused, strict=True):
            if count > known:
                self._trace.write(misused=entity, how=misuse)

    def judge(self, entity: str, type: FunctionType, value: object, code: int, codes: Collection[int]) -> None:
        """Record impossible values among the results of a call.

        Args:
            entity: the function.
            type: its type.
            value: its result.
            code: of its status; 0 without one.
            codes: the results that the API has named, where these are constants; none where it names none.
        """
        if self._codes and code not in self._codes:
            self._trace.write(impossible=entity, said=f"reports code {code}, which does not exist")
        known = self._values_of(type.result) or codes
        if known and value not in known:
            self._trace.write(impossible=entity, said=f"returns {value}, which does not exist")
        if isinstance(value, float) and not math.isfinite(value):
            self._trace.write(impossible=entity, said=f"returns {value}")

    def _values_of(self, type: CType) -> frozenset[int]:
        """Return the values of the enumeration that a type is; none for others."""
        enum = self._api.enum_of(type)
        return frozenset(each.value for each in (enum.enumerators or ()) if enum is not None) if enum else frozenset()

    def _state(self) -> dict[str, str]:
        text = ctypes.create_string_buffer(_ROOM)  # one for each call: several threads ask at once
        self._shim[STATE](text, ctypes.c_size_t(_ROOM))
        lines = (line.partition("=") for line in text.value.decode("ascii").splitlines())
        return {name: value for name, _, value in lines}

    def _written(self) -> dict[int, int]:
        found = {}
        for stream in _STREAMS:
            with suppress(OSError):
                found[stream] = os.lseek(stream, 0, os.SEEK_CUR)
        return found

    def _misused(self) -> tuple[int, ...]:
        if not hasattr(self._shim, MISUSES_SYMBOL):
            return (0,) * len(MISUSES)
        return tuple((ctypes.c_long * len(MISUSES)).in_dll(self._shim, MISUSES_SYMBOL))


_EXTRA = Field(name="members of a later release", type=Array(Basic("char"), 64))
_SYSTEMS = {"linux": "linux-gnu", "darwin": "apple-darwin"}
_MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}


class KernelCore(Protocol):
    """A core that runs kernels; an API has one in `abigen.runner.apis`, or in a folder of templates."""

    def __enter__(self) -> Self:
        """Use the core."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Close the core."""

    def load_plugin(self, *names: str | Path) -> object:
        """Load a plugin."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """The plugin to be tested, its API, and the settings of the test."""

    plugin: Path
    binary: SharedLibrary | None
    """The symbols of its file; None if the format is unknown."""
    api: Api
    """The API as the core knows it."""
    latest: Api
    """The API's current release, which names members that an older core does not know."""
    target: Target
    first: Function | None
    """The function that the core calls first; None if plugins choose its name, so that the API's own checks look for
    it."""
    objects: tuple[Variable, ...] = ()
    """Tables that the plugin exports as data, by which the core begins where no function is called first."""
    shim: Path
    """The functions that the plugin links against."""
    stand_ins: tuple[Path, ...] = ()
    """Empty libraries in place of those that this machine does not have."""
    others: tuple[Api, ...] = ()
    """APIs whose functions the core has as well."""
    start_core: Callable[[], KernelCore] | None = None
    """Starts a core that runs kernels; None where there is none of this API, or the plugin registers nothing."""
    threads: int = 2
    """The number of threads that call at once, in checks for races."""
    recorded: bool = False
    """True if calls are recorded, to repeat them in a program."""
    has_own_checks: bool = False
    """True if there are checks for this API, which know better which arguments its functions need."""

    @property
    def entry(self) -> Function:
        """The function that the core calls first.

        Raises:
            InapplicableError: the API has none.
        """
        if self.first is None and self.objects:
            return Function(name=self.objects[0].name, type=FunctionType(Basic("void"), ()))
        if self.first is None:
            raise InapplicableError("this API has no entry point")
        return self.first

    def is_entry(self, name: str) -> bool:
        """True if the core calls the function of that name first."""
        return self.first is not None and self.first.name == name


def make_trial(
    plugin: Path,
    binary: SharedLibrary | None,
    latest: Api,
    others: tuple[Api, ...],
    api: Api,
    folder: Path,
    *,
    may_have_none: bool,
) -> Trial:
    """Prepare for trying out a plugin.

    Args:
        plugin: the library.
        binary: its symbols.
        latest: the API's current release.
        others: APIs whose functions the core has as well.
        api: the API at the release that the core is to be of.
        folder: the folder for compiled libraries.
        may_have_none: true if checks find the functions to call in an API without an entry point.

    Raises:
        AbigenError: there is no entry point; core's functions cannot be compiled, or the machine is not known.
    """
    api, latest = with_symbols(api, binary), with_symbols(latest, binary)
    offered = [
        each for each in exported_objects(latest) if binary is None or (each.symbol or each.name) in binary.exports
    ]
    has_none = not entry_points(latest) and (may_have_none or offered)
    return Trial(
        plugin=plugin.resolve(),
        binary=binary,
        api=api,
        latest=latest,
        target=this_target(),
        first=None if has_none else entry_point(latest),
        objects=tuple(offered),
        shim=kept_library(shim_source(api, others), (), folder),
        others=others,
    )


def this_target() -> Target:
    """Return the target of this machine: the layout of its structs.

    Raises:
        AbigenError: the layout on this machine is unknown.
    """
    machine = platform.machine().lower()
    target = f"{_MACHINES.get(machine, machine)}-{_SYSTEMS.get(sys.platform, sys.platform)}"
    if target not in target_names():
        raise AbigenError.at(None, f"abigen does not know how structs are laid out on this machine, {target}")
    return find_target(target)


def entry_points(api: Api) -> tuple[Function, ...]:
    """Return the functions of an API's own by which the core begins."""
    return tuple(each for each in api.functions.values() if each.entry_point and each.in_api)


def exported_objects(api: Api) -> tuple[Variable, ...]:
    """Return the tables of an API's own that plugins export as data."""
    return tuple(each for each in api.variables.values() if each.entry_point and each.in_api)


def with_symbols(api: Api, binary: SharedLibrary | None) -> Api:
    """Put the names that a plugin exports in place of those that follow from its name.

    Args:
        api: in whose symbols `{name}` stands for the plugin's name.
        binary: the plugin; None if its symbols cannot be read.
    """

    def found(symbol: str, *, is_object: bool) -> str:
        """Return the shortest name that fits: functions have names of their own, which end like those of tables."""
        before, _, after = symbol.partition("{name}")
        fitting = (
            each
            for each in sorted(binary.exports if binary is not None else ())
            if each.startswith(before) and each.endswith(after) and len(each) > len(before + after)
            if binary is not None and (each in binary.objects) is is_object
        )
        return min(fitting, key=len, default=symbol)

    functions = {
        name: replace(each, symbol=found(each.symbol, is_object=False)) if "{name}" in each.symbol else each
        for name, each in api.functions.items()
    }
    variables = {
        name: replace(each, symbol=found(each.symbol, is_object=True)) if "{name}" in each.symbol else each
        for name, each in api.variables.items()
    }
    return replace(api, functions=functions, variables=variables)


def entry_point(api: Api) -> Function:
    """Return the function of an API by which the core begins.

    Raises:
        AbigenError: there is none, or nobody knows what core gives it.
    """
    found = entry_points(api)
    if not found:
        hint = hint_about(api.name, "mark the function that the core calls first `entry_point: true`")
        raise AbigenError.at(None, f"{api.name} has no entry point, so the core cannot call it", hint)
    for parameter in found[0].type.parameters:
        name = parameter.name or "a parameter"
        handle, given = api.handle_of(parameter.type), api.samples.get(found[0].name, {})
        is_cores = bool(api.callback(parameter.type)) or (handle is not None and handle.defined_by is Party.CORE)
        says_more = bool(parameter.versions or parameter.count or parameter.ended) or name in found[0].outputs
        is_known = is_cores or says_more or name in given or bool(parameter.example) or api.is_vendors
        is_known = is_known or api.is_status(parameter.type) or api.pointee(parameter.type) is not None
        if not (is_known or parameter.version_part):
            message = f"{found[0].name} takes {name}, and the spec does not state the argument that the core passes"
            hint = "it can be a struct, a status object, a number with major, minor or patch in its name, or something "
            hint += "that `verify: calls:` states"
            raise AbigenError.at(parameter.span or found[0].span, message, hint)
    return found[0]


def other_entries(trial: Trial) -> list[str]:
    """Return the entry points without parameters that a plugin exports for other APIs."""
    others = {each.symbol or each.name: each for api in trial.others for each in entry_points(api)}
    exported = trial.binary.exports if trial.binary is not None else frozenset()
    return [name for name, entry in others.items() if name in exported and not entry.type.parameters]


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A core as a plugin meets it."""

    name: str
    """`a core of release 0.1.0`."""
    api: Api
    """The API as this core knows it."""
    version: Version
    """The version that it states."""
    shorter: bool = False
    """Its structs end earlier than those of any core that has been released."""
    pages: bool = False
    """An inaccessible page follows each struct, instead of bytes in which writes are seen."""
    settings: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Values that the core stores in members of its own structs, by `Struct.member`; other members are 0."""


def version_of(api: Api) -> Version:
    """Return the API's version; 0.0.0 if it states none."""
    return api.version.version if api.version is not None else Version(0, 0, 0)


def equal(api: Api) -> Iterator[Scenario]:
    """Yield the core that was asked for."""
    version = version_of(api)
    name = f"a core of release {version}" if api.version is not None else "core"
    yield Scenario(name=name, api=api, version=version)


def equal_with_pages(api: Api) -> Iterator[Scenario]:
    """Yield the core that was asked for, and earlier ones, with inaccessible pages behind their structs."""
    for each in (*equal(api), *older(api)):
        yield replace(each, pages=True)


def older(api: Api) -> Iterator[Scenario]:
    """Yield the releases before it with the same MAJOR, the latest first."""
    version = version_of(api)
    for release in reversed(releases_of(api)):
        if release < version and release.major == version.major:
            yield Scenario(name=f"an older core, of release {release}", api=at_release(api, release), version=release)


def shortened(api: Api) -> Iterator[Scenario]:
    """Yield cores of which one struct ends one member earlier, as if this release had added the last one.

    None where that cannot be: the API says of its members how old they are, or promises that it has not changed
    without a new version, which nobody does while MAJOR is 0 (Semantic Versioning 2.0.0, clause 4).
    """
    own = [struct for struct in api.structs.values() if struct.in_api]
    ages = [each.contract.lifecycle.since for struct in own for each in (struct, *(struct.fields or ()))]
    if version_of(api).major > 0 or any(ages):
        return
    for key, struct in api.structs.items():
        shorter = _without_last(struct, api)
        if shorter is not struct:
            known = replace(api, structs={**api.structs, key: shorter})
            name = f"an older core, whose {key} ends one member earlier"
            yield Scenario(name=name, api=known, version=version_of(api), shorter=True)


def newer(api: Api) -> Iterator[Scenario]:
    """Yield a core of the next MINOR, with members that no plugin knows yet."""
    version = version_of(api)
    later = Version(version.major, version.minor + 1, 0)
    embedded = _embedded(api)
    structs = {
        key: replace(each, fields=(*(each.fields or ()), _EXTRA)) if each.is_versioned and key not in embedded else each
        for key, each in api.structs.items()
    }
    name = f"a newer core, of release {later}"
    yield Scenario(name=name, api=replace(api, structs=structs), version=later)


def foreign(api: Api) -> Iterator[Scenario]:
    """Yield cores of the next MAJOR and of the one before."""
    version = version_of(api)
    for major in (version.major + 1, version.major - 1):
        if major >= 0:
            other = Version(major, 0, 0)
            yield Scenario(name=f"a core of another MAJOR, {other}", api=api, version=other)


def _embedded(api: Api) -> set[str]:
    """Return the keys of structs that are members of others; a new size of these moves the members behind them."""
    fields = (field for each in api.structs.values() for field in each.fields or ())
    return {inner.name for inner in (api.struct_of(each.type) for each in fields) if inner is not None}


def _without_last(struct: Struct, api: Api) -> Struct:
    """Return the struct without its last member, if the plugin fills this member; otherwise the same struct."""
    if not struct.is_versioned or not struct.in_api or not struct.fields or struct.name in _embedded(api):
        return struct
    *rest, last = struct.fields
    leading = (struct.size_member, api.conventions.extension_field)
    is_object = bool(last.allocated_by) and isinstance(api.resolve(last.type), Pointer)
    if last.filler is not Party.PLUGIN or is_object or all(each.name in leading for each in rest):
        return struct
    return replace(struct, fields=tuple(rest))
