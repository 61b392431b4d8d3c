"""Workspaces with files named like Python's modules: no process that abigen starts imports them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.editor.conftest import git, release
from tests.editor.editor import BOX, INSERTED, SPEC
from tests.editor.messages import opened, receive, send, server
from tests.processes import descendants, lives, needs_proc
from tests.running import REPOSITORY
from tests.tools import require

METHODS = ("fork", "spawn", "forkserver")
"""The ways in which Python starts a process for parallel work; which is usual depends on the system and the version."""

_STARTER = """\
import multiprocessing, sys
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv.pop(1))
    from abigen.__main__ import main
    main()
"""
"""A script as pip writes it for the command `abigen`, which also chooses how processes are started."""

_LIST = """\
import abigen, pkgutil, sys
import concurrent.futures.process, multiprocessing.forkserver, multiprocessing.resource_tracker, multiprocessing.spawn
for module in pkgutil.walk_packages(abigen.__path__, "abigen."):
    if not module.name.endswith("__main__") and not module.name.startswith("abigen.runner.apis."):
        __import__(module.name)
import cffi, elftools, lief, numpy
print(*{name.partition(".")[0] for name in sys.modules}, *sys.stdlib_module_names)
"""
"""Prints the names of all modules that a run of abigen may load."""

_STARTS_PYTHON = re.compile(
    r"ProcessPoolExecutor\(|import get_context|\bmultiprocessing\.Process\b|\[sys\.executable, (?!\"-P\")"
)
"""Code that starts a process of Python."""

Plant = Callable[[Iterable[str]], Path]


@pytest.fixture(scope="module")
def modules() -> set[str]:
    """The names of the modules that abigen may load, and of those that Python looks for at its start."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _LIST], env=_environment(), capture_output=True, text=True, check=True
    )
    return {*done.stdout.split(), "sitecustomize", "usercustomize"} - {"__main__", "__mp_main__"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with several headers and a release of them."""
    require("git")
    folder = tmp_path / "workspace"
    (folder / "include").mkdir(parents=True)
    for number in range(6):
        (folder / f"include/box{number}.h").write_text(BOX.replace("BX_", f"B{number}_").replace("bx_", f"b{number}_"))
    (folder / "apart").mkdir()
    for number in range(3):
        (folder / f"apart/part{number}.h").write_text(f"struct part {{ int values[{number + 1}]; }};\n")
    (folder / "spec.yaml").write_text(SPEC)
    git(folder, "init", "-q", "-b", "main")
    release(folder, "v1.0.0")
    for number in range(1, 9):
        header = folder / "include/box0.h"
        header.write_text(header.read_text().replace("void b0_open", f"void b0_more{number}(void);\nvoid b0_open"))
        release(folder, f"v1.{number}.0")
    return folder


@pytest.fixture
def plant(workspace: Path, tmp_path: Path) -> Plant:
    """Writes modules and packages into the workspace that note that they were imported; returns the file of notes."""

    def plant_all(names: Iterable[str]) -> Path:
        marker = tmp_path / "imported"
        for name in names:
            for path in (workspace / f"{name}.py", workspace / name / "__init__.py"):
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"with open({str(marker)!r}, 'a') as file:\n    file.write({name!r} + '\\n')\n")
        return marker

    return plant_all


@pytest.fixture
def starter(tmp_path: Path) -> str:
    """The path of a script that starts abigen, outside of the workspace."""
    path = tmp_path / "bin/start.py"
    path.parent.mkdir()
    path.write_text(_STARTER)
    return str(path)


def _environment() -> dict[str, str]:
    """Return the variables of a run that finds abigen in this checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    return {**kept, "PYTHONPATH": str(REPOSITORY)}


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**_environment(), "ABIGEN_CACHE_DIR": str(folder.parent / "cache")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


COMMANDS = {
    "diff": (["diff", "include", "--against", "v1.0.0", "--jobs", "2"], (0, 1)),
    "diff of headers that exclude each other": (["diff", "apart", "--against", "v1.0.0", "--jobs", "2"], (0, 1)),
    "lint": (["lint", *(f"include/box{number}.h" for number in range(6)), "--jobs", "2"], (0, 1)),
    "history": (["history", "include/box0.h", "--jobs", "2"], (0, 1)),
    "build": (["build", "spec.yaml", "--out", "generated"], (0,)),
}
"""Commands with their arguments and the exit codes of a run that could answer."""


@pytest.mark.ci
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_import_nothing_from_the_workspace(
    command: str, method: str, plant: Plant, modules: set[str], workspace: Path, starter: str
) -> None:
    marker = plant(modules)
    arguments, codes = COMMANDS[command]
    done = _run([sys.executable, starter, method, *arguments], workspace)
    assert not marker.exists(), sorted(set(marker.read_text().split()))
    assert done.returncode in codes, done.stderr


@pytest.mark.ci
def test_the_language_server_imports_nothing_from_the_workspace(
    plant: Plant, modules: set[str], workspace: Path, starter: str
) -> None:
    marker = plant(modules)
    environment = {**_environment(), "ABIGEN_CACHE_DIR": str(workspace.parent / "cache")}
    header = workspace / "include/box0.h"
    text = INSERTED.replace("BX_", "B0_").replace("bx_", "b0_")
    with server(command=[sys.executable, starter, "fork", "lsp"], folder=workspace, environment=environment) as process:
        opened(process, header, text)
        hovered = ""
        end = time.monotonic() + 20
        while "v1.0.0" not in hovered and not marker.exists() and time.monotonic() < end:
            hovered = _hover(process, header, text)
    assert not marker.exists(), sorted(set(marker.read_text().split()))
    assert "v1.0.0" in hovered


def _hover(process: subprocess.Popen[bytes], header: Path, text: str) -> str:
    """Return the text that the server shows for the function of a header."""
    line = text[: text.index("void b0_open")].count("\n")
    place = {"textDocument": {"uri": header.as_uri()}, "position": {"line": line, "character": 6}}
    send(process, "textDocument/hover", place, 7)
    assert process.stdout is not None
    while (message := receive(process.stdout)).get("id") != 7:
        pass
    return str(message["result"])


@pytest.mark.ci
@pytest.mark.parametrize("arguments", [["-m", "abigen"], ["-c", "from abigen.__main__ import main; main()"]])
def test_what_is_imported_after_the_start_does_not_come_from_the_current_directory(
    arguments: list[str], plant: Plant, modules: set[str], workspace: Path
) -> None:
    early = subprocess.run(
        [sys.executable, "-P", "-c", "import runpy, importlib.util, sys, abigen; print(*sys.modules)"],
        env=_environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    marker = plant(modules - {name.partition(".")[0] for name in early.stdout.split()})
    for method in (["lint", "include/box1.h"], ["history", "include/box0.h", "--jobs", "2"]):
        done = _run([sys.executable, *arguments, *method], workspace)
        assert not marker.exists(), sorted(set(marker.read_text().split()))
        assert done.returncode in (0, 1), done.stderr


@pytest.mark.ci
def test_the_compilation_of_packages_imports_nothing_that_was_not_generated(
    plant: Plant, modules: set[str], workspace: Path, starter: str
) -> None:
    require("cc")
    build = [sys.executable, starter, "fork", "build", "spec.yaml", "--out", "generated"]
    assert _run(build, workspace).returncode == 0
    marker = plant(modules)
    output = workspace / "generated/python"
    for name in modules:
        (output / f"{name}.py").write_text((workspace / f"{name}.py").read_text())
    (workspace / "setup.cfg").write_text("[global]\ncommand_packages = evil\n")
    done = _run([*build, "--api-mode"], workspace)
    assert not marker.exists(), sorted(set(marker.read_text().split()))
    assert done.returncode == 0, done.stderr
    library = next(output.glob("plugin_api/spec/_compiled_*"))
    victim = workspace / "victim"
    victim.write_text("")
    library.unlink()
    library.symlink_to(victim)
    assert _run([*build, "--api-mode"], workspace).returncode == 0
    assert victim.read_text() == ""
    assert not library.is_symlink()


@pytest.mark.ci
@pytest.mark.parametrize("method", METHODS)
def test_a_compiler_finds_modules_beside_it(method: str, workspace: Path, starter: str, tmp_path: Path) -> None:
    """A program of the user is started with the environment that the user gave."""
    require("cc")
    compiler = tmp_path / "compiler/cc"
    compiler.parent.mkdir()
    compiler.write_text(f"#!{sys.executable}\nimport neighbour\n")
    compiler.chmod(0o755)
    neighbour = (
        "import os, sys\nprint('found', file=open(__file__ + '.found', 'a'))\nos.execvp('cc', ['cc', *sys.argv[1:]])\n"
    )
    (compiler.parent / "neighbour.py").write_text(neighbour)
    command = [*COMMANDS["lint"][0], "--cc", str(compiler)]
    done = _run([sys.executable, starter, method, *command], workspace)
    assert done.returncode in (0, 1), done.stderr
    assert (compiler.parent / "neighbour.py.found").exists()


@pytest.mark.ci
@needs_proc
@pytest.mark.parametrize("method", METHODS)
def test_no_process_of_a_killed_run_lives_on(method: str, workspace: Path, starter: str) -> None:
    compiler = workspace.parent / "slow"
    compiler.write_text('#!/bin/sh\nsleep 3\nexec cc "$@"\n')
    compiler.chmod(0o755)
    command = [sys.executable, starter, method, *COMMANDS["lint"][0], "--cc", str(compiler)]
    with subprocess.Popen(command, cwd=workspace, env=_environment(), stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 20
        while len(started := descendants(process.pid)) < 4 and time.monotonic() < end:
            time.sleep(0.02)
        process.kill()
        process.wait()
    end = time.monotonic() + 5
    while (living := [child for child in started if lives(child)]) and time.monotonic() < end:
        time.sleep(0.02)
    assert len(started) >= 4
    assert living == []


def test_one_module_starts_python() -> None:
    """Elsewhere, a process would begin with the current directory in its search path."""
    package = REPOSITORY / "abigen"
    found = [path for path in package.rglob("*.py") if _STARTS_PYTHON.search(path.read_text())]
    assert found == [package / "workspace/python_children.py"]
