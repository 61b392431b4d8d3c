"""Texts of third parties in messages: quotes that end nowhere, control characters in names, and text like a hint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.tools import require

Write = Callable[..., Path]
NAMED = "a\x1b[31mb\x07.h"
OLD = "#pragma once\ntypedef struct A { int a; } A;\n"
NEW = OLD.replace("int a", "long long a")
SPEC = """abigen: 1
api: toy
version: {version}
header: {{vendor: <toy.h>}}
host: {{command: '{command}'}}
"""


def test_a_quote_of_a_hosts_command_that_is_not_closed_is_an_error_with_its_place(
    abigen: Program, write: Write
) -> None:
    write("toy.yaml", SPEC.format(version="1.0.0", command='run "{plugin}'))
    result = abigen("lint", "toy.yaml")
    assert result.code == 2
    assert result.remarks.startswith("toy.yaml:5:17: error: the command cannot be split into words: ")
    assert "Traceback" not in result.remarks


def test_a_quote_of_the_command_of_verify_that_is_not_closed_is_an_error(abigen: Program) -> None:
    result = abigen("verify", "--host", 'run "{plugin}', "--api", "tensorflow/kernels")
    assert result.code == 2
    assert "cannot be split into words" in result.remarks
    assert "Traceback" not in result.remarks


@pytest.mark.parametrize("tool", ["--cc", "--emulator"])
def test_a_quote_of_a_tool_of_skew_that_is_not_closed_is_an_error(abigen: Program, write: Write, tool: str) -> None:
    write("old.h", OLD)
    write("new.h", NEW)
    result = abigen("skew", "old.h", "new.h", tool, '"x')
    assert result.code == 2
    assert "Traceback" not in result.remarks


def test_a_text_of_a_spec_gives_no_hint(abigen: Program, write: Write) -> None:
    write("toy.yaml", SPEC.format(version="'1; run rm -rf'", command="x"))
    result = abigen("lint", "toy.yaml")
    assert result.code == 2
    assert "hint: run" not in result.remarks
    assert "'1; run rm -rf': a version is three numbers: 1.2.0" in result.remarks


@pytest.mark.parametrize(
    "format", ["text", "concise", "json", "sarif", "github", "junit", "markdown", "html"]
)  # fmt: skip
@pytest.mark.parametrize("command", ["diff", "lint"])
def test_control_characters_in_the_name_of_a_header_are_escaped_in_reports(
    abigen: Program, write: Write, command: str, format: str
) -> None:
    write("old.h", OLD)
    write(NAMED, NEW)
    operands = ("old.h", NAMED) if command == "diff" else (NAMED,)
    result = abigen(command, *operands, "--format", format)
    assert result.code in (0, 1)
    assert not {"\x1b", "\x07"} & {*result.output, *result.remarks}


@pytest.mark.parametrize(
    "arguments",
    [("layout", NAMED), ("import", NAMED), ("docs", NAMED), ("docs", NAMED, "--format", "html"), ("history", NAMED),
     ("changelog", "old.h", NAMED)],
)  # fmt: skip
def test_control_characters_in_the_name_of_a_header_are_escaped_by_other_commands(
    abigen: Program, write: Write, git: Callable[..., str], arguments: tuple[str, ...]
) -> None:
    require("git")
    write("old.h", OLD)
    write(NAMED, NEW)
    git("add", ".")
    git("commit", "-q", "-m", "x")
    git("tag", "v1.0.0")
    result = abigen(*arguments)
    assert "Traceback" not in result.remarks
    assert not {"\x1b", "\x07"} & {*result.output, *result.remarks}
    written = [path for path in abigen.directory.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert not [path.name for path in written if path.name != NAMED and b"\x1b" in path.read_bytes()]
