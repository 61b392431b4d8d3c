"""What `abigen diff` could not compare, because a condition hides it from all targets."""

from __future__ import annotations

import re

from abigen.model.api import ApiSet
from abigen.model.span import HiddenPart

_MOST = 5
_ONE_MACRO = re.compile(r"#(?:el)?(?:ifdef |if (?:defined ?\(? ?)?)(?!_[_A-Z])(\w+)(?: ?\))?")
"""A condition that holds where one macro is defined which a user may define."""


def not_compared(old: ApiSet, new: ApiSet) -> tuple[str, ...]:
    """Say which declarations differ where no target reads them, or are there on one side only.

    Args:
        old: the API as it was.
        new: the API as it is.
    """
    had = {(each.condition, each.tokens) for each in old.hidden}
    has = {(each.condition, each.tokens) for each in new.hidden}
    changed = [each for each in new.hidden if (each.condition, each.tokens) not in had]
    conditions = {each.condition for each in changed}
    gone = [each for each in old.hidden if (each.condition, each.tokens) not in has]
    found = [_told(each, "stands") for each in changed]
    found += [_told(each, "stood") for each in gone if each.condition not in conditions]
    more = len(found) - _MOST
    return (*found[:_MOST], *([f"{more} more parts of which no target reads the text"] if more > 0 else ()))


def _told(part: HiddenPart, stands: str) -> str:
    macro = _ONE_MACRO.fullmatch(part.condition)
    way = f"-D {macro[1]} has it compared" if macro else "--abi, -D and -U say what holds"
    place = f"{part.place.file}:{part.place.line}"
    return f"{place}: what {stands} below {part.condition} differs, and no target reads it; {way}"
