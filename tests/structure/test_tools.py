"""Only `tests/tools.py` decides that a tool is missing, so that every such skip states what to install."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
PLATFORM = ("os.name", "sys.platform", "platform.machine()", "hasattr(os, ")
"""What a condition of `skipif` may ask: no tool is missing there, and none could be installed."""
OTHERWISE = {
    "cli/test_hidden.py: skipif": "a C library other than glibc has no <features.h>",
    "cli/test_program.py: skip": "a system other than Linux has no /dev/full",
    "emit_rust/building.py: which": "lists the Rusts of this machine, of which tests/tools.py uses each",
    "package/pythons.py: which": "lists the Pythons of this machine, and runs each",
    "preprocess/test_traps.py: skip": "a header of the tests that no compiler accepts",
    "reader/test_attributes.py: skip": "a combination that C does not allow",
    "rules/test_rules.py: skip": "a spec that has one spelling only",
    "scaffold/test_tensorflow.py: skip": "a release of TensorFlow that fails there by itself",
    "specs/test_tensorflow.py: skip": "a header whose functions have no prototypes",
}
"""Other calls that skip or search, and why they are no matter of tools."""


def _asking(tree: ast.Module) -> Iterator[str]:
    """Yield the names of calls that skip a test, or look for a program."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        is_platform = name == "skipif" and ast.unparse(node.args[0]).removeprefix("not ").startswith(PLATFORM)
        if name in ("which", "skip", "skipif", "importorskip") and not is_platform:
            yield name


def test_only_one_module_decides_that_a_tool_is_missing() -> None:
    found = {
        f"{path.relative_to(TESTS).as_posix()}: {name}"
        for path in TESTS.rglob("*.py")
        if path != TESTS / "tools.py"
        for name in _asking(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(OTHERWISE)
