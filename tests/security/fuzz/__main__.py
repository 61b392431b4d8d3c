"""Run inputs by number, within limits, and stop at the first that fails.

`python -m tests.security.fuzz header 0 1000` runs the inputs 0 to 999; `... header 17 18 --show` shows one.
The number of the input that is being run stands on the last line of stdout when the process dies.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import io
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NamedTuple

from tests.security.fuzz.inputs import make
from tests.security.fuzz.seeds import KINDS

MAX_SECONDS = 10
"""The time limit of one input, in seconds of processor time."""
_IS_IN_PART = re.compile(r"\d+ of \d+ cannot be read, and (?:is|are) not judged")
"""The remark of `abigen lint` when it judges some of several headers and cannot read the others."""

MAX_BYTES = 1 << 30
"""The memory limit of a process, in bytes of address space."""

_STUCK_SECONDS = 120
"""After so much time on the clock an input counts as waiting for something that never comes."""


class TooLong(BaseException):
    """An input has used up its time; no `except Exception` may hide it."""


class Ended(NamedTuple):
    """The end of a run of the program."""

    code: int
    text: str
    """The output."""
    complaint: str
    """The fault; empty for none."""


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.security.fuzz", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--show", action="store_true", help="show the command line and the text, and run nothing")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at a failure")
    arguments = parser.parse_args()
    failures = 0
    codes: Counter[int] = Counter()
    with TemporaryDirectory(prefix="abigen-fuzz-") as directory:
        limit()
        for number in range(arguments.first, arguments.end):
            each = make(arguments.kind, number, Path(directory))
            if arguments.show:
                print(" ".join(each.arguments))
                print(each.content.decode("utf-8", "backslashreplace"))
                continue
            print(f"\r{arguments.kind} {number}", end="", flush=True)
            each.path.write_bytes(each.content)
            ended = run_limited(each.arguments)
            codes[ended.code] += 1
            if ended.complaint:
                print(f"\n{ended.complaint}\n{' '.join(each.arguments)}", flush=True)
                failures += 1
                if not arguments.keep_going:
                    break
    print("".join(f"\nexit code {code}: {count}" for code, count in sorted(codes.items())))
    return int(failures > 0)


def limit() -> None:
    """Give this process no more memory and time per input than it may have."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _too_long)


def run_limited(arguments: list[str]) -> Ended:
    """Run a command line in this process, within its time."""
    from abigen.cli.main import run

    output, remarks = io.StringIO(), io.StringIO()
    start = time.process_time()
    try:
        with _timer(), contextlib.redirect_stdout(output), contextlib.redirect_stderr(remarks):
            code = run(arguments)
    except TooLong:
        from traceback import format_exc

        return Ended(-1, "", f"{format_exc()}\nmore than {MAX_SECONDS} s")
    seconds = time.process_time() - start
    text = remarks.getvalue()
    complaint = f"{seconds:.1f} s" if seconds > MAX_SECONDS else ""
    if "this is a bug in abigen" in text or code not in (0, 1, 2):
        complaint = f"exit code {code}\n{text}"
    elif code == 2 and (not text or (output.getvalue() and not _IS_IN_PART.search(text))):
        complaint = f"exit code 2 without a message, or after a result\n{text}"
    return Ended(code, output.getvalue() + text, complaint)


@contextlib.contextmanager
def _timer() -> Iterator[None]:
    """Interrupt what takes too much processor time; end the process when it waits for ever."""
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    faulthandler.dump_traceback_later(_STUCK_SECONDS, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def _too_long(signal_number: int, frame: FrameType | None) -> None:
    raise TooLong


if __name__ == "__main__":
    sys.exit(main())
