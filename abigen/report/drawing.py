"""Two layouts of a struct side by side: the same byte at the same height in both, and lines to where members moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from abigen.model.api import Api
from abigen.model.canonical import canonical
from abigen.model.layout import Layout, Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import spell
from abigen.model.target import find_target
from abigen.report.subject import DiffReport

_SHORTEST, _TALLEST, _PER_BYTE = 26, 62, 4
"""Height of the bytes between two neighbouring boundaries, in pixels: least, most, and per byte."""
_HEAD = 8
_LABEL = 33
"""Characters that fit into a box."""


@dataclass(frozen=True)
class Box:
    """A member, a hole, or the padding at the end, as it is drawn; heights in pixels."""

    kind: str
    """`same`, `moved`, `changed`, `new`, `removed`, or `padding`."""
    label: str
    """What fits into the box."""
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


@dataclass(frozen=True)
class Drawing:
    """A struct before and after, on the targets where it stands like this."""

    name: str
    """Where it has another one in NEW, both."""
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


@dataclass(frozen=True)
class _Member:
    name: str
    text: str
    type: str
    """Canonical, so that another spelling is no change."""
    offset: int
    size: int


def drawings(subject: DiffReport) -> list[Drawing]:
    """Every struct of both APIs that stands otherwise in NEW, drawn once for targets on which it looks the same.

    Args:
        subject: what was compared.
    """
    found: dict[tuple[str, str, object], tuple[list[str], Layouts, Layouts]] = {}
    for target in subject.new.api.targets:
        if target not in subject.old.api.targets:
            continue
        old, new = (Layouts(side.api.for_target(target), find_target(target)) for side in (subject.old, subject.new))
        for name, key in _common(old.api, new.api, subject.verdict.renamed):
            shapes = _shape(old, name), _shape(new, key)
            if None not in shapes and shapes[0] != shapes[1]:
                found.setdefault((name, key, shapes), ([], old, new))[0].append(target)
    return [_drawing(name, key, *each) for (name, key, _), each in found.items()]


def _common(old: Api, new: Api, renamed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Structs and unions that both define, by OLD's key and NEW's, in the order of NEW."""
    for key, struct in new.structs.items():
        name = renamed.get(key, key)
        before = old.structs.get(name)
        if before is not None and before.fields and struct.fields and struct.in_api and before.in_api:
            yield name, key


def _shape(layouts: Layouts, key: str) -> tuple[object, ...] | None:
    """What is drawn of a struct; None when it has no layout."""
    try:
        layout = layouts.of(key)
    except AbigenError:
        return None
    return layout.size, tuple((each.name, each.offset, each.size, each.bit_offset) for each in layout.fields)


def _drawing(name: str, key: str, targets: list[str], old: Layouts, new: Layouts) -> Drawing:
    before, after = old.of(name), new.of(key)
    was = {each.name: each for each in _members(before, old.api)}
    now = {each.name: each for each in _members(after, new.api)}
    heights = _heights(before, after, [*was.values(), *now.values()])
    left = {name: _box(each, *_state(each, now.get(name), is_old=True), heights) for name, each in was.items()}
    right = {name: _box(each, *_state(each, was.get(name), is_old=False), heights) for name, each in now.items()}
    moves = [(_middle(was[name], heights), _middle(now[name], heights)) for name in now if right[name].kind == "moved"]
    return Drawing(
        name=key if name == key else f"{name}, now {key}",
        targets=tuple(targets),
        old=tuple(sorted((*left.values(), *_padding(before, heights)), key=lambda box: box.top)),
        new=tuple(sorted((*right.values(), *_padding(after, heights)), key=lambda box: box.top)),
        old_size=before.size,
        new_size=after.size,
        height=heights[max(before.size, after.size)] + _HEAD,
        moves=tuple(moves),
    )


def _members(layout: Layout, api: Api) -> list[_Member]:
    """Members as boxes; bit-fields that share bytes share a box, as do members of a union."""
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


def _heights(before: Layout, after: Layout, members: Sequence[_Member]) -> dict[int, int]:
    """Where each boundary between bytes is drawn, in pixels from the top."""
    offsets = {0, before.size, after.size, before.unpadded_size, after.unpadded_size}
    ranges = [(each.offset, each.size) for each in members]
    ranges += [(hole.offset, hole.size) for hole in (*before.holes, *after.holes)]
    for start, size in ranges:
        offsets |= {start, start + size}
    at, last = _HEAD, 0
    heights = {}
    for offset in sorted(offsets):
        at += min(_TALLEST, max(_SHORTEST, (offset - last) * _PER_BYTE)) if offset > last else 0
        heights[offset], last = at, offset
    return heights


def _state(member: _Member, other: _Member | None, *, is_old: bool) -> tuple[str, str]:
    """The kind of a member's box and the remark in it, by what the member is on the other side."""
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


def _padding(layout: Layout, heights: dict[int, int]) -> Iterator[Box]:
    """Holes, and what stands behind the last member."""
    holes = [(hole.offset, hole.size) for hole in layout.holes]
    if layout.tail_padding:
        holes.append((layout.unpadded_size, layout.tail_padding))
    for offset, size in holes:
        top = heights[offset]
        text = f"{size} unused byte{'s' * (size != 1)}"
        yield Box("padding", text, f"{text} at {offset}", "", offset, top, heights[offset + size] - top)
