"""The settings of all tests."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

# The programs that come with the packages of this Python, whether or not its environment is activated.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"

from tests.tools import SHARED

# Tests start Python very often; each start would compile all modules of abigen again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder in which all processes of the session note which tools work."""
    if SHARED not in os.environ:
        answers = tempfile.TemporaryDirectory()
        os.environ[SHARED] = answers.name
        config.add_cleanup(answers.cleanup)
        config.add_cleanup(lambda: os.environ.pop(SHARED, None))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Start one worker more than there are processors: many tests wait for plugins and compilers."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave all but the first cases of some tests to `.ci/run`, and begin with the tests that take longest.

    No worker is left with one of those at the end.
    """
    cases: Counter[str] = Counter()
    for item in items:
        if marker := item.get_closest_marker("first_case"):
            name = item.nodeid.partition("[")[0]
            if cases[name] >= (marker.args[0] if marker.args else 1):
                item.add_marker("ci")
            cases[name] += 1
    items.sort(key=lambda item: item.path.parent.name != "readme")


def pytest_collection_finish() -> None:
    """Look for cycles seldom: abigen's own runs never do, and each search would walk thousands of collected tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
