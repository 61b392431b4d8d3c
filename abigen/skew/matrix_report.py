"""The matrix of cores and plugins as text, JSON, JUnit's XML, and a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

import msgspec

from abigen.model.printable import printable
from abigen.report.junit import JUnitOutcome, JUnitSuite, JUnitTest, junit
from abigen.report.subject import Style
from abigen.skew.matrix import Cell, Matrix, PairOutcome

_COLOURS = {"works": "\x1b[32m", "refused": "\x1b[33m", "REFUSED": "\x1b[1;31m", "BREAKS": "\x1b[1;31m"}
_RESET = "\x1b[0m"
_MOST = 6
"""How many differences of a pair are listed."""


class MatrixReport(msgspec.Struct, frozen=True):
    """A matrix that can be shown."""

    matrix: Matrix

    @property
    def ok(self) -> bool:
        """Whether every pair works, or is refused as the versions say."""
        return self.matrix.ok

    def render(self, format: str, style: Style) -> str:
        """Write it.

        Args:
            format: `text`, `json`, `html` or `junit`.
            style: of text.
        """
        if format == "text":
            return _text(self.matrix, style)
        return {"json": _json, "html": _html, "junit": _junit}[format](self.matrix)


class MatrixCase(msgspec.Struct, frozen=True):
    """Pairs that end in the same way."""

    number: int
    cells: tuple[Cell, ...]

    @property
    def cell(self) -> Cell:
        """The first of them."""
        return self.cells[0]

    @property
    def title(self) -> str:
        """What happens, and between whom."""
        pairs = [f"core {each.core} with plugin {each.plugin}" for each in self.cells[:_MOST]]
        more = f", and {len(self.cells) - _MOST} more" if len(self.cells) > _MOST else ""
        return f"{', '.join(pairs)}{more}: {verdict(self.cell)}"


def verdict(cell: Cell) -> str:
    """What becomes of a pair, in words."""
    if cell.outcome is PairOutcome.REFUSED:
        return "refused, as the versions say" if cell.is_allowed else "refused, although the versions do not say so"
    return str(cell.outcome)


def mark(cell: Cell) -> str:
    """One word for a pair; in capitals where something is wrong."""
    return str(cell.outcome) if cell.ok else str(cell.outcome).upper()


def cases_of(matrix: Matrix) -> tuple[MatrixCase, ...]:
    """The pairs that do not work, those that end in the same way together; what is wrong comes first."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in sorted(matrix.cells, key=lambda each: each.ok):
        if cell.outcome is not PairOutcome.WORKS:
            wrong = tuple((each.key, each.side) for each in cell.differences) or cell.reasons
            groups.setdefault((cell.outcome, cell.is_allowed, wrong), []).append(cell)
    return tuple(MatrixCase(number, tuple(cells)) for number, cells in enumerate(groups.values(), 1))


def number_of(cell: Cell, cases: Sequence[MatrixCase]) -> int:
    """The case that a pair belongs to; 0 for one that works."""
    return next((case.number for case in cases if cell in case.cells), 0)


def last_line(matrix: Matrix) -> str:
    """How many pairs there are, and what becomes of them."""
    names = dict.fromkeys(verdict(each) for each in matrix.cells)
    counts = {name: sum(verdict(each) == name for each in matrix.cells) for name in names}
    words = {"works": "work", "breaks": "break"}
    parts = [f"{number} {words.get(name, name) if number != 1 else name}" for name, number in counts.items()]
    many = len(matrix.cells)
    return f"{many} pair{'s' if many != 1 else ''} of core and plugin: {'; '.join(parts)}"


def remarks_of(matrix: Matrix) -> Iterator[str]:
    """What the reader has to know besides."""
    if not matrix.sanitized:
        yield "without sanitizers: this compiler or emulator has none, so only what is read wrongly is seen"
    if matrix.untried:
        yield f"not tried, because no value can be made up for it: {', '.join(matrix.untried)}"


def to_see(matrix: Matrix, cell: Cell) -> str:
    """What shows a pair again."""
    return f"cd {matrix.kept} && {cell.command}" if matrix.kept else f"{cell.command}, in the folder of --keep DIR"


# ---- text


def _text(matrix: Matrix, style: Style) -> str:
    cases = cases_of(matrix)
    parts = [] if style.summary else [*_table(matrix, cases, style), ""]
    for case in () if style.summary else cases:
        parts += [*_case_lines(case, matrix, style), ""]
    if not style.summary:
        parts += [f"abigen: {each}" for each in remarks_of(matrix)]
    colour = _COLOURS["works" if matrix.ok else "BREAKS"]
    parts.append(f"{colour}{last_line(matrix)}{_RESET}" if style.colour else last_line(matrix))
    return "".join(f"{printable(line) if not style.colour else line}\n" for line in parts)


def _table(matrix: Matrix, cases: Sequence[MatrixCase], style: Style) -> list[str]:
    """The matrix: a row for each core, a column for each plugin; by numbers where the names are too wide."""
    heads = [f"plugin {label}" for label in matrix.labels]
    first = max(len(f"core {label}") for label in matrix.labels)
    is_wide = first + sum(max(len(head), 10) + 2 for head in heads) > style.width
    if is_wide:
        heads = [f"plugin {number}" for number in range(1, len(heads) + 1)]
        first += len(f"{len(heads)} ")
    widths = [max(len(head), 10) for head in heads]
    lines = ["  ".join([" " * first, *(head.ljust(width) for head, width in zip(heads, widths, strict=True))]).rstrip()]
    rows = [matrix.cells[at : at + len(heads)] for at in range(0, len(matrix.cells), len(heads))]
    for number, (label, row) in enumerate(zip(matrix.labels, rows, strict=True), 1):
        shown = [
            f"{mark(cell)} {number_of(cell, cases) or ''}".rstrip().ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ]
        if style.colour:
            shown = [f"{_COLOURS[mark(cell)]}{text}{_RESET}" for cell, text in zip(row, shown, strict=True)]
        name = f"{number} core {label}" if is_wide else f"core {label}"
        lines.append("  ".join([name.ljust(first), *shown]).rstrip())
    return lines


def _case_lines(case: MatrixCase, matrix: Matrix, style: Style) -> Iterator[str]:
    """One case: what is wrong, the lines of the program that saw it, and how to see it again."""
    cell = case.cell
    title = wrap(f"{case.number}. {case.title}", style.width, subsequent_indent="   ")
    yield from ([f"{_COLOURS[mark(cell)]}{line}{_RESET}" for line in title] if style.colour else title)
    for text in cell.reasons[:_MOST]:
        yield from wrap(text, style.width, initial_indent="   ", subsequent_indent="     ")
    if len(cell.reasons) > _MOST:
        yield f"   and {len(cell.reasons) - _MOST} more"
    if cell.excerpt:
        yield f"   --> {cell.excerpt_of}"
        yield from (f"   {number:>5} | {line}".rstrip() for number, line in cell.excerpt)
    yield f"   to see it: {to_see(matrix, cell)}"


# ---- for programs


def _json(matrix: Matrix) -> str:
    content = {
        "schema": "abigen-skew/1",
        "subject": matrix.title,
        "ok": matrix.ok,
        "releases": list(matrix.labels),
        "sanitizers": matrix.sanitized,
        "untried": list(matrix.untried),
        "pairs": [_pair(each) for each in matrix.cells],
    }
    return json.dumps(content, indent=2) + "\n"


def _pair(cell: Cell) -> Mapping[str, object]:
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


def _junit(matrix: Matrix) -> str:
    """A test for each pair."""
    return junit([JUnitSuite(f"abigen skew {matrix.title}: {last_line(matrix)}", list(map(_test, matrix.cells)))])


def _test(cell: Cell) -> JUnitTest:
    outcomes = [JUnitOutcome("system-out", lines=cell.reasons)] if cell.reasons else []
    if not cell.ok:
        outcomes = [JUnitOutcome("failure", f"{verdict(cell)}: {cell.reasons[0]}", cell.reasons)]
    return JUnitTest(f"core {cell.core} with plugin {cell.plugin}", "abigen skew", outcomes)


# ---- a page


def _html(matrix: Matrix) -> str:
    from abigen.report.formats.html import page_environment

    environment = page_environment()
    functions = (last_line, mark, number_of, remarks_of, to_see, verdict)
    environment.globals |= {each.__name__: each for each in functions}
    template = environment.get_template("skew/matrix/page.html.j2")
    size = len(matrix.labels)
    rows = [matrix.cells[at : at + size] for at in range(0, len(matrix.cells), size)]
    return template.render(matrix=matrix, rows=rows, cases=cases_of(matrix)).strip() + "\n"
