"""Every command of the README does what the README says; `Reader` does the same for the pages in `docs/`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.readme.blocks import README, ROOT, Block, commands, difference, patched, read, tools
from tests.tools import require, require_file

FEW_TESTS = "tests/checker/rules/test_rules.py -k code"
"""The tests that the README's command runs here: all of them would include this one."""


def environment(directory: Path) -> dict[str, str]:
    """Return an environment in which `abigen` is this checkout's, and output is what a pipe gets."""
    programs = directory / "bin"
    programs.mkdir()
    for name, call in (
        ("abigen", f"exec '{sys.executable}' -m abigen"),
        ("python3", f"exec '{getattr(sys, '_base_executable', sys.executable)}'"),
    ):
        script = programs / name
        script.write_text(f'#!/bin/sh\n{call} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "VIRTUAL_ENV")}
    return kept | {
        "PATH": f"{programs}{os.pathsep}{kept['PATH']}",
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(directory / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }


class Reader:
    """Someone who does what a page says, from top to bottom, in an empty git repository."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "home"
        self.home.mkdir()
        self.environment = environment(directory)
        self.shell("git init -q -b main")

    @classmethod
    def with_files_of(cls, directory: Path, pages: Iterable[Path]) -> Reader:
        """Someone who has the files that other pages show, committed, and has executed none of their commands."""
        reader = cls(directory)
        for page in pages:
            for block in read(page):
                if not block.excerpt and (block.path or block.language == "diff"):
                    reader.follow(block)
        return reader

    def shell(self, script: str) -> tuple[str, int]:
        """Return the output of a script of bash on both streams, and its exit code."""
        run = subprocess.run(
            ["bash", "-c", script],
            cwd=self.home,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        return run.stdout, run.returncode

    def follow(self, block: Block) -> None:
        """Write the file that the block is, or execute it, or compare it with what is there."""
        place = block.place
        if block.excerpt:
            shown = block.text.splitlines()[1:]
            real = (self.home / block.path).read_text(encoding="utf-8").splitlines()
            wrong = difference(["...", *shown, "..."], real)
            assert not wrong, f"{place}: {block.path}: {wrong}"
        elif block.path:
            self.write(block.path, block.text)
        elif block.language == "diff":
            old = block.text.split(maxsplit=2)[1]
            self.write(*patched(block, (self.home / old).read_text(encoding="utf-8")))
        elif block.language == "sh":
            output, code = self.shell(f"set -eo pipefail\n{block.text}")
            assert code == 0, f"{place}: exit code {code}\n{output}"
        elif block.language == "python":
            run = subprocess.run(
                [sys.executable, "-c", block.text], cwd=self.home, env=self.environment, capture_output=True, text=True
            )
            assert run.returncode == 0, f"{place}: {run.stderr}"
        elif block.language == "console":
            code = 0
            for command, shown in commands(block):
                output, code = self.shell(f"(exit {code})\n{command}")
                wrong = difference(shown, output.splitlines())
                assert not wrong, f"{place}: {command}: {wrong}\n{output}"
        elif block.language != "text":
            pytest.fail(f"{place}: nothing says what this block of {block.language} is for")

    def write(self, path: str, text: str) -> None:
        """Write a file, and commit it, so that revisions can be named."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        output, code = self.shell(f"git add '{path}' && git commit -qm 'Add {path}'")
        assert code == 0, output


@pytest.mark.ci
def test_every_command_does_what_is_shown(tmp_path: Path) -> None:
    """This takes 10 s: the README builds a plugin with CMake and tries it out, and its commands follow each other."""
    blocks = [block for block in read() if block.executed]
    require("git", "bash", *tools(blocks))
    reader = Reader(tmp_path)
    for block in blocks:
        reader.follow(block)


def test_two_commands_set_abigen_up_and_one_installs_it() -> None:
    assert sum(block.sets_up for block in read()) == 2
    assert [block.text for block in read() if block.installs] == ["pip install .\n"]


def test_the_readme_can_be_read_in_one_go() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 250


@pytest.mark.install
@pytest.mark.parametrize("number", [0, 1])
def test_a_command_that_sets_up_works_in_a_fresh_clone(number: int, tmp_path: Path) -> None:
    require("git", "bash")
    require_file(ROOT / ".git", "a clone of the repository")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    block = [block for block in read(clone / "README.md") if block.sets_up][number]
    settings = environment(tmp_path) | {"PYTEST_ADDOPTS": FEW_TESTS}
    del settings["PYTHONPATH"]
    run = subprocess.run(["bash", "-ec", block.text], cwd=clone, env=settings, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    shown = ("up to date in generated", " breaking changes, ") if number == 0 else (" passed",)
    for words in shown:
        assert words in run.stdout


@pytest.mark.install
@pytest.mark.slow
def test_the_command_that_installs_works_in_a_fresh_clone(tmp_path: Path) -> None:
    require("git", "bash")
    require_file(ROOT / ".git", "a clone of the repository")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    (block,) = [block for block in read(clone / "README.md") if block.installs]
    settings = environment(tmp_path)
    del settings["PYTHONPATH"]
    script = f"python3 -m venv ../env\n. ../env/bin/activate\n{block.text}\nabigen --version"
    run = subprocess.run(["bash", "-ec", script], cwd=clone, env=settings, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_table_of_commands_names_every_command_with_a_link() -> None:
    text = README.read_text(encoding="utf-8")
    table = text.partition("| command | what it does |")[2].partition("\n\n")[0]
    named = re.findall(r"\[`abigen ([\w-]+)`\]\([^)]+\)", table)
    files = (ROOT / "abigen/cli").glob("*.py")
    known = [path.stem.replace("_", "-") for path in files if "\ndef command(" in path.read_text(encoding="utf-8")]
    assert sorted(named) == sorted(known)


def test_paths_that_the_readme_names_exist() -> None:
    text = README.read_text(encoding="utf-8")
    table = text.partition("## Layout of the repository")[2]
    named = [part for row in table.splitlines() if row.startswith("| `") for part in row.split("|")[1].split("`")[1::2]]
    assert len(named) > 8
    assert [path for path in named if not (ROOT / path).exists()] == []
