"""The reference of the rules in the repository is what the rules say."""

from __future__ import annotations

from pathlib import Path

from abigen.cli.reports import whole_manual
from abigen.report.manual import rules_table

REFERENCE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_reference_is_what_abigen_prints() -> None:
    expected = rules_table(whole_manual(), "markdown", width=100, colour=False)
    assert REFERENCE.read_text(encoding="utf-8").endswith(f"-->\n\n{expected}"), "python docs/make.py"
