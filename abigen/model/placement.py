"""Where members go: the System V rules with their variants, and Microsoft's.

Everything here counts in bits. Both engines take members that are already reduced to numbers and return the position of
each; what a type's size and alignment are is `abigen.model.layout`'s business.
"""

from __future__ import annotations

from typing import NamedTuple

from abigen.model.target import Target


class Member(NamedTuple):
    """A member, reduced to what its placement depends on. Sizes and alignments in bits."""

    size: int
    """Of its type; for a flexible array 0."""
    alignment: int
    """Of its type."""
    required: int
    """The alignment that attributes on its type ask for; 0 when there are none."""
    width: int | None
    """Of a bit-field, None for other members."""
    explicit: int
    """The alignment that attributes on the member ask for; 0 when there are none."""
    packed: bool
    """The attribute stands on the member itself."""
    named: bool


class Aggregate(NamedTuple):
    """What a struct or union says about the placement of all of its members. Alignments in bits, 0 when absent."""

    is_union: bool
    packed: bool
    pack: int
    """The limit that `#pragma pack` sets."""
    explicit: int
    """The alignment that attributes on the type ask for."""
    microsoft: bool
    """Bit-fields follow the storage units of their types."""


class Placement(NamedTuple):
    """The result, in bits: the position and the effective alignment of each member, and the whole."""

    members: list[tuple[int, int]]
    size: int
    alignment: int
    required: int
    """What a struct that embeds this one may not fall below even when packed (Microsoft); 0 for none."""


def _round_up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def place_sysv(members: list[Member], aggregate: Aggregate, target: Target) -> Placement:
    """Place members by the System V psABI (chapter 3, "Aggregates and Unions", "Bit-Fields") and its variants.

    Args:
        members: in order of declaration, unnamed bit-fields included.
        aggregate: what applies to all of them.
        target: its bit-field rule says which variant.

    Returns:
        The placement, in bits.
    """
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    # `end` is where the next member may start at the earliest; after a bit-field it can lie within a byte.
    end = size = unit = free = 0
    for member in members:
        if member.width is None:
            alignment = 8 if aggregate.packed or member.packed else member.alignment
            if aggregate.microsoft and not (aggregate.packed or member.packed):
                alignment = max(alignment, member.required)
            alignment = max(alignment, member.explicit)
            if aggregate.pack:
                alignment = min(alignment, aggregate.pack)
            start = 0 if aggregate.is_union else _round_up(_round_up(end, 8) + 0, alignment)
            if aggregate.microsoft and not aggregate.is_union:
                start = _round_up(_round_up(end, 8) + free // 8 * 8, alignment)
            end = start + member.size
            unit = free = 0
            whole_alignment = max(whole_alignment, alignment)
        elif aggregate.microsoft:
            start, end, unit, free, alignment = _microsoft_bitfield(member, aggregate, end, unit, free)
            whole_alignment = max(whole_alignment, alignment)
        else:
            start, alignment = _sysv_bitfield(member, aggregate, target, 0 if aggregate.is_union else end)
            end = start + member.width
            if member.named or target.bitfield_rule != "sysv":
                whole_alignment = max(whole_alignment, alignment)
        placed.append((start, alignment))
        size = max(size, _round_up(end, 8) + free // 8 * 8 if not aggregate.is_union else _round_up(end, 8))
    return Placement(placed, _round_up(size, whole_alignment), whole_alignment, aggregate.explicit)


def _sysv_bitfield(member: Member, aggregate: Aggregate, target: Target, start: int) -> tuple[int, int]:
    """Position of a bit-field that may start at `start`, and what it asks of the whole struct's alignment."""
    width = member.width or 0
    alignment = member.alignment
    if target.bitfield_rule == "bits":
        # These targets ignore the declared type, but not where a zero-width bit-field ends a run.
        alignment = 8 if width or target.zero_width_boundary else alignment
        alignment = max(alignment, 0 if width else target.zero_width_boundary * 8)
        if width:
            alignment = 1
    if (aggregate.packed or member.packed) and width:
        alignment = 1
    alignment = max(alignment, member.explicit)
    if aggregate.pack and width:
        alignment = min(alignment, aggregate.pack)
    if width == 0 or (not aggregate.pack and start % alignment + width > member.size):
        start = _round_up(start, alignment)
    elif member.explicit and (not aggregate.pack or member.explicit <= aggregate.pack):
        start = _round_up(start, member.explicit)
    return start, alignment


def _microsoft_bitfield(
    member: Member, aggregate: Aggregate, end: int, unit: int, free: int
) -> tuple[int, int, int, int, int]:
    """Place a bit-field into storage units as GCC and clang do for ms_struct: (start, end, unit, free bits, alignment)."""
    width = member.width or 0
    alignment = member.size
    if unit != member.size or free < width:
        if not unit and not width:
            alignment = 8
        end, unit, free = end + free, 0, 0
    if aggregate.pack and width:
        alignment = min(alignment, aggregate.pack)
    if aggregate.is_union:
        return 0, member.size if width else 8, 0, 0, 8
    if width and free:
        return end, end + width, unit, free - width, alignment
    start = _round_up(end + free, alignment)
    if not width:
        return start, start, 0, 0, alignment
    return start, start + width, member.size, member.size - width, alignment


def place_microsoft(members: list[Member], aggregate: Aggregate, target: Target) -> Placement:
    """Place members as MSVC does: storage units of the declared type, and alignments that packing cannot lower.

    Args:
        members: in order of declaration, unnamed bit-fields included.
        aggregate: what applies to all of them.
        target: its pointers limit what `#pragma pack` can say.

    Returns:
        The placement, in bits. Source: the `align`, `pack` and "C Bit Fields" pages of Microsoft's C reference, and
        what `clang --target=x86_64-windows-msvc` does.
    """
    placed: list[tuple[int, int]] = []
    pointer = target.pointer[0] * 8
    limit = 8 if aggregate.packed else aggregate.pack if aggregate.pack <= pointer else 0
    whole_alignment = 8
    required_by_all = 8 if pointer == 64 else 0
    size = unit = free = 0
    in_run = False
    for member in members:
        required = max(member.explicit, member.required)
        alignment = max(member.alignment, required) if member.width is not None else member.alignment
        if limit:
            alignment = min(alignment, limit)
        if member.packed:
            alignment = 8
        if member.width is None:
            required_by_all = max(required_by_all, required)
        alignment = max(alignment, required)
        if member.width is None:
            start = 0 if aggregate.is_union else _round_up(size, alignment)
            size = max(size, start + member.size)
            whole_alignment = max(whole_alignment, alignment)
            in_run = False
        elif member.width == 0:
            # A zero-width bit-field that follows no bit-field is ignored.
            start = 0 if aggregate.is_union else size
            if in_run:
                if aggregate.is_union:
                    size = max(size, member.size)
                else:
                    start = size = _round_up(size, alignment)
                    whole_alignment = max(whole_alignment, alignment)
            in_run = False
        elif in_run and not aggregate.is_union and unit == member.size and member.width <= free:
            start = size - free
            free -= member.width
        elif aggregate.is_union:
            start, size, in_run, unit = 0, max(size, member.size), True, member.size
        else:
            start = _round_up(size, alignment)
            size = start + member.size
            whole_alignment = max(whole_alignment, alignment)
            in_run, unit, free = True, member.size, member.size - member.width
        placed.append((start, alignment))
    size = _round_up(size, whole_alignment)
    required_by_all = max(required_by_all, aggregate.explicit)
    if required_by_all:
        whole_alignment = max(whole_alignment, required_by_all)
        rounding = min(whole_alignment, limit) if limit else whole_alignment
        size = _round_up(size, max(rounding, required_by_all))
    if size == 0:
        # C has no empty structs; Microsoft gives them the size of an int.
        size = whole_alignment if required_by_all >= 32 else 32
    return Placement(placed, size, whole_alignment, required_by_all if required_by_all > 8 else 0)
