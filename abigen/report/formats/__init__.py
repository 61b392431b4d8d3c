"""The formats of reports: each is a module here that has the two functions of `Format`, and exists by standing here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from abigen.report.subject import Comparison, Inspection, Style


class Format(Protocol):
    """What a module of this package offers."""

    def comparison(self, subject: Comparison, style: Style) -> str:
        """The report of `abigen diff`, with a line end at its end; empty when there is nothing to say."""

    def inspection(self, subject: Inspection, style: Style) -> str:
        """The report of `abigen lint`, with a line end at its end; empty when there is nothing to say."""


def format_names() -> tuple[str, ...]:
    """Names of all formats, `text` first."""
    from pkgutil import iter_modules

    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(sorted(names, key=lambda name: name != "text"))


def find_format(name: str) -> Format:
    """A format by its name.

    Args:
        name: one of `format_names()`.
    """
    from importlib import import_module

    return cast(Format, import_module(f"{__name__}.{name}"))
