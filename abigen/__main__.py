"""`python -m abigen`, and what the installed `abigen` command calls."""

from __future__ import annotations

# Not `signal`, which takes a while to import: whoever interrupts Python meanwhile sees a traceback.
import _signal  # type: ignore[import-not-found]

_handler = _signal.getsignal(_signal.SIGINT)
_is_usual = _handler is _signal.default_int_handler
# Before and after the run, when nothing is open that would have to be put in order, Ctrl-C just ends the process.
if _is_usual:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import gc  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def _leave_out_current_folder() -> None:
    """Import nothing from the current folder, which `python -m` and `python -c` put first, unless abigen is there."""
    if sys.flags.safe_path or not sys.path:
        return
    own = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120 - `pathlib` is not loaded yet
    try:
        if os.path.realpath(sys.path[0] or ".") == os.path.realpath(".") != own:
            del sys.path[0]
    except OSError:  # the current folder has been deleted, and nothing can be imported from it
        return


def main() -> NoReturn:
    """Run the command line in `sys.argv` and exit: 0 fine, 1 findings, 2 the question could not be answered."""
    _leave_out_current_folder()
    # Python leaves out streams that the caller has closed. What cannot be answered fails, as on a disk that is full;
    # remarks just go nowhere.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    # What a run makes are trees that live until it ends; looking for cycles among them costs a tenth of the time, and
    # once more on the way out.
    gc.disable()

    from abigen.cli.main import run
    from abigen.cli.terminal import INTERRUPTED

    try:
        if _is_usual:
            _signal.signal(_signal.SIGINT, _handler)
        code = run(sys.argv[1:])
        if _is_usual:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    except KeyboardInterrupt:  # between two lines of the above, or a second one while the first was told
        code = INTERRUPTED
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
