"""Only `tests/tools.py` decides that a tool is missing, so that every such skip states what to install."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools import require, require_module, works

TESTS = Path(__file__).parents[1]
PLATFORM = ("os.name", "sys.platform", "platform.machine()", "hasattr(os, ")
"""The conditions that `skipif` may have: no missing tool, and none that could be installed."""
OTHERWISE = {
    "cli/test_hidden.py: skipif": "a C library other than glibc has no <features.h>",
    "cli/test_program.py: skip": "a system other than Linux has no /dev/full",
    "generator/rust/building.py: which": "lists the Rusts of this machine, of which tests/tools.py uses each",
    "cli/package/pythons.py: which": "lists the Pythons of this machine, and runs each",
    "headers/preprocess/test_traps.py: skip": "a header of the tests that no compiler accepts",
    "headers/reader/test_attributes.py: skip": "a combination that C does not allow",
    "checker/rules/test_rules.py: skip": "a spec that has one spelling only",
    "generator/new/test_tensorflow.py: skip": "a release of TensorFlow that fails there by itself",
    "specs/shipped/test_tensorflow.py: skip": "a header whose functions have no prototypes",
}
"""The other calls that skip or search, with the reasons why they do not concern tools."""


def _asking(tree: ast.Module) -> Iterator[str]:
    """Yield the names of calls that skip a test, or look for a program."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        is_platform = name == "skipif" and ast.unparse(node.args[0]).removeprefix("not ").startswith(PLATFORM)
        if name in ("which", "skip", "skipif", "importorskip") and not is_platform:
            yield name


@pytest.mark.ci
def test_only_one_module_decides_that_a_tool_is_missing() -> None:
    found = {
        f"{path.relative_to(TESTS).as_posix()}: {name}"
        for path in TESTS.rglob("*.py")
        if path != TESTS / "tools.py"
        for name in _asking(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(OTHERWISE)


@pytest.fixture
def gcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that is there, and has no headers of 32 bits."""
    monkeypatch.delenv("ABIGEN_REQUIRE_TOOLS", raising=False)
    program = tmp_path / "gcc"
    narrow = "echo 'fatal error: bits/libc-header-start.h: No such file' >&2; exit 1"
    program.write_text(f'#!/bin/sh\ncase "$*" in *-m32*) {narrow};; esac\nexec cc "$@"\n')
    program.chmod(0o755)
    return program


def test_a_tool_is_there_if_it_does_its_work_with_the_options_of_the_test(gcc: Path) -> None:
    assert require(str(gcc)) == (str(gcc),)
    assert works(f"{gcc} -fsyntax-only")
    assert not works(f"{gcc} -m32")


def test_a_skip_says_what_does_not_work_and_what_to_install(gcc: Path, tmp_path: Path) -> None:
    with pytest.raises(pytest.skip.Exception) as skipped:
        require(f"{gcc} -m32")
    assert "does not work here (fatal error: bits/libc-header-start.h: No such file)" in str(skipped.value)
    assert str(skipped.value).endswith("; install gcc-multilib")
    with pytest.raises(pytest.skip.Exception, match=r"abidiff`, which is not installed; install abigail-tools"):
        require(str(tmp_path / "abidiff"))
    with pytest.raises(pytest.skip.Exception, match=r"needs the module no_such_module .*; install no_such_module"):
        require_module("no_such_module")


def test_a_missing_tool_fails_the_test_where_all_have_to_be_there(gcc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABIGEN_REQUIRE_TOOLS", "1")
    with pytest.raises(pytest.fail.Exception, match="install gcc-multilib"):
        require(f"{gcc} -m32")


def test_what_a_test_does_to_its_environment_changes_no_answer(monkeypatch: pytest.MonkeyPatch, gcc: Path) -> None:
    answer = works(f"{gcc} -c")
    monkeypatch.setenv("PATH", "/nowhere")
    assert works(f"{gcc} -S") is answer is True
