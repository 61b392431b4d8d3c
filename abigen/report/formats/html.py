"""One self-contained page: the verdict, who breaks, every finding, and both layouts of what moved side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from abigen.report.subject import Comparison, Inspection, Style

if TYPE_CHECKING:
    from abigen.report.html.view import PageView


def comparison(subject: Comparison, style: Style) -> str:
    """The page about what `abigen diff` has found."""
    return comparisons([subject], style)


def comparisons(subjects: Sequence[Comparison], style: Style) -> str:
    """The page about several comparisons, a section for each."""
    from abigen.report.html.view import page_of_comparisons

    return _render(page_of_comparisons(subjects))


def inspection(subject: Inspection, style: Style) -> str:
    """The page about what `abigen lint` has found."""
    from abigen.report.html.view import page_of_inspection

    return _render(page_of_inspection(subject))


def _render(page: PageView) -> str:
    """Fill in the template; everything from headers is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from abigen.shipped import shipped

    environment = Environment(
        loader=FileSystemLoader(shipped("templates")),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report/page.html.j2").render(page=page).strip() + "\n"
