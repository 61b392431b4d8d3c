"""Enumerations of both sides with everything that happened to their enumerators, on one target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from abigen.check.pairing.api import ApiPair
from abigen.model.entities import Enum, Enumerator
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError

if TYPE_CHECKING:
    from abigen.check.pairing.enumerators import EnumeratorChange, EnumeratorChanges, EnumeratorList


class EnumPair(NamedTuple):
    """One enumeration; a side is None when an enumeration without a name came or went as a whole."""

    old: Enum | None
    new: Enum | None
    changes: EnumeratorChanges

    def entity(self, enumerator: str) -> str:
        """What findings call one of its enumerators: a type without a name leaves it bare."""
        enum = self.old or self.new
        return enumerator if enum is None or enum.anonymous else f"{enum.name}.{enumerator}"


def compare_enums(pair: ApiPair, old_layouts: Layouts, new_layouts: Layouts) -> tuple[EnumPair, ...]:
    """Compare all enumerations of the API that differ.

    Enumerators that are size constants belong to their structs and are left out. A name that has only moved, to another
    enumeration or to a macro of the same value, is no change.

    Args:
        pair: both APIs.
        old_layouts: OLD's, on one target; they know the values.
        new_layouts: NEW's.

    Returns:
        Named enumerations that both sides have, then those without a name, in OLD's order.
    """
    return tuple(_Comparison(pair, old_layouts, new_layouts).pairs())


class _Comparison(NamedTuple):
    """Both APIs with their values."""

    pair: ApiPair
    old: Layouts
    new: Layouts

    def pairs(self) -> Iterator[EnumPair]:
        """Every enumeration that differs."""
        for before, after in self.candidates():
            if before is not None and after is not None and before.enumerators == after.enumerators:
                continue
            from abigen.check.pairing.enumerators import pair_enumerators

            changes = pair_enumerators(
                _list(before, self.old), _list(after, self.new), self.pair.new.conventions.sentinels
            )
            yield EnumPair(before, after, self.without_moves(changes))

    def candidates(self) -> Iterator[tuple[Enum | None, Enum | None]]:
        """Enumerations to compare: named ones by name, the others by the enumerators that they share."""
        enums = self.pair.enums
        for before, after in enums.both:
            if not before.anonymous and not after.anonymous:
                yield before, after
        free = [each for each in self.pair.new.enums.values() if each.anonymous]
        for enum in self.pair.old.enums.values():
            if not enum.anonymous:
                continue
            partner = _most_alike(enum, free)
            if partner is not None:
                free.remove(partner)
            if enum.in_api or (partner is not None and partner.in_api):
                yield enum, partner
        yield from ((None, each) for each in free if each.in_api)

    def without_moves(self, changes: EnumeratorChanges) -> EnumeratorChanges:
        """Leave out names that went to, or came from, elsewhere with their value; with another value they changed."""
        removed: list[EnumeratorChange] = []
        renamed: list[EnumeratorChange] = []
        appended = list(changes.appended)
        changed = list(changes.changed)
        for change in changes.renamed:
            name = change.old.name if change.old else ""
            value = value_of(name, self.new)
            if value is None:
                renamed.append(change)
                continue
            if value != change.old_value:
                changed.append(change._replace(new_value=value, new=self._enumerator(name)))
            if change.new is not None and self._is_own(change.new):
                appended.append(change._replace(old=None, old_value=None, is_alias=True, shifts=(), more_shifts=0))
        for change in changes.removed:
            name = change.old.name if change.old else ""
            value = value_of(name, self.new)
            if value is None:
                removed.append(change)
            elif value != change.old_value:
                changed.append(change._replace(new_value=value, new=self._enumerator(name)))
        return changes._replace(
            removed=tuple(removed),
            renamed=tuple(renamed),
            changed=tuple(changed),
            inserted=tuple(each for each in changes.inserted if not self._came_from_elsewhere(each)),
            appended=tuple(each for each in appended if not self._came_from_elsewhere(each)),
        )

    def _came_from_elsewhere(self, change: EnumeratorChange) -> bool:
        """Whether OLD had a name of that kind already; a change of its value shows where it was."""
        return change.new is not None and value_of(change.new.name, self.old) is not None

    def _is_own(self, enumerator: Enumerator) -> bool:
        """Whether one of NEW's enumerators stands in the API's own files."""
        return enumerator.span is not None and enumerator.span.file in self.pair.new.files

    def _enumerator(self, name: str) -> Enumerator | None:
        """NEW's enumerator of that name, in whichever enumeration."""
        found = (each for enum in self.pair.new.enums.values() for each in enum.enumerators or () if each.name == name)
        return next(found, None)


def value_of(name: str, layouts: Layouts) -> int | None:
    """The value of an enumerator or of an object-like macro on a target; None when there is neither, or no number."""
    found = layouts.enumerator(name)
    if found is not None:
        return found[0]
    constant = layouts.api.constants.get(name)
    if constant is None or constant.expression is None:
        return None
    try:
        return layouts.evaluate(constant.expression)
    except AbigenError:
        return None


def _list(enum: Enum | None, layouts: Layouts) -> EnumeratorList:
    """The enumerators that are no size constants, with their values."""
    from abigen.check.pairing.enumerators import EnumeratorList

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
