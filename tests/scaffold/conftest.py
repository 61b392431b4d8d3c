"""What several tests of scaffolds build on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scaffold.projects import TENSORFLOW, new
from tests.specs.test_tensorflow import cache, tensorflow

__all__ = ["cache", "tensorflow"]


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin for TensorFlow with all that there is; tests do not change it."""
    return new(tmp_path_factory.mktemp("full") / "xpu", "XPU", TENSORFLOW, "--with", "kernels,ops")


@pytest.fixture(scope="session")
def full_cpp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in C++."""
    folder = tmp_path_factory.mktemp("full-cpp") / "xpu"
    return new(folder, "XPU", TENSORFLOW, "--with", "kernels,ops", language="cpp")
