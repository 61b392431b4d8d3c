"""A plugin for PJRT whose compiler is Python: `jax.jit` runs on its devices what runs on the CPU."""

from __future__ import annotations

import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

from tests.generator.new.projects import DEBUG, abigen, built, new
from tests.generator.new.test_jax import run

API = "xla/pjrt"
_COMPARED = re.compile(r"^(.*): as on the CPU, but for (\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in Python."""
    return new(tmp_path_factory.mktemp("pjrt-python") / "toy", "Toy", API, language="python")


def _in(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a Python come first in PATH."""
    monkeypatch.setenv("PATH", f"{python.parent}{os.pathsep}{os.environ['PATH']}")


def _said(output: str) -> list[str]:
    """Return the further output of a run in JAX, after a check that each program is close to the CPU's result."""
    programs = dict(_COMPARED.findall(output))
    assert len(programs) >= 20
    assert {name: far for name, far in programs.items() if float(far) > 1e-4} == {}
    return [line for line in output.splitlines() if not _COMPARED.fullmatch(line)]


SAID = [
    "ToyDevice(id=0) ToyDevice(id=1)",
    "device_put, numpy.asarray and copies between devices: 15 types",
    "refused: Array has been deleted with shape=float64[100,100].",
    "refused: UNIMPLEMENTED: Toy: stablehlo.custom_call @ApproxTopK is not known",
    "and the devices go on",
]


@pytest.mark.jax
def test_programs_give_what_the_cpu_gives(jax: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _in(jax, monkeypatch)
    library = built(project, "-DTOY_WERROR=ON")
    done = run(jax, project / "tests/in_jax.py", library)
    assert done.returncode == 0, done.stderr
    assert _said(done.stdout) == SAID
    verified = abigen("verify", "--api", API, library)
    assert re.search(r"^\d+ checks passed", verified.stdout, re.MULTILINE), verified.stdout


@pytest.mark.jax
def test_programs_run_in_a_jax_that_is_a_year_older(
    older_jax: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _in(older_jax, monkeypatch)
    project = new(tmp_path / "toy", "Toy", API, language="python")
    library = built(project, DEBUG, test=False)
    done = run(older_jax, project / "tests/in_jax.py", library)
    assert done.returncode == 0, done.stderr
    assert _said(done.stdout) == SAID


@pytest.mark.jax
def test_a_wheel_is_enough_for_jit(jax: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _in(jax, monkeypatch)
    wheels, folder = tmp_path / "wheels", tmp_path / "installed"
    subprocess.run([jax, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, project], check=True)
    venv.create(folder, with_pip=False)
    packages = next((folder / "lib").glob("python*/site-packages"))
    (packages / "jax.pth").write_text(str(next((jax.parent.parent / "lib").glob("python*/site-packages"))))
    install = [jax, "-m", "pip", "install", "--quiet", "--no-deps", "--target", packages, *wheels.glob("*.whl")]
    subprocess.run(install, check=True)
    done = run(folder / "bin/python", project / "tests/in_jax.py")
    assert done.returncode == 0, done.stderr
    assert _said(done.stdout) == SAID
