"""Which struct, union and enumeration of OLD has become which of NEW, and what became of the names of types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

import msgspec

from abigen.check.renames import Composite, TypeLikeness, pair_opaque
from abigen.model.api import Api
from abigen.model.ctype import Array, CType, EnumType, NamedType, Pointer, RecordType, innermost
from abigen.model.entities import Enum, Struct, Typedef

AnyType: TypeAlias = Struct | Enum | Typedef


class TypePairs(msgspec.Struct, frozen=True):
    """Which struct, union and enumeration of NEW each of OLD has become; what is missing is gone."""

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
    """All names that users can call a type by, its key first; a type without a name has none."""
    if entity.anonymous:
        return ()
    return tuple(dict.fromkeys(name for name in (entity.name, *entity.typedef_names, entity.tag) if name))


class _TypePairing:
    """One run of `pair_types`: OLD's keys to NEW's, as far as they are known."""

    def __init__(self, old: Api, new: Api) -> None:
        self.old, self.new = old, new
        self.likeness = TypeLikeness(old, new)
        self.records = _by_names(old.structs, new.structs, new)
        self.enums = _by_names(old.enums, new.enums, new)

    def by_members(self) -> frozenset[str]:
        """Types without a name, or with another name, of members that have the same name in paired structs.

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
        """The types of members with the same name; unnamed ones by their order."""
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
    """The same key, or any name of the old one that the new API still has for a type of that kind."""
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
    """The key of what a name stands for through typedefs and qualifiers alone."""
    resolved = api.resolve(NamedType(name))
    return resolved.key if isinstance(resolved, (RecordType, EnumType)) else None


def _reached(type: CType, api: Api) -> tuple[int, CType]:
    """What stands behind pointers, arrays and typedefs, and behind how many of them."""
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
    """Each member with a name, those of members without one too, and its type."""
    for each in struct.fields or ():
        inner = None if each.name else api.struct_of(each.type)
        if each.name:
            yield each.name, each.type
        elif inner is not None:
            yield from _types_of_members(inner, api)


class TypeNameChanges:
    """What became of the types of an API, by the names that users write, whatever kind of type they stand for."""

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
        """Whether a name of OLD is gone for good; the tag of an opaque type is nobody's business."""
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
        """Whether a typedef of OLD hides the tag of an opaque struct, and is still there or goes under its own name."""
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
        """Whether a spec's enumeration of a stated type is that integer in a header, as older C has no such thing."""
        stated = {
            each.underlying if isinstance(each, Enum) else each.type
            for each in (old, new)
            if not isinstance(each, Struct)
        }
        is_published = (self.old.header is None) != (self.new.header is None)
        return is_published and isinstance(old, Enum) != isinstance(new, Enum) and len(stated) == 1


def _without_partner(api: Api, partners: list[Composite], other_names: set[str]) -> Iterator[AnyType]:
    """Types of one side whose names the other does not have; the coming and going of a partner's name is a rename."""
    paired = {id(each) for each in partners}
    yield from (
        each
        for each in _composites(api)
        if id(each) not in paired and each.name not in other_names and each.in_api and _is_public(each)
    )
    known = {*other_names, *api.structs, *api.enums, *(name for each in partners for name in names_of(each))}
    yield from (typedef for name, typedef in api.typedefs.items() if name not in known and typedef.in_api)


def lost_names(old: Composite, new: Composite, new_api: Api) -> tuple[str, ...]:
    """The names of a type in OLD that do not reach it in NEW.

    A tag that every typedef hides is a name as well: users may write `struct tag`.
    """
    kept = set(names_of(new))
    return tuple(name for name in names_of(old) if name not in kept and _key_behind(name, new_api) != new.name)


def lost_typedefs(old: Composite, new: Composite, new_api: Api) -> tuple[str, ...]:
    """The typedefs of a type in OLD of whose name NEW has the tag alone: `struct Toy`, and no type `Toy` (C 6.2.3)."""
    known = {*new.typedef_names, *new_api.typedefs, *new_api.constants}
    return tuple(name for name in old.typedef_names if name == new.tag and name not in known)


def lost_tag(old: Composite, new: Composite, new_api: Api) -> str:
    """Return the tag of a type that keeps its name, where nothing in NEW has that tag; empty otherwise."""
    is_kept = old.name == new.name and (old.name in old.typedef_names or not old.typedef_names)
    is_lost = is_kept and all(each.tag != old.tag for each in _composites(new_api))
    return old.tag if is_lost else ""


def _is_plain(name: str, api: Api) -> bool:
    """Whether a name is a typedef for something that is neither a struct nor an enumeration."""
    return name in api.typedefs and _key_behind(name, api) is None


def _composites(api: Api) -> list[Composite]:
    """All structs, unions and enumerations of one side."""
    return [*api.structs.values(), *api.enums.values()]


def _all_names(api: Api) -> set[str]:
    """Every name of a type, of included headers too; a macro may stand for a type as well."""
    return {
        *api.typedefs,
        *api.structs,
        *api.enums,
        *api.constants,
        *(name for each in _composites(api) for name in names_of(each)),
    }


def _is_public(entity: Composite) -> bool:
    """Whether a type is worth a finding of its own.

    One without a name is not, nor an opaque struct that only a tag names: it comes and goes with whatever mentions it.
    """
    is_hidden = isinstance(entity, Struct) and entity.fields is None and not entity.typedef_names
    return not (entity.anonymous or is_hidden)


def _points_to(type: CType, key: str) -> bool:
    """Whether a type is a struct behind pointers."""
    return innermost(type) == RecordType(key)
