"""JUnit XML: a test per check of a plugin or per finding, and the suites of programs that ran.

Source: the schema of the Jenkins xUnit plugin, `junit-10.xsd`, which GitLab, Jenkins and Azure Pipelines read.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

import msgspec

from abigen.checker.report.subject import Report, Style
from abigen.checker.report.wording import last_line, rows
from abigen.model.finding import FAILED, NOT_RUN, Finding, Level
from abigen.model.span import printable


class JUnitOutcome(msgspec.Struct, frozen=True):
    """The outcome of a test, or a remark about one that passes."""

    kind: str
    """`failure`, `skipped`, or `system-out` for what is said of a test that passes."""
    message: str = ""
    """In one line; what passes has none."""
    lines: Sequence[str] = ()


class JUnitTest(msgspec.Struct, frozen=True):
    """A test of a suite."""

    name: str
    classname: str
    outcomes: Sequence[JUnitOutcome] = ()
    seconds: float = 0.0


class JUnitSuite(msgspec.Struct, frozen=True):
    """The tests of one run."""

    name: str
    tests: Sequence[JUnitTest]

    def count(self, kind: str) -> int:
        """Return the number of tests with an outcome of a kind."""
        return sum(any(each.kind == kind for each in test.outcomes) for test in self.tests)


def junit(suites: Sequence[JUnitSuite]) -> str:
    """Write suites as one document; XML 1.0 has no way to write what is escaped as for terminals (section 2.2)."""
    content = "".join(map(_suite, suites))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{content}</testsuites>\n'


def _suite(suite: JUnitSuite) -> str:
    counts = (
        f'tests="{len(suite.tests)}" failures="{suite.count("failure")}" errors="0" skipped="{suite.count("skipped")}"'
    )
    return f"  <testsuite name={_quoted(suite.name)} {counts}>\n{''.join(map(_test, suite.tests))}  </testsuite>\n"


def _test(test: JUnitTest) -> str:
    head = f'<testcase name={_quoted(test.name)} classname={_quoted(test.classname)} time="{test.seconds:.3f}"'
    content = "".join(map(_outcome, test.outcomes))
    return f"    {head}>{content}</testcase>\n" if content else f"    {head}/>\n"


def _outcome(outcome: JUnitOutcome) -> str:
    head = f"{outcome.kind} message={_quoted(outcome.message)}" if outcome.message else outcome.kind
    content = escape("\n".join(map(printable, outcome.lines)))
    return f"<{head}>{content}</{outcome.kind}>" if content else f"<{head}/>"


def _quoted(text: str) -> str:
    return quoteattr(printable(text))


def render(reports: Sequence[Report], style: Style) -> str:
    """Return a suite per report."""
    return junit([_suite_of(each) for each in reports])


def _suite_of(report: Report) -> JUnitSuite:
    """Return a test per check of `abigen verify`; else a test per finding, and one first for the verdict."""
    operand, line = report.operand, last_line(report)
    if report.command == "verify":
        checks = [_check(report, number) for number in range(len(report.runs))]
        return JUnitSuite(f"abigen verify {operand}: {line}", checks)
    name, verdict = f"abigen lint {operand}", "form"
    if report.is_diff:
        name, verdict = f"abigen diff {report.old.operand} {operand}", "version"
    tests = [JUnitTest(verdict, operand, () if report.ok else (JUnitOutcome("failure", line, [line]),))]
    tests += [JUnitTest(_about(each), operand, (_problem(each),)) for each in report.findings]
    tests += [
        JUnitTest(_about(each.finding), operand, (JUnitOutcome("skipped", f"accepted: {each}"),))
        for each in report.accepted
    ]
    for number, each in enumerate(report.gaps, start=1):
        what, _, about = each.partition(": ")
        outcome = JUnitOutcome("skipped" if report.is_diff else "failure", about)
        tests.append(JUnitTest(f"{what} {number}", operand, (outcome,)))
    return JUnitSuite(name, tests)


def _about(finding: Finding) -> str:
    return f"{finding.code} {finding.rule} {finding.entity}"


def _check(report: Report, number: int) -> JUnitTest:
    run = report.runs[number]
    outcomes = [_problem(each) for each in report.findings if each.code == run.code]
    if run.result == NOT_RUN or (run.result == FAILED and not outcomes):
        outcomes = [JUnitOutcome("skipped", run.reason)]
    return JUnitTest(f"{run.code} {run.name}", report.operand, outcomes, run.seconds)


def _problem(finding: Finding) -> JUnitOutcome:
    """Return an error is a failure; what is less is said beside a test that passes."""
    lines = [f"{finding.level.value} {finding.code} {finding.rule}: {finding.message}"]
    place = finding.new or finding.old
    lines += [f"at {place}"] if place is not None else []
    lines += [f"{label}: {text}" for label, text in rows(finding)]
    if finding.level is Level.ERROR:
        return JUnitOutcome("failure", finding.message, lines)
    return JUnitOutcome("system-out", lines=[*lines, ""])
