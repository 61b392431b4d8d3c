"""Layout of the structs and unions that have bit-fields, attributes or flexible arrays: the target's rules apply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from abigen.model.ctype import Array, Basic, BitInt, CType, NamedType, Qualified
from abigen.model.entities import Field, Struct
from abigen.model.layout import FieldLayout, Hole, Layout, member_error
from abigen.model.placement import Aggregate, Member, Placement, place_sysv
from abigen.model.placement_microsoft import place_microsoft, place_ms_struct_clang, place_ms_struct_gcc
from abigen.model.span import AbigenError
from abigen.model.target import Target

if TYPE_CHECKING:
    from abigen.model.sizes import Sizes, TypeSize

Placer: TypeAlias = Callable[[list[Member], Aggregate, Target], Placement]


def lay_out_record(struct: Struct, sizes: Sizes) -> tuple[Layout, int]:
    """Lay out any struct or union by the target's rules.

    Args:
        struct: what to lay out; it is defined.
        sizes: sizes of the types of its members.

    Returns:
        The layout, and the alignment in bytes that attributes on it or in it ask for (on Windows a packed struct that
        embeds it still honours that); 0 for none.

    Raises:
        AbigenError: a member has no size, or a bit-field a width that its type does not have.
    """
    target = sizes.target
    place = _rules(struct, target)
    fields = struct.fields or ()
    members = [_member(field, struct, sizes, place, last=field is fields[-1]) for field in fields]
    explicit = 0 if struct.alignment is None else sizes.alignment(struct.alignment, struct.span) * 8
    aggregate = Aggregate(struct.is_union, struct.packed, (struct.pack or 0) * 8, explicit)
    placement = place(members, aggregate, target)
    if placement.size // 8 > sizes.limit:
        raise AbigenError.at(struct.span, f"{struct.kind} '{struct.name}' is too large for {target.name}")
    if target.compiler != "msvc":
        required = max([explicit, *(max(each.explicit, each.required) for each in members)])
    elif explicit:
        required = max(placement.required, placement.alignment)
    else:
        required = placement.required
    return _assemble(struct, members, placement), required // 8


def _rules(struct: Struct, target: Target) -> Placer:
    """The rules that a struct follows: the target's, unless an attribute asks for the other ones."""
    if target.compiler == "msvc":
        return place_microsoft
    rule = target.bitfield_rule
    # GCC knows the attributes on x86 only.
    if struct.bitfield_rule and (target.compiler == "clang" or target.architecture in ("x86_64", "x32", "i686")):
        rule = struct.bitfield_rule
    if rule != "ms":
        return place_sysv
    return place_ms_struct_gcc if target.compiler == "gcc" else place_ms_struct_clang


def _member(field: Field, struct: Struct, sizes: Sizes, place: Placer, *, last: bool) -> Member:
    """Reduce a member to numbers."""
    type = sizes.resolve(field.type)
    try:
        if isinstance(type, Array) and type.length is None:
            if not last and not struct.is_union:
                raise AbigenError.at(None, "an array without a length can only be the last member")
            info = sizes.info(type.element)._replace(size=0)
        else:
            info = sizes.info(field.type)
        width = None if field.bit_width is None else _bit_width(field, type, info, sizes)
    except AbigenError as error:
        raise member_error(error, field) from None
    alignment = info.alignment
    if info.required and place is place_microsoft:
        # Microsoft's rules ask for the alignment of the type behind a typedef, too.
        alignment = sizes.alignment_of(type)
    return Member(
        size=info.size * 8,
        alignment=alignment * 8,
        required=info.required * 8,
        width=width,
        explicit=0 if field.alignment is None else sizes.alignment(field.alignment, field.span) * 8,
        packed=field.packed,
        named=bool(field.name) or width is None,
        natural=_natural_size(field.type, sizes) * 8 if place is place_ms_struct_clang else 0,
    )


def _bit_width(field: Field, type: CType, info: TypeSize, sizes: Sizes) -> int:
    """Width of a bit-field in bits (C 6.7.2.1 paragraph 4)."""
    width = sizes.evaluate(field.bit_width or 0)
    limit = info.size * 8
    if isinstance(type, Basic) and type.name == "_Bool":
        limit = 1
    if isinstance(type, BitInt):
        limit = type.width
    if not 0 <= width <= limit:
        raise AbigenError.at(None, f"a bit-field of this type has at most {limit} bits, not {width}")
    if width == 0 and field.name:
        raise AbigenError.at(None, "a bit-field without bits cannot have a name")
    return width


def _natural_size(type: CType, sizes: Sizes) -> int:
    """Size in bytes of the basic type that a type is, or is an array of; 0 when it is something else."""
    while True:
        if isinstance(type, Array):
            type = type.element
        elif isinstance(type, Qualified):
            if "_Atomic" in type.qualifiers:
                return 0
            type = type.type
        elif isinstance(type, NamedType) and type.name in sizes.api.typedefs:
            type = sizes.api.typedefs[type.name].type
        else:
            type = sizes.resolve(type)
            return sizes.size_of(type) if isinstance(type, Basic) and "_Complex" not in type.name else 0


def _assemble(struct: Struct, members: list[Member], placement: Placement) -> Layout:
    """Turn bits into bytes, and find the holes."""
    placed: list[FieldLayout] = []
    holes: list[Hole] = []
    end = largest = 0
    for field, member, (start, alignment) in zip(struct.fields or (), members, placement.members, strict=True):
        if not member.named:
            continue
        offset = start // 8
        if member.width is None:
            layout = FieldLayout(field.name, offset, member.size // 8, max(alignment // 8, 1), None, None, field)
        else:
            size = -(-(start + member.width) // 8) - offset
            layout = FieldLayout(field.name, offset, size, 1, start, member.width, field)
        if offset > end and not struct.is_union:
            holes.append(Hole(end, offset - end))
        end = offset + layout.size
        largest = max(largest, end)
        placed.append(layout)
    unpadded = largest if struct.is_union else end
    size = placement.size // 8
    return Layout(size, placement.alignment // 8, unpadded, tuple(placed), tuple(holes), size - unpadded)
