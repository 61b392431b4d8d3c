"""The formats of reports: each is a module here that has a function `render`, and exists by standing here."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from abigen.checker.report.subject import Report, Style
from abigen.model.span import without_commands

VERIFY_FORMATS = ("text", "concise", "github", "html", "json", "junit", "sarif")
"""The formats that `abigen verify` writes; the other is for comments about APIs."""

_COMMANDS_OR_DATA = ("github", "json", "sarif")
"""Formats that are commands of GitHub's themselves, or escape what they carry."""

_WITH_FIXES = ("json", "sarif")
"""Formats that list the edits of each finding."""


def shows_fixes(format: str, style: Style) -> bool:
    """True if a format shows the edits that remove findings."""
    return format in _WITH_FIXES or (format == "text" and bool(style.fixes))


def format_names() -> tuple[str, ...]:
    """Return names of all formats, `text` first."""
    return tuple(sorted((module.name for module in iter_modules(__path__)), key=lambda name: (name != "text", name)))


def render(format: str, reports: Sequence[Report], style: Style) -> str:
    """Write a report.

    Args:
        format: one of `format_names()`.
        reports: what it is about: one, or several comparisons of `abigen diff`.
        style: how it looks.

    Returns:
        The report, with a line end at its end.
    """
    text: str = import_module(f"{__name__}.{format}").render(reports, style)
    return text if format in _COMMANDS_OR_DATA else without_commands(text)
