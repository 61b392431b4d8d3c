"""JUnit's XML, which continuous integration shows as tests: one per check of a plugin, or per finding.

Source: the schema of the Jenkins xUnit plugin, `junit-10.xsd`, which GitLab, Jenkins and Azure Pipelines read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from abigen.model.finding import NOT_RUN, Finding, Level
from abigen.report.subject import Comparison, Inspection, Style, Verification
from abigen.report.wording import axis_lines, inspection_line, verdict_line, verification_line


def comparison(subject: Comparison, style: Style) -> str:
    """A test per finding of `abigen diff`, and one for the verdict, which fails when the bump is too small."""
    return comparisons([subject], style)


def comparisons(subjects: Sequence[Comparison], style: Style) -> str:
    """A suite per comparison."""
    suites = []
    for subject in subjects:
        verdict = verdict_line(subject)
        problem = "" if subject.verdict.ok else _element("failure", verdict, verdict)
        cases = [_case("version", subject.new.operand, problem)]
        cases += [_finding_case(each, subject.new.operand) for each in subject.verdict.findings]
        suites.append(_suite(f"abigen diff {subject.old.operand} {subject.new.operand}", cases))
    return _document(suites)


def inspection(subject: Inspection, style: Style) -> str:
    """A test per finding of `abigen lint`, and one that stands for all that was looked at."""
    operands = " ".join(side.operand for side in subject.sides)
    line = inspection_line(subject)
    cases = [_case("form", operands, "" if subject.ok else _element("failure", line, line))]
    cases += [_finding_case(each, operands) for each in subject.findings]
    return _document([_suite(f"abigen lint {operands}", cases)])


def verification(subject: Verification, style: Style) -> str:
    """A test per check of `abigen verify`."""
    cases = []
    for run in subject.runs:
        found = [each for each in subject.findings if each.code == run.code]
        content = "".join(map(_problem, found))
        if run.result == NOT_RUN:
            content = f"<skipped message={_attribute(run.reason)}/>"
        cases.append(_case(f"{run.code} {run.name}", subject.plugin, content, run.seconds))
    return _document([_suite(f"abigen verify {subject.plugin}: {verification_line(subject)}", cases)])


def _finding_case(finding: Finding, operand: str) -> str:
    return _case(f"{finding.code} {finding.rule} {finding.entity}", operand, _problem(finding))


def _problem(finding: Finding) -> str:
    """An error is a failure; what is less is said beside a test that passes."""
    lines = [f"{finding.level.value} {finding.code} {finding.rule}: {finding.message}"]
    place = finding.new or finding.old
    lines += [f"at {place}"] if place is not None else []
    lines += [f"{each.label}: {each.text}" for each in finding.details]
    lines += [f"{label}: {answer}{': ' if reason else ''}{reason}" for label, answer, reason in axis_lines(finding)]
    lines += [f"instead: {finding.help}"] if finding.help else []
    text = "\n".join(lines)
    if finding.level is Level.ERROR:
        return _element("failure", finding.message, text)
    return f"<system-out>{_content(text)}\n</system-out>"


def _element(name: str, message: str, text: str) -> str:
    return f"<{name} message={_attribute(message)}>{_content(text)}</{name}>"


def _case(name: str, classname: str, content: str, seconds: float = 0.0) -> str:
    head = f"<testcase name={_attribute(name)} classname={_attribute(classname)} time={_attribute(f'{seconds:.3f}')}"
    return f"    {head}>{content}</testcase>\n" if content else f"    {head}/>\n"


def _suite(name: str, cases: Iterable[str]) -> str:
    texts = list(cases)
    failures = sum("<failure" in text for text in texts)
    skipped = sum("<skipped" in text for text in texts)
    counts = f'tests="{len(texts)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return f"  <testsuite name={_attribute(name)} {counts}>\n{''.join(texts)}  </testsuite>\n"


def _document(suites: Iterable[str]) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>\n'


def _attribute(text: str) -> str:
    return quoteattr(_printable(text), {"\n": "&#10;"})


def _content(text: str) -> str:
    return escape(_printable(text))


def _printable(text: str) -> str:
    """Text without the characters that XML 1.0 has no way to write (section 2.2)."""
    return "".join(each if _is_printable(each) else "\N{REPLACEMENT CHARACTER}" for each in text)


def _is_printable(each: str) -> bool:
    return each in "\t\n\r" or (each >= " " and not "\ud800" <= each <= "\udfff" and each not in "\ufffe\uffff")
