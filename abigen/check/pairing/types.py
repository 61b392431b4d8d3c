"""Pairing types: by name, by tag or typedef, by a typedef that reaches both, by equal members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

from abigen.check.pairing.resemblance import Resemblance
from abigen.check.pairing.uses import pair_by_uses
from abigen.model.api import Api
from abigen.model.ctype import Array, CType, EnumType, NamedType, Pointer, RecordType
from abigen.model.entities import Enum, Struct

AnyType = TypeVar("AnyType", Struct, Enum)


class TypePairs(NamedTuple):
    """Which struct, union and enumeration of NEW each of OLD has become; what is missing is gone."""

    records: Mapping[str, str]
    enums: Mapping[str, str]
    edited: frozenset[str]
    """OLD's keys of the structs and unions that differ in anything but their place."""


def pair_types(old: Api, new: Api) -> TypePairs:
    """Pair the structs, unions and enumerations of two APIs.

    Returns:
        OLD's key to NEW's. Several of OLD may have become one of NEW (`typedef struct New Old;`).
    """
    records = _by_names(old.structs, new.structs, new)
    enums = _by_names(old.enums, new.enums, new)
    resemblance = Resemblance(old, new)
    _by_typedefs(resemblance, records, enums)
    resemblance.same_by_likeness(records, old.structs, new.structs)
    resemblance.same_by_likeness(enums, old.enums, new.enums)
    pair_by_uses(old, new, records)
    edited = _by_members(resemblance, records, enums)
    return TypePairs(records, enums, edited)


def names_of(entity: Struct | Enum) -> tuple[str, ...]:
    """All names that users can call a type by, its key first; a type without a name has none."""
    if entity.anonymous:
        return ()
    return tuple(dict.fromkeys(name for name in (entity.name, *entity.typedef_names, entity.tag) if name))


def _by_names(old: Mapping[str, AnyType], new: Mapping[str, AnyType], new_api: Api) -> dict[str, str]:
    """The same key, or any name of the old one that the new API still has for a type of that kind."""
    found = {key: key for key, entity in old.items() if key in new and entity.anonymous == new[key].anonymous}
    if len(found) == len(old):
        return found
    called = {name: key for key, entity in new.items() for name in names_of(entity)}
    for key, entity in old.items():
        if key in found:
            continue
        for name in names_of(entity):
            target = called.get(name) or _reached_record(NamedType(name), new_api)
            if target is not None and target in new:
                found[key] = target
                break
    return found


def _reached_record(type: CType, api: Api) -> str | None:
    """The key of what a type is through typedefs and qualifiers alone."""
    resolved = api.resolve(type)
    return resolved.key if isinstance(resolved, RecordType | EnumType) else None


def _by_typedefs(resemblance: Resemblance, records: dict[str, str], enums: dict[str, str]) -> None:
    """One typedef reaches both at the same depth of pointers, and neither is on the other side (handles' tags)."""
    old, new = resemblance.old, resemblance.new
    if len(records) == len(old.structs) and len(enums) == len(old.enums):
        return
    for name, typedef in old.typedefs.items():
        if name in new.typedefs:
            reached = _reached(typedef.type, old), _reached(new.typedefs[name].type, new)
            _pair_reached(*reached, resemblance, records, enums)


def _pair_reached(
    before: tuple[int, CType],
    after: tuple[int, CType],
    resemblance: Resemblance,
    records: dict[str, str],
    enums: dict[str, str],
) -> list[str]:
    """Pair what two corresponding types reach when each exists on its own side only and both look alike.

    Returns:
        OLD's key of a record that has a partner now.
    """
    old, new = resemblance.old, resemblance.new
    (old_depth, old_type), (new_depth, new_type) = before, after
    if old_depth != new_depth:
        return []
    if isinstance(old_type, RecordType) and isinstance(new_type, RecordType):
        if _free(old_type.key, new_type.key, old.structs, new.structs, records) and resemblance.alike(
            old.structs.get(old_type.key), new.structs.get(new_type.key)
        ):
            records[old_type.key] = new_type.key
            return [old_type.key]
    elif (
        isinstance(old_type, EnumType)
        and isinstance(new_type, EnumType)
        and _free(old_type.key, new_type.key, old.enums, new.enums, enums)
        and resemblance.alike(old.enums.get(old_type.key), new.enums.get(new_type.key))
    ):
        enums[old_type.key] = new_type.key
    return []


def _free(old: str, new: str, olds: Mapping[str, object], news: Mapping[str, object], pairs: dict[str, str]) -> bool:
    """Whether both are still without a partner; a type without a name may have the same key as another by chance."""
    return old in olds and new in news and old not in pairs and new not in pairs.values()


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


def _by_members(resemblance: Resemblance, records: dict[str, str], enums: dict[str, str]) -> frozenset[str]:
    """Types without a name, or with another name, of members that have the same name in paired structs.

    Returns:
        OLD's keys of the records that differ in anything but their place.
    """
    old, new = resemblance.old, resemblance.new
    edited = set()
    waiting = list(records)
    while waiting:
        key = waiting.pop()
        before, after = old.structs[key], new.structs[records[key]]
        if before == after:
            continue
        edited.add(key)
        for old_type, new_type in _common_members(before, after):
            reached = _reached(old_type, old), _reached(new_type, new)
            waiting += _pair_reached(*reached, resemblance, records, enums)
    return frozenset(edited)


def _common_members(old: Struct, new: Struct) -> Iterator[tuple[CType, CType]]:
    """The types of members with the same name; unnamed ones by their order."""
    news = {each.name: each for each in new.fields or () if each.name}
    for each in old.fields or ():
        if each.name and each.name in news:
            yield each.type, news[each.name].type
    yield from zip(
        (each.type for each in old.fields or () if not each.name),
        (each.type for each in new.fields or () if not each.name),
        strict=False,
    )
