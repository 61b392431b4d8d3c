"""Fixtures that these tests share with those of the command line, and a repository with a past."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import abigen, git, write
from tests.cli.samples import FIRST

__all__ = ["abigen", "git", "repository", "write"]


@pytest.fixture
def repository(git: Callable[..., str], write: Callable[..., Path]) -> Callable[[str], None]:
    """A repository whose first commit has `include/toy.h`; the result commits everything under a message."""

    def commit(message: str) -> None:
        git("add", "-A")
        git("commit", "-q", "-m", message)

    write("include/toy.h", FIRST)
    commit("first")
    git("tag", "v1.0")
    return commit
