"""Enumerations of both sides, and what happened to their enumerators: causes, and the implicit values they shift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from os.path import commonprefix
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from abigen.checker.constants import value_of
from abigen.checker.pairs import ApisOnTarget, out_of_order
from abigen.checker.rule import Subject, listed
from abigen.checker.sentinels import find_covers, find_sentinels, versions_that_rose
from abigen.model.ctype import AlignOf, Expression, Name, OffsetOf, SizeOf, SizeOfMember, parts
from abigen.model.entities import Enum, Enumerator
from abigen.model.finding import Detail
from abigen.model.layout import Layouts
from abigen.model.spelling import words_of

_SHOWN = 6
_WORD = 1 << 32


class ShiftedValue(msgspec.Struct, frozen=True):
    """An enumerator whose value follows from others, and what it was and is."""

    name: str
    old: int
    new: int

    def __str__(self) -> str:
        """Return the old and the new state."""
        return f"{self.name} from {self.old} to {self.new}"


class EnumeratorChange(msgspec.Struct, frozen=True):
    """The change of one enumerator, and the values that it shifts; None where a side does not have it."""

    old: Enumerator | None = None
    new: Enumerator | None = None
    old_value: int | None = None
    new_value: int | None = None
    shifts: tuple[ShiftedValue, ...] = ()
    """The first few values that moved for no reason of their own, sentinels left out."""
    more_shifts: int = 0
    """The number of further ones."""
    is_alias: bool = False
    """The other name that has the same value on both sides."""
    is_sentinel: bool = False
    grown_by: str = ""
    """Of a sentinel that grew: the new enumerator that it follows."""
    taken_from: str = ""
    """The name that had a new enumerator's value in OLD, and does not have it any more."""
    is_alike: bool = True
    """Of one with another name: whether the names have anything in common but what all of the list have."""
    may_end: str = ""
    """The name of the last one of the list, if it is all that moves, and may be what ends the list."""

    @property
    def name(self) -> str:
        """OLD's name, or NEW's where OLD has none."""
        enumerator = self.old or self.new
        return enumerator.name if enumerator else ""

    @property
    def moves(self) -> tuple[Detail, ...]:
        """The values that it moves."""
        clauses = [str(each) for each in self.shifts]
        return (Detail("moves", listed(clauses, len(clauses) + self.more_shifts)),) if clauses else ()


class EnumeratorChanges(msgspec.Struct, frozen=True):
    """The changes of the enumerators of one enumeration, by kind, in the order of the text."""

    removed: tuple[EnumeratorChange, ...] = ()
    renamed: tuple[EnumeratorChange, ...] = ()
    changed: tuple[EnumeratorChange, ...] = ()
    """The enumerators whose value changed by an edit of their own."""
    inserted: tuple[EnumeratorChange, ...] = ()
    """New ones that shift others, or that have taken another one's value."""
    appended: tuple[EnumeratorChange, ...] = ()
    """New ones with a value of their own, wherever they stand in the text."""
    moved: tuple[EnumeratorChange, ...] = ()
    """The enumerators that another named enumeration has now, with their value."""
    grown: tuple[EnumeratorChange, ...] = ()
    """The enumerators that are meant to change: sentinels that grew, and numbers of versions that rose."""


class EnumeratorList:
    """The enumerators of one state of an enumeration, in the order of the text, and their values on one target."""

    def __init__(self, enumerators: Sequence[Enumerator], values: Mapping[str, int]) -> None:
        """Index a list of enumerators."""
        self.enumerators, self.values = enumerators, values
        self.by_name = {each.name: each for each in enumerators}


def pair_enumerators(
    old: EnumeratorList, new: EnumeratorList, sentinels: Sequence[str], *, is_named: bool
) -> EnumeratorChanges:
    """Compare two states of an enumeration.

    A value that moves only because others came, went or moved before it, or because an expression names one that moved,
    is a consequence and is listed with its causes. Sentinels that grow with the list are told apart from these.

    Args:
        old: OLD's enumerators.
        new: NEW's enumerators.
        sentinels: patterns of names (`*_COUNT`).
        is_named: True if both have a name; the enumerators of others are constants.
    """
    return _EnumeratorPairing(old, new, sentinels, is_named=is_named).changes()


_Runs: TypeAlias = Mapping[str, tuple[tuple[ShiftedValue, ...], int]]
"""Each name to the first values behind it that merely follow from others, and how many there are besides."""


class _EnumeratorPairing:
    """The states of both sides, and the steps that separate causes from consequences."""

    def __init__(self, old: EnumeratorList, new: EnumeratorList, sentinels: Sequence[str], *, is_named: bool) -> None:
        self.old, self.new, self.is_named = old, new, is_named
        comments = {each.name: each.doc for each in (*old.enumerators, *new.enumerators)}
        found = find_sentinels(old.values, new.values, comments, sentinels) if old.values and new.values else {}
        found = {**found, **find_covers(old.values, new.values)}
        self.sentinels = {**dict.fromkeys(versions_that_rose(old.values, new.values, is_named=is_named), ""), **found}
        """The enumerators that are meant to move, each to the new enumerator by which it grew."""
        both = [name for name in old.by_name if name in new.by_name and name not in self.sentinels]
        self.shifted = {name: None for name in both if not _same_bits(old.values[name], new.values[name])}
        """Names of both sides with different values, sentinels left out, in OLD's order."""
        self.kept = {value for name, value in old.values.items() if new.values.get(name) == value}
        """Values that some name has on both sides."""
        self.owners = {old.values[name]: name for name in reversed(old.by_name) if name not in self.sentinels}
        """Each value of OLD to the first name that has it, sentinels left out."""
        self.moved = out_of_order(old.by_name, new.by_name)
        """Names of both sides that changed places, the fewest that explain the new order."""

    def changes(self) -> EnumeratorChanges:
        """Return all changes, by kind."""
        removed = [each for each in self.old.enumerators if each.name not in self.new.by_name]
        added = [each for each in self.new.enumerators if each.name not in self.old.by_name]
        renames = self._renames(removed, added)
        taken = {after.name for after in renames.values()}
        gone = {each.name for each in removed if each.name not in renames}
        come = {each.name for each in added if each.name not in taken}
        explained = self._behind(self.new, come) | self._behind(self.old, gone)
        own = [name for name in self.shifted if self._is_cause(name, explained)]
        following = self.shifted.keys() - set(own)
        in_new, in_old = self._runs(self.new, following), self._runs(self.old, following)
        fresh = [self._change(name, in_new) for name in self.new.by_name if name in come]
        return EnumeratorChanges(
            removed=tuple(self._change(name, in_old) for name in self.old.by_name if name in gone),
            renamed=tuple(self._change(before, in_new, after.name) for before, after in renames.items()),
            changed=tuple(self._change(name, in_new) for name in own),
            inserted=tuple(each for each in fresh if each.shifts or each.taken_from),
            appended=tuple(each for each in fresh if not (each.shifts or each.taken_from)),
            grown=tuple(
                self._change(name, in_new)
                for name, value in self.old.values.items()
                if name in self.sentinels and self.new.values.get(name, value) != value
            ),
        )

    def _behind(self, side: EnumeratorList, causes: set[str]) -> set[str]:
        """Return names whose implicit value counts from a name that was added, removed, moved or changed."""
        found: set[str] = set()
        is_behind = False
        for each in side.enumerators:
            if each.expression is not None:
                is_behind = each.name in self.shifted
            elif is_behind:
                found.add(each.name)
            # What moved and kept its value, or is a sentinel, is not reported and so answers for nothing.
            has_moved = each.name in self.moved and each.name in self.shifted
            is_behind = is_behind or has_moved or each.name in causes
        return found

    def _runs(self, side: EnumeratorList, following: Set[str]) -> _Runs:
        """Return the enumerators after each name of one side, up to the next explicit value."""
        found: dict[str, tuple[tuple[ShiftedValue, ...], int]] = {}
        shown: tuple[ShiftedValue, ...] = ()
        more = 0
        for each in reversed(side.enumerators):
            found[each.name] = shown, more
            if each.expression is not None:
                shown, more = (), 0
            elif each.name in following:
                more += len(shown) == _SHOWN
                value = ShiftedValue(each.name, self.old.values[each.name], self.new.values[each.name])
                shown = (value, *shown)[:_SHOWN]
        return found

    def _is_cause(self, name: str, explained: set[str]) -> bool:
        """True if a value changed by its own enumerator's doing."""
        before, after = self.old.by_name[name], self.new.by_name[name]
        if after.expression is not None:
            return before.expression != after.expression or not _follows(after.expression, self.shifted.keys())
        return before.expression is not None or name in self.moved or name not in explained

    def _change(self, name: str, runs: _Runs, new_name: str = "") -> EnumeratorChange:
        """Describe one enumerator, by OLD's name if it has one.

        Args:
            name: OLD's, or NEW's where OLD has none.
            runs: the values behind each one, of the side that shows them.
            new_name: NEW's, where it is another one.
        """
        before, after = self.old.by_name.get(name), self.new.by_name.get(new_name or name)
        old_value, new_value = self.old.values.get(name), self.new.values.get(new_name or name)
        is_alias = (before is None or after is None) and (new_value if before is None else old_value) in self.kept
        is_sentinel = name in self.sentinels
        is_told = before is not None or is_alias or is_sentinel
        shifts, more_shifts = runs[new_name or name]
        return EnumeratorChange(
            old=before,
            new=after,
            old_value=old_value,
            new_value=new_value,
            shifts=shifts,
            more_shifts=more_shifts,
            is_alias=is_alias,
            is_sentinel=is_sentinel,
            grown_by=self.sentinels.get(name, ""),
            taken_from="" if is_told or new_value is None else self.owners.get(new_value, ""),
            is_alike=not new_name or self._is_alike(name, new_name),
            may_end=next((one.name for one in shifts[:1] if self.is_named and one.name == [*self.new.by_name][-1]), ""),
        )

    def _renames(self, removed: Sequence[Enumerator], added: Sequence[Enumerator]) -> dict[str, Enumerator]:
        """Return OLD's name to the new enumerator that has taken over its value."""
        free: dict[int, list[Enumerator]] = {}
        for each in reversed(added):
            free.setdefault(self.new.values[each.name], []).append(each)
        found: dict[str, Enumerator] = {}
        for each in removed:
            value = self.old.values[each.name]
            candidates = free.get(value, [])
            if candidates and value not in self.kept:
                is_end = each.name in self.sentinels
                other = next((one for one in reversed(candidates) if (one.name in self.sentinels) == is_end), None)
                if other is not None and self._may_be(each, other, added):
                    found[each.name] = other
                    candidates.remove(other)
        return found

    def _may_be(self, old: Enumerator, new: Enumerator, added: Sequence[Enumerator]) -> bool:
        """True if one is the other by its name: they share a word, or OLD's shares none with any new one."""
        return self._is_alike(old.name, new.name) or not any(self._is_alike(old.name, each.name) for each in added)

    def _is_alike(self, old: str, new: str) -> bool:
        """True if two names share a word that not all of OLD's names have, or differ in what all names begin with."""
        is_shared = not (set(words_of(old)) - self._common).isdisjoint(words_of(new))
        rests = [name[len(begin) :] for name, begin in zip((old, new), self._begins, strict=True)]
        return is_shared or (rests[0] == rests[1] != "")

    @cached_property
    def _begins(self) -> tuple[str, str]:
        """Return the common prefix of all of OLD's names, and of all of NEW's: `k` and `kDL`."""
        names = (list(side.values) for side in (self.old, self.new))
        old, new = (commonprefix(each) for each in names)  # noqa: RUF071 - characters are what counts here
        return old, new

    @cached_property
    def _common(self) -> set[str]:
        """The words that all of OLD's names have."""
        return set.intersection(*(set(words_of(name)) for name in self.old.values))


def _same_bits(old: int, new: int) -> bool:
    """True if two values are one number to 32 bits, with a sign and without (`1 << 31`, `1u << 31`)."""
    return old == new or (abs(old - new) == _WORD and min(old, new) >= -_WORD // 2)


def _follows(expression: Expression, shifted: Set[str]) -> bool:
    """True if an expression that was not touched has another value for a reason that is reported elsewhere.

    It names an enumerator that moved, or measures a type.
    """
    if isinstance(expression, Name):
        return expression.name in shifted
    if isinstance(expression, (SizeOf, AlignOf, OffsetOf, SizeOfMember)):
        return True
    return any(_follows(part, shifted) for part in parts(expression) if isinstance(part, Expression))


class EnumPair(msgspec.Struct, frozen=True):
    """An enumeration; a side is None when an enumeration without a name was added or removed as a whole."""

    old: Enum | None
    new: Enum | None
    changes: EnumeratorChanges


class EnumeratorCase(msgspec.Struct, frozen=True):
    """An enumerator that changed, as rules receive it."""

    apis: ApisOnTarget
    enum: EnumPair
    change: EnumeratorChange

    @property
    def entity(self) -> str:
        """The name in findings: an enumeration without a name leaves the enumerator's name bare."""
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
        Named enumerations that both sides have, then those without a name in OLD, in OLD's order.
    """
    sentinels = apis.new.conventions.sentinels
    found = []
    for old, new in _candidates(apis):
        if old is None or new is None or old.enumerators != new.enumerators:
            is_named = old is not None and new is not None and not (old.anonymous or new.anonymous)
            lists = _list(old, apis.old_layouts), _list(new, apis.new_layouts)
            changes = pair_enumerators(*lists, sentinels, is_named=is_named)
            found.append(EnumPair(old, new, _without_moves(old, changes, apis)))
    return found


def _candidates(apis: ApisOnTarget) -> Iterator[tuple[Enum | None, Enum | None]]:
    """Enumerations to compare: named ones by name, the others by the enumerators that they share."""
    paired: set[str] = set()
    for before, after in apis.pair.enums.both:
        if not (before.anonymous and after.anonymous):
            paired |= {before.name, after.name}
            yield before, after
    free = [each for each in apis.new.enums.values() if each.anonymous and each.name not in paired]
    for enum in apis.old.enums.values():
        if not enum.anonymous or enum.name in paired:
            continue
        partner = _most_alike(enum, free)
        if partner is not None:
            free.remove(partner)
        if enum.in_api or (partner is not None and partner.in_api):
            yield enum, partner
    yield from ((None, each) for each in free if each.in_api)


def _without_moves(old: Enum | None, changes: EnumeratorChanges, apis: ApisOnTarget) -> EnumeratorChanges:
    """Leave out names that went to, or came from, elsewhere with their value; with another value they changed."""
    left: dict[str, list[EnumeratorChange]] = {"removed": [], "renamed": []}
    appended, changed = list(changes.appended), list(changes.changed)
    moved: list[EnumeratorChange] = []
    for kind, found in (("renamed", changes.renamed), ("removed", changes.removed)):
        for change in found:
            value = value_of(change.name, apis.new_layouts)
            if value is None:
                left[kind].append(change)
                continue
            is_named = old is not None and not old.anonymous
            home = apis.new.enums_of_enumerators.get(change.name)
            if is_named and value == change.old_value and home is not None and not home.anonymous:
                moved.append(change)
            if value != change.old_value:
                changed.append(replace(change, new_value=value, new=apis.new.enumerators.get(change.name)))
            if change.new is not None and change.new.span and change.new.span.file in apis.new.files:
                appended.append(replace(change, old=None, old_value=None, is_alias=True, shifts=(), more_shifts=0))
    return replace(
        changes,
        removed=tuple(left["removed"]),
        renamed=tuple(left["renamed"]),
        changed=tuple(changed),
        moved=tuple(moved),
        inserted=tuple(each for each in changes.inserted if value_of(each.name, apis.old_layouts) is None),
        appended=tuple(each for each in appended if value_of(each.name, apis.old_layouts) is None),
    )


def _list(enum: Enum | None, layouts: Layouts) -> EnumeratorList:
    """Return the enumerators that are no size constants, with their values."""
    if enum is None or not enum.enumerators:
        return EnumeratorList((), {})
    own = [each for each in enum.enumerators if each.name not in layouts.api.size_constants]
    values = layouts.enumerators(enum.name)
    return EnumeratorList(own, {each.name: values[each.name] for each in own})


def _most_alike(enum: Enum, others: Sequence[Enum]) -> Enum | None:
    """Return the one that shares most names with an enumeration; None when none shares any."""
    names = {each.name for each in enum.enumerators or ()}

    def shared(other: Enum) -> int:
        return sum(each.name in names for each in other.enumerators or ())

    best = max(others, key=shared, default=None)
    return best if best is not None and shared(best) else None
