"""Reports on the history of an API: each format is a module here that has a function `render`."""

from __future__ import annotations

from importlib import import_module

from abigen.model.printable import without_commands
from abigen.report.history.subject import HistoryReport
from abigen.report.subject import Style

FORMATS = ("text", "html", "json", "markdown")


def render(format: str, report: HistoryReport, style: Style) -> str:
    """Write a report, with a line end at its end.

    Args:
        format: one of `FORMATS`.
        report: what it is about.
        style: how it looks.
    """
    text: str = import_module(f"{__name__}.{format}").render(report, style)
    return text if format == "json" else without_commands(text)
