"""A line of source with what a finding is about underlined, safe to show on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from abigen.model.printable import printable
from abigen.model.span import Span

_TAB = 4
_CUT = "..."


@dataclass(frozen=True)
class Quote:
    """A quoted line; `marker` is as many spaces as stand before the underlined part, and then carets."""

    line: int
    text: str
    marker: str


def quote(span: Span | None, sources: Mapping[str, str], width: int = 100) -> Quote | None:
    """Quote the line that a span is on.

    Tabs become spaces, control characters become escapes (a header must not move the cursor of whoever reads about
    it), and a line that is too long is cut around the span.

    Args:
        span: what to underline.
        sources: texts by file name.
        width: columns that are there for the line.

    Returns:
        None when there is no span, or its line is not among the texts.
    """
    text = sources.get(span.file) if span is not None else None
    if span is None or text is None:
        return None
    lines = _lines(text)
    if len(lines) < span.line:
        return None
    line = lines[span.line - 1].rstrip()
    first = min(span.column - 1, len(line))
    # No more of the line than may be shown: it can be as long as a file, and be quoted for everything on it.
    behind = first + span.length
    before, after = line[max(0, first - width) : first], line[behind : behind + width]
    inside = line[first : min(behind, first + width + 1)]
    lead = _plain(before, 0)
    middle = _plain(inside, len(lead)) or " "
    whole = lead + middle + _plain(after, len(lead) + len(middle))
    start, end = 0, len(whole)
    if len(whole) > width:
        start = max(0, min(len(lead) - width // 3, len(whole) - width))
        end = start + width
    shown = (_CUT if start else "") + whole[start:end].rstrip() + (_CUT if end < len(whole) else "")
    offset = _columns(lead[start:]) + (len(_CUT) if start else 0)
    carets = max(1, min(_columns(middle), width - offset))
    return Quote(span.line, shown, " " * offset + "^" * carets)


@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    """The lines of a text; one is quoted from again and again."""
    return text.split("\n")


def _plain(text: str, column: int) -> str:
    """Text without tabs and control characters, when it begins at a column."""
    result = ""
    for character in text:
        if character == "\t":
            result += " " * (_TAB - (column + len(result)) % _TAB)
        else:
            result += printable(character)
    return result


def _columns(text: str) -> int:
    """How many columns a terminal uses for a text: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)
