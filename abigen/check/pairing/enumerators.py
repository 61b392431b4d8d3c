"""Pairing the enumerators of two states of an enumeration: causes, and the implicit values that they shift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

from abigen.check.pairing.sequence import longest_increasing
from abigen.model.ctype import Binary, Cast, Conditional, Expression, Name, Unary
from abigen.model.entities import Enumerator


@dataclass(frozen=True)
class Shift:
    """An enumerator whose value follows from others, and what it was and is."""

    name: str
    old: int
    new: int

    def __str__(self) -> str:
        """What it was and is."""
        return f"{self.name} from {self.old} to {self.new}"


@dataclass(frozen=True, kw_only=True)
class EnumeratorChange:
    """What happened to one enumerator, and which values that shifts; None where a side does not have it."""

    old: Enumerator | None = None
    new: Enumerator | None = None
    old_value: int | None = None
    new_value: int | None = None
    shifts: tuple[Shift, ...] = ()
    """Values that moved for no reason of their own, sentinels left out."""
    is_alias: bool = False
    """Another name on the side that lacks it has the same value."""
    is_sentinel: bool = False


@dataclass(frozen=True, kw_only=True)
class EnumeratorChanges:
    """All that happened to the enumerators of one enumeration, by kind, in the order of the text."""

    removed: tuple[EnumeratorChange, ...] = ()
    renamed: tuple[EnumeratorChange, ...] = ()
    changed: tuple[EnumeratorChange, ...] = ()
    """Those whose value changed by their own doing."""
    inserted: tuple[EnumeratorChange, ...] = ()
    """New ones that shift others."""
    appended: tuple[EnumeratorChange, ...] = ()
    """New ones that shift no other, wherever they stand in the text."""


@dataclass(frozen=True)
class EnumeratorList:
    """The enumerators of one state of an enumeration, and their values on one target."""

    enumerators: tuple[Enumerator, ...]
    values: Mapping[str, int]
    by_name: Mapping[str, Enumerator] = field(default_factory=dict)

    @classmethod
    def of(cls, enumerators: Sequence[Enumerator], values: Mapping[str, int]) -> EnumeratorList:
        """Index a list of enumerators.

        Args:
            enumerators: in the order of the text.
            values: by name, on one target.
        """
        return cls(tuple(enumerators), values, {each.name: each for each in enumerators})

    def run(self, name: str) -> list[Enumerator]:
        """What an implicit value is counted from: the enumerators before it, nearest first, up to an explicit one."""
        place = next(index for index, each in enumerate(self.enumerators) if each.name == name)
        found: list[Enumerator] = []
        for each in reversed(self.enumerators[:place]):
            found.append(each)
            if each.expression is not None:
                break
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
    return _Pairing(old, new, tuple(sentinels)).changes()


@dataclass(frozen=True)
class _Pairing:
    """Both states, and the steps that tell causes from consequences."""

    old: EnumeratorList
    new: EnumeratorList
    sentinels: tuple[str, ...]

    def changes(self) -> EnumeratorChanges:
        """Everything, by kind."""
        removed = [each for each in self.old.enumerators if each.name not in self.new.by_name]
        added = [each for each in self.new.enumerators if each.name not in self.old.by_name]
        renames = self.renames(removed, added)
        new_names = {after.name for after in renames.values()}
        shifted = [name for name in self.old.by_name if self.is_shifted(name)]
        causes = {name: self.causes(name, renames) for name in shifted}
        own = [name for name in shifted if not causes[name] and not self.is_sentinel(name)]
        shifts: dict[str, list[Shift]] = {}
        for name, found in causes.items():
            if not self.is_sentinel(name):
                for cause in found:
                    shifts.setdefault(cause, []).append(Shift(name, self.old.values[name], self.new.values[name]))
        fresh = [each for each in added if each.name not in new_names]
        return EnumeratorChanges(
            removed=tuple(self.change(each.name, shifts) for each in removed if each.name not in renames),
            renamed=tuple(self.change(before, shifts, after.name) for before, after in renames.items()),
            changed=tuple(self.change(name, shifts) for name in own),
            inserted=tuple(self.change(each.name, shifts) for each in fresh if each.name in shifts),
            appended=tuple(self.change(each.name, shifts) for each in fresh if each.name not in shifts),
        )

    def change(self, name: str, shifts: Mapping[str, list[Shift]], new_name: str = "") -> EnumeratorChange:
        """Describe one enumerator, by OLD's name if it has one."""
        before, after = self.old.by_name.get(name), self.new.by_name.get(new_name or name)
        values = self.old.values if after is not None else self.new.values
        value = self.new.values[after.name] if after is not None else self.old.values[name]
        return EnumeratorChange(
            old=before,
            new=after,
            old_value=self.old.values[name] if before else None,
            new_value=self.new.values[after.name] if after else None,
            shifts=tuple(shifts.get(name, ())),
            is_alias=(before is None or after is None) and value in values.values(),
            is_sentinel=self.is_sentinel(name),
        )

    def is_sentinel(self, name: str) -> bool:
        """Whether an enumerator marks the end of the list."""
        return any(fnmatchcase(name, pattern) for pattern in self.sentinels)

    def is_shifted(self, name: str) -> bool:
        """Whether both sides have a name, with different values."""
        both = name in self.old.by_name and name in self.new.by_name
        return both and self.old.values[name] != self.new.values[name]

    def renames(self, removed: Sequence[Enumerator], added: Sequence[Enumerator]) -> dict[str, Enumerator]:
        """OLD's name to the new enumerator that has taken over its value."""
        still = {value for name, value in self.old.values.items() if self.new.values.get(name) == value}
        free = list(added)
        found: dict[str, Enumerator] = {}
        for each in removed:
            value = self.old.values[each.name]
            if value in still:
                continue
            for other in free:
                same_role = self.is_sentinel(each.name) == self.is_sentinel(other.name)
                if same_role and self.new.values[other.name] == value:
                    found[each.name] = other
                    free.remove(other)
                    break
        return found

    def causes(self, name: str, renames: Mapping[str, Enumerator]) -> list[str]:
        """Other enumerators that moved this one's value, by OLD's name if they have one; none if it moved itself."""
        before, after = self.old.by_name[name], self.new.by_name[name]
        if after.expression is not None:
            named = [each for each in _names(after.expression) if self.is_shifted(each)]
            return named if before.expression == after.expression else []
        if before.expression is not None or name in self._moved:
            return []
        old_run, new_run = self.old.run(name), self.new.run(name)
        old_names, new_names = {each.name for each in old_run}, {each.name for each in new_run}
        taken = {after.name for after in renames.values()}
        found = [each.name for each in new_run if each.name not in self.old.by_name and each.name not in taken]
        found += [each.name for each in old_run if each.name not in self.new.by_name and each.name not in renames]
        for each in dict.fromkeys([*old_names, *new_names]):
            if each in self._moved and (each in old_names) != (each in new_names):
                found.append(each)
        anchor = new_run[-1] if new_run else None
        if anchor is not None and anchor.expression is not None and self.is_shifted(anchor.name):
            deeper = self.causes(anchor.name, renames)
            found += deeper or [anchor.name]
        return list(dict.fromkeys(found))

    @cached_property
    def _moved(self) -> frozenset[str]:
        """Names of both sides that changed places, the fewest that explain the new order."""
        places = {each.name: place for place, each in enumerate(self.old.enumerators)}
        common = [places[each.name] for each in self.new.enumerators if each.name in places]
        kept = longest_increasing(common)
        return frozenset(self.old.enumerators[place].name for place in common if place not in kept)


def _names(expression: Expression) -> Iterator[str]:
    """The enumerators that an expression names."""
    if isinstance(expression, Name):
        yield expression.name
    elif isinstance(expression, Unary | Cast):
        yield from _names(expression.operand)
    elif isinstance(expression, Binary):
        yield from _names(expression.left)
        yield from _names(expression.right)
    elif isinstance(expression, Conditional):
        for each in (expression.condition, expression.then, expression.otherwise):
            yield from _names(each)
