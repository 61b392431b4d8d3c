"""Rename detection: which new name, type, member or parameter is an old one that is called otherwise now.

All thresholds stand here, also those of `signature` (parameters) and `comparison` (structs that were split). Members
and enumerators need none: a member is renamed when another name has its place and type (`members`), an enumerator when
another name has its value (`enumerators`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import TypeAlias, TypeVar

from abigen.model.api import Api
from abigen.model.ctype import Array, CType, EnumType, FunctionType, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Entity, Enum, Function, Struct, Typedef, Variable
from abigen.model.identifiers import screaming_snake, words_of

Named = TypeVar("Named", bound=Entity)
Composite: TypeAlias = Struct | Enum
Typed: TypeAlias = Function | Typedef | Variable

ALIKE = 0.6
"""Names: how alike what two of them do not have in common has to be, from 0 to 1."""
MANY_NAMES = 50_000
"""Names: with more pairs than this, only those that stand in the same place are compared."""
SHARE = 0.5
"""Types: more than this share of their own members two of them have to have in common."""
FEW_MEMBERS = 3
"""Types: with fewer own members than this, only having exactly the same ones means something."""
COMMONPLACE = 3
"""Types: a member's name that so many structs of one API have tells none of them from another."""
FEWEST_SPLIT = 2
"""Structs that were split: so many members at least have to have gone into the new struct."""
PARAMETER_ABSENT = 1.0
PARAMETER_RETYPED = 0.6
PARAMETER_RENAMED = 0.3
PARAMETER_FORBIDDEN = 2.5
"""Parameters: what it costs to take one away, to give it another type, another name, and what is never done. The
cheapest way from the old list to the new one counts; another type and another name cost less than taking one away."""


def renamed(
    old: Mapping[str, Named],
    new: Mapping[str, Named],
    removed: Sequence[Named],
    added: Sequence[Named],
    is_equal: Callable[[Named, Named], bool],
) -> dict[str, Named]:
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
    words = {each.name: words_of(each.name) for each in (*removed, *added)}
    is_large = len(removed) * len(added) > MANY_NAMES
    by_place = {new_places[after.name]: [after] for after in added} if is_large else {}
    scores: list[tuple[float, str, Named]] = []
    for before in removed:
        for after in by_place.get(old_places[before.name], ()) if is_large else added:
            is_same_place = old_places[before.name] == new_places[after.name]
            score = _likeness(words[before.name], words[after.name], is_same_place)
            if score >= ALIKE and is_equal(before, after):
                scores.append((score, before.name, after))
    found: dict[str, Named] = {}
    taken: set[str] = set()
    for _, name, after in sorted(scores, key=lambda each: -each[0]):
        if name not in found and after.name not in taken:
            found[name] = after
            taken.add(after.name)
    return found


def _places(own: Mapping[str, Named], other: Mapping[str, Named]) -> dict[str, tuple[str, int]]:
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
        return ALIKE
    return SequenceMatcher(None, *rest, autojunk=False).ratio()


class TypeLikeness:
    """Compares types of two APIs by the names and types of the members that are theirs alone."""

    def __init__(self, old: Api, new: Api) -> None:
        """Compare types of `old` with types of `new`."""
        self.old, self.new = old, new

    def pair(self, pairs: dict[str, str], old: Mapping[str, Composite], new: Mapping[str, Composite]) -> None:
        """Pair types that exist on one side only and have the same members, or most of them.

        Only where there is no second choice.

        Args:
            pairs: keys of OLD to keys of NEW; what is found is added.
            old: OLD's types of one kind.
            new: NEW's types of that kind.
        """
        if len(pairs) == len(old):
            return
        taken = set(pairs.values())
        self._pair_equal(
            pairs,
            [each for key, each in old.items() if key not in pairs],
            [each for key, each in new.items() if key not in taken],
        )
        taken = set(pairs.values())
        gone = [(each, own) for key, each in old.items() if key not in pairs and (own := self._own(each))]
        come = [(each, own) for key, each in new.items() if key not in taken and (own := self._own(each))]
        alike = [(each, other) for each, own in gone for other, theirs in come if not own.isdisjoint(theirs)]
        for is_fit in (self._same, self._most):
            fits = [(before, after) for before, after in alike if is_fit(before, after)]
            rivals = Counter(after.name for _, after in fits)
            for before in [each for each, _ in gone if each.name not in pairs]:
                free = [after.name for each, after in fits if each is before and after.name not in taken]
                if len(free) == 1 and rivals[free[0]] == 1:
                    pairs[before.name] = free[0]
                    taken.add(free[0])

    def _pair_equal(self, pairs: dict[str, str], gone: Sequence[Composite], come: Sequence[Composite]) -> None:
        """Pair structs with a name that have the same members of the same types, however common the members' names are.

        Where several are equal, their uses tell, then their names, then their order.
        """
        by_names: dict[tuple[str, ...], list[Composite]] = {}
        for after in come:
            by_names.setdefault(_names(after), []).append(after)
        rivals = ((before, after) for before in gone for after in by_names.get(_names(before), ()))
        equal = [pair for pair in rivals if self._equal(*pair)]
        uses = set(_same_uses(self.old, self.new, pairs)) if len(equal) > 1 else set()
        words = {each.name: words_of(each.name) for pair in equal for each in pair}

        def rank(pair: tuple[Composite, Composite]) -> tuple[bool, float]:
            before, after = (each.name for each in pair)
            return (before, after) not in uses, -_likeness(words[before], words[after], is_same_place=False)

        taken: set[str] = set()
        for before, after in sorted(equal, key=rank):
            if before.name not in pairs and after.name not in taken:
                pairs[before.name] = after.name
                taken.add(after.name)

    def _equal(self, old: Composite, new: Composite) -> bool:
        """Whether two types with members of the same names are structs or unions with a name, and of the same types."""
        if not (isinstance(old, Struct) and isinstance(new, Struct) and old.fields and new.fields):
            return False
        if old.anonymous or new.anonymous or old.kind != new.kind:
            return False
        return all(self._same_type(each.type, other.type) for each, other in zip(old.fields, new.fields, strict=True))

    def _same_type(self, old: CType, new: CType) -> bool:
        """Whether two types are the same through typedefs, but for names that are gone where others have come."""
        before, after = self.old.resolve(old), self.new.resolve(new)
        if self._may_be(before, after):
            return True
        if isinstance(before, FunctionType) and isinstance(after, FunctionType):
            olds, news = ([each.result, *(one.type for one in each.parameters)] for each in (before, after))
            is_alike = (before.variadic, len(olds)) == (after.variadic, len(news))
            return is_alike and all(self._same_type(*each) for each in zip(olds, news, strict=True))
        if isinstance(before, Pointer) and isinstance(after, Pointer):
            return before.block == after.block and self._same_type(before.target, after.target)
        if isinstance(before, Qualified) and isinstance(after, Qualified):
            return before.qualifiers == after.qualifiers and self._same_type(before.type, after.type)
        if isinstance(before, Array) and isinstance(after, Array):
            return before.length == after.length and self._same_type(before.element, after.element)
        return False

    def alike(self, old: Composite | None, new: Composite | None) -> bool:
        """Whether one may be the other: both opaque or without a name, or with most of their own members in common."""
        if old is None or new is None:
            return False
        if old.anonymous and new.anonymous:
            return True
        before, after = _names(old), _names(new)
        if not before or not after:
            return not before and not after
        return self._overlap(old, new) > SHARE

    def _same(self, old: Composite, new: Composite) -> bool:
        """Whether two types have the same members in the same order."""
        return _names(old) == _names(new) and _kind(old) == _kind(new) and self._types_agree(old, new)

    def _most(self, old: Composite, new: Composite) -> bool:
        """Whether two types with several members of their own have most of them in common."""
        return min(len(self._own(old)), len(self._own(new))) >= FEW_MEMBERS and self._overlap(old, new) > SHARE

    def _overlap(self, old: Composite, new: Composite) -> float:
        """The share of own members that two types have in common; 0 when most of those are of other types."""
        before, after = self._own(old), self._own(new)
        if _kind(old) != _kind(new) or not before or not after or not self._types_agree(old, new):
            return 0.0
        return len(before & after) / max(len(before), len(after))

    def _types_agree(self, old: Composite, new: Composite) -> bool:
        """Whether at least half of the members that both have are spelled with the same type."""
        if isinstance(old, Enum) or isinstance(new, Enum):
            return True
        types = {each.name: each.type for each in new.fields or ()}
        shared = [each for each in old.fields or () if each.name in types]
        return 2 * sum(self._may_be(each.type, types[each.name]) for each in shared) >= len(shared)

    def _may_be(self, old: CType, new: CType) -> bool:
        """Whether two types are spelled alike, but for names that are gone where others have come."""
        if isinstance(old, Pointer) and isinstance(new, Pointer):
            return old.block == new.block and self._may_be(old.target, new.target)
        if isinstance(old, Qualified) and isinstance(new, Qualified):
            return old.qualifiers == new.qualifiers and self._may_be(old.type, new.type)
        gone, come = self._one_sided
        return old == new or (_called(old) in gone and _called(new) in come)

    @cached_property
    def _one_sided(self) -> tuple[frozenset[str], frozenset[str]]:
        """Names of types that only OLD has, and those that only NEW has."""
        before, after = (frozenset((*api.structs, *api.enums, *api.typedefs)) for api in (self.old, self.new))
        return before - after, after - before

    def _own(self, entity: Composite) -> frozenset[str]:
        """The names of a type's members that few others have."""
        names = frozenset(_names(entity))
        return names if isinstance(entity, Enum) else names - self._commonplace

    @cached_property
    def _commonplace(self) -> frozenset[str]:
        """Names that many structs have (`ext`, `next`, ...), and those of the leading members."""
        found = {""}
        for api in (self.old, self.new):
            counts = Counter(field.name for struct in api.structs.values() for field in struct.fields or ())
            found |= {name for name, count in counts.items() if count >= COMMONPLACE}
            found |= {api.conventions.size_field, api.conventions.extension_field}
        return frozenset(found)


def _called(type: CType) -> str:
    """The name of a type that has one; empty for all others."""
    if isinstance(type, (RecordType, EnumType)):
        return type.key
    return type.name if isinstance(type, NamedType) else ""


def _kind(entity: Composite) -> str:
    """Struct, union or enumeration."""
    return "enum" if isinstance(entity, Enum) else entity.kind


def _names(entity: Composite) -> tuple[str, ...]:
    """The names of a type's members in order, or of its enumerators without its own name in front of all of them."""
    members = entity.enumerators if isinstance(entity, Enum) else entity.fields
    names = tuple(each.name for each in members or ())
    if isinstance(entity, Enum) and names:
        for prefix in (entity.name, screaming_snake(entity.name)):
            if all(name.startswith(prefix) and len(name) > len(prefix) for name in names):
                return tuple(name.removeprefix(prefix) for name in names)
    return names


def pair_opaque(old: Api, new: Api, records: dict[str, str]) -> None:
    """Pair opaque structs that exist on one side only when every use of the one became a use of the other.

    They have no members to be known by, so what takes and returns them has to tell.

    Args:
        old: the API as it was.
        new: the API as it is.
        records: OLD's keys to NEW's; what is found is added.
    """
    taken = set(records.values())
    gone = [key for key, struct in old.structs.items() if key not in records and struct.fields is None]
    come = {key for key, struct in new.structs.items() if key not in taken and struct.fields is None}
    if not (gone and come):
        return
    uses = set(_same_uses(old, new, records))
    partners, befores, afters = dict(uses), Counter(each for each, _ in uses), Counter(each for _, each in uses)
    for key in gone:
        after = partners.get(key, "")
        if after in come and befores[key] == afters[after] == 1:
            records[key] = after


def _same_uses(old: Api, new: Api, records: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The structs that stand at the same place in functions, typedefs, objects and members of the same name."""
    kinds: tuple[tuple[Mapping[str, Typed], Mapping[str, Typed]], ...] = (
        (old.functions, new.functions),
        (old.typedefs, new.typedefs),
        (old.variables, new.variables),
    )
    for olds, news in kinds:
        for name in olds.keys() & news.keys():
            yield from _corresponding(olds[name].type, news[name].type, old, new)
    for key, paired in records.items():
        members = {each.name: each.type for each in new.structs[paired].fields or () if each.name}
        for field in old.structs[key].fields or ():
            if field.name in members:
                yield from _corresponding(field.type, members[field.name], old, new)


def _corresponding(before: CType, after: CType, old: Api, new: Api) -> Iterator[tuple[str, str]]:
    """The structs that two types reach by the same way."""
    waiting = [(before, after)]
    while waiting:
        before, after = waiting.pop()
        before, after = old.resolve(before), new.resolve(after)
        if isinstance(before, Pointer) and isinstance(after, Pointer):
            waiting.append((before.target, after.target))
        elif isinstance(before, Array) and isinstance(after, Array):
            waiting.append((before.element, after.element))
        elif isinstance(before, FunctionType) and isinstance(after, FunctionType):
            waiting.append((before.result, after.result))
            if len(before.parameters) == len(after.parameters):
                types = ([each.type for each in function.parameters] for function in (before, after))
                waiting += zip(*types, strict=True)
        elif isinstance(before, RecordType) and isinstance(after, RecordType):
            yield before.key, after.key
