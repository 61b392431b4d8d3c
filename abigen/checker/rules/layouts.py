"""Rules about sizes, and fallback rules that report a layout change which no other rule reported."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec
from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, change_rules
from abigen.checker.constants import value_of
from abigen.checker.equality import peel
from abigen.checker.pairs import QUALIFIER, Removed
from abigen.checker.rule import AtRisk, RuleResult, Subject, count, last_members, listed, misplaced
from abigen.checker.rules.fields import is_realigned, is_repacked, shifted_by_unnamed_bits
from abigen.checker.rules.types import outgrows_its_place, retargeted
from abigen.checker.struct_members import MemberPair, is_reserved
from abigen.checker.struct_pairs import NewMember, StructPair, moved_clause
from abigen.checker.struct_sizes import Measure, measure, measures, missing_entity, repair_of, words_for_missing
from abigen.model.api import release_of_size
from abigen.model.contract import Party
from abigen.model.ctype import Array, CType, EnumType, NamedType, RecordType
from abigen.model.entities import SizeConstant, Struct
from abigen.model.finding import Bump, Detail
from abigen.model.span import Span


class _MeasurePair(msgspec.Struct, frozen=True):
    """A size constant on both sides, measured."""

    comparison: ApiComparison
    old: Measure
    new: Measure

    @property
    def about(self) -> Subject:
        """OLD's name, both places, and both values."""
        numbers = {"old_size": self.old.value, "new_size": self.new.value}
        return Subject(self.old.constant.name, self.old.constant.span, self.new.constant.span, numbers)

    @property
    def is_newly_stale(self) -> bool:
        """True if NEW's constant leaves out members that OLD's did not."""
        return not set(self.new.left_out) <= set(self.old.left_out)

    @property
    def measures_another(self) -> bool:
        """True if NEW's constant is the size of another struct."""
        return self.comparison.pair.types.records.get(self.old.struct.name) != self.new.struct.name


def _measures(comparison: ApiComparison) -> Iterator[_MeasurePair]:
    """Return size constants that may have another value."""
    return (_MeasurePair(comparison, old, new) for old, new in comparison.measures)


@change_rules.each("ABI507", _measures)
def size_macro_changed(pair: _MeasurePair) -> Iterator[RuleResult]:
    """The value of a size constant changed, and its struct did not."""
    before, after = pair.old, pair.new
    name, struct = before.constant.name, before.struct.name
    if pair.is_newly_stale or pair.measures_another:
        return
    if before.value == after.value and release_of_size(name):
        return  # it states the size of an earlier release
    # The value that OLD's struct would have if it were measured as NEW measures it.
    expected = before.size
    if after.constant.last_member:
        expected = before.value if after.is_stale and before.is_stale else before.unpadded_size
    if expected == before.value:
        return
    left_out = f", which left out {', '.join(before.left_out)}" if before.is_stale else ""
    message = f"{name} was {before.value}{left_out}; with the expression of NEW, {struct} of OLD has {expected} bytes"
    if after.value == expected:
        message = f"{name} was {before.value}, is {after.value}, for the same members of {struct}{left_out}"
    check = "the core must compare struct_size with the offset of each member that it reads, not with the constant"
    yield RuleResult(
        message,
        Bump.PATCH,
        help="compare `struct_size` with a member's offset, never with the constant",
        caret=f"was {before.value}",
        plugins=(
            AtRisk(f"it passes the size {before.value}, and NEW has {expected}: {check}"),
            AtRisk(f"it passes the size {after.value}, and OLD has {before.value}: {check}"),
        ),
    )


@change_rules.each("ABI807", _measures, level="error")
def size_macro_wrong_struct(pair: _MeasurePair) -> Iterator[RuleResult]:
    """A size constant became the size of another struct."""
    name, before, after = pair.old.constant.name, pair.old, pair.new
    if pair.measures_another and not pair.is_newly_stale:
        is_there = before.struct.name in pair.comparison.pair.types.records
        advice = f"let {name} name {before.struct.name} again" if is_there else f"remove {name}"
        reason = f"{name} is the size of {before.struct.name} in OLD and of {after.struct.name} in NEW"
        yield RuleResult(
            f"{name} was the size of {before.struct.name} ({before.value}), is that of {after.struct.name}"
            f" ({after.value})",
            help=f"repair the header: {advice}",
            caret=f"was the size of {before.struct.name}",
            plugins=(reason, reason),
            contract=reason,
        )


def _removed_sizes(comparison: ApiComparison) -> Iterator[Removed[SizeConstant]]:
    """Return size constants that went, with the new ones that measure the same struct."""
    records, sizes = comparison.pair.types.records, comparison.pair.size_constants
    added = {each.struct: each for each in sizes.added}
    return (Removed(comparison, each, added.get(records.get(each.struct, ""))) for each in sizes.removed)


@change_rules.each("ABI508", _removed_sizes, Bump.MAJOR)
def size_macro_removed(removed: Removed[SizeConstant]) -> Iterator[RuleResult]:
    """A size constant was removed or renamed, and its struct stays."""
    old, new, api = removed.old, removed.successor, removed.apis.new
    key = removed.apis.pair.types.records.get(old.struct)
    struct = api.structs[key] if key else None
    is_followed = new is not None and key != old.struct
    if struct is None or struct.fields is None or old.name in api.constants or is_followed:
        return
    yield RuleResult(
        f"{old.name}, the size of {old.struct}, " + (f"was renamed to {new.name}" if new else "was removed"),
        help=f"keep {old.name}",
        caret=f"was {old.name}" if new else "",
        source=f"code that sets struct_size from {old.name} no longer compiles",
        about=replace(removed.about, new=new.span if new else struct.span),
    )


@change_rules.whole("ABI820", level="error")
def size_macro_broken(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A size constant names a struct or member that does not exist."""
    old, new = comparison.old, comparison.new
    for constant in new.size_constants.values():
        name, before = constant.name, old.size_constants.get(constant.name)
        missing = comparison.pair.broken_sizes.get(name)
        if missing and (before is None or not missing_entity(before, old)):
            words, caret = words_for_missing(missing, new)
            yield RuleResult(
                f"{name} {words}",
                help=f"repair the header: {repair_of(constant, new)}",
                caret=caret,
                source=f"code that uses {name} does not compile" if before else "",
                about=Subject(name, before.span if before else None, constant.span),
            )


class _StaleSize(msgspec.Struct, frozen=True):
    """A size constant of NEW that leaves out members which OLD's, if there was one, did not."""

    old: Measure | None
    new: Measure
    kept: tuple[str, ...]
    """Members left out that OLD's struct has as well."""
    added: tuple[str, ...]
    """Members left out that came to a struct which OLD has."""

    @property
    def about(self) -> Subject:
        """The constant, both places, and all sizes."""
        old, new = self.old, self.new
        numbers: dict[str, int | str | None] = {"new_size": new.value, "new_unpadded_size": new.unpadded_size}
        if old is not None:
            numbers = {"old_size": old.value, "old_unpadded_size": old.unpadded_size, **numbers}
        return Subject(new.constant.name, old.constant.span if old else None, new.constant.span, numbers)

    @property
    def plugins(self) -> tuple[str, str]:
        """The effects on a plugin built against OLD, and on one built against NEW."""
        name, added, kept = self.new.constant.name, last_members(self.added), last_members(self.kept)
        reads = f"compares struct_size with {name} accepts it, and reads past its end"
        ignored = f"struct_size {self.new.value} states that {kept} is not there, so it is ignored"
        passes = f"it passes a struct without {added}; a core built against NEW that {reads}"
        receives = f"a core built against OLD passes a struct without {added}; a plugin that {reads}"
        by_plugin = (passes if added else "", ignored if kept else "")
        by_core = (ignored if kept else "", receives if added else "")
        filler = self.new.struct.filler
        if filler in (Party.PLUGIN, Party.CORE):
            return by_plugin if filler is Party.PLUGIN else by_core
        return by_plugin[0] or by_core[0], by_core[1] or by_plugin[1]


def _newly_stale(comparison: ApiComparison) -> Iterator[_StaleSize]:
    """Yield size constants that NEW lets fall behind, or brings too short."""
    records = {new: old for old, new in comparison.pair.types.records.items()}
    found: list[tuple[Measure | None, Measure]] = [
        (each.old, each.new) for each in _measures(comparison) if each.is_newly_stale
    ]
    added = [measure(each, comparison.new_layouts) for each in comparison.pair.size_constants.added]
    # Beside one that is right, a shorter one marks where an earlier version ended.
    stale = [each for each in added if each is not None and each.is_stale and each.names_one_struct]
    whole = {each.struct.name for each in measures(comparison.new_layouts) if not each.is_stale} if stale else set()
    found += ((None, each) for each in stale if each.struct.name not in whole)
    for before, after in found:
        struct = comparison.old.structs.get(records.get(after.struct.name, ""))
        known = {each.name for each in struct.fields or ()} if struct else set()
        kept = tuple(each for each in after.left_out if each in known)
        fresh = tuple(each for each in after.left_out if each not in known) if struct else ()
        yield _StaleSize(before, after, kept, fresh)


@change_rules.each("ABI806", _newly_stale, level="error")
def size_macro_stale(stale: _StaleSize) -> Iterator[RuleResult]:
    """A size constant does not end at the last member of its struct."""
    before, after = stale.old, stale.new
    name, struct, names, last = after.constant.name, after.struct.name, last_members(after.left_out), after.left_out[-1]
    yield RuleResult(
        f"{name} is {after.value}, but {struct} ends at byte {after.unpadded_size}: it leaves out {names}",
        help=f"repair the header: let {name} end at {last}",
        caret=f"should end at {last}",
        plugins=stale.plugins,
        contract=f"if a side built against NEW passes {name} as struct_size, the reader ignores {names}",
        details=[Detail("was", f"{before.value}, and {before.struct.name} ended at byte {before.unpadded_size}")]
        if before
        else (),
    )


class _WrongNumber(msgspec.Struct, frozen=True):
    """A size constant of OLD that is a number in NEW, and not the size of its struct."""

    old: Measure
    value: int
    """NEW's, in bytes."""
    struct: Struct
    size: int
    """NEW's `sizeof`, in bytes."""
    span: Span | None

    @property
    def about(self) -> Subject:
        """OLD's name, both places, and both values."""
        constant, numbers = self.old.constant, {"old_size": self.old.value, "new_size": self.value}
        return Subject(constant.name, constant.span, self.span, numbers)


def _wrong_numbers(comparison: ApiComparison) -> Iterator[_WrongNumber]:
    """Yield size constants that are more than their structs have, or that are no constants of that kind any more."""
    for pair in _measures(comparison):
        if pair.new.value > pair.new.size and pair.old.value <= pair.old.size:
            new = pair.new
            yield _WrongNumber(pair.old, new.value, new.struct, new.size, new.constant.span)
    for constant in comparison.pair.size_constants.removed:
        before, now = measure(constant, comparison.old_layouts), comparison.new.constants.get(constant.name)
        key = comparison.pair.types.records.get(before.struct.name) if before is not None else None
        value = value_of(constant.name, comparison.new_layouts)
        if before is None or now is None or value is None or key is None:
            continue
        if value == before.value and release_of_size(constant.name):
            continue  # it states the size of its release, and NEW is a later one
        struct, layout = comparison.new.structs[key], comparison.new_layouts.of(key)
        if struct.fields is not None and value not in (layout.size, layout.unpadded_size):
            yield _WrongNumber(before, value, struct, layout.size, now.span)


@change_rules.also("ABI806", _wrong_numbers)
def _is_no_size(number: _WrongNumber) -> Iterator[RuleResult]:
    """A size constant that is a number now, and not the size of its struct."""
    name, before, struct = number.old.constant.name, number.old, number.struct.name
    reason = f"{name} is {before.value} in OLD and {number.value} in NEW, and each side is compiled with its own value"
    yield RuleResult(
        f"{name} was the size of {before.struct.name} ({before.value}), is {number.value}; {struct} has"
        f" {count(number.size, 'byte')}",
        help=f"repair the header: let {name} be the size of {struct} again",
        caret=f"was the size of {before.struct.name}",
        plugins=(reason, reason),
        contract=reason,
    )


class SilentChange(msgspec.Struct, frozen=True, dict=True):
    """A layout change of one struct that no finding of another rule explains."""

    struct: StructPair
    typedefs: frozenset[str]
    """The typedefs that `typedef-changed` reports."""

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
        """True if there is anything."""
        return bool(self.members) or self.is_resized

    @cached_property
    def members(self) -> tuple[MemberPair, ...]:
        """Members of both sides whose other place or size nothing explains."""
        fields = self.struct.fields
        return tuple(each for each in (*fields.kept, *fields.renamed) if not self._is_explained(each))

    @cached_property
    def is_resized(self) -> bool:
        """True if the struct itself has another size or alignment, and nothing explains that."""
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
        """True if a finding about the struct as a whole speaks for all its members."""
        struct = self.struct
        is_other_kind = struct.old.kind != struct.new.kind
        return is_other_kind or is_repacked(struct) or shifted_by_unnamed_bits(struct) is not None

    def _is_explained(self, pair: MemberPair) -> bool:
        """True if a finding says why a member lies elsewhere or is larger or smaller than it was, if it is."""
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
        """Return the position in NEW of the first member that a finding blames for moves; the end if there is none."""
        fields, shifts = self.struct.fields, self.struct.shifts
        names = [each.name for each in fields.inserted]
        names += [each.name for each in fields.overlaid if outgrows_its_place(NewMember(self.struct, each))]
        names += [pair.new.name for pair in fields.moved]
        names += [pair.new.name for pair in (*fields.kept, *fields.renamed) if self._is_pushing(pair)]
        places = [*(fields.places[name] for name in names), *(place for place, _ in shifts.followers)]
        return min(places, default=len(fields.places))

    def _is_pushing(self, pair: MemberPair) -> bool:
        """True if a finding says that a member takes another size or alignment from those behind it."""
        old, new = pair
        is_same_place = not pair.shifted and old.bit_width != new.bit_width
        if old.room == new.room and (is_same_place or old.alignment == new.alignment):
            return False
        types = old.field.type, new.field.type
        return self._is_retyped(pair) or is_realigned(pair) or self._is_remeasured(*types)

    def _is_retyped(self, pair: MemberPair) -> bool:
        """True if a finding says that a member has another type; qualifiers are no reason for other bytes."""
        return self._kinds.get(pair.old.path, QUALIFIER) != QUALIFIER

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """The path of each member that has another type to the way in which it changed."""
        return {each.old.path: each.kind for each in self.struct.retyped}

    def _is_remeasured(self, old: CType, new: CType) -> bool:
        """True if a finding about a typedef, an enumeration or a struct says why a type has other measures."""
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
    """Return the structs of the API in which something is another that no other rule reports."""
    typedefs = frozenset(each.old.name for each in retargeted(comparison))
    structs = comparison.structs
    if not comparison.equality.names_are_enough or comparison.pair.is_computed or _is_aligned_otherwise(comparison):
        own = (each for each in comparison.pair.structs if each[0].in_api or each[1].in_api)
        structs = tuple(StructPair(*each, comparison) for each in own)
    changes = (SilentChange(each, typedefs) for each in structs if each.is_defined)
    return (each for each in changes if each.is_any)


def _is_aligned_otherwise(comparison: ApiComparison) -> bool:
    """True if a type asks for another alignment than it did, which may move what holds it and is as it was."""
    typedefs, equality = comparison.pair.typedefs.changed, comparison.equality
    is_typedef = any(equality.is_aligned_otherwise(*each) for each in typedefs)
    return is_typedef or any(map(_is_required_otherwise, comparison.structs))


def _is_required_otherwise(struct: StructPair) -> bool:
    """True if a struct asks whatever holds it for another alignment, which Windows grants also where it is packed."""
    apis = struct.apis
    sides = ((struct.old, apis.old_layouts), (struct.new, apis.new_layouts))
    infos = [layouts.info(RecordType(each.name)) for each, layouts in sides] if struct.is_defined else []
    return bool(infos) and infos[0].required != infos[1].required


@change_rules.each("ABI121", _silent_changes, Bump.MAJOR)
def layout_changed(change: SilentChange) -> Iterator[RuleResult]:
    """Members moved, or a struct has another size or alignment, and no other finding explains it."""
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
    """Return the result about a member that is larger or smaller at its old place."""
    old, new = pair
    bits = old.bit_width is not None or new.bit_width is not None
    was = count(old.room, "bit") if bits else count(old.size, "byte")
    return f"{new.path} had {was}, has {new.room if bits else new.size}"
