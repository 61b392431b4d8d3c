"""The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED, RELEASED
from tests.tools import require

ROOT = Path(__file__).parents[3]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}

Write = Callable[..., Path]
Git = Callable[..., str]
Runner = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def pre_commit(abigen: Program, repository: Callable[[str], None], git: Git, write: Write, tmp_path: Path) -> Runner:
    """Runs hooks over what is staged, with the `abigen` of this repository in place of an installed one."""
    require("pre-commit")
    program = tmp_path / "bin" / "abigen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m abigen "$@"\n')
    program.chmod(0o755)
    local = [{**hook, "language": "system"} for hook in HOOKS.values()]
    write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": "local", "hooks": local}]}))
    repository("hooks")
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "ABIGEN_CACHE_DIR": str(abigen.cache),
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        git("add", "-A")
        command = ["pre-commit", "run", "--verbose", "--color", "never", *arguments]
        return subprocess.run(
            command, cwd=abigen.directory, env=environment, capture_output=True, text=True, timeout=120, check=False
        )

    return run


@pytest.mark.ci
def test_a_break_that_the_version_does_not_say_stops_a_commit(pre_commit: Runner, write: Write) -> None:
    write("include/toy.h", INSERTED)
    result = pre_commit("abigen-diff")
    assert result.returncode == 1
    assert "ABI103 field-inserted" in result.stdout
    write("include/toy.h", RELEASED)
    write("include/fresh.h", "int fresh(void);\n")
    result = pre_commit("abigen-diff")
    assert result.returncode == 0, result.stdout
    assert "is enough for additions" in result.stdout


@pytest.mark.ci
def test_files_of_other_kinds_are_left_alone(pre_commit: Runner, write: Write) -> None:
    write("notes.txt", "nothing")
    result = pre_commit("abigen-diff")
    assert (result.returncode, "no header or spec has changed since HEAD" in result.stdout) == (0, True)


@pytest.mark.ci
def test_deleted_headers_and_specs_stop_a_commit(
    abigen: Program, pre_commit: Runner, repository: Callable[[str], None], write: Write
) -> None:
    write("spec/toy.yaml", "abigen: 1\napi: toy\nversion: 1.0.0\nconstants: [{name: TOY_MAX, value: 4}]\n")
    repository("specs")
    for name in ("include/toy.h", "spec/toy.yaml"):
        (abigen.directory / name).unlink()
        result = pre_commit("abigen-diff")
        assert (result.returncode, f"{name} no longer exists" in result.stdout) == (1, True), result.stdout
        repository(f"without {name}")


@pytest.mark.ci
def test_flaws_of_form_stop_a_commit(pre_commit: Runner, write: Write) -> None:
    write("include/toy.h", FIRST + "typedef struct Bad { size_t struct_size; int a; int b; } Bad;\n"
          "#define BAD_STRUCT_SIZE (offsetof(Bad, a) + sizeof(((Bad*)0)->a))\n")  # fmt: skip
    result = pre_commit("abigen-lint")
    assert (result.returncode, "size-macro-stale" in result.stdout) == (1, True)


@pytest.mark.ci
def test_generated_headers_that_are_out_of_date_stop_a_commit(
    abigen: Program, pre_commit: Runner, write: Write
) -> None:
    write("spec/toy.yaml", "abigen: 1\napi: toy\nversion: 1.0.0\nconstants: [{name: TOY_MAX, value: 4}]\n")
    result = pre_commit("abigen-build-check")
    assert (result.returncode, "TOY_MAX" in result.stdout) == (1, True)
    assert abigen("build").code == 0
    assert pre_commit("abigen-build-check").returncode == 0


@pytest.mark.slow
def test_pre_commit_installs_and_runs_the_hooks(
    abigen: Program, repository: Callable[[str], None], git: Git, write: Write, tmp_path: Path
) -> None:
    require("pre-commit")
    write("include/toy.h", INSERTED)
    git("add", "-A")
    result = subprocess.run(
        ["pre-commit", "try-repo", str(ROOT), "abigen-diff", "--verbose", "--color", "never"],
        cwd=abigen.directory,
        env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"), "ABIGEN_CACHE_DIR": str(abigen.cache)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 1, result.stdout + result.stderr
    assert "ABI103 field-inserted" in result.stdout
