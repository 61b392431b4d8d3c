"""What the programs said: one trial per way in which something crosses, and what went wrong in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abigen.skew.programs import ProgramRun

_HEAD = re.compile(r"^== (\d+) (.*), (OLD|NEW) (.*)\n", re.MULTILINE)
_MISREAD = re.compile(r"^.*: (?:OLD|NEW) wrote .*", re.MULTILINE)
_PLACE = re.compile(r"\b(old|new)\.c:(\d+)")
_MEMBER = re.compile(r"(?:GET|PUT)\w*\(\d+, (?:\"[^\"]*\", )?(?:object->)?([\w.\[\]]+)")


@dataclass(frozen=True)
class Attempt:
    """What happened when something crossed in one way."""

    number: int
    """Of the crossing."""
    what: str
    """What crossed: a struct's name, a function's, an expression."""
    how: str
    """`OLD hands it over`."""
    wrong: tuple[str, ...]
    """Members that were misread, and what a sanitizer said; empty when all was well."""

    @property
    def is_fine(self) -> bool:
        """Whether nothing went wrong."""
        return not self.wrong


def attempts_of(run: ProgramRun, sources: Mapping[str, str]) -> tuple[Attempt, ...]:
    """Take apart what a program wrote.

    Args:
        run: of the program.
        sources: its files by name, which tell the member that a sanitizer's line is about.
    """
    parts = _HEAD.split(run.errors)[1:]
    found = []
    for number, what, side, how, text in zip(*(parts[at::5] for at in range(5)), strict=True):
        wrong = [each.strip() for each in _MISREAD.findall(text)]
        rest = _MISREAD.sub("", text).strip()
        if rest:
            wrong.append(_incident(rest, sources))
        found.append(Attempt(int(number), what, f"{side} {how}", tuple(wrong)))
    return tuple(found)


def _incident(text: str, sources: Mapping[str, str]) -> str:
    """The sanitizer's line, with the member and the place in the program; else the first line of what was said."""
    said = ProgramRun(1, "", text).sanitizer or text.splitlines()[0]
    place = _PLACE.search(text)
    if place is None:
        return said
    lines: Sequence[str] = sources.get(f"{place[1]}.c", "").splitlines()
    line = lines[int(place[2]) - 1] if int(place[2]) <= len(lines) else ""
    member = _MEMBER.search(line)
    return f"{f'{member[1]}: ' if member else ''}{said} ({place[0]})"
