"""Prints one line per finding, as compilers do, and the verdict as the last line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abigen.model.span import printable
from abigen.report.subject import Style, Subject
from abigen.report.wording import last_line


def render(subjects: Sequence[Subject], style: Style) -> str:
    """`FILE:LINE:COLUMN: LEVEL CODE RULE: MESSAGE` for each finding; of several subjects, each verdict has a name."""
    lines: list[str] = []
    for subject in subjects:
        name = f"{subject.operand}: " if len(subjects) > 1 else ""
        lines += [] if style.summary else _lines(subject)
        lines.append(name + last_line(subject))
    return "".join(f"{printable(each)}\n" for each in lines)


def _lines(subject: Subject) -> Iterator[str]:
    """Yield the findings, what is accepted, and what was not compared."""
    for each in subject.findings:
        place = each.new or each.old
        yield f"{f'{place}: ' if place else ''}{each.level.value} {each.code} {each.rule}: {each.message}"
    yield from (f"accepted: {each}" for each in subject.accepted_findings)
    yield from (f"not compared: {each}" for each in subject.not_compared)
