"""Answers that are kept between runs: what they save, and what makes them worthless."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program, Result
from tests.cli.samples import APPENDED, FIRST, INSERTED
from tests.tools import require

Write = Callable[..., Path]


@pytest.fixture
def abigen(abigen: Program) -> Program:
    """The program, in a process of its own for each run: what one run leaves for the next is the subject."""
    return abigen.apart


class Compilers:
    """A PATH on which every compiler leaves a mark before it does its work."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "bin"
        self.marks = directory / "marks"
        self.path.mkdir()
        (real,) = require("cc")
        for name in ("cc", "gcc", "clang"):
            script = self.path / name
            script.write_text(f'#!/bin/sh\necho x >> "{self.marks}"\nexec {real} "$@"\n')
            script.chmod(0o755)

    def calls(self) -> int:
        """Return the number of times that one was called."""
        return len(self.marks.read_text().splitlines()) if self.marks.exists() else 0


@pytest.fixture
def compilers(tmp_path: Path) -> Compilers:
    return Compilers(tmp_path)


def _settle(*paths: Path) -> None:
    """Make files as old as files are when somebody runs a program on them by hand."""
    long_ago = time.time() - 60
    for path in paths:
        os.utime(path, (long_ago, long_ago))


def _bump(result: Result) -> str:
    return str(json.loads(result.output)["required_bump"])


@pytest.mark.ci
def test_a_second_run_calls_no_compiler_and_says_the_same(abigen: Program, write: Write, compilers: Compilers) -> None:
    _settle(write("old.h", FIRST), write("new.h", INSERTED))
    first = abigen("diff", "old.h", "new.h", PATH=str(compilers.path))
    called = compilers.calls()
    assert (first.code, called > 0) == (1, True)
    assert abigen("diff", "old.h", "new.h", PATH=str(compilers.path)) == first
    assert abigen("diff", "old.h", "new.h", "--format", "json", PATH=str(compilers.path)).code == 1
    assert compilers.calls() == called


@pytest.mark.ci
def test_no_cache_means_neither_reading_nor_writing_it(abigen: Program, write: Write, compilers: Compilers) -> None:
    _settle(write("old.h", FIRST), write("new.h", INSERTED))
    abigen("diff", "old.h", "new.h", "--no-cache", PATH=str(compilers.path))
    assert not abigen.cache.exists()
    called = compilers.calls()
    abigen("diff", "old.h", "new.h", "--no-cache", PATH=str(compilers.path))
    assert compilers.calls() == 2 * called


@pytest.mark.ci
def test_a_compiler_that_was_replaced_is_asked_anew(abigen: Program, write: Write, compilers: Compilers) -> None:
    _settle(write("api.h", FIRST))
    abigen("diff", "api.h", "api.h", PATH=str(compilers.path))
    called = compilers.calls()
    os.utime(compilers.path / "cc", (1, 1))
    abigen("diff", "api.h", "api.h", PATH=str(compilers.path))
    assert compilers.calls() > called


@pytest.mark.ci
def test_a_changed_header_is_judged_anew(abigen: Program, write: Write) -> None:
    _settle(write("old.h", FIRST), write("new.h", FIRST))
    assert _bump(abigen("diff", "old.h", "new.h", "--format", "json")) == "none"
    _settle(write("new.h", INSERTED))
    assert _bump(abigen("diff", "old.h", "new.h", "--format", "json")) == "major"
    _settle(write("new.h", APPENDED))
    assert _bump(abigen("diff", "old.h", "new.h", "--format", "json")) == "minor"


INCLUDING = '#include <stddef.h>\n#include "part.h"\ntypedef struct T { size_t struct_size; Part part; int last; } T;\n'


def test_a_changed_include_is_judged_anew(abigen: Program, write: Write) -> None:
    for side in ("old", "new"):
        _settle(write(f"{side}/api.h", INCLUDING), write(f"{side}/part.h", "typedef struct Part { int a; } Part;\n"))
    question = ("diff", "old/api.h", "new/api.h", "--format", "json")
    assert _bump(abigen(*question)) == "none"
    _settle(write("new/part.h", "typedef struct Part { int a, b; } Part;\n"))
    assert _bump(abigen(*question)) == "major"


def test_a_header_that_now_comes_first_on_the_include_path_is_judged(abigen: Program, write: Write) -> None:
    for side in ("old", "new"):
        _settle(write(f"{side}/api.h", INCLUDING))
    _settle(write("far/part.h", "typedef struct Part { int a; } Part;\n"))
    write("near/other.h", "")
    question = ("diff", "old/api.h", "new/api.h", "-I", "near", "-I", "far", "--format", "json")
    assert _bump(abigen(*question)) == "none"
    _settle(write("new/part.h", "typedef struct Part { int a, b; } Part;\n"))
    assert _bump(abigen(*question)) == "major"


def test_a_header_that_came_into_a_directory_is_judged(abigen: Program, write: Write) -> None:
    _settle(write("old/a.h", "int a(void);\n"), write("new/a.h", "int a(void);\n"))
    question = ("diff", "old", "new", "--format", "json")
    assert _bump(abigen(*question)) == "none"
    _settle(write("new/b.h", "int b(void);\n"))
    assert _bump(abigen(*question)) == "minor"


def test_the_same_command_line_elsewhere_is_another_question(abigen: Program, write: Write) -> None:
    _settle(write("one/a.h", "int a(void);\n"), write("one/b.h", "int a(void);\n"))
    _settle(write("two/a.h", "int a(void);\n"), write("two/b.h", "int a(int);\n"))
    question = ("diff", "a.h", "b.h", "--format", "json")
    one, two = (Program(abigen.directory / each, abigen.cache) for each in ("one", "two"))
    assert (_bump(one(*question)), _bump(two(*question))) == ("none", "major")


def test_standard_input_is_never_remembered(abigen: Program, write: Write) -> None:
    _settle(write("old.h", FIRST))
    question = ("diff", "old.h", "-", "--format", "json")
    assert _bump(abigen(*question, text=FIRST)) == "none"
    assert _bump(abigen(*question, text=INSERTED)) == "major"


def test_damaged_entries_count_as_missing(abigen: Program, write: Write) -> None:
    _settle(write("old.h", FIRST), write("new.h", INSERTED))
    first = abigen("diff", "old.h", "new.h")
    entries = sorted(abigen.cache.iterdir())
    assert len(entries) >= 3
    for number, entry in enumerate(entries):
        content = entry.read_bytes()
        entry.write_bytes((content[: len(content) // 2], b"", content[:-1] + b"\0", b"x" * 100)[number % 4])
    assert abigen("diff", "old.h", "new.h") == first


@pytest.mark.ci
def test_writers_at_the_same_time_do_not_disturb_each_other(abigen: Program, write: Write) -> None:
    _settle(write("old.h", FIRST), write("new.h", INSERTED))
    environment = {**os.environ, "ABIGEN_CACHE_DIR": str(abigen.cache), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "abigen", "diff", "old.h", "new.h"]
    runs = [
        subprocess.Popen(command, cwd=abigen.directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    results = [(*run.communicate(timeout=120), run.returncode) for run in runs]
    assert len(set(results)) == 1
    assert results[0][2] == 1
    assert not [path for path in abigen.cache.iterdir() if path.suffix == ".tmp"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_the_cache_belongs_to_the_user_alone(abigen: Program, write: Write) -> None:
    _settle(write("api.h", FIRST))
    abigen("diff", "api.h", "api.h")
    assert stat.S_IMODE(abigen.cache.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in abigen.cache.iterdir()} == {0o600}


def test_a_cache_that_cannot_be_written_does_no_harm(abigen: Program, write: Write) -> None:
    _settle(write("old.h", FIRST), write("new.h", INSERTED), write("file", ""))
    nowhere = str(abigen.directory / "file" / "cache")
    assert abigen("diff", "old.h", "new.h", ABIGEN_CACHE_DIR=nowhere).code == 1
