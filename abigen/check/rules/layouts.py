"""The net under all other rules: what lies elsewhere although no other finding says why."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.differences import QUALIFIER
from abigen.check.equality import peel
from abigen.check.reasons import count, listed, misplaced
from abigen.check.rule import RuleResult, Subject
from abigen.check.rules.member_types import is_realigned, is_repacked, shifted_by_unnamed_bits
from abigen.check.rules.types import retargeted
from abigen.check.rules.unions import outgrows_its_place
from abigen.check.struct_members import MemberPair, is_reserved
from abigen.check.struct_pairs import NewMember, StructPair, moved_clause
from abigen.model.ctype import Array, CType, EnumType, NamedType, RecordType
from abigen.model.finding import Bump


class SilentChange(msgspec.Struct, frozen=True, dict=True):
    """What is another in the layout of one struct although no finding of another rule says why."""

    struct: StructPair
    typedefs: frozenset[str]
    """Those that `typedef-changed` reports."""

    @property
    def about(self) -> Subject:
        """The struct, the places of the first member that lies elsewhere, and the numbers of both layouts."""
        struct, pair = self.struct, next(iter(self.members), None)
        places = (pair.old.field.span, pair.new.field.span) if pair else (struct.old.span, struct.new.span)
        alignments = {"old_alignment": struct.old_layout.alignment, "new_alignment": struct.new_layout.alignment}
        offsets = {"old_offset": pair.old.offset, "new_offset": pair.new.offset} if pair else {}
        return Subject(struct.name, *places, {**struct.sizes, **alignments, **offsets})

    @property
    def is_any(self) -> bool:
        """Whether there is anything."""
        return bool(self.members) or self.is_resized

    @cached_property
    def members(self) -> tuple[MemberPair, ...]:
        """Members of both sides whose other place or size nothing explains."""
        fields = self.struct.fields
        return tuple(each for each in (*fields.kept, *fields.renamed) if not self._is_explained(each))

    @cached_property
    def is_resized(self) -> bool:
        """Whether the struct itself has another size or alignment, and nothing explains that."""
        struct, fields = self.struct, self.struct.fields
        added = [NewMember(struct, each) for each in fields.overlaid] if struct.new.is_union else []
        is_told_mildly = bool(added) and struct.old.anonymous and not any(map(outgrows_its_place, added))
        is_caused = self._first_cause < len(fields.places) or bool(fields.removed) or is_told_mildly
        if not struct.shifts.is_resized or self._is_laid_out_by_other_rules or is_caused:
            return False
        old, new = struct.old_layout, struct.new_layout
        newcomers = [*fields.appended]
        if not struct.apis.pair.old_uses.of(struct.name):
            newcomers += (pair.new for pair in fields.reserved_used)
        asked = max([old.alignment, *(each.alignment for each in newcomers)])
        is_grown = bool(fields.appended) or old.size == new.size
        return not (newcomers and is_grown and old.alignment <= new.alignment <= asked)

    @cached_property
    def _is_laid_out_by_other_rules(self) -> bool:
        """Whether a finding about the struct as a whole speaks for all its members."""
        struct = self.struct
        is_other_kind = struct.old.kind != struct.new.kind
        return is_other_kind or is_repacked(struct) or shifted_by_unnamed_bits(struct) is not None

    def _is_explained(self, pair: MemberPair) -> bool:
        """Whether a finding says why a member lies elsewhere or is larger or smaller than it was, if it is."""
        old, new = pair
        if not pair.shifted and old.room == new.room:
            return True
        if self._is_laid_out_by_other_rules:
            return True
        if is_reserved(old) and is_reserved(new) and old.place <= new.place and new.behind <= old.behind:
            return True
        is_moved = not pair.shifted or self._first_cause <= self.struct.fields.places[new.name]
        if self._is_retyped(pair):  # which moves the member itself only by its alignment, and bit-fields by their unit
            is_bit_field = old.bit_width is not None or new.bit_width is not None
            return is_moved or is_bit_field or old.alignment != new.alignment
        return is_moved and (old.room == new.room or self._is_remeasured(old.field.type, new.field.type))

    @cached_property
    def _first_cause(self) -> int:
        """Where in NEW's order the first member stands that a finding says to move others; behind all if none is."""
        fields, shifts = self.struct.fields, self.struct.shifts
        names = [each.name for each in fields.inserted]
        names += [each.name for each in fields.overlaid if outgrows_its_place(NewMember(self.struct, each))]
        names += [pair.new.name for pair in fields.moved]
        names += [pair.new.name for pair in (*fields.kept, *fields.renamed) if self._is_pushing(pair)]
        places = [*(fields.places[name] for name in names), *(place for place, _ in shifts.followers)]
        return min(places, default=len(fields.places))

    def _is_pushing(self, pair: MemberPair) -> bool:
        """Whether a finding says that a member takes another size or alignment from those behind it."""
        old, new = pair
        is_same_place = not pair.shifted and old.bit_width != new.bit_width
        if old.room == new.room and (is_same_place or old.alignment == new.alignment):
            return False
        types = old.field.type, new.field.type
        return self._is_retyped(pair) or is_realigned(pair) or self._is_remeasured(*types)

    def _is_retyped(self, pair: MemberPair) -> bool:
        """Whether a finding says that a member has another type; qualifiers are no reason for other bytes."""
        return self._kinds.get(pair.old.path, QUALIFIER) != QUALIFIER

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """The path of each member that has another type to the way in which it changed."""
        return {each.old.path: each.kind for each in self.struct.retyped}

    def _is_remeasured(self, old: CType, new: CType) -> bool:
        """Whether a finding about a typedef, an enumeration or a struct says why a type has other measures."""
        apis = self.struct.apis
        passed = (*apis.old.unfolded(old), *apis.new.unfolded(new))
        if any(isinstance(each, NamedType) and each.name in self.typedefs for each in passed):
            return True
        before, after = peel(old, apis.old_layouts)[1], peel(new, apis.new_layouts)[1]
        if isinstance(before, Array) and isinstance(after, Array):
            is_as_long = apis.equality.same_length(before.length, after.length)
            return is_as_long and self._is_remeasured(before.element, after.element)
        if isinstance(before, (RecordType, EnumType)) and isinstance(after, (RecordType, EnumType)):
            return apis.old_layouts.info(before)[:2] != apis.new_layouts.info(after)[:2]
        return False


def _silent_changes(comparison: ApiComparison) -> Iterator[SilentChange]:
    """The structs of the API in which something is another that no other rule reports."""
    typedefs = frozenset(each.old.name for each in retargeted(comparison))
    structs = comparison.structs
    if not comparison.equality.names_are_enough or comparison.pair.is_computed or _is_aligned_otherwise(comparison):
        own = (each for each in comparison.pair.structs if each[0].in_api or each[1].in_api)
        structs = tuple(StructPair(*each, comparison) for each in own)
    changes = (SilentChange(each, typedefs) for each in structs if each.is_defined)
    return (each for each in changes if each.is_any)


def _is_aligned_otherwise(comparison: ApiComparison) -> bool:
    """Whether a type asks for another alignment than it did, which may move what holds it and is as it was."""
    typedefs, equality = comparison.pair.typedefs.changed, comparison.equality
    is_typedef = any(equality.is_aligned_otherwise(*each) for each in typedefs)
    return is_typedef or any(map(_is_required_otherwise, comparison.structs))


def _is_required_otherwise(struct: StructPair) -> bool:
    """Whether a struct asks whatever holds it for another alignment, which Windows grants also where it is packed."""
    apis = struct.apis
    sides = ((struct.old, apis.old_layouts), (struct.new, apis.new_layouts))
    infos = [layouts.info(RecordType(each.name)) for each, layouts in sides] if struct.is_defined else []
    return bool(infos) and infos[0].required != infos[1].required


@change_rules.each("ABI121", _silent_changes, Bump.MAJOR)
def layout_changed(change: SilentChange) -> Iterator[RuleResult]:
    """Members moved, or a struct has another size or alignment, and no other finding explains it.

    What changed: every member that both sides have is compared by its place, size, bits and type, and every struct by
    its size and alignment, on each target. Members of structs and unions without a name count as those of the struct
    around them. This fallback rule reports changes that no other rule reports. For example: an unnamed struct moved,
    became a union, was added or removed around members, or is packed or aligned in another way; or a constant in the
    length of an array changed.

    What happens: each side accesses members at the offsets of its own header, where the other side has other data. Both
    read wrong values.

    Instead: leave published members where they are, and append new ones. An unnamed struct around members that keep
    their offsets is fine.

    Source: C 6.7.2.1 p13 (anonymous structures and unions); rulebook section 2, "No silence".
    """
    struct = change.struct
    name, filler, old, new = struct.name, struct.old.filler, struct.old_layout, struct.new_layout
    if change.members:
        first = change.members[0]
        clauses = [moved_clause(each) if each.shifted else _resized(each) for each in change.members]
        message = f"members of {name} moved or changed their size: {listed(clauses)}"
        where = [f"{each.where} with {each.room} bits" for each in first]
        if first.shifted:
            where = [each.where for each in first]
        plugins = misplaced(first.old.name, where[0], where[1], filler)
        caret = f"was {where[0]}"
    else:
        was, now = (f"{each.size} bytes aligned to {each.alignment}" for each in (old, new))
        message, caret = f"{name} had {was}, has {now}", f"was {was}"
        plugins = misplaced(name, f"as {was}", f"as {now}", filler)
    yield RuleResult(
        message,
        help="leave the members of OLD where they are, and append new members",
        caret=caret,
        plugins=plugins,
        details=struct.shifts.holders(),
    )


def _resized(pair: MemberPair) -> str:
    """What is said of a member that is larger or smaller at its old place."""
    old, new = pair
    bits = old.bit_width is not None or new.bit_width is not None
    was = count(old.room, "bit") if bits else count(old.size, "byte")
    return f"{new.path} had {was}, has {new.room if bits else new.size}"
