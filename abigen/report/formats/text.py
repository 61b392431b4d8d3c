"""Reports for people, in the shape of a compiler's messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from abigen.model.finding import NOT_RUN, Finding
from abigen.report.quote import quote
from abigen.report.subject import Comparison, Inspection, Style, Verification
from abigen.report.wording import axis_lines, inspection_line, target_lines, verdict_line, verification_line

_LABEL_WIDTH = 10
_NAMED = 3
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_RED = "\x1b[1;31m"
_GREEN = "\x1b[1;32m"
_BLUE = "\x1b[1;34m"
_COLOURS = {
    "error": _RED,
    "warning": "\x1b[1;33m",
    "note": "\x1b[1;36m",
    "breaks": "\x1b[31m",
    "at risk": "\x1b[33m",
    "ok": "\x1b[32m",
}


def comparison(subject: Comparison, style: Style) -> str:
    """The findings of `abigen diff`, worst first, and the verdict on the last line."""
    return _comparison(subject, style, "")


def comparisons(subjects: Sequence[Comparison], style: Style) -> str:
    """What `comparison` writes, each verdict with the name of what it is about."""
    parts = [_comparison(subject, style, f"{subject.new.operand}: ") for subject in subjects]
    return "".join(part + "\n" * (not style.summary and "\n\n" in part) for part in parts)


def inspection(subject: Inspection, style: Style) -> str:
    """The findings of `abigen lint`, and their number on the last line."""
    last = _paint(inspection_line(subject), _GREEN if subject.ok else _RED, style) + "\n"
    if style.summary:
        return last
    parts = []
    for finding in subject.findings:
        place = finding.new or finding.old
        side = next((each for each in subject.sides if place and place.file in each.api.sources), subject.sides[0])
        parts.append(_finding(finding, side.api.sources, side.api.targets, style))
    return "".join(parts) + last


def verification(subject: Verification, style: Style) -> str:
    """The findings of `abigen verify`, what could not be run and why, and the number of all on the last line."""
    last = _paint(verification_line(subject), _GREEN if subject.ok else _RED, style) + "\n"
    if style.summary:
        return last
    sources = subject.side.api.sources
    parts = [_finding(finding, sources, subject.side.api.targets, style) for finding in subject.findings]
    names: dict[str, list[str]] = {}
    for run in subject.runs:
        if run.result == NOT_RUN:
            names.setdefault(run.reason, []).append(run.name)
    parts += [f"not run: {_some(checks)}: {reason}\n" for reason, checks in names.items()]
    return "".join(parts) + last


def _some(names: Sequence[str]) -> str:
    """All names when they are few, else how many."""
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} checks, from {names[0]} to {names[-1]}"


def _comparison(subject: Comparison, style: Style, name: str) -> str:
    """The findings, and the verdict behind the name of what it is about."""
    verdict = _paint(name + verdict_line(subject), _GREEN if subject.verdict.ok else _RED, style) + "\n"
    if style.summary:
        return verdict
    sources = {**subject.old.api.sources, **subject.new.api.sources}
    targets = subject.new.api.targets
    return "".join(_finding(each, sources, targets, style) for each in subject.verdict.findings) + verdict


def _finding(finding: Finding, sources: Mapping[str, str], targets: Sequence[str], style: Style) -> str:
    """One finding with an empty line behind it."""
    level = finding.level.value
    head = f"{_paint(level, _COLOURS[level], style)} {finding.code} {_paint(finding.rule, _BOLD, style)}"
    lines = [f"{head}: {finding.message}"]
    place = finding.new or finding.old
    shown = quote(place, sources, max(20, style.width - 8))
    gutter = " " * len(str(shown.line)) if shown else " "
    bar = _paint("|", _BLUE, style)
    if place is not None:
        lines.append(f"{gutter}{_paint('-->', _BLUE, style)} {place}")
    if shown is not None:
        marker = _paint(f"{shown.marker.lstrip()} {finding.caret}".rstrip(), _COLOURS[level], style)
        indent = " " * (len(shown.marker) - len(shown.marker.lstrip()))
        number = _paint(str(shown.line), _BLUE, style)
        empty = f"{gutter} {bar}"
        lines += [empty, f"{number} {bar} {shown.text}", f"{empty} {indent}{marker}", empty]
    for label, text in _remarks(finding, targets):
        lines += _remark(gutter, label, text, style)
    return "\n".join(lines) + "\n\n"


def _remarks(finding: Finding, targets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What stands below a finding's quoted line, as label and text."""
    places = {"old": finding.old if finding.new is not None else None}
    for detail in finding.details:
        if detail.label not in places:
            yield detail.label, detail.text
    for label, answer, reason in axis_lines(finding):
        yield label, f"{answer}: {reason}" if reason else answer
    for line in target_lines(finding, targets):
        yield "target", line
    if finding.help:
        yield "instead", finding.help
    for label, span in places.items():
        texts = [str(span)] if span is not None else []
        texts += [detail.text for detail in finding.details if detail.label == label]
        if texts:
            yield label, ", ".join(texts)


def _remark(gutter: str, label: str, text: str, style: Style) -> list[str]:
    """`= label      text`, wrapped, with the answer on an axis coloured."""
    indent = f"{gutter}   {'':{_LABEL_WIDTH}} "
    wrapped = _wrap(text, max(20, style.width - len(indent)))
    for answer in ("breaks", "at risk", "ok"):
        if label in ("old plugin", "new plugin", "source", "contract") and wrapped[0].startswith(answer):
            wrapped[0] = _paint(answer, _COLOURS[answer], style) + wrapped[0].removeprefix(answer)
    first = f"{gutter} {_paint('=', _BLUE, style)} {label:{_LABEL_WIDTH}} {wrapped[0]}".rstrip()
    return [first, *(indent + line for line in wrapped[1:])]


def _wrap(text: str, room: int) -> list[str]:
    """The lines of a text, one at least."""
    if len(text) <= room and text.isprintable():
        return [text]
    from textwrap import wrap

    return wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]


def _paint(text: str, colour: str, style: Style) -> str:
    """Text in a colour, when colours are wanted."""
    return f"{colour}{text}{_RESET}" if style.colour else text
