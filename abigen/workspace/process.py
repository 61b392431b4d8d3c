"""Runs plugin code in a child process with limits, so that a crash does not take abigen down.

The child writes events to a pipe, one line each: which function of the plugin it is about to call, that the function
has returned, and whatever else the work wants to tell. When the child crashes or hangs, its last events say what the
plugin was doing. The plugin can write to the pipe as well; so each line carries a code that only those can compute who
know a secret of this run, and lines without it are dropped.

The supervisor starts the plugin's process, and adopts the processes that it leaves behind (`PR_SET_CHILD_SUBREAPER`),
also those in a session of their own. It ends all of them when the plugin's process has ended, when it exceeds its
limits, and when the pipe from abigen is closed, which the system does however abigen ends.

bubblewrap makes the sandbox around a process that does nothing. The supervisor enters the sandbox before it starts
the plugin's process, so that only the plugin runs inside.
"""

from __future__ import annotations

import ctypes
import hmac
import io
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, suppress
from enum import Enum, auto
from functools import cached_property, partial
from itertools import count, pairwise
from pathlib import Path
from typing import NoReturn, TypeAlias, TypeVar, cast

import msgspec
from msgspec.structs import asdict

from abigen.model.span import AbigenError

_HIDDEN = ("/home", "/root", "/tmp", "/var/tmp", "/run", "/mnt", "/media", "/srv")
"""The folders of users' own files and of the sockets of services, besides the home folder."""
_ROOM = 1 << 26
"""Bytes that can be written to /tmp, which is memory."""
_NAMESPACES = 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000
"""Control groups, host name, IPC, users, processes, network and mounts, by their numbers in setns(2)."""
_SET_DUMPABLE, _DROP_CAPABILITY, _NO_NEW_PRIVILEGES, _ALL_CAPABILITIES = 4, 24, 38, range(64)
"""Numbers of prctl(2), and of capabilities."""
_CAPABILITY_VERSION = 0x20080522


def prctl(option: int, value: int) -> None:
    """prctl(2), where there is such a thing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))


class _Holder(msgspec.Struct, frozen=True):
    """The process that bubblewrap has made a sandbox around."""

    bubblewrap: subprocess.Popen[bytes]
    inside: int
    """The number of a process in the sandbox."""


class Sandbox(msgspec.Struct, frozen=True):
    """The part of the machine that a plugin's process can see."""

    readable: tuple[Path, ...]
    """Files and folders that can be read although they are in a hidden place."""

    @classmethod
    def around(cls, plugins: Collection[Path], others: Iterable[Path]) -> Sandbox:
        """Return a sandbox in which Python and some plugins can be run; it is tried out.

        Args:
            plugins: libraries; what lies beside them can be read, too, unless that is a whole folder of what is hidden.
            others: files and folders that are read.

        Raises:
            AbigenError: there is no bubblewrap, or it may not make a sandbox; with what to do.
        """
        python = [sys.prefix, sys.base_prefix, *(each for each in sys.path if each and Path(each) != Path.cwd())]
        beside = [*map(Path, python), *(each.resolve().parent for each in plugins)]
        hidden = _hidden_folders()
        given = [Path(__file__).parents[1], *plugins, *others]
        given += [each for each in beside if not any(Path(folder).is_relative_to(each) for folder in hidden)]
        visible = {each for path in given if path.exists() for each in (path.absolute(), path.resolve())}
        found = cls(tuple(sorted(visible, key=lambda each: len(each.parts))))
        found._hold().bubblewrap.communicate()
        return found

    def enter(self) -> object:
        """Go into a sandbox; of processes, only those that this one starts from now on are in.

        Returns:
            What keeps the sandbox: it ends when nothing refers to this any more, or this process ends.

        Raises:
            AbigenError: the sandbox cannot be made.
        """
        holder, place = self._hold(), Path.cwd()
        library = ctypes.CDLL(None, use_errno=True)
        try:
            if library.setns(os.pidfd_open(holder.inside), _NAMESPACES) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            os.chdir(place)
        except OSError as error:
            message = f"the sandbox cannot be entered: {error.strerror}"
            raise AbigenError.at(None, message, "it needs Linux 5.8 or later") from None
        return holder

    @staticmethod
    def give_up_rights() -> None:
        """Keep none of the rights that a process has which enters a sandbox, and get none by what it runs."""
        for each in _ALL_CAPABILITIES:
            prctl(_DROP_CAPABILITY, each)
        prctl(_NO_NEW_PRIVILEGES, 1)
        prctl(_SET_DUMPABLE, 1)
        header, nothing = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
        if ctypes.CDLL(None).capset(header, nothing) != 0:
            raise PermissionError("the sandbox cannot drop its privileges")

    def _hold(self) -> _Holder:
        """Make the sandbox, around a process that waits until nobody writes to it any more."""
        hidden, place = _hidden_folders(), str(Path.cwd())
        arguments = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--ro-bind", "/", "/"]
        arguments += ["--dev", "/dev", "--proc", "/proc"]
        for folder in hidden:
            arguments += ["--size", str(_ROOM), "--tmpfs", folder]
        below = tuple(f"{each}/" for each in hidden)
        for path in map(str, self.readable):
            arguments += ["--ro-bind", path, path] if path.startswith(below) else []
        arguments += ["--dir", place] if f"{place}/".startswith(below) else []
        for folder in set(hidden) - {"/tmp"}:
            arguments += ["--remount-ro", folder]
        told, tells = os.pipe()
        try:
            bubblewrap = subprocess.Popen(
                ["bwrap", "--info-fd", str(tells), *arguments, "sh", "-c", "echo ready; exec cat"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[tells],
            )  # fmt: skip
        except OSError:
            hint = "install it: the package is called bubblewrap"
            raise AbigenError.at(None, "--sandbox needs bubblewrap, and there is no `bwrap`", hint) from None
        assert bubblewrap.stdout is not None
        if not bubblewrap.stdout.readline():
            said = bubblewrap.communicate()[1].decode("utf-8", "replace").strip()
            message = f"bubblewrap cannot create a sandbox: {said.removeprefix('bwrap: ')}"
            raise AbigenError.at(None, message, "most often users may not create namespaces; see user_namespaces(7)")
        found = int(json.loads(os.read(told, 1 << 16))["child-pid"])
        os.close(told)
        os.close(tells)
        return _Holder(bubblewrap, found)


def _hidden_folders() -> list[str]:
    """Return the folders that are empty in a sandbox, but for what can be read nevertheless."""
    folders = (*map(Path, _HIDDEN), Path.home().resolve())
    return [str(each) for each in dict.fromkeys(folders) if each.is_dir() and each != Path("/")]


_PATIENCE_FOR_TREE = 5.0
"""Seconds that the end of processes which were killed may take."""
_ANSWER = 2.0
"""Seconds in which the supervisor has to tell of an end that abigen has asked for."""
_LOOK = 0.1
"""Seconds from one look at what the plugin uses to the next."""
_KERNEL_THREAD = 0x00200000
"""The flag PF_KTHREAD in /proc/PID/stat."""
_FIRST_REUSED = 300
"""The least number that a process can have when the numbers begin anew."""
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
"""The numbers of prctl(2)."""
_GIBIBYTE = 1 << 30


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of the process of a plugin and of all that it starts.

    Memory is what is resident, looked at from outside ten times a second. A limit of the address space is exact, but
    would end every plugin that is built with AddressSanitizer, which reserves terabytes.
    """

    processes: int = 4096
    """Processes and threads."""
    memory: int = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4 if hasattr(os, "sysconf") else 0
    """Bytes; three quarters of the machine's."""
    file_size: int = _GIBIBYTE
    """Bytes of each file that is written."""
    address_space: int = 0
    """Bytes of address space besides those that abigen uses at the start, in each process; 0 for no limit."""

    def exceeded(self, processes: Collection[_Process]) -> str:
        """Return the limit that some processes exceed, in words; empty for none."""
        if sum(each.threads for each in processes) > self.processes:
            return f"more than {self.processes} processes and threads"
        memory = sum(each.memory for each in processes)
        return f"more than {self.memory / _GIBIBYTE:.1f} GiB of memory" if memory > self.memory else ""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """The time limit of a plugin, its other limits, and its sandbox."""

    seconds: float
    """The time limit of one call of the plugin; see `is_total`."""
    is_total: bool = False
    """The time limit is that of all the work: events of the process do not begin it anew."""
    limits: Limits = msgspec.field(default_factory=Limits)
    sandbox: Sandbox | None = None


class _Process(msgspec.Struct, frozen=True):
    """A process as /proc shows it."""

    parent: int
    threads: int
    memory: int
    """The resident memory, in bytes."""


class End(msgspec.Struct, frozen=True):
    """The end of the process of a plugin."""

    status: int = 0
    """The status, as `os.waitpid` returns it."""
    exceeded: str = ""
    """The exceeded limit for which it was ended; empty for none."""
    failure: str = ""
    """The reason why it could not be started."""
    hint: str = ""
    """The remedy for that."""


class Supervisor:
    """A supervising process, as abigen sees it."""

    def __init__(
        self, work: Callable[[Callable[[], None]], NoReturn], bounds: Bounds, descriptors: Collection[int]
    ) -> None:
        """Start it, and let it start the process of a plugin.

        Args:
            work: what the plugin's process does; it is handed what it has to call before the plugin is loaded.
            bounds: what it may use.
            descriptors: of the files that the plugin's process keeps, besides the standard ones.
        """
        alive, self._alive = os.pipe()
        self._report, report = os.pipe()
        self._table = _ProcessTable()
        self._known = frozenset(self._table.below())
        prctl(_SET_CHILD_SUBREAPER, 1)  # should the plugin end the supervisor, what it has started comes here
        self._process = os.fork()
        if self._process == 0:
            try:
                _close_all_but(alive, report, *descriptors)
                _supervise(work, bounds, alive, report, descriptors)
            finally:
                os._exit(0)
        os.close(alive)
        os.close(report)

    def wait(self, seconds: float) -> End | None:
        """Wait for the plugin's process, and return its end; None when it runs on.

        Raises:
            AbigenError: it could not be started.
        """
        if not select.select([self._report], [], [], seconds)[0]:
            return None
        with open(self._report, "rb", closefd=False) as file:
            content = file.read()
        end = End(**json.loads(content)) if content else End(signal.SIGKILL)
        if end.failure:
            raise AbigenError.at(None, end.failure, end.hint)
        return end

    def close(self) -> None:
        """End the plugin's process, and all that it has started."""
        os.close(self._alive)
        if not select.select([self._report], [], [], _ANSWER)[0]:  # the plugin has stopped the supervisor
            os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._report)
        self._table.end_all_but(self._known)
        self._table.close()
        prctl(_SET_CHILD_SUBREAPER, 0)


def _supervise(
    work: Callable[[Callable[[], None]], NoReturn],
    bounds: Bounds,
    alive: int,
    report: int,
    descriptors: Collection[int],
) -> None:
    """Start the plugin's process, wait for its end, or bring it about; then end all that is left."""
    os.setsid()  # what interrupts abigen at its terminal is not for this process
    prctl(_SET_CHILD_SUBREAPER, 1)
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    table, supervisor = _ProcessTable(), os.getpid()
    try:
        _kept = bounds.sandbox.enter() if bounds.sandbox is not None else None
    except AbigenError as error:
        os.write(report, _encoded(End(0, "", error.diagnostics[0].message, error.diagnostics[0].hint)))
        return
    limits = {"CORE": 0, "FSIZE": bounds.limits.file_size, "NPROC": table.tasks() + bounds.limits.processes}
    if bounds.limits.address_space and (used := _address_space()):
        limits["AS"] = used + bounds.limits.address_space
    child = os.fork()
    if child == 0:
        _close_all_but(*descriptors)
        work(partial(_confine, limits, supervisor, bounds.sandbox))
    for each in descriptors:
        os.close(each)
    end = _watch(child, bounds, table, alive, woken)
    with suppress(OSError):  # abigen may have ended
        os.write(report, _encoded(end))
    os.close(report)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # where there is no /proc this is all that can be found
    table.end_all_but(())


def _address_space() -> int:
    """Return the address space that this process uses, in bytes; 0 without /proc."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _encoded(end: End) -> bytes:
    """Return the end of a process, as JSON of ASCII: a message may name a file whose name is no UTF-8."""
    return json.dumps(asdict(end)).encode()


def _watch(child: int, bounds: Bounds, table: _ProcessTable, alive: int, woken: int) -> End:
    """Wait until a process has ended, abigen has, or more is used than may be."""
    while True:
        ready = select.select([alive, woken], [], [], _LOOK)[0]
        ended, status = os.waitpid(-1, os.WNOHANG)
        while ended not in (0, child):  # what the plugin has left behind
            ended, status = os.waitpid(-1, os.WNOHANG)
        if ended:
            return End(status)
        exceeded = bounds.limits.exceeded(table.below().values())
        if alive in ready or exceeded:
            return End(signal.SIGKILL, exceeded)
        if woken in ready:
            os.read(woken, 4096)


def _confine(limits: Mapping[str, int], supervisor: int, sandbox: Sandbox | None) -> None:
    """Let this process end with its supervisor, and write and start no more than it may."""
    import resource  # not on Windows, where the manual has to be readable as well

    os.setsid()
    signal.set_wakeup_fd(-1)
    for each in (signal.SIGCHLD, signal.SIGINT):
        signal.signal(each, signal.SIG_DFL)
    if sandbox is not None:
        sandbox.give_up_rights()
    prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() not in (supervisor, 0):  # 0 stands for a process outside of the sandbox
        raise ProcessLookupError("the supervisor has ended")
    for name, limit in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (most, most))
    with suppress(OSError):  # when memory runs out faster than it is looked at, the system ends this process first
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _close_all_but(*kept: int) -> None:
    """Close what abigen has open, standard streams and some others aside."""
    ends = [2, *sorted(kept), os.sysconf("SC_OPEN_MAX")]
    for before, behind in pairwise(ends):
        os.closerange(before + 1, behind)


class _ProcessTable:
    """The processes in /proc as it was when this was created, even in another sandbox; none without /proc."""

    def __init__(self) -> None:
        self._proc = os.open("/proc", os.O_RDONLY) if Path("/proc/self/stat").exists() else None
        self._kernel_threads: set[str] = set()
        """Numbers that need not be looked at again: Linux gives those below 300 to nobody else (kernel/pid.c)."""

    def below(self) -> dict[int, _Process]:
        """Return the processes that this one has started, and those that they have, by their numbers."""
        rest, known = self._all(), {os.getpid()}
        found: dict[int, _Process] = {}
        while known:
            below = {number: each for number, each in rest.items() if each.parent in known}
            known = set(below) - set(found)
            found |= below
        return found

    def tasks(self) -> int:
        """Return the number of processes and threads of this user."""
        own = 0
        for number, each in self._all().items():
            with suppress(OSError):
                own += each.threads if os.stat(str(number), dir_fd=self._proc).st_uid == os.getuid() else 0
        return own

    def end_all_but(self, spared: Collection[int]) -> None:
        """End all processes below this one, and wait for that."""
        end = time.monotonic() + _PATIENCE_FOR_TREE
        left: list[int] = [0]
        while left and time.monotonic() < end:
            left = [each for each in self.below() if each not in spared]
            for each in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(each, signal.SIGKILL)
            time.sleep(0.001 if left else 0)
            for each in left:
                with suppress(ChildProcessError):
                    os.waitpid(each, os.WNOHANG)

    def close(self) -> None:
        """Do not look again."""
        if self._proc is not None:
            os.close(self._proc)

    def _all(self) -> dict[int, _Process]:
        found: dict[int, _Process] = {}
        page = os.sysconf("SC_PAGE_SIZE")
        if self._proc is None:
            return found
        with os.scandir(self._proc) as entries:
            names = {each.name for each in entries if each.name.isdecimal()} - self._kernel_threads
        for name in names:
            with suppress(OSError):  # it may have ended
                file = os.open(f"{name}/stat", os.O_RDONLY, dir_fd=self._proc)
                content = os.read(file, 4096)
                os.close(file)
                fields = content.rpartition(b")")[2].split()
                if int(fields[6]) & _KERNEL_THREAD and int(name) < _FIRST_REUSED:
                    self._kernel_threads.add(name)
                else:
                    found[int(name)] = _Process(int(fields[1]), int(fields[17]), int(fields[21]) * page)
        return found


Event: TypeAlias = "dict[str, object]"
Result = TypeVar("Result")

_INTERNAL_ERROR = 113
_OUTPUT_LIMIT = 1 << 16
_LINE_LIMIT = 1 << 28
"""Bytes that are waited for the end of a line."""
_START = 60.0
"""Seconds that the start of a process may take."""
_PATIENCE_FOR_EXIT = 1.0
"""Seconds that a process which says no more may take to end."""
_FAULT = b"fault"
"""In place of the number of a line: a crash, told by who can compute nothing any more."""


class StoppedError(Exception):
    """A check cannot go on: what it needs is not there. The reason is a clause, without a full stop."""


class InapplicableError(StoppedError):
    """The subject of a check does not exist, and need not exist."""


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
    """Return a mark that proves that a line's writer knows the secret, and that the line is not repeated."""
    return b"%b:%b" % (name, hmac.digest(secret, name + b" " + content, "sha256").hex().encode())


class _Events:
    """The events of a trace, as they arrive."""

    def __init__(self, secret: bytes) -> None:
        self.found: list[Event] = []
        self._secret = secret
        self._rest = bytearray()
        self._last = -1

    @property
    def finished(self) -> bool:
        """True if the work has said that it has come to its end."""
        return bool(self.found and "finished" in self.found[-1])

    def take(self, part: bytes) -> None:
        """Take in what was written; what others have written, or written into, is dropped."""
        if b"\n" not in part:  # a long line is joined in linear time
            self._rest += part[: max(0, _LINE_LIMIT - len(self._rest))]
            return
        *lines, rest = bytes(self._rest + part).split(b"\n")
        self._rest = bytearray(rest)
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


class PluginError(AbigenError):
    """A plugin has failed, or has broken the contract; its author has to change it."""

    exit_code = 1


class Ending(Enum):
    """The end of a process."""

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
    """The process exited without the work."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The end of a process, and the observations that it sent before."""

    events: list[Event]
    """See `Trace`; without the one that says that the work was finished."""
    ending: Ending
    exceeded: str
    """The exceeded limit; else empty."""
    signal: int
    """The signal that ended it; 0 when it ended by itself."""
    status: int
    """The exit code."""
    result: object
    """The result of finished work."""
    output: str
    """The end of the output on stdout and stderr."""

    @property
    def finished(self) -> bool:
        """True if the work came to its end."""
        return self.ending is Ending.FINISHED

    @cached_property
    def pending(self) -> tuple[str, ...]:
        """The calls that had not returned when the process ended, outer ones first."""
        returned = {event["returned"] for event in self.of_kind("returned")}
        calls = {str(event["call"]): None for event in self.of_kind("call") if event["number"] not in returned}
        return tuple(calls)

    def of_kind(self, kind: str) -> list[Event]:
        """Return the events that have a key."""
        return [event for event in self.events if kind in event]


class _Remarks(io.TextIOBase):
    """The stream for abigen's own lines on stderr in a plugin's process, which the plugin shares."""

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


def run_isolated(work: Callable[[Trace], object], bounds: Bounds, descriptors: Collection[int] = ()) -> Outcome:
    """Run something in a child process.

    Args:
        work: what to run; it is handed the trace to write to, and may raise `StoppedError`. Its result is something
            that JSON has a word for.
        bounds: what it may use.
        descriptors: of open files that the process keeps.

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
        supervisor = Supervisor(child, bounds, [writing, output.fileno(), *descriptors])
        os.close(writing)
        try:
            hung = not _read_all(reading, events, bounds)
            ended = None if hung else supervisor.wait(_PATIENCE_FOR_EXIT)
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
    """Return the cause of the end of a process before its work was done, in words."""
    if outcome.ending is Ending.HUNG:
        return f"has not returned within {bounds.seconds:g} s{where}"
    if outcome.ending is Ending.EXCEEDED:
        return f"uses {outcome.exceeded}{where}"
    if outcome.ending is Ending.CUT:
        return f"has closed a file of abigen's{where}; a plugin may close only files that it has opened"
    how = signal.Signals(outcome.signal).name if outcome.signal else f"it called exit({outcome.status})"
    aborted = ": it called abort, or an exception has escaped" if outcome.signal == signal.SIGABRT else ""
    return f"ended the process{where}: {how}{aborted}"


def _read_all(descriptor: int, events: _Events, bounds: Bounds) -> bool:
    """Take events until the last writer is gone or the work is finished; return False if the time was up before.

    The time begins anew with each event, so that it is one call's, unless it is that of all work. The first one is what
    the process begins with: what a busy machine takes to start it is not the plugin's.
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
        if len(events.found) > known and not (known and bounds.is_total):
            deadline = time.monotonic() + bounds.seconds
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
