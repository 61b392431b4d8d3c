"""What becomes of a run that goes wrong: a message on stderr and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from traceback import format_exc

from abigen import __version__
from abigen.cli import terminal
from abigen.model.span import AbigenError

UNANSWERABLE = 2
"""Exit code when the question could not be answered."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells report it."""


def guarded(work: Callable[[], int]) -> int:
    """Do something, and turn whatever becomes of it into an exit code, with a message where there is something to tell.

    Args:
        work: what to do; gives the exit code when all goes well.
    """
    try:
        return work()
    except AbigenError as error:
        tell_errors(error)
    except BrokenPipeError:
        terminal.silence()
        return terminal.CLOSED_PIPE
    except KeyboardInterrupt:
        tell("\nabigen: interrupted\n")
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, FileNotFoundError) and _is_nowhere():
            tell("abigen: error: the current directory does not exist any more\n")
        else:  # Python's own exit code for this would be 1, which means findings
            tell(f"{format_exc()}\nabigen: this is a bug in abigen {__version__}; please report it\n")
    return UNANSWERABLE


def tell_errors(error: AbigenError) -> None:
    """Write the diagnostics of an error to stderr; what has no place in a file begins with the program's name."""
    tell("".join(f"{each}\n" if each.place else f"abigen: {each}\n" for each in error.diagnostics))


def tell(text: str) -> None:
    """Write to stderr; nobody is left to be told when that fails."""
    try:
        terminal.say(text, sys.stderr)
    except OSError:
        terminal.silence()


def _is_nowhere() -> bool:
    """Whether somebody has removed the current directory."""
    with suppress(FileNotFoundError):
        return not Path.cwd()
    return True
