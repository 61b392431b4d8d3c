"""A history as one self-contained page: how often the promise held, each step, and the life of each struct."""

from __future__ import annotations

from abigen.report.formats.html import page_environment
from abigen.report.history.lives import lives
from abigen.report.history.subject import HistoryReport, others, place, verdict
from abigen.report.subject import Style


def render(report: HistoryReport, style: Style) -> str:
    """The page; everything from headers is escaped."""
    environment = page_environment()
    environment.globals |= {each.__name__: each for each in (others, place, verdict)}
    template = environment.get_template("report/history.html.j2")
    return template.render(report=report, lives=() if style.summary else lives(report)).strip() + "\n"
