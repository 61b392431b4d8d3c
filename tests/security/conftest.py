"""Fixtures that these tests share with those of the command line and of the action."""

from __future__ import annotations

from tests.cli.conftest import abigen, git, write
from tests.cli.integrations.conftest import repository
from tests.cli.integrations.test_action import runner

__all__ = ["abigen", "git", "repository", "runner", "write"]
