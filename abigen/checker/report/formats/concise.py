"""Prints one line per finding, as compilers do, and the verdict as the last line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abigen.checker.report.subject import Report, Style
from abigen.checker.report.wording import last_line
from abigen.model.span import printable


def render(reports: Sequence[Report], style: Style) -> str:
    """`FILE:LINE:COLUMN: LEVEL CODE RULE: MESSAGE` for each finding; of several reports, each verdict has a name."""
    lines: list[str] = []
    for report in reports:
        name = f"{report.operand}: " if len(reports) > 1 else ""
        lines += [] if style.summary else _lines(report)
        lines.append(name + last_line(report))
    return "".join(f"{printable(each)}\n" for each in lines)


def _lines(report: Report) -> Iterator[str]:
    """Yield the findings, what is accepted, and what was not compared."""
    for each in report.findings:
        place = each.new or each.old
        yield f"{f'{place}: ' if place else ''}{each.level.value} {each.code} {each.rule}: {each.message}"
    yield from (f"accepted: {each}" for each in report.accepted)
    yield from (f"not compared: {each}" for each in report.not_compared)
