"""Enumerations of both sides with everything that happened to their enumerators, on one target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from abigen.check.constants import value_of
from abigen.check.enumerators import EnumeratorChange, EnumeratorChanges, EnumeratorList, pair_enumerators
from abigen.check.pairs import ApisOnTarget
from abigen.check.rule import Subject
from abigen.model.api import Api
from abigen.model.entities import Enum, Enumerator
from abigen.model.layout import Layouts


class EnumPair(NamedTuple):
    """One enumeration; a side is None when an enumeration without a name came or went as a whole."""

    old: Enum | None
    new: Enum | None
    changes: EnumeratorChanges


class EnumeratorCase(NamedTuple):
    """One enumerator that changed, as rules are handed it."""

    apis: ApisOnTarget
    enum: EnumPair
    change: EnumeratorChange

    @property
    def entity(self) -> str:
        """What findings call it: a type without a name leaves it bare."""
        enum = self.enum.old or self.enum.new
        name = self.change.name
        return name if enum is None or enum.anonymous else f"{enum.name}.{name}"

    @property
    def about(self) -> Subject:
        """Its name, its places (that of the enumeration where a side has none), and its values."""
        old, new = self.change.old, self.change.new
        old_value, new_value = self.change.old_value, self.change.new_value
        before = old or (self.enum.old if old_value is None else None)
        after = new or (self.enum.new if new_value is None else None)
        numbers = {"old_value": old_value, "new_value": new_value}
        return Subject(self.entity, before.span if before else None, after.span if after else None, numbers)


def compare_enums(apis: ApisOnTarget) -> list[EnumPair]:
    """Compare all enumerations of the API that differ.

    Enumerators that are size constants belong to their structs and are left out. A name that has only moved, to another
    enumeration or to a macro of the same value, is no change.

    Returns:
        Named enumerations that both sides have, then those without a name, in OLD's order.
    """
    sentinels = apis.new.conventions.sentinels
    found = []
    for old, new in _candidates(apis):
        if old is None or new is None or old.enumerators != new.enumerators:
            changes = pair_enumerators(_list(old, apis.old_layouts), _list(new, apis.new_layouts), sentinels)
            found.append(EnumPair(old, new, _without_moves(changes, apis)))
    return found


def _candidates(apis: ApisOnTarget) -> Iterator[tuple[Enum | None, Enum | None]]:
    """Enumerations to compare: named ones by name, the others by the enumerators that they share."""
    for before, after in apis.pair.enums.both:
        if not before.anonymous and not after.anonymous:
            yield before, after
    free = [each for each in apis.new.enums.values() if each.anonymous]
    for enum in apis.old.enums.values():
        if not enum.anonymous:
            continue
        partner = _most_alike(enum, free)
        if partner is not None:
            free.remove(partner)
        if enum.in_api or (partner is not None and partner.in_api):
            yield enum, partner
    yield from ((None, each) for each in free if each.in_api)


def _without_moves(changes: EnumeratorChanges, apis: ApisOnTarget) -> EnumeratorChanges:
    """Leave out names that went to, or came from, elsewhere with their value; with another value they changed."""
    left: dict[str, list[EnumeratorChange]] = {"removed": [], "renamed": []}
    appended, changed = list(changes.appended), list(changes.changed)
    for kind, found in (("renamed", changes.renamed), ("removed", changes.removed)):
        for change in found:
            value = value_of(change.name, apis.new_layouts)
            if value is None:
                left[kind].append(change)
                continue
            if value != change.old_value:
                changed.append(change._replace(new_value=value, new=_enumerator(change.name, apis.new)))
            if change.new is not None and change.new.span and change.new.span.file in apis.new.files:
                appended.append(change._replace(old=None, old_value=None, is_alias=True, shifts=(), more_shifts=0))
    return changes._replace(
        removed=tuple(left["removed"]),
        renamed=tuple(left["renamed"]),
        changed=tuple(changed),
        inserted=tuple(each for each in changes.inserted if value_of(each.name, apis.old_layouts) is None),
        appended=tuple(each for each in appended if value_of(each.name, apis.old_layouts) is None),
    )


def _enumerator(name: str, api: Api) -> Enumerator | None:
    """NEW's enumerator of that name, in whichever enumeration."""
    found = (each for enum in api.enums.values() for each in enum.enumerators or () if each.name == name)
    return next(found, None)


def _list(enum: Enum | None, layouts: Layouts) -> EnumeratorList:
    """The enumerators that are no size constants, with their values."""
    if enum is None or not enum.enumerators:
        return EnumeratorList((), {})
    own = [each for each in enum.enumerators if each.name not in layouts.api.size_constants]
    values = layouts.enumerators(enum.name)
    return EnumeratorList(own, {each.name: values[each.name] for each in own})


def _most_alike(enum: Enum, others: Sequence[Enum]) -> Enum | None:
    """The one that shares most names with an enumeration; None when none shares any."""
    names = {each.name for each in enum.enumerators or ()}

    def shared(other: Enum) -> int:
        return sum(each.name in names for each in other.enumerators or ())

    best = max(others, key=shared, default=None)
    return best if best is not None and shared(best) else None
