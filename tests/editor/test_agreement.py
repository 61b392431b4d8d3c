"""`abigen lsp` shows what `abigen lint` and `abigen diff` report, on fixtures of the rules."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checker.rules.fixtures import Pair, all_pairs
from tests.cli.program import Program
from tests.editor.conftest import git, release
from tests.editor.editor import Editor

EVERY = int(os.environ.get("ABIGEN_TEST_EVERY", "16"))
"""The step between two fixtures that are tried; 1 tries all of them, in some minutes."""


def of_one_header() -> Iterator[Pair]:
    """Yield the fixtures that consist of two headers."""
    for each in all_pairs()[::EVERY]:
        if {path.name for path in each.folder.iterdir()} <= {"old.h", "new.h", "expect.txt"}:
            yield each


@pytest.mark.ci
@pytest.mark.asyncio(loop_scope="module")
async def test_the_server_shows_what_the_command_line_reports(editor: Editor, tmp_path: Path) -> None:
    git(editor.folder, "tag", "-d", "v1.0.0")
    pairs = {f"{each.name}/api.h": each.folder for each in of_one_header()}
    for side in ("old.h", "new.h"):
        for name, path in pairs.items():
            (editor.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (editor.folder / name).write_bytes((path / side).read_bytes())
        if side == "old.h":
            release(editor.folder, "v2.0.0")
    program = Program(editor.folder, tmp_path / "cache")
    tried = 0
    for name in pairs:
        lint, diff = (program(command, name, "--format", "json") for command in ("lint", "diff"))
        await editor.open(name)
        if lint.code != 2 and diff.code != 2:
            tried += 1
            flaws, changes = (json.loads(each.output)["findings"] for each in (lint, diff))
            known = {(each["rule"], each["entity"]) for each in flaws}
            findings = [*flaws, *(each for each in changes if (each["rule"], each["entity"]) not in known)]
            expected = {f"{each['code']} {each['rule']}: {each['message']}" for each in findings}
            shown = [each for each in editor.problems(name) if each.code]
            assert {f"{each.code}: {each.message.partition(chr(10))[0]}" for each in shown} == expected, name
        editor.close(name)
    assert tried > len(pairs) / 2
