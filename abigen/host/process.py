"""Work with plugins in a process of its own, within bounds, so that their end is not the end of everything.

The child writes events to a pipe, one line each: which function of the plugin it is about to call, that the function
has returned, and whatever else the work wants to tell. When the child crashes or hangs, its last events say what the
plugin was doing. The plugin can write to the pipe as well; so each line carries a code that only those can compute who
know a secret of this run, and lines without it are dropped.
"""

from __future__ import annotations

import hmac
import io
import json
import os
import secrets
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from enum import Enum, auto
from functools import cached_property, partial
from itertools import count
from typing import NoReturn, TypeAlias, TypeVar, cast

import msgspec

from abigen.host.backend import PluginError
from abigen.host.supervision import Bounds, Supervisor

Event: TypeAlias = "dict[str, object]"
Result = TypeVar("Result")

_INTERNAL_ERROR = 113
_OUTPUT_LIMIT = 1 << 16
_LINE_LIMIT = 1 << 28
"""Bytes that are waited for the end of a line."""
_START = 60.0
"""Seconds that the start of a process may take."""
_PATIENCE = 1.0
"""Seconds that a process which says no more may take to end."""
_FAULT = b"fault"
"""In place of the number of a line: a crash, told by who can compute nothing any more."""


class StoppedError(Exception):
    """A check cannot go on: what it needs is not there. The reason is a clause, without a full stop."""


class InapplicableError(StoppedError):
    """What a check is about is not there, and need not be."""


class Trace:
    """Writes events to a pipe, each as a line that is whole or absent."""

    def __init__(self, descriptor: int, secret: bytes) -> None:
        """Write to a file descriptor, which stays the caller's."""
        self.descriptor = descriptor
        self.fault_mark = _mark(secret, _FAULT, b"") + b" "
        """Before an event that tells of a crash; it is the same for all of them."""
        self._secret = secret
        self._lock = threading.Lock()
        self._lines, self._calls = count(), count()

    def write(self, **event: object) -> None:
        """Write one event."""
        content = json.dumps(event).encode()
        with self._lock:
            line = b"%b %b\n" % (_mark(self._secret, b"%d" % next(self._lines), content), content)
            while line:
                line = line[os.write(self.descriptor, line) :]

    @contextmanager
    def calling(self, entity: str) -> Iterator[None]:
        """Tell that the plugin is being called, and that it has returned.

        Args:
            entity: the callback or entry point, as a user would look for it.
        """
        number = next(self._calls)
        self.write(call=entity, number=number, thread=threading.get_ident())
        try:
            yield
        finally:
            self.write(returned=number)


def _mark(secret: bytes, name: bytes, content: bytes) -> bytes:
    """What shows that a line was written by who knows the secret, and that it is not another one again."""
    return b"%b:%b" % (name, hmac.digest(secret, name + b" " + content, "sha256").hex().encode())


class _Events:
    """The events of a trace, as they arrive."""

    def __init__(self, secret: bytes) -> None:
        self.found: list[Event] = []
        self._secret = secret
        self._rest = b""
        self._last = -1

    @property
    def finished(self) -> bool:
        """Whether the work has said that it has come to its end."""
        return bool(self.found and "finished" in self.found[-1])

    def take(self, part: bytes) -> None:
        """Take in what was written; what others have written, or written into, is dropped."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        self._rest = self._rest[:_LINE_LIMIT]
        for line in lines:
            mark, _, content = line.partition(b" ")
            name = mark.partition(b":")[0]
            told = b"" if name == _FAULT else content
            number = self._last if name == _FAULT else int(name) if name.isdigit() else -1
            if hmac.compare_digest(mark, _mark(self._secret, name, told)) and (number > self._last or name == _FAULT):
                self._last = number
                self.found.append(json.loads(content))


_current: Trace | None = None
"""The trace of this process, when it is a child; see `calling`."""


def tell(trace: Trace) -> None:
    """From here on `calling` writes to a trace."""
    global _current
    _current = trace


@contextmanager
def calling(what: str) -> Iterator[None]:
    """Note that the plugin is being called, if this process has somebody to tell; see `tell`.

    Args:
        what: the callback or entry point, as a user would look for it.
    """
    if _current is None:
        yield
        return
    with _current.calling(what):
        yield


class Ending(Enum):
    """How a process has ended."""

    FINISHED = auto()
    """The work came to its end, be it early."""
    HUNG = auto()
    """It was ended because its time was up."""
    EXCEEDED = auto()
    """It was ended because it used more than it may."""
    CUT = auto()
    """It could tell no more, although it went on: somebody has closed the pipe that it writes to."""
    KILLED = auto()
    """A signal has ended it."""
    EXITED = auto()
    """Something other than the work has ended it."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """How a process ended, and what it had told before."""

    events: list[Event]
    """See `Trace`; without the one that says that the work was finished."""
    ending: Ending
    exceeded: str
    """What it used, where that was more than it may; else empty."""
    signal: int
    """What ended it; 0 when it ended by itself."""
    status: int
    """The exit code."""
    result: object
    """What finished work has returned."""
    output: str
    """What was written to stdout and stderr: the end of it."""

    @property
    def finished(self) -> bool:
        """Whether the work came to its end."""
        return self.ending is Ending.FINISHED

    @cached_property
    def pending(self) -> tuple[str, ...]:
        """What the plugin was doing when the process ended: the calls that had not returned, outer ones first."""
        returned = {event["returned"] for event in self.of_kind("returned")}
        calls = {str(event["call"]): None for event in self.of_kind("call") if event["number"] not in returned}
        return tuple(calls)

    def of_kind(self, kind: str) -> list[Event]:
        """The events that have a key."""
        return [event for event in self.events if kind in event]


class _Remarks(io.TextIOBase):
    """What abigen itself says on stderr in a plugin's process, where the descriptor is the plugin's as well."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def write(self, text: str) -> int:
        """Tell it to the parent."""
        self._trace.write(said=text)
        return len(text)


def run_apart(work: Callable[[], Result], bounds: Bounds, show: Callable[[str], None]) -> Result:
    """Run something in a child process; where there are none, as on Windows, in this one.

    Args:
        work: what to run; it handles its own errors. Its result is something that JSON has a word for.
        bounds: what it may use.
        show: shows what the process has written to stdout and stderr, the end of it; it may be a stranger's text.

    Returns:
        Its result.

    Raises:
        PluginError: the process has crashed, hung, used too much, or ended before its work was done; with what the
            plugin was doing.
    """
    if not hasattr(os, "fork"):
        return work()

    def traced(trace: Trace) -> Result:
        tell(trace)
        with redirect_stderr(_Remarks(trace)):
            return work()

    outcome = run_isolated(traced, bounds)
    written = outcome.output and outcome.output.rstrip("\n") + "\n"
    show(written + "".join(str(event["said"]) for event in outcome.of_kind("said")))
    if outcome.finished:
        return cast("Result", outcome.result)
    where = f" in {outcome.pending[-1]}" if outcome.pending else ""
    hint = "see --limit" if outcome.exceeded else ""
    raise PluginError.at(None, f"the plugin {_ending(outcome, bounds, where)}", hint)


def run_isolated(work: Callable[[Trace], object], bounds: Bounds) -> Outcome:
    """Run something in a child process.

    Args:
        work: what to run; it is handed the trace to write to, and may raise `StoppedError`. Its result is something
            that JSON has a word for.
        bounds: what it may use.

    Raises:
        RuntimeError: the work itself is wrong; carries its traceback.
        AbigenError: the process cannot be started.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    secret = secrets.token_bytes(32)
    events = _Events(secret)
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as output:
        child = partial(_be_child, work, Trace(writing, secret), output.fileno())
        supervisor = Supervisor(child, bounds, [writing, output.fileno()])
        os.close(writing)
        try:
            hung = not _read_all(reading, events, bounds.seconds)
            ended = None if hung else supervisor.wait(_PATIENCE)
        finally:
            os.close(reading)
            supervisor.close()
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - _OUTPUT_LIMIT))
        text = output.read().decode("utf-8", "replace")
    waited = ended.status if ended is not None else 0
    code = os.WEXITSTATUS(waited) if os.WIFEXITED(waited) else 0
    if code == _INTERNAL_ERROR and events.found and "error" in events.found[-1]:
        raise RuntimeError(str(events.found[-1]["error"]))
    if events.finished and not waited:  # something else when the plugin has ended the supervisor meanwhile
        ending = Ending.FINISHED
    elif hung:
        ending = Ending.HUNG
    elif ended is not None and ended.exceeded:
        ending = Ending.EXCEEDED
    elif ended is None or code == _INTERNAL_ERROR:
        ending = Ending.CUT
    else:
        ending = Ending.KILLED if os.WIFSIGNALED(waited) else Ending.EXITED
    return Outcome(
        events=events.found[:-1] if events.finished else events.found,
        ending=ending,
        exceeded=ended.exceeded if ended is not None else "",
        signal=os.WTERMSIG(waited) if ending is Ending.KILLED else 0,
        status=code,
        result=events.found[-1]["finished"] if events.finished else None,
        output=text,
    )


def _ending(outcome: Outcome, bounds: Bounds, where: str) -> str:
    """How a process has ended before its work was done, in words."""
    if outcome.ending is Ending.HUNG:
        return f"has not come back within {bounds.seconds:g} s{where}"
    if outcome.ending is Ending.EXCEEDED:
        return f"uses {outcome.exceeded}{where}"
    if outcome.ending is Ending.CUT:
        return f"has closed what abigen writes to{where}, and a guest closes what it has opened itself"
    how = signal.Signals(outcome.signal).name if outcome.signal else f"it has called exit({outcome.status})"
    aborted = ": it has called abort, or an exception has left it" if outcome.signal == signal.SIGABRT else ""
    return f"has ended the process{where}: {how}{aborted}"


def _read_all(descriptor: int, events: _Events, seconds: float) -> bool:
    """Take events until the last writer is gone, or the work is finished; whether that was before the time was up.

    The time begins anew with each event, so that it is one call's. The first one is what the process begins with: what
    a busy machine takes to start it is not the plugin's.
    """
    deadline = time.monotonic() + _START
    while not events.finished:  # what the plugin has started may keep the pipe open
        if not select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return False
        part = os.read(descriptor, 1 << 16)
        if not part:
            return True
        known = len(events.found)
        events.take(part)
        if len(events.found) > known:
            deadline = time.monotonic() + seconds
    return True


def _be_child(work: Callable[[Trace], object], trace: Trace, output: int, confine: Callable[[], None]) -> NoReturn:
    """Do the work; nothing of the parent's is run at the end."""
    import faulthandler

    code = _INTERNAL_ERROR
    # The threads with which numpy multiplies matrices wait busily, beside those of the plugin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        faulthandler.disable()
        confine()
        trace.write(begun=True)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(output, stream)
        result: object = None
        try:
            result = work(trace)
        except StoppedError as reason:
            trace.write(stopped=str(reason), inapplicable=isinstance(reason, InapplicableError))
        trace.write(finished=result)
        code = 0
    except BaseException:
        from traceback import format_exc

        trace.write(error=format_exc())
    finally:
        os._exit(code)  # also when the plugin has closed the trace
