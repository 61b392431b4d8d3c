"""A comment for a pull request: the verdict, a table of who breaks, and the rest folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

from abigen.checker.report.subject import Report, Style, told_once
from abigen.checker.report.wording import all_rows, answers_of, count, last_line, quote
from abigen.model.finding import Axis, Bump, Finding, Level
from abigen.model.span import printable

MAX_LENGTH = 60_000
"""Characters; GitHub refuses comments of more than 65,536."""

_MARKS = {Axis.OK: "ok", Axis.AT_RISK: "**at risk**", Axis.BREAKS: "**breaks**"}
_SPECIAL = re.compile(r"([\\`*{}\[\]<>()#+!|~&@-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
"""An underscore inside of a word is no markup (CommonMark, section 6.2)."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return a comment about each report, an empty line between them."""
    return "\n".join(_diff(each, style) if each.is_diff else _lint(each, style) for each in reports)


def _diff(report: Report, style: Style) -> str:
    """Return the findings of `abigen diff`, the worst first."""
    title = f"### abigen: {'ok' if report.ok else 'not ok'}: {escape_text(last_line(report))}\n"
    names = f"\nFrom {_code(report.old.operand)} to {_code(report.new.operand)}.\n" + _remarks(report)
    if style.summary or not report.findings:
        return title + names
    findings = told_once(report.findings)
    remarks = [each for each in findings if _is_remark(each)]
    counted = [each for each in findings if not _is_remark(each)]
    table = _table(counted, _axes_row, "| | what changed | old plugin | new plugin | source | contract |")
    parts = [title, names, table, *_folded(report, counted)]
    if remarks:
        parts.append(f"\nFor review: {count(len(remarks), 'remark')}.\n")
    return _cut(parts + _folded(report, remarks))


def _lint(report: Report, style: Style) -> str:
    """Return the findings of `abigen lint`."""
    title = f"### abigen lint: {escape_text(last_line(report))}\n"
    if style.summary or not (report.findings or report.accepted or report.gaps):
        return title
    table = _table(report.findings, _flaw_row, "| | flaw | where |")
    return _cut([title, _remarks(report), table, *_folded(report, report.findings)])


def _remarks(report: Report) -> str:
    """Return remarks about the judged parts, where the operands do not state them, and about the others."""
    accepted = (f"Accepted: {each}" for each in report.accepted)
    remarks = (*report.remarks, *accepted, *(f"{each[:1].upper()}{each[1:]}" for each in report.gaps))
    return "".join(f"\n{escape_text(each)}.\n" for each in remarks)


def _is_remark(finding: Finding) -> bool:
    return finding.bump is Bump.NONE and finding.level is Level.NOTE


def _table(findings: Sequence[Finding], row: Callable[[Finding], str], head: str) -> str:
    """Return a row for each finding, as many as half a comment holds."""
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
    answers = [_MARKS[each] for each in answers_of(finding).values()]
    bump = "" if finding.bump is Bump.NONE else finding.bump.value.upper()
    return f"| {bump or finding.level.value} | {escape_text(finding.message)} | {' | '.join(answers)} |\n"


def _flaw_row(finding: Finding) -> str:
    place = finding.new or finding.old
    return f"| {finding.level.value} | {escape_text(finding.message)} | {_code(str(place)) if place else ''} |\n"


def _folded(report: Report, findings: Sequence[Finding]) -> list[str]:
    """Return each finding, folded."""
    sources = report.sources
    parts = []
    for finding in findings:
        place = finding.new or finding.old
        head = f"<code>{finding.code} {finding.rule}</code> {_html(finding.entity)}"
        lines = [f"\n<details><summary>{head}</summary>\n"]
        shown = quote(place, sources, 110)
        if place is not None:
            lines.append(f"{_code(str(place))}\n")
        if shown is not None:
            fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", shown.text)), 3)
            lines += [f"{fence}c", shown.text, f"{shown.marker} {printable(finding.caret)}".rstrip(), f"{fence}\n"]
        lines += [f"- **{label}**: {escape_text(text)}" for label, text in all_rows(finding, report.targets)]
        parts.append("\n".join(lines) + "\n\n</details>\n")
    return parts


def _cut(parts: Sequence[str]) -> str:
    """Return the whole parts that fit into a comment, with the number of the others."""
    kept: list[str] = []
    length = 0
    for number, part in enumerate(parts):
        length += len(part)
        if length > MAX_LENGTH:
            left = count(len(parts) - number, "more part")
            kept.append(f"\n{left} left out, because comments are limited in length.\n")
            break
        kept.append(part)
    return "".join(kept)


def escape_text(text: str) -> str:
    """Return text in which nothing is markup, a link, or somebody's name; what stands in backticks stays code."""
    parts = re.split(r"(`[^`\n]+`)", printable(" ".join(text.split())))
    return "".join(
        _code(each[1:-1]) if number % 2 else _SPECIAL.sub(_escape, each) for number, each in enumerate(parts)
    )


def _escape(match: re.Match[str]) -> str:
    """`@` and `#` get an entity: a backslash does not keep GitHub from making links of them."""
    character = match[1]
    plain = character if character in "()-+!{}" else f"\\{character}"
    return {"@": "&#64;", "#": "&#35;", "<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(character, plain)


def _code(text: str) -> str:
    """Return text as code, also in a table."""
    text = printable(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}".replace("|", "\\|")


def _html(text: str) -> str:
    """Return text inside of a tag, where Markdown is not read, but names and numbers still become links."""
    return escape(printable(text)).replace("@", "&#64;")
