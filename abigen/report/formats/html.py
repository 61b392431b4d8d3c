"""One self-contained page: the verdict, who breaks, every finding, and both layouts of what moved side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abigen.model.finding import Bump, Finding
from abigen.model.printable import printable
from abigen.model.span import Span
from abigen.report.drawing import Drawing, drawings
from abigen.report.quote import Quote, quote
from abigen.report.subject import DiffReport, LintReport, ReportedApi, Style, Subject
from abigen.report.wording import AXIS_LABELS, all_rows, answers_of, last_line
from abigen.shipped import shipped
from abigen.version import __version__


@dataclass(frozen=True)
class FindingView:
    """A finding, and what is worked out for the page."""

    found: Finding
    anchor: str
    bump: str
    """`MAJOR`, ...; empty when it needs none."""
    quote: Quote | None
    answers: tuple[tuple[str, str], ...]
    """Name of the axis, and `ok`, `at-risk` or `breaks`."""
    rows: tuple[tuple[str, str], ...]
    """Label and text of what stands below it."""


@dataclass(frozen=True)
class ReportSection:
    """One comparison, or one inspection."""

    title: str
    is_ok: bool
    verdict: str
    facts: tuple[tuple[str, str], ...]
    findings: tuple[FindingView, ...]
    drawings: tuple[Drawing, ...]
    has_axes: bool


def render(subjects: Sequence[Subject], style: Style) -> str:
    """The page, with a section for each subject; everything from headers is escaped."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(shipped("templates")),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = tuple(_section(number, subject) for number, subject in enumerate(subjects))
    if isinstance(subjects[0], DiffReport):
        title = f"abigen diff: {' and '.join(subject.operand for subject in subjects)}"
    else:
        title = f"abigen lint: {sections[0].title}"
    template = environment.get_template("report/page.html.j2")
    return template.render(title=title, version=__version__, sections=sections).strip() + "\n"


def _shown(value: object) -> object:
    """What the page shows of a value; markup is not text."""
    return printable(str(value)) if type(value) in (str, Span) else value


def _section(number: int, subject: Subject) -> ReportSection:
    """What is said of one subject, the one with a number."""
    facts = [("Targets", ", ".join(subject.targets))]
    drawn: Sequence[Drawing] = ()
    if isinstance(subject, DiffReport):
        title, anchor = f"{subject.old.operand} to {subject.new.operand}", f"c{number}f"
        facts = [("Old", _named(subject.old)), ("New", _named(subject.new)), ("Policy", subject.policy), *facts]
        drawn = drawings(subject)
    else:
        assert isinstance(subject, LintReport)
        title, anchor = ", ".join(each.operand for each in subject.apis), "f"
        facts = [("Policy", subject.policy), *facts]
    sources = subject.sources
    return ReportSection(
        title=title,
        is_ok=subject.ok,
        verdict=last_line(subject),
        facts=tuple(facts),
        findings=tuple(
            _finding(f"{anchor}{n}", each, sources, subject.targets) for n, each in enumerate(subject.findings)
        ),
        drawings=tuple(drawn),
        has_axes=isinstance(subject, DiffReport),
    )


def _named(api: ReportedApi) -> str:
    return f"{api.operand}, version {api.version}" if api.version else api.operand


def _finding(anchor: str, finding: Finding, sources: Mapping[str, str], targets: Sequence[str]) -> FindingView:
    return FindingView(
        found=finding,
        anchor=anchor,
        bump="" if finding.bump is Bump.NONE else finding.bump.value.upper(),
        quote=quote(finding.new or finding.old, sources, 100),
        answers=tuple((AXIS_LABELS[name], answer.value) for name, answer in answers_of(finding).items()),
        rows=tuple(all_rows(finding, targets)),
    )
