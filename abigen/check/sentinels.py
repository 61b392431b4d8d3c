"""The enumerators that mark the end of a list (`TOY_KIND_COUNT`): they move with every addition, and may."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from fnmatch import fnmatchcase

from abigen.check.renames import words_of

_ENDS = re.compile(
    r"(?:^|_)(?:MAX|LAST|LATEST|CURRENT|NEWEST|HIGHEST|END|COUNT|NUM|NUMBER|TOTAL|NB|SENTINEL)(?:_|$)"
    r"|(?<=[a-z0-9])(?:Max|Last|Latest|Current|End|Count|Num)_?$"
    r"|(?:^|[a-z0-9_])Num[A-Z][A-Za-z]*s$"
)
"""Names that sound like the end of a list (`X_COUNT`, `kNumKinds`); that one is, its values have to show."""
_ENDS_SOMETHING_BEGUN = re.compile(r"(?:^|_)END(?:_|$)|(?<=[a-z0-9])End_?$")
_MAY_END = re.compile(r"(?:^|_)SIZE_?$|(?<=[a-z0-9])Size_?$")
"""Names that may be an end or a value like others (`PROPERTY_SIZE`): behind another end they are one."""
_SAID_TO_END = re.compile(
    r"\b(?:must|keep|always|stays?|leave)\b[^.]*\blast\b|\bsentinel\b|\bend of (?:the |this )?(?:list|enum)"
    r"|\b(?:number|count) of (?:them|these|all (?:of )?(?:them|these)|(?:the )?(?:above|enumerators|values|entries))",
    re.IGNORECASE,
)
"""Comments that say so of any name: `Keep last.`, `Number of the above.`"""
_VERSION = re.compile(r"(?:^|_)VERSION(?:_|$)")
_BEGINS = re.compile(r"(?:^|_)(?:BEGIN|START)_?$|(?<=[a-z0-9])(?:Begin|Start)$")
PINS = (0x7FFFFFFF, 0xFFFFFFFF)
"""Values that keep a type 32 bits wide and are the end of nothing."""


def find_sentinels(
    old: Mapping[str, int], new: Mapping[str, int], comments: Mapping[str, str], patterns: Sequence[str]
) -> set[str]:
    """The enumerators that mark the end of the list: by the patterns, or by name or comment, and value.

    Args:
        old: OLD's names and values.
        new: NEW's.
        comments: what is written at each name.
        patterns: of names (`*_COUNT`).
    """
    names = {*old, *new}
    found = {name for name in names if any(fnmatchcase(name, each) for each in patterns)}
    if all(map(_VERSION.search, names)):
        # The name without a number among those of versions (`X_VERSION` beside `X_VERSION_1`), if it rises.
        found |= {n for n in old.keys() & new.keys() if n.endswith("VERSION") and old[n] < new[n]}
    ends = {name for name in names if _ENDS.search(name)}
    if any(map(_BEGINS.search, names)):
        ends = {name for name in ends if not _ENDS_SOMETHING_BEGUN.search(name)}
    said = {name for name, comment in comments.items() if _SAID_TO_END.search(comment)}
    common = set.intersection(*(set(words_of(name)) for name in names)) if names else set()
    bare = said | {name for name in names if len(set(words_of(name)) - common) == 1}
    sides = [(values, _ends_of(values, ends | said, bare)) for values in (old, new)]
    return found | {n for n in names if all(n in accepted or n not in values for values, accepted in sides)}


def _ends_of(values: Mapping[str, int], likely: Set[str], bare: Set[str]) -> set[str]:
    """Those that sound like the end of a list, and have its highest value or the one behind it.

    Args:
        values: of one side.
        likely: names that sound like it, or are said to be it.
        bare: names that say nothing else: several of them may follow each other, and `X_SIZE` may follow another one.
    """
    first = min((values[name] for name in likely if name in values), default=None)
    if first is None:
        return set()
    ends = {name for name in values if name in likely or (name in bare and _MAY_END.search(name))}
    ends = {name for name in ends if values[name] >= first}
    top = max((value for name, value in values.items() if not (name in ends or value in PINS)), default=None)
    accepted = {name for name in ends & likely if top is not None and values[name] - top in (0, 1)}
    for name in sorted(ends & bare - accepted, key=values.__getitem__):
        if any(values[name] - values[each] in (0, 1) for each in accepted):
            accepted.add(name)
    return accepted
