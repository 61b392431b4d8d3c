"""A process between abigen and a plugin's: it ends when abigen ends, and whatever the plugin has started ends with it.

The supervisor starts the plugin's process, and adopts what that leaves behind (`PR_SET_CHILD_SUBREAPER`), be it in a
session of its own. It ends all of it when the plugin's process has ended, when that uses more than it may, and when the
pipe from abigen is closed, which the system does however abigen ends.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import msgspec
from msgspec.structs import asdict

from abigen.host.sandbox import Sandbox, prctl
from abigen.model.span import AbigenError

_PATIENCE = 5.0
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
    """What the process of a plugin may use, with all that it starts.

    Memory is what is resident, looked at from outside: a limit of the address space would end every plugin that is
    built with AddressSanitizer, which reserves terabytes.
    """

    processes: int = 4096
    """Processes and threads."""
    memory: int = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4 if hasattr(os, "sysconf") else 0
    """Bytes; three quarters of the machine's."""
    file_size: int = _GIBIBYTE
    """Bytes of each file that is written."""

    def exceeded(self, processes: Collection[_Process]) -> str:
        """Which limit some processes are beyond, in words; empty for none."""
        if sum(each.threads for each in processes) > self.processes:
            return f"more than {self.processes} processes and threads"
        memory = sum(each.memory for each in processes)
        return f"more than {self.memory / _GIBIBYTE:.1f} GiB of memory" if memory > self.memory else ""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How long a plugin may run, what it may use, and what it can see."""

    seconds: float
    limits: Limits = msgspec.field(default_factory=Limits)
    sandbox: Sandbox | None = None


class _Process(msgspec.Struct, frozen=True):
    """A process as /proc shows it."""

    parent: int
    threads: int
    memory: int
    """What is resident, in bytes."""


class End(msgspec.Struct, frozen=True):
    """How the process of a plugin has ended."""

    status: int = 0
    """As `os.waitpid` has it."""
    exceeded: str = ""
    """What it has used up, so that it was ended; empty for nothing."""
    failure: str = ""
    """Why it could not be started."""
    hint: str = ""
    """What can be done about that."""


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
        """How the plugin's process has ended by itself; None when it goes on for so long.

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


def _encoded(end: End) -> bytes:
    """How a process has ended, as JSON of ASCII: a message may name a file whose name is no UTF-8."""
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
    """All processes, as /proc has shown them when this was made, be it in another sandbox; none without /proc."""

    def __init__(self) -> None:
        self._proc = os.open("/proc", os.O_RDONLY) if Path("/proc/self/stat").exists() else None
        self._kernel_threads: set[str] = set()
        """Numbers that need not be looked at again: Linux gives those below 300 to nobody else (kernel/pid.c)."""

    def below(self) -> dict[int, _Process]:
        """The processes that this one has started, and those that they have, by their numbers."""
        rest, known = self._all(), {os.getpid()}
        found: dict[int, _Process] = {}
        while known:
            below = {number: each for number, each in rest.items() if each.parent in known}
            known = set(below) - set(found)
            found |= below
        return found

    def tasks(self) -> int:
        """How many processes and threads of this user there are."""
        own = 0
        for number, each in self._all().items():
            with suppress(OSError):
                own += each.threads if os.stat(str(number), dir_fd=self._proc).st_uid == os.getuid() else 0
        return own

    def end_all_but(self, spared: Collection[int]) -> None:
        """End all processes below this one, and wait for that."""
        end = time.monotonic() + _PATIENCE
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
