"""Reports for people, in the shape of a compiler's messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from abigen.checker.report.subject import LINES, Group, Report, Style, groups, is_break
from abigen.checker.report.wording import AXIS_LABELS, all_rows, last_line, quote
from abigen.model.edits import fixes_as_diff
from abigen.model.finding import NOT_RUN, Finding, Level
from abigen.model.span import printable
from abigen.version import rule_address

_LABEL_WIDTH = 10
_NAMED = 3
_NOT_COMPARED = 10
"""The number of parts that are named which were not compared."""
_QUIET_LINES = 4
"""The number of lines of names in a paragraph about findings that break nothing."""
_HINT = "--all shows every finding in full\n"
_LISTS = ("reaches", "moves")
"""The remarks that list what else changes with a struct, which may be very many."""
_LONGEST_LIST = 8
"""The number of lines of such a list that are shown, unless all are asked for."""
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_RED = "\x1b[1;31m"
_GREEN = "\x1b[1;32m"
_BLUE = "\x1b[1;34m"
COLOURS = {
    "error": _RED,
    "warning": "\x1b[1;33m",
    "note": "\x1b[1;36m",
    "breaks": "\x1b[31m",
    "at risk": "\x1b[33m",
    "ok": "\x1b[32m",
}


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the findings, and the verdict on the last line; for several reports, each verdict with its report."""
    if len(reports) == 1:
        return _report(reports[0], style, "")
    parts = [_report(report, style, f"{report.operand}: ") for report in reports]
    return "".join(part + "\n" * (not style.summary and "\n\n" in part) for part in parts)


def _report(report: Report, style: Style, name: str) -> str:
    """Return the findings, what could not be run and why, and the verdict behind the name of what it is about."""
    last = paint("\n".join(wrapped(name + last_line(report), style)), _GREEN if report.ok else _RED, style) + "\n"
    if style.summary:
        return last
    parts = _statistics(report.findings, style) if style.statistics else _findings(report, style)
    names: dict[tuple[str, str], list[str]] = {}
    for run in report.runs:
        if run.result == NOT_RUN:
            names.setdefault(("does not apply" if run.inapplicable else "not run", run.reason), []).append(run.name)
    lines = [f"{what}: {_some(checks)}: {reason}" for (what, reason), checks in names.items()]
    lines += [f"not called: {called}: {reason}" for called, reason in report.not_called]
    lines += [f"accepted: {each}" for each in report.accepted]
    lines += [f"judged: {each}" for each in report.remarks]
    shown = report.not_compared if style.everything else report.not_compared[:_NOT_COMPARED]
    lines += [f"not compared: {each}" for each in shown]
    if len(shown) < len(report.not_compared):
        lines.append(f"not compared: {len(report.not_compared) - len(shown)} more; --all names them")
    parts += ["\n".join(wrapped(each, style)) + "\n" for each in lines]
    if style.fixes:
        parts += _changes(report, style)
    return "".join(parts) + last


def _changes(report: Report, style: Style) -> list[str]:
    """Return the edits that remove findings, as a diff."""
    diff = fixes_as_diff(report.sources, report.fixes(unsafe=style.fixes == "unsafe"))
    colours = {"+": _GREEN, "-": _RED, "@": _BLUE}
    lines = [printable(line) for line in diff.splitlines()]
    painted = [paint(line, colours[line[0]], style) if line[:1] in colours else line for line in lines]
    return [f"{line}\n" for line in painted] + ["\n"] * bool(painted)


def _statistics(findings: Sequence[Finding], style: Style) -> list[str]:
    """Return the number of findings of each rule, the largest first."""
    numbers = Counter((each.level.value, each.code, each.rule) for each in findings)
    width = len(str(max(numbers.values(), default=0)))
    return [
        f"{number:{width}}  {paint(f'{level:7}', COLOURS[level], style)}  {code}  {rule}\n"
        for (level, code, rule), number in numbers.most_common()
    ]


def _findings(report: Report, style: Style) -> list[str]:
    """Breaks in full, and what repeats itself together; an empty line behind each, but between short ones."""
    shown = groups(report.findings, everything=style.everything or report.command == "verify")
    sources, targets = report.sources, report.targets
    full = {
        number: _finding(each.findings[0], sources, targets, style) for number, each in enumerate(shown) if each.is_full
    }
    number = max(1, len(shown) - len(full))
    room = max(1, (LINES - sum(text.count("\n") for text in full.values())) // number - 2)
    parts = [full.get(number) or _together(each, room, style) for number, each in enumerate(shown)]
    short = [number not in full and len(each.findings) == 1 for number, each in enumerate(shown)] + [False]
    spaced = [part + "\n" * (not (short[number] and short[number + 1])) for number, part in enumerate(parts)]
    return spaced + [_HINT] * any(len(each.findings) > 1 for each in shown)


def _together(group: Group, room: int, style: Style) -> str:
    """Return the findings of a rule in as many lines: each with its place where that fits, else what they are about."""
    worst = min((each.level for each in group.findings), key=list(Level).index).value
    first, number = group.findings[0], len(group.findings)
    if number == 1:
        place = f" ({first.new or first.old})" if first.new or first.old else ""
        return "\n".join(_headed(first, worst, f"{first.message}{place}", style)) + "\n"
    if is_break(first) and number <= room:
        lines = [f"{each.new or each.old}: {printable(each.message)}" for each in group.findings]
    else:
        lines = _names(group, room if is_break(first) else min(room, _QUIET_LINES), max(20, style.width - 2))
    return "\n  ".join([*_headed(first, worst, f"{group.sentence}:", style), *lines]) + "\n"


def _names(group: Group, most: int, width: int) -> list[str]:
    """Return the subjects of findings, in a number of lines; structs where members do not fit."""
    for names in (group.names(), group.owners()):
        lines = _listed(names, width)
        if len(lines) <= most:
            return lines
    lines = _listed(names, width - len(" and 1234 more"))[:most]
    left = len(names) - sum(line.count(",") for line in lines)
    return [*lines[:-1], f"{lines[-1]} and {left} more"]


def _listed(names: Sequence[str], width: int) -> list[str]:
    """Return names with commas, in lines that end behind one."""
    whole = (printable(each).replace(" ", "\0") for each in names)
    lines = wrap(", ".join(whole), width, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def _some(names: Sequence[str]) -> str:
    """Return all names when they are few, else how many."""
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} checks, from {names[0]} to {names[-1]}"


def _finding(finding: Finding, sources: Mapping[str, str], targets: Sequence[str], style: Style) -> str:
    """Return a finding with all its parts."""
    level = finding.level.value
    lines = _headed(finding, level, finding.message, style)
    place = finding.new or finding.old
    shown = quote(place, sources, max(20, style.width - 8))
    gutter = " " * len(str(shown.line)) if shown else " "
    bar = paint("|", _BLUE, style)
    if place is not None:
        lines.append(f"{gutter}{paint('-->', _BLUE, style)} {place}")
    if shown is not None:
        marker = paint(f"{shown.marker.lstrip()} {printable(finding.caret)}".rstrip(), COLOURS[level], style)
        indent = " " * (len(shown.marker) - len(shown.marker.lstrip()))
        number = paint(str(shown.line), _BLUE, style)
        empty = f"{gutter} {bar}"
        lines += [empty, f"{number} {bar} {shown.text}", f"{empty} {indent}{marker}", empty]
    for label, text in _merged(all_rows(finding, targets)):
        lines += _remark(gutter, label, text, style)
    return "\n".join(lines) + "\n"


def _merged(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the rows with all that is said of OLD on one, the last: its place first."""
    yield from (row for row in rows if row[0] != "old")
    old = [text for label, text in rows if label == "old"]
    if old:
        yield "old", ", ".join(old[-1:] + old[:-1])


def _remark(gutter: str, label: str, text: str, style: Style) -> list[str]:
    """`= label      text`, wrapped, with the answer on an axis coloured."""
    indent = f"{gutter}   {'':{_LABEL_WIDTH}} "
    wrapped = _wrap(text, max(20, style.width - len(indent)))
    if label in _LISTS and len(wrapped) > _LONGEST_LIST and not style.everything:
        wrapped = [*wrapped[: _LONGEST_LIST - 1], "... and more; --all shows the whole list"]
    for answer in ("breaks", "at risk", "ok"):
        if label in AXIS_LABELS.values() and wrapped[0].startswith(answer):
            wrapped[0] = paint(answer, COLOURS[answer], style) + wrapped[0].removeprefix(answer)
    first = f"{gutter} {paint('=', _BLUE, style)} {label:{_LABEL_WIDTH}} {wrapped[0]}".rstrip()
    return [first, *(indent + line for line in wrapped[1:])]


def _headed(finding: Finding, level: str, text: str, style: Style) -> list[str]:
    """Level, code and rule, and behind them a text, in as many lines as it takes."""
    plain = f"{level} {finding.code} {finding.rule}: "
    lines = wrapped(plain + text, style)
    rule = _linked(paint(finding.rule, _BOLD, style), rule_address(finding.code, finding.rule), style)
    head = f"{paint(level, COLOURS[level], style)} {finding.code} {rule}: "
    return [head.rstrip() + lines[0][len(plain.rstrip()) :], *lines[1:]]


def wrapped(text: str, style: Style, indent: str = "    ") -> list[str]:
    """Return a text in lines of the terminal's width, all but the first indented; one line without a width."""
    return _wrap(text, max(20, style.width), indent) if style.is_wrapped else [printable(text)]


def _wrap(text: str, room: int, indent: str = "") -> list[str]:
    """Return the lines of a text, one at least; all but the first one begin with an indent."""
    if len(text) <= room and text.isprintable():
        return [text]
    lines = wrap(text, room, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]
    return [printable(line) for line in lines]


def _linked(text: str, address: str, style: Style) -> str:
    """Return text that terminals show as a link (OSC 8), where colours are wanted and there is an address."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\" if address and style.colour else text


def paint(text: str, colour: str, style: Style) -> str:
    """Return text in a colour, when colours are wanted."""
    return f"{colour}{text}{_RESET}" if style.colour else text
