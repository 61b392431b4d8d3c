"""Work with plugins in a process of its own, so that their end is not the end of everything."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

from abigen.host.backend import PluginError
from abigen.host.diary import Diary, keep

_FINISHED = "\1"
_POLL_SECONDS = 0.005


def run_apart(work: Callable[[], int], seconds: float) -> int:
    """Run something in a child process; where there are none, as on Windows, in this one.

    Args:
        work: what to run; it handles its own errors, and its result is the exit code.
        seconds: how long it may take.

    Returns:
        Its result.

    Raises:
        PluginError: the process has crashed, hung, or ended before its work was done; with what the plugin was doing.
    """
    if not hasattr(os, "fork"):
        return work()
    diary = Diary()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _work_and_exit(work, diary)
    try:
        status = _wait(child, time.monotonic() + seconds)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    doing = diary.read()
    if doing == _FINISHED and status is not None:
        return os.waitstatus_to_exitcode(status)
    where = f" in {doing}" if doing and doing != _FINISHED else ""
    if status is None:
        raise PluginError.at(None, f"the plugin has not come back within {seconds:g} s{where}")
    raise PluginError.at(None, f"the plugin has ended the process{where}: {_ending(os.waitstatus_to_exitcode(status))}")


def _work_and_exit(work: Callable[[], int], diary: Diary) -> None:
    """Be the child."""
    keep(diary)
    code = work()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the reader has gone, which `work` has dealt with
            continue
    diary.write(_FINISHED)
    os._exit(code)


def _wait(child: int, until: float) -> int | None:
    """The status of a child that has ended; None for one that was ended because its time was up."""
    pause = 0.0
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(pause)
        pause = min(pause + _POLL_SECONDS / 10, _POLL_SECONDS)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _ending(code: int) -> str:
    """How a process has ended, in words."""
    if code >= 0:
        return f"it has called exit({code})"
    name = signal.Signals(-code).name
    if -code == signal.SIGABRT:
        return f"{name}: it has called abort, or an exception has left it"
    return name
