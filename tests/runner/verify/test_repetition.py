"""Tests that memory which is lost on each call is distinguished from memory that is kept for the next call."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest

from abigen.runner.verify.harness import _counted, left_each_time

_ITEM = 32
"""Bytes of an item of the queue; with its capacity doubled, that is more than a leak has to be."""


class _Queue:
    """A queue that keeps the room of its longest backlog, as most do; work is done only where it is waited for."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None)
        self.library.realloc.restype = ctypes.c_void_p
        self.library.realloc.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        self.library.malloc.restype = ctypes.c_void_p
        self.room, self.backlog, self.place = 1, 0, None
        self.fewer: Iterator[int] = iter((8, 4, 2))

    def run(self, rounds: int, seconds: float) -> int:
        """Return a machine that is ever less busy: each time that much is asked for, more is done."""
        rounds = rounds // next(self.fewer, 1)
        self.backlog += rounds
        while self.room < self.backlog:
            self.room *= 2
            self.place = self.library.realloc(self.place, self.room * _ITEM)
        return rounds

    def leak(self, rounds: int, seconds: float) -> int:
        """Lose eight bytes each time."""
        for _ in range(rounds):
            self.library.malloc(8)
        return rounds

    def finish(self) -> None:
        self.backlog = 0


@pytest.fixture
def queue() -> Iterator[_Queue]:
    queue = _Queue()
    yield queue
    queue.library.free(ctypes.c_void_p(queue.place))


@pytest.mark.ci
def test_the_room_of_a_queue_is_no_leak(queue: _Queue) -> None:
    assert left_each_time(queue.run, queue.finish) == ""


@pytest.mark.ci
def test_a_few_bytes_each_time_are_a_leak(queue: _Queue) -> None:
    assert left_each_time(queue.leak, queue.finish).endswith(" bytes")


@pytest.mark.parametrize(
    ("number", "things", "words"),
    [
        (1.0, "files", "1 file"),
        (0.5, "files", "0.5 files"),
        (32.88, "bytes", "32.9 bytes"),
        (4016.2, "bytes", "4016 bytes"),
    ],
)
def test_what_is_left_is_counted_in_plain_numbers(number: float, things: str, words: str) -> None:
    assert _counted(number, things) == words
