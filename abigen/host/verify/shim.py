"""The functions that plugins link against, as far as a spec alone can tell: a small library, compiled on demand.

Status objects work, as the API's conventions name them. Whatever else core implements is there,
does nothing, and gives zero, or a handle that only functions of this library take.
"""

from __future__ import annotations

import ctypes
import locale
import math
import os
import signal
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from abigen.host.process import Trace
from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, FunctionType, Pointer, RecordType
from abigen.model.entities import Function
from abigen.shipped import fill_in

CHURN = "abigen_verify_churn"
"""`void (void)`: makes the allocator of this thread overwrite what is freed next, instead of keeping it as it was."""

UNMAP = "abigen_verify_unmap"
"""`void (void)`: from now on what this thread allocates is gone when it is freed, so that its use crashes."""

ANSWER = "abigen_verify_answer"
"""`void* (void)`: stands for functions of the core's that Python cannot be; returns the address of zeros."""

CALLS = "abigen_verify_calls"
"""`long`: how many of the functions that do nothing have been called."""

WATCH = "abigen_verify_watch"
"""`void (int descriptor, const char* mark)`: from now on a crash writes the mark, its signal and its address there
before it takes its course."""

STATUS_ROOM = 1000
"""Bytes that a status object has for its message; it begins with its code, an int, and ends with its state, one as
well."""

STATUS_IS_CORES = 0x5354
"""The state of a status that core has made, for the time of a call; one that has ended has the state 0."""

MISUSES = ("frees", "uses after the call")
"""What is not to be done with a status of core's, and how often it was done, in this order."""
MISUSES_SYMBOL = "abigen_verify_misuses"

STATE = "abigen_verify_state"
"""`void (char* text, size_t room)`: what belongs to the whole process or to the calling thread, as lines `name=value`.
"""

REPEAT = "abigen_verify_repeat"
"""`void (struct thread* threads, long count, long rounds, double seconds)`; see `repeat.c`."""
CLAIM, GIVE_UP, COUNT = "abigen_verify_claim", "abigen_verify_give_up", "abigen_verify_count"
"""Functions for programs that are repeated; see `repeat.c`."""


def core_functions(apis: Iterable[Api]) -> dict[str, tuple[Function, Api]]:
    """The functions that core implements, by name, and an API that has each."""
    found: dict[str, tuple[Function, Api]] = {}
    for api in apis:
        finders = {each.found_by for each in api.functions.values()}
        for function in api.functions.values():
            is_found = bool(function.found_by) or function.name in finders
            if function.implemented_by == "core" and not (function.static or is_found):
                found.setdefault(function.symbol or function.name, (function, api))
    return found


def shim_source(api: Api, others: Sequence[Api]) -> str:
    """The library's source.

    Args:
        api: the API that plugins are tried against, as core knows it.
        others: APIs whose functions core has as well.

    Returns:
        C that includes nothing but the system's headers.
    """
    errors, status = api.conventions.errors, api.status_handle
    known = api.status_functions if status else ()
    functions = core_functions((api, *others)).items()
    stubs = {name: _result_of(*found) for name, found in functions if name not in known}
    return fill_in("verify/_core/shim.c.j2", errors=errors, status=status, room=STATUS_ROOM, stubs=stubs)


def _result_of(function: Function, api: Api) -> str:
    """What a stub gives: `pointer`, `struct`, or a type by its name; callers take what they like of a `long`."""
    result = api.resolve(function.type.result)
    if isinstance(result, (Pointer, RecordType)):
        return "pointer" if isinstance(result, Pointer) else "struct"
    known = result.name if isinstance(result, Basic) else ""
    return known if known in ("void", "float", "double") else "long"


def _change_process_defaults() -> None:
    """Let the process differ from what programs usually set, so that it shows when a plugin does that."""
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
    """A status object of core's, as the library with core's functions has it."""

    _fields_ = (("code", ctypes.c_int), ("message", ctypes.c_char * STATUS_ROOM), ("state", ctypes.c_int))

    def __init__(self) -> None:
        """Say that all is well."""
        super().__init__(state=STATUS_IS_CORES)

    @property
    def address(self) -> int:
        """Where it is."""
        return ctypes.addressof(self)


_ROOM = 8192
_STREAMS = {1: "standard output", 2: "standard error"}


class CallObserver:
    """Looks at the process before and after each call, and at what the call has given."""

    def __init__(self, api: Api, shim: ctypes.CDLL, trace: Trace) -> None:
        """Look at nothing yet.

        Args:
            api: what the plugin knows.
            shim: the library that the plugin links against.
            trace: is told what was seen.
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
        """Tell what of the process is different at the end."""
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
        """Tell what a call has given that nothing can be.

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
        """The values of the enumeration that a type is; none for others."""
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
