"""The CMake module in a real project: headers are generated, made anew, and a break fails the build."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.samples import INSERTED, RELEASED
from tests.tools import require

SPEC = """\
abigen: 1
api: game
prefix: GAME
version: 1.0.0
header: {path: game/game.h}
uses: [score]
conventions: {leading_fields: [size_t struct_size]}
structs:
  - name: Game
    fields:
      - {name: score, type: Score, doc: Points so far.}
"""
SCORE = "abigen: 1\napi: score\nprefix: SCORE\nversion: 1.0.0\ntypedefs: [{name: Score, type: int}]\n"
PROGRAM = """\
#include <stdio.h>
#include "game/game.h"
int main(void) {
  printf("%d %d %d\\n", GAME_MAJOR, GAME_MINOR, (int)sizeof(Game));
  return 0;
}
"""
LISTS = """\
cmake_minimum_required(VERSION 3.16)
project(game C)
enable_testing()
execute_process(
  COMMAND "${{ABIGEN_EXECUTABLE}}" cmake-dir OUTPUT_VARIABLE abigen_DIR OUTPUT_STRIP_TRAILING_WHITESPACE
)
find_package(abigen REQUIRED)
abigen_generate(TARGET game SPEC spec/game.yaml)
add_executable(play play.c)
target_link_libraries(play PRIVATE game)
abigen_check(NAME toy-abi HEADER include/toy.h AGAINST v1.0 {more})
"""

Write = Callable[..., Path]


class Project:
    """A CMake project in the directory of a program, and its build."""

    def __init__(self, abigen: Program, write: Write, build: Path, generator: str, more: str = "") -> None:
        self.directory = abigen.directory
        self.build_directory = build
        self.environment = {**os.environ, "ABIGEN_CACHE_DIR": str(abigen.cache), "LC_ALL": "C"}
        self.environment.pop("CMAKE_GENERATOR", None)
        self.program = program = build.parent / "bin" / "abigen"
        program.parent.mkdir()
        root = Path(__file__).parents[3]
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m abigen "$@"\n')
        program.chmod(0o755)
        write("spec/game.yaml", SPEC)
        write("spec/score.yaml", SCORE)
        write("play.c", PROGRAM)
        write("CMakeLists.txt", LISTS.format(more=more))
        self.configure = self.run(
            "cmake", "-S", ".", "-B", str(build), "-G", generator, f"-DABIGEN_EXECUTABLE={program}"
        )

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.directory, env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )

    def build(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("cmake", "--build", str(self.build_directory), *arguments)

    def play(self) -> str:
        return self.run(str(self.build_directory / "play")).stdout


@pytest.fixture(params=["Unix Makefiles", pytest.param("Ninja", marks=pytest.mark.slow)])
def generator(request: pytest.FixtureRequest) -> str:
    require("cmake", "make" if request.param == "Unix Makefiles" else "ninja")
    return str(request.param)


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
def test_a_header_is_generated_and_made_anew_when_its_spec_changes(
    abigen: Program, write: Write, tmp_path: Path, generator: str
) -> None:
    project = Project(abigen, write, tmp_path / "build", generator)
    assert project.configure.returncode == 0, project.configure.stderr
    first = project.build()
    assert first.returncode == 0, first.stdout + first.stderr
    assert project.play() == "1 0 16\n"
    again = project.build()
    assert "play.c" not in again.stdout
    assert "Generating" not in again.stdout
    write(
        "spec/game.yaml",
        SPEC.replace("1.0.0", "1.1.0") + "      - {name: lives, type: int64_t, since: 1.1.0, zero: no-op}\n",
    )
    changed = project.build()
    assert changed.returncode == 0, changed.stdout + changed.stderr
    assert project.play() == "1 1 24\n"
    write("spec/score.yaml", SCORE.replace("type: int}", "type: 'int[4]'}"))
    assert project.build().returncode == 0
    assert project.play() == "1 1 32\n"
    write("spec/game.yaml", SPEC.replace("game/game.h", "game/renamed.h"))
    write("play.c", PROGRAM.replace("game/game.h", "game/renamed.h"))
    assert project.build().returncode == 0
    assert not list((tmp_path / "build").rglob("game.h"))
    write("spec/game.yaml", SPEC.replace("type: Score", "type: Scoer"))
    broken = project.build()
    assert broken.returncode != 0
    assert re.search(r"game\.yaml:\d+:\d+: error: unknown type name 'Scoer'", broken.stdout + broken.stderr)


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
def test_whatever_a_header_is_made_of_is_watched(abigen: Program, write: Write, tmp_path: Path, generator: str) -> None:
    project = Project(abigen, write, tmp_path / "build", generator, ")\nset(unused 1")
    write("more/score.yaml", SCORE.replace("1.0.0", "2.0.0"))
    write("spec/game.yaml", SPEC.replace("[score]", "[../more/score]"))
    assert project.build().returncode == 0
    assert project.play() == "1 0 16\n"
    write("more/score.yaml", SCORE.replace("1.0.0", "2.0.0").replace("type: int}", "type: 'int[4]'}"))
    assert project.build().returncode == 0  # a used spec of another folder
    assert project.play() == "1 0 24\n"
    template = write(
        "mine/c/header.h.j2", '{% extends "abigen:c/header.h.j2" %}\n{% block doc %}// One.\n{% endblock %}\n'
    )
    with_templates = 'case $1 in build) shift; set -- build --templates mine "$@";; esac\nPYTHONPATH='
    project.program.write_text(project.program.read_text().replace("PYTHONPATH=", with_templates))
    assert project.build().returncode == 0  # another program
    header = next((tmp_path / "build").rglob("game.h"))
    assert "// One." in header.read_text()
    template.write_text(template.read_text().replace("One", "Two"))
    assert project.build().returncode == 0
    assert "// Two." in header.read_text()


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
def test_more_than_headers_is_made_when_that_is_asked_for(abigen: Program, write: Write, tmp_path: Path) -> None:
    require("cmake", "make", "g++")
    more = """)
enable_language(CXX)
abigen_generate(TARGET whole SPEC spec/ticker.yaml spec/game.yaml other/score.yaml OUTPUTS c-checks cpp python)
add_executable(modern modern.cc)
target_compile_features(modern PRIVATE cxx_std_17)
target_link_libraries(modern PRIVATE whole whole-checks)
set(unused 1"""
    function = "functions: [{name: now, implemented_by: core, type: int (void)}]\n"
    write("spec/ticker.yaml", "abigen: 1\napi: ticker\nprefix: TICKER\nversion: 1.0.0\n" + function)
    write("other/score.yaml", SCORE.replace("api: score", "api: tally").replace("Score", "Tally"))
    write("modern.cc", '#include "ticker.hpp"\n#include "tally.h"\nint main() { return sizeof(Tally) - 4; }\n')
    project = Project(abigen, write, tmp_path / "build", "Unix Makefiles", more)
    assert project.configure.returncode == 0, project.configure.stderr
    made = project.build()
    assert made.returncode == 0, made.stdout + made.stderr
    assert project.run(str(tmp_path / "build/modern")).returncode == 0
    assert list((tmp_path / "build/abigen/whole").rglob("python/*/__init__.py"))


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
def test_a_break_fails_the_target_and_the_test(abigen: Program, write: Write, tmp_path: Path) -> None:
    require("cmake", "make", "ctest")
    project = Project(abigen, write, tmp_path / "build", "Unix Makefiles")
    assert project.configure.returncode == 0, project.configure.stderr
    write("include/toy.h", RELEASED)
    assert project.build("--target", "toy-abi").returncode == 0
    tests = ("ctest", "--test-dir", str(tmp_path / "build"), "--output-on-failure")
    assert project.run(*tests).returncode == 0
    write("include/toy.h", INSERTED)
    broken = project.build("--target", "toy-abi")
    assert broken.returncode != 0
    assert "ABI103 field-inserted" in broken.stdout + broken.stderr
    assert project.build().returncode == 0
    failed = project.run(*tests)
    assert failed.returncode != 0
    assert "ABI103 field-inserted" in failed.stdout


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
def test_a_check_may_be_part_of_every_build(abigen: Program, write: Write, tmp_path: Path) -> None:
    require("cmake", "make")
    more = "ALL INCLUDE_DIRECTORIES include FAIL_ON minor ARGUMENTS --summary"
    project = Project(abigen, write, tmp_path / "build", "Unix Makefiles", more)
    assert project.build().returncode == 0
    write("include/toy.h", RELEASED)
    failed = project.build()
    assert failed.returncode != 0
    assert "is enough for additions" in failed.stdout + failed.stderr


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("abigen_generate(TARGET x)", "abigen_generate needs TARGET and SPEC"),
        ("abigen_generate(TARGET x SPEC nowhere.yaml)", "there is no spec"),
        ("abigen_check(NAME x HEADER y)", "abigen_check needs NAME, HEADER and AGAINST"),
        ("abigen_check(NAME x HEADER y AGAINST z POLICY)", "nothing behind POLICY"),
        ("abigen_generate(TARGET x SPEC y SPECS z NAME w)", ""),
    ],
)
def test_a_mistake_in_a_call_stops_the_configuration(
    abigen: Program, write: Write, tmp_path: Path, call: str, message: str
) -> None:
    require("cmake", "make")
    project = Project(abigen, write, tmp_path / "build", "Unix Makefiles", f")\n{call}\nset(ignored 1")
    assert project.configure.returncode != 0
    assert message in " ".join(project.configure.stderr.split())


def test_the_module_is_part_of_the_package(abigen: Program) -> None:
    folder = Path(abigen("cmake-dir").output.strip())
    assert (folder / "abigenConfig.cmake").is_file()
    assert folder.is_absolute()
