"""Hostile text in every part of every rule's findings, and of every kind of error, in every format."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import asdict, replace

from abigen.checker.compare import compare
from abigen.checker.report.formats import VERIFY_FORMATS, format_names, render
from abigen.checker.report.subject import Report, ReportedApi, Style, diff_report, lint_report
from abigen.model.finding import CheckRun, Finding
from abigen.model.span import AbigenError, Diagnostic, Span
from tests.checker.rules.fixtures import Pair, all_pairs
from tests.sampling import short_form
from tests.security.test_printing import COMMAND, HOSTILE

ROOT = Path(__file__).parents[2] / "abigen"
ATTACK = f"{HOSTILE}\n::error::{COMMAND}\n##[group]</title><script>`|](x)\n"
NEVER = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
CODES = ("code", "rule", "name", "result", "label")
"""The parts that abigen itself chooses."""


def one_for_each_rule() -> dict[str, Pair]:
    """Return a pair of headers that a rule reports, for each rule that has a folder of them."""
    pairs = {pair.folder.parent.name: pair for pair in all_pairs() if "near" not in pair.folder.name}
    return dict(sorted(pairs.items()))


def attacked(value: Any) -> Any:
    """Return the value with hostile text in each text of it that may come from somebody else."""
    if isinstance(value, str):
        return value + ATTACK
    if isinstance(value, tuple):
        return tuple(attacked(each) for each in value)
    if isinstance(value, Mapping):
        return {key: attacked(each) for key, each in value.items()}
    if isinstance(value, msgspec.Struct):
        return replace(value, **{name: attacked(each) for name, each in asdict(value).items() if name not in CODES})
    return value


def assert_harmless(text: str, format: str) -> None:
    """Check that a report controls no terminal and contains no command besides its own."""
    shown = NEVER.search(text)
    assert shown is None, (format, text[max(0, shown.start() - 80) : shown.end() + 20])
    if format == "github":
        assert all(re.match(r"::(error|warning|notice) |$", line) for line in text.split("\n"))
    elif format not in ("json", "sarif"):
        assert not re.search(r"^\s*::|##\[", text, re.MULTILINE)
    if format in ("html", "junit"):
        assert "<script>" not in text


def reports(pair: Pair, findings: tuple[Finding, ...]) -> Iterator[Report]:
    """Yield all reports that may have these findings."""
    old, new = (ReportedApi(side + ATTACK, pair.read(side)) for side in ("old", "new"))
    verdict = replace(compare(old.api, new.api, pair.policy), findings=findings)
    yield diff_report(old, new, verdict)
    yield lint_report((new,), findings, ok=False)
    runs = (CheckRun(code="ABI030", name="required-member-missing", result="not run", reason=ATTACK),)
    yield Report(
        command="verify", operand=ATTACK, sides=(new,), release=ATTACK, runs=runs, all_findings=findings, ok=False
    )


@pytest.mark.first_case
@pytest.mark.parametrize("rule", short_form(one_for_each_rule(), 2, in_ci=True))
def test_findings_of_every_rule_in_every_format(rule: str) -> None:
    pair = one_for_each_rule()[rule]
    found = compare(pair.read("old"), pair.read("new"), pair.policy).findings
    findings: tuple[Finding, ...] = attacked(found[:3])
    for subject in reports(pair, findings):
        for format in VERIFY_FORMATS if subject.command == "verify" else format_names():
            assert_harmless(render(format, [subject], Style(width=90)), format)


def test_every_error_is_printed_by_its_class() -> None:
    place = Span("x" + ATTACK, 3, 4)
    text = str(AbigenError([Diagnostic(place, ATTACK, ATTACK), Diagnostic(None, ATTACK, severity="warning")]))
    assert NEVER.search(text) is None
    assert not re.search(r"^\s*::", text, re.MULTILINE)


@pytest.mark.ci
def test_nobody_writes_past_the_module_that_writes() -> None:
    """Calls that print are found by name; modules outside the command line return their text."""
    found: dict[str, set[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if re.fullmatch(r"print|click\.s?echo|(sys\.)?std(out|err)(\.buffer)?\.write(lines)?", called):
                    found.setdefault(path.relative_to(ROOT).as_posix(), set()).add(called)
    assert found == {}
