"""The formats of reports: each is a module here that has the functions of `Format`, and exists by standing here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abigen.report.subject import Comparison, Inspection, Style, Verification


class Format(Protocol):
    """What a module of this package offers."""

    def comparison(self, subject: Comparison, style: Style) -> str:
        """The report of `abigen diff`, with a line end at its end; empty when there is nothing to say."""

    def inspection(self, subject: Inspection, style: Style) -> str:
        """The report of `abigen lint`, with a line end at its end; empty when there is nothing to say."""


class SeveralFormat(Format, Protocol):
    """A format whose reports of several comparisons are more than one after the other."""

    def comparisons(self, subjects: Sequence[Comparison], style: Style) -> str:
        """One report of all comparisons of `abigen diff`, two or more."""


class VerificationFormat(Format, Protocol):
    """A format that `abigen verify` writes as well."""

    def verification(self, subject: Verification, style: Style) -> str:
        """The report of `abigen verify`, with a line end at its end."""


def verification(report: Format, subject: Verification, style: Style) -> str:
    """The report of `abigen verify` in a format of `verification_format_names()`."""
    return cast(VerificationFormat, report).verification(subject, style)


def verification_format_names() -> tuple[str, ...]:
    """Names of the formats that `abigen verify` can be written in, `text` first."""
    return tuple(name for name in format_names() if hasattr(find_format(name), "verification"))


def comparisons(report: Format, subjects: Sequence[Comparison], style: Style) -> str:
    """The report of `abigen diff` about one comparison or several.

    Args:
        report: the format.
        subjects: what was compared, one or more.
        style: see `Format.comparison`.
    """
    if len(subjects) == 1:
        return report.comparison(subjects[0], style)
    if hasattr(report, "comparisons"):
        return cast(SeveralFormat, report).comparisons(subjects, style)
    return "\n".join(filter(None, (report.comparison(subject, style) for subject in subjects)))


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
