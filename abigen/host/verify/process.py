"""Work in a process of its own, with a time limit, whatever becomes of it."""

from __future__ import annotations

import os
import select
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from abigen.host.verify.trace import FINISHED, Call, Event, StoppedError, Trace, calls_of, events_of

_INTERNAL_ERROR = 113
_OUTPUT_LIMIT = 1 << 16
_PATIENCE = 1.0
"""Seconds that a process which says no more may take to end."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a process ended, and what it had said before."""

    events: list[Event]
    """See `Trace`; without what says that the work was finished."""
    finished: bool
    """The work came to its end, be it early."""
    hung: bool
    """It was ended because its time was up."""
    cut: bool
    """It could say no more, although it went on: somebody has closed what it writes to."""
    signal: int
    """What ended it; 0 when it ended by itself."""
    status: int
    """What it ended itself with."""
    output: str
    """What the plugin wrote to stdout and stderr: the end of it."""
    seconds: float

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of the plugin, in order."""
        return calls_of(self.events)

    @property
    def pending(self) -> tuple[str, ...]:
        """What the plugin was doing when the process ended: the calls that had not returned, one per thread."""
        return tuple(dict.fromkeys(call.entity for call in self.calls if not call.returned))

    def of_kind(self, kind: str) -> list[Event]:
        """The events that have a key."""
        return [event for event in self.events if kind in event]


def run_isolated(work: Callable[[Trace], None], limit: float) -> Outcome:
    """Run something in a process of its own.

    Args:
        work: what to run; it is handed the trace to write to, and may raise `StoppedError`.
        limit: after how many seconds it is ended.

    Raises:
        RuntimeError: the work itself is wrong; carries its traceback.
    """
    begin, hung = time.monotonic(), True
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.close(reading)
            _be_child(work, writing, output.fileno())
        os.close(writing)
        try:
            written, hung = _read_all(reading, begin + limit)
        finally:
            os.close(reading)
            ended = None if hung else _ends(child, _PATIENCE)
            _kill(child)
            _, waited = os.waitpid(child, 0) if ended is None else (child, ended)
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - _OUTPUT_LIMIT))
        text = output.read().decode("utf-8", "replace")
    events = events_of(written)
    finished = bool(events and "finished" in events[-1])
    if os.WIFEXITED(waited) and os.WEXITSTATUS(waited) == _INTERNAL_ERROR and events and "error" in events[-1]:
        raise RuntimeError(str(events[-1]["error"]))
    by_itself = not (finished or hung)
    told = os.WIFEXITED(waited) and os.WEXITSTATUS(waited) != _INTERNAL_ERROR
    return Outcome(
        events=events[:-1] if finished else events,
        finished=finished,
        hung=hung and not finished,
        cut=by_itself and (ended is None or not (told or os.WIFSIGNALED(waited))),
        signal=os.WTERMSIG(waited) if os.WIFSIGNALED(waited) and by_itself and ended is not None else 0,
        status=os.WEXITSTATUS(waited) if os.WIFEXITED(waited) else 0,
        output=text,
        seconds=time.monotonic() - begin,
    )


def _read_all(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """What is written until the last writer is gone, or the work is finished; and whether the time was up before."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return b"".join(parts), True
        part = os.read(descriptor, 1 << 16)
        parts.append(part)
        if not part or part.endswith(FINISHED):  # what the plugin has started may keep the pipe open
            return b"".join(parts), False


def _ends(child: int, patience: float) -> int | None:
    """How a process ends, as `waitpid` has it; None when it goes on."""
    end = time.monotonic() + patience
    while True:
        found, waited = os.waitpid(child, os.WNOHANG)
        if found:
            return waited
        if time.monotonic() > end:
            return None
        time.sleep(0.001)


def _kill(child: int) -> None:
    """End a process and all that it has started; it may have ended before."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(child, signal.SIGKILL)


def _be_child(work: Callable[[Trace], None], descriptor: int, output: int) -> NoReturn:
    """Do the work; nothing of the parent's is run at the end."""
    trace, code = Trace(descriptor), _INTERNAL_ERROR
    try:
        _settle(output)
        try:
            work(trace)
        except StoppedError as reason:
            trace.write(stopped=str(reason))
        trace.write(finished=True)
        code = 0
    except BaseException:
        from traceback import format_exc

        trace.write(error=format_exc())
    finally:
        os._exit(code)  # also when the plugin has closed the trace


def _settle(output: int) -> None:
    """Make the process the head of a group, its output a file, and its crash no file at all."""
    import faulthandler
    import resource

    faulthandler.disable()
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
