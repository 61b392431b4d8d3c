"""The comment for a pull request."""

from __future__ import annotations

from msgspec.structs import replace

from abigen.checker.report.formats.markdown import MAX_LENGTH, render
from abigen.checker.report.subject import Style, lint_report
from tests.checker.report.samples import COMPARISON, FINDING, NO_CHANGE, found


def _with(*findings: object) -> str:
    return render([found(*findings)], Style())


def test_the_verdict_comes_first_then_who_breaks_then_details_that_are_folded() -> None:
    text = render([COMPARISON], Style())
    lines = text.splitlines()
    assert lines[0].startswith("### abigen: not ok: 1 breaking change, 1 addition. Raise MAJOR: next version 2.0.0.")
    assert "| MAJOR | " in text
    assert "**breaks** | **at risk** | ok | ok |" in text
    assert text.count("<details>") == text.count("</details>") == len(COMPARISON.verdict.findings)
    assert text.index("| MAJOR | ") < text.index("<details>")


def test_nothing_in_a_header_becomes_markup_a_mention_or_a_link() -> None:
    text = _with(replace(FINDING, message="a|b <img src=x> @team #12 [x](y) *z*", entity="<b>@you"))
    assert "a\\|b &lt;img src=x&gt; &#64;team &#35;12 \\[x\\](y) \\*z\\*" in text
    assert "&lt;b&gt;&#64;you" in text
    assert "<img" not in text


def test_backticks_in_a_quoted_line_do_not_end_its_block() -> None:
    side = replace(COMPARISON.new, api=replace(COMPARISON.new.api, sources={"new.h": "\n\nint ```x```;\n"}))
    text = render([replace(COMPARISON, sides=(side, COMPARISON.old))], Style())
    assert "````c\nint ```x```;" in text


def test_a_comment_never_exceeds_what_is_accepted() -> None:
    text = _with(*[replace(FINDING, entity=f"Toy.member_{number}") for number in range(2000)])
    assert len(text) <= MAX_LENGTH + 200
    assert "left out, because comments are limited" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) > 100
    assert rows[-1].endswith(" more | | | | |")
    assert len({row.count("|") for row in rows}) == 1
    assert "<details>" in text
    assert text.count("<details>") == text.count("</details>")


def test_without_changes_there_are_two_lines() -> None:
    assert len([line for line in render([NO_CHANGE], Style()).splitlines() if line]) == 2
    assert render([lint_report((COMPARISON.new,), (), ok=True)], Style()) == "### abigen lint: no finding\n"
