"""The report about the matrix of cores and plugins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from abigen.report.junit import JUnitOutcome, JUnitTest
from abigen.skew.matrix import Cell, Matrix, PairOutcome
from abigen.skew.programs import ProgramFolder
from abigen.skew.report import PairCell, PairTable, SkewEntry, SkewReport

_MOST = 6
"""How many pairs a title names."""


def matrix_report(operands: Sequence[str], folder: ProgramFolder, matrix: Matrix) -> SkewReport:
    """The report: the table of all pairs, and an entry for each way in which some do not work.

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
        entries=tuple(_entry(number, case, folder.kept) for number, case in enumerate(cases, 1)),
        tests=[_test(each) for each in matrix.cells],
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
    """The pairs that do not work, those that end in the same way together; what is wrong comes first."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in sorted(matrix.cells, key=lambda each: each.ok):
        if cell.outcome is not PairOutcome.WORKS:
            wrong = tuple((each.key, each.side) for each in cell.differences) or cell.reasons
            groups.setdefault((cell.outcome, cell.is_allowed, wrong), []).append(cell)
    return list(groups.values())


def _entry(number: int, case: Sequence[Cell], kept: str) -> SkewEntry:
    """What becomes of pairs that end in the same way, as the first of them shows it."""
    pairs = [f"core {each.core} with plugin {each.plugin}" for each in case[:_MOST]]
    more = f", and {len(case) - _MOST} more" if len(case) > _MOST else ""
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
    """What becomes of a pair, in words."""
    if cell.outcome is PairOutcome.REFUSED:
        return "refused, as the versions say" if cell.is_allowed else "refused, although the versions do not say so"
    return str(cell.outcome)


def _last_line(matrix: Matrix) -> str:
    """How many pairs there are, and what becomes of them."""
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
    """A pair in JSON."""
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


def _test(cell: Cell) -> JUnitTest:
    """A pair as a test."""
    outcomes = [JUnitOutcome("system-out", lines=cell.reasons)] if cell.reasons else []
    if not cell.ok:
        outcomes = [JUnitOutcome("failure", f"{_verdict(cell)}: {cell.reasons[0]}", cell.reasons)]
    return JUnitTest(f"core {cell.core} with plugin {cell.plugin}", "abigen skew", outcomes)
