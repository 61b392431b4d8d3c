"""OLD and NEW: their entities paired by name, once for all targets, and both as one target sees them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import msgspec

from abigen.check.equality import Equality
from abigen.check.policy import Options
from abigen.check.release import declared_bump
from abigen.check.rule import Subject
from abigen.check.struct_sizes import Uses, broken_sizes
from abigen.check.type_pairs import TypeNameChanges, TypePairs, pair_types
from abigen.model.api import Api
from abigen.model.ctype import Array, CType, Expression, FunctionType, Pointer, RecordType, types_in
from abigen.model.entities import Entity, Struct
from abigen.model.layout import Layouts
from abigen.model.target import Target, find_target

Named = TypeVar("Named", bound=Entity)


class NamedPairs(msgspec.Struct, Generic[Named], frozen=True, dict=True):
    """Entities of one kind: those of both sides, those that went and those that came.

    Only what is part of the API on at least one side is here. What moved between the API's own file and an included
    one is still there for whoever includes the header, so it is in `both`.
    """

    both: tuple[tuple[Named, Named], ...]
    removed: tuple[Named, ...]
    added: tuple[Named, ...]

    @cached_property
    def changed(self) -> tuple[tuple[Named, Named], ...]:
        """Those of `both` that differ in anything but their place."""
        return tuple((old, new) for old, new in self.both if old != new)


def pair_named(
    old: Mapping[str, Named], new: Mapping[str, Named], names: Mapping[str, str] | None = None
) -> NamedPairs[Named]:
    """Pair two mappings.

    Args:
        old: OLD's entities by key.
        new: NEW's.
        names: OLD's key to NEW's, where they have been paired otherwise than by equal keys.

    Returns:
        Pairs and removals in OLD's order, additions in NEW's.
    """
    pairs = {name: name for name in old if name in new} if names is None else names
    taken = set(pairs.values())
    both = [(entity, new[pairs[name]]) for name, entity in old.items() if name in pairs]
    return NamedPairs(
        both=tuple(pair for pair in both if pair[0].in_api or pair[1].in_api),
        removed=tuple(entity for name, entity in old.items() if entity.in_api and name not in pairs),
        added=tuple(entity for name, entity in new.items() if entity.in_api and name not in taken),
    )


class ApiPair:
    """OLD and NEW as one group of targets sees them, paired once."""

    def __init__(self, old: Api, new: Api) -> None:
        """Pair `old` with `new`: types by all that speaks for it, everything else by name."""
        self.old, self.new = old, new
        self.types: TypePairs = pair_types(old, new)
        self.type_names = TypeNameChanges(old, new, self.types)
        self.enums = pair_named(old.enums, new.enums, self.types.enums)
        self.functions = pair_named(old.functions, new.functions)
        self.variables = pair_named(old.variables, new.variables)
        self.typedefs = pair_named(old.typedefs, new.typedefs)
        self.constants = pair_named(old.constants, new.constants)
        self.macros = pair_named(old.macros, new.macros)
        self.size_constants = pair_named(old.size_constants, new.size_constants)
        self.old_uses = Uses(old)
        """Where OLD uses structs by value."""
        self.unpadded = frozenset(each.struct for each in old.size_constants.values() if each.last_member)
        """OLD's keys of the structs that have a size constant which ends at a member, so that it counts no padding."""

    @cached_property
    def broken_sizes(self) -> Mapping[str, str]:
        """NEW's own size constants that name what does not exist, with that name."""
        return broken_sizes(self.new)

    @cached_property
    def is_computed(self) -> bool:
        """Whether anything in OLD has a length, a width or an alignment that follows from other declarations."""
        fields = [field for struct in self.old.structs.values() for field in struct.fields or ()]
        numbers: list[object] = [number for each in fields for number in (each.alignment, each.bit_width)]
        numbers += (each.alignment for each in self.old.structs.values())
        numbers += (each.alignment for each in self.old.typedefs.values())
        types = [*(each.type for each in fields), *(each.type for each in self.old.typedefs.values())]
        numbers += (part.length for each in types for part in types_in(each) if isinstance(part, Array))
        return any(isinstance(each, Expression) for each in numbers)

    @cached_property
    def structs(self) -> tuple[tuple[Struct, Struct], ...]:
        """All structs and unions that exist on both sides, those of included headers too, in OLD's order.

        Those that are types of unnamed members are left out: their members belong to the struct around them.
        """
        records, new = self.types.records, self.new.structs
        members = (field for struct in self.old.structs.values() for field in struct.fields or () if not field.name)
        parts = [resolved.key for each in members if isinstance(resolved := self.old.resolve(each.type), RecordType)]
        keys = [key for key in self.old.structs if key in records and key not in parts]
        return tuple((self.old.structs[key], new[records[key]]) for key in keys)


class ApisOnTarget:
    """OLD and NEW as one target sees them, with layouts, and the policy's options."""

    def __init__(self, pair: ApiPair, target_name: str, options: Options) -> None:
        """Prepare to compare two APIs on a target.

        Args:
            pair: both sides, paired by what all targets have in common.
            target_name: name of the target.
            options: the policy's.
        """
        self.pair, self.options = pair, options
        self.old, self.new = pair.old, pair.new
        self.target: Target = find_target(target_name)
        self.old_layouts = Layouts(self.old, self.target)
        self.new_layouts = Layouts(self.new, self.target)
        self.equality = Equality(pair.types, self.old_layouts, self.new_layouts)

    def to_raise(self, words: str) -> str:
        """A part of an advice that asks for MINOR or MAJOR; empty when NEW's version has raised it already."""
        declared = declared_bump(self.old.version, self.new.version)
        is_done = declared == "major" or (declared == "minor" and "MAJOR" not in words)
        if is_done:
            return ""
        now = self.new.version
        # The only number of a version has the name of its macro.
        return re.sub("MINOR|MAJOR", now.macros[0][0], words) if now and now.parts == 1 and now.macros else words

    def function_behind(self, type: CType, *, new: bool) -> FunctionType | None:
        """The function that a type is or points to (once), through typedefs; None when it is something else.

        Args:
            type: a type of OLD or of NEW.
            new: which of the two it belongs to.
        """
        api = self.new if new else self.old
        resolved = api.resolve(type)
        if isinstance(resolved, Pointer):
            resolved = api.resolve(resolved.target)
        return resolved if isinstance(resolved, FunctionType) else None

    def changed(self, pairs: NamedPairs[Named]) -> Iterator[Changed[Named]]:
        """The entities of both sides that differ in anything but their place."""
        return (Changed(self, old, new) for old, new in pairs.changed)

    def both(self, pairs: NamedPairs[Named]) -> Iterator[Changed[Named]]:
        """All entities of both sides: what they stand for may differ although they are spelled alike."""
        return (Changed(self, old, new) for old, new in pairs.both)

    def removed(
        self, pairs: NamedPairs[Named], successors: Mapping[str, Named] | None = None
    ) -> Iterator[Removed[Named]]:
        """The entities that went, those that are called otherwise now with their successors, by OLD's names."""
        return (Removed(self, each, (successors or {}).get(each.name)) for each in pairs.removed)

    def added(self, pairs: NamedPairs[Named], successors: Mapping[str, Named] | None = None) -> Iterator[Added[Named]]:
        """The entities that came and are no successors of others."""
        taken = {each.name for each in (successors or {}).values()}
        return (Added(self, each) for each in pairs.added if each.name not in taken)


class Changed(msgspec.Struct, Generic[Named], frozen=True):
    """An entity that both sides have."""

    apis: ApisOnTarget
    old: Named
    new: Named

    @property
    def name(self) -> str:
        """OLD's name."""
        return self.old.name

    @property
    def about(self) -> Subject:
        """OLD's name, and both places."""
        return Subject(self.old.name, self.old.span, self.new.span)


class Removed(msgspec.Struct, Generic[Named], frozen=True):
    """An entity that only OLD has."""

    apis: ApisOnTarget
    old: Named
    successor: Named | None = None
    """What it is called now."""

    @property
    def about(self) -> Subject:
        """Its name and its place in OLD, and its successor's place."""
        return Subject(self.old.name, self.old.span, self.successor.span if self.successor else None)


class Added(msgspec.Struct, Generic[Named], frozen=True):
    """An entity that only NEW has."""

    apis: ApisOnTarget
    new: Named

    @property
    def about(self) -> Subject:
        """Its name and its place in NEW."""
        return Subject(self.new.name, None, self.new.span, caret="new")


def longest_increasing(numbers: Sequence[int]) -> set[int]:
    """The members of a longest increasing subsequence.

    With OLD's positions in NEW's order this is the longest common subsequence of two permutations, in n log n steps.
    Where several are equally long, the one that keeps what stood first is taken.

    Args:
        numbers: distinct.
    """
    tails: list[int] = []
    previous: dict[int, int | None] = {}
    for number in numbers:
        place = bisect_left(tails, number)
        previous[number] = tails[place - 1] if place else None
        tails[place : place + 1] = [number]
    kept: set[int] = set()
    number_or_none = tails[-1] if tails else None
    while number_or_none is not None:
        kept.add(number_or_none)
        number_or_none = previous[number_or_none]
    return kept


def is_macro(name: str, api: Api) -> bool:
    """Whether an API defines a macro of that name."""
    return name in api.constants or name in api.macros


def is_named(name: str, api: Api) -> bool:
    """Whether an API has something else of that name: a type, a function, an object, an enumerator."""
    kinds = (api.typedefs, api.functions, api.variables, api.size_constants, api.structs, api.enums)
    return any(name in entities for entities in kinds) or any(
        each.name == name for enum in api.enums.values() for each in enum.enumerators or ()
    )
