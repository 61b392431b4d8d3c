"""What running programs has shown, as text, JSON, JUnit's XML, and a page: of releases and of two headers alike."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from abigen.model.printable import printable
from abigen.report.formats.html import page_environment
from abigen.report.formats.text import COLOURS, paint, wrapped
from abigen.report.junit import JUnitSuite, JUnitTest, junit
from abigen.report.subject import Style
from abigen.skew.programs import Excerpt

_INDENT = "    "
_MOST = 6
"""How many lines of an entry are written as text."""


class SkewEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a report tells of."""

    title: str
    grade: str
    """`error` for what is wrong, `warning` and `note` for what is not."""
    lines: tuple[str, ...] = ()
    """What was seen."""
    remark: str = ""
    """What pages say before that."""
    excerpt: Excerpt | None = None
    place: str = ""
    """Where its program is, or how it is run again."""


class PairCell(msgspec.Struct, frozen=True):
    """A core and a plugin in the table of all."""

    mark: str
    """One word; in capitals where something is wrong."""
    grade: str
    """That of its entry, or `ok`."""
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
    """What was found by running programs."""

    title: str
    ok: bool
    """Whether nothing breaks."""
    verdict: str
    """The same in words."""
    last_line: str
    """How much came to what."""
    entries: tuple[SkewEntry, ...]
    tests: Sequence[JUnitTest]
    content: Mapping[str, object]
    """For JSON."""
    remarks: tuple[str, ...] = ()
    """What the reader has to know besides."""
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
        yield from _entry(each, style)
        if report.table:
            yield ""
    yield from (printable(f"abigen: {each}") for each in report.remarks)
    yield paint(printable(report.last_line), COLOURS["ok" if report.ok else "error"], style)


def _entry(entry: SkewEntry, style: Style) -> Iterator[str]:
    """One entry: what was seen, the lines of the program that saw it, and how to see it again."""
    yield from (paint(line, COLOURS[entry.grade], style) for line in wrapped(entry.title, style))
    for text in entry.lines[:_MOST]:
        yield from wrapped(_INDENT + text, style, f"{_INDENT}  ")
    if len(entry.lines) > _MOST:
        yield f"{_INDENT}and {len(entry.lines) - _MOST} more"
    if entry.excerpt:
        yield printable(f"{_INDENT}--> {entry.excerpt.file}")
        yield from (printable(f"{_INDENT}{number:>5} | {line}".rstrip()) for number, line in entry.excerpt.lines)
    if entry.place:
        yield printable(_INDENT + entry.place)


def _table(table: PairTable, style: Style) -> Iterator[str]:
    """The table; columns have numbers for names where the names are too wide."""
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
