"""Applies edits to texts."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from difflib import unified_diff

from abigen.model.finding import Edit, Fix


def applied(sources: Mapping[str, str], chosen: Sequence[Fix]) -> tuple[dict[str, str], list[Fix]]:
    """Apply fixes to texts.

    Args:
        sources: texts by the names of files in edits.
        chosen: the fixes, in the order of findings; one that overlaps with an earlier one is left out, and one that
            adds to the end of the same file: it is not known which comes first.

    Returns:
        The changed texts, and the fixes that were applied.
    """
    taken: dict[str, _Taken] = {}
    done = []
    for fix in chosen:
        if not all(each.file in sources for each in fix.edits):
            continue
        for edit in fix.edits:
            if edit.file not in taken:
                taken[edit.file] = _Taken(sources[edit.file])
        ranges = [(taken[edit.file], *taken[edit.file].range_of(edit), edit.text) for edit in fix.edits]
        if not any(file.overlaps(begin, end) for file, begin, end, _ in ranges):
            done.append(fix)
            for file, begin, end, text in ranges:
                file.replace(begin, end, text)
    return {name: file.result() for name, file in taken.items() if file.edits}, done


class _Taken:
    """A text with the ranges that edits replace."""

    def __init__(self, text: str) -> None:
        """Begin without an edit."""
        self.text = text
        self.edits: list[tuple[int, int, int, str]] = []
        """Begin, end, number and new text of each edit."""
        self._starts = line_starts(text)
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._insertions: list[int] = []

    def range_of(self, edit: Edit) -> tuple[int, int]:
        """Return the indices that an edit replaces."""
        (line, column), (last, end) = edit.start, edit.end
        return self._starts[line - 1] + column - 1, self._starts[last - 1] + end - 1

    def overlaps(self, begin: int, end: int) -> bool:
        """True if an edit here would overlap with another one, or adds to the end as another one does."""
        number = bisect_right(self._ends, begin)
        if number < len(self._begins) and self._begins[number] < end:
            return True
        number = bisect_right(self._insertions, begin)
        if number < len(self._insertions) and self._insertions[number] < end:
            return True
        return begin == len(self.text) and bool(self._insertions) and self._insertions[-1] == begin

    def replace(self, begin: int, end: int, text: str) -> None:
        """Add an edit."""
        self.edits.append((begin, end, len(self.edits), text))
        if begin == end:
            insort(self._insertions, begin)
            return
        first, after = bisect_right(self._ends, begin), bisect_left(self._begins, end)
        if first < after:  # ranges of one fix may overlap
            begin, end = min(begin, self._begins[first]), max(end, self._ends[after - 1])
        self._begins[first:after], self._ends[first:after] = [begin], [end]

    def result(self) -> str:
        """Return the text after all edits."""
        parts, place = [], 0
        for begin, end, _, text in sorted(self.edits):
            parts += [self.text[place:begin], text]
            place = max(place, end)
        return "".join([*parts, self.text[place:]])


def line_starts(text: str) -> list[int]:
    """Return the index of the first character of each line."""
    return [0, *(match.end() for match in re.finditer(r"\n", text))]


def fixes_as_diff(sources: Mapping[str, str], chosen: Sequence[Fix]) -> str:
    """Return what fixes change as a unified diff; empty for no fix.

    Args:
        sources: texts by the names of files in edits.
        chosen: the fixes, in the order of findings.
    """
    texts, _ = applied(sources, chosen)
    lines: list[str] = []
    for file, text in texts.items():
        old, new = (each.splitlines(keepends=True) for each in (sources[file], text))
        for line in unified_diff(old, new, file, file):
            lines += [line] if line.endswith("\n") else [f"{line}\n", "\\ No newline at end of file\n"]
    return "".join(lines)
