"""Plugins that are built with sanitizers: the runtime is loaded first, and its report is a finding."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner.verify.plugins import API, HERE, INCLUDE
from tests.tools import missing, require_compiler

pytestmark = pytest.mark.ci


def found(library: Path, compiler: str, *options: str, sanitizer: str = "address") -> set[tuple[str, str]]:
    """Return the findings of a run of its own about a plugin of this folder."""
    path = require_compiler(compiler, f"-fsanitize={sanitizer}")
    command = [path, "-g", "-w", "-shared", "-fPIC", "-pthread", f"-fsanitize={sanitizer}", INCLUDE, *options]
    subprocess.run([*command, str(HERE / "plugin.c"), "-o", str(library)], check=True)
    races = ("fails-with-two-threads",)
    names = races if sanitizer == "thread" else ("handshake-refused", "copy-is-wrong", "reload-fails")
    checks = [word for name in names for word in ("--only", name)]
    verify = [
        sys.executable,
        "-m",
        "abigen",
        "verify",
        str(library),
        "--api",
        API,
        "--format",
        "json",
        "--threads",
        "4",
        *checks,
    ]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    if "no program can be started here" in done.stderr:  # the runtime of some clangs crashes on some kernels
        assert done.returncode == 2
        missing(f"a runtime of {compiler} that this kernel runs ({done.stderr})", "another compiler", is_in_ci=False)
    assert done.stdout, done.stderr
    return {(each["rule"], each["entity"]) for each in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.slow)])
def test_a_right_plugin_is_not_accused(compiler: str, tmp_path: Path) -> None:
    assert found(tmp_path / "plugin.so", compiler) == set()


def test_a_report_becomes_a_finding(tmp_path: Path) -> None:
    rules = {rule for rule, _ in found(tmp_path / "plugin.so", "gcc", "-DFAULT=FREES_CORES_STRUCT")}
    assert "sanitizer-reports" in rules
    assert "plugin-exits" not in rules


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_counter_without_a_lock_is_found_by_the_sanitizer_of_threads(compiler: str, tmp_path: Path) -> None:
    for fault, expected in (("NONE", set()), ("COUNTS_WITHOUT_LOCK", {("sanitizer-reports", "create_stream")})):
        assert found(tmp_path / "plugin.so", compiler, f"-DFAULT={fault}", sanitizer="thread") == expected
