"""Applies edits to texts."""

from __future__ import annotations

import re
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
    taken: dict[str, list[tuple[int, int, str]]] = {}
    done = []
    for fix in chosen:
        edits = [
            (each.file, *_range(each, sources[each.file]), each.text) for each in fix.edits if each.file in sources
        ]
        overlaps = any(
            (begin < after and first < end) or begin == first == len(sources[file])
            for file, begin, end, _ in edits
            for first, after, _ in taken.get(file, ())
        )
        if len(edits) == len(fix.edits) and not overlaps:
            done.append(fix)
            for file, begin, end, text in edits:
                taken.setdefault(file, []).append((begin, end, text))
    result = {}
    for file, replaced in taken.items():
        text = sources[file]
        in_order = sorted(enumerate(replaced), key=lambda each: (*each[1][:2], each[0]), reverse=True)
        for _, (begin, end, new) in in_order:
            text = text[:begin] + new + text[end:]
        result[file] = text
    return result, done


def line_starts(text: str) -> list[int]:
    """Return the index of the first character of each line."""
    return [0, *(match.end() for match in re.finditer(r"\n", text))]


def _range(edit: Edit, text: str) -> tuple[int, int]:
    """Return the indices that an edit replaces."""
    starts = line_starts(text)
    (line, column), (last, end) = edit.start, edit.end
    return starts[line - 1] + column - 1, starts[last - 1] + end - 1


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
