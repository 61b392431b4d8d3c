"""`python -m tests.workspace.memory [FIRST [COUNT]]` checks chains of edits: 20,000, unless told otherwise."""

from __future__ import annotations

import gc
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.workspace.memory.chains import check_chains

BLOCK = 25


def check_block(first: int) -> None:
    """Check the chains of one block."""
    gc.disable()
    with TemporaryDirectory(prefix="abigen-memory-") as folder:
        check_chains(range(first, first + BLOCK), Path(folder))
    gc.collect()


def main(first: int = 0, count: int = 20_000) -> None:
    """Check chains, and say how many were fine.

    Args:
        first: the first seed.
        count: how many.
    """
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, _ in enumerate(pool.map(check_block, range(first, first + count, BLOCK)), 1):
            print(f"\r{number * BLOCK} chains, no difference", end="", flush=True)
    print()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
