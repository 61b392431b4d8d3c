"""API mode: types that the C compiler has checked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.generator.build.building import abigen
from tests.generator.python.building import SPEC, run_python
from tests.generator.python.conftest import Robots
from tests.tools import require_python_headers

_SHOW = """
from plugin_api import core, robot, signal
core.load({core!r})
print(robot._declarations.declarations.is_compiled, robot.ffi.__class__.__module__)
plugin = robot.Plugin({plugin!r})
made, arms = robot.RB_Robot(ordinal=-5), robot.RB_Arms()
plugin.RB_Start(robot.RB_Params(robot=made, arms=arms))
made.next = robot.RB_Robot(from_=3, path=[robot.RB_Point(x=1)])
arms.measure = lambda of: (True, of.ordinal, len(of.next.path))
print(made.name, arms.add(1, 2), arms.measure(made), made.next.from_, arms.sum([1, 2], 2), robot.RB_Bits(high=-2).high)
try:
    arms.create_motor(made)
except signal._rt.StatusError as error:
    print(error)
"""
_SHOWN = 'Robby 3 (True, -5, 1) 3 3 -2\nSIG_JAMMED: no motor for "negative" robots\n'


def _show(folder: Path, robots: Robots) -> subprocess.CompletedProcess[str]:
    return run_python(_SHOW.format(core=str(robots.core), plugin=str(robots.plugin)), folder)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_python_headers()
    out = tmp_path_factory.mktemp("compiled")
    targets = ("--target", "c", "--target", "python")
    run = abigen("build", "--no-cache", *targets, "--api-mode", "--spec-dir", SPEC, "--out", out)
    assert run.code == 0, run.stderr
    assert sum("_compiled_" in line for line in run.stdout.splitlines()) == 2
    return out


@pytest.mark.ci
def test_compiled_packages_do_what_others_do(compiled: Path, robots: Robots) -> None:
    done = _show(compiled / "python", robots)
    assert (done.stdout, done.stderr) == (f"True _cffi_backend\n{_SHOWN}", "")
    done = _show(robots.folder / "python", robots)
    assert (done.stdout, done.stderr) == (f"False cffi.api\n{_SHOWN}", "")


def test_compiled_types_of_older_declarations_are_not_used(compiled: Path, robots: Robots, tmp_path: Path) -> None:
    shutil.copytree(compiled / "python", tmp_path / "python")
    declarations = tmp_path / "python/plugin_api/signal/_declarations.py"
    declarations.write_text(declarations.read_text().replace("SIG_BROKEN = 9", "SIG_BROKEN = 10"))
    done = _show(tmp_path / "python", robots)
    assert done.stdout == f"False cffi.api\n{_SHOWN}"


def test_packages_are_compiled_together_or_not_at_all(compiled: Path, robots: Robots, tmp_path: Path) -> None:
    shutil.copytree(compiled / "python", tmp_path / "python")
    for module in (tmp_path / "python/plugin_api/robot").glob("_compiled_*"):
        module.unlink()
    done = _show(tmp_path / "python", robots)
    assert "plugin_api.signal is compiled and plugin_api.robot, which uses it, is not" in done.stderr


@pytest.mark.ci
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  int32_t ordinal;", "  int64_t ordinal;", "RB_Robot"),
        pytest.param("  const char* name;", "  char** name;", "incompatible", marks=pytest.mark.slow),
        pytest.param("  RB_ANGRY = 5,", "  RB_ANGRY = 6,", "RB_ANGRY", marks=pytest.mark.slow),
        ("int RB_Drive(const RB_Arms* arms, int a, int b);", "int RB_Drive(RB_Arms* arms, int a, int b);", "RB_Drive"),
    ],
)
def test_a_header_that_says_something_else_is_refused(
    robots: Robots, tmp_path: Path, old: str, new: str, said: str
) -> None:
    require_python_headers()
    shutil.copytree(robots.folder / "c", tmp_path / "c")
    shutil.copytree(robots.folder / "python", tmp_path / "python", ignore=shutil.ignore_patterns("__pycache__"))
    header = tmp_path / "c/robot/robot.h"
    text = header.read_text()
    assert old in text
    header.write_text(text.replace(old, new))
    command = [sys.executable, "-m", "plugin_api.compile", "-I", str(tmp_path / "c")]
    done = subprocess.run(command, cwd=tmp_path / "python", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.ci
def test_a_header_that_is_missing_is_named(robots: Robots, tmp_path: Path) -> None:
    require_python_headers()
    shutil.copytree(robots.folder / "python", tmp_path / "python", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "plugin_api.compile", "-I", str(tmp_path), "signal"]
    done = subprocess.run(command, cwd=tmp_path / "python", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "robot/signal.h" in done.stderr
    assert "plugin_api.signal does not compile against robot/signal.h" in done.stderr


def test_api_mode_writes_so_it_does_not_go_with_check(tmp_path: Path) -> None:
    run = abigen("build", "--check", "--api-mode", "--spec-dir", SPEC, "--out", tmp_path)
    assert (run.code, list(tmp_path.iterdir())) == (2, [])
    assert "--api-mode writes" in run.stderr


def test_api_mode_needs_packages(tmp_path: Path) -> None:
    run = abigen("build", "--no-cache", "--target", "c", "--api-mode", "--spec-dir", SPEC, "--out", tmp_path)
    assert run.code == 2
    assert "no generated package can be compiled" in run.stderr
