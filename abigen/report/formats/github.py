"""Annotations for GitHub Actions: a workflow command per finding, and the verdict.

Source: GitHub Docs, "Workflow commands for GitHub Actions": `::error file=,line=,col=,endColumn=,title=::message`.
"""

from __future__ import annotations

from collections.abc import Iterable

from abigen.model.finding import Finding, Level
from abigen.report.subject import Comparison, Inspection, Style, Verification
from abigen.report.wording import axis_lines, inspection_line, verdict_line, verification_line

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def comparison(subject: Comparison, style: Style) -> str:
    """The findings of `abigen diff` as annotations of NEW, and the verdict as one without a place."""
    command = "notice" if subject.verdict.ok else "error"
    last = f"::{command} title=abigen::{_message(verdict_line(subject))}\n"
    if style.summary:
        return last
    return "".join(_annotations(subject.verdict.findings)) + last


def inspection(subject: Inspection, style: Style) -> str:
    """The findings of `abigen lint` as annotations."""
    last = f"::{'notice' if subject.ok else 'error'} title=abigen::{_message(inspection_line(subject))}\n"
    if style.summary:
        return last
    return "".join(_annotations(subject.findings)) + last


def verification(subject: Verification, style: Style) -> str:
    """The findings of `abigen verify` as annotations of the contract."""
    last = f"::{'notice' if subject.ok else 'error'} title=abigen::{_message(verification_line(subject))}\n"
    if style.summary:
        return last
    return "".join(_annotations(subject.findings)) + last


def _annotations(findings: Iterable[Finding]) -> Iterable[str]:
    for finding in findings:
        properties = {"title": f"{finding.code} {finding.rule}"}
        place = finding.new
        if place is not None:
            end = place.column + place.length
            properties |= {"file": place.file, "line": str(place.line), "col": str(place.column), "endColumn": str(end)}
        lines = [finding.message]
        lines += [f"{label}: {answer}{': ' if reason else ''}{reason}" for label, answer, reason in axis_lines(finding)]
        lines += [f"instead: {finding.help}"] if finding.help else []
        if place is None and finding.old is not None:
            lines.append(f"old: {finding.old}")
        given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::{_COMMANDS[finding.level]} {given}::{_message(chr(10).join(lines))}\n"


def _message(text: str) -> str:
    """Text as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property's value, in which colons and commas would end it."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
