"""Pairs of types of OLD and NEW, detection of renames, and types whose name was removed.

All thresholds for renames are here, also those for parameters and for structs that were split. Members and
enumerators need none: a member is renamed if another name has its place and type, an enumerator if another name has
its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import TypeAlias, TypeVar

import msgspec

from abigen.model.api import Api
from abigen.model.ctype import (
    Array,
    CType,
    EnumType,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    innermost,
)
from abigen.model.entities import Entity, Enum, Function, Struct, Typedef, Variable
from abigen.model.spelling import screaming_snake, words_of

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
    """Return the probability that one name was changed into the other, from 0 to 1, by their words."""
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
        gone = [(each, own) for key, each in old.items() if key not in pairs and (own := self._distinctive_names(each))]
        come = [(each, own) for key, each in new.items() if key not in taken and (own := self._distinctive_names(each))]
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
        """True if two types with members of the same names are structs or unions with a name, and of the same types."""
        if not (isinstance(old, Struct) and isinstance(new, Struct) and old.fields and new.fields):
            return False
        if old.anonymous or new.anonymous or old.kind != new.kind:
            return False
        return all(self._same_type(each.type, other.type) for each, other in zip(old.fields, new.fields, strict=True))

    def _same_type(self, old: CType, new: CType) -> bool:
        """True if two types are the same through typedefs, but for names that are gone where others have come."""
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
        """True if one may be the other: both opaque or without a name, or with most of their own members in common."""
        if old is None or new is None:
            return False
        if old.anonymous and new.anonymous:
            return True
        before, after = _names(old), _names(new)
        if not before or not after:
            return not before and not after
        return self._overlap(old, new) > SHARE

    def _same(self, old: Composite, new: Composite) -> bool:
        """True if two types have the same members in the same order."""
        return _names(old) == _names(new) and _kind(old) == _kind(new) and self._types_agree(old, new)

    def _most(self, old: Composite, new: Composite) -> bool:
        """True if two types with several members of their own have most of them in common."""
        return (
            min(len(self._distinctive_names(old)), len(self._distinctive_names(new))) >= FEW_MEMBERS
            and self._overlap(old, new) > SHARE
        )

    def _overlap(self, old: Composite, new: Composite) -> float:
        """Return the share of own members that two types have in common; 0 when most of those are of other types."""
        before, after = self._distinctive_names(old), self._distinctive_names(new)
        if _kind(old) != _kind(new) or not before or not after or not self._types_agree(old, new):
            return 0.0
        return len(before & after) / max(len(before), len(after))

    def _types_agree(self, old: Composite, new: Composite) -> bool:
        """True if at least half of the members that both have are spelled with the same type."""
        if isinstance(old, Enum) or isinstance(new, Enum):
            return True
        types = {each.name: each.type for each in new.fields or ()}
        shared = [each for each in old.fields or () if each.name in types]
        return 2 * sum(self._may_be(each.type, types[each.name]) for each in shared) >= len(shared)

    def _may_be(self, old: CType, new: CType) -> bool:
        """True if two types are spelled alike, but for names that are gone where others have come."""
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

    def _distinctive_names(self, entity: Composite) -> frozenset[str]:
        """Return the names of a type's members that few others have."""
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
    """Return the name of a type that has one; empty for all others."""
    if isinstance(type, (RecordType, EnumType)):
        return type.key
    return type.name if isinstance(type, NamedType) else ""


def _kind(entity: Composite) -> str:
    """Struct, union or enumeration."""
    return "enum" if isinstance(entity, Enum) else entity.kind


def _names(entity: Composite) -> tuple[str, ...]:
    """Return the names of a type's members in order, or of its enumerators without the type's name as prefix."""
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
    """Yield the structs that stand at the same place in functions, typedefs, objects and members of the same name."""
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
    """Yield the structs that two types reach by the same way."""
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


AnyType: TypeAlias = Struct | Enum | Typedef


class TypePairs(msgspec.Struct, frozen=True):
    """The structs, unions and enumerations of NEW by those of OLD; a missing one was removed."""

    records: Mapping[str, str]
    enums: Mapping[str, str]
    edited: frozenset[str]
    """OLD's keys of the structs and unions that differ in anything but their place."""


def pair_types(old: Api, new: Api) -> TypePairs:
    """Pair the structs, unions and enumerations of two APIs.

    By name, by tag or typedef, by a typedef that reaches both, by equal members, by equal uses; then what the members
    of paired structs are.

    Returns:
        OLD's key to NEW's. Several of OLD may have become one of NEW (`typedef struct New Old;`).
    """
    pairing = _TypePairing(old, new)
    for name, typedef in old.typedefs.items():
        if name in new.typedefs:
            pairing.pair_reached(typedef.type, new.typedefs[name].type)
    pairing.likeness.pair(pairing.records, old.structs, new.structs)
    pairing.likeness.pair(pairing.enums, old.enums, new.enums)
    pair_opaque(old, new, pairing.records)
    edited = pairing.by_members()
    return TypePairs(pairing.records, pairing.enums, edited)


def names_of(entity: Composite) -> tuple[str, ...]:
    """Return all names that users can call a type by, its key first; a type without a name has none."""
    if entity.anonymous:
        return ()
    return tuple(dict.fromkeys(name for name in (entity.name, *entity.typedef_names, entity.tag) if name))


class _TypePairing:
    """A run of `pair_types`: OLD's keys to NEW's, as far as they are known."""

    def __init__(self, old: Api, new: Api) -> None:
        self.old, self.new = old, new
        self.likeness = TypeLikeness(old, new)
        self.records = _by_names(old.structs, new.structs, new)
        self.enums = _by_names(old.enums, new.enums, new)

    def by_members(self) -> frozenset[str]:
        """Return types without a name, or with another name, of members that have the same name in paired structs.

        Returns:
            OLD's keys of the records that differ in anything but their place.
        """
        edited = set()
        waiting = list(self.records)
        while waiting:
            key = waiting.pop()
            before, after = self.old.structs[key], self.new.structs[self.records[key]]
            if before == after:
                continue
            edited.add(key)
            for old_type, new_type in self._common_members(before, after):
                waiting += self.pair_reached(old_type, new_type)
        return frozenset(edited)

    def _common_members(self, old: Struct, new: Struct) -> Iterator[tuple[CType, CType]]:
        """Yield the types of members with the same name; unnamed ones by their order."""
        news = dict(_types_of_members(new, self.new))
        for name, type in _types_of_members(old, self.old):
            if name in news:
                yield type, news[name]
        unnamed = ([each.type for each in struct.fields or () if not each.name] for struct in (old, new))
        yield from zip(*unnamed, strict=False)

    def pair_reached(self, old_type: CType, new_type: CType) -> list[str]:
        """Pair what two types reach at the same depth of pointers when neither has a partner and both look alike.

        Returns:
            OLD's key of a record that has a partner now.
        """
        (old_depth, before), (new_depth, after) = _reached(old_type, self.old), _reached(new_type, self.new)
        olds: Mapping[str, Composite] = self.old.structs
        news: Mapping[str, Composite] = self.new.structs
        pairs = self.records
        if isinstance(before, EnumType) and isinstance(after, EnumType):
            olds, news, pairs = self.old.enums, self.new.enums, self.enums
        elif not (isinstance(before, RecordType) and isinstance(after, RecordType)):
            return []
        # One without a name may have the same key as another by chance.
        is_free = before.key not in pairs and after.key not in pairs.values()
        if old_depth != new_depth or not is_free or not self.likeness.alike(olds.get(before.key), news.get(after.key)):
            return []
        pairs[before.key] = after.key
        return [before.key] if pairs is self.records else []


def _by_names(old: Mapping[str, Composite], new: Mapping[str, Composite], new_api: Api) -> dict[str, str]:
    """Return the same key, or any name of the old one that the new API still has for a type of that kind."""
    found = {key: key for key, entity in old.items() if key in new and entity.anonymous == new[key].anonymous}
    if len(found) == len(old):
        return found
    called = {name: key for key, entity in new.items() for name in names_of(entity)}
    for key, entity in old.items():
        targets = () if key in found else (called.get(name) or _key_behind(name, new_api) for name in names_of(entity))
        target = next((target for target in targets if target in new), None)
        if target is not None:
            found[key] = target
    return found


def _key_behind(name: str, api: Api) -> str | None:
    """Return the key of what a name stands for through typedefs and qualifiers alone."""
    resolved = api.resolve(NamedType(name))
    return resolved.key if isinstance(resolved, (RecordType, EnumType)) else None


def _reached(type: CType, api: Api) -> tuple[int, CType]:
    """Return the type behind pointers, arrays and typedefs, and the number of these."""
    depth = 0
    while True:
        type = api.resolve(type)
        if isinstance(type, Pointer):
            type = type.target
        elif isinstance(type, Array):
            type = type.element
        else:
            return depth, type
        depth += 1


def _types_of_members(struct: Struct, api: Api) -> Iterator[tuple[str, CType]]:
    """Yield each member with a name, those of members without one too, and its type."""
    for each in struct.fields or ():
        inner = None if each.name else api.struct_of(each.type)
        if each.name:
            yield each.name, each.type
        elif inner is not None:
            yield from _types_of_members(inner, api)


class TypeNameChanges:
    """The changes of the types of an API, by the names that users write, whatever kind of type they stand for."""

    def __init__(self, old: Api, new: Api, pairs: TypePairs) -> None:
        """Prepare to follow the names of `old` into `new`."""
        self.old, self.new = old, new
        records = [(old.structs[key], new.structs[after]) for key, after in pairs.records.items()]
        enums = [(old.enums[key], new.enums[after]) for key, after in pairs.enums.items()]
        self._paired: list[tuple[Composite, Composite]] = [*records, *enums]

    @cached_property
    def renamed(self) -> tuple[tuple[AnyType, AnyType], ...]:
        """Types of the API that have another name now, and that OLD's name no longer reaches."""
        return tuple((old, new) for old, new in self._paired if self._is_renamed(old, new))

    def _is_renamed(self, old: Composite, new: Composite) -> bool:
        """True if a name of OLD is gone for good; the tag of an opaque type is nobody's business."""
        if not old.in_api or old.anonymous:
            return False
        if (old.name, old.typedef_names, old.tag) == (new.name, new.typedef_names, new.tag):
            return False
        lost = lost_names(old, new, self.new)
        if isinstance(old, Struct) and old.fields is None and self._is_still_reached(old):
            lost = tuple(name for name in lost if name != old.tag or name in old.typedef_names)
        has_lost = bool(lost or lost_tag(old, new, self.new) or lost_typedefs(old, new, self.new))
        return has_lost and not _is_plain(old.name, self.new)

    def _is_still_reached(self, old: Struct) -> bool:
        """True if a typedef of OLD hides the tag of an opaque struct, and is still there or goes under its own name."""
        return any(
            typedef.in_api and _points_to(typedef.type, old.name) and (name in self.new.typedefs or name != old.name)
            for name, typedef in self.old.typedefs.items()
        )

    @cached_property
    def removed(self) -> tuple[AnyType, ...]:
        """Types of the API whose names are gone, in OLD's order of kinds."""
        partners, names = [old for old, _ in self._paired], _all_names(self.new)
        more = [
            self.old.typedefs[name]
            for old, new in self._paired
            if old.in_api and not (old.anonymous or new.anonymous)
            for name in old.typedef_names
            if name not in names and name not in (old.name, old.tag) and name in self.old.typedefs
        ]
        return (*more, *_without_partner(self.old, partners, names))

    @cached_property
    def added(self) -> tuple[AnyType, ...]:
        """Types of the API whose names are new; first the defined ones whose old name still leads to them."""
        names = _all_names(self.old)
        renamed = {id(new) for _, new in self.renamed}
        anew = [
            new
            for old, new in self._paired
            if new.name not in names and new.in_api and id(new) not in renamed
            if not (new.anonymous or old.anonymous or (isinstance(new, Struct) and new.fields is None))
        ]
        more = [
            self.new.typedefs[name]
            for old, new in self._paired
            if new.in_api and not (old.anonymous or new.anonymous) and id(new) not in renamed
            for name in new.typedef_names
            if name not in names and name != new.name and name in self.new.typedefs
        ]
        return (*anew, *more, *_without_partner(self.new, [new for _, new in self._paired], names))

    @cached_property
    def other_kind(self) -> tuple[tuple[AnyType, AnyType], ...]:
        """Names that stand for another kind of type now: a struct for an enumeration, a union for an integer, ..."""
        found: list[tuple[AnyType, AnyType]] = []
        paired = {old.name for old, _ in self._paired}
        for before in _composites(self.old):
            after = self.new.structs.get(before.name) or self.new.enums.get(before.name)
            became_plain = _is_plain(before.name, self.new) and not _is_plain(before.name, self.old)
            is_tag = became_plain and before.name in paired  # which stays, and the name is no longer its
            after_name = (None if is_tag else after) or self.new.typedefs.get(before.name)
            is_other = before.name not in paired or became_plain
            if is_other and before.in_api and after_name is not None:
                found.append((before, after_name))
        taken = {new.name for _, new in self._paired}
        for entity in _composites(self.new):
            typedef = self.old.typedefs.get(entity.name)
            was_plain = _is_plain(entity.name, self.old) and not _is_plain(entity.name, self.new)
            is_other = entity.name not in taken or was_plain
            is_told = any(after is entity for _, after in found)
            if is_other and typedef is not None and typedef.in_api and not is_told:
                found.append((typedef, entity))
        return tuple(pair for pair in found if not self._is_published_twice(*pair))

    def _is_published_twice(self, old: AnyType, new: AnyType) -> bool:
        """True if a spec's enumeration of a stated type is that integer in a header, as older C has no such thing."""
        stated = {
            each.underlying if isinstance(each, Enum) else each.type
            for each in (old, new)
            if not isinstance(each, Struct)
        }
        is_published = (self.old.header is None) != (self.new.header is None)
        return is_published and isinstance(old, Enum) != isinstance(new, Enum) and len(stated) == 1


def _without_partner(api: Api, partners: list[Composite], other_names: set[str]) -> Iterator[AnyType]:
    """Yield types of one side whose names the other does not have, except those of renamed partners."""
    paired = {id(each) for each in partners}
    yield from (
        each
        for each in _composites(api)
        if id(each) not in paired and each.name not in other_names and each.in_api and _is_public(each)
    )
    known = {*other_names, *api.structs, *api.enums, *(name for each in partners for name in names_of(each))}
    yield from (typedef for name, typedef in api.typedefs.items() if name not in known and typedef.in_api)


def lost_names(old: Composite, new: Composite, new_api: Api) -> tuple[str, ...]:
    """Return the names of a type in OLD that do not reach it in NEW.

    A tag that every typedef hides is a name as well: users may write `struct tag`.
    """
    kept = set(names_of(new))
    return tuple(name for name in names_of(old) if name not in kept and _key_behind(name, new_api) != new.name)


def lost_typedefs(old: Composite, new: Composite, new_api: Api) -> tuple[str, ...]:
    """Return the typedefs of OLD whose name only a tag has in NEW: `struct Toy`, and no type `Toy` (C 6.2.3)."""
    known = {*new.typedef_names, *new_api.typedefs, *new_api.constants}
    return tuple(name for name in old.typedef_names if name == new.tag and name not in known)


def lost_tag(old: Composite, new: Composite, new_api: Api) -> str:
    """Return the tag of a type that keeps its name, where nothing in NEW has that tag; empty otherwise."""
    is_kept = old.name == new.name and (old.name in old.typedef_names or not old.typedef_names)
    is_lost = is_kept and all(each.tag != old.tag for each in _composites(new_api))
    return old.tag if is_lost else ""


def _is_plain(name: str, api: Api) -> bool:
    """True if a name is a typedef for something that is neither a struct nor an enumeration."""
    return name in api.typedefs and _key_behind(name, api) is None


def _composites(api: Api) -> list[Composite]:
    """Return all structs, unions and enumerations of one side."""
    return [*api.structs.values(), *api.enums.values()]


def _all_names(api: Api) -> set[str]:
    """Return every name of a type, of included headers too; a macro may stand for a type as well."""
    return {
        *api.typedefs,
        *api.structs,
        *api.enums,
        *api.constants,
        *(name for each in _composites(api) for name in names_of(each)),
    }


def _is_public(entity: Composite) -> bool:
    """True if a type is worth a finding of its own.

    One without a name is not, nor an opaque struct that only a tag names: it comes and goes with whatever mentions it.
    """
    is_hidden = isinstance(entity, Struct) and entity.fields is None and not entity.typedef_names
    return not (entity.anonymous or is_hidden)


def _points_to(type: CType, key: str) -> bool:
    """True if a type is a struct behind pointers."""
    return innermost(type) == RecordType(key)
