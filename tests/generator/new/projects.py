"""Scaffolds as tests make and build them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.generator.build.building import Run
from tests.generator.rust.building import tools
from tests.running import run_here
from tests.tools import SHARED, require, works

SPEC = Path(__file__).parent / "apis"
TENSORFLOW = "tensorflow/stream_executor"

WARNINGS = ("-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror")
STRICT = ("-std=gnu11", *WARNINGS)
LANGUAGES = ("c", "cpp")
DEBUG = "-DCMAKE_BUILD_TYPE=Debug"
"""For CMake, where optimised code is not the subject: it takes three times as long to compile."""


def abigen(*arguments: str | Path, cwd: Path | None = None) -> Run:
    """Run abigen, where no folder has specs or templates of its own."""
    return run_here([str(each) for each in arguments], cwd or SPEC.parent)


def new(directory: Path, name: str, api: str, *options: str | Path, language: str = "c") -> Path:
    """Begin a plugin, which must succeed."""
    done = attempt(directory, name, api, *options, language=language)
    assert done.code == 0, done.stderr
    return directory


def attempt(directory: Path, name: str, api: str, *options: str | Path, language: str = "c") -> Run:
    """Try to begin a plugin; specs of tests are found by name."""
    spec_dir = () if "/" in api else ("--spec-dir", SPEC)
    return abigen("new", name, directory, "--api", api, "--lang", language, *spec_dir, *options)


def include(project: Path) -> tuple[str, ...]:
    """Return the folders in which sources of a project find headers."""
    return tuple(f"-I{project / each}" for each in ("src", "generated", "generated/include", "generated/checks"))


def sources(project: Path) -> tuple[Path, ...]:
    """Return the sources of the library."""
    checks = sorted((project / "generated/checks").rglob("*.c"))
    return (*sorted((project / "src").glob("*.c*")), *sorted((project / "generated").glob("plugin.c*")), *checks)


def compiled(project: Path, compiler: str, library: Path) -> str:
    """Compile a project as C and C++, as each file asks for; returns what the compiler said."""
    found, _ = require(compiler, {"gcc": "g++", "clang": "clang++"}[compiler])
    objects: list[Path] = []
    said = ""
    for source in sources(project):
        is_c = source.suffix == ".c"
        command = [
            found if is_c else {"gcc": "g++", "clang": "clang++"}[compiler],
            "-std=gnu11" if is_c else "-std=c++17",
        ]
        objects.append(library.with_name(f"{source.stem}.o"))
        said += _said([*command, *WARNINGS, *include(project), "-fPIC", "-c", source, "-o", objects[-1]])
    return said or _said([{"gcc": "g++", "clang": "clang++"}[compiler], "-shared", *objects, "-o", library])


def _said(command: list[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode or done.stderr else ""


def built(project: Path, *options: str, preset: str = "default", compiler: str = "gcc", test: bool = True) -> Path:
    """Build a project as its README says, without a warning, and run its test if it has one; returns the library."""
    require("cmake", "ctest", compiler)
    environment = {**os.environ, "CC": compiler, "CXX": {"gcc": "g++", "clang": "clang++"}[compiler]}
    if works("ninja"):
        environment.setdefault("CMAKE_GENERATOR", "Ninja")  # half the time of make's
    folder = project / ("build" if preset == "default" else f"build-{preset}")
    with _compilers_known(project, folder, compiler) as known:
        _succeeds("cmake", "--preset", preset, *known, *options, cwd=project, environment=environment)
    _succeeds("cmake", "--build", "--preset", preset, cwd=project, environment=environment)
    if test:
        tested = subprocess.run(["ctest", "--preset", preset], cwd=project, capture_output=True, text=True, check=False)
        assert tested.returncode == 0, tested.stdout
    (library,) = folder.glob("*_plugin.so")
    return library


def _succeeds(*command: str, cwd: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr, done.stderr


@contextmanager
def _compilers_known(project: Path, folder: Path, compiler: str) -> Iterator[tuple[str, ...]]:
    """Give CMake what it has found out about the compilers for the first project of a session; yields the options."""
    languages = re.findall(r"LANGUAGES ([\w ]+)", (project / "CMakeLists.txt").read_text(encoding="utf-8"))
    shared = Path(os.environ[SHARED], "-".join(("cmake", compiler, *"".join(languages).split())))
    if folder.exists():
        yield ()
    elif shared.exists():
        shutil.copytree(shared, folder / "CMakeFiles")
        executables = (shared / "format").read_text(encoding="utf-8")
        yield ("-DCMAKE_PLATFORM_INFO_INITIALIZED=1", f"-DCMAKE_EXECUTABLE_FORMAT={executables}")
    else:
        yield ()
        with tempfile.TemporaryDirectory(dir=shared.parent) as own:
            known = Path(own, "known")
            for each in (folder / "CMakeFiles").glob("[0-9]*"):
                shutil.copytree(each, known / each.name)
            cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
            found = re.search(r"^CMAKE_EXECUTABLE_FORMAT:INTERNAL=(.*)$", cache, re.MULTILINE)
            (known / "format").write_text(found[1] if found else "Unknown", encoding="utf-8")
            with suppress(OSError):  # another process was faster
                known.rename(shared)


def built_in_rust(project: Path, cargo: str = "cargo", *, test: bool = True) -> Path:
    """Build a project in Rust as its README says, without a warning, and run its test; nothing is to be formatted."""
    found = tools(cargo)[0]  # a path, or the first of this name that works
    environment = {**os.environ, "RUSTFLAGS": "-D warnings", "PATH": f"{Path(found).parent}:{os.environ['PATH']}"}
    commands = [[found, "build", "--release", "--offline"]]
    if test:
        rustfmt = tools("rustfmt")[0]
        commands += [[found, "test", "--offline"], [rustfmt, "--edition", "2021", "--check", "src/lib.rs"]]
    for command in commands:
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    (library,) = (project / "target" / "release").glob("*_plugin.so")
    return library
