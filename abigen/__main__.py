"""`python -m abigen`, and what the installed `abigen` command calls."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line in `sys.argv` and exit: 0 fine, 1 findings, 2 the question could not be answered."""
    # Python leaves out streams that the caller has closed.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    # What a run makes are trees that live until it ends; looking for cycles among them costs a tenth of the time, and
    # once more on the way out.
    gc.disable()

    from abigen.cli.main import run

    code = run(sys.argv[1:])
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
