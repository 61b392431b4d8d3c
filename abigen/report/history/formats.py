"""Reports on the history of an API, in each format that there is."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.model.history import Step
from abigen.model.printable import printable, without_commands
from abigen.report import documents
from abigen.report.formats.html import page_environment
from abigen.report.formats.markdown import escape_text
from abigen.report.history.subject import HistoryReport, counted, others, place, struct_histories, verdict
from abigen.report.subject import Style
from abigen.report.wording import count

_MOST = 10
"""How many breaks of a step are shown."""
_RED, _GREEN, _DIM, _RESET = "\x1b[1;31m", "\x1b[1;32m", "\x1b[2m", "\x1b[0m"


def _text(report: HistoryReport, style: Style) -> str:
    """For people at a terminal: a paragraph for each step that changed something, and how often the promise held."""
    summary = [f"{printable(line)}." for line in report.summary()]
    if style.summary:
        return "\n".join(summary) + "\n"
    return "\n".join([printable(report.title()), "", *_steps(report, style), "", *summary]) + "\n"


def _steps(report: HistoryReport, style: Style) -> Iterator[str]:
    width = max((len(step.name.label) for step in report.steps), default=0)
    silent = 0
    for step in report.steps:
        if style.everything or step.changes or step.is_first or step.state.error:
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
    if name.title:
        yield _paint(f'    "{printable(name.title)}"', _DIM, style)
    lines = _shown([f"{each.code} {each.rule}: {each.message}" for each in state.breaks], style)
    if others(step):
        lines.append(_paint(f"also: {others(step)}", _DIM, style))
    if state.error:
        lines.append(state.error)
    yield from (f"    {printable(line) if not line.startswith(chr(27)) else line}" for line in lines)


def _shown(breaks: list[str], style: Style) -> list[str]:
    """As many breaks of a step as are wanted, and how many there are besides."""
    if style.everything or len(breaks) <= _MOST:
        return breaks
    return [*breaks[:_MOST], f"and {len(breaks) - _MOST} more"]


def _paint(text: str, colour: str, style: Style) -> str:
    return f"{colour}{text}{_RESET}" if style.colour and colour else text


def _markdown(report: HistoryReport, style: Style) -> str:
    """For a comment or a page of documentation: a table with a row for each step that changed something."""
    lines = [f"### {escape_text(report.title())}", ""]
    lines += [f"- {escape_text(line)}." for line in report.summary()]
    if style.summary:
        return "\n".join(lines) + "\n"
    shown = [step for step in report.steps if style.everything or step.changes or step.is_first or step.state.error]
    dates = ["date"] if any(step.name.date for step in shown) else []
    columns = ["revision", *dates, "verdict", "what broke", "what else changed"]
    lines += ["", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    lines += [_row(step, style, is_dated=bool(dates)) for step in shown]
    return "\n".join(lines) + "\n"


def _row(step: Step, style: Style, *, is_dated: bool) -> str:
    state, name = step.state, step.name
    mark = "" if step.is_first or state.ok else "**broken** "
    shown = _shown([f"{each.rule}: {escape_text(each.message)}" for each in state.breaks], style)
    if state.error:
        shown.append(escape_text(state.error))
    dates = [name.date] if is_dated else []
    cells = (escape_text(name.label), *dates, mark + escape_text(verdict(step)), "<br>".join(shown), others(step))
    return f"| {' | '.join(cells)} |"


def _json(report: HistoryReport, style: Style) -> str:
    """For programs: one JSON object."""
    return documents.written(
        documents.History(
            of=report.operand,
            policy=report.policy,
            targets=report.targets,
            summary=tuple(report.summary()),
            steps=tuple(map(_history_step, report.steps)),
            stale=tuple(
                documents.StaleTime(
                    constant=each.constant,
                    struct=each.struct,
                    left_out=each.left_out,
                    since=each.since.label,
                    until=each.until.label if each.until else None,
                )
                for each in report.stale_periods
            ),
        )
    )


def _history_step(step: Step) -> documents.HistoryStep:
    state, name = step.state, step.name
    return documents.HistoryStep(
        revision=name.label,
        commit=name.commit or None,
        operand=name.operand,
        date=name.date or None,
        title=name.title or None,
        version=state.version or None,
        error=state.error or None,
        is_first=step.is_first,
        required_bump=state.required,
        demanded_bump=state.demanded,
        declared_bump=state.declared,
        ok=state.ok and not state.error,
        breaks=tuple(documents.Break(each.code, each.rule, each.entity, each.message) for each in state.breaks),
        others=counted(step),
        stale=state.stale,
        structs=state.structs,
    )


def _html(report: HistoryReport, style: Style) -> str:
    """One self-contained page: each step, and the life of each struct; everything from headers is escaped."""
    environment = page_environment()
    environment.globals |= {each.__name__: each for each in (others, place, verdict)}
    template = environment.get_template("report/history.html.j2")
    return template.render(report=report, histories=() if style.summary else struct_histories(report)).strip() + "\n"


_WRITERS = {"text": _text, "html": _html, "json": _json, "markdown": _markdown}
FORMATS = tuple(_WRITERS)


def render(format: str, report: HistoryReport, style: Style) -> str:
    """Write a report, with a line end at its end.

    Args:
        format: one of `FORMATS`.
        report: what it is about.
        style: how it looks.
    """
    text = _WRITERS[format](report, style)
    return text if format == "json" else without_commands(text)
