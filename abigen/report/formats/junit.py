"""JUnit's XML, which continuous integration shows as tests: one per check of a plugin, or per finding.

Source: the schema of the Jenkins xUnit plugin, `junit-10.xsd`, which GitLab, Jenkins and Azure Pipelines read.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from abigen.model.finding import FAILED, NOT_RUN, Finding, Level
from abigen.model.printable import printable
from abigen.report.subject import DiffReport, Style, Subject, VerifyReport
from abigen.report.wording import last_line, rows


def render(subjects: Sequence[Subject], style: Style) -> str:
    """A suite per subject."""
    suites = "".join(map(_suite, subjects))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{suites}</testsuites>\n'


def _suite(subject: Subject) -> str:
    """A test per check of `abigen verify`; else a test per finding, and one first for the verdict."""
    operand, line = subject.operand, last_line(subject)
    if isinstance(subject, VerifyReport):
        name = f"abigen verify {operand}: {line}"
        cases = [_check_case(subject, number) for number in range(len(subject.runs))]
    else:
        name, verdict = f"abigen lint {operand}", "form"
        if isinstance(subject, DiffReport):
            name, verdict = f"abigen diff {subject.old.operand} {operand}", "version"
        cases = [_case(verdict, operand, "" if subject.ok else _failure(line, [line]))]
        cases += [_case(f"{each.code} {each.rule} {each.entity}", operand, _problem(each)) for each in subject.findings]
        for each in subject.accepted_findings:
            about = f"{each.finding.code} {each.finding.rule} {each.finding.entity}"
            cases.append(_case(about, operand, f"<skipped message={_attribute(f'accepted: {each}')}/>"))
        left = enumerate(subject.not_compared, start=1)
        cases += [_case(f"not compared {n}", operand, f"<skipped message={_attribute(each)}/>") for n, each in left]
    failures = sum("<failure" in text for text in cases)
    skipped = sum("<skipped" in text for text in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return f"  <testsuite name={_attribute(name)} {counts}>\n{''.join(cases)}  </testsuite>\n"


def _check_case(subject: VerifyReport, number: int) -> str:
    run = subject.runs[number]
    content = "".join(_problem(each) for each in subject.findings if each.code == run.code)
    if run.result == NOT_RUN or (run.result == FAILED and not content):
        content = f"<skipped message={_attribute(run.reason)}/>"
    return _case(f"{run.code} {run.name}", subject.operand, content, run.seconds)


def _problem(finding: Finding) -> str:
    """An error is a failure; what is less is said beside a test that passes."""
    lines = [f"{finding.level.value} {finding.code} {finding.rule}: {finding.message}"]
    place = finding.new or finding.old
    lines += [f"at {place}"] if place is not None else []
    lines += [f"{label}: {text}" for label, text in rows(finding)]
    if finding.level is Level.ERROR:
        return _failure(finding.message, lines)
    return f"<system-out>{_content(lines)}\n</system-out>"


def _failure(message: str, lines: Sequence[str]) -> str:
    return f"<failure message={_attribute(message)}>{_content(lines)}</failure>"


def _case(name: str, classname: str, content: str, seconds: float = 0.0) -> str:
    head = f"<testcase name={_attribute(name)} classname={_attribute(classname)} time={_attribute(f'{seconds:.3f}')}"
    return f"    {head}>{content}</testcase>\n" if content else f"    {head}/>\n"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))


def _content(lines: Sequence[str]) -> str:
    """Lines; XML 1.0 has no way to write what is escaped here (section 2.2)."""
    return escape("\n".join(map(printable, lines)))
