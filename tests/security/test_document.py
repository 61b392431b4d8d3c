"""SECURITY.md says of every command whether it may be given a stranger's input."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.program import Program

TEXT = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")


def test_every_command_has_its_row(abigen: Program) -> None:
    shown = abigen("--help").output.partition("Commands:\n")[2]
    commands = set(re.findall(r"^  ([a-z-]+)  ", shown, re.MULTILINE))
    table = TEXT.partition("| command |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {each.split()[0] for row in rows for each in re.findall("`([^`]+)`", row)}
    assert commands
    assert named == commands
