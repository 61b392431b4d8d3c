"""Where the members of a struct or union go: by the System V rules and their variants, and by Microsoft's.

Everything here counts in bits. Members come reduced to numbers, and their positions are returned.

By Microsoft's rules bit-fields live in storage units of their declared types: neighbours share a unit only if their
types have one size. MSVC does so; GCC imitates it for all structs of MinGW, GCC and clang for those with the attribute
`ms_struct`. The three agree on structs without attributes and differ on packed ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from abigen.model.target import Target


class Placeable(msgspec.Struct, frozen=True):
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


class Aggregate(msgspec.Struct, frozen=True):
    """What a struct or union says about the placement of all of its members. Alignments in bits, 0 when absent."""

    is_union: bool
    packed: bool
    pack: int
    """The limit that `#pragma pack` sets."""
    explicit: int
    """The alignment that attributes on the type ask for."""


class Placement(msgspec.Struct, frozen=True):
    """The result, in bits: the position and the effective alignment of each member, and the whole."""

    members: list[tuple[int, int]]
    size: int
    alignment: int
    required: int = 0
    """What a struct that embeds this one may not fall below even when packed (MSVC); 0 for none."""


PlacementRules: TypeAlias = Callable[[list[Placeable], Aggregate, Target], Placement]
"""Places members by the rules of one compiler, or of several that agree."""


def rules_of(asked: str, target: Target) -> PlacementRules:
    """The rules that a struct follows: the target's, unless an attribute asks for the other ones.

    Args:
        asked: `ms` or `sysv`, as `Struct.bitfield_rule`; empty when no attribute asks.
        target: for which it is compiled.

    Returns:
        What places the members of a struct or union, given in order of declaration, unnamed bit-fields included.
    """
    if target.compiler == "msvc":
        return place_msvc
    rule = target.bitfield_rule
    # GCC knows the attributes on x86 only.
    if asked and (target.compiler == "clang" or target.architecture in ("x86_64", "x32", "i686")):
        rule = asked
    if rule != "ms":
        return _place_sysv
    return _place_ms_struct_gcc if target.compiler == "gcc" else place_ms_struct_clang


def round_up(value: int, alignment: int) -> int:
    """The next multiple of an alignment."""
    return -(-value // alignment) * alignment


def _place_sysv(members: list[Placeable], aggregate: Aggregate, target: Target) -> Placement:
    """Place members by the System V psABI (chapter 3, "Aggregates and Unions", "Bit-Fields") and its variants."""
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    end = size = 0
    for member in members:
        if aggregate.is_union:
            end = 0
        if member.width is None:
            alignment = _ordinary_alignment(member, aggregate)
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


def _ordinary_alignment(member: Placeable, aggregate: Aggregate) -> int:
    """What a member that is no bit-field is aligned to: as its type unless packed, or as it asks, within the pragma."""
    alignment = max(8 if aggregate.packed or member.packed else member.alignment, member.explicit)
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def _sysv_bitfield(member: Placeable, aggregate: Aggregate, target: Target, start: int) -> tuple[int, int]:
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


def _within_units(member: Placeable, alignment: int, start: int, aggregate: Aggregate, target: Target) -> int:
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


def place_msvc(members: list[Placeable], aggregate: Aggregate, target: Target) -> Placement:
    """Place members as MSVC does: storage units of the declared type, and alignments that packing cannot lower.

    Source: the `align`, `pack` and "C Bit Fields" pages of Microsoft's C reference, and what
    `clang --target=x86_64-windows-msvc` does.
    """
    placed: list[tuple[int, int]] = []
    pointer = target.pointer[0] * 8
    limit = 8 if aggregate.packed else aggregate.pack if aggregate.pack <= pointer else 0
    whole_alignment = 8
    size = unit = free = 0
    in_run = False
    for member in members:
        alignment = _msvc_alignment(member, limit)
        start = 0
        opens = member.width is None or not aggregate.is_union
        if aggregate.is_union:
            if member.width != 0 or in_run:
                size = max(size, member.size)
        elif in_run and member.width and unit == member.size and member.width <= free:
            start, free, opens = size - free, free - member.width, False
        elif member.width == 0:
            # A zero-width bit-field that follows no bit-field is ignored.
            opens = in_run
            start = size = round_up(size, alignment) if in_run else size
        else:
            start = round_up(size, alignment)
            size, unit, free = start + member.size, member.size, member.size - (member.width or 0)
        if opens:
            whole_alignment = max(whole_alignment, alignment)
        in_run = bool(member.width)
        placed.append((start, alignment))
    size = round_up(size, whole_alignment)
    asked = [max(each.explicit, each.required) for each in members if each.width is None]
    required = max([8 if pointer == 64 else 0, aggregate.explicit, *asked])
    if required:
        whole_alignment = max(whole_alignment, required)
        rounding = min(whole_alignment, limit) if limit else whole_alignment
        size = round_up(size, max(rounding, required))
    if size == 0:
        # C has no empty structs; Microsoft gives them the size of an int.
        size = whole_alignment if required >= 32 else 32
    return Placement(placed, size, whole_alignment, required if required > 8 else 0)


def _msvc_alignment(member: Placeable, limit: int) -> int:
    """What a member is aligned to: neither the limit nor packing lowers what attributes ask for."""
    required = max(member.explicit, member.required)
    alignment = min(member.alignment, limit) if limit else member.alignment
    if member.width is not None and not limit:
        alignment = max(alignment, required)
    return max(8 if member.packed else alignment, required)


def _place_ms_struct_gcc(members: list[Placeable], aggregate: Aggregate, target: Target) -> Placement:
    """Place members as GCC does where `-mms-bitfields` or `ms_struct` holds; all structs of MinGW.

    Source: GCC's manual, "x86 Variable Attributes", and what its MinGW port does.
    """
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    block = max(aggregate.explicit, target.biggest_alignment * 8)
    position = size = rest = 0
    # The bit-field that opened the current storage unit, of which `rest` bits are free; None outside of a run.
    run: Placeable | None = None
    for index, member in enumerate(members):
        own_alignment = _gcc_alignment(member, aggregate)
        whole_alignment = max(whole_alignment, _gcc_contribution(member, aggregate, own_alignment, run))
        width = member.width
        if aggregate.is_union:
            placed.append((0, own_alignment))
            size = max(size, round_up(member.size if width is None else width, 8))
            continue
        before = run
        if run is None:
            position = round_up(position, own_alignment)
        else:
            misaligned = position % own_alignment != 0
            if width and run.width and member.size == run.size:
                if rest < width:
                    position += rest
                    run, rest = member, member.size
                else:
                    misaligned = False
                rest -= width
            else:
                if run.width:
                    position += rest
                else:
                    before = None
                if not width:
                    run = None
            if misaligned:
                position = round_up(position, own_alignment)
        if width is None or (member.size != before.size if before is not None else width != 0):
            rest = member.size - (width if width is not None else member.size)
            alignment = 8 if aggregate.packed or member.packed else member.alignment
            if aggregate.pack:
                alignment = min(alignment, aggregate.pack)
            base = position // block * block
            position = base + round_up(position - base, alignment)
            run = None
        placed.append((position, own_alignment))
        if run is None and width is not None:
            run = member
        position += member.size if width is None else width
        if width and index == len(members) - 1:
            position += rest
        size = position
    return Placement(placed, round_up(size, whole_alignment), whole_alignment)


def _gcc_contribution(member: Placeable, aggregate: Aggregate, own_alignment: int, run: Placeable | None) -> int:
    """What a member asks of the whole struct's alignment; a zero-width bit-field counts only if it ends a run."""
    packed = aggregate.packed or member.packed
    if member.width is None:
        alignment = own_alignment if packed else max(member.alignment, own_alignment)
    elif (member.width and not packed) or (member.width == 0 and run is not None and run.width):
        alignment = max(member.alignment, own_alignment)
    else:
        return 8
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def _gcc_alignment(member: Placeable, aggregate: Aggregate) -> int:
    if member.width is None:
        return _ordinary_alignment(member, aggregate)
    alignment = max(member.explicit, 1)
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def place_ms_struct_clang(members: list[Placeable], aggregate: Aggregate, _target: Target) -> Placement:
    """Place members as clang does for the attribute `ms_struct` where Microsoft's rules are not the target's own."""
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    # `end` is where an ordinary member may start; `free` bits before it belong to the open storage unit of size `unit`.
    end = unit = free = 0
    for member in members:
        if member.width is None:
            # Basic types are aligned to their size, even where the target's own rules ask for less.
            natural = replace(member, alignment=max(member.alignment, member.natural))
            alignment = _ordinary_alignment(natural, aggregate)
            start = 0 if aggregate.is_union else round_up(end, alignment)
            end = max(end, start + member.size) if aggregate.is_union else start + member.size
            unit = free = 0
        else:
            start, alignment, unit, free = _clang_unit(member, aggregate, 0 if aggregate.is_union else end, unit, free)
            if aggregate.is_union:
                end, free = max(end, member.size if member.width else 8), 0
            elif not member.width:
                end, unit, free = start, 0, 0
            else:
                if not free:
                    end, free = start + member.size, member.size
                free -= member.width
                unit = member.size
        whole_alignment = max(whole_alignment, alignment)
        placed.append((start, alignment))
    return Placement(placed, round_up(end, whole_alignment), whole_alignment)


def _clang_unit(member: Placeable, aggregate: Aggregate, end: int, unit: int, free: int) -> tuple[int, int, int, int]:
    """Position and alignment of a bit-field, and the storage unit that is still open when it is placed."""
    alignment = member.size
    if unit != member.size or free < (member.width or 0):
        if not unit and not member.width:
            alignment = 8
        unit = free = 0
    start = end - free
    alignment = max(alignment, member.explicit)
    if aggregate.pack and member.width:
        alignment = min(alignment, aggregate.pack)
    if aggregate.is_union:
        alignment = 8
    if not member.width or member.width > free:
        start, free = round_up(start, alignment), 0
    return start, alignment, unit, free
