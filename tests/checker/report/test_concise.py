"""The report with a line per finding."""

from __future__ import annotations

from msgspec.structs import replace

from abigen.checker.report.formats.concise import render
from abigen.checker.report.subject import Style, diff_report
from tests.checker.report.samples import COMPARISON, NO_CHANGE


def test_each_finding_is_a_line_that_begins_with_its_place() -> None:
    first, second, last = render([COMPARISON], Style()).splitlines()
    assert first == "new.h:3:6: error ABI103 field-inserted: Toy.depth is not at the end of the struct"
    assert second == "included.h:7:3: note ABI108 field-appended: Toy.more was appended"
    assert (
        last == "1 breaking change, 1 addition. Raise MAJOR: next version 2.0.0. The version moved from 1.1.0 to 1.2.0."
    )


def test_several_verdicts_have_the_names_of_what_they_are_about() -> None:
    assert render([NO_CHANGE, NO_CHANGE], Style()).splitlines()[0].startswith(f"{NO_CHANGE.operand}: No change.")


def test_what_was_not_compared_is_said() -> None:
    verdict = replace(NO_CHANGE.verdict, not_compared=("x86_64-apple-darwin: 'a.h' not found",))
    text = render([diff_report(NO_CHANGE.old, NO_CHANGE.new, verdict)], Style())
    assert text.startswith("not compared: x86_64-apple-darwin: 'a.h' not found\n")
