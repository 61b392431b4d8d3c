"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import sys

import pytest

# Tests start Python very often; each start would compile all modules of abigen again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Start one worker more than there are processors: many tests wait for plugins and compilers."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest, so that no worker is left with one of them at the end."""
    items.sort(key=lambda item: item.path.parent.name != "readme")


def pytest_collection_finish() -> None:
    """Look for cycles seldom: abigen's own runs never do, and each search would walk thousands of collected tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
