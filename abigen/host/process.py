"""Work with plugins in a process of its own, with a time limit, so that their end is not the end of everything.

The child writes events to a pipe, one line of JSON each: which function of the plugin it is about to call, that the
function has returned, and whatever else the work wants to tell. When the child crashes or hangs, its last events say
what the plugin was doing.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, NoReturn, TypeAlias

from abigen.host.backend import PluginError

Event: TypeAlias = "dict[str, object]"

_FINISHED = b'{"finished": true}\n'
"""The last line of work that came to its end."""
_INTERNAL_ERROR = 113
_OUTPUT_LIMIT = 1 << 16
_PATIENCE = 1.0
"""Seconds that a process which says no more may take to end."""


class StoppedError(Exception):
    """A check cannot go on: what it needs is not there. The reason is a clause, without a full stop."""


class Trace:
    """Writes events to a pipe, each as a line that is whole or absent."""

    def __init__(self, descriptor: int) -> None:
        """Write to a file descriptor, which stays the caller's."""
        self.descriptor = descriptor
        self._lock = threading.Lock()
        self._numbers = iter(range(1 << 62))

    def write(self, **event: object) -> None:
        """Write one event."""
        line = json.dumps(event).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self.descriptor, line) :]

    @contextmanager
    def calling(self, entity: str) -> Iterator[None]:
        """Tell that the plugin is being called, and that it has returned.

        Args:
            entity: the callback or entry point, as a user would look for it.
        """
        number = next(self._numbers)
        self.write(call=entity, number=number, thread=threading.get_ident())
        try:
            yield
        finally:
            self.write(returned=number)


_current: Trace | None = None
"""The trace of this process, when it is a child; see `calling`."""


@contextmanager
def calling(what: str) -> Iterator[None]:
    """Note that the plugin is being called, if this is a process that was started by `run_apart`.

    Args:
        what: the callback or entry point, as a user would look for it.
    """
    if _current is None:
        yield
        return
    with _current.calling(what):
        yield


class PluginCall(NamedTuple):
    """A call of the plugin: what was called, and whether it came back."""

    entity: str
    returned: bool


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a process ended, and what it had told before."""

    events: list[Event]
    """See `Trace`; without the one that says that the work was finished."""
    finished: bool
    """The work came to its end, be it early."""
    hung: bool
    """It was ended because its time was up."""
    cut: bool
    """It could tell no more, although it went on: somebody has closed the pipe that it writes to."""
    signal: int
    """What ended it; 0 when it ended by itself."""
    status: int
    """The exit code; of finished work, its result."""
    output: str
    """What was written to stdout and stderr: the end of it. Empty where that was not captured."""

    @cached_property
    def calls(self) -> list[PluginCall]:
        """All calls of the plugin, in the order in which they began."""
        returned = {event["returned"] for event in self.of_kind("returned")}
        return [PluginCall(str(event["call"]), event["number"] in returned) for event in self.of_kind("call")]

    @property
    def pending(self) -> tuple[str, ...]:
        """What the plugin was doing when the process ended: the calls that had not returned, outer ones first."""
        return tuple(dict.fromkeys(call.entity for call in self.calls if not call.returned))

    def of_kind(self, kind: str) -> list[Event]:
        """The events that have a key."""
        return [event for event in self.events if kind in event]


def run_apart(work: Callable[[], int], seconds: float) -> int:
    """Run something in a child process; where there are none, as on Windows, in this one.

    Args:
        work: what to run; it handles its own errors, writes to stdout and stderr, and its result is the exit code.
        seconds: how long it may take.

    Returns:
        Its result.

    Raises:
        PluginError: the process has crashed, hung, or ended before its work was done; with what the plugin was doing.
    """
    if not hasattr(os, "fork"):
        return work()

    def traced(trace: Trace) -> int:
        global _current
        _current = trace
        code = work()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # the reader has gone, which `work` has dealt with
                stream.flush()
        return code

    outcome = run_isolated(traced, seconds, capture=False)
    where = f" in {outcome.pending[-1]}" if outcome.pending else ""
    if outcome.hung:
        raise PluginError.at(None, f"the plugin has not come back within {seconds:g} s{where}")
    if not outcome.finished:
        raise PluginError.at(None, f"the plugin has ended the process{where}: {_ending(outcome)}")
    return outcome.status


def run_isolated(work: Callable[[Trace], int | None], seconds: float, *, capture: bool = True) -> Outcome:
    """Run something in a child process.

    Args:
        work: what to run; it is handed the trace to write to, and may raise `StoppedError`. Its result, None for 0, is
            the exit code.
        seconds: after how long it is ended.
        capture: whether to keep what it writes to stdout and stderr, instead of letting it through.

    Raises:
        RuntimeError: the work itself is wrong; carries its traceback.
    """
    hung = True
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.close(reading)
            _be_child(work, writing, output.fileno() if capture else None)
        os.close(writing)
        try:
            written, hung = _read_all(reading, time.monotonic() + seconds)
        finally:
            os.close(reading)
            ended = None if hung else _ends(child)
            _kill(child)
            _, waited = os.waitpid(child, 0) if ended is None else (child, ended)
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - _OUTPUT_LIMIT))
        text = output.read().decode("utf-8", "replace")
    events = _events_of(written)
    finished = bool(events and "finished" in events[-1])
    exited = os.WIFEXITED(waited)
    if exited and os.WEXITSTATUS(waited) == _INTERNAL_ERROR and events and "error" in events[-1]:
        raise RuntimeError(str(events[-1]["error"]))
    by_itself = not (finished or hung)
    told = exited and os.WEXITSTATUS(waited) != _INTERNAL_ERROR
    return Outcome(
        events=events[:-1] if finished else events,
        finished=finished,
        hung=hung and not finished,
        cut=by_itself and (ended is None or not (told or os.WIFSIGNALED(waited))),
        signal=os.WTERMSIG(waited) if os.WIFSIGNALED(waited) and by_itself and ended is not None else 0,
        status=os.WEXITSTATUS(waited) if exited else 0,
        output=text,
    )


def _ending(outcome: Outcome) -> str:
    """How a process has ended, in words."""
    if not outcome.signal:
        return f"it has called exit({outcome.status})"
    name = signal.Signals(outcome.signal).name
    aborted = outcome.signal == signal.SIGABRT
    return f"{name}: it has called abort, or an exception has left it" if aborted else name


def _events_of(written: bytes) -> list[Event]:
    """The events of a trace; a line that was not finished, or that others have written into, is not among them."""
    events: list[Event] = []
    for line in written.split(b"\n")[:-1]:
        with suppress(ValueError):
            events.append(json.loads(line))
    return events


def _read_all(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """What is written until the last writer is gone, or the work is finished; and whether the time was up before."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return b"".join(parts), True
        part = os.read(descriptor, 1 << 16)
        parts.append(part)
        if not part or part.endswith(_FINISHED):  # what the plugin has started may keep the pipe open
            return b"".join(parts), False


def _ends(child: int) -> int | None:
    """How a process ends that has told everything, as `waitpid` has it; None when it goes on."""
    end = time.monotonic() + _PATIENCE
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


def _be_child(work: Callable[[Trace], int | None], descriptor: int, output: int | None) -> NoReturn:
    """Do the work; nothing of the parent's is run at the end."""
    trace, code = Trace(descriptor), _INTERNAL_ERROR
    try:
        _settle(output)
        result: int | None = None
        try:
            result = work(trace)
        except StoppedError as reason:
            trace.write(stopped=str(reason))
        trace.write(finished=True)
        code = result or 0
    except BaseException:
        from traceback import format_exc

        trace.write(error=format_exc())
    finally:
        os._exit(code)  # also when the plugin has closed the trace


def _settle(output: int | None) -> None:
    """Make the process the head of a group, redirect its streams, and let its crash write no file."""
    import faulthandler
    import resource

    faulthandler.disable()
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if output is not None:
        os.dup2(output, 1)
        os.dup2(output, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
