"""Keeps memory alive: each piece of Python's memory, and the objects to which its pointers lead."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import ref

from .memory import address_of, ffi

if TYPE_CHECKING:
    from .memory import CData


class Holder:
    """Keeps something alive as long as a pointer that was made with it, by `ffi.gc`."""

    __slots__ = ("_what",)

    def __init__(self, what: object) -> None:
        self._what = what

    def __call__(self, pointer: CData) -> None:
        """Free nothing: the holder keeps the content."""


def holding(pointer: CData, what: object) -> CData:
    """Return the same pointer, which keeps something alive."""
    return ffi.gc(pointer, Holder(what))


class Storage:
    """A piece of memory, and the objects to which its pointers lead, by the addresses of the pointers.

    `FOREIGN` is all memory that belongs to someone else.
    """

    __slots__ = ("__weakref__", "_kept", "end", "memory", "start")

    def __init__(self, memory: object, start: CData, size: int) -> None:
        """Take note of memory.

        Args:
            memory: the object that keeps it alive.
            start: a pointer to it.
            size: in bytes.
        """
        self.start = ffi.cast("char *", start)
        self.memory = memory
        self.end = self.start + size
        self._kept: dict[int, object] = {}
        if size:
            _enter(self)

    def __call__(self, pointer: CData) -> None:
        """Free nothing: the memory is freed with the last object that refers to it."""

    def __del__(self) -> None:
        if _gone is not None:  # as at the end of the program
            _gone.append(self.start)

    def keep(self, place: int, size: int, what: object) -> None:
        """Keep the object that was stored at a place alive, instead of the previous one.

        Args:
            place: the address.
            size: the number of bytes that were written there.
            what: the object to keep while it is stored there; None for nothing.
        """
        self.drop(place, size)
        if what is not None:
            self._kept[place] = what

    def keep_all(self, what: object) -> None:
        """Keep something alive for all places, and so for all copies of any of them."""
        start = address_of(self.start)
        for place in range(start + -start % 8, address_of(self.end), 8):
            self._kept[place] = what

    def kept(self, place: int) -> object:
        """Return the object that is kept for a place; None if there is none."""
        return self._kept.get(place)

    def drop(self, place: int, size: int) -> None:
        """Keep nothing any more for some bytes."""
        for each in self._within(place, size):
            self._kept.pop(each, None)

    def copy(self, place: int, size: int, source: Storage, start: int) -> None:
        """Keep the objects for copied bytes that are kept for the original bytes.

        Args:
            place: their new address.
            size: the number of bytes.
            source: the memory from which they were copied.
            start: their address in that memory.
        """
        found = {
            each - start + place: source._kept[each]
            for each in source._within(start, size)
        }
        self.drop(place, size)
        self._kept.update(found)

    def _within(self, place: int, size: int) -> list[int]:
        """Return the places within some bytes for which something is kept."""
        if len(self._kept) < size:
            return [each for each in list(self._kept) if place <= each < place + size]
        return [each for each in range(place, place + size) if each in self._kept]


_starts: list[CData] = []
"""The addresses of the known pieces of memory, in order."""
_storages: list[ref[Storage]] = []
"""The same pieces."""
_exact: dict[CData, ref[Storage]] = {}
"""The same, by their addresses."""
_gone: list[CData] = []
"""The addresses of pieces that were freed; they are removed before others are entered."""
_lock = Lock()

FOREIGN = Storage(None, ffi.NULL, 0)
"""Memory that is not Python's: a stored object lives until another one is stored in its place."""


def storage_of(pointer: CData) -> Storage:
    """Return the memory that a pointer leads into; `FOREIGN` where it is not Python's."""
    known = _exact.get(pointer)
    found: Any = known() if known is not None else None
    if found is not None:
        return found  # type: ignore[no-any-return]
    at = bisect_right(_starts, pointer) - 1
    if at >= 0:
        try:
            found = _storages[at]()
        except IndexError:  # another thread takes entries out
            found = None
        if found is not None and found.start <= pointer < found.end:
            storage: Storage = found
            return storage
    return FOREIGN


def _enter(storage: Storage) -> None:
    with _lock:
        while _gone:
            _remove(_gone.pop())
        at = bisect_left(_starts, storage.start)
        entry = ref(storage)
        _starts.insert(at, storage.start)
        _storages.insert(at, entry)
        _exact[storage.start] = entry


def _remove(start: CData) -> None:
    at = bisect_left(_starts, start)
    if at < len(_starts) and _starts[at] == start and _storages[at]() is None:
        del _starts[at], _storages[at], _exact[start]
