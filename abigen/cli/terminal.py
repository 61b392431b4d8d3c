"""The terminal: colours, width, what a long run is doing, and what is said of a run that goes wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from msgspec.structs import replace

from abigen import __version__
from abigen.model.span import AbigenError, Diagnostic, printable, printable_lines
from abigen.workspace.shipped import hint_about

if TYPE_CHECKING:
    from abigen.model.api import ApiSet


PIPE_WIDTH = 100
"""Columns to wrap at when the output is not a terminal, so that logs are the same everywhere."""

UNANSWERABLE = 2
"""Exit code when the question could not be answered."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells report it."""

CLOSED_PIPE = 141
"""Exit code when the reader of a pipe has gone: 128 + SIGPIPE, as shells report it."""

DELAY = 1.0
"""The time in seconds before a run reports its progress; most runs end earlier."""

_INTERVAL = 0.5
_ERASE = "\r\x1b[K"


def wants_colour(stream: TextIO, choice: str = "auto") -> bool:
    """True if a stream receives colours.

    Args:
        stream: where the text goes.
        choice: `always`, `never`, or `auto`: on a terminal that is not dumb, unless `NO_COLOR` is set and not empty
            (no-color.org); everywhere if `FORCE_COLOR` is (force-color.org).
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("FORCE_COLOR"):
        return not os.environ.get("NO_COLOR")
    return stream.isatty() and os.environ.get("TERM") != "dumb"


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


def is_wrapping(stream: TextIO, choice: int | None = None) -> bool:
    """True if lines for programs, too, are to be wrapped: on a terminal, and where the user asks for a width.

    Args:
        stream: where the text goes.
        choice: the width that the user asks for, if any.
    """
    return choice is not None or stream.isatty()


def describe() -> str:
    """Return the properties of the terminal that output may depend on, as one string for a cache key."""
    streams = (sys.stdout, sys.stderr)
    return repr([(wants_colour(each), width_of(each), is_wrapping(each), each.encoding) for each in streams])


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


def guarded(work: Callable[[], int]) -> int:
    """Do something, and turn whatever becomes of it into an exit code, with a message where there is something to tell.

    Args:
        work: what to do; gives the exit code when all goes well.
    """
    try:
        return work()
    except AbigenError as error:  # what has no place in a file begins with the program's name
        tell("".join(f"{_for_users(each)}\n" if each.place else f"abigen: {each}\n" for each in error.diagnostics))
        return error.exit_code
    except BrokenPipeError:
        silence()
        return CLOSED_PIPE
    except KeyboardInterrupt:
        tell("\nabigen: interrupted\n")
        return INTERRUPTED
    except OSError as error:
        what = f"{error.filename}: " if error.filename else "the output cannot be written: "
        is_nowhere = isinstance(error, FileNotFoundError) and _is_nowhere()
        problem = "the current directory does not exist any more" if is_nowhere else f"{what}{error.strerror or error}"
        tell(f"abigen: error: {problem}\n")
        silence()
        return UNANSWERABLE
    except Exception as error:  # Python's own exit code for this would be 1, which means findings
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps it while it makes a class
            tell("\nabigen: interrupted\n")
            return INTERRUPTED
        from traceback import format_exc

        tell(f"{format_exc()}\nabigen: this is a bug in abigen {__version__}; please report it\n")
        return UNANSWERABLE


def _for_users(diagnostic: Diagnostic) -> Diagnostic:
    """Return the errors in a file, with a hint about files that the user may change."""
    file = diagnostic.place.file if diagnostic.place else ""
    return replace(diagnostic, hint=hint_about(file, diagnostic.hint)) if file else diagnostic


def tell(text: str) -> None:
    """Write to stderr; nobody is left to be told when that fails."""
    try:
        say(text, sys.stderr)
    except OSError:
        silence()


def _is_nowhere() -> bool:
    """True if somebody has removed the current directory."""
    with suppress(FileNotFoundError):
        return not Path.cwd()
    return True


def warnings_of(apis: Iterable[ApiSet]) -> str:
    """Return the warnings about constructs that readers skipped: each once, a line per warning.

    Notes are the report's to say.
    """
    warnings = (each for api in apis for group in api.groups for each in group.api.warnings)
    texts = {str(each): None for each in warnings if each.severity == "warning"}
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
