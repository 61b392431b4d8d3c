"""Layouts of structs as text with offsets beside the declaration, as drawings, and as records for programs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from abigen.checker.report.subject import Report
from abigen.checker.report.wording import count
from abigen.model.api import Api
from abigen.model.ctype import Array, CType
from abigen.model.entities import SizeConstant, Struct
from abigen.model.layout import FieldLayout, Layout, Layouts
from abigen.model.span import AbigenError, printable, without_commands
from abigen.model.spelling import canonical, spell
from abigen.model.target import find_target

if TYPE_CHECKING:
    from abigen.checker.report.documents import TargetLayout


_SHORTEST, _TALLEST, _PER_BYTE = 26, 62, 4
"""Height of the bytes between two neighbouring boundaries, in pixels: least, most, and per byte."""
_HEAD = 8
_LABEL = 33
"""Characters that fit into a box."""
_LONGEST_RUN = 40
"""The number of neighbouring members with the same fate that are drawn one by one."""
_MOST = 400
"""The number of members and runs of them that are drawn; the rest is drawn as one."""


class Box(msgspec.Struct, frozen=True):
    """A member, a hole, or the padding at the end, as it is drawn; heights in pixels."""

    kind: str
    """`same`, `moved`, `changed`, `new`, `removed`, or `padding`."""
    label: str
    """The text that fits into the box."""
    title: str
    """In full."""
    remark: str
    offset: int
    """In bytes."""
    top: int
    height: int

    @property
    def middle(self) -> int:
        """The height of its middle."""
        return self.top + self.height // 2


class Drawing(msgspec.Struct, frozen=True):
    """A struct before and after, on the targets where it stands like this."""

    name: str
    """The name, or the names in OLD and NEW where they differ."""
    targets: tuple[str, ...]
    old: tuple[Box, ...]
    new: tuple[Box, ...]
    old_size: int
    """Of the whole struct, in bytes."""
    new_size: int
    height: int
    """In pixels."""
    moves: tuple[tuple[int, int], ...]
    """Heights that lines connect, on the left and on the right."""


class _Member(msgspec.Struct, frozen=True):
    name: str
    text: str
    type: str
    """Canonical, so that another spelling is no change."""
    offset: int
    size: int


def drawings(report: Report) -> list[Drawing]:
    """Return every struct of both APIs that stands otherwise in NEW, drawn once for targets on which it looks the same.

    Args:
        report: what was compared.
    """
    found: dict[tuple[str, str, object], tuple[list[str], Layouts, Layouts]] = {}
    for target in report.new.api.targets:
        if target not in report.old.api.targets:
            continue
        old, new = (Layouts(side.api.for_target(target), find_target(target)) for side in (report.old, report.new))
        for name, key in _common(old.api, new.api, report.verdict.renamed if report.verdict else {}):
            shapes = _shape(old, name), _shape(new, key)
            if None not in shapes and shapes[0] != shapes[1]:
                found.setdefault((name, key, shapes), ([], old, new))[0].append(target)
    return [_drawing(name, key, *each) for (name, key, _), each in found.items()]


def _common(old: Api, new: Api, renamed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield structs and unions that both define, by OLD's key and NEW's, in the order of NEW."""
    for key, struct in new.structs.items():
        name = renamed.get(key, key)
        before = old.structs.get(name)
        if before is not None and before.fields and struct.fields and struct.in_api and before.in_api:
            yield name, key


def _shape(layouts: Layouts, key: str) -> tuple[object, ...] | None:
    """Return the drawing of a struct; None when it has no layout."""
    try:
        layout = layouts.of(key)
    except AbigenError:
        return None
    return layout.size, tuple((each.name, each.offset, each.size, each.bit_offset) for each in layout.fields)


def _drawing(name: str, key: str, targets: list[str], old: Layouts, new: Layouts) -> Drawing:
    before, after = old.of(name), new.of(key)
    was, now = _folded(_members(before, old.api), _members(after, new.api))
    holes = _padding(before, was.values()), _padding(after, now.values())
    heights = _heights([*was.values(), *now.values(), *holes[0], *holes[1]])
    left = {name: _box(each, *_state(each, now.get(name), is_old=True), heights) for name, each in was.items()}
    right = {name: _box(each, *_state(each, was.get(name), is_old=False), heights) for name, each in now.items()}
    moves = [(_middle(was[name], heights), _middle(now[name], heights)) for name in now if right[name].kind == "moved"]
    return Drawing(
        name=key if name == key else f"{name}, now {key}",
        targets=tuple(targets),
        old=tuple(sorted((*left.values(), *(_unused(each, heights) for each in holes[0])), key=lambda box: box.top)),
        new=tuple(sorted((*right.values(), *(_unused(each, heights) for each in holes[1])), key=lambda box: box.top)),
        old_size=before.size,
        new_size=after.size,
        height=heights[max(before.size, after.size)] + _HEAD,
        moves=tuple(moves),
    )


def _members(layout: Layout, api: Api) -> list[_Member]:
    """Return members as boxes; bit-fields that share bytes share a box, as do members of a union."""
    found: list[_Member] = []
    for each in layout.fields:
        bits = "" if each.bit_width is None else f" : {each.bit_width}"
        text = spell(each.field.type, each.name).replace("\n", " ") + bits
        type = spell(canonical(each.field.type, api)) + bits
        last = found[-1] if found else None
        if last is not None and each.offset < last.offset + last.size:
            end = max(last.offset + last.size, each.offset + each.size)
            name = f"{last.name}, {each.name}"
            found[-1] = _Member(name, f"{last.text}; {text}", f"{last.type}; {type}", last.offset, end - last.offset)
        else:
            found.append(_Member(each.name or f"(at {each.offset})", text, type, each.offset, each.size))
    return found


def _folded(olds: list[_Member], news: list[_Member]) -> tuple[dict[str, _Member], dict[str, _Member]]:
    """Return the members of both sides by name, where each long run of neighbours that fared alike is one member."""
    was, now = {each.name: each for each in olds}, {each.name: each for each in news}
    fates = {name: _state(each, now.get(name), is_old=True)[0] for name, each in was.items()}
    fates |= {name: "new" for name in now if name not in was}
    runs = _runs(fates, was, now)
    if len(runs) > _MOST:
        names = sorted(fates, key=lambda name: (now.get(name) or was[name]).offset)
        runs = [names[_MOST:]]
    for run in runs:
        if len(run) > _LONGEST_RUN:
            for side in (was, now):
                _fold(run, side)
    return was, now


def _runs(fates: Mapping[str, str], *sides: Mapping[str, _Member]) -> list[list[str]]:
    """Return the names of members that follow each other wherever they are, and share a fate."""
    orders = [{name: place for place, name in enumerate(side)} for side in sides]
    runs: list[list[str]] = []
    for name, fate in fates.items():
        last = runs[-1][-1] if runs else None
        follows = last is not None and all(
            (name in order) == (last in order) and order.get(name, 1) == order.get(last, 0) + 1 for order in orders
        )
        if last is not None and follows and fate == fates[last]:
            runs[-1].append(name)
        else:
            runs.append([name])
    return runs


def _fold(run: Sequence[str], side: dict[str, _Member]) -> None:
    """Put one member in the place of a run of them, where a side has it."""
    members = [side.pop(name) for name in run if name in side]
    if members:
        start = min(each.offset for each in members)
        size = max(each.offset + each.size for each in members) - start
        text = f"{len(members)} members, {members[0].name} to {members[-1].name}"
        types = "; ".join(each.type for each in members)
        side[f"{run[0]} to {run[-1]}"] = _Member(text, text, types, start, size)


def _heights(drawn: Sequence[_Member]) -> dict[int, int]:
    """Return the height of each boundary between bytes, in pixels from the top."""
    offsets = {0, *(each.offset for each in drawn), *(each.offset + each.size for each in drawn)}
    at, last = _HEAD, 0
    heights = {}
    for offset in sorted(offsets):
        at += min(_TALLEST, max(_SHORTEST, (offset - last) * _PER_BYTE)) if offset > last else 0
        heights[offset], last = at, offset
    return heights


def _state(member: _Member, other: _Member | None, *, is_old: bool) -> tuple[str, str]:
    """Return the kind of a member's box and the remark in it, by what the member is on the other side."""
    if other is None:
        return ("removed", "removed") if is_old else ("new", "new")
    if other.offset != member.offset:
        return "moved", f"{'to' if is_old else 'from'} {other.offset}"
    is_same = other.type == member.type and other.size == member.size
    return ("same", "") if is_same else ("changed", "changes" if is_old else "changed")


def _box(member: _Member, kind: str, remark: str, heights: dict[int, int]) -> Box:
    top, end = heights[member.offset], heights[member.offset + member.size]
    room = _LABEL - (len(remark) + 2 if remark else 0)
    label = member.text if len(member.text) <= room else member.name
    short = label if len(label) <= room else label[: max(1, room - 1)] + "…"
    title = f"{member.text}: offset {member.offset}, {member.size} bytes"
    return Box(kind, short, title, remark, member.offset, top, max(2, end - top))


def _middle(member: _Member, heights: dict[int, int]) -> int:
    return (heights[member.offset] + heights[member.offset + member.size]) // 2


def _padding(layout: Layout, members: Iterable[_Member]) -> list[_Member]:
    """Holes, and what stands behind the last member; those among members that are drawn as one are no part of it."""
    holes = [(hole.offset, hole.size) for hole in layout.holes]
    if layout.tail_padding:
        holes.append((layout.unpadded_size, layout.tail_padding))
    starts = sorted((each.offset, each.offset + each.size) for each in members)
    found = []
    for offset, size in holes:
        place = bisect_right(starts, (offset, layout.size + 1))
        if not place or starts[place - 1][1] <= offset:
            found.append(_Member("", count(size, "unused byte"), "", offset, size))
    return found


def _unused(hole: _Member, heights: dict[int, int]) -> Box:
    top, end = heights[hole.offset], heights[hole.offset + hole.size]
    return Box("padding", hole.text, f"{hole.text} at {hole.offset}", "", hole.offset, top, end - top)


_INDENT = "    "
_COMMENT_COLUMN = 52
_DIM = "\x1b[2m"
_YELLOW = "\x1b[33m"
_RED = "\x1b[31m"
_GREEN = "\x1b[32m"
_RESET = "\x1b[0m"


def layout_text(layouts: Layouts, keys: Sequence[str], *, colour: bool = False, places: bool = True) -> str:
    """Print structs in the manner of pahole.

    Args:
        layouts: the API and the target.
        keys: which structs, by their keys in the API, in this order.
        colour: whether to use the colours of a terminal.
        places: whether to say where each struct is declared.

    Returns:
        One declaration per struct. Behind each member stand its offset and size in bytes, for a bit-field the offset as
        byte:bit; holes, padding, totals and the size constants that name the struct follow as comments.

    Raises:
        AbigenError: a struct has no layout on this target.
    """
    printer = _Printer(layouts, colour=colour, places=places)
    return without_commands("\n".join("".join(f"{line}\n" for line in printer.struct(key)) for key in keys))


def layout_document(layouts: Layouts, keys: Sequence[str]) -> TargetLayout:
    """Return the same for programs.

    Args:
        layouts: the API and the target.
        keys: which structs, by their keys in the API, in this order.

    Raises:
        AbigenError: a struct has no layout on this target.
    """
    from abigen.checker.report.documents import Member, StructLayout, TargetLayout

    def laid_out(layout: Layout) -> StructLayout:
        members = tuple(
            Member(
                name=each.name,
                offset=each.offset,
                size=each.size,
                bit_offset=each.bit_offset,
                type=spell(each.field.type, api=layouts.api),
            )
            for each in layout.fields
        )
        return StructLayout(
            size=layout.size, align=layout.alignment, unpadded_size=layout.unpadded_size, fields=members
        )

    return TargetLayout(abi=layouts.target.name, structs={key: laid_out(layouts.of(key)) for key in keys})


class _Printer:
    """Writes the structs of one API on one target."""

    def __init__(self, layouts: Layouts, *, colour: bool, places: bool) -> None:
        self._layouts = layouts
        self._places = places
        self._api = layouts.api
        self._colour = colour

    def struct(self, key: str) -> Iterator[str]:
        """Yield the lines of one struct."""
        struct = self._api.structs[key]
        layout = self._layouts.of(key)
        place = f"{struct.span}, " if struct.span and self._places else ""
        yield f"{struct.kind} {key} {{{self._paint(f'  /* {place}{self._layouts.target.name} */', _DIM)}"
        yield from self._members(struct, layout, 0, 1)
        yield ""
        yield from self._totals(struct, layout)
        for constant in self._api.size_constants.values():
            if constant.struct == key:
                yield self._constant(constant, layout)
        yield "};"

    def _members(self, struct: Struct, layout: Layout, base: int, depth: int) -> Iterator[str]:
        """Yield the members of a struct that starts at `base` bytes, with the holes between them."""
        holes = {each.offset: each.size for each in layout.holes}
        end = end_bit = 0
        for each in layout.fields:
            if not struct.is_union:
                start_bit = each.offset * 8 if each.bit_offset is None else each.bit_offset
                # What is left of the last byte of a run of bit-fields, or skipped inside of it.
                bits = min(start_bit, -(-end_bit // 8) * 8) - end_bit
                if bits > 0:
                    yield self._note(depth, f"hole of {count(bits, 'bit')}", _YELLOW)
                if end in holes:
                    yield self._note(depth, f"hole of {count(holes[end], 'byte')}", _YELLOW)
                end = each.offset + each.size
                end_bit = end * 8 if each.bit_offset is None else each.bit_offset + (each.bit_width or 0)
            yield from self._member(each, base, depth)

    def _member(self, member: FieldLayout, base: int, depth: int) -> Iterator[str]:
        offset = str(base + member.offset)
        size = member.size
        bits = ""
        if member.bit_offset is not None:
            offset = f"{offset}:{member.bit_offset % 8}"
            size = self._layouts.size_of(member.field.type)
            bits = f" : {member.bit_width}"
        numbers = self._paint(f"/* {offset:>6} {size:>5} */", _DIM)
        inner = self._api.unnamed_struct(member.field.type)
        if inner is None:
            text = f"{_INDENT * depth}{spell(member.field.type, member.name, self._api)}{bits};"
        else:
            yield f"{_INDENT * depth}{inner.kind} {{"
            yield from self._members(inner, self._layouts.of(inner.name), base + member.offset, depth + 1)
            text = f"{_INDENT * depth}}}{_declarator(member.field.type, member.name)};"
        yield f"{printable(text):<{_COMMENT_COLUMN}} {numbers}"

    def _totals(self, struct: Struct, layout: Layout) -> Iterator[str]:
        yield self._note(1, f"size: {layout.size}, alignment: {layout.alignment}, members: {len(layout.fields)}")
        if layout.holes:
            total = count(sum(each.size for each in layout.holes), "byte")
            yield self._note(1, f"holes: {len(layout.holes)}, {total} in all", _YELLOW)
        padding = f", then {count(layout.tail_padding, 'byte')} of padding" if layout.tail_padding else ""
        yield self._note(1, f"unpadded size: {layout.unpadded_size}{padding}")
        words = {
            f"packed({struct.pack})": struct.pack,
            "packed": struct.packed,
            "aligned": struct.alignment is not None,
        }
        attributes = ", ".join(word for word, is_said in words.items() if is_said)
        if attributes:
            yield self._note(1, f"attributes: {attributes}")

    def _constant(self, constant: SizeConstant, layout: Layout) -> str:
        """Return the value of a size constant, with a mark where that is not the size of the struct."""
        try:
            value = self._layouts.evaluate(constant.expression, constant.span)
        except AbigenError as error:
            return self._note(1, f"{constant.name}: {error.diagnostics[0].message}", _RED)
        said, colour = "right", _GREEN
        if not constant.last_member and layout.tail_padding:
            said, colour = f"sizeof, counts {count(layout.tail_padding, 'byte')} of padding", _YELLOW
        elif constant.last_member and value != layout.unpadded_size:
            last = f", the last member is {layout.fields[-1].name}" if layout.fields and layout.fields[-1].name else ""
            said = f"wrong, should be {layout.unpadded_size} (ends at {constant.last_member}{last})"
            colour = _RED
        return self._note(1, f"{constant.name} = {value}: {said}", colour)

    def _note(self, depth: int, text: str, colour: str = "") -> str:
        return f"{_INDENT * depth}{self._paint(f'/* {printable(text)} */', colour)}"

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour and colour else text


def _declarator(type: CType, name: str) -> str:
    """Return the text behind the closing brace of a type that is written in place."""
    lengths = ""
    while isinstance(type, Array):
        lengths += "[]" if type.length is None else f"[{type.length if isinstance(type.length, int) else '...'}]"
        type = type.element
    return f" {name}{lengths}" if name else ""
