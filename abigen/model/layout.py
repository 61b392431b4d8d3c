"""Layout of structs and unions on a target: offsets, holes, padding, unpadded sizes."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, BitInt, CType, Expression, NamedType, Qualified, RecordType, Vector
from abigen.model.entities import Field, Struct
from abigen.model.span import AbigenError
from abigen.model.target import (
    Aggregate,
    Placeable,
    Placement,
    PlacementRules,
    Target,
    place_ms_struct_clang,
    place_msvc,
    round_up,
    rules_of,
)
from abigen.model.type_sizes import Sizes, TypeSize


class Hole(msgspec.Struct, frozen=True):
    """Bytes between two members that belong to neither; offset and size in bytes."""

    offset: int
    size: int


class FieldLayout(NamedTuple):
    """Where a member stands.

    For a bit-field `offset` is the byte that holds its first bit and `size` the number of bytes that its bits touch, so
    that `offset + size` is the end of any member.
    """

    name: str
    """Empty for an anonymous struct or union."""
    offset: int
    """In bytes, from the start of the struct."""
    size: int
    """In bytes; 0 for a flexible array member."""
    alignment: int
    """In bytes: what the member is aligned to here, packing and attributes taken into account; 1 for a bit-field."""
    bit_offset: int | None
    """In bits from the start of the struct, in the order of allocation (from the least significant bit on little-endian
    targets, from the most significant one on big-endian targets); None for a member that is no bit-field."""
    bit_width: int | None
    """In bits; None for a member that is no bit-field."""
    field: Field


class Layout(msgspec.Struct, frozen=True):
    """How a struct or union stands in memory; all numbers in bytes."""

    size: int
    alignment: int
    unpadded_size: int
    """Where the last member ends; for a flexible array where it starts; for a union where the largest member ends."""
    fields: tuple[FieldLayout, ...]
    """The members in order of declaration. Unnamed bit-fields are padding, not members (C 6.7.2.1 paragraph 12)."""
    holes: tuple[Hole, ...]
    """Whole bytes of padding between members, in order."""
    tail_padding: int
    """From the unpadded size to the size."""

    def named(self, name: str) -> FieldLayout | None:
        """The member of that name; None when there is none. Members of anonymous members are not searched."""
        return next((each for each in self.fields if each.name == name), None)


_WORDS = (1, 2, 4, 8)
"""Sizes of integers in bytes."""


class Layouts(Sizes):
    """The layouts of all types of an API on one target. Each is computed once, when it is asked for."""

    def __init__(self, api: Api, target: Target) -> None:
        """Prepare the layouts of `api` on `target`; nothing is computed yet."""
        super().__init__(api, target)
        self._layouts: dict[str, Layout] = {}
        self._records: dict[str, TypeSize] = {}
        self._pending: set[str] = set()
        self._refused: dict[str, AbigenError] = {}

    def of(self, key: str) -> Layout:
        """Lay out a struct or union.

        Args:
            key: its key in `Api.structs`.

        Returns:
            The layout; the same object each time.

        Raises:
            AbigenError: there is no such struct, it is never defined, it contains itself by value, or a member has no
                size; the place is that of the member.
        """
        layout = self._layouts.get(key)
        if layout is not None:
            return layout
        try:
            return self._lay_out(key)
        except RecursionError:
            return self._lay_out_in_order(key)

    def record_info(self, key: str) -> TypeSize:
        """Size and alignment of a struct or union; raises as `of` does."""
        if key not in self._records:
            self._lay_out(key)
        return self._records[key]

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Find a member by its path, through anonymous members too.

        Args:
            type: the struct or union that the path starts from.
            path: names of members and indices of array elements.

        Returns:
            Offset in bytes from the start of `type`, and the member's type.

        Raises:
            AbigenError: there is no such member, or it is a bit-field. It carries no place.
        """
        offset = 0
        for step in path:
            resolved = self.resolve(type)
            if isinstance(step, str):
                found = self._find(resolved.key, step) if isinstance(resolved, RecordType) else None
                if found is None:
                    raise AbigenError.at(None, f"there is no member '{step}'")
                if found[1].bit_offset is not None:
                    raise AbigenError.at(None, f"'{step}' is a bit-field and has no offset in bytes")
                offset += found[0]
                type = found[1].field.type
            elif isinstance(resolved, Array):
                type = resolved.element
                offset += self.evaluate(step) * self.size_of(type)
            else:
                raise AbigenError.at(None, "an index needs an array")
        return offset, type

    def _find(self, key: str, name: str) -> tuple[int, FieldLayout] | None:
        """Offset from the start of the struct and layout of a member, searching anonymous members."""
        for each in self.of(key).fields:
            if each.name == name:
                return each.offset, each
            if not each.name:
                inner = self.resolve(each.field.type)
                found = self._find(inner.key, name) if isinstance(inner, RecordType) else None
                if found:
                    return each.offset + found[0], found[1]
        return None

    def _lay_out(self, key: str) -> Layout:
        struct = self.api.structs.get(key)
        if struct is None:
            raise AbigenError.at(None, f"unknown struct '{key}'")
        if struct.fields is None:
            raise AbigenError.at(None, f"{struct.kind} '{key}' is never defined, its size is unknown")
        if key in self._pending:
            raise AbigenError.at(None, f"{struct.kind} '{key}' contains itself by value")
        if key in self._refused:  # structs inside each other are asked about again and again
            raise AbigenError(self._refused[key].diagnostics)
        self._pending.add(key)
        try:
            plain = self._plain(struct)
            layout, required = (plain, 0) if plain else lay_out_record(struct, self)
        except AbigenError as error:
            self._refused[key] = error
            raise
        finally:
            self._pending.discard(key)
        alignment = layout.alignment
        if alignment == layout.size == 8 and not required and self.target.aligns_words_by_mode:
            alignment = self._alignment_by_mode(struct, layout)
        self._records[key] = TypeSize(layout.size, alignment, required)
        self._layouts[key] = layout
        return layout

    def _lay_out_in_order(self, key: str) -> Layout:
        """Lay out what is declared first before what embeds it, for structs nested deeper than Python's stack is."""
        try:
            for other, struct in self.api.structs.items():
                if struct.fields is not None and other not in self._layouts:
                    self._lay_out(other)
            return self._layouts[key]
        except RecursionError:
            raise AbigenError.at(None, f"struct '{key}' is too deeply nested") from None

    def _plain(self, struct: Struct) -> Layout | None:
        """Lay out a struct without bit-fields and attributes, on which all rules agree; None when it is not one.

        Nearly all structs are, and this takes a fifth of the time.
        """
        fields = struct.fields or ()
        last = self.resolve(fields[-1].type) if fields else None
        special = struct.packed or struct.pack is not None or struct.alignment is not None or struct.bitfield_rule
        has_no_length = isinstance(last, Array) and last.length is None
        if special or has_no_length or struct.is_union or any(map(_is_special, fields)):
            return None
        try:
            infos = [self.info(each.type) for each in fields]
        except AbigenError:
            return None  # the general way says which member it is about
        if any(each.required for each in infos):
            return None
        placed: list[FieldLayout] = []
        end = 0
        for field, (size, alignment, _) in zip(fields, infos, strict=True):
            offset = round_up(end, alignment)
            placed.append(FieldLayout(field.name, offset, size, alignment, None, None, field))
            end = offset + size
        whole_alignment = max((each.alignment for each in infos), default=1)
        size = round_up(end, whole_alignment)
        return _with_holes(struct, placed, size, whole_alignment) if 0 < size <= self.limit else None

    def _alignment_by_mode(self, struct: Struct, layout: Layout) -> int:
        """GCC on i386 aligns to 4 bytes what it can treat as an 8-byte integer, even a struct that holds an atomic."""
        if self._is_block(struct, layout):
            return layout.alignment
        whole = None if struct.is_union else next((each for each in layout.fields if each.size == 8), None)
        if whole is None:
            return 4
        type = self.api.element_of(whole.field.type)
        is_no_integer = isinstance(type, Vector) or (isinstance(type, Basic) and "_Complex" in type.name)
        return 8 if is_no_integer else self.info(type).alignment if isinstance(type, RecordType) else 4

    def _is_block(self, struct: Struct, layout: Layout) -> bool:
        """Whether GCC takes a struct for bytes in memory only: of odd size, or with a member that is such."""
        fields = (each for each in layout.fields if each.size and each.bit_width is None)
        return layout.size not in _WORDS or any(self._is_block_type(each.field.type) for each in fields)

    def _is_block_type(self, type: CType) -> bool:
        """`_is_block` of any type that is not empty: no register holds two floats on i386."""
        type = self.resolve(type)
        if isinstance(type, Array):
            size = self.size_of(type)
            return self._is_block_type(type.element) or size not in (*_WORDS, self.size_of(type.element))
        if isinstance(type, Vector):
            element = self.resolve(type.element)
            return isinstance(element, Basic) and element.name in ("float", "double")
        struct = self.api.struct_of(type)
        return struct is not None and self._is_block(struct, self.of(struct.name))


def _is_special(field: Field) -> bool:
    return field.bit_width is not None or field.alignment is not None or field.packed


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
    rules = rules_of(struct.bitfield_rule, target)
    fields = struct.fields or ()
    members = [_member(field, struct, sizes, rules, last=field is fields[-1]) for field in fields]
    explicit = 0 if struct.alignment is None else sizes.alignment(struct.alignment, struct.span, of_record=True) * 8
    aggregate = Aggregate(struct.is_union, struct.packed, (struct.pack or 0) * 8, explicit)
    placement = rules(members, aggregate, target)
    if placement.size // 8 > sizes.limit:
        raise AbigenError.at(struct.span, f"{struct.kind} '{struct.name}' is too large for {target.name}")
    if target.compiler != "msvc":
        required = max([explicit, *(max(each.explicit, each.required) for each in members)])
    elif explicit:
        required = max(placement.required, placement.alignment)
    else:
        required = placement.required
    return _assemble(struct, members, placement), required // 8


def _member(field: Field, struct: Struct, sizes: Sizes, rules: PlacementRules, *, last: bool) -> Placeable:
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
        name = f"member '{field.name}'" if field.name else "unnamed member"
        found = error.diagnostics
        told = [each if each.place else replace(each, message=f"{name}: {each.message}") for each in found]
        raise AbigenError(told).placed(field.span) from None
    alignment = info.alignment
    if info.required and rules is place_msvc:
        # Microsoft's rules ask for the alignment of the type behind a typedef, too.
        alignment = sizes.alignment_of(type)
    return Placeable(
        size=info.size * 8,
        alignment=alignment * 8,
        required=info.required * 8,
        width=width,
        explicit=0 if field.alignment is None else sizes.alignment(field.alignment, field.span) * 8,
        packed=field.packed,
        named=bool(field.name) or width is None,
        natural=_natural_size(field.type, sizes) * 8 if rules is place_ms_struct_clang else 0,
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


def _assemble(struct: Struct, members: list[Placeable], placement: Placement) -> Layout:
    """Turn bits into bytes."""
    placed: list[FieldLayout] = []
    for field, member, (start, alignment) in zip(struct.fields or (), members, placement.members, strict=True):
        if not member.named:
            continue
        offset = start // 8
        if member.width is None:
            alignment = max(alignment // 8, 1)
            placed.append(FieldLayout(field.name, offset, member.size // 8, alignment, None, None, field))
        else:
            size = -(-(start + member.width) // 8) - offset
            placed.append(FieldLayout(field.name, offset, size, 1, start, member.width, field))
    return _with_holes(struct, placed, placement.size // 8, placement.alignment // 8)


def _with_holes(struct: Struct, placed: list[FieldLayout], size: int, alignment: int) -> Layout:
    """The layout of members that have been placed, with the bytes between them."""
    ends = [each.offset + each.size for each in placed] or [0]
    if struct.is_union:
        return Layout(size, alignment, max(ends), tuple(placed), (), size - max(ends))
    gaps = zip([0, *ends], placed, strict=False)
    holes = tuple(Hole(end, each.offset - end) for end, each in gaps if each.offset > end)
    return Layout(size, alignment, ends[-1], tuple(placed), holes, size - ends[-1])
