"""The names of types that users can write, whatever kind of type they stand for, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from abigen.check.pairing.types import TypePairs, names_of
from abigen.model.api import Api
from abigen.model.ctype import Array, CType, EnumType, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Enum, Struct, Typedef

AnyType = Struct | Enum | Typedef


class TypeNames:
    """What became of the types of an API, by their names."""

    def __init__(self, old: Api, new: Api, pairs: TypePairs) -> None:
        """Prepare to follow the names of `old` into `new`."""
        self.old, self.new, self.pairs = old, new, pairs

    @cached_property
    def renamed(self) -> tuple[tuple[AnyType, AnyType], ...]:
        """Types of the API that have another name now, and that OLD's name no longer reaches."""
        found: list[tuple[AnyType, AnyType]] = []
        for key, after in self.pairs.records.items():
            found += self._renamed(self.old.structs[key], self.new.structs[after])
        for key, after in self.pairs.enums.items():
            found += self._renamed(self.old.enums[key], self.new.enums[after])
        return tuple(found)

    def _renamed(self, old: Struct | Enum, new: Struct | Enum) -> Iterator[tuple[AnyType, AnyType]]:
        """The pair itself when a name of OLD is gone for good; the tag of an opaque type is nobody's business."""
        if not old.in_api or old.anonymous:
            return
        if (old.name, old.typedef_names, old.tag) == (new.name, new.typedef_names, new.tag):
            return
        lost = lost_names(old, new, self.new)
        if isinstance(old, Struct) and old.fields is None and self._is_still_reached(old):
            lost = tuple(name for name in lost if name != old.tag or name in old.typedef_names)
        if lost and not _is_plain(old.name, self.new):
            yield old, new

    def _is_still_reached(self, old: Struct) -> bool:
        """Whether a typedef of OLD hides the tag of an opaque struct, and is still there or goes under its own name."""
        return any(
            typedef.in_api and _points_to(typedef.type, old.name) and (name in self.new.typedefs or name != old.name)
            for name, typedef in self.old.typedefs.items()
        )

    @cached_property
    def removed(self) -> tuple[AnyType, ...]:
        """Types of the API whose names are gone, in OLD's order of kinds."""
        return tuple(self._only(self.old, self.new, set(self.pairs.records), set(self.pairs.enums)))

    @cached_property
    def added(self) -> tuple[AnyType, ...]:
        """Types of the API whose names are new."""
        only_new = self._only(self.new, self.old, set(self.pairs.records.values()), set(self.pairs.enums.values()))
        return (*self._named_anew(), *only_new)

    def _named_anew(self) -> Iterator[AnyType]:
        """Defined types that have a further name now, while the old one still leads to them."""
        pairs: list[tuple[Struct | Enum, Struct | Enum]] = []
        for key, after in self.pairs.records.items():
            if after not in self._old_names:
                pairs.append((self.old.structs[key], self.new.structs[after]))
        for key, after in self.pairs.enums.items():
            if after not in self._old_names:
                pairs.append((self.old.enums[key], self.new.enums[after]))
        renamed = {id(new) for _, new in self.renamed}
        for old, new in pairs:
            is_opaque = isinstance(new, Struct) and new.fields is None
            is_named = not (new.anonymous or old.anonymous or is_opaque)
            if new.in_api and is_named and id(new) not in renamed:
                yield new

    def _only(self, api: Api, other: Api, records: set[str], enums: set[str]) -> Iterator[AnyType]:
        """Types of one side that the other does not have."""
        called = self._new_names if other is self.new else self._old_names
        for name, struct in api.structs.items():
            if name not in records and name not in called and struct.in_api and _is_public(struct):
                yield struct
        for name, enum in api.enums.items():
            if name not in enums and name not in called and enum.in_api and not enum.anonymous:
                yield enum
        typedefs = [
            typedef
            for name, typedef in api.typedefs.items()
            if name not in called and name not in api.structs and name not in api.enums and typedef.in_api
        ]
        paired_names = set(self._names_of_paired(api)) if typedefs else ()
        yield from (typedef for typedef in typedefs if typedef.name not in paired_names)

    @cached_property
    def _old_names(self) -> set[str]:
        """Every name of a type in OLD."""
        return _all_names(self.old)

    @cached_property
    def _new_names(self) -> set[str]:
        """Every name of a type in NEW."""
        return _all_names(self.new)

    def _names_of_paired(self, api: Api) -> Iterator[str]:
        """Names of types that have a partner: their coming and going is a rename."""
        records = self.pairs.records if api is self.old else self.pairs.records.values()
        enums = self.pairs.enums if api is self.old else self.pairs.enums.values()
        for key in records:
            yield from names_of(api.structs[key])
        for key in enums:
            yield from names_of(api.enums[key])

    @cached_property
    def other_kind(self) -> tuple[tuple[AnyType, AnyType], ...]:
        """Names that stand for another kind of type now: a struct for an enumeration, a union for an integer, ..."""
        found: list[tuple[AnyType, AnyType]] = []
        paired = set(self.pairs.records) | set(self.pairs.enums)
        for before in _records_and_enums(self.old):
            after = _lookup(before.name, self.new)
            is_other = before.name not in paired or _is_plain(before.name, self.new)
            if is_other and before.in_api and after is not None:
                found.append((before, after))
        taken = set(self.pairs.records.values()) | set(self.pairs.enums.values())
        for entity in _records_and_enums(self.new):
            typedef = self.old.typedefs.get(entity.name)
            is_other = entity.name not in taken or _is_plain(entity.name, self.old)
            is_told = any(after is entity for _, after in found)
            if is_other and typedef is not None and typedef.in_api and not is_told:
                found.append((typedef, entity))
        return tuple(found)


def lost_names(old: Struct | Enum, new: Struct | Enum, new_api: Api) -> tuple[str, ...]:
    """The names of a type in OLD that do not reach it in NEW.

    A tag that every typedef hides is a name as well: users may write `struct tag`.
    """
    kept = set(names_of(new))
    return tuple(name for name in names_of(old) if name not in kept and not _reaches(name, new, new_api))


def _reaches(name: str, entity: Struct | Enum, api: Api) -> bool:
    """Whether a typedef of that name stands for a type."""
    resolved = api.resolve(NamedType(name))
    return isinstance(resolved, RecordType | EnumType) and resolved.key == entity.name


def _is_plain(name: str, api: Api) -> bool:
    """Whether a name is a typedef for something that is neither a struct nor an enumeration."""
    typedef = api.typedefs.get(name)
    return typedef is not None and not isinstance(api.resolve(typedef.type), RecordType | EnumType)


def _lookup(name: str, api: Api) -> AnyType | None:
    """What a name stands for, whichever kind it is."""
    return api.structs.get(name) or api.enums.get(name) or api.typedefs.get(name)


def _records_and_enums(api: Api) -> Iterator[Struct | Enum]:
    """All structs, unions and enumerations of one side."""
    yield from api.structs.values()
    yield from api.enums.values()


def _all_names(api: Api) -> set[str]:
    """Every name of a type, of included headers too; a macro may stand for a type as well."""
    found = {*api.typedefs, *api.structs, *api.enums, *api.constants}
    for entity in _records_and_enums(api):
        found.update(names_of(entity))
    return found


def _is_public(struct: Struct) -> bool:
    """Whether a struct is worth a finding of its own.

    One without a name is not, nor an opaque one that only a tag names: it comes and goes with whatever mentions it.
    """
    return not struct.anonymous and (struct.fields is not None or bool(struct.typedef_names))


def _points_to(type: CType, key: str) -> bool:
    """Whether a type is a struct behind pointers."""
    while isinstance(type, Pointer | Qualified | Array):
        type = type.target if isinstance(type, Pointer) else type.type if isinstance(type, Qualified) else type.element
    return isinstance(type, RecordType) and type.key == key
