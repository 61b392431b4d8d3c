"""Scaffolds as tests make and build them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.emit.building import REPOSITORY, Run, abigen
from tests.tools import require

SPEC = Path(__file__).parent / "spec"
TENSORFLOW = "tensorflow/stream_executor"

STRICT = ("-std=gnu11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror")


def new(directory: Path, name: str, api: str, *options: str | Path, language: str = "c") -> Path:
    """Begin a plugin, which must succeed."""
    run = attempt(directory, name, api, *options, language=language)
    assert run.code == 0, run.stderr
    return directory


def attempt(directory: Path, name: str, api: str, *options: str | Path, language: str = "c") -> Run:
    """Try to begin a plugin; specs of tests are found by name."""
    spec_dir = () if "/" in api else ("--spec-dir", SPEC)
    return abigen("new", name, directory, "--api", api, "--lang", language, *spec_dir, *options, cwd=REPOSITORY.parent)


def include(project: Path) -> tuple[str, ...]:
    """Where sources of a project find headers."""
    return tuple(f"-I{project / each}" for each in ("src", "generated", "generated/include", "generated/checks"))


def sources(project: Path) -> tuple[Path, ...]:
    """What the library consists of."""
    checks = sorted((project / "generated/checks").rglob("*.c"))
    return (*sorted((project / "src").glob("*.c*")), *sorted((project / "generated").glob("plugin.c*")), *checks)


def built(project: Path, preset: str = "default", compiler: str = "gcc") -> Path:
    """Build a project as its README says, without a word from the compiler, and run its test; returns the library."""
    require("cmake", "ctest", compiler)
    environment = {**os.environ, "CC": compiler, "CXX": {"gcc": "g++", "clang": "clang++"}[compiler]}
    for command in (("cmake", "--preset", preset), ("cmake", "--build", "--preset", preset)):
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stderr, done.stderr
    test = subprocess.run(["ctest", "--preset", preset], cwd=project, capture_output=True, text=True, check=False)
    assert test.returncode == 0, test.stdout
    (library,) = (project / ("build" if preset == "default" else f"build-{preset}")).glob("*_plugin.so")
    return library
