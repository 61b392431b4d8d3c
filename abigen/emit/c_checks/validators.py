"""What the core checks of the structs that a plugin fills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from abigen.emit.c.types import Speller
from abigen.emit.c_checks.names import with_suffix
from abigen.model.api import Api
from abigen.model.ctype import Basic, BitInt, CType, EnumType, NamedType, Pointer, RecordType
from abigen.model.entities import Field, Struct, Version
from abigen.model.header import Header
from abigen.model.releases import size_steps


@dataclass(frozen=True, kw_only=True)
class MemberCheck:
    """A member that is looked at where the object is large enough to have it."""

    name: str
    pointer: bool
    required: bool
    """The plugin has to set it."""
    since: str
    """The release that brought it; empty for an API without version."""
    deprecated: bool
    deprecated_since: str
    """Empty when nobody knows."""
    replacement: str
    """What to use instead of a deprecated one; empty for nothing."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """The sizes that a struct can have from one release on: to the end of `last`, or to where the next step begins."""

    release: str
    first: str
    """The first member that the release appended; empty where nobody can ask for its offset, and in the first step."""
    last: str


@dataclass(frozen=True, kw_only=True)
class Nested:
    """A pointer to an object that core has provided and that the plugin has filled."""

    member: str
    function: str
    """What checks the object."""


@dataclass(frozen=True, kw_only=True)
class Validator:
    """Checks one struct."""

    struct: str
    """Its name in messages."""
    type: str
    """As C names it."""
    function: str
    size_field: str
    """Empty for a struct that is not versioned."""
    steps: tuple[Step, ...]
    members: tuple[MemberCheck, ...]
    nested: tuple[Nested, ...]


class Validators:
    """The validators of an API."""

    def __init__(self, api: Api, header: Header, speller: Speller) -> None:
        """Prepare to make them.

        Args:
            api: the API.
            header: how it is published.
            speller: of this API.
        """
        self._api = api
        self._header = header
        self._speller = speller

    @cached_property
    def all(self) -> tuple[Validator, ...]:
        """The validators of all structs that a plugin fills, or has a part in, in the order of declaration."""
        return tuple(self._validator(self._api.structs[key]) for key in self._checked)

    def function_for(self, type: CType) -> str:
        """The validator of a struct type; empty when it has none."""
        struct = self._api.struct_of(type)
        return with_suffix(struct.name, "Check") if struct is not None and struct.name in self._checked else ""

    def pointee(self, type: CType) -> Struct | None:
        """The struct with known members that a type points to."""
        resolved = self._api.resolve(type)
        struct = self._api.struct_of(resolved.target) if isinstance(resolved, Pointer) else None
        return struct if struct is not None and struct.fields else None

    def set_by_plugin(self, member: Field, struct: Struct) -> bool:
        """Whether the plugin sets a member; where nobody has said who does, it may be the plugin."""
        return (member.contract.set_by or self._filler(struct)) != "core"

    def is_filled_by_plugin(self, struct: Struct) -> bool:
        """Whether somebody has said that the plugin fills a struct."""
        return self._filler(struct) in ("plugin", "both")

    def _filler(self, struct: Struct) -> str:
        """Who fills a struct by the longest prefix that fits."""
        prefixes = [each for each in self._api.conventions.filled_by if struct.name.startswith(each)]
        return self._api.conventions.filled_by[max(prefixes, key=len)] if prefixes else ""

    @cached_property
    def _checked(self) -> tuple[str, ...]:
        """Keys of the structs that have a validator; those of core have one when the plugin fills a part of them."""
        return tuple(
            each.name
            for each in self._api.structs.values()
            if each.in_api and each.fields and not each.is_union and (each.tag or each.typedef_names)
            if self._filler(each) != "core" or any(self._of_plugin(each))
            if each.name in self._header.size_macros or any(self._members(each)) or any(self._pointees(each))
        )

    def _of_plugin(self, struct: Struct) -> Iterator[Field]:
        """The members of a struct of core's that the plugin has to do with."""
        for member in struct.fields or ():
            if member.contract.set_by in ("plugin", "both") or member.allocated_by == "core":
                yield member

    def _validator(self, struct: Struct) -> Validator:
        versioned = struct.name in self._header.size_macros
        fields = struct.fields or ()
        return Validator(
            struct=struct.name,
            type=self._speller.declare(RecordType(struct.name)),
            function=with_suffix(struct.name, "Check"),
            size_field=fields[0].name if versioned else "",
            steps=tuple(self._steps(struct)) if versioned else (),
            members=tuple(self._members(struct)),
            nested=tuple(self._nested(struct)),
        )

    def _steps(self, struct: Struct) -> Iterator[Step]:
        fields = struct.fields or ()
        names = [each.name for each in fields]
        begin = 0
        for step in size_steps(struct):
            first = fields[begin]
            known = begin > 0 and first.name and first.bit_width is None
            yield Step(release=self._release(step.since), first=first.name if known else "", last=step.last_member)
            begin = names.index(step.last_member) + 1

    def _members(self, struct: Struct) -> Iterator[MemberCheck]:
        fields = struct.fields or ()
        for each in fields[1:] if struct.name in self._header.size_macros else fields:
            pointer = isinstance(self._api.resolve(each.type), Pointer)
            contract = each.contract
            wanted = contract.required and contract.deprecated is None and (pointer or contract.zero == "no-op")
            if not self.set_by_plugin(each, struct) or not each.name or not self._is_scalar(each):
                continue
            if wanted or contract.deprecated is not None:
                deprecated = contract.deprecated
                since = deprecated.since if deprecated else None
                yield MemberCheck(
                    name=each.name,
                    pointer=pointer,
                    required=wanted,
                    since=self._release(contract.since or struct.contract.since),
                    deprecated=deprecated is not None,
                    deprecated_since=str(since or ""),
                    replacement=deprecated.use if deprecated else "",
                )

    def _nested(self, struct: Struct) -> Iterator[Nested]:
        for member, pointee in self._pointees(struct):
            if pointee.name in self._checked:
                yield Nested(member=member.name, function=with_suffix(pointee.name, "Check"))

    def _pointees(self, struct: Struct) -> Iterator[tuple[Field, Struct]]:
        """The objects of this API that core provides for the plugin to fill, with the members that point to them."""
        for member in struct.fields or ():
            pointee = self.pointee(member.type)
            if member.allocated_by == "core" and pointee is not None and pointee.in_api:
                yield member, pointee

    def _is_scalar(self, member: Field) -> bool:
        """Whether all of its bytes are zero where it is not set, and C can say where it stands."""
        resolved = self._api.resolve(member.type)
        return member.bit_width is None and isinstance(resolved, (Pointer, Basic, BitInt, EnumType, NamedType))

    def _release(self, since: Version | None) -> str:
        """The release of what came with it; what says nothing came with the first."""
        releases = self._header.releases
        return str(since or (releases[0] if releases else ""))
