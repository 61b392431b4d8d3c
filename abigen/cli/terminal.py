"""What output goes to: colour, width, what a long run is doing, and writing so that a closed pipe ends it quietly."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from abigen.model.printable import printable, printable_lines

if TYPE_CHECKING:
    from abigen.model.api import ApiSet


PIPE_WIDTH = 100
"""Columns to wrap at when the output is not a terminal, so that logs are the same everywhere."""

CLOSED_PIPE = 141
"""Exit code when the reader of a pipe has gone: 128 + SIGPIPE, as shells report it."""

DELAY = 1.0
"""How long a run stays silent, in seconds: most are over by then."""

_INTERVAL = 0.5
_ERASE = "\r\x1b[K"


def wants_colour(stream: TextIO, choice: str = "auto") -> bool:
    """Whether to write colours to a stream.

    Args:
        stream: where the text goes.
        choice: `always`, `never`, or `auto`: on a terminal that is not dumb, unless `NO_COLOR` is set and not empty
            (no-color.org).
    """
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width_of(stream: TextIO, choice: int | None = None) -> int:
    """Columns to wrap text at.

    Args:
        stream: where the text goes.
        choice: what the user asks for; None follows `COLUMNS`, then the terminal, else `PIPE_WIDTH`.
    """
    if choice is not None:
        return choice
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or PIPE_WIDTH
    except (OSError, ValueError, AttributeError):
        return PIPE_WIDTH


def describe() -> str:
    """Everything about the terminal that output may depend on, as one string for a cache key."""
    streams = (sys.stdout, sys.stderr)
    return repr([(wants_colour(stream), width_of(stream), stream.encoding) for stream in streams])


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text and flush it; characters that the stream's encoding lacks appear as escapes.

    Args:
        text: what to write.
        stream: where to; None for stdout.

    Raises:
        BrokenPipeError: the reader has gone.
    """
    stream = stream or sys.stdout
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def say(text: str, stream: TextIO | None = None) -> None:
    """Write lines without colours that name what is somebody else's: nothing in them acts on a terminal or a log.

    Args:
        text: the lines.
        stream: where to; None for stdout.

    Raises:
        BrokenPipeError: the reader has gone.
    """
    write(printable_lines(text), stream)


def warnings_of(apis: Iterable[ApiSet]) -> str:
    """What readers could not understand, but could read on without: once each, a line per warning."""
    texts = {str(warning): None for api in apis for group in api.groups for warning in group.api.warnings}
    return "".join(f"{text}\n" for text in texts)


def write_warnings(apis: Iterable[ApiSet]) -> None:
    """Write the warnings about some APIs to stderr."""
    say(warnings_of(apis), sys.stderr)


def silence() -> None:
    """Point stdout and stderr at nothing, so that the interpreter's own flush at exit cannot fail on a closed pipe."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(devnull, stream.fileno())


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done, if it is a terminal and takes longer than `DELAY`; nothing of it stays.

    Returns:
        A function that takes what is being done from now on: `reading api.h`.
    """
    tasks, over = ["starting"], Event()
    painter = Thread(target=_paint, args=(tasks, over), daemon=True)
    if not sys.stderr.isatty():
        yield tasks.append
        return
    painter.start()
    try:
        yield tasks.append
    finally:
        over.set()
        painter.join()


def _paint(tasks: list[str], over: Event) -> None:
    """Keep one line up to date until it is over, then erase it."""
    start = monotonic()
    if over.wait(DELAY):
        return
    width = width_of(sys.stderr)
    with suppress(OSError):
        while True:
            line = f"abigen: {printable(tasks[-1])}, {monotonic() - start:.0f} s"
            write(_ERASE + line[: width - 1], sys.stderr)
            if over.wait(_INTERVAL):
                break
        write(_ERASE, sys.stderr)
