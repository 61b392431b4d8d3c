"""The reference of the rules in the repository is what the rules say."""

from __future__ import annotations

import re
from pathlib import Path

from abigen.checker.report.manual import rules_table
from abigen.cli.reports import whole_manual

REFERENCE = Path(__file__).parents[3] / "docs" / "rules.md"


def test_the_reference_has_all_that_abigen_prints_of_a_rule() -> None:
    printed = rules_table(whole_manual(), "markdown", width=100, colour=False)
    page = REFERENCE.read_text(encoding="utf-8")
    sections = re.split(r"(?m)^(?=##)", printed)[1:]
    assert len(sections) > 100
    assert [each.splitlines()[0] for each in sections if each.strip() not in page] == []


def test_each_rule_about_headers_has_an_example_with_few_exceptions() -> None:
    sections = re.split(r"(?m)^### (?=ABI)", REFERENCE.read_text(encoding="utf-8"))[1:]
    bare = [each.split()[1] for each in sections if "**Example.**" not in each and "by `abigen verify`" not in each]
    assert bare == [
        "header-removed",
        "declaration-moved",
        "symbol-version-removed",
        "exception-unused",
        "exception-expired",
    ]
