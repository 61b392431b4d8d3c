"""What a long run is doing, on a terminal; nothing in a pipe, and nothing of it stays on the screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Event

DELAY = 1.0
"""How long a run stays silent, in seconds: most are over by then."""

_INTERVAL = 0.5
_ERASE = "\r\x1b[K"


@contextmanager
def shown() -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done, if it is a terminal and takes longer than `DELAY`.

    Returns:
        A function that takes what is being done from now on: `reading api.h`.
    """
    if not sys.stderr.isatty():
        yield _ignore
        return
    from threading import Event, Thread

    tasks = ["starting"]
    over = Event()
    painter = Thread(target=_paint, args=(tasks, over), daemon=True)
    painter.start()
    try:
        yield tasks.append
    finally:
        over.set()
        painter.join()


def _ignore(task: str) -> None:
    """Nobody is watching."""


def _paint(tasks: list[str], over: Event) -> None:
    """Keep one line up to date until it is over, then erase it."""
    from time import monotonic

    from abigen.cli import terminal

    start = monotonic()
    if over.wait(DELAY):
        return
    width = terminal.width_of(sys.stderr)
    try:
        while True:
            line = f"abigen: {tasks[-1]}, {monotonic() - start:.0f} s"
            terminal.write(_ERASE + line[: width - 1], sys.stderr)
            if over.wait(_INTERVAL):
                break
        terminal.write(_ERASE, sys.stderr)
    except OSError:
        return
