"""The report that people read."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from abigen.checker.report.formats.text import render
from abigen.checker.report.subject import Style, diff_report, lint_report
from abigen.checker.report.wording import kind_of, last_line, quote
from abigen.model.finding import Bump
from abigen.model.span import Span
from abigen.model.version import Version
from tests.checker.report.samples import COMPARISON, FINDING, NEW_TEXT, NO_CHANGE, NOTE, found, side

EXPECTED = """\
error ABI103 field-inserted: Toy.depth is not at the end of the struct
 --> new.h:3:6
  |
3 |     int depth;  // 0 is no-op.
  |         ^^^^^ new at offset 24
  |
  = moves      new_field1 from 24 to 32
  = old plugin breaks: it fills new_field1 at 24; a core built against NEW reads it at 32
  = new plugin at risk: it must compare struct_size first
  = source     ok
  = instead    append depth after new_field1 and raise TOY_MINOR
  = old        old.h:1:8, struct Toy, 36 bytes (40 with padding)

note ABI108 field-appended: Toy.more was appended
 --> included.h:7:3

1 breaking change, 1 addition. Raise MAJOR: next version 2.0.0. The version moved from 1.1.0 to 1.2.0.
"""


def test_a_finding_looks_like_a_compilers() -> None:
    assert render([COMPARISON], Style(everything=True)) == EXPECTED


def test_colours_change_nothing_but_colours() -> None:
    coloured = render([COMPARISON], Style(colour=True, everything=True))
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == EXPECTED


@pytest.mark.parametrize("width", [40, 60, 80])
def test_remarks_are_wrapped_at_the_width(width: int) -> None:
    lines = render([COMPARISON], Style(width=width)).splitlines()
    remarks = [line for line in lines if line.startswith(("  =", "        "))]
    assert len(remarks) > 6
    assert max(len(line) for line in remarks) <= width
    assert "  = old plugin breaks: it fills" in "\n".join(remarks)


def test_a_summary_is_the_verdict_alone() -> None:
    assert render([COMPARISON], Style(summary=True)) == EXPECTED.splitlines()[-1] + "\n"


def test_targets_are_told_apart_only_where_they_differ() -> None:
    groups = {"a": {"old_size": 8, "new_size": 12}, "b": {"old_size": 8, "new_size": 16}}
    differing = replace(FINDING, targets=groups)
    subject = found(differing)
    text = render([subject], Style())
    assert "  = target     a: size 8 to 12\n  = target     b: size 8 to 16\n" in text
    assert "  = target     x86_64-linux-gnu: not concerned\n" in text
    assert "= target" not in EXPECTED


@pytest.mark.parametrize(
    ("old", "new", "declared", "required", "expected"),
    [
        (
            Version(1, 0, 0),
            Version(1, 0, 0),
            "none",
            "none",
            "No change. No new version is needed. The version is still 1.0.0.",
        ),
        (None, None, "unknown", "none", "No change. No new version is needed. No version is stated."),
        (
            None,
            Version(1, 0, 0),
            "unknown",
            "none",
            "No change. No new version is needed. NEW states version 1.0.0, OLD states none.",
        ),
        (
            Version(1, 2, 0),
            Version(1, 1, 0),
            "backwards",
            "none",
            "No change. The version went back from 1.2.0 to 1.1.0: give it a number that was never used.",
        ),
        (
            Version(1, 0, 0),
            Version(2, 0, 0),
            "major",
            "minor",
            "No change. Version 2.0.0 is enough for additions. The version moved from 1.0.0 to 2.0.0.",
        ),
    ],
)
def test_the_verdict_says_required_and_declared(
    old: Version | None, new: Version | None, declared: str, required: str, expected: str
) -> None:
    bump = Bump(required)
    verdict = replace(NO_CHANGE.verdict, required=bump, demanded=bump, declared=declared)
    subject = diff_report(side("old.h", "", old), side("new.h", "", new), verdict)
    assert last_line(subject) == expected


@pytest.mark.parametrize(
    ("version", "reason"),
    [(Version(0, 3, 0), "1 breaking change, 1 addition. Version 1.2.0 is enough for breaks (while MAJOR is 0, MINOR")],
)
def test_what_the_policy_makes_of_a_bump_is_said(version: Version, reason: str) -> None:
    verdict = replace(COMPARISON.verdict, demanded=Bump.MINOR)
    subject = diff_report(side("old.h", "", version), COMPARISON.new, verdict)
    assert last_line(subject).startswith(reason)


def test_findings_of_form_are_counted_by_level() -> None:
    text = render([lint_report((COMPARISON.new,), (FINDING, NOTE, NOTE), ok=False)], Style())
    assert "3 |     int depth;" in text
    assert text.endswith("\n1 error, 2 notes\n")
    assert render([lint_report((COMPARISON.new,), (), ok=True)], Style()) == "no finding\n"


def test_a_line_that_moves_the_cursor_is_quoted_without_doing_so() -> None:
    shown = quote(Span("x.h", 1, 5, 1), {"x.h": "int \x1b[2Ja;\x07\n"})
    assert shown is not None
    assert shown.text == r"int \x1b[2Ja;\x07"


def test_wide_characters_keep_the_caret_below_its_text() -> None:
    shown = quote(Span("x.h", 1, 8, 3), {"x.h": "/*大*/ int abc;"})
    assert shown is not None
    assert shown.marker == " " * 8 + "^^^"


def test_a_long_line_is_cut_around_what_it_is_about() -> None:
    text = "a" * 300 + " here " + "b" * 300
    shown = quote(Span("x.h", 1, 302, 4), {"x.h": text}, 60)
    assert shown is not None
    assert shown.text[shown.marker.index("^") :].startswith("here ")
    assert len(shown.text) <= 60 + 2 * len("...")
    assert shown.marker.count("^") == 4


@pytest.mark.parametrize("span", [None, Span("other.h", 1, 1), Span("new.h", 99, 1)])
def test_what_is_not_there_is_not_quoted(span: Span | None) -> None:
    assert quote(span, {"new.h": NEW_TEXT}) is None


def test_a_place_at_the_end_of_a_line_still_has_a_caret() -> None:
    shown = quote(Span("new.h", 2, 40), {"new.h": NEW_TEXT})
    assert shown is not None
    assert shown.marker.endswith("^")


def test_headlines_are_wrapped_on_a_terminal_and_whole_in_a_pipe() -> None:
    long = replace(FINDING, message="word " * 40)
    subject = found(long)
    assert max(map(len, render([subject], Style(width=60, is_wrapped=True)).splitlines()[:4])) <= 60
    assert "word " * 39 in render([subject], Style(width=60)).splitlines()[0]


def test_statistics_count_the_findings_of_each_rule() -> None:
    lines = render([COMPARISON], Style(statistics=True)).splitlines()
    assert lines[:2] == ["1  error    ABI103  field-inserted", "1  note     ABI108  field-appended"]
    assert lines[-1] == last_line(COMPARISON)


def test_a_rule_is_a_link_to_its_page_where_abigen_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abigen.version.REPOSITORY", "https://example.org/abigen")
    link = "\x1b]8;;https://example.org/abigen/blob/v"
    assert link in render([COMPARISON], Style(colour=True))
    assert link not in render([COMPARISON], Style())


def test_what_is_no_longer_deprecated_is_not_counted_as_a_deprecation() -> None:
    finding = replace(NOTE, code="ABI607", rule="field-undeprecated")
    assert kind_of(finding) == "change"
    assert kind_of(replace(finding, code="ABI601", rule="field-deprecated")) == "deprecation"
