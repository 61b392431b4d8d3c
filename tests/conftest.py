"""What holds for all tests."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Look for cycles seldom: abigen's own runs never do, and thousands of collected tests would be walked each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
