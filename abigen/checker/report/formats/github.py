"""Annotations for GitHub Actions: a workflow command per finding, and the verdict as one without a place.

Source: GitHub Docs, "Workflow commands for GitHub Actions": `::error file=,line=,col=,endColumn=,title=::message`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abigen.checker.report.subject import Report, Style
from abigen.checker.report.wording import axis_rows, from_root, last_line
from abigen.model.finding import Finding, Level
from abigen.model.span import printable

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def render(reports: Sequence[Report], style: Style) -> str:
    """Annotations of each report, an empty line between them."""
    parts = []
    for report in reports:
        command = "notice" if report.ok else "error"
        last = f"::{command} title=abigen::{_message(last_line(report))}\n"
        left = "".join(
            f"::{'warning' if report.is_diff else 'error'} title=abigen::{_message(each)}\n" for each in report.gaps
        )
        left += "".join(f"::notice title=abigen::{_message(f'accepted: {each}')}\n" for each in report.accepted)
        parts.append(last if style.summary else "".join(_annotations(report.findings, style.folder)) + left + last)
    return "\n".join(parts)


def _annotations(findings: Iterable[Finding], folder: str) -> Iterable[str]:
    for finding in findings:
        properties = {"title": f"{finding.code} {finding.rule}"}
        place = finding.new
        if place is not None:
            end = place.column + place.length
            properties |= {
                "file": from_root(place.file, folder),
                "line": str(place.line),
                "col": str(place.column),
                "endColumn": str(end),
            }
        lines = [finding.message, *(f"{label}: {text}" for label, text in axis_rows(finding))]
        lines += [f"instead: {finding.help}"] if finding.help else []
        if place is None and finding.old is not None:
            lines.append(f"old: {finding.old}")
        given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::{_COMMANDS[finding.level]} {given}::{_message(*lines)}\n"


def _message(*lines: str) -> str:
    """Lines as the runner unescapes them."""
    return "%0A".join(printable(line).replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    """Return a property's value, in which colons and commas would end it."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
