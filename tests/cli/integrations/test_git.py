"""abigen as git's difftool and as a textconv driver, by the recipes in `abigen diff --help`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED, RELEASED

DIFFTOOL = 'abigen diff -I include "$LOCAL" "$REMOTE" || { test $? = 2 && diff -ru "$LOCAL" "$REMOTE"; }'
TEXTCONV = 'f() { abigen layout --no-places -I include "$1" 2>/dev/null || cat "$1"; }; f'
ROOT = Path(__file__).parents[3]

Write = Callable[..., Path]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def git_with_abigen(abigen: Program, repository: Callable[[str], None], tmp_path: Path) -> Run:
    """Runs git with the program on the PATH."""
    program = tmp_path / "bin" / "abigen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m abigen "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "ABIGEN_CACHE_DIR": str(abigen.cache), "GIT_PAGER": "cat"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *arguments],
            cwd=abigen.directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def test_the_recipes_are_in_the_help(abigen: Program) -> None:
    text = " ".join(abigen("diff", "--help").output.split())
    assert f"difftool.abigen.cmd {DIFFTOOL} diff.abigen.textconv {TEXTCONV} " in text


@pytest.mark.ci
def test_difftool_shows_what_a_change_costs(
    git_with_abigen: Run, write: Write, repository: Callable[[str], None]
) -> None:
    write("include/base.h", "typedef long Base;\n")
    first, inserted, released = (
        each.replace("#include", '#include "base.h"\n#include', 1) for each in (FIRST, INSERTED, RELEASED)
    )
    write("include/toy.h", first)
    repository("base")
    write("include/toy.h", inserted)
    git_with_abigen("config", "difftool.abigen.cmd", DIFFTOOL)
    command = ("difftool", "-y", "-t", "abigen", "--trust-exit-code", "main", "--", "include/toy.h")
    result = git_with_abigen(*command)
    assert "ABI103 field-inserted" in result.stdout, result.stderr
    assert result.returncode != 0
    write("include/toy.h", released)
    result = git_with_abigen(*command)
    assert ("is enough for additions" in result.stdout, result.returncode) == (True, 0)
    once = git_with_abigen("difftool", "-y", "-x", "abigen diff -I include", "main", "--", "include/toy.h")
    assert "is enough for additions" in once.stdout


def test_difftool_compares_directories(git_with_abigen: Run, write: Write) -> None:
    write("include/toy.h", INSERTED)
    git_with_abigen("config", "difftool.abigen.cmd", DIFFTOOL)
    result = git_with_abigen("difftool", "-y", "-t", "abigen", "-d", "main", "--", "include")
    assert "ABI103 field-inserted" in result.stdout, result.stderr


@pytest.mark.ci
def test_layouts_are_what_git_diff_compares(git_with_abigen: Run, write: Write) -> None:
    write(".gitattributes", "*.h diff=abigen\n")
    assert git_with_abigen("config", "diff.abigen.textconv", TEXTCONV).returncode == 0
    write("include/toy.h", "\n" + FIRST.replace("// ", "// Reworded: "))
    assert "@@" not in git_with_abigen("diff", "--", "include/toy.h").stdout
    write("include/toy.h", INSERTED)
    lines = git_with_abigen("diff", "--", "include/toy.h").stdout.splitlines()
    assert any(line.startswith("+") and "depth" in line and "16" in line for line in lines)
    assert git_with_abigen("log", "-p", "--", "include/toy.h").stdout.count("\n+") > 5


@pytest.mark.ci
@pytest.mark.parametrize("broken", ['#include "sibling.h"\ntypedef Base Toy;\n', "struct {{{\n", ""])
def test_what_cannot_be_read_alone_is_shown_as_text(
    git_with_abigen: Run, write: Write, repository: Callable[[str], None], broken: str
) -> None:
    write("include/more/sibling.h", "typedef long Base;\n")
    write("include/more/toy.h", broken + "// once\n")
    repository("a header that cannot be read alone")
    write("include/more/toy.h", broken + "// twice\n")
    write(".gitattributes", "*.h diff=abigen\n")
    git_with_abigen("config", "diff.abigen.textconv", TEXTCONV)
    git_with_abigen("config", "difftool.abigen.cmd", DIFFTOOL)
    for command in (("diff",), ("log", "-p"), ("difftool", "-y", "-t", "abigen")):
        result = git_with_abigen(*command, "--", "include/more/toy.h")
        assert (result.returncode, "fatal" in result.stderr) == (0, False)
        assert "// once" in result.stdout or not broken, result.stderr
