"""`python -m abigen`, and what the installed `abigen` command calls."""

from __future__ import annotations

import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line in `sys.argv` and exit: 0 fine, 1 findings, 2 the question could not be answered."""
    # Before and after the run, when nothing is open that would have to be put in order, Ctrl-C just ends the process.
    handler = signal.getsignal(signal.SIGINT)
    is_usual = handler is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Python leaves out streams that the caller has closed. What cannot be answered fails, as on a disk that is full;
    # remarks just go nowhere.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    # What a run makes are trees that live until it ends; looking for cycles among them costs a tenth of the time, and
    # once more on the way out.
    gc.disable()

    from abigen.cli.main import run

    if is_usual:
        signal.signal(signal.SIGINT, handler)
    code = run(sys.argv[1:])
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
