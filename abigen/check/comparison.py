"""What a rule about changes is handed: both sides of an API on one target, paired, with layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from abigen.check.deprecations import newly_deprecated, successors
from abigen.check.member_change import MemberChange, member_change
from abigen.check.pairing.api import ApiPair
from abigen.check.pairing.enums import EnumPair, compare_enums
from abigen.check.pairing.equality import Equality
from abigen.check.pairing.fields import Fields, MemberPair, Removal, pair_members
from abigen.check.pairing.likeness import renamed
from abigen.check.pairing.members import Member, members_of
from abigen.check.pairing.names import NamedPairs
from abigen.check.policy import Options
from abigen.check.shifts import Shifts
from abigen.check.sides import is_versioned, producer_of
from abigen.check.signature import SignatureChange, compare_signatures
from abigen.check.sizes import Measure, measure
from abigen.check.splits import Split, splits
from abigen.model.api import Api
from abigen.model.ctype import CType, FunctionType, Pointer
from abigen.model.entities import Constant, Enum, Field, Function, Macro, SizeConstant, Struct, Typedef, Variable
from abigen.model.layout import Layout, Layouts
from abigen.model.target import Target, find_target


class StructPair:
    """A struct or union on both sides, on one target."""

    def __init__(self, old: Struct, new: Struct, comparison: Comparison) -> None:
        """Put two states of a struct side by side."""
        self.old, self.new, self.comparison = old, new, comparison

    @property
    def name(self) -> str:
        """What findings call it: OLD's name."""
        return self.old.name

    def entity(self, member: str) -> str:
        """What findings call one of its members."""
        return f"{self.old.name}.{member}"

    @property
    def in_api(self) -> bool:
        """Whether it is declared by the API itself, on either side."""
        return self.old.in_api or self.new.in_api

    @property
    def is_defined(self) -> bool:
        """Whether both sides say what its members are."""
        return self.old.fields is not None and self.new.fields is not None

    @cached_property
    def old_layout(self) -> Layout:
        """OLD's layout; the struct has to be defined there."""
        return self.comparison.old_layouts.of(self.old.name)

    @cached_property
    def new_layout(self) -> Layout:
        """NEW's layout; the struct has to be defined there."""
        return self.comparison.new_layouts.of(self.new.name)

    @cached_property
    def old_members(self) -> tuple[Member, ...]:
        """OLD's members; none when it is not defined there."""
        return members_of(self.old, self.comparison.old_layouts) if self.old.fields is not None else ()

    @cached_property
    def new_members(self) -> tuple[Member, ...]:
        """NEW's members; none when it is not defined there."""
        return members_of(self.new, self.comparison.new_layouts) if self.new.fields is not None else ()

    @cached_property
    def fields(self) -> Fields:
        """What happened to its members; nothing unless both sides define it."""
        if not self.is_defined:
            return Fields()
        return pair_members(self.old_members, self.new_members, self.comparison.equality, self._inner)

    @cached_property
    def shifts(self) -> Shifts:
        """Which change of it moved which of its members."""
        return Shifts(self)

    @cached_property
    def member_changes(self) -> tuple[tuple[MemberPair, MemberChange], ...]:
        """Members that are still there with another type, and in which way."""
        fields = self.fields
        changes = ((each, member_change(each, self.comparison.equality)) for each in fields.kept + fields.moved)
        return tuple((each, change) for each, change in changes if change)

    @cached_property
    def removals(self) -> tuple[Removal, ...]:
        """Members that are gone for good: not those that a new struct has, by `Comparison.splits`."""
        moved = [member for split in self.comparison.splits if split.pair is self for member in split.moved]
        return tuple(removal for removal in self.fields.removed if removal.member not in moved)

    @cached_property
    def newly_deprecated(self) -> tuple[MemberPair, ...]:
        """Members of both sides that only NEW marks as deprecated, in OLD's order."""
        return newly_deprecated(self.fields)

    @cached_property
    def successors(self) -> Mapping[str, str]:
        """Members that this change marks as deprecated to the ones that it appends in their place."""
        return successors(self.fields)

    @property
    def producer(self) -> str:
        """Who fills it: `core`, `plugin`, or the empty string when nothing says so."""
        return producer_of(self.old, self.comparison.old)

    @cached_property
    def is_versioned(self) -> bool:
        """Whether OLD lets it grow: it carries its size, and is handed over by pointer only."""
        return is_versioned(self.old, self.comparison.old, self.comparison.pair.old_uses)

    def _inner(self, member: Member, is_new: bool) -> Sequence[Member]:
        """The members of a member's own struct, at offsets in this struct."""
        layouts = self.comparison.new_layouts if is_new else self.comparison.old_layouts
        struct = layouts.api.struct_of(member.field.type)
        if struct is None or struct.fields is None or struct.is_union:
            return ()
        return [each.within(member) for each in members_of(struct, layouts)]


class Comparison:
    """OLD and NEW on one target."""

    def __init__(self, pair: ApiPair, target_name: str, options: Options) -> None:
        """Compare two APIs on a target.

        Args:
            pair: both sides, paired by what all targets have in common.
            target_name: name of the target.
            options: the policy's.
        """
        self.pair, self.target_name, self.options = pair, target_name, options

    @property
    def old(self) -> Api:
        """The API as it was."""
        return self.pair.old

    @property
    def new(self) -> Api:
        """The API as it is."""
        return self.pair.new

    @cached_property
    def target(self) -> Target:
        """The target."""
        return find_target(self.target_name)

    @cached_property
    def old_layouts(self) -> Layouts:
        """OLD's layouts, each computed when it is asked for."""
        return Layouts(self.old, self.target)

    @cached_property
    def new_layouts(self) -> Layouts:
        """NEW's layouts, each computed when it is asked for."""
        return Layouts(self.new, self.target)

    @cached_property
    def equality(self) -> Equality:
        """Whether a type of OLD is a type of NEW."""
        return Equality(self.pair.types, self.old_layouts, self.new_layouts)

    def same_type(self, old: CType, new: CType) -> bool:
        """Whether both are the same type but for spelling; see `Equality`."""
        return self.equality.same(old, new)

    def signature(self, old: FunctionType, new: FunctionType) -> SignatureChange:
        """What differs between two signatures."""
        return compare_signatures(old, new, self.equality)

    @cached_property
    def structs(self) -> tuple[StructPair, ...]:
        """Structs and unions of the API that exist on both sides and differ, in OLD's order.

        What has no name of its own and is no named member's type belongs to the struct around it, and is not here.
        """
        return tuple(pair for pair in self.changed_structs if pair.in_api and not self._is_part(pair))

    @cached_property
    def included_structs(self) -> tuple[StructPair, ...]:
        """Structs and unions that merely come with an #include on both sides, and differ."""
        return tuple(pair for pair in self.changed_structs if not pair.in_api and not self._is_part(pair))

    @cached_property
    def changed_structs(self) -> tuple[StructPair, ...]:
        """All that exist on both sides and differ in anything but their place, in OLD's order."""
        suspects = self.pair.unsettled if self.equality.names_are_enough else self.pair.structs
        return tuple(StructPair(old, new, self) for old, new in suspects if self._differs(old, new))

    @cached_property
    def changed_keys(self) -> frozenset[str]:
        """OLD's keys of `changed_structs`."""
        return frozenset(pair.old.name for pair in self.changed_structs)

    def struct(self, key: str) -> StructPair | None:
        """The pair of a struct by OLD's key, whether it differs or not; None when it is gone."""
        after = self.pair.types.records.get(key)
        return StructPair(self.old.structs[key], self.new.structs[after], self) if after else None

    def _differs(self, old: Struct, new: Struct) -> bool:
        """Whether two states of a struct differ, or those of anonymous members in it, or what their names stand for."""
        if old.name in self.pair.types.edited:
            return True
        return any(
            self._member_differs(before, after) if before.name else self._inner_differs(before.type, after.type)
            for before, after in zip(old.fields or (), new.fields or (), strict=True)
        )

    def _member_differs(self, old: Field, new: Field) -> bool:
        """Whether two members that are spelled alike have other types, or other numbers of elements or bits."""
        equality = self.equality
        return not equality.same(old.type, new.type) or not equality.same_length(old.bit_width, new.bit_width)

    def _inner_differs(self, old: CType, new: CType) -> bool:
        """Whether two anonymous members differ."""
        before, after = self.old.struct_of(old), self.new.struct_of(new)
        return before is not None and after is not None and self._differs(before, after)

    def _is_part(self, pair: StructPair) -> bool:
        """Whether a struct is the type of an unnamed member, whose members belong to the struct around it."""
        return pair.old.name in self.pair.parts

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """Structs that gave members away to a new struct."""
        return splits(self)

    @cached_property
    def renamed_typedefs(self) -> tuple[tuple[Typedef, Typedef], ...]:
        """Typedefs of one type, one of which went while the other came under a similar name."""
        names = self.pair.type_names
        gone = [each for each in names.removed if isinstance(each, Typedef)]
        come = [each for each in names.added if isinstance(each, Typedef)]
        found = renamed(
            self.old.typedefs, self.new.typedefs, gone, come, lambda old, new: self.same_type(old.type, new.type)
        )
        return tuple((each, found[each.name]) for each in gone if each.name in found)

    @property
    def enums(self) -> NamedPairs[Enum]:
        """Enumerations, by the pairing of types."""
        return self.pair.enums

    @cached_property
    def enumerators(self) -> tuple[EnumPair, ...]:
        """Enumerations that differ, and what happened to their enumerators; those without a name too."""
        return compare_enums(self.pair, self.old_layouts, self.new_layouts)

    @property
    def functions(self) -> NamedPairs[Function]:
        """Functions by name."""
        return self.pair.functions

    @property
    def variables(self) -> NamedPairs[Variable]:
        """Objects by name."""
        return self.pair.variables

    @property
    def typedefs(self) -> NamedPairs[Typedef]:
        """Typedefs by name."""
        return self.pair.typedefs

    @property
    def constants(self) -> NamedPairs[Constant]:
        """Object-like macros by name."""
        return self.pair.constants

    @property
    def macros(self) -> NamedPairs[Macro]:
        """Function-like macros by name."""
        return self.pair.macros

    @property
    def size_constants(self) -> NamedPairs[SizeConstant]:
        """Size constants by name."""
        return self.pair.size_constants

    @cached_property
    def measures(self) -> tuple[tuple[Measure, Measure], ...]:
        """Size constants of both sides that may have another value, because they or their structs differ; measured."""
        edited, structs = {old.name for old, _ in self.size_constants.changed}, self.changed_keys
        found = (
            (measure(old, self.old_layouts), measure(new, self.new_layouts))
            for old, new in self.size_constants.both
            if old.name in edited or old.struct in structs
        )
        return tuple((before, after) for before, after in found if before is not None and after is not None)

    def moves_bytes(self, pair: MemberPair) -> bool:
        """Whether a member of both sides lies elsewhere or is larger or smaller than it was."""
        return pair.shifted or pair.old.size != pair.new.size

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
