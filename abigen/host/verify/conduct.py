"""How a plugin behaves as a guest: what its calls leave behind in the process, and what they give."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from abigen.host.process import Trace
from abigen.host.verify.shim import MISUSES, MISUSES_SYMBOL, STATE
from abigen.model.api import Api
from abigen.model.ctype import CType, FunctionType

_ROOM = 8192
_STREAMS = {1: "standard output", 2: "standard error"}


class Conduct:
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

    def judge(self, entity: str, type: FunctionType, value: object, code: int) -> None:
        """Tell what a call has given that nothing can be."""
        if self._codes and code not in self._codes:
            self._trace.write(impossible=entity, said=f"reports code {code}, which does not exist")
        known = self._values_of(type.result)
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
