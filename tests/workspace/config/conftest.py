"""Fixtures that these tests share with those of the command line."""

from __future__ import annotations

from tests.cli.conftest import abigen, git, write

__all__ = ["abigen", "git", "write"]
