"""A comment for a pull request: the verdict, a table of who breaks, and the rest folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from abigen.model.finding import Axis, Bump, Finding, Level
from abigen.report.quote import quote
from abigen.report.subject import Comparison, Inspection, Style
from abigen.report.wording import axis_lines, inspection_line, target_lines, verdict_line

MAX_LENGTH = 60_000
"""Characters; GitHub refuses comments of more than 65,536."""

_MARKS = {Axis.OK: "ok", Axis.AT_RISK: "**at risk**", Axis.BREAKS: "**breaks**"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@-])")


def comparison(subject: Comparison, style: Style) -> str:
    """What `abigen diff` has found, worst first."""
    verdict = subject.verdict
    title = f"### abigen: {'ok' if verdict.ok else 'not ok'}: {_text(verdict_line(subject))}\n"
    names = f"\nFrom {_code(subject.old.operand)} to {_code(subject.new.operand)}.\n"
    if style.summary or not verdict.findings:
        return title + names
    sources = {**subject.old.api.sources, **subject.new.api.sources}
    counted: list[Finding] = []
    others: list[Finding] = []
    for each in verdict.findings:
        is_remark = each.bump is Bump.NONE and each.level is Level.NOTE
        (others if is_remark else counted).append(each)
    targets = subject.new.api.targets
    parts = [
        title,
        names,
        _table(counted, _axes_row, "| | what changed | old plugin | new plugin | source | contract |"),
    ]
    parts += [_details(each, sources, targets) for each in counted]
    if others:
        parts.append(f"\nFor review: {len(others)} remark{'s' * (len(others) != 1)}.\n")
        parts += [_details(each, sources, targets) for each in others]
    return _cut(parts)


def inspection(subject: Inspection, style: Style) -> str:
    """What `abigen lint` has found."""
    title = f"### abigen lint: {_text(inspection_line(subject))}\n"
    if style.summary or not subject.findings:
        return title
    sources = {name: text for side in subject.sides for name, text in side.api.sources.items()}
    targets = subject.sides[0].api.targets
    parts = [title, _table(subject.findings, _flaw_row, "| | flaw | where |")]
    return _cut(parts + [_details(each, sources, targets) for each in subject.findings])


def _table(findings: Sequence[Finding], row: Callable[[Finding], str], head: str) -> str:
    """A row for each finding, as many as half a comment holds."""
    rows: list[str] = []
    room = MAX_LENGTH // 2
    for number, each in enumerate(findings):
        text = row(each)
        room -= len(text)
        if room < 0:
            rows.append(f"| | {len(findings) - number} more |{' |' * (head.count('|') - 3)}\n")
            break
        rows.append(text)
    return f"\n{head}\n|{'---|' * (head.count('|') - 1)}\n{''.join(rows)}" if rows else ""


def _axes_row(finding: Finding) -> str:
    axes = finding.axes
    answers = [_MARKS[each] for each in (axes.old_plugin, axes.new_plugin, axes.source, axes.contract)]
    bump = "" if finding.bump is Bump.NONE else finding.bump.value.upper()
    return f"| {bump or finding.level.value} | {_text(finding.message)} | {' | '.join(answers)} |\n"


def _flaw_row(finding: Finding) -> str:
    place = finding.new or finding.old
    return f"| {finding.level.value} | {_text(finding.message)} | {_code(str(place)) if place else ''} |\n"


def _details(finding: Finding, sources: dict[str, str], targets: Sequence[str]) -> str:
    """A finding, folded."""
    place = finding.new or finding.old
    head = f"<code>{finding.code} {finding.rule}</code> {_html(finding.entity)}"
    lines = [f"\n<details><summary>{head}</summary>\n"]
    shown = quote(place, sources, 110)
    if place is not None:
        lines.append(f"{_code(str(place))}\n")
    if shown is not None:
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", shown.text)), 3)
        lines += [f"{fence}c", shown.text, f"{shown.marker} {finding.caret}".rstrip(), f"{fence}\n"]
    rows = [(each.label, each.text) for each in finding.details]
    rows += [(label, f"{answer}: {reason}" if reason else answer) for label, answer, reason in axis_lines(finding)]
    rows += [("target", line) for line in target_lines(finding, targets)]
    rows += [("instead", finding.help)] if finding.help else []
    rows += [("old", str(finding.old))] if finding.new is not None and finding.old is not None else []
    lines += [f"- **{label}**: {_text(text)}" for label, text in rows]
    return "\n".join(lines) + "\n\n</details>\n"


def _cut(parts: Sequence[str]) -> str:
    """As many whole parts as fit into a comment, and how many do not."""
    kept: list[str] = []
    length = 0
    for number, part in enumerate(parts):
        length += len(part)
        if length > MAX_LENGTH:
            left = len(parts) - number
            kept.append(f"\n{left} more part{'s' * (left != 1)} left out, because comments are limited in length.\n")
            break
        kept.append(part)
    return "".join(kept)


def _text(text: str) -> str:
    """Text in which nothing is markup, a link, or somebody's name; what stands in backticks stays code."""
    parts = re.split(r"(`[^`\n]+`)", " ".join(text.split()))
    return "".join(_code(each[1:-1]) if number % 2 else _escaped(each) for number, each in enumerate(parts))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    """`@` and `#` get an entity: a backslash does not keep GitHub from making links of them."""
    character = match[1]
    return {"@": "&#64;", "#": "&#35;", "<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(character) or (
        character if character in "()-+!{}" else f"\\{character}"
    )


def _code(text: str) -> str:
    """Text as code, also in a table."""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}".replace("|", "\\|")


def _html(text: str) -> str:
    """Text inside of a tag, where Markdown is not read, but names and numbers still become links."""
    from html import escape

    return escape(text.replace("@", "\0")).replace("\0", "&#64;")
