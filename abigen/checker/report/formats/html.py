"""Prints one self-contained page: the verdict, who breaks, every finding, and both layouts side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from abigen.checker.report.layout import drawings
from abigen.checker.report.subject import Report, ReportedApi, Style, told_once
from abigen.checker.report.wording import AXIS_LABELS, all_rows, answers_of, last_line, quote
from abigen.model.finding import Finding
from abigen.model.span import Span, printable
from abigen.version import __version__
from abigen.workspace.shipped import template_environment

if TYPE_CHECKING:
    from jinja2 import Environment

_MOST_OF_A_RULE = 200
"""The number of findings of one rule that a page shows."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the page, with a section for each report; everything from headers is escaped."""
    environment = page_environment()
    functions = (all_rows, answers_of, drawings, facts, last_line, limited, quote, title)
    environment.globals |= {each.__name__: each for each in functions}
    environment.globals |= {"axes": AXIS_LABELS}
    template = environment.get_template("report/page.html.j2")
    return template.render(reports=reports).strip() + "\n"


def page_environment() -> Environment:
    """Return the environment of page templates: all values are escaped, including control and bidi characters."""
    environment = template_environment(is_page=True, finalize=_shown)
    environment.globals |= {"version": __version__}
    return environment


def _shown(value: object) -> object:
    """Return a value as the page shows it; markup is not escaped again."""
    return printable(str(value)) if type(value) in (str, Span) else value


def limited(findings: Sequence[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """Return the findings that the page shows, and how many more there are of which rule."""
    shown: list[Finding] = []
    numbers: Counter[str] = Counter()
    for each in told_once(findings):
        numbers[each.rule] += 1
        shown += [each] if numbers[each.rule] <= _MOST_OF_A_RULE else []
    return shown, {rule: number - _MOST_OF_A_RULE for rule, number in numbers.items() if number > _MOST_OF_A_RULE}


def title(report: Report) -> str:
    """Return the title of a section."""
    if report.is_diff:
        return f"{report.old.operand} to {report.new.operand}"
    return report.operand if report.command == "verify" else ", ".join(each.operand for each in report.sides)


def facts(report: Report) -> dict[str, str]:
    """Return the facts about a comparison or an inspection as a whole."""
    if report.command == "verify":
        return {"API": report.new.operand, **({"Core": f"release {report.release}"} if report.release else {})}
    named = {"Old": _named(report.old), "New": _named(report.new)} if report.is_diff else {}
    judged = {"Judged": "; ".join(report.remarks)} if report.remarks else {}
    gaps = [each.partition(": ") for each in report.gaps]
    left = {gaps[0][0].capitalize(): "; ".join(about for _, _, about in gaps)} if gaps else {}
    accepted = {"Accepted": "; ".join(map(str, report.accepted))} if report.accepted else {}
    return {**named, **judged, **accepted, **left, "Policy": report.policy, "Targets": ", ".join(report.targets)}


def _named(api: ReportedApi) -> str:
    return f"{api.operand}, version {api.version}" if api.version else api.operand
