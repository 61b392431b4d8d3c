"""Whether one type may be another under a new name: by the members that are theirs alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TypeVar

from abigen.model.api import Api
from abigen.model.ctype import CType, EnumType, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Enum, Struct
from abigen.model.identifiers import screaming_snake

AnyType = TypeVar("AnyType", Struct, Enum)

_SHARE = 0.5
"""More than this share of their own members two types have to have in common."""
_FEW = 3
"""With fewer own members than this, only having exactly the same ones means something."""
_COMMONPLACE = 3
"""A name that so many structs of one API have tells none of them from another."""


class Resemblance:
    """Compares types of two APIs by the names and types of their members."""

    def __init__(self, old: Api, new: Api) -> None:
        """Compare types of `old` with types of `new`."""
        self.old, self.new = old, new

    def same_by_likeness(self, pairs: dict[str, str], old: Mapping[str, AnyType], new: Mapping[str, AnyType]) -> None:
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
        gone = [entity for key, entity in old.items() if key not in pairs and self._own(entity)]
        come = [entity for key, entity in new.items() if key not in taken and self._own(entity)]
        for is_fit, features in ((self._same, _all_names), (self._most, self._own)):
            olds, news = _by_feature(gone, features), _by_feature(come, features)
            for before in [each for each in gone if each.name not in pairs]:
                free = (each for each in _sharing(before, news, features) if each.name not in taken)
                matches = list(islice((after for after in free if is_fit(before, after)), 2))
                if len(matches) != 1:
                    continue
                rivals = (rival for rival in _sharing(matches[0], olds, features) if is_fit(rival, matches[0]))
                if len(list(islice(rivals, 2))) == 1:
                    pairs[before.name] = matches[0].name
                    taken.add(matches[0].name)

    def alike(self, old: Struct | Enum | None, new: Struct | Enum | None) -> bool:
        """Whether one may be the other: both opaque or without a name, or with most of their own members in common."""
        if old is None or new is None:
            return False
        if old.anonymous and new.anonymous:
            return True
        before, after = _names(old), _names(new)
        if not before or not after:
            return not before and not after
        return self._overlap(old, new) > _SHARE

    def _same(self, old: Struct | Enum, new: Struct | Enum) -> bool:
        """Whether two types have the same members in the same order."""
        return _names(old) == _names(new) and _kind(old) == _kind(new) and self._types_agree(old, new)

    def _most(self, old: Struct | Enum, new: Struct | Enum) -> bool:
        """Whether two types with several members of their own have most of them in common."""
        return min(len(self._own(old)), len(self._own(new))) >= _FEW and self._overlap(old, new) > _SHARE

    def _overlap(self, old: Struct | Enum, new: Struct | Enum) -> float:
        """The share of own members that two types have in common; 0 when most of those are of other types."""
        before, after = self._own(old), self._own(new)
        if _kind(old) != _kind(new) or not before or not after or not self._types_agree(old, new):
            return 0.0
        return len(before & after) / max(len(before), len(after))

    def _types_agree(self, old: Struct | Enum, new: Struct | Enum) -> bool:
        """Whether at least half of the members that both have are spelled with the same type."""
        if isinstance(old, Enum) or isinstance(new, Enum):
            return True
        types = {each.name: each.type for each in new.fields or ()}
        shared = [each for each in old.fields or () if each.name in types]
        return 2 * sum(self._may_be(each.type, types[each.name]) for each in shared) >= len(shared)

    def _may_be(self, old: CType, new: CType) -> bool:
        """Whether two types are spelled alike, but for names that are gone where others have come."""
        if isinstance(old, Pointer) and isinstance(new, Pointer):
            return self._may_be(old.target, new.target)
        if isinstance(old, Qualified) and isinstance(new, Qualified):
            return old.qualifiers == new.qualifiers and self._may_be(old.type, new.type)
        return old == new or (_called(old) in self._gone and _called(new) in self._come)

    @cached_property
    def _gone(self) -> frozenset[str]:
        """Names of types that only OLD has."""
        return _type_names(self.old) - _type_names(self.new)

    @cached_property
    def _come(self) -> frozenset[str]:
        """Names of types that only NEW has."""
        return _type_names(self.new) - _type_names(self.old)

    def _own(self, entity: Struct | Enum) -> frozenset[str]:
        """The names of a type's members that few others have."""
        names = frozenset(_names(entity))
        return names if isinstance(entity, Enum) else names - self._commonplace

    @cached_property
    def _commonplace(self) -> frozenset[str]:
        """Names that many structs have (`ext`, `next`, ...), and those of the leading members."""
        found = {""}
        for api in (self.old, self.new):
            counts = Counter(field.name for struct in api.structs.values() for field in struct.fields or ())
            found |= {name for name, count in counts.items() if count >= _COMMONPLACE}
            found |= {api.conventions.size_field, api.conventions.extension_field}
        return frozenset(found)


def _type_names(api: Api) -> frozenset[str]:
    """By which names an API's types go."""
    return frozenset((*api.structs, *api.enums, *api.typedefs))


def _called(type: CType) -> str:
    """The name of a type that has one; empty for all others."""
    if isinstance(type, RecordType | EnumType):
        return type.key
    return type.name if isinstance(type, NamedType) else ""


def _by_feature(
    types: Iterable[AnyType], features: Callable[[AnyType], Iterable[object]]
) -> dict[object, list[AnyType]]:
    """Types by what they have, so that only those with something in common are compared."""
    found: dict[object, list[AnyType]] = {}
    for each in types:
        for feature in features(each):
            found.setdefault(feature, []).append(each)
    return found


def _sharing(
    entity: AnyType, index: dict[object, list[AnyType]], features: Callable[[AnyType], Iterable[object]]
) -> Iterator[AnyType]:
    """The types that have something in common with one, each once."""
    seen: set[str] = set()
    for feature in features(entity):
        for each in index.get(feature, ()):
            if each.name not in seen:
                seen.add(each.name)
                yield each


def _all_names(entity: Struct | Enum) -> tuple[tuple[str, ...]]:
    """The names of a type's members as one feature."""
    return (_names(entity),)


def _kind(entity: Struct | Enum) -> str:
    """Struct, union or enumeration."""
    return "enum" if isinstance(entity, Enum) else entity.kind


def _names(entity: Struct | Enum) -> tuple[str, ...]:
    """The names of a type's members in order, or of its enumerators without its own name in front of all of them."""
    members = entity.enumerators if isinstance(entity, Enum) else entity.fields
    names = tuple(each.name for each in members or ())
    if isinstance(entity, Enum) and names:
        for prefix in (entity.name, screaming_snake(entity.name)):
            if all(name.startswith(prefix) and len(name) > len(prefix) for name in names):
                return tuple(name.removeprefix(prefix) for name in names)
    return names
