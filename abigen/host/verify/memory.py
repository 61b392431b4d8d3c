"""Memory that tells what was done beyond its end: a pattern behind it, and then a page that nobody may touch."""

from __future__ import annotations

import ctypes
import mmap
from functools import cache
from typing import NamedTuple

_PATTERN = bytes((index * 37 + 0x5B) & 0xFF for index in range(256))
_NONE, _READ_WRITE = 0, 3


class Overrun(NamedTuple):
    """Bytes beyond the end that have changed: from the start of the memory, and how many."""

    offset: int
    length: int


class Memory:
    """A number of bytes, zero at first.

    Args:
        size: in bytes.
        alignment: in bytes, a power of two.
        slack: how many bytes behind it hold a pattern that tells who writes there; a page that nobody may touch comes
            after them.
    """

    def __init__(self, size: int, alignment: int, slack: int) -> None:
        page = mmap.PAGESIZE
        reserved = -(-(size + slack) // page) * page
        self.size = size
        self._start = _map(reserved + page)
        self._length = reserved
        self._forbid(self._start + reserved, page)
        self.address = (self._start + reserved - slack - size) // alignment * alignment
        """Of the first byte."""
        self._front = self.address - self._start
        self._back = self._start + reserved - self.address - size
        ctypes.memmove(self._start, _pattern(self._front), self._front)
        ctypes.memmove(self.address + size, _pattern(self._back), self._back)

    @property
    def end(self) -> int:
        """The address behind all that belongs to it, the page that nobody may touch included."""
        return self._start + self._length + mmap.PAGESIZE

    @property
    def start(self) -> int:
        """The address of the first byte that belongs to it."""
        return self._start

    def overruns(self) -> list[Overrun]:
        """The runs of bytes outside that have changed since this was last asked."""
        found = []
        for start, length in ((self._start, self._front), (self.address + self.size, self._back)):
            expected, is_now = _pattern(length), ctypes.string_at(start, length)
            if expected != is_now:
                changed = [index for index in range(length) if expected[index] != is_now[index]]
                found += [Overrun(start - self.address + first, count) for first, count in _runs(changed)]
                ctypes.memmove(start, expected, length)
        return found

    def retire(self) -> None:
        """Let nobody touch it from now on."""
        self._forbid(self._start, self._length)

    def _forbid(self, address: int, length: int) -> None:
        if _library().mprotect(ctypes.c_void_p(address), ctypes.c_size_t(length), _NONE) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")


def _runs(indices: list[int]) -> list[tuple[int, int]]:
    """First index and number of each run; bytes that happen to hold what was there do not end a run of eight."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        if runs and index - sum(runs[-1]) < 8:
            runs[-1] = (runs[-1][0], index - runs[-1][0] + 1)
        else:
            runs.append((index, 1))
    return runs


def _pattern(length: int) -> bytes:
    return (_PATTERN * (length // len(_PATTERN) + 1))[:length]


def _map(length: int) -> int:
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address = _library().mmap(None, ctypes.c_size_t(length), _READ_WRITE, flags, -1, ctypes.c_long(0))
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError(length)
    return int(address)


@cache
def _library() -> ctypes.CDLL:
    """The C library."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    return library
