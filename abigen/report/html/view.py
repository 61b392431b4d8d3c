"""What the template of the page sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abigen.model.finding import Bump, Finding, Level
from abigen.report.html.drawing import Drawing, drawings
from abigen.report.quote import Quote, quote
from abigen.report.subject import Comparison, Inspection, Side
from abigen.report.wording import AXIS_LABELS, axis_lines, inspection_line, target_lines, verdict_line
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
class Section:
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
    sections: tuple[Section, ...]


def page_of_comparisons(subjects: Sequence[Comparison]) -> PageView:
    """The page about what `abigen diff` has found."""
    names = " and ".join(subject.new.operand for subject in subjects)
    return PageView(f"abigen diff: {names}", __version__, tuple(_compared(*each) for each in enumerate(subjects)))


def page_of_inspection(subject: Inspection) -> PageView:
    """The page about what `abigen lint` has found."""
    names = ", ".join(side.operand for side in subject.sides)
    sources = {name: text for side in subject.sides for name, text in side.api.sources.items()}
    targets = subject.sides[0].api.targets
    findings = tuple(_finding(f"f{n}", each, sources, targets) for n, each in enumerate(subject.findings))
    facts = (("Policy", subject.policy), ("Targets", ", ".join(targets)))
    section = Section(names, subject.ok, inspection_line(subject), facts, findings, (), has_axes=False)
    return PageView(f"abigen lint: {names}", __version__, (section,))


def _compared(number: int, subject: Comparison) -> Section:
    sources = {**subject.old.api.sources, **subject.new.api.sources}
    targets = subject.new.api.targets
    findings = [_finding(f"c{number}f{n}", each, sources, targets) for n, each in enumerate(subject.verdict.findings)]
    facts = (
        ("Old", _named(subject.old)),
        ("New", _named(subject.new)),
        ("Policy", subject.policy),
        ("Targets", ", ".join(targets)),
    )
    title = f"{subject.old.operand} to {subject.new.operand}"
    drawn = tuple(drawings(subject))
    verdict = verdict_line(subject)
    return Section(title, subject.verdict.ok, verdict, facts, tuple(findings), drawn, has_axes=True)


def _named(side: Side) -> str:
    return f"{side.operand}, version {side.version}" if side.version else side.operand


def _finding(anchor: str, finding: Finding, sources: Mapping[str, str], targets: Sequence[str]) -> FindingView:
    place = finding.new or finding.old
    axes = finding.axes
    answers = (axes.old_plugin, axes.new_plugin, axes.source, axes.contract)
    rows = [(detail.label, detail.text) for detail in finding.details]
    rows += [(label, f"{answer}: {reason}" if reason else answer) for label, answer, reason in axis_lines(finding)]
    rows += [("target", line) for line in target_lines(finding, targets)]
    rows += [("instead", finding.help)] if finding.help else []
    rows += [("old", str(finding.old))] if finding.old is not None and finding.new is not None else []
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
        rows=tuple(rows),
        is_open=finding.level is Level.ERROR,
    )
