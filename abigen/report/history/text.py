"""A history for people at a terminal: one paragraph for each step that changed something."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.model.history import Step
from abigen.model.printable import printable
from abigen.report.history.subject import HistoryReport, others, verdict
from abigen.report.subject import Style
from abigen.report.wording import count

_MOST = 10
"""How many breaks of a step are shown."""
_RED, _GREEN, _DIM, _RESET = "\x1b[1;31m", "\x1b[1;32m", "\x1b[2m", "\x1b[0m"


def render(report: HistoryReport, style: Style) -> str:
    """The steps, the oldest first, and how often the promise held."""
    summary = [f"{printable(line)}." for line in report.summary()]
    if style.summary:
        return "\n".join(summary) + "\n"
    return "\n".join([printable(report.title()), "", *_steps(report, style), "", *summary]) + "\n"


def _steps(report: HistoryReport, style: Style) -> Iterator[str]:
    width = max((len(step.name.label) for step in report.steps), default=0)
    silent = 0
    for step in report.steps:
        if step.changes or step.is_first or step.state.error:
            yield from _silent(silent, style)
            silent = 0
            yield from _step(step, width, style)
        else:
            silent += 1
    yield from _silent(silent, style)


def _silent(number: int, style: Style) -> Iterator[str]:
    if number:
        yield _paint(f"{count(number, 'revision')} without a change to the API", _DIM, style)


def _step(step: Step, width: int, style: Style) -> Iterator[str]:
    state, name = step.state, step.name
    colour = _RED if state.error or not state.ok else "" if step.is_first else _GREEN
    date = f"{name.date}  " if name.date else ""
    yield f"{date}{name.label:<{width}}  {_paint(printable(verdict(step)), colour, style)}"
    lines = [f"{each.code} {each.rule}: {each.message}" for each in state.breaks[:_MOST]]
    if len(state.breaks) > _MOST:
        lines.append(f"and {len(state.breaks) - _MOST} more")
    if others(step):
        lines.append(_paint(f"also: {others(step)}", _DIM, style))
    if state.error:
        lines.append(state.error)
    yield from (f"    {printable(line) if not line.startswith(chr(27)) else line}" for line in lines)


def _paint(text: str, colour: str, style: Style) -> str:
    return f"{colour}{text}{_RESET}" if style.colour and colour else text
