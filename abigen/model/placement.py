"""Where members go by the System V rules and their variants. Microsoft's are in `abigen.model.placement_microsoft`.

Everything here counts in bits. Members come reduced to numbers, and their positions are returned; the sizes and
alignments of types are `abigen.model.sizes`'s business.
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
    natural: int = 0
    """Size of the basic type that it is, or is an array of; 0 for other types. Only clang's `ms_struct` asks."""


class Aggregate(NamedTuple):
    """What a struct or union says about the placement of all of its members. Alignments in bits, 0 when absent."""

    is_union: bool
    packed: bool
    pack: int
    """The limit that `#pragma pack` sets."""
    explicit: int
    """The alignment that attributes on the type ask for."""


class Placement(NamedTuple):
    """The result, in bits: the position and the effective alignment of each member, and the whole."""

    members: list[tuple[int, int]]
    size: int
    alignment: int
    required: int = 0
    """What a struct that embeds this one may not fall below even when packed (MSVC); 0 for none."""


def round_up(value: int, alignment: int) -> int:
    """The next multiple of an alignment."""
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
    end = size = 0
    for member in members:
        if aggregate.is_union:
            end = 0
        if member.width is None:
            alignment = ordinary_alignment(member, aggregate)
            start = round_up(end, alignment)
            end = start + member.size
            whole_alignment = max(whole_alignment, alignment)
        else:
            start, alignment = _sysv_bitfield(member, aggregate, target, end)
            end = start + member.width
            if member.named or target.bitfield_rule in ("aapcs", "bits"):
                whole_alignment = max(whole_alignment, alignment)
        placed.append((start, alignment))
        size = max(size, end)
    return Placement(placed, round_up(size, whole_alignment), whole_alignment)


def ordinary_alignment(member: Member, aggregate: Aggregate) -> int:
    """What a member that is no bit-field is aligned to: as its type unless packed, or as it asks, within the pragma."""
    alignment = max(8 if aggregate.packed or member.packed else member.alignment, member.explicit)
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def _sysv_bitfield(member: Member, aggregate: Aggregate, target: Target, start: int) -> tuple[int, int]:
    """Position of a bit-field that may start at `start`, and what it asks of the whole struct's alignment."""
    width = member.width or 0
    alignment = member.alignment
    if target.bitfield_rule == "bits":
        # These targets ignore the declared type, but not where a zero-width bit-field ends a run.
        boundary = target.zero_width_boundary * 8
        alignment = 1 if width else boundary if target.compiler == "gcc" else max(alignment, boundary)
    if width == 0:
        return round_up(start, alignment), alignment
    packed = aggregate.packed or member.packed
    explicit = member.explicit
    if aggregate.pack:
        # The pragma alone limits a bit-field, and the attribute says nothing more.
        alignment = max(alignment, explicit)
        if target.compiler == "gcc" or explicit <= aggregate.pack:
            start = round_up(start, max(min(explicit, aggregate.pack), 1))
        return start, min(alignment, aggregate.pack)
    if packed:
        alignment = 1
    earliest, start = start, round_up(start, explicit or 1)
    if not packed and not (target.compiler == "gcc" and _is_ordinary(width, earliest, target)):
        start = _within_units(member, alignment, start, aggregate, target)
    return start, max(alignment, explicit)


def _is_ordinary(width: int, start: int, target: Target) -> bool:
    """Whether GCC treats a bit-field as an ordinary member: it has the width of an integer and is aligned as one."""
    return width in (8, 16, 32, 64, 128) and start % min(width, target.biggest_alignment * 8) == 0


def _within_units(member: Member, alignment: int, start: int, aggregate: Aggregate, target: Target) -> int:
    """Move a bit-field to the next unit if it would span more units of its type than the type itself does."""
    width = member.width or 0
    if target.compiler != "gcc":
        alignment = max(alignment, member.explicit)
        return round_up(start, alignment) if start % alignment + width > member.size else start
    if target.bitfield_rule == "bits" or -(-(start % alignment + width) // alignment) <= member.size // alignment:
        return start
    # GCC rounds up within the block that it counts offsets in; of a type aligned to more, that leaves a gap.
    block = max(aggregate.explicit, target.biggest_alignment * 8)
    base = start // block * block
    return base + round_up(start - base, alignment)
