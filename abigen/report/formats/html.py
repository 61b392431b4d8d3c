"""One self-contained page: the verdict, who breaks, every finding, and both layouts of what moved side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abigen.model.finding import Bump, Finding, Level
from abigen.report.drawing import Drawing, drawings
from abigen.report.quote import Quote, quote
from abigen.report.subject import DiffReport, LintReport, ReportedApi, Style, Subject
from abigen.report.wording import AXIS_LABELS, all_rows, last_line
from abigen.shipped import shipped
from abigen.version import __version__


@dataclass(frozen=True)
class FindingView:
    """A finding."""

    anchor: str
    code: str
    rule: str
    entity: str
    level: str
    bump: str
    """`MAJOR`, ...; empty when it needs none."""
    message: str
    place: str
    quote: Quote | None
    caret: str
    answers: tuple[tuple[str, str], ...]
    """Name of the axis, and `ok`, `at-risk` or `breaks`."""
    rows: tuple[tuple[str, str], ...]
    """Label and text of what stands below it."""
    is_open: bool


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


@dataclass(frozen=True)
class PageView:
    """The page."""

    title: str
    version: str
    """Of abigen."""
    sections: tuple[ReportSection, ...]


def render(subjects: Sequence[Subject], style: Style) -> str:
    """The page, with a section for each subject; everything from headers is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(shipped("templates")),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = tuple(_section(number, subject) for number, subject in enumerate(subjects))
    if isinstance(subjects[0], DiffReport):
        title = f"abigen diff: {' and '.join(subject.operand for subject in subjects)}"
    else:
        title = f"abigen lint: {sections[0].title}"
    page = PageView(title, __version__, sections)
    return environment.get_template("report/page.html.j2").render(page=page).strip() + "\n"


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
    place = finding.new or finding.old
    axes = finding.axes
    answers = (axes.old_plugin, axes.new_plugin, axes.source, axes.contract)
    return FindingView(
        anchor=anchor,
        code=finding.code,
        rule=finding.rule,
        entity=finding.entity,
        level=finding.level.value,
        bump="" if finding.bump is Bump.NONE else finding.bump.value.upper(),
        message=finding.message,
        place=str(place) if place else "",
        quote=quote(place, sources, 100),
        caret=finding.caret,
        answers=tuple(zip(AXIS_LABELS.values(), (each.value for each in answers), strict=True)),
        rows=tuple(all_rows(finding, targets)),
        is_open=finding.level is Level.ERROR,
    )
