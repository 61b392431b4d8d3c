"""Plugins that are built with AddressSanitizer: the runtime is loaded first, and its report is a finding."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import require
from tests.verify.plugins import API, HERE, INCLUDE

pytestmark = pytest.mark.ci


def found(library: Path, compiler: str, *options: str) -> set[tuple[str, str]]:
    """What a run of its own says of a plugin of this folder."""
    (path,) = require(compiler)
    command = [path, "-g", "-w", "-shared", "-fPIC", "-pthread", "-fsanitize=address", INCLUDE, *options]
    subprocess.run([*command, str(HERE / "plugin.c"), "-o", str(library)], check=True)
    names = ("handshake-refused", "copy-is-wrong", "reload-fails")
    checks = [word for name in names for word in ("--only", name)]
    verify = [sys.executable, "-m", "abigen", "verify", str(library), "--api", API, "--format", "json", *checks]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return {(each["rule"], each["entity"]) for each in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_right_plugin_is_not_accused(compiler: str, tmp_path: Path) -> None:
    assert found(tmp_path / "plugin.so", compiler) == set()


def test_a_report_becomes_a_finding(tmp_path: Path) -> None:
    rules = {rule for rule, _ in found(tmp_path / "plugin.so", "gcc", "-DFAULT=FREES_CORES_STRUCT")}
    assert "sanitizer-reports" in rules
    assert "plugin-exits" not in rules
