"""Members that are still there, but not of the type that they were."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import OK, Impact, axes, breaks
from abigen.check.comparison import Comparison, StructPair
from abigen.check.included import changed_uses, place_in_new
from abigen.check.member_change import (
    ARRAY_LENGTH,
    BIT_FIELD,
    FLEXIBLE,
    TYPE,
    representation,
)
from abigen.check.pairing.fields import MemberPair
from abigen.check.pairing.members import Member
from abigen.check.rule import Report, change_rule
from abigen.check.shifts import effect
from abigen.check.signature import spelled
from abigen.check.sources import source_bump
from abigen.check.wording import misplaced, verbs, was_is
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.spelling import spell


@change_rule("ABI105")
def field_type_changed(comparison: Comparison) -> Iterator[Report]:
    """A member has another type.

    What changed: the types differ by more than spelling, qualifiers, a signature or the length of an array. The finding
    says whether the member's size, alignment, signedness or what it points to is another. Also reported is a member
    whose struct comes from an included header in which its layout changed.

    What happens: each side reads and writes the bytes as its own type. Another size moves what stands behind it; equal
    size with another sign or another pointee goes wrong silently.

    Instead: append a member with the new type (`Replaces x.`), deprecate the old one, and raise MINOR.

    Source: VS, "Deprecation with Extension" (changing types is deprecation with extension).
    """
    for pair in comparison.structs:
        for each, change in pair.member_changes:
            if change.kind == TYPE:
                yield _retyped(pair, each)
    for use, changed, is_append in changed_uses(comparison):
        if not is_append and use.kind in ("member", "element", "counted"):
            old, new = changed.old_layout, changed.new_layout
            yield Report(
                entity=use.path,
                bump=Bump.MAJOR,
                message=f"{use.path} has another layout: {changed.name}, which comes from an included header, changed",
                axes=axes(
                    old_plugin=breaks(f"it lays {changed.name} out as OLD does; a core built against NEW does not"),
                    new_plugin=breaks(f"it lays {changed.name} out as NEW does; a core built against OLD does not"),
                ),
                help=f"hold {changed.name} by pointer, or stay with the header in which it is as it was",
                details=(*changed.shifts.moves(), *effect(use, changed)),
                old=use.span,
                new=place_in_new(use, comparison),
                caret=f"{new.size} bytes, was {old.size}" if old.size != new.size else "laid out anew",
                numbers={"old_size": old.size, "new_size": new.size},
            )


def _retyped(pair: StructPair, each: MemberPair) -> Report:
    """The report about one member with another type."""
    comparison, name = pair.comparison, each.old.name
    old_type, new_type = each.old.field.type, each.new.field.type
    before = representation(old_type, comparison.old_layouts)
    after = representation(new_type, comparison.new_layouts)
    differences = []
    if each.old.size != each.new.size:
        differences.append(f"size {each.old.size} to {each.new.size}")
    if each.old.alignment != each.new.alignment:
        differences.append(f"alignment {each.old.alignment} to {each.new.alignment}")
    if before != after:
        differences.append(f"{before} to {after}")
    elif before == "pointer":
        differences.append("what it points to")
    old_plugin: Impact = OK
    new_plugin: Impact = OK
    contract: Impact = OK
    same_bits = {before, after} == {"signed", "unsigned"} and each.old.size == each.new.size
    if same_bits:
        contract = breaks(f"a negative or a very large value of {name} is another number to the other side")
    elif each.old.size != each.new.size or before != after:
        was, now = (f"as `{text}`" for text in spelled(old_type, new_type, comparison.equality))
        old_plugin, new_plugin = misplaced(name, was, now, pair.producer)
    elif before == "pointer":
        contract = breaks(f"one side takes {name} for `{spell(old_type)}`, the other for `{spell(new_type)}`")
    return Report(
        entity=pair.entity(name),
        bump=Bump.MAJOR,
        message=f"{pair.entity(name)} {was_is(old_type, new_type, comparison.equality)}",
        axes=axes(
            old_plugin=old_plugin,
            new_plugin=new_plugin,
            source=breaks(f"code that uses {name} as `{spell(old_type)}` may no longer compile"),
            contract=contract,
        ),
        help=f"append a member of the new type (`Replaces {name}.`), mark {name} `Deprecated.`, and raise MINOR",
        details=(
            Detail("differs", ", ".join(differences) or "the type only; its bytes are read alike"),
            *pair.shifts.details_of(each),
        ),
        old=each.old.field.span,
        new=each.new.field.span,
        caret=f"was `{spell(old_type)}`",
        numbers=each.numbers,
    )


@change_rule("ABI113")
def bitfield_changed(comparison: Comparison) -> Iterator[Report]:
    """A bit-field has another width or place.

    What changed: a member has another number of bits, or became a bit-field or ceased to be one; or unnamed bit-fields,
    which are padding, moved others.

    What happens: each side takes other bits for it. Which bits those are differs between compilers anyway. Where they
    are the same (a whole integer became a bit-field of its width), only code that takes the address notices.

    Instead: use a whole integer and named masks; append it.

    Source: C 6.7.2.1 p11 (allocation of bit-fields is up to the implementation); rulebook section 3.
    """
    for pair in comparison.structs:
        for each, change in pair.member_changes:
            if change.kind == BIT_FIELD:
                yield _bits_changed(pair, each)
        if pair.is_defined and pair.shifts.unexplained and _unnamed_bits(pair, False) != _unnamed_bits(pair, True):
            first = pair.shifts.unexplained[0]
            old_plugin, new_plugin = misplaced(first.old.name, _bits(first.old), _bits(first.new), pair.producer)
            yield Report(
                entity=pair.name,
                bump=Bump.MAJOR,
                message=f"unnamed bit-fields of {pair.name} changed and move others",
                axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
                help="restore the padding of OLD",
                details=tuple(pair.shifts.details("")),
                old=pair.old.span,
                new=pair.new.span,
            )


def _bits_changed(pair: StructPair, each: MemberPair) -> Report:
    """The report about one bit-field."""
    name = each.old.name
    was, now = _bits(each.old), _bits(each.new)
    old_plugin, new_plugin = misplaced(name, was, now, pair.producer)
    moves = _takes(each.old, pair.comparison.old_layouts) != _takes(each.new, pair.comparison.new_layouts)
    is_named_only = each.old.bit_width is None and each.new.bit_width is not None
    source = breaks(f"a bit-field has no address, so code that takes that of {name} no longer compiles")
    return Report(
        entity=pair.entity(name),
        bump=Bump.MAJOR if moves else source_bump(pair.comparison, is_broken=is_named_only),
        message=f"{pair.entity(name)} was {was}, is {now}",
        axes=axes(
            old_plugin=old_plugin if moves else OK,
            new_plugin=new_plugin if moves else OK,
            source=source if is_named_only else OK,
        ),
        help="leave it as it is and append a member that is no bit-field" if moves or is_named_only else "",
        details=tuple(pair.shifts.details_of(each)),
        old=each.old.field.span,
        new=each.new.field.span,
        caret=f"was {was}",
        numbers={
            **each.numbers,
            "old_bit_offset": each.old.bit_offset,
            "new_bit_offset": each.new.bit_offset,
            "old_bit_width": each.old.bit_width,
            "new_bit_width": each.new.bit_width,
        },
    )


def _takes(member: Member, layouts: Layouts) -> tuple[int, int, str]:
    """The first bit of a member, how many it takes, and how they are read."""
    if member.bit_width is None or member.bit_offset is None:
        return 8 * member.offset, 8 * member.size, representation(member.field.type, layouts)
    return member.bit_offset, member.bit_width, representation(member.field.type, layouts)


def _bits(member: Member) -> str:
    """A member's bits in words."""
    if member.bit_width is None or member.bit_offset is None:
        return f"`{spell(member.field.type)}` at {member.offset}"
    return f"{member.bit_width} bits of `{spell(member.field.type)}` at bit {member.bit_offset}"


def _unnamed_bits(pair: StructPair, new: bool) -> list[object]:
    """The widths of the unnamed bit-fields of one side."""
    struct = pair.new if new else pair.old
    return [each.bit_width for each in struct.fields or () if not each.name and each.bit_width is not None]


@change_rule("ABI114")
def array_length_changed(comparison: Comparison) -> Iterator[Report]:
    """An array member has another length.

    What changed: the number of elements, also when it is an enumerator or a macro that changed.

    What happens: what stands behind the array moves; the side with more elements reads or writes past the other's
    array.

    Instead: leave the length as it is; append a second array, or a pointer and a count.

    Source: VS, "Conventions"; C 6.7.6.2.
    """
    for pair in comparison.structs:
        for each, change in pair.member_changes:
            if change.kind == ARRAY_LENGTH:
                was, now = (
                    f"as `{spell(each_one.field.type)}` of {each_one.size} bytes" for each_one in (each.old, each.new)
                )
                old_plugin, new_plugin = misplaced(each.old.name, was, now, pair.producer)
                yield Report(
                    entity=pair.entity(each.old.path),
                    bump=Bump.MAJOR,
                    message=f"{pair.entity(each.old.path)} "
                    + (f"had {each.old.size} bytes, has {each.new.size}: " if each.old.size != each.new.size else "")
                    + was_is(each.old.field.type, each.new.field.type, comparison.equality),
                    axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
                    help="leave the length as it is; append a second array, or a pointer and a count",
                    details=tuple(pair.shifts.details_of(each)),
                    old=each.old.field.span,
                    new=each.new.field.span,
                    caret=f"was `{spell(each.old.field.type)}`",
                    numbers=each.numbers,
                )


@change_rule("ABI115")
def flexible_array_changed(comparison: Comparison) -> Iterator[Report]:
    """A flexible array member came, or is an array of known length now, or the other way round.

    What changed: the last member is `T x[]` on one side only. (One that went is `field-removed`.)

    What happens: `sizeof` and the end of the struct mean something else; each side allocates and walks the elements by
    its own notion of where they begin and how many there are.

    Instead: append a pointer and a count.

    Source: C 6.7.2.1 p18; rulebook section 3.
    """
    for pair in comparison.structs:
        for each, change in pair.member_changes:
            if change.kind == FLEXIBLE:
                was, now = (f"as `{spell(each_one.field.type)}`" for each_one in (each.old, each.new))
                old_plugin, new_plugin = misplaced(each.old.name, was, now, pair.producer)
                yield Report(
                    entity=pair.entity(each.old.path),
                    bump=Bump.MAJOR,
                    message=f"{pair.entity(each.old.path)} "
                    + was_is(each.old.field.type, each.new.field.type, comparison.equality),
                    axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
                    help="append a pointer and a count",
                    details=tuple(pair.shifts.details_of(each)),
                    old=each.old.field.span,
                    new=each.new.field.span,
                    caret=f"was `{spell(each.old.field.type)}`",
                    numbers=each.numbers,
                )
        for member in pair.fields.appended:
            if member.is_flexible:
                yield _flexible_added(pair, member)


def _flexible_added(pair: StructPair, member: Member) -> Report:
    """The report about a flexible array that was appended."""
    plugin, core = verbs(pair.producer)
    return Report(
        entity=pair.entity(member.path),
        bump=Bump.MAJOR,
        message=f"{pair.entity(member.path)} is a flexible array behind the last member, which no size tells",
        axes=axes(
            old_plugin=breaks(f"it knows no elements behind the struct, which a core built against NEW {core}"),
            new_plugin=breaks(
                f"it {plugin} elements behind the struct, of which a core built against OLD knows nothing"
            ),
        ),
        help="append a pointer and a count",
        old=pair.old.span,
        new=member.field.span,
        caret=f"begins at offset {member.offset}",
        numbers={"old_offset": None, "new_offset": member.offset},
    )


@change_rule("ABI116")
def packing_changed(comparison: Comparison) -> Iterator[Report]:
    """A struct or a member is packed or aligned otherwise.

    What changed: `packed`, `#pragma pack`, `_Alignas`, `aligned` or the rule for bit-fields, and with it the layout.
    When no byte moves, it is no finding.

    What happens: the same members lie elsewhere; neither the names nor the types tell.

    Instead: leave the layout of a published struct as it is.

    Source: C 6.7.5 (alignment specifier); GCC and MSVC documentation of packing; rulebook section 3.
    """
    for pair in comparison.structs:
        if not (pair.is_defined and pair.shifts.is_any):
            continue
        was, now = _packing(pair, False), _packing(pair, True)
        if was != now:
            yield _repacked(pair, was, now)
        for each in pair.fields.paired:
            old, new = each.old.field, each.new.field
            if (old.alignment, old.packed) != (new.alignment, new.packed) and each.old.alignment != each.new.alignment:
                yield _realigned(pair, each)


def _packing(pair: StructPair, new: bool) -> str:
    """What one side says about packing, in words."""
    struct = pair.new if new else pair.old
    words = ["packed"] if struct.packed else []
    words += [f"pack({struct.pack})"] if struct.pack is not None else []
    if struct.alignment is not None:
        words.append(f"aligned to {(pair.new_layout if new else pair.old_layout).alignment}")
    words += [f"{struct.bitfield_rule} bit-fields"] if struct.bitfield_rule else []
    other = pair.old if new else pair.new
    usual = f"aligned to {(pair.new_layout if new else pair.old_layout).alignment}"
    return ", ".join(words) or (usual if other.alignment is not None else "not packed")


def _repacked(pair: StructPair, was: str, now: str) -> Report:
    """The report about one struct."""
    old, new = pair.old_layout, pair.new_layout
    old_plugin, new_plugin = misplaced(pair.name, f"laid out {was}", f"laid out {now}", pair.producer)
    return Report(
        entity=pair.name,
        bump=Bump.MAJOR,
        message=f"{pair.name} was {was}, is {now}",
        axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
        help="leave the packing of a published struct as it is",
        details=tuple(pair.shifts.summary()),
        old=pair.old.span,
        new=pair.new.span,
        caret=f"{new.size} bytes, was {old.size}" if old.size != new.size else f"was {was}",
        numbers={
            "old_size": old.size,
            "new_size": new.size,
            "old_alignment": old.alignment,
            "new_alignment": new.alignment,
        },
    )


def _realigned(pair: StructPair, each: MemberPair) -> Report:
    """The report about one member."""
    was, now = f"aligned to {each.old.alignment}", f"aligned to {each.new.alignment}"
    old_plugin, new_plugin = misplaced(
        each.old.name, f"{was} at {each.old.offset}", f"{now} at {each.new.offset}", pair.producer
    )
    return Report(
        entity=pair.entity(each.old.path),
        bump=Bump.MAJOR,
        message=f"{pair.entity(each.old.path)} was {was}, is {now}",
        axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
        help="leave the alignment of a published member as it is",
        details=tuple(pair.shifts.details_of(each)),
        old=each.old.field.span,
        new=each.new.field.span,
        caret=f"was {was}",
        numbers=each.numbers,
    )
