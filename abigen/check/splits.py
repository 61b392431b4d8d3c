"""Structs that were split: members that left one and stand in a new one under the same names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from abigen.check.pairing.members import Member, members_of
from abigen.model.entities import Struct

if TYPE_CHECKING:
    from abigen.check.comparison import Comparison, StructPair

_FEWEST = 2


class Split(NamedTuple):
    """One struct that gave members away, and the new one that has them."""

    pair: StructPair
    part: Struct
    moved: tuple[Member, ...]
    """OLD's members."""


def splits(comparison: Comparison) -> tuple[Split, ...]:
    """Every struct of the API that was split.

    A new struct is a part of an old one when at least two members that the old one lost are in it, with the same names
    and types, and make up most of what it has beside its leading members.
    """
    parts = [each for each in comparison.pair.type_names.added if isinstance(each, Struct) and each.fields]
    if not parts:
        return ()
    found = []
    for pair in comparison.structs:
        lost = [removal.member for removal in pair.fields.removed]
        for part in parts:
            moved = _moved(lost, part, pair, comparison)
            if moved:
                found.append(Split(pair, part, moved))
                lost = [member for member in lost if member not in moved]
    return tuple(found)


def _moved(lost: Sequence[Member], part: Struct, pair: StructPair, comparison: Comparison) -> tuple[Member, ...]:
    """Which of the lost members the new struct is made of; none when it is not."""
    if len(lost) < _FEWEST:
        return ()
    still_there = {member.name for member in pair.new_members}
    own = {each.name: each for each in members_of(part, comparison.new_layouts) if each.name not in still_there}
    moved = tuple(
        member
        for member in lost
        if member.name in own and comparison.same_type(member.field.type, own[member.name].field.type)
    )
    return moved if len(moved) >= _FEWEST and 2 * len(moved) > len(own) else ()
