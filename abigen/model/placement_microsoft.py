"""Where members go by Microsoft's rules: as MSVC applies them, and as GCC and clang imitate them.

Bit-fields live in storage units of their declared types: neighbours share a unit only if their types have one size.
GCC applies its imitation to all structs of MinGW, GCC and clang to those with the attribute `ms_struct`. The three
agree on structs without attributes and differ on packed ones. Everything counts in bits.
"""

from __future__ import annotations

from abigen.model.placement import Aggregate, Member, Placement, ordinary_alignment, round_up
from abigen.model.target import Target


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
            start = 0 if aggregate.is_union else round_up(size, alignment)
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
                    start = size = round_up(size, alignment)
                    whole_alignment = max(whole_alignment, alignment)
            in_run = False
        elif in_run and not aggregate.is_union and unit == member.size and member.width <= free:
            start = size - free
            free -= member.width
        elif aggregate.is_union:
            start, size, in_run, unit = 0, max(size, member.size), True, member.size
        else:
            start = round_up(size, alignment)
            size = start + member.size
            whole_alignment = max(whole_alignment, alignment)
            in_run, unit, free = True, member.size, member.size - member.width
        placed.append((start, alignment))
    size = round_up(size, whole_alignment)
    required_by_all = max(required_by_all, aggregate.explicit)
    if required_by_all:
        whole_alignment = max(whole_alignment, required_by_all)
        rounding = min(whole_alignment, limit) if limit else whole_alignment
        size = round_up(size, max(rounding, required_by_all))
    if size == 0:
        # C has no empty structs; Microsoft gives them the size of an int.
        size = whole_alignment if required_by_all >= 32 else 32
    return Placement(placed, size, whole_alignment, required_by_all if required_by_all > 8 else 0)


def place_ms_struct_gcc(members: list[Member], aggregate: Aggregate, target: Target) -> Placement:
    """Place members as GCC does where `-mms-bitfields` or `ms_struct` holds; all structs of MinGW.

    Args:
        members: in order of declaration, unnamed bit-fields included.
        aggregate: what applies to all of them.
        target: its largest useful alignment is the block in which GCC counts offsets.

    Returns:
        The placement, in bits. Source: GCC's manual, "x86 Variable Attributes", and what its MinGW port does.
    """
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    block = max(aggregate.explicit, target.biggest_alignment * 8)
    position = size = rest = 0
    # The bit-field that opened the current storage unit, of which `rest` bits are free; None outside of a run.
    run: Member | None = None
    for index, member in enumerate(members):
        own_alignment = _gcc_alignment(member, aggregate)
        whole_alignment = max(whole_alignment, _gcc_contribution(member, aggregate, own_alignment, run))
        if aggregate.is_union:
            placed.append((0, own_alignment))
            size = max(size, round_up(member.size if member.width is None else member.width, 8))
            continue
        width = member.width
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


def _gcc_contribution(member: Member, aggregate: Aggregate, own_alignment: int, run: Member | None) -> int:
    """What a member asks of the whole struct's alignment; a zero-width bit-field counts only if it ends a run."""
    packed = aggregate.packed or member.packed
    if member.width is None:
        alignment = own_alignment if packed else max(member.alignment, own_alignment)
    elif (member.width and not packed) or (member.width == 0 and run is not None and run.width):
        alignment = max(member.alignment, own_alignment)
    else:
        return 8
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def _gcc_alignment(member: Member, aggregate: Aggregate) -> int:
    if member.width is None:
        return ordinary_alignment(member, aggregate)
    alignment = max(member.explicit, 1)
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def place_ms_struct_clang(members: list[Member], aggregate: Aggregate, target: Target) -> Placement:
    """Place members as clang does for the attribute `ms_struct` where Microsoft's rules are not the target's own.

    Args:
        members: in order of declaration, unnamed bit-fields included.
        aggregate: what applies to all of them.
        target: not looked at.

    Returns:
        The placement, in bits.
    """
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    # `end` is where an ordinary member may start; `free` bits before it belong to the open storage unit of size `unit`.
    end = unit = free = 0
    for member in members:
        if member.width is None:
            # Basic types are aligned to their size, even where the target's own rules ask for less.
            natural = member._replace(alignment=max(member.alignment, member.natural))
            alignment = ordinary_alignment(natural, aggregate)
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


def _clang_unit(member: Member, aggregate: Aggregate, end: int, unit: int, free: int) -> tuple[int, int, int, int]:
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
