"""Reports of programs that ran, as text, JSON, JUnit XML and a page: for releases and for two headers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from abigen.checker.report.formats.html import page_environment
from abigen.checker.report.formats.junit import JUnitOutcome, JUnitSuite, JUnitTest, junit
from abigen.checker.report.formats.text import COLOURS, paint, wrapped
from abigen.checker.report.subject import Style
from abigen.model.span import printable
from abigen.runner.skew.matrix import Cell, Matrix, PairOutcome
from abigen.runner.skew.programs import Excerpt, ProgramFolder
from abigen.runner.skew.witness import HOLDS, NO_BYTES, NOT_SHOWN, SHOWN, Witness

_INDENT = "    "
_MOST_LINES = 6
"""The number of lines of an entry that are written as text."""


class SkewEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a report."""

    title: str
    grade: str
    """`error` for what is wrong, `warning` and `note` for what is not."""
    lines: tuple[str, ...] = ()
    """The observation."""
    remark: str = ""
    """The text of pages before that."""
    excerpt: Excerpt | None = None
    place: str = ""
    """The place of its program, or the command that runs it again."""


class PairCell(msgspec.Struct, frozen=True):
    """A core and a plugin in the table of all."""

    mark: str
    """The outcome, one word; in capitals where something is wrong."""
    grade: str
    """The outcome of its entry, or `ok`."""
    entry: int
    """The number of the entry about it, counted from 1; 0 for none."""
    calls: int

    @property
    def text(self) -> str:
        """The mark, with the number of the entry."""
        return f"{self.mark} {self.entry or ''}".rstrip()


class PairTable(msgspec.Struct, frozen=True):
    """A row for each core, a column for each plugin."""

    labels: tuple[str, ...]
    rows: tuple[tuple[PairCell, ...], ...]


class SkewReport(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of runs of programs."""

    title: str
    ok: bool
    """True if nothing breaks."""
    verdict: str
    """The same in words."""
    last_line: str
    """The number of entries by outcome."""
    entries: tuple[SkewEntry, ...]
    tests: Sequence[JUnitTest]
    content: Mapping[str, object]
    """For JSON."""
    remarks: tuple[str, ...] = ()
    """The remarks for the reader."""
    table: PairTable | None = None

    def render(self, format: str, style: Style) -> str:
        """Write it.

        Args:
            format: `text`, `json`, `html` or `junit`.
            style: of text.
        """
        if format == "json":
            return json.dumps(self.content, indent=2, ensure_ascii=False) + "\n"
        if format == "junit":
            return junit([JUnitSuite(f"abigen skew {self.title}: {self.last_line}", self.tests)])
        if format == "html":
            template = page_environment().get_template("skew/page.html.j2")
            return template.render(report=self).strip() + "\n"
        return "".join(f"{line}\n" for line in _text(self, style))


def _text(report: SkewReport, style: Style) -> Iterator[str]:
    if report.table:
        yield from [*_table(report.table, style), ""]
    for each in report.entries:
        yield from _entry_lines(each, style)
        if report.table:
            yield ""
    yield from (printable(f"abigen: {each}") for each in report.remarks)
    yield paint(printable(report.last_line), COLOURS["ok" if report.ok else "error"], style)


def _entry_lines(entry: SkewEntry, style: Style) -> Iterator[str]:
    """Yield an entry: the observation, the lines of the program that made it, and the command that repeats it."""
    yield from (paint(line, COLOURS[entry.grade], style) for line in wrapped(entry.title, style))
    for text in entry.lines[:_MOST_LINES]:
        yield from wrapped(_INDENT + text, style, f"{_INDENT}  ")
    if len(entry.lines) > _MOST_LINES:
        yield f"{_INDENT}and {len(entry.lines) - _MOST_LINES} more"
    if entry.excerpt:
        yield printable(f"{_INDENT}--> {entry.excerpt.file}")
        yield from (printable(f"{_INDENT}{number:>5} | {line}".rstrip()) for number, line in entry.excerpt.lines)
    if entry.place:
        yield printable(_INDENT + entry.place)


def _table(table: PairTable, style: Style) -> Iterator[str]:
    """Yield the table; columns have numbers for names where the names are too wide."""
    heads = [f"plugin {label}" for label in table.labels]
    names = [f"core {label}" for label in table.labels]
    if max(map(len, names)) + sum(max(len(head), 10) + 2 for head in heads) > style.width:
        heads = [f"plugin {number}" for number, _ in enumerate(heads, 1)]
        names = [f"{number} {name}" for number, name in enumerate(names, 1)]
    first, widths = max(map(len, names)), [max(len(head), 10) for head in heads]
    yield "  ".join([" " * first, *(head.ljust(width) for head, width in zip(heads, widths, strict=True))]).rstrip()
    for name, row in zip(names, table.rows, strict=True):
        shown = [
            paint(cell.text.ljust(width), COLOURS[cell.grade], style) for cell, width in zip(row, widths, strict=True)
        ]
        yield "  ".join([name.ljust(first), *shown]).rstrip()


_MOST_CASES = 6
"""The number of pairs that a title names."""


def matrix_report(operands: Sequence[str], folder: ProgramFolder, matrix: Matrix) -> SkewReport:
    """Return the report: the table of all pairs, and an entry for each way in which some do not work.

    Args:
        operands: one spec or two.
        folder: with the programs.
        matrix: what was found.
    """
    title, is_sanitized, cases = " and ".join(operands), bool(folder.tools.sanitizers), _cases(matrix)
    numbers = {cell: number for number, case in enumerate(cases, 1) for cell in case}
    cells = [PairCell(_mark(each), _grade(each), numbers.get(each, 0), each.calls) for each in matrix.cells]
    size = len(matrix.labels)
    return SkewReport(
        title=title,
        ok=matrix.ok,
        verdict="Works together" if matrix.ok else "Does not work together",
        last_line=_last_line(matrix),
        entries=tuple(_matrix_entry(number, case, folder.kept) for number, case in enumerate(cases, 1)),
        tests=[_matrix_test(each) for each in matrix.cells],
        content={
            "schema": "abigen-skew/1",
            "subject": title,
            "ok": matrix.ok,
            "releases": list(matrix.labels),
            "sanitizers": is_sanitized,
            "untried": list(matrix.untried),
            "pairs": [_pair(each) for each in matrix.cells],
        },
        remarks=tuple(_remarks(matrix.untried, is_sanitized=is_sanitized)),
        table=PairTable(matrix.labels, tuple(tuple(cells[at : at + size]) for at in range(0, len(cells), size))),
    )


def _cases(matrix: Matrix) -> Sequence[Sequence[Cell]]:
    """Return the pairs that do not work, those that end in the same way together; what is wrong comes first."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in sorted(matrix.cells, key=lambda each: each.ok):
        if cell.outcome is not PairOutcome.WORKS:
            wrong = tuple((each.key, each.side) for each in cell.differences) or cell.reasons
            groups.setdefault((cell.outcome, cell.is_allowed, wrong), []).append(cell)
    return list(groups.values())


def _matrix_entry(number: int, case: Sequence[Cell], kept: str) -> SkewEntry:
    """Return the entry of pairs with the same outcome, as the first of them shows it."""
    pairs = [f"core {each.core} with plugin {each.plugin}" for each in case[:_MOST_CASES]]
    more = f", and {len(case) - _MOST_CASES} more" if len(case) > _MOST_CASES else ""
    cell = case[0]
    again = f"cd {kept} && {cell.command}" if kept else f"{cell.command}, in the folder of --keep DIR"
    return SkewEntry(
        title=f"{number}. {', '.join(pairs)}{more}: {_verdict(cell)}",
        grade=_grade(cell),
        lines=cell.reasons,
        excerpt=cell.excerpt,
        place=f"to see it: {again}",
    )


def _mark(cell: Cell) -> str:
    return str(cell.outcome) if cell.ok else str(cell.outcome).upper()


def _grade(cell: Cell) -> str:
    return "error" if not cell.ok else "ok" if cell.outcome is PairOutcome.WORKS else "warning"


def _verdict(cell: Cell) -> str:
    """Return the outcome of a pair, in words."""
    if cell.outcome is PairOutcome.REFUSED:
        return "refused, as the versions say" if cell.is_allowed else "refused, although the versions do not say so"
    return str(cell.outcome)


def _last_line(matrix: Matrix) -> str:
    """Return the number of pairs, and of their outcomes."""
    names = dict.fromkeys(_verdict(each) for each in matrix.cells)
    counts = {name: sum(_verdict(each) == name for each in matrix.cells) for name in names}
    words = {"works": "work", "breaks": "break"}
    parts = [f"{number} {words.get(name, name) if number != 1 else name}" for name, number in counts.items()]
    many = len(matrix.cells)
    return f"{many} pair{'s' if many != 1 else ''} of core and plugin: {'; '.join(parts)}"


def _remarks(untried: Sequence[str], *, is_sanitized: bool) -> Iterator[str]:
    if not is_sanitized:
        yield "without sanitizers: this compiler or emulator has none, so only what is read wrongly is seen"
    if untried:
        yield f"not tried, because no value can be made up for it: {', '.join(untried)}"


def _pair(cell: Cell) -> Mapping[str, object]:
    """Return a pair in JSON."""
    return {
        "core": cell.core,
        "plugin": cell.plugin,
        "outcome": str(cell.outcome),
        "ok": cell.ok,
        "reasons": list(cell.reasons),
        "differences": [
            {"entity": each.key, "text": each.text, "found_by": each.side, "line": each.line or None}
            for each in cell.differences
        ],
        "sanitizer": cell.sanitizer,
        "calls": cell.calls,
        "without": list(cell.without),
        "command": cell.command,
    }


def _matrix_test(cell: Cell) -> JUnitTest:
    """Return a pair as a test."""
    outcomes = [JUnitOutcome("system-out", lines=cell.reasons)] if cell.reasons else []
    if not cell.ok:
        outcomes = [JUnitOutcome("failure", f"{_verdict(cell)}: {cell.reasons[0]}", cell.reasons)]
    return JUnitTest(f"core {cell.core} with plugin {cell.plugin}", "abigen skew", outcomes)


_GRADES = {SHOWN: "error", HOLDS: "warning", NOT_SHOWN: "warning", NO_BYTES: "note"}
_COUNTED = {
    SHOWN: "shown to break",
    HOLDS: "held by sides that look at struct_size first",
    NOT_SHOWN: "could not be shown",
    NO_BYTES: "not about bytes",
}


def witness_report(
    operands: tuple[str, str], target: str, folder: ProgramFolder, witnesses: Sequence[Witness]
) -> SkewReport:
    """Return the report.

    Args:
        operands: OLD and NEW.
        target: that the programs were built for.
        folder: with the programs.
        witnesses: what became of each finding.
    """
    old, new = operands
    tools = folder.tools
    is_shown = any(each.outcome == SHOWN for each in witnesses)
    counts = [(sum(each.outcome == outcome for each in witnesses), words) for outcome, words in _COUNTED.items()]
    found = ", ".join(f"{number} {words}" for number, words in counts if number) or "nothing changed"
    without = "" if tools.sanitizers else ", without sanitizers"
    return SkewReport(
        title=" and ".join(operands),
        ok=not is_shown,
        verdict="Programs show a break" if is_shown else "No program shows a break",
        last_line=f"{found} (built by {' '.join(tools.compiler)} for {target}{without})",
        entries=tuple(_witness_entry(each, folder.kept) for each in witnesses),
        tests=[_witness_test(each, new) for each in witnesses],
        content={
            "old": old,
            "new": new,
            "target": target,
            "compiler": list(tools.compiler),
            "sanitizers": list(tools.sanitizers),
            "ok": not is_shown,
            "findings": [_finding(each, folder.kept) for each in witnesses],
        },
    )


def _program(witness: Witness, kept: str) -> str:
    """Return the folder of a program that was kept; empty for none."""
    return f"{kept}/{witness.program}" if kept and witness.program else ""


def _witness_entry(witness: Witness, kept: str) -> SkewEntry:
    finding, program = witness.finding, _program(witness, kept)
    reason = f": {witness.reason}" if witness.reason else ""
    return SkewEntry(
        title=f"{witness.outcome} {finding.code} {finding.rule} {finding.entity}{reason}",
        grade=_GRADES[witness.outcome],
        lines=witness.lines,
        remark=finding.message,
        place=f"program: {program}" if program else "",
    )


def _finding(witness: Witness, kept: str) -> Mapping[str, object]:
    """Return a finding in JSON."""
    return {
        "code": witness.finding.code,
        "rule": witness.finding.rule,
        "entity": witness.finding.entity,
        "message": witness.finding.message,
        "outcome": witness.outcome,
        "reason": witness.reason,
        "shown": list(witness.lines),
        "program": _program(witness, kept),
    }


def _witness_test(witness: Witness, new: str) -> JUnitTest:
    """Return a finding as a test."""
    finding = witness.finding
    if witness.outcome == SHOWN:
        outcome = JUnitOutcome("failure", finding.message, witness.lines)
    elif witness.outcome == NOT_SHOWN:
        outcome = JUnitOutcome("skipped", witness.reason)
    else:
        outcome = JUnitOutcome("system-out", lines=[witness.outcome, *witness.lines])
    return JUnitTest(f"{finding.code} {finding.rule} {finding.entity}", new, (outcome,))
