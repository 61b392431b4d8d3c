"""What happened to the enumerators of one enumeration: causes, and the implicit values that they shift."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence, Set
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple

from abigen.check.reasons import listed
from abigen.check.struct_members import longest_increasing
from abigen.model.ctype import (
    AlignOf,
    Binary,
    Cast,
    Conditional,
    Expression,
    Name,
    OffsetOf,
    SizeOf,
    SizeOfMember,
    Unary,
)
from abigen.model.entities import Enumerator
from abigen.model.finding import Detail

_SHOWN = 6
_ENDS = re.compile(
    r"(?:^|_)(?:MAX|LAST|LATEST|CURRENT|NEWEST|HIGHEST|END|COUNT|NUM|NUMBER|TOTAL|NB|SENTINEL)(?:_|$)"
    r"|(?<=[a-z0-9])(?:Max|Last|Latest|Current|End|Count|Num)_?$"
    r"|(?:^|[a-z0-9_])Num[A-Z][A-Za-z]*s$"
)
"""Names that sound like the end of a list (`X_COUNT`, `kNumKinds`); that one is, its values have to show."""
_ENDS_SOMETHING_BEGUN = re.compile(r"(?:^|_)END(?:_|$)|(?<=[a-z0-9])End_?$")
_VERSION = re.compile(r"(?:^|_)VERSION(?:_|$)")
_BEGINS = re.compile(r"(?:^|_)(?:BEGIN|START)_?$|(?<=[a-z0-9])(?:Begin|Start)$")
_WORD = 1 << 32
PINS = (0x7FFFFFFF, 0xFFFFFFFF)
"""Values that keep a type 32 bits wide and are the end of nothing."""


class ShiftedValue(NamedTuple):
    """An enumerator whose value follows from others, and what it was and is."""

    name: str
    old: int
    new: int

    def __str__(self) -> str:
        """What it was and is."""
        return f"{self.name} from {self.old} to {self.new}"


class EnumeratorChange(NamedTuple):
    """What happened to one enumerator, and which values that shifts; None where a side does not have it."""

    old: Enumerator | None = None
    new: Enumerator | None = None
    old_value: int | None = None
    new_value: int | None = None
    shifts: tuple[ShiftedValue, ...] = ()
    """The first few values that moved for no reason of their own, sentinels left out."""
    more_shifts: int = 0
    """How many there are besides."""
    is_alias: bool = False
    """Another name has the same value on both sides."""
    is_sentinel: bool = False
    taken_from: str = ""
    """The name that had a new enumerator's value in OLD, and does not have it any more."""

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


class EnumeratorChanges(NamedTuple):
    """All that happened to the enumerators of one enumeration, by kind, in the order of the text."""

    removed: tuple[EnumeratorChange, ...] = ()
    renamed: tuple[EnumeratorChange, ...] = ()
    changed: tuple[EnumeratorChange, ...] = ()
    """Those whose value changed by their own doing."""
    inserted: tuple[EnumeratorChange, ...] = ()
    """New ones that shift others, or that have taken another one's value."""
    appended: tuple[EnumeratorChange, ...] = ()
    """New ones with a value of their own, wherever they stand in the text."""


class EnumeratorList:
    """The enumerators of one state of an enumeration, and their values on one target."""

    def __init__(self, enumerators: Sequence[Enumerator], values: Mapping[str, int]) -> None:
        """Index a list of enumerators.

        Args:
            enumerators: in the order of the text.
            values: by name, on one target.
        """
        self.enumerators = tuple(enumerators)
        self.values = values
        self.by_name = {each.name: each for each in enumerators}

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each name stands."""
        return {each.name: place for place, each in enumerate(self.enumerators)}

    @cached_property
    def ends(self) -> Sequence[int]:
        """For each place, where the run of implicit values behind it ends: the next explicit one's place."""
        found = [0] * len(self.enumerators)
        end = len(self.enumerators)
        for place in reversed(range(len(self.enumerators))):
            found[place] = end
            if self.enumerators[place].expression is not None:
                end = place
        return found


def pair_enumerators(old: EnumeratorList, new: EnumeratorList, sentinels: Sequence[str]) -> EnumeratorChanges:
    """Compare two states of an enumeration.

    A value that moves only because others came, went or moved before it, or because an expression names one that moved,
    is a consequence and is listed with its causes. Sentinels follow the rest, so they neither are nor show a change.

    Args:
        old: OLD's enumerators.
        new: NEW's enumerators.
        sentinels: patterns of names (`*_COUNT`).
    """
    return _EnumeratorPairing(old, new, sentinels).changes()


class _EnumeratorPairing:
    """Both states, and the steps that tell causes from consequences."""

    def __init__(self, old: EnumeratorList, new: EnumeratorList, sentinels: Sequence[str]) -> None:
        self.old = old
        self.new = new
        self.sentinels = sentinels

    def changes(self) -> EnumeratorChanges:
        """Everything, by kind."""
        removed = [each for each in self.old.enumerators if each.name not in self.new.by_name]
        added = [each for each in self.new.enumerators if each.name not in self.old.by_name]
        renames = self._renames(removed, added)
        taken = {after.name for after in renames.values()}
        gone = {each.name for each in removed if each.name not in renames}
        come = {each.name for each in added if each.name not in taken}
        explained = self._behind(self.new, come) | self._behind(self.old, gone)
        own = [name for name in self._shifted if self._is_cause(name, explained)]
        following = self._shifted.keys() - set(own)
        in_new, in_old = (
            (side, [place for place, each in enumerate(side.enumerators) if each.name in following])
            for side in (self.new, self.old)
        )
        fresh = [self._change(name, in_new) for name in self.new.by_name if name in come]
        return EnumeratorChanges(
            removed=tuple(self._change(name, in_old) for name in self.old.by_name if name in gone),
            renamed=tuple(self._change(before, in_new, after.name) for before, after in renames.items()),
            changed=tuple(self._change(name, in_new) for name in own),
            inserted=tuple(each for each in fresh if each.shifts or each.taken_from),
            appended=tuple(each for each in fresh if not (each.shifts or each.taken_from)),
        )

    @cached_property
    def _shifted(self) -> Mapping[str, None]:
        """Names of both sides with different values, sentinels left out, in OLD's order."""
        old, new = self.old.values, self.new.values
        return {
            name: None
            for name in self.old.by_name
            if name in self.new.by_name and not _same_bits(old[name], new[name]) and not self.is_sentinel(name)
        }

    def _behind(self, side: EnumeratorList, causes: set[str]) -> set[str]:
        """Names whose implicit value is counted from one that came or went, changed places, or has another value."""
        found: set[str] = set()
        is_behind = False
        for each in side.enumerators:
            if each.expression is None:
                if is_behind:
                    found.add(each.name)
            else:
                is_behind = each.name in self._shifted
            # What moved and kept its value, or is a sentinel, is not reported and so answers for nothing.
            has_moved = each.name in self._moved and each.name in self._shifted
            is_behind = is_behind or has_moved or each.name in causes
        return found

    def _is_cause(self, name: str, explained: set[str]) -> bool:
        """Whether a value changed by its own enumerator's doing."""
        before, after = self.old.by_name[name], self.new.by_name[name]
        if after.expression is not None:
            return before.expression != after.expression or not _follows(after.expression, self._shifted.keys())
        return before.expression is not None or name in self._moved or name not in explained

    def _change(self, name: str, followers: tuple[EnumeratorList, list[int]], new_name: str = "") -> EnumeratorChange:
        """Describe one enumerator, by OLD's name if it has one.

        Args:
            name: OLD's, or NEW's where OLD has none.
            followers: a side, and the places of its enumerators whose values merely follow from others.
            new_name: NEW's, where it is another one.
        """
        before, after = self.old.by_name.get(name), self.new.by_name.get(new_name or name)
        old_value = self.old.values[name] if before else None
        new_value = self.new.values[after.name] if after else None
        is_alias = (before is None or after is None) and (new_value if before is None else old_value) in self._kept
        is_sentinel = self.is_sentinel(name)
        taken_from = ""
        if before is None and not is_alias and not is_sentinel:
            taken_from = self._owners.get(new_value, "") if new_value is not None else ""
        side, places = followers
        place = side.places[new_name or name]
        behind = range(bisect_right(places, place), bisect_left(places, side.ends[place]))
        shown = [side.enumerators[places[index]].name for index in behind[:_SHOWN]]
        return EnumeratorChange(
            old=before,
            new=after,
            old_value=old_value,
            new_value=new_value,
            shifts=tuple(ShiftedValue(each, self.old.values[each], self.new.values[each]) for each in shown),
            more_shifts=len(behind) - len(shown),
            is_alias=is_alias,
            is_sentinel=is_sentinel,
            taken_from=taken_from,
        )

    @cached_property
    def _owners(self) -> Mapping[int, str]:
        """Each value of OLD to the first name that has it, sentinels left out."""
        return {self.old.values[name]: name for name in reversed(self.old.by_name) if not self.is_sentinel(name)}

    @cached_property
    def _kept(self) -> frozenset[int]:
        """Values that some name has on both sides."""
        return frozenset(value for name, value in self.old.values.items() if self.new.values.get(name) == value)

    def is_sentinel(self, name: str) -> bool:
        """Whether an enumerator marks the end of the list: by the patterns, or by its name and its place."""
        return name in self._ends or name in self._latest or any(fnmatchcase(name, each) for each in self.sentinels)

    @cached_property
    def _latest(self) -> frozenset[str]:
        """The name without a number among those of versions (`X_VERSION` beside `X_VERSION_1`), if it rises."""
        names = self.old.values.keys() | self.new.values.keys()
        if not all(map(_VERSION.search, names)):
            return frozenset()
        old, new = self.old.values, self.new.values
        return frozenset(n for n in names if n.endswith("VERSION") and n in old and n in new and old[n] < new[n])

    @cached_property
    def _ends(self) -> frozenset[str]:
        """Names that sound like an end, and have the highest value of their list, or the one behind it, throughout."""
        names = {name for side in (self.old, self.new) for name in side.by_name if _ENDS.search(name)}
        lists = (self.old.values, self.new.values)
        if any(_BEGINS.search(name) for values in lists for name in values):
            names = {name for name in names if not _ENDS_SOMETHING_BEGUN.search(name)}
        if not names:
            return frozenset()
        others = [[value for name, value in each.items() if not (name in names or value in PINS)] for each in lists]
        highest = [max(values, default=None) for values in others]
        return frozenset(
            name
            for name in names
            if all(
                name not in values or (top is not None and values[name] - top in (0, 1))
                for values, top in zip(lists, highest, strict=True)
            )
        )

    def _renames(self, removed: Sequence[Enumerator], added: Sequence[Enumerator]) -> dict[str, Enumerator]:
        """OLD's name to the new enumerator that has taken over its value."""
        free: dict[int, list[Enumerator]] = {}
        for each in reversed(added):
            free.setdefault(self.new.values[each.name], []).append(each)
        found: dict[str, Enumerator] = {}
        for each in removed:
            value = self.old.values[each.name]
            candidates = free.get(value, [])
            if candidates and value not in self._kept:
                is_sentinel = self.is_sentinel(each.name)
                other = next((one for one in reversed(candidates) if self.is_sentinel(one.name) == is_sentinel), None)
                if other is not None:
                    found[each.name] = other
                    candidates.remove(other)
        return found

    @cached_property
    def _moved(self) -> frozenset[str]:
        """Names of both sides that changed places, the fewest that explain the new order."""
        places = {each.name: place for place, each in enumerate(self.old.enumerators)}
        common = [places[each.name] for each in self.new.enumerators if each.name in places]
        kept = longest_increasing(common)
        return frozenset(self.old.enumerators[place].name for place in common if place not in kept)


def _same_bits(old: int, new: int) -> bool:
    """Whether two values are one number to 32 bits, with a sign and without (`1 << 31`, `1u << 31`)."""
    return old == new or (abs(old - new) == _WORD and min(old, new) >= -_WORD // 2)


def _follows(expression: Expression, shifted: Set[str]) -> bool:
    """Whether an expression that was not touched has another value for a reason that is reported elsewhere.

    It names an enumerator that moved, or measures a type.
    """
    if isinstance(expression, Name):
        return expression.name in shifted
    if isinstance(expression, Unary | Cast):
        return _follows(expression.operand, shifted)
    if isinstance(expression, Binary):
        return _follows(expression.left, shifted) or _follows(expression.right, shifted)
    if isinstance(expression, Conditional):
        return any(_follows(each, shifted) for each in (expression.condition, expression.then, expression.otherwise))
    return isinstance(expression, SizeOf | AlignOf | OffsetOf | SizeOfMember)
