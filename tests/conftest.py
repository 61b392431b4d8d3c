"""What holds for all tests."""

from __future__ import annotations

import gc

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, and end with tests that load a core, beside which plugins need a process apart."""
    items.sort(key=lambda item: _PLACES.get(item.path.parent.name, 1))


_PLACES = {"readme": 0, "host": 2}


def pytest_collection_finish() -> None:
    """Look for cycles seldom: abigen's own runs never do, and each search would walk thousands of collected tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
