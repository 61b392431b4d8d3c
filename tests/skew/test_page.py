"""The page about `abigen skew` shows what it prints."""

from __future__ import annotations

from pathlib import Path

from tests.readme.blocks import README, read
from tests.readme.test_readme import Reader
from tests.tools import require


def test_every_command_of_the_page_does_what_is_shown(tmp_path: Path) -> None:
    require("git", "bash", "gcc")
    reader = Reader(tmp_path)
    for block in read(README.parent / "docs" / "skew.md"):
        reader.follow(block)
    assert "<table" in (reader.home / "skew.html").read_text(encoding="utf-8")
