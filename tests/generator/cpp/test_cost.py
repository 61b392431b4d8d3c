"""With -O2 a call through the layer is the same machine code as the call through C."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.generator.cpp.building import HERE, Generated, compiled
from tests.tools import require

_FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:\n((?:[ \t].*\n)+)", re.MULTILINE)
_PADDING = ("nop", "xchg   %ax,%ax", "cs nop", "data16")
CALLS = ("plain", "status", "checked", "result", "outputs", "given", "span")
OWNERS = ("taken", "destroyed")
"""The symbols of a clean-up for exceptions, which only C++ needs."""
CALLBACKS = {"callback": "LP_BenchFns_destroy_sample", "weigh": "LP_BenchFns_weigh"}


def _functions(code: Path) -> dict[str, list[str]]:
    """Return the instructions of each function, with what the linker is to fill in, without their addresses."""
    (objdump,) = require("objdump")
    command = [objdump, "-dr", "--no-show-raw-insn", "-C", str(code)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, list[str]] = {}
    for name, body in _FUNCTION.findall(listing):
        lines = [re.sub(r"^\s*[0-9a-f]+:\s*", "", line) for line in body.splitlines()]
        lines = [re.sub(r"\b[0-9a-f]+ <.*>$", "", line).strip() for line in lines]
        found[name] = [line for line in lines if line and not line.startswith(_PADDING)]
    return found


def _compiled(generated: Generated, compiler: str, folder: Path, *options: str) -> dict[str, list[str]]:
    code = folder / "cost.o"
    arguments = ("-std=c++17", "-O2", *options, *generated.include, "-c", HERE / "cost.cc", "-o", code)
    assert compiled(compiler, *arguments) == ""
    return _functions(code)


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_calls_and_callbacks_are_the_same_machine_code(generated: Generated, compiler: str, tmp_path: Path) -> None:
    functions = _compiled(generated, compiler, tmp_path)
    for each in CALLS:
        assert functions[f"cpp_{each}"] == functions[f"c_{each}"], each
    for each, member in CALLBACKS.items():
        (name,) = (name for name in functions if "::Callback<" in name and member in name)
        assert functions[name] == functions[f"c_{each}"], each


@pytest.mark.ci
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_without_exceptions_owners_are_the_same_machine_code(
    generated: Generated, compiler: str, tmp_path: Path
) -> None:
    functions = _compiled(generated, compiler, tmp_path, "-fno-exceptions")
    for each in (*CALLS, *OWNERS):
        assert functions[f"cpp_{each}"] == functions[f"c_{each}"], each
