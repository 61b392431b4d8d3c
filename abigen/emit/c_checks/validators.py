"""What the core checks of the structs that a plugin fills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from abigen.emit.c.names import with_suffix
from abigen.emit.c.types import Speller
from abigen.emit.c_checks.conditions import Condition, Conditions, Given
from abigen.emit.c_checks.names import compatible_releases
from abigen.emit.c_checks.patterns import PatternTable, pattern_tables
from abigen.model.api import Api, Header
from abigen.model.ctype import Basic, BitInt, CType, EnumType, NamedType, Pointer, RecordType
from abigen.model.entities import Field, Struct
from abigen.model.releases import size_steps
from abigen.model.version import Version


@dataclass(frozen=True, kw_only=True)
class MemberCheck:
    """A member that is looked at where the object is large enough to have it."""

    name: str
    pointer: bool
    required: int
    """Whether the plugin has to set it: 0 no, 1 yes, from 2 on under the condition with that number, less 2."""
    forbidden: int
    """Whether the plugin may not set it: 0 for never, from 2 on under the condition with that number, less 2."""
    pattern: int
    """Number of the pattern that its text has to match; 0 for none."""
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
class Argument:
    """Where a check has another struct from that it hands on."""

    name: str
    """The object itself, or a parameter."""
    member: str = ""
    """The object's member that points to it; empty for what `name` points to."""
    later: bool = False
    """Whether that member stands behind the one whose object is checked, so that it may not be there yet."""


@dataclass(frozen=True, kw_only=True)
class Nested:
    """An object that core has provided and that the plugin has filled, behind a pointer or within the struct."""

    member: str
    pointer: bool
    function: str
    """What checks the object."""
    arguments: tuple[Argument, ...]
    """What it is given besides the object, for each of `Validator.given` of its struct."""


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
    conditions: tuple[Condition, ...]
    nested: tuple[Nested, ...]
    given: tuple[Given, ...]
    """Other structs that it has to look at, or something nested has to."""
    parameters: tuple[str, ...]
    """Declarations of those and of the object, before the two that all checks have."""


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
        self._conditions = Conditions(api, header, speller)
        self._known: dict[str, bool] = {}
        self._needs: dict[str, tuple[Given, ...]] = {}

    @cached_property
    def patterns(self) -> dict[str, PatternTable]:
        """The patterns of all members, by how they were written."""
        structs = (each for each in self._api.structs.values() if each.in_api)
        return pattern_tables(each.pattern for struct in structs for each in struct.fields or () if each.pattern)

    @cached_property
    def all(self) -> tuple[Validator, ...]:
        """The validators of all structs that a plugin fills, or has a part in, in the order of declaration."""
        return tuple(self._validator(self._api.structs[key]) for key in self._checked)

    def given(self, struct: Struct) -> tuple[Given, ...]:
        """The other structs that the validator of a struct is given, for itself and for those that it calls."""
        if struct.name not in self._needs:
            found = {each.key: each for each in self._conditions.given(self._stated(struct))}
            for member, inner, _ in self._inner(struct):
                found |= {each.key: each for each in self.given(inner) if not self._at_hand(each, struct, member)}
            self._needs[struct.name] = tuple(found.values())
        return self._needs[struct.name]

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
        return tuple(each.name for each in self._api.structs.values() if self._is_checked(each))

    def _is_checked(self, struct: Struct) -> bool:
        if struct.name not in self._known:
            named = struct.in_api and struct.fields and not struct.is_union and (struct.tag or struct.typedef_names)
            ours = self._filler(struct) != "core" or any(self._of_plugin(struct))
            self._known[struct.name] = bool(named) and ours and self._has_checks(struct)
        return self._known[struct.name]

    def _has_checks(self, struct: Struct) -> bool:
        own = struct.name in self._header.size_macros or any(self._members(struct))
        return own or any(self._pointees(struct)) or any(self._is_checked(each) for _, each in self._embedded(struct))

    def _of_plugin(self, struct: Struct) -> Iterator[Field]:
        """The members of a struct of core's that the plugin has to do with."""
        for member in struct.fields or ():
            if member.contract.set_by in ("plugin", "both") or member.allocated_by == "core":
                yield member

    def _validator(self, struct: Struct) -> Validator:
        versioned = struct.name in self._header.size_macros
        fields = struct.fields or ()
        type = self._speller.declare(RecordType(struct.name))
        return Validator(
            struct=struct.name,
            type=type,
            function=with_suffix(struct.name, "Check"),
            size_field=fields[0].name if versioned else "",
            steps=tuple(self._steps(struct)) if versioned else (),
            members=tuple(self._members(struct)),
            conditions=tuple(self._stated(struct)),
            nested=tuple(self._nested(struct)),
            given=self.given(struct),
            parameters=(
                f"const {type}* object",
                *(f"const {each.type}* {each.name}" for each in self.given(struct)),
            ),
        )

    def _steps(self, struct: Struct) -> Iterator[Step]:
        """How a struct grew since the first release that this one is compatible with."""
        fields = struct.fields or ()
        names = [each.name for each in fields]
        compatible = compatible_releases(self._header)
        last_members: dict[str, str] = {}
        for step in size_steps(struct):
            since = max(step.since or compatible[0], compatible[0]) if compatible else None
            last_members[str(since or "")] = step.last_member
        begin = 0
        for release, last in last_members.items():
            first = fields[begin]
            known = begin > 0 and first.name and first.bit_width is None
            yield Step(release=release, first=first.name if known else "", last=last)
            begin = names.index(last) + 1

    def _members(self, struct: Struct) -> Iterator[MemberCheck]:
        conditions = self._stated(struct)
        for each, condition, exclusion, pointer in self._candidates(struct):
            contract = each.contract
            required = 2 + conditions.index(condition) if condition else int(contract.is_required)
            if contract.lifecycle.deprecated or not (pointer or contract.zero == "no-op"):
                required = 0  # zero may be meant
            if required or exclusion or contract.lifecycle.deprecated or each.pattern:
                yield MemberCheck(
                    name=each.name,
                    pointer=pointer,
                    required=required,
                    forbidden=2 + conditions.index(exclusion) if exclusion else 0,
                    pattern=self.patterns[each.pattern].number if each.pattern else 0,
                    since=self._release(contract.lifecycle.since or struct.contract.lifecycle.since),
                    deprecated=contract.lifecycle.deprecated,
                    deprecated_since=str(contract.lifecycle.deprecated_since or ""),
                    replacement=contract.lifecycle.replaced_by,
                )

    def _stated(self, struct: Struct) -> list[Condition]:
        """The conditions of a struct's members, each once."""
        stated = (each for _, *both, _ in self._candidates(struct) for each in both)
        return list(dict.fromkeys(each for each in stated if isinstance(each, Condition)))

    def _candidates(self, struct: Struct) -> Iterator[tuple[Field, Condition | None, Condition | None, bool]]:
        """The members that a plugin sets and that can be looked at.

        With each the condition under which it is required, that under which it is forbidden, and whether it points.
        """
        fields = struct.fields or ()
        for each in fields[1:] if struct.name in self._header.size_macros else fields:
            if self.set_by_plugin(each, struct) and each.name and self._is_scalar(each):
                pointer = isinstance(self._api.resolve(each.type), Pointer)
                yield each, self._conditions.of(each, struct), self._conditions.exclusion(each, struct), pointer

    def _nested(self, struct: Struct) -> Iterator[Nested]:
        for member, inner, pointer in self._inner(struct):
            yield Nested(
                member=member.name,
                pointer=pointer,
                function=with_suffix(inner.name, "Check"),
                arguments=tuple(
                    self._at_hand(each, struct, member) or Argument(name=each.name) for each in self.given(inner)
                ),
            )

    def _inner(self, struct: Struct) -> Iterator[tuple[Field, Struct, bool]]:
        """The objects that are checked along with a struct; but none from which the way leads back to it."""
        for member, inner, pointer in self._below(struct):
            if struct.name not in self._reached(inner):
                yield member, inner, pointer

    def _below(self, struct: Struct) -> Iterator[tuple[Field, Struct, bool]]:
        places = [(member, inner, True) for member, inner in self._pointees(struct)]
        places += [(member, inner, False) for member, inner in self._embedded(struct)]
        yield from (each for each in places if self._is_checked(each[1]))

    def _reached(self, struct: Struct) -> set[str]:
        """The struct, and all that checks of it could lead to."""
        found: set[str] = set()
        ahead = [struct]
        while ahead:
            each = ahead.pop()
            if each.name not in found:
                found.add(each.name)
                ahead += (inner for _, inner, _ in self._below(each))
        return found

    def _at_hand(self, given: Given, struct: Struct, checked: Field) -> Argument | None:
        """How the check of a member's object gets at another struct through its own; None when it cannot."""
        if given.key == struct.name:
            return Argument(name="object")
        names = [each.name for each in struct.fields or ()]
        members = (member.name for member, pointee in self._pointees(struct) if pointee.name == given.key)
        for each in members:
            return Argument(name="object", member=each, later=names.index(each) > names.index(checked.name))
        return None

    def _pointees(self, struct: Struct) -> Iterator[tuple[Field, Struct]]:
        """The objects of this API that core provides for the plugin to fill, with the members that point to them."""
        for member in struct.fields or ():
            pointee = self.pointee(member.type)
            if member.allocated_by == "core" and pointee is not None and pointee.in_api:
                yield member, pointee

    def _embedded(self, struct: Struct) -> Iterator[tuple[Field, Struct]]:
        """The structs of this API that a plugin fills within a struct."""
        for member in struct.fields or ():
            inner = self._api.struct_of(member.type)
            if inner is not None and inner.in_api and member.name and self.set_by_plugin(member, struct):
                yield member, inner

    def _is_scalar(self, member: Field) -> bool:
        """Whether all of its bytes are zero where it is not set, and C can say where it stands."""
        resolved = self._api.resolve(member.type)
        return member.bit_width is None and isinstance(resolved, (Pointer, Basic, BitInt, EnumType, NamedType))

    def _release(self, since: Version | None) -> str:
        """The release of what came with it; what says nothing came with the first."""
        releases = self._header.releases
        return str(since or (releases[0] if releases else ""))
