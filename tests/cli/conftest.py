"""Fixtures for tests of the command line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.tools import require


@pytest.fixture
def abigen(tmp_path: Path) -> Program:
    """The program, run in an empty directory."""
    directory = tmp_path / "here"
    directory.mkdir()
    return Program(directory, tmp_path / "cache")


@pytest.fixture
def write(abigen: Program) -> Callable[..., Path]:
    """Writes a file below the program's directory."""

    def write_file(name: str, text: str | bytes) -> Path:
        path = abigen.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write_file


@pytest.fixture
def git(abigen: Program, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs git in a new repository, which is the program's directory."""
    require("git")
    for name, value in {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_AUTHOR_NAME": "Test",
        "GIT_AUTHOR_EMAIL": "test@example.invalid",
        "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.invalid",
    }.items():
        monkeypatch.setenv(name, value)

    def run_git(*arguments: str, cwd: Path = abigen.directory) -> str:
        return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout

    run_git("init", "-q", "-b", "main")
    return run_git
