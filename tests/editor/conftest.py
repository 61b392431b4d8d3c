"""Fixtures for tests of `abigen lsp`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.cli.program import Program
from tests.editor.editor import BOX, SPEC, Editor
from tests.tools import require

_SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "abigen", "lsp", "--stdio"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a release of a header and of a spec."""
    require("git")
    folder = tmp_path / "project"
    (folder / "include").mkdir(parents=True)
    (folder / "include/box.h").write_text(BOX)
    (folder / "spec").mkdir()
    (folder / "spec/box.yaml").write_text(SPEC)
    git(folder, "init", "-q", "-b", "main")
    release(folder, "v1.0.0")
    return folder


def git(folder: Path, *arguments: str) -> None:
    """Run git in a repository."""
    person = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid")
    subprocess.run(["git", *person, *arguments], cwd=folder, check=True, capture_output=True)


def release(folder: Path, tag: str) -> None:
    """Commit everything, and tag it."""
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", tag)
    git(folder, "tag", tag)


@pytest_lsp.fixture(config=_SERVER, scope="module")
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """A client with a server, for all tests of a module: to start one takes longer than most of them."""

    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(params: None) -> None:
        """Take note of new lenses: tests ask for them where they need them."""

    await lsp_client.initialize_session(types.InitializeParams(client_capabilities("visual_studio_code")))
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: LanguageClient, project: Path) -> Editor:
    """An editor with the project."""
    client.messages.clear()
    return Editor(client, project)


@pytest.fixture
def abigen(tmp_path: Path) -> Program:
    """The program, run in an empty directory."""
    return Program(tmp_path, tmp_path / "cache")
