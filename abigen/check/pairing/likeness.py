"""Names that were probably changed into other names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from abigen.model.entities import Entity

Thing = TypeVar("Thing", bound=Entity)

_ALIKE = 0.6
"""How alike what two names do not have in common has to be, from 0 to 1."""

_MANY = 50_000
"""With more pairs of names than this, only those that stand in the same place are compared."""


def renamed(
    old: Mapping[str, Thing],
    new: Mapping[str, Thing],
    removed: Sequence[Thing],
    added: Sequence[Thing],
    is_equal: Callable[[Thing, Thing], bool],
) -> dict[str, Thing]:
    """Pair what went with what came, where both stand for the same thing and something speaks for a new name.

    What speaks for it: the names differ in a word that was shortened, lengthened, dropped or added; or they have words
    in common, and the new one stands where the old one stood.

    Args:
        old: all of OLD, in order.
        new: all of NEW, in order.
        removed: entities of OLD that NEW does not have.
        added: entities of NEW that OLD does not have.
        is_equal: whether an old and a new entity stand for the same thing.

    Returns:
        OLD's name to the new entity; each new one at most once, the most alike first.
    """
    if not (removed and added):
        return {}
    old_places, new_places = _places(old, new), _places(new, old)
    words = {each.name: _words(each.name) for each in (*removed, *added)}
    is_large = len(removed) * len(added) > _MANY
    by_place = {new_places[after.name]: [after] for after in added} if is_large else {}
    scores: list[tuple[float, str, Thing]] = []
    for before in removed:
        for after in by_place.get(old_places[before.name], ()) if is_large else added:
            is_same_place = old_places[before.name] == new_places[after.name]
            score = _likeness(words[before.name], words[after.name], is_same_place)
            if score >= _ALIKE and is_equal(before, after):
                scores.append((score, before.name, after))
    found: dict[str, Thing] = {}
    taken: set[str] = set()
    for _, name, after in sorted(scores, key=lambda each: -each[0]):
        if name not in found and after.name not in taken:
            found[name] = after
            taken.add(after.name)
    return found


def _places(own: Mapping[str, Thing], other: Mapping[str, Thing]) -> dict[str, tuple[str, int]]:
    """For each name, the last name before it that both sides have, and how far behind it stands."""
    found: dict[str, tuple[str, int]] = {}
    last, distance = "", 0
    for name in own:
        distance += 1
        if name in other:
            last, distance = name, 0
        found[name] = (last, distance)
    return found


def _likeness(before: Sequence[str], after: Sequence[str], is_same_place: bool) -> float:
    """How probable it is that one name was changed into the other, from 0 to 1, by their words."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    rest = "".join(before[start : len(before) - end]), "".join(after[start : len(after) - end])
    if not (start or end):
        return 0.0
    if rest[0].startswith(rest[1]) or rest[1].startswith(rest[0]):
        return 1.0
    if is_same_place and start + end > 1:
        return _ALIKE
    from difflib import SequenceMatcher

    return SequenceMatcher(None, *rest, autojunk=False).ratio()


def _words(name: str) -> list[str]:
    """The words of an identifier in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
