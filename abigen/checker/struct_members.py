"""The members of a struct as its users have them, and which stayed, moved, came, went or were renamed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from abigen.checker.equality import Equality
from abigen.checker.pairs import out_of_order
from abigen.model.contract import Zero
from abigen.model.ctype import Array, Basic, NamedType, Pointer
from abigen.model.entities import Field, Struct
from abigen.model.layout import Layouts

_RESERVED = (
    r"^_*(?:reserved|rsvd|resvd|rsrvd)|^_*(?:resv|rsv|rsrv)_?\d*_*$|_(?:reserved|rsvd|resvd|rsrvd)_?\d+_*$"
    r"|_(?:rsvd|resvd|rsrvd|resv|rsv)_*$"
    r"|^_*(?:pad|padding|unused|spare|filler)_?(?:\d+|[a-z])?_*$|^_+(?:slots?|future|hole|dummy)_?\d*_*$"
)
"""Names of members that are kept free: `reserved2`, `reserved_for_later`, `toy_reserved1`, `mem_rsvd`, `padding`."""
_RESERVED_ROOM = r"(?<!num)(?<!^n)_(?:reserved|rsvd|unused|padding|spare)_*$"
"""Names of arrays that are kept free: `toy_reserved`. A number called `bytes_reserved` counts what is reserved."""
_RESERVED_DATA = r"^_*(?:reserve|dummy|future(?:_use)?)_?\d*_*$|^_*(?:future|spare|free|reserve|dummy)_?slots?_?\d*_*$"
"""Names of members that are kept free if they hold plain data: `dummy`, `future`. Functions may be called so."""
_PLAIN_DATA = (
    r"(?:unsigned |signed )?(?:char|short|int|long|long long|_Bool)|void|(?:__)?u?int\d*(?:ptr)?_t|__[usbl]e?\d+|size_t"
)


class FlattenedMember(msgspec.Struct, frozen=True):
    """A named member where it lies on one target: what `FieldLayout` says, seen from the outermost struct."""

    name: str
    offset: int
    """In bytes, as all sizes here."""
    size: int
    alignment: int
    bit_offset: int | None
    """In bits; None when it is no bit-field."""
    bit_width: int | None
    field: Field
    overlay: tuple[str, ...] = ()
    """Keys of the unions that it shares its place in, outermost first; empty when it has its place for itself."""
    alternative: str = ""
    """Key of the struct without a name by which it is in the innermost of those unions; empty when it is so itself."""
    prefix: str = ""
    """The path to the member whose struct it is in, with a dot at the end; empty for a member of the struct itself."""

    @property
    def path(self) -> str:
        """The name as users of the struct write it."""
        return self.prefix + self.name

    @property
    def behind(self) -> int:
        """The first bit behind it."""
        return self.end * 8 if self.bit_offset is None or self.bit_width is None else self.bit_offset + self.bit_width

    @property
    def room(self) -> int:
        """The number of bits that it occupies."""
        return self.behind - self.place

    def overlaps(self, other: FlattenedMember) -> bool:
        """True if two members, of one side or of both, have bits in common."""
        return self.place < other.behind and other.place < self.behind

    def within(self, offset: int, overlay: tuple[str, ...], prefix: str = "") -> FlattenedMember:
        """Return the same member, seen from what holds its struct at an offset, by itself or as one of a union's."""
        return replace(
            self,
            offset=offset + self.offset,
            bit_offset=None if self.bit_offset is None else offset * 8 + self.bit_offset,
            overlay=(*overlay, *self.overlay),
            prefix=prefix + self.prefix,
        )

    @property
    def is_flexible(self) -> bool:
        """True if it is a flexible array."""
        return isinstance(self.field.type, Array) and self.field.type.length is None

    @property
    def end(self) -> int:
        """Offset of the first byte behind it."""
        return self.offset + self.size

    @property
    def where(self) -> str:
        """The start, in words: `at offset 24`, `at bit 67`."""
        return f"at offset {self.offset}" if self.bit_offset is None else f"at bit {self.bit_offset}"

    def numbers(self, side: str) -> dict[str, int | str | None]:
        """Return the place on its side, `old` or `new`, in bytes, as findings state it."""
        return {f"{side}_offset": self.offset, f"{side}_size": self.size, f"{side}_alignment": self.alignment}

    @property
    def place(self) -> int:
        """The start, in bits."""
        return self.offset * 8 if self.bit_offset is None else self.bit_offset


def members_of(struct: Struct, layouts: Layouts) -> list[FlattenedMember]:
    """Return all named members of a struct or union, in the order of declaration; none when it is not defined.

    Args:
        struct: one of the API that `layouts` was made for.
        layouts: of one target.
    """
    own = (struct.name,) if struct.is_union else ()
    found: list[FlattenedMember] = []
    for place in layouts.of(struct.name).fields if struct.fields is not None else ():
        inner = None if place.name else layouts.api.struct_of(place.field.type)
        if inner is not None:
            for each in members_of(inner, layouts):
                alternative = inner.name if own and not each.overlay else each.alternative
                found.append(replace(each.within(place.offset, own), alternative=alternative))
        elif place.name:
            found.append(FlattenedMember(*place, overlay=own))
    return found


class MemberPair(NamedTuple):
    """A member that both sides have."""

    old: FlattenedMember
    new: FlattenedMember

    @property
    def shifted(self) -> bool:
        """True if it lies elsewhere."""
        return self.old.place != self.new.place

    @property
    def moves_bytes(self) -> bool:
        """True if it lies elsewhere or is larger or smaller than it was."""
        return self.shifted or self.old.size != self.new.size

    @property
    def numbers(self) -> dict[str, int | str | None]:
        """The old and new place, in bytes, as findings state them."""
        return {**self.old.numbers("old"), **self.new.numbers("new")}


class Regrouping(msgspec.Struct, frozen=True):
    """Members that went into a struct or union of their own, or came out of one; where they lie is judged like any
    other's."""

    holder: FlattenedMember
    """The member whose type that is; one of NEW when `into` is true, else one of OLD."""
    pairs: tuple[MemberPair, ...]
    """The members that both sides have; they are among the kept or moved ones too."""
    into: bool


class Fields:
    """The changes of the members of one struct; every member of either side is in exactly one place,
    members of a struct that were loose on the other side instead of their holder."""

    def __init__(self, old: Sequence[FlattenedMember], new: Sequence[FlattenedMember], equality: Equality) -> None:
        """Classify the members of a struct; each step takes members out of what is left over.

        Args:
            old: OLD's members, by `members_of`.
            new: NEW's members.
            equality: of types.
        """
        self._equality = equality
        self.regrouped: list[Regrouping] = []
        new = self._opened(new, old, into=True)
        old = self._opened(old, new, into=False)
        self.recut = _recut_reserved(old, new)
        """The reserved members of the same bytes that the sides split in different ways; in no other place."""
        old, new = ([each for each in side if each not in (*self.recut[0], *self.recut[1])] for side in (old, new))
        olds = {member.name: member for member in old}
        news = {member.name: member for member in new}
        self._gone = {name: member for name, member in olds.items() if name not in news}
        self._fresh = {name: member for name, member in news.items() if name not in olds}
        self.places = {name: place for place, name in enumerate(news)}
        """The places of NEW's members, in their order."""
        pairs = [MemberPair(member, news[name]) for name, member in olds.items() if name in news]
        out_of_order = self._out_of_order(pairs)
        self.kept = [pair for pair in pairs if pair.old.name not in out_of_order]
        """Same name, same place in the order."""
        self.moved = [pair for pair in pairs if pair.old.name in out_of_order]
        """Same name, but outside the longest sequence that kept its order."""
        self.reserved_used = self._take_reserved()
        """A reserved member that got a purpose; of an array of reserved ones the first elements."""
        self.divided = self._take_divided()
        """Members that stayed but became smaller, and the new ones that lie in the rest of their bytes."""
        self.renamed = self._take_renamed(old, new)
        self.overlaid = self._take_overlaid(new)
        """New alternatives of a union that was there before, or that was made around a member."""
        self.removed = [(gone, self._take(partial(_starts_within, gone=gone))) for gone in self._gone.values()]
        """The removed members, with the new members that start in their bytes."""
        known = (pair.new.name for pair in (*self.paired, *self.reserved_used))
        last = max((self.places[name] for name in known), default=-1)
        self.inserted = self._take(lambda each: self.places[each.name] < last)
        self.appended = list(self._fresh.values())

    @property
    def paired(self) -> Sequence[MemberPair]:
        """The pairs that are the same member, under any name."""
        return [*self.kept, *self.moved, *self.renamed]

    def _take(self, is_wanted: Callable[[FlattenedMember], bool]) -> list[FlattenedMember]:
        """Take some of the new members that are left over."""
        taken = [each for each in self._fresh.values() if is_wanted(each)]
        for each in taken:
            del self._fresh[each.name]
        return taken

    def _out_of_order(self, pairs: Sequence[MemberPair]) -> set[str]:
        """Return names that left the order of the others. The alternatives of one union have no order."""
        ordered: dict[str, list[str]] = {}
        for pair in pairs:
            is_overlaid = bool(pair.old.overlay and pair.new.overlay)
            if not is_overlaid or (pair.old.alternative and pair.new.alternative):
                ordered.setdefault(pair.new.alternative if is_overlaid else "", []).append(pair.old.name)
        return {name for names in ordered.values() for name in out_of_order(names, self.places)}

    def _opened(
        self, own: Sequence[FlattenedMember], other: Sequence[FlattenedMember], *, into: bool
    ) -> list[FlattenedMember]:
        """Return one side with the members of a struct in place of its holder, where the other side has them loose."""
        layouts = self._equality.new_layouts if into else self._equality.old_layouts
        by_name = {member.name: member for member in other}
        names = {member.name for member in own}
        opened: list[FlattenedMember] = []
        for member in own:
            for inside in () if member.name in by_name else _levels(member, layouts):
                shared = [(each, by_name[each.name]) for each in inside if each.name in by_name]
                pairs = [MemberPair(*reversed(each)) if into else MemberPair(*each) for each in shared]
                found = [pair for pair in pairs if self._equality.same(pair.old.field.type, pair.new.field.type)]
                if found and 2 * len(found) >= len(inside) and names.isdisjoint(each.name for each in inside):
                    opened += inside
                    self.regrouped.append(Regrouping(member, tuple(found), into))
                    break
            else:
                opened.append(member)
        return opened

    def _take_reserved(self) -> list[MemberPair]:
        """Reserved members that took a name at their place, whole or in parts, or several of them as one."""
        found: list[MemberPair] = []
        shrunk = [pair.old for pair in self.kept if pair.new.room < pair.old.room and _is_within(pair.new, pair.old)]
        free = [member for member in (*self._gone.values(), *shrunk) if is_reserved(member)]
        for member in free:
            takers = self._take(partial(self._fits, reserved=member, behind=_behind_run(member, free)))
            found += (MemberPair(member, taker) for taker in takers)
            for used in free if takers else ():
                if any(used.overlaps(taker) for taker in takers):
                    self._gone.pop(used.name, None)
        for old, new in self.kept:
            if is_reserved(old) and new.overlay and not old.overlay and old.place == new.place:
                beside = self._take(partial(_lies_beside, member=new))
                found += (MemberPair(old, taker) for taker in beside)
        return found

    def _fits(self, taker: FlattenedMember, reserved: FlattenedMember, behind: int) -> bool:
        """True if a new member lies in what was kept free, up to a bit: as the same type, or as a part or as more."""
        is_within = reserved.place <= taker.place < reserved.behind and taker.behind <= behind
        if isinstance(reserved.field.type, Array) or (taker.bit_width is not None and taker.room < reserved.room):
            return is_within
        if not is_within or taker.field.contract.zero is Zero.MEANINGFUL:
            return False
        is_same = taker.place == reserved.place and self._equality.same(reserved.field.type, taker.field.type)
        return is_same or taker.room != reserved.room

    def is_divided_room(self, pair: MemberPair) -> bool:
        """True if a reserved member lost a part of its bytes: those in front, or some that new members took."""
        is_taken = pair.old.behind == pair.new.behind or any(each.old is pair.old for each in self.reserved_used)
        return _is_within(pair.new, pair.old) and is_taken

    def _take_divided(self) -> list[tuple[MemberPair, list[FlattenedMember]]]:
        """Return members that became smaller and left their other bytes to new ones."""
        found = []
        for old, new in self.kept:
            if old.place == new.place and new.size < old.size and not old.overlay:
                rest = self._take(partial(_lies_between, begin=new.end, end=old.end))
                found += [(MemberPair(old, new), rest)] if rest else []
        return found

    def _take_renamed(self, old: Sequence[FlattenedMember], new: Sequence[FlattenedMember]) -> list[MemberPair]:
        """In each gap between members that stayed: the same type at the same place, under another name."""
        found: list[MemberPair] = []
        if not (self._gone and self._fresh):
            return found
        anchors = {pair.new.name: pair for pair in self.kept}
        olds, news = _by_gap(old, anchors, self._gone), _by_gap(new, anchors, self._fresh)
        for anchor, gone in olds.items():
            fresh = news.get(anchor, [])
            candidates = list(zip(gone, fresh, strict=False))
            if len(gone) != len(fresh):
                pair = anchors.get(anchor)
                shift = pair.new.place - pair.old.place if pair else 0
                by_place = {each.place - shift: each for each in fresh}
                candidates = [(each, by_place[each.place]) for each in gone if each.place in by_place]
            found += (MemberPair(*each) for each in candidates if self._is_same(*each))
        for pair in found:
            del self._gone[pair.old.name], self._fresh[pair.new.name]
        return found

    def _is_same(self, old: FlattenedMember, new: FlattenedMember) -> bool:
        """True if two members are the same but for name and place."""
        shapes = [(each.size, each.overlay, each.bit_width) for each in (old, new)]
        return shapes[0] == shapes[1] and self._equality.same(old.field.type, new.field.type)

    def _take_overlaid(self, new: Sequence[FlattenedMember]) -> list[FlattenedMember]:
        """New alternatives of unions in which something stayed; not what came into one that both sides have."""
        paired = self.paired
        living = {key for pair in paired for key in pair.new.overlay}
        if all(member.overlay for member in new):
            living |= {member.overlay[0] for member in new}
        known = {pair.new.alternative for pair in paired} - {""}
        return self._take(
            lambda each: each.overlay[-1:] != () and each.overlay[-1] in living and each.alternative not in known
        )


def _recut_reserved(
    old: Sequence[FlattenedMember], new: Sequence[FlattenedMember]
) -> tuple[list[FlattenedMember], list[FlattenedMember]]:
    """Return members of either side that are kept free, and whose bits the other side keeps free as other members."""
    free_old, free_new = ([each for each in side if is_reserved(each) and not each.overlay] for side in (old, new))
    covered_old = {each.name: each for each in free_old if _is_covered(each, free_new)}
    covered_new = {each.name: each for each in free_new if _is_covered(each, free_old)}
    names = {each.name for each in old} - covered_old.keys() | {each.name for each in new} - covered_new.keys()
    olds, news = {each.name: each for each in old}, {each.name: each for each in new}
    elsewhere = {name for name in olds.keys() & news.keys() if not olds[name].overlaps(news[name])}
    names -= {name for name in elsewhere if is_reserved(olds[name]) and is_reserved(news[name])}
    for name in covered_old.keys() & covered_new.keys():
        before, after = covered_old[name], covered_new[name]
        if (before.place, before.behind) == (after.place, after.behind):
            names.add(name)  # it stays as it is
    return (
        [each for name, each in covered_old.items() if name not in names],
        [each for name, each in covered_new.items() if name not in names],
    )


def _is_covered(member: FlattenedMember, by: Sequence[FlattenedMember]) -> bool:
    """True if each bit of a member is one of others."""
    place = member.place
    for each in sorted(by, key=lambda each: each.place):
        if each.place <= place:
            place = max(place, each.behind)
    return place >= member.behind


def _is_within(inner: FlattenedMember, outer: FlattenedMember) -> bool:
    """True if one member lies in the bits of another."""
    return outer.place <= inner.place and inner.behind <= outer.behind


def _behind_run(member: FlattenedMember, free: Sequence[FlattenedMember]) -> int:
    """Return the first bit behind a member that is kept free and those that follow it without a gap."""
    behind = member.behind
    for each in sorted(free, key=lambda each: each.place):
        if each.place == behind and not (each.overlay or member.overlay):
            behind = each.behind
    return behind


def _levels(member: FlattenedMember, layouts: Layouts) -> Iterator[list[FlattenedMember]]:
    """Yield the members of a struct by levels: its own members, then those of the structs among them, and so on."""
    inside = _inside(member, layouts)
    while inside:
        yield inside
        deeper = [found for each in inside for found in _inside(each, layouts) or [each]]
        inside = deeper if deeper != inside else []


def _inside(holder: FlattenedMember, layouts: Layouts) -> list[FlattenedMember]:
    """Return the members of a member's own struct or union, seen from where that lies; none when it is neither."""
    struct = layouts.api.struct_of(holder.field.type)
    members = () if struct is None else members_of(struct, layouts)
    return [each.within(holder.offset, holder.overlay, f"{holder.path}.") for each in members]


def _lies_beside(other: FlattenedMember, member: FlattenedMember) -> bool:
    """True if one member shares the place of another in a union, and takes no other bytes."""
    return other.overlay[: len(member.overlay)] == member.overlay and _is_within(other, member)


def _lies_between(member: FlattenedMember, begin: int, end: int) -> bool:
    """True if a member has all of its bytes between two offsets."""
    return begin <= member.offset and member.end <= end


def _starts_within(member: FlattenedMember, gone: FlattenedMember) -> bool:
    """True if a new member starts in the bytes of one that is gone."""
    end = max(gone.end * 8, gone.place + 1)
    return gone.place <= member.place < end and member.overlay == gone.overlay


def is_reserved(member: FlattenedMember) -> bool:
    """True if a member is kept free, by its own word or by its name."""
    type = member.field.type
    is_array = isinstance(type, Array)
    while isinstance(type, (Array, Pointer)):
        type = type.element if isinstance(type, Array) else type.target
    is_data = isinstance(type, (Basic, NamedType)) and re.fullmatch(_PLAIN_DATA, type.name) is not None
    return member.field.contract.reserved or is_reserved_name(member.name, is_array=is_array, is_data=is_data)


@lru_cache(maxsize=4096)  # rules ask again and again
def is_reserved_name(name: str, *, is_array: bool, is_data: bool) -> bool:
    """Return True if a member is kept free by its name.

    Args:
        name: the member's.
        is_array: True if it is an array.
        is_data: True if it holds integers or pointers to nothing, and no function.
    """
    patterns = [_RESERVED, *([_RESERVED_ROOM] if is_array else []), *([_RESERVED_DATA] if is_data else [])]
    return any(re.search(each, name, re.IGNORECASE) for each in patterns)


def _by_gap(
    members: Sequence[FlattenedMember], anchors: Mapping[str, MemberPair], wanted: Mapping[str, FlattenedMember]
) -> dict[str, list[FlattenedMember]]:
    """Return the wanted members by the anchor that they follow; the empty name for those before the first."""
    found: dict[str, list[FlattenedMember]] = {"": []}
    anchor = ""
    for member in members:
        if member.name in anchors:
            anchor = member.name
            found[anchor] = []
        elif member.name in wanted:
            found[anchor].append(member)
    return found
