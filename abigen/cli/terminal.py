"""What output goes to: colour, width, and writing it so that a closed pipe ends the program quietly."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

PIPE_WIDTH = 100
"""Columns to wrap at when the output is not a terminal, so that logs are the same everywhere."""

CLOSED_PIPE = 141
"""Exit code when the reader of a pipe has gone: 128 + SIGPIPE, as shells report it."""


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


def write(text: str, stream: TextIO) -> None:
    """Write text and flush it; characters that the stream's encoding lacks appear as escapes.

    Raises:
        BrokenPipeError: the reader has gone.
    """
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def silence() -> None:
    """Point stdout and stderr at nothing, so that the interpreter's own flush at exit cannot fail on a closed pipe."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(devnull, stream.fileno())
        except (OSError, ValueError, AttributeError):
            continue
