"""The fixtures that several tests of scaffolds share."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.generator.new.projects import TENSORFLOW, new
from tests.specs.shipped.test_tensorflow import cache, tensorflow
from tests.versions import CONSTRAINTS

__all__ = ["cache", "tensorflow"]

_CURRENT = "2.21"
_RELEASES = os.environ.get("ABIGEN_TENSORFLOW_RELEASES", _CURRENT).split(",")
"""Releases of TensorFlow that plugins are tried in: `2.15,2.18,2.21`."""


@pytest.fixture(scope="session", params=_RELEASES)
def python(request: pytest.FixtureRequest, cache: Path) -> Path:
    """A Python that has TensorFlow of some release."""
    if request.param == _CURRENT:
        current: Path = request.getfixturevalue("tensorflow")
        return current
    older = cache / "releases" / request.param / "bin" / "python"
    if not older.exists():
        venv.create(older.parent.parent, with_pip=True)
        install = [older, "-m", "pip", "install", "--quiet", f"tensorflow-cpu=={request.param}.*"]
        subprocess.run(install, check=True)
    return older


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin for TensorFlow with all that there is; tests do not change it."""
    return new(tmp_path_factory.mktemp("full") / "xpu", "XPU", TENSORFLOW, "--with", "kernels,ops")


@pytest.fixture(scope="session")
def full_cpp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in C++."""
    folder = tmp_path_factory.mktemp("full-cpp") / "xpu"
    return new(folder, "XPU", TENSORFLOW, "--with", "kernels,ops", language="cpp")


@pytest.fixture(scope="session")
def jax() -> Path:
    """A Python that has JAX, installed once to the directory that ABIGEN_JAX names or to the user's cache."""
    return _with_jax("", "-c", str(CONSTRAINTS), "jax")


@pytest.fixture(scope="session")
def older_jax() -> Path:
    """A Python that has a JAX which is a year older, beside the other one."""
    return _with_jax("-0.8", "jax==0.8.*")


def _with_jax(suffix: str, *requirement: str) -> Path:
    folder = Path(os.environ.get("ABIGEN_JAX") or Path.home() / ".cache" / "abigen-tests" / "jax")
    folder = folder.with_name(folder.name + suffix)
    found = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([found, "-m", "pip", "install", "--quiet", *requirement, "cffi"], check=True)
        (folder / "complete").touch()
    return found


@pytest.fixture
def without_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python find no JAX."""
    folder = tmp_path / "hides-jax"
    (folder / "jax").mkdir(parents=True)
    (folder / "jax/__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'jax'\", name='jax')\n")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
