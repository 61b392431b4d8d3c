"""What stands below conditions that do not hold: no target reads it, and `abigen diff` says so."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from abigen.files import digest
from abigen.model.span import HiddenPart
from abigen.read.c.preprocessor.lexemes import STRAY, Directive, File, folded, lexemes_of
from abigen.read.c.unit import HiddenText, Unit

_LINKAGE = frozenset(("extern", '"C"', "{", "}", ";"))
_NO_MACROS = ("defined", "true", "false")
_SAYING = ("define", "undef", "include")
"""Directives that say something of an API where they are read."""
_LONGEST = 60
"""Characters of a condition that reports show."""


def hidden_texts(skipped: Mapping[File, Sequence[tuple[int, int]]]) -> Iterator[HiddenText]:
    """The text that one target does not read, definitions and includes too; what nobody ever reads is left out.

    Args:
        skipped: the offsets between which text was skipped, by file.
    """
    for file, found in skipped.items():
        text = file.scan.text
        ranges = sorted(found)
        directives = file.scan.directives
        ends = [*(each.start for each in directives[1:]), len(text)]
        groups: list[list[Directive]] = []
        for directive, end in zip(directives, ends, strict=True):
            _follow(directive, groups)
            says = directive.name in _SAYING
            start = directive.sign if says else directive.end
            index = bisect_right(ranges, (start, len(text))) - 1
            if index < 0 or end > ranges[index][1] or not text[start:end].strip():
                continue
            hiding = [group for group in groups if group[-1].end >= ranges[index][0]]
            if hiding and not any(_never_holds(file, group) for group in hiding):
                place = file.span(hiding[0][-1].sign)
                first, last = (file.scan.place(offset)[0] for offset in (start, end))
                lines = range(first if says else first + 1, last + 1)
                yield HiddenText(place, _shown(file, hiding[0]), lines, text[start:end])


def hidden_on_all(units: Sequence[Unit], read: Collection[HiddenText]) -> tuple[HiddenPart, ...]:
    """What is declared where no target reads it, by the innermost of the conditions that hide it on some target.

    Args:
        units: the same files, preprocessed for each target.
        read: what is understood although it is hidden.
    """
    tables = [{(each.place.file, each.lines): each for each in unit.hidden} for unit in units]
    keys = [key for key, each in tables[0].items() if each not in read and all(key in table for table in tables[1:])]
    if not keys:
        return ()
    files = {file for file, _ in keys}
    # A file that is included twice may be read at other conditions the second time.
    lines_read = {(token.file, token.line) for unit in units for token in unit.tokens if token.file in files}
    parts: dict[HiddenText, list[str]] = {}
    declaring: set[HiddenText] = set()
    for file, lines in keys:
        if not any((file, line) in lines_read for line in lines):
            inner = max((table[file, lines] for table in tables), key=lambda each: each.place)
            spellings = [lexeme.text for lexeme in lexemes_of(inner.text)]
            head = replace(inner, lines=range(0), text="")
            parts.setdefault(head, []).extend(spellings)
            if not inner.text.startswith("#") and not _LINKAGE.issuperset(spellings):
                declaring.add(head)
    return tuple(
        HiddenPart(
            head.place,
            head.condition,
            digest([each.encode("utf-8", "surrogateescape") for each in spellings]),
            head in declaring,
        )
        for head, spellings in parts.items()
        if not _LINKAGE.issuperset(spellings)
    )


def _follow(directive: Directive, groups: list[list[Directive]]) -> None:
    """Keep the conditionals that are open behind a directive, each with all of its conditions so far."""
    if directive.name in ("if", "ifdef", "ifndef"):
        groups.append([directive])
    elif directive.following == STRAY:
        return
    elif directive.name == "endif":
        groups.pop()
    elif directive.name in ("elif", "elifdef", "elifndef", "else"):
        groups[-1].append(directive)


def _never_holds(file: File, group: Sequence[Directive]) -> bool:
    """Whether no definition can make a compiler read the last part of a conditional."""
    is_else = group[-1].name == "else"
    asked = [lexemes_of(file.scan.text, each.rest, each.end) for each in (group if is_else else group[-1:])]
    return {each.text for lexemes in asked for each in lexemes if each.kind == "id"}.issubset(_NO_MACROS)


def _shown(file: File, group: Sequence[Directive]) -> str:
    """The condition of the last part of a conditional."""
    is_else = group[-1].name == "else"
    asked = group[0] if is_else else group[-1]
    condition = folded(file.scan.text[asked.sign : asked.end])
    shown = condition if len(condition) <= _LONGEST else f"{condition[:_LONGEST]} ..."
    return f"#else of {shown}" if is_else else shown
