"""A history as a table, for a comment or a page of documentation."""

from __future__ import annotations

from abigen.model.history import Step
from abigen.report.formats.markdown import escape_text
from abigen.report.history.subject import HistoryReport, others, verdict
from abigen.report.subject import Style

_MOST = 10
"""How many breaks of a step are shown."""


def render(report: HistoryReport, style: Style) -> str:
    """How often the promise held, and a row for each step that changed something."""
    lines = [f"### {escape_text(report.title())}", ""]
    lines += [f"- {escape_text(line)}." for line in report.summary()]
    if style.summary:
        return "\n".join(lines) + "\n"
    lines += ["", "| revision | date | verdict | what broke | what else changed |", "|---|---|---|---|---|"]
    lines += [_row(step) for step in report.steps if step.changes or step.is_first or step.state.error]
    return "\n".join(lines) + "\n"


def _row(step: Step) -> str:
    state, name = step.state, step.name
    mark = "" if step.is_first or state.ok else "**broken** "
    shown = [f"{each.rule}: {escape_text(each.message)}" for each in state.breaks[:_MOST]]
    if len(state.breaks) > _MOST:
        shown.append(f"and {len(state.breaks) - _MOST} more")
    if state.error:
        shown.append(escape_text(state.error))
    cells = (escape_text(name.label), name.date, mark + escape_text(verdict(step)), "<br>".join(shown), others(step))
    return f"| {' | '.join(cells)} |"
