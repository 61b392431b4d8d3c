"""JUnit's XML: a test per check of a plugin, or per finding."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.model.finding import FAILED, NOT_RUN, Finding, Level
from abigen.report.junit import JUnitOutcome, JUnitSuite, JUnitTest, junit
from abigen.report.subject import DiffReport, Style, Subject, VerifyReport
from abigen.report.wording import last_line, rows


def render(subjects: Sequence[Subject], style: Style) -> str:
    """A suite per subject."""
    return junit([_suite(each) for each in subjects])


def _suite(subject: Subject) -> JUnitSuite:
    """A test per check of `abigen verify`; else a test per finding, and one first for the verdict."""
    operand, line = subject.operand, last_line(subject)
    if isinstance(subject, VerifyReport):
        checks = [_check(subject, number) for number in range(len(subject.runs))]
        return JUnitSuite(f"abigen verify {operand}: {line}", checks)
    name, verdict = f"abigen lint {operand}", "form"
    if isinstance(subject, DiffReport):
        name, verdict = f"abigen diff {subject.old.operand} {operand}", "version"
    tests = [JUnitTest(verdict, operand, () if subject.ok else (JUnitOutcome("failure", line, [line]),))]
    tests += [JUnitTest(_about(each), operand, (_problem(each),)) for each in subject.findings]
    tests += [
        JUnitTest(_about(each.finding), operand, (JUnitOutcome("skipped", f"accepted: {each}"),))
        for each in subject.accepted_findings
    ]
    for number, each in enumerate(subject.gaps, start=1):
        what, _, about = each.partition(": ")
        outcome = JUnitOutcome("skipped" if subject.is_diff else "failure", about)
        tests.append(JUnitTest(f"{what} {number}", operand, (outcome,)))
    return JUnitSuite(name, tests)


def _about(finding: Finding) -> str:
    return f"{finding.code} {finding.rule} {finding.entity}"


def _check(subject: VerifyReport, number: int) -> JUnitTest:
    run = subject.runs[number]
    outcomes = [_problem(each) for each in subject.findings if each.code == run.code]
    if run.result == NOT_RUN or (run.result == FAILED and not outcomes):
        outcomes = [JUnitOutcome("skipped", run.reason)]
    return JUnitTest(f"{run.code} {run.name}", subject.operand, outcomes, run.seconds)


def _problem(finding: Finding) -> JUnitOutcome:
    """An error is a failure; what is less is said beside a test that passes."""
    lines = [f"{finding.level.value} {finding.code} {finding.rule}: {finding.message}"]
    place = finding.new or finding.old
    lines += [f"at {place}"] if place is not None else []
    lines += [f"{label}: {text}" for label, text in rows(finding)]
    if finding.level is Level.ERROR:
        return JUnitOutcome("failure", finding.message, lines)
    return JUnitOutcome("system-out", lines=[*lines, ""])
