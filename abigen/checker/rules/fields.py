"""Rules about members: removed, moved, inserted, renamed, or of another type."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, IncludedChange, change_rules, if_it_may_grow
from abigen.checker.equality import differing_leaves, lost_its_type, peel, read_as, spelled
from abigen.checker.pairs import ARRAY_LENGTH, BIT_FIELD, FLEXIBLE, TYPE
from abigen.checker.rule import AtRisk, RuleResult, Subject, count, gone, listed, misplaced, missing_in_new, verbs
from abigen.checker.rules.appends import more_aligned
from abigen.checker.rules.types import other_handle
from abigen.checker.struct_members import FlattenedMember, MemberPair, Regrouping, is_reserved
from abigen.checker.struct_pairs import KeptMember, NewMember, RemovedMember, StructPair
from abigen.model.api import Api
from abigen.model.contract import Party, Zero
from abigen.model.ctype import Array, RecordType
from abigen.model.entities import Struct
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layout, Layouts, lay_out_record
from abigen.model.span import AbigenError
from abigen.model.spelling import spell


@change_rules.each("ABI105", lambda comparison: comparison.retyped(TYPE), Bump.MAJOR)
def field_type_changed(member: KeptMember) -> Iterator[RuleResult]:
    """A member has another type."""
    old, new, name = member.old, member.new, member.name
    apis = member.struct.apis
    was = spelled(old.field.type, new.field.type, apis.equality)[0]
    if lost_its_type(old.field.type, new.field.type, apis.equality):
        yield other_handle(name, f"{member.entity} {member.was_is}", f"was {was}")
        return
    plugins, contract, differences = _retyped(member)
    yield RuleResult(
        f"{member.entity} {member.was_is}{member.struct.shifts.overrun(name)}",
        help=if_it_may_grow(
            member.struct,
            f"append a member of the new type (`Replaces {name}.`), mark {name} `Deprecated.`"
            + apis.to_raise(", and raise MINOR"),
        ),
        caret=f"was {was}",
        plugins=plugins,
        source=f"code that uses {name} as {was} may no longer compile",
        contract=contract,
        details=(
            Detail("differs", ", ".join(differences) or "only the type; its bytes are read in the same way"),
            *member.consequences,
        ),
    )


def _retyped(member: KeptMember) -> tuple[tuple[str, str], str, list[str]]:
    """Return the effects of another type on old and new plugins and on the contract, and the differences."""
    old, new, name = member.old, member.new, member.name
    apis = member.struct.apis
    was, now = spelled(old.field.type, new.field.type, apis.equality)
    before, after = _read_as(old, apis.old_layouts), _read_as(new, apis.new_layouts)
    differences = [f"size {old.size} to {new.size} bytes"] if old.size != new.size else []
    differences += [f"alignment {old.alignment} to {new.alignment} bytes"] if old.alignment != new.alignment else []
    plugins, contract = ("", ""), ""
    if before != after:
        differences.append(f"{before} to {after}")
    elif "pointer" in before:
        differences.append("the pointee")
    is_other_sign = before != after and before.replace("unsigned", "signed") == after.replace("unsigned", "signed")
    if is_other_sign and old.size == new.size:
        contract = f"a negative or a very large value of {name} is read as another number by the other side"
    elif (leaves := differing_leaves(old.field.type, new.field.type, apis.equality)) != "bytes":
        differences = [each for each in differences if each.startswith("alignment")]
        if leaves == "pointee":
            contract = f"one side uses the pointers in {name} as those of {was}, the other as those of {now}"
    elif old.size != new.size or before != after:
        plugins = misplaced(name, f"as {was}", f"as {now}", member.struct.old.filler)
    elif "pointer" in before:
        contract = f"one side uses {name} as {was}, the other as {now}"
        sizes = _pointee_sizes(member)
        if sizes[0] != sizes[1]:
            words = [f"with {size} bytes" for size in sizes]
            plugins = misplaced(f"the pointee of {name}", words[0], words[1], member.filler)
    return plugins, contract, differences


def _pointee_sizes(member: KeptMember) -> tuple[int, int]:
    """Return the sizes of a member's pointee on both sides; equal where one side does not define the struct."""
    apis = member.struct.apis
    old, new = apis.old.pointee(member.old.field.type), apis.new.pointee(member.new.field.type)
    if old is None or new is None:
        return 0, 0
    return apis.old_layouts.of(old.name).size, apis.new_layouts.of(new.name).size


@change_rules.also("ABI105", lambda comparison: comparison.included("changed"))
def _included_struct_changed(held: IncludedChange) -> Iterator[RuleResult]:
    """A member whose struct comes from an included header."""
    name, old, new = held.struct.name, held.struct.old_layout.size, held.struct.new_layout.size
    yield RuleResult(
        f"the layout of {held.use.path} changed: {name} comes from an included header and was changed there",
        help=f"hold {name} by pointer, or keep the header that defines it as in OLD",
        caret=f"{new} bytes, was {old}" if old != new else "other layout",
        plugins=(
            f"it uses the member offsets of OLD in {name}; a core built against NEW uses those of NEW",
            f"it uses the member offsets of NEW in {name}; a core built against OLD uses those of OLD",
        ),
        details=(*held.struct.shifts.moves(), *held.effects),
    )


@change_rules.each("ABI113", lambda comparison: comparison.retyped(BIT_FIELD), None)
def bitfield_changed(member: KeptMember) -> Iterator[RuleResult]:
    """A bit-field has another width or place."""
    old, new = member.old, member.new
    apis = member.struct.apis
    was, now = _bits(old, apis.old), _bits(new, apis.new)
    moves = _taken_bits(old, apis.old_layouts) != _taken_bits(new, apis.new_layouts)
    source = ""
    if old.bit_width is None and new.bit_width is not None:
        source = f"code that takes the address of {old.name} no longer compiles: a bit-field has none"
    if (apis.old.struct_of(old.field.type) is None) != (apis.new.struct_of(new.field.type) is None):
        source = f"code that uses {old.name} as {was} no longer compiles"
    yield RuleResult(
        f"{member.entity} was {was}, is {now}",
        Bump.MAJOR if moves else None,
        help=if_it_may_grow(member.struct, "leave it as it is and append an integer member that is not a bit-field")
        if moves or source
        else "",
        caret=f"was {was}",
        plugins=misplaced(old.name, f"as {was}", f"as {now}", member.struct.old.filler) if moves else ("", ""),
        source=source,
        details=member.consequences,
        numbers={
            **member.about.numbers,
            "old_bit_offset": old.bit_offset,
            "new_bit_offset": new.bit_offset,
            "old_bit_width": old.bit_width,
            "new_bit_width": new.bit_width,
        },
    )


@change_rules.also("ABI113", lambda comparison: comparison.structs)
def _unnamed_bits_changed(struct: StructPair) -> Iterator[RuleResult]:
    """Unnamed bit-fields, which are padding, moved others."""
    moved = shifted_by_unnamed_bits(struct)
    if moved is not None:
        old, new = moved
        yield RuleResult(
            f"unnamed bit-fields of {struct.name} changed and move other members",
            Bump.MAJOR,
            help="restore the padding of OLD",
            plugins=misplaced(
                old.name,
                f"as {_bits(old, struct.apis.old)}",
                f"as {_bits(new, struct.apis.new)}",
                struct.old.filler,
            ),
            details=struct.shifts.details(""),
        )
    elif _only_unnamed_bits_differ(struct):
        yield RuleResult(
            f"unnamed bit-fields of {struct.name} changed, and no member moves",
            Bump.NONE,
            help="leave bits reserved for later members",
        )


def _unnamed_bits_differ(struct: StructPair) -> bool:
    return _unnamed_bits(struct.old, struct.apis.old) != _unnamed_bits(struct.new, struct.apis.new)


def _only_unnamed_bits_differ(struct: StructPair) -> bool:
    """True if the unnamed bit-fields are others, and neither the size nor a member with a name is."""
    if not struct.is_defined or not _unnamed_bits_differ(struct) or struct.shifts.is_any:
        return False
    return [each.name for each in struct.old_members] == [each.name for each in struct.new_members]


def shifted_by_unnamed_bits(struct: StructPair) -> MemberPair | None:
    """Return the first member that other unnamed bit-fields moved; None when they moved none."""
    if not struct.is_defined or not _unnamed_bits_differ(struct):
        return None
    return struct.shifts.unexplained


def _taken_bits(member: FlattenedMember, layouts: Layouts) -> tuple[int, int, str]:
    """Return the first bit of a member, how many it takes, and how they are read."""
    return member.place, member.room, _read_as(member, layouts)


def _read_as(member: FlattenedMember, layouts: Layouts) -> str:
    return read_as(member.field.type, layouts, is_bit_field=member.bit_width is not None)


def _bits(member: FlattenedMember, api: Api) -> str:
    """Return a member's bits in words."""
    if member.bit_width is None:
        return f"`{spell(member.field.type, api=api)}` {member.where}"
    return f"{count(member.bit_width, 'bit')} of `{spell(member.field.type, api=api)}` {member.where}"


def _unnamed_bits(struct: Struct, api: Api) -> list[object]:
    """Return the widths of the unnamed bit-fields, those of members without a name too."""
    found: list[object] = []
    for each in struct.fields or ():
        inner = None if each.name else api.struct_of(each.type)
        if inner is not None:
            found += _unnamed_bits(inner, api)
        elif not each.name and each.bit_width is not None:
            found.append(each.bit_width)
    return found


@change_rules.each("ABI114", lambda comparison: comparison.retyped(ARRAY_LENGTH), Bump.MAJOR)
def array_length_changed(member: KeptMember) -> Iterator[RuleResult]:
    """An array member has another length."""
    old, new = member.old, member.new
    apis = member.struct.apis
    was, now = (f"as `{spell(each.field.type, api=api)}` of {each.size} bytes" for each, api in _sides(member))
    sizes = f"had {count(old.size, 'byte')}, has {new.size}: " if old.size != new.size else ""
    yield RuleResult(
        f"{member.entity} {sizes}{member.was_is}{member.struct.shifts.overrun(old.name)}",
        help=if_it_may_grow(
            member.struct, "leave the length as it is; append a second array, or a pointer and a count"
        ),
        caret=f"was `{spell(old.field.type, api=apis.old)}`",
        plugins=misplaced(old.name, was, now, member.struct.old.filler),
        details=member.consequences,
    )


@change_rules.each("ABI115", lambda comparison: comparison.retyped(FLEXIBLE), Bump.MAJOR)
def flexible_array_changed(member: KeptMember) -> Iterator[RuleResult]:
    """A flexible array member became an array of known length, or the reverse."""
    struct, caret = member.struct, f"was `{spell(member.old.field.type, api=member.struct.apis.old)}`"
    is_moved = (struct.shifts.is_resized or member.pair.shifted) and not struct.is_led_by_empty_struct
    if not is_moved and _has_same_elements(member):
        is_open = member.new.is_flexible
        refused = f"`sizeof` of {member.name}, which was {member.old.size}, no longer compiles"
        yield RuleResult(
            f"{member.entity} {member.was_is}; {struct.name} still has {struct.new_layout.size} bytes",
            Bump.PATCH,
            caret=caret,
            source=AtRisk(refused if is_open else "compilers warn of it under -pedantic"),
        )
        return
    was, now = (f"as `{spell(each.field.type, api=api)}`" for each, api in _sides(member))
    if member.pair.shifted or not struct.shifts.is_resized:
        plugins = misplaced(member.name, was, now, struct.old.filler)
        sizes = ""
    else:
        old, new = struct.old_layout.size, struct.new_layout.size
        plugins = (
            f"it allocates and copies {old} bytes for {struct.name}; a core built against NEW uses {new} bytes",
            f"it allocates and copies {new} bytes for {struct.name}; a core built against OLD uses {old} bytes",
        )
        sizes = f"; {struct.name} had {old} bytes, has {new}"
    yield RuleResult(
        f"{member.entity} {member.was_is}{sizes}",
        help=if_it_may_grow(struct, "append a pointer and a count"),
        caret=caret,
        plugins=plugins,
        details=member.consequences,
    )


def _has_same_elements(member: KeptMember) -> bool:
    """True if both types of a member are arrays of one type, whatever their lengths."""
    equality = member.struct.apis.equality
    old = peel(member.old.field.type, equality.old_layouts)[1]
    new = peel(member.new.field.type, equality.new_layouts)[1]
    return isinstance(old, Array) and isinstance(new, Array) and equality.same(old.element, new.element)


def _sides(member: KeptMember) -> tuple[tuple[FlattenedMember, Api], tuple[FlattenedMember, Api]]:
    """Return the member of OLD and of NEW, each with its API."""
    return (member.old, member.struct.apis.old), (member.new, member.struct.apis.new)


@change_rules.also("ABI115", lambda comparison: comparison.new_members(lambda fields: fields.appended))
def _flexible_array_appended(appended: NewMember) -> Iterator[RuleResult]:
    """A flexible array that was appended after the last member."""
    plugin, core = verbs(appended.struct.old.filler)
    where = f"at offset {appended.member.offset}, past the end"
    if appended.member.is_flexible:
        yield RuleResult(
            f"{appended.entity} is a flexible array after the last member, and no member states its size",
            help=if_it_may_grow(appended.struct, "append a pointer and a count"),
            caret=f"begins at offset {appended.member.offset}",
            plugins=(
                f"it allocates no elements after the struct; a core built against NEW {core} them {where}",
                f"it {plugin} elements {where}; a core built against OLD allocates none",
            ),
            numbers={"old_offset": None, "new_offset": appended.member.offset},
        )


@change_rules.each("ABI116", lambda comparison: comparison.structs, Bump.MAJOR)
def packing_changed(struct: StructPair) -> Iterator[RuleResult]:
    """The packing or the alignment of a struct or a member changed."""
    if is_repacked(struct):
        old, new = struct.old_layout, struct.new_layout
        was, now = packings(struct)
        yield RuleResult(
            f"{struct.name} was {was}, is {now}",
            help="leave the packing of a published struct as it is",
            caret=f"{new.size} bytes, was {old.size}" if old.size != new.size else f"was {was}",
            plugins=misplaced(struct.name, f"as {was}", f"as {now}", struct.old.filler),
            details=(*struct.shifts.moves(), *struct.shifts.holders()),
            numbers={**struct.sizes, "old_alignment": old.alignment, "new_alignment": new.alignment},
        )


_USUAL_ALIGNMENT = 8
"""In bytes. Common targets have objects aligned to it, or run code for it on objects that are not."""


@change_rules.also("ABI116", lambda comparison: comparison.structs)
def _realigned_by_new_members(struct: StructPair) -> Iterator[RuleResult]:
    """A struct whose alignment a new member raises, while no other member moves."""
    if not (struct.is_defined and struct.shifts.is_append) or is_repacked(struct):
        return
    old, new = struct.old_layout.alignment, struct.new_layout.alignment
    if new > max(old, _USUAL_ALIGNMENT):
        yield RuleResult(
            f"{struct.name} was aligned to {old} bytes, is aligned to {new}",
            help=f"append only members that are aligned to {max(old, _USUAL_ALIGNMENT)} bytes or less",
            caret=f"was aligned to {old}",
            plugins=(
                f"its objects are aligned to {old} bytes; a core built against NEW expects {new} and may crash",
                f"it expects alignment to {new} bytes and may crash; a core built against OLD aligns objects to {old}",
            ),
            numbers={**struct.sizes, "old_alignment": old, "new_alignment": new},
        )


def is_repacked(struct: StructPair) -> bool:
    """True if a struct is packed or aligned otherwise, and NEW's members would lie elsewhere as they were in OLD."""
    if not (struct.is_defined and struct.shifts.is_any) or len(set(packings(struct))) == 1:
        return False
    old, new, layouts = struct.old, struct.new, struct.apis.new_layouts
    as_before = replace(new, packed=old.packed, pack=old.pack, alignment=old.alignment, bitfield_rule=old.bitfield_rule)
    try:
        layout, required = lay_out_record(as_before, layouts)
    except AbigenError:  # what OLD computes an alignment from is gone
        return True
    if required != layouts.info(RecordType(new.name)).required:
        return True
    before, after = (
        (each.size, each.alignment, [(one.offset, one.bit_offset) for one in each.fields])
        for each in (layout, struct.new_layout)
    )
    return before != after


def packings(struct: StructPair) -> tuple[str, str]:
    """Return the packing of both sides, in words."""
    is_aligned = struct.old.alignment is not None or struct.new.alignment is not None
    return (
        _packing(struct.old, struct.old_layout, is_aligned),
        _packing(struct.new, struct.new_layout, is_aligned),
    )


def _packing(struct: Struct, layout: Layout, is_aligned: bool) -> str:
    """Return the packing of one side, in words.

    Args:
        struct: on that side.
        layout: its layout there.
        is_aligned: whether either side says how it is aligned.
    """
    aligned = f"aligned to {layout.alignment} bytes"
    words = ["packed"] if struct.packed else []
    words += [f"pack({struct.pack})"] if struct.pack is not None else []
    words += [aligned] if struct.alignment is not None else []
    words += [f"{struct.bitfield_rule} bit-fields"] if struct.bitfield_rule else []
    return ", ".join(words) or (aligned if is_aligned else "not packed")


@change_rules.also("ABI116", lambda comparison: comparison.paired_members)
def _member_realigned(member: KeptMember) -> Iterator[RuleResult]:
    """A member is packed or aligned otherwise."""
    old, new = member.old, member.new
    if is_realigned(member.pair) and member.struct.shifts.is_any:
        was, now = f"aligned to {old.alignment} bytes", f"aligned to {new.alignment} bytes"
        yield RuleResult(
            f"{member.entity} was {was}, is {now}",
            help="leave the alignment of a published member as it is",
            caret=f"was {was}",
            plugins=misplaced(
                member.name, f"{was} at offset {old.offset}", f"{now} at offset {new.offset}", member.struct.old.filler
            ),
            details=member.consequences,
        )


def is_realigned(pair: MemberPair) -> bool:
    """True if a member's own words about its alignment changed, and its alignment with them."""
    old, new = pair
    same_words = (old.field.alignment, old.field.packed) == (new.field.alignment, new.field.packed)
    return not same_words and old.alignment != new.alignment


@change_rules.each("ABI101", lambda comparison: comparison.removed_members, Bump.MAJOR)
def field_removed(removed: RemovedMember) -> Iterator[RuleResult]:
    """A member of a struct or union was removed."""
    struct, name = removed.struct, removed.member.name
    plugins = missing_in_new(name, removed.member.where, removed.member.field.filler)
    if struct.old.is_union:
        plugins = (
            f"it uses the alternative {name}, which a core built against NEW does not know",
            f"it does not know the alternative {name}, which a core built against OLD may use",
        )
    takers = ", ".join(f"{each.name} at offset {each.offset}" for each in removed.replaced_by)
    replaced = [Detail("replaced", f"its bytes now hold {takers}")] if takers else []
    yield RuleResult(
        f"{removed.entity} was removed"
        + (f"; its bytes now hold {takers}" if takers else "")
        + _overrun_by_removal(removed),
        help=_instead_of_removing(removed),
        caret=f"was {name}" if takers else f"{name} was removed",
        plugins=plugins,
        source=gone(name),
        details=(*replaced, *struct.shifts.details(name)),
    )


def _overrun_by_removal(removed: RemovedMember) -> str:
    """Return the clause about bytes past the end of a smaller object, for the first member that was removed."""
    struct = removed.struct
    is_first = removed.member == struct.fields.removed[0][0]
    return struct.shifts.overrun(removed.member.name) if is_first and struct.is_defined else ""


def _instead_of_removing(removed: RemovedMember) -> str:
    """Return the remedy for a removed member; a deprecated one may be removed when MAJOR rises."""
    struct, member = removed.struct, removed.member
    if member.name == struct.apis.old.conventions.size_field:
        return f"keep {member.name}: it states how many bytes of the struct the other side knows"
    if member.field.contract.lifecycle.deprecated or struct.old.contract.lifecycle.deprecated:
        return struct.apis.to_raise(f"raise MAJOR: {member.name} was deprecated, and MAJOR allows its removal")
    grown = [
        each.new.name for each in struct.fields.kept if each.old.room < each.new.room and each.new.overlaps(member)
    ]
    if grown and not struct.old.is_union:
        return f"keep {member.name} in place and mark it `Deprecated.`, and give {listed(grown)} the old size again"
    if not removed.replaced_by and is_reserved(member):
        return f"keep {member.name} in place; a new member of its type may replace it later"
    if not removed.replaced_by:
        return f"keep {member.name} in place and mark it `Deprecated.`; remove it in the next MAJOR release"
    takers = [each.name for each in removed.replaced_by]
    last = next((each for each in reversed(struct.new_members) if each.name not in takers), struct.old_members[-1])
    mark = "" if is_reserved(member) else " and mark it `Deprecated.`"
    advice = f"keep {member.name} in place{mark}, and append {listed(takers)} after {last.name}"
    return if_it_may_grow(struct, advice + struct.apis.to_raise(" and raise MINOR"))


@change_rules.each("ABI102", lambda comparison: comparison.members(lambda fields: fields.moved), Bump.MAJOR)
def field_reordered(moved: KeptMember) -> Iterator[RuleResult]:
    """A member was moved to another place in the order of its struct."""
    old, new, places = moved.old, moved.new, moved.struct.fields.places
    before = places[new.name]
    behind = f"after {list(places)[before - 1]}" if before else "to the start of the struct"
    yield RuleResult(
        f"{moved.entity} was moved {behind}",
        help="restore the order of OLD",
        caret=f"was at offset {old.offset}, is at {new.offset}",
        plugins=misplaced(old.name, old.where, new.where, moved.filler),
        details=moved.struct.shifts.details(old.name),
    )


@change_rules.each("ABI103", lambda comparison: comparison.new_members(lambda fields: fields.inserted), Bump.MAJOR)
def field_inserted(inserted: NewMember) -> Iterator[RuleResult]:
    """A new member was inserted before the end of its struct."""
    struct, member = inserted.struct, inserted.member
    shifted = (each for each in struct.kept(struct.fields.kept) if each.pair.shifted)
    behind = next((each for each in shifted if each.new.place > member.place), None)
    if inserted.takes_no_bytes:
        moves = f"a compiler that gives {member.name} bytes (clang, for Windows) moves {behind.name}" if behind else ""
        yield RuleResult(
            f"{inserted.entity} has no members and takes no bytes",
            Bump.PATCH,
            plugins=(AtRisk(moves), AtRisk(moves)),
        )
        return
    if not behind and is_reserved(member) and not any(each.overlaps(member) for each in struct.old_members):
        yield RuleResult(
            f"{inserted.entity} is reserved and takes the place of padding; no member moves",
            Bump.PATCH,
            source=AtRisk("initialisers without member names have one value more"),
        )
        return
    if behind:
        plugins = misplaced(behind.name, behind.old.where, behind.new.where, behind.filler)
        in_hole = ""
    else:
        plugins = inserted.missing
        under = ", ".join(each.name for each in struct.old_members if each.overlaps(member))
        in_hole = f"; OLD has {under} there" if under else "; it uses padding, which older producers leave undefined"
    advice = f"append {member.name} after {struct.old_members[-1].name}{struct.apis.to_raise(' and raise MINOR')}"
    advice = if_it_may_grow(struct, advice)
    if member.name == struct.apis.new.conventions.size_field:
        advice = f"leave {struct.name} as it is and add a new struct that carries its size from the start"
    place = f"was inserted {member.where}, not at the end of the struct{in_hole}"
    yield RuleResult(
        f"{inserted.entity} {place}{struct.shifts.overrun(member.name)}",
        help=advice,
        plugins=plugins,
        details=struct.shifts.details(member.name),
    )


@change_rules.each("ABI104", lambda comparison: comparison.members(lambda fields: fields.renamed), None)
def field_renamed(renamed: KeptMember) -> Iterator[RuleResult]:
    """A member was renamed; its place and type are the same."""
    old, new = renamed.name, renamed.new.name
    advice = f"keep {old} and mark it `Deprecated. Use {new}.`; append {new} (`Replaces {old}.`)"
    advice = if_it_may_grow(
        renamed.struct, advice + renamed.struct.apis.to_raise(" and raise MINOR"), f"keep the name {old}"
    )
    if old == renamed.struct.apis.old.conventions.size_field:
        advice = f"keep {old}: readers find the size of the struct by this name"
    yield RuleResult(
        f"{renamed.entity} was renamed to {new}" + ("" if renamed.pair.shifted else "; its bytes are unchanged"),
        help=advice,
        caret=f"was {old}",
        source=gone(old),
        details=renamed.struct.shifts.details(old),
    )


@change_rules.whole("ABI120", None)
def members_grouped(comparison: ApiComparison) -> Iterator[RuleResult]:
    """Members were moved into a struct or union of their own, or out of one; their bytes are the same."""
    for struct in comparison.structs:
        yield from (_regrouped(struct, each) for each in struct.fields.regrouped)


def _regrouped(struct: StructPair, regrouping: Regrouping) -> RuleResult:
    """Return the report about members that went into a struct of their own, or came out of one."""
    holder, first, into = regrouping.holder, regrouping.pairs[0], regrouping.into
    names = ", ".join((each.old if into else each.new).name for each in regrouping.pairs)
    path = struct.entity(holder.name)
    if into:
        message, caret = f"{names} of {struct.name} were moved into {path}", f"holds {names}"
        places = first.old.field.span, holder.field.span
    else:
        message, caret = f"{names} of {path} were moved into {struct.name}", f"was in {path}"
        places = holder.field.span, first.new.field.span
    numbers = {"old_offset": first.old.offset, "new_offset": first.new.offset}
    about = Subject(struct.entity(holder.path), *places, numbers)
    if into and all(is_reserved(each.old) and not each.shifted for each in regrouping.pairs):
        return RuleResult(
            f"{message}; they are reserved, and their bytes are unchanged",
            Bump.MINOR,
            caret=caret,
            source=AtRisk("code that names the reserved members no longer compiles"),
            about=about,
        )
    return RuleResult(
        message + ("" if any(each.shifted for each in regrouping.pairs) else "; their bytes are unchanged"),
        help="keep the members where they are if existing code has to compile; binaries are not affected",
        caret=caret,
        source=f"code that names {names} no longer compiles: the path is another one",
        about=about,
    )


def _reserved_used(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Reserved members that have another name in NEW, and members that are no longer called reserved."""
    yield from comparison.members(lambda fields: fields.reserved_used)
    for each in comparison.paired_members:
        if each.name == each.new.name and is_reserved(each.old) and not is_reserved(each.new):
            yield each


@change_rules.each("ABI117", _reserved_used, Bump.MINOR)
def reserved_field_used(used: KeptMember) -> Iterator[RuleResult]:
    """A reserved member is now used."""
    entity = used.struct.entity(used.new.path)
    contract, advice, is_meaningful = AtRisk(""), "", used.new.field.contract.zero is Zero.MEANINGFUL
    if used.new.field.contract.zero != "no-op":
        filler = used.new.field.filler
        older = filler if filler in (Party.CORE, Party.PLUGIN) else "side"
        contract = AtRisk(f"every older {older} leaves {used.new.name} zero, and nothing states that zero is a no-op")
        advice = "write `0 is no-op.` (or `NULL is no-op.`) in its comment, and treat zero as no-op"
    is_named = used.name != used.new.name
    yield RuleResult(
        f"{entity} uses bytes that were reserved as {used.name}"
        if is_named
        else f"{entity} was reserved and is now used",
        Bump.MAJOR if is_meaningful else Bump.MINOR,
        help=advice,
        caret=f"was {used.name if is_named else 'reserved'}",
        plugins=more_aligned(used.struct),
        contract=str(contract) if is_meaningful else contract,
        about=replace(used.about, entity=entity, details=used.struct.who_tells(used.new)),
    )


@change_rules.also("ABI117", lambda comparison: (each for each in comparison.structs if any(each.fields.recut)))
def _reserved_cut_otherwise(struct: StructPair) -> Iterator[RuleResult]:
    """Bytes that are reserved on both sides, under other names or in other pieces."""
    old, new = ([each.path for each in side] for side in struct.fields.recut)
    names = f"was {listed(old)}, is {listed(new)}" if old and new else listed([*old, *new])
    yield RuleResult(
        f"{struct.name} divides the same reserved bytes into other members: {names}",
        Bump.MINOR,
        source=AtRisk("code that names the reserved members no longer compiles"),
    )
