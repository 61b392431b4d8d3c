"""How structs stand in memory, as reference documentation draws it: bytes, padding, and the size at each release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from abigen.emit.docs.contents import label_of
from abigen.model.api import ApiSet
from abigen.model.entities import Struct
from abigen.model.layout import FieldLayout, Layout, Layouts
from abigen.model.releases import size_steps
from abigen.model.span import AbigenError
from abigen.model.target import find_target

_ROW = 64
"""Bits that a bar stands for."""


class DrawnBytes(msgspec.Struct, frozen=True):
    """A member or padding as it is drawn: a bar in a row of eight bytes."""

    name: str
    """Path of the member from the struct; empty for padding."""
    offset: int
    """In bytes from the start of the struct."""
    bit: int | None
    """The first bit in the byte at `offset`; None for what is no bit-field."""
    size: int
    """In bytes; in bits for a bit-field."""
    start: float
    """Where the bar begins in its row, in percent."""
    width: float
    """In percent; what is longer than what is left of its row fills that."""
    depth: int = 0
    """How many members without a type of their own it stands in."""

    @property
    def is_longer(self) -> bool:
        """Whether its bar cannot show all of it."""
        return self.bit is None and self.offset % 8 + self.size > 8


class DrawnStruct(msgspec.Struct, frozen=True):
    """How a struct stands on the targets where it stands like this."""

    targets: tuple[str, ...]
    size: int
    """In bytes, as the next two."""
    alignment: int
    unpadded_size: int
    rows: tuple[DrawnBytes, ...]
    remark: str = ""
    """Why it has no layout; empty when it has one."""


class DrawnSize(msgspec.Struct, frozen=True):
    """The smallest valid size of a struct from a release on."""

    release: str
    """Empty for the beginning."""
    last_member: str
    sizes: tuple[int, ...]
    """In bytes, for each of the struct's layouts."""


def drawn_layouts(read: ApiSet, key: str) -> tuple[DrawnStruct, ...]:
    """Every layout of a struct, each once, with the targets that it is the same on.

    Args:
        read: the API.
        key: of a struct that is defined.
    """
    found: dict[DrawnStruct, list[str]] = {}
    for target, layouts in _layouts_of(read, key):
        found.setdefault(_drawn(layouts, key), []).append(target)
    return tuple(_on(each, tuple(targets)) for each, targets in found.items())


def sizes_by_release(read: ApiSet, struct: Struct, drawn: Sequence[DrawnStruct]) -> tuple[DrawnSize, ...]:
    """How a struct that may grow has grown.

    Args:
        read: the API.
        struct: one that carries its size.
        drawn: its layouts.

    Returns:
        One line per release that appended to it, the oldest first; empty when a layout is missing.
    """
    layouts = [Layouts(read.for_target(each.targets[0]), find_target(each.targets[0])) for each in drawn]
    if not struct.is_versioned or any(each.remark for each in drawn):
        return ()
    found = []
    for step in size_steps(struct):
        ends = [each.of(struct.name).named(step.last_member) for each in layouts]
        sizes = tuple(end.offset + end.size for end in ends if end is not None)
        found.append(DrawnSize(str(step.since or ""), step.last_member, sizes))
    return tuple(found)


def _layouts_of(read: ApiSet, key: str) -> Iterator[tuple[str, Layouts]]:
    for group in read.groups:
        if key in group.api.structs:
            for target in group.targets:
                yield target, Layouts(group.api, find_target(target))


def _on(drawn: DrawnStruct, targets: tuple[str, ...]) -> DrawnStruct:
    return DrawnStruct(targets, drawn.size, drawn.alignment, drawn.unpadded_size, drawn.rows, drawn.remark)


def _drawn(layouts: Layouts, key: str) -> DrawnStruct:
    """The layout on one target, which is not named yet."""
    try:
        layout = layouts.of(key)
    except AbigenError as error:
        return DrawnStruct((), 0, 0, 0, (), error.diagnostics[0].message)
    rows = tuple(_rows(layouts, layouts.api.structs[key], layout, "", 0, 0))
    return DrawnStruct((), layout.size, layout.alignment, layout.unpadded_size, rows)


def _rows(layouts: Layouts, struct: Struct, layout: Layout, path: str, base: int, depth: int) -> Iterator[DrawnBytes]:
    """The members of a struct that starts at `base` bytes, and the padding between and behind them."""
    holes = {each.offset: each.size for each in layout.holes}
    end = 0
    for each in layout.fields:
        if not struct.is_union and end in holes:
            yield _bar("", base + end, holes[end], depth)
        end = max(end, each.offset + each.size)
        name = f"{path}{label_of(struct, each.field)}"
        inner = layouts.api.unnamed_struct(each.field.type)
        yield _member(name, each, base, depth)
        if inner is not None:
            below = f"{name}." if each.name else path
            yield from _rows(layouts, inner, layouts.of(inner.name), below, base + each.offset, depth + 1)
    if layout.tail_padding:
        yield _bar("", base + layout.unpadded_size, layout.tail_padding, depth)


def _member(name: str, each: FieldLayout, base: int, depth: int) -> DrawnBytes:
    if each.bit_offset is None:
        return _bar(name, base + each.offset, each.size, depth)
    start, width = (base * 8 + each.bit_offset) % _ROW, each.bit_width or 0
    offset, bit = base + each.offset, each.bit_offset % 8
    return DrawnBytes(name, offset, bit, width, _percent(start), _percent(min(width, _ROW - start)), depth)


def _bar(name: str, offset: int, size: int, depth: int) -> DrawnBytes:
    start = offset * 8 % _ROW
    return DrawnBytes(name, offset, None, size, _percent(start), _percent(min(size * 8, _ROW - start)), depth)


def _percent(bits: int) -> float:
    return bits * 100 / _ROW
