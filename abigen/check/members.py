"""The members of a struct as its users have them, and which stayed, moved, came, went or were renamed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from abigen.check.equality import Equality
from abigen.check.sequence import longest_increasing
from abigen.model.ctype import Array
from abigen.model.entities import Field, Struct
from abigen.model.layout import Layouts

_RESERVED = (
    r"^_*(?:reserved|rsvd)|^_*resv_?\d*_*$|_(?:reserved|rsvd)_?\d+_*$|_rsvd_*$"
    r"|^_*(?:pad|padding|unused|spare)_?\d*_*$"
)
"""Names of members that are kept free: `reserved2`, `reserved_for_later`, `toy_reserved1`, `mem_rsvd`, `padding`."""
_RESERVED_ROOM = r"(?<!num)(?<!^n)_(?:reserved|rsvd)_*$"
"""Names of arrays that are kept free: `toy_reserved`. A number called `bytes_reserved` counts what is reserved."""


class PlacedMember(NamedTuple):
    """A named member where it lies on one target; offsets and sizes in bytes from the start of the outermost struct."""

    field: Field
    name: str
    """The field's."""
    offset: int
    size: int
    alignment: int
    bit_offset: int | None
    """From the start of the outermost struct, in bits; None when it is no bit-field."""
    bit_width: int | None
    overlay: tuple[str, ...]
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
        """How many bits it takes."""
        return self.behind - self.place

    def overlaps(self, other: PlacedMember) -> bool:
        """Whether two members, of one side or of both, have bits in common."""
        return self.place < other.behind and other.place < self.behind

    def within(self, holder: PlacedMember) -> PlacedMember:
        """The same member, seen from the struct that has `holder` as a member."""
        return self._replace(
            offset=holder.offset + self.offset,
            bit_offset=None if self.bit_offset is None else holder.offset * 8 + self.bit_offset,
            overlay=(*holder.overlay, *self.overlay),
            prefix=f"{holder.path}.{self.prefix}",
        )

    @property
    def is_flexible(self) -> bool:
        """Whether it is a flexible array."""
        return isinstance(self.field.type, Array) and self.field.type.length is None

    @property
    def end(self) -> int:
        """Offset of the first byte behind it."""
        return self.offset + self.size

    @property
    def where(self) -> str:
        """Where it starts, in words: `at 24`, `at bit 67`."""
        return f"at {self.offset}" if self.bit_offset is None else f"at bit {self.bit_offset}"

    @property
    def place(self) -> int:
        """Where it starts, in bits."""
        return self.offset * 8 if self.bit_offset is None else self.bit_offset


def members_of(
    struct: Struct, layouts: Layouts, base: int = 0, overlay: tuple[str, ...] = (), alternative: str = ""
) -> list[PlacedMember]:
    """All named members of a defined struct or union, in the order of declaration.

    Args:
        struct: one of the API that `layouts` was made for.
        layouts: of one target.
        base: where it lies in the outermost struct, in bytes.
        overlay: keys of the unions that it shares its place in.
        alternative: key of the struct without a name by which it is in the innermost of those unions.
    """
    if struct.is_union:
        overlay, alternative = (*overlay, struct.name), ""
    found: list[PlacedMember] = []
    for place in layouts.of(struct.name).fields:
        inner = None if place.name else layouts.api.struct_of(place.field.type)
        if inner is not None:
            holder = alternative or (inner.name if overlay else "")
            found += members_of(inner, layouts, base + place.offset, overlay, holder)
        elif place.name:
            found.append(
                PlacedMember(
                    field=place.field,
                    name=place.name,
                    offset=base + place.offset,
                    size=place.size,
                    alignment=place.alignment,
                    bit_offset=None if place.bit_offset is None else base * 8 + place.bit_offset,
                    bit_width=place.bit_width,
                    overlay=overlay,
                    alternative=alternative,
                )
            )
    return found


class MemberPair(NamedTuple):
    """One member on both sides."""

    old: PlacedMember
    new: PlacedMember

    @property
    def shifted(self) -> bool:
        """Whether it lies elsewhere."""
        return self.old.place != self.new.place

    @property
    def moves_bytes(self) -> bool:
        """Whether it lies elsewhere or is larger or smaller than it was."""
        return self.shifted or self.old.size != self.new.size

    @property
    def numbers(self) -> dict[str, int | str | None]:
        """Where it was and is, in bytes, as findings state it."""
        return {
            "old_offset": self.old.offset,
            "old_size": self.old.size,
            "old_alignment": self.old.alignment,
            "new_offset": self.new.offset,
            "new_size": self.new.size,
            "new_alignment": self.new.alignment,
        }


class Removal(NamedTuple):
    """A member that is gone, and the new ones that lie in its bytes now."""

    member: PlacedMember
    replaced_by: tuple[PlacedMember, ...] = ()


class Division(NamedTuple):
    """A member that stayed but became smaller, and the new ones that lie in the rest of its bytes."""

    member: MemberPair
    rest: tuple[PlacedMember, ...]


class Regrouping(NamedTuple):
    """Members that went into a struct of their own, or came out of one; where they lie is judged like any other's."""

    holder: PlacedMember
    """The member whose type is that struct; one of NEW when `into` is true, else one of OLD."""
    pairs: tuple[MemberPair, ...]
    """The members that both sides have; they are among the kept or moved ones too."""
    into: bool


class Fields(NamedTuple):
    """What happened to the members of one struct; every member of either side is in exactly one place,
    members of a struct that were loose on the other side instead of their holder."""

    kept: Sequence[MemberPair] = ()
    """Same name, same place in the order."""
    moved: Sequence[MemberPair] = ()
    """Same name, but outside the longest sequence that kept its order."""
    renamed: Sequence[MemberPair] = ()
    divided: Sequence[Division] = ()
    reserved_used: Sequence[MemberPair] = ()
    """A reserved member that got a purpose; of an array of reserved ones the first elements."""
    regrouped: Sequence[Regrouping] = ()
    removed: Sequence[Removal] = ()
    inserted: Sequence[PlacedMember] = ()
    appended: Sequence[PlacedMember] = ()
    overlaid: Sequence[PlacedMember] = ()
    """New alternatives of a union that was there before, or that was made around a member."""
    order: Sequence[str] = ()
    """Names of NEW's members in their order."""

    @property
    def paired(self) -> Sequence[MemberPair]:
        """All pairs that are the same member under whichever name."""
        return [*self.kept, *self.moved, *self.renamed]


def pair_members(
    old: Sequence[PlacedMember],
    new: Sequence[PlacedMember],
    equality: Equality,
    inner: Callable[[PlacedMember, bool], Sequence[PlacedMember]],
) -> Fields:
    """Classify the members of a struct.

    Args:
        old: OLD's members, by `members_of`.
        new: NEW's members.
        equality: of types.
        inner: the members of a member's own struct, at absolute offsets, and whether the member is one of NEW; empty
            when it is no struct.
    """
    return _Pairing(old, new, equality, inner).fields()


class _Pairing:
    """One run of `pair_members`; each step takes members out of what is left over."""

    def __init__(
        self,
        old: Sequence[PlacedMember],
        new: Sequence[PlacedMember],
        equality: Equality,
        inner: Callable[[PlacedMember, bool], Sequence[PlacedMember]],
    ) -> None:
        self.equality, self.inner = equality, inner
        self.new, into = self._opened(new, old, into=True)
        self.old, out_of = self._opened(old, self.new, into=False)
        self.new_by_name = {member.name: member for member in self.new}
        old_by_name = {member.name: member for member in self.old}
        self.gone = [member for member in self.old if member.name not in self.new_by_name]
        self.fresh = [member for member in self.new if member.name not in old_by_name]
        self.regrouped = [
            Regrouping(holder, tuple(MemberPair(old_by_name[name], self.new_by_name[name]) for name in names), is_into)
            for holder, names, is_into in (*into, *out_of)
        ]

    def fields(self) -> Fields:
        """Run all steps."""
        kept, moved = self._by_name()
        reserved_used = self._reserved_used(kept)
        divided = self._divided(kept)
        renamed = self._renamed(kept)
        overlaid = self._overlaid(kept + moved + renamed)
        removed = self._removed()
        inserted, appended = self._added([*kept, *moved, *renamed, *reserved_used])
        order = [member.name for member in self.new]
        changes = kept, moved, renamed, divided, reserved_used, self.regrouped, removed, inserted, appended, overlaid
        return Fields(*changes, order)

    def _by_name(self) -> tuple[list[MemberPair], list[MemberPair]]:
        """Same name on both sides: in order, and out of it. The alternatives of one union have no order."""
        pairs = [MemberPair(m, self.new_by_name[m.name]) for m in self.old if m.name in self.new_by_name]
        ordered: dict[str, dict[str, int]] = {}
        for place, pair in enumerate(pairs):
            is_overlaid = bool(pair.old.overlay and pair.new.overlay)
            if not is_overlaid or (pair.old.alternative and pair.new.alternative):
                ordered.setdefault(pair.new.alternative if is_overlaid else "", {})[pair.old.name] = place
        out_of_order = set()
        for places in ordered.values():
            in_order = longest_increasing([places[m.name] for m in self.new if m.name in places])
            out_of_order |= {name for name, place in places.items() if place not in in_order}
        kept = [pair for pair in pairs if pair.old.name not in out_of_order]
        return kept, [pair for pair in pairs if pair.old.name in out_of_order]

    def _opened(
        self, own: Sequence[PlacedMember], other: Sequence[PlacedMember], *, into: bool
    ) -> tuple[list[PlacedMember], list[tuple[PlacedMember, list[str], bool]]]:
        """One side with the members of a struct in the place of its holder, where the other side has them loose.

        Returns:
            The side's members, and for each holder that was opened the names that the other side has, and `into`.
        """
        by_name = {member.name: member for member in other}
        names = {member.name for member in own}
        opened: list[PlacedMember] = []
        holders = []
        for member in own:
            inside = [] if member.name in by_name else self.inner(member, into)
            shared = [(each, by_name[each.name]) for each in inside if each.name in by_name]
            pairs = [(before, after) if not into else (after, before) for before, after in shared]
            found = [old.name for old, new in pairs if self.equality.same(old.field.type, new.field.type)]
            if found and 2 * len(found) >= len(inside) and not any(each.name in names for each in inside):
                opened += inside
                holders.append((member, found, into))
            else:
                opened.append(member)
        return opened, holders

    def _reserved_used(self, kept: list[MemberPair]) -> list[MemberPair]:
        """Reserved members that took a name at their place, whole or the first elements of an array of them."""
        found = []
        shrunk = [pair.old for pair in kept if pair.new.room < pair.old.room and pair.new.behind == pair.old.behind]
        for member in [*self.gone, *shrunk]:
            if not is_reserved(member):
                continue
            takers = [each for each in self.fresh if self._fits(each, member)]
            for taker in takers:
                self.fresh.remove(taker)
                found.append(MemberPair(member, taker))
            if takers and member in self.gone:
                self.gone.remove(member)
        return found

    def _fits(self, taker: PlacedMember, reserved: PlacedMember) -> bool:
        """Whether a new member lies in what was kept free: anywhere in an array, else as the same type with a no-op."""
        if isinstance(reserved.field.type, Array):
            return reserved.offset <= taker.offset and taker.end <= reserved.end
        if taker.bit_width is not None and taker.room < reserved.room:
            return reserved.place <= taker.place and taker.behind <= reserved.behind
        return (
            taker.place == reserved.place
            and taker.field.contract.zero == "no-op"
            and self.equality.same(reserved.field.type, taker.field.type)
        )

    def _divided(self, kept: list[MemberPair]) -> list[Division]:
        """Members that became smaller and left their other bytes to new ones."""
        found = []
        for pair in kept:
            if pair.shifted or pair.new.size >= pair.old.size or pair.old.overlay:
                continue
            rest = tuple(each for each in self.fresh if pair.new.end <= each.offset and each.end <= pair.old.end)
            for each in rest:
                self.fresh.remove(each)
            if rest:
                found.append(Division(pair, rest))
        return found

    def _renamed(self, kept: list[MemberPair]) -> list[MemberPair]:
        """In each gap between members that stayed: the same type at the same place, under another name."""
        found = []
        for gone, fresh, shift in self._gaps(kept):
            matched = self._match_gap(gone, fresh, shift)
            found += matched
            for pair in matched:
                self.gone.remove(pair.old)
                self.fresh.remove(pair.new)
        return found

    def _gaps(self, kept: list[MemberPair]) -> list[tuple[list[PlacedMember], list[PlacedMember], int]]:
        """What is gone and what is new between two members that stayed, and the bits that the first one moved."""
        gaps: list[tuple[list[PlacedMember], list[PlacedMember], int]] = []
        new_names = {pair.new.name: pair for pair in kept}
        anchors = {pair.old.name for pair in kept}
        olds = _split(self.old, anchors, self.gone)
        news = _split(self.new, set(new_names), self.fresh)
        for anchor, gone in olds.items():
            fresh = news.get(anchor, [])
            if gone and fresh:
                pair = new_names.get(anchor)
                gaps.append((gone, fresh, pair.new.place - pair.old.place if pair else 0))
        return gaps

    def _match_gap(self, gone: list[PlacedMember], fresh: list[PlacedMember], shift: int) -> list[MemberPair]:
        """Pair by order when as many came as went, else by place."""
        candidates = []
        if len(gone) == len(fresh):
            candidates = list(zip(gone, fresh, strict=True))
        else:
            by_place = {member.place: member for member in fresh}
            for member in gone:
                match = by_place.get(member.place + shift)
                if match is not None:
                    candidates.append((member, match))
        return [
            MemberPair(before, after)
            for before, after in candidates
            if before.size == after.size
            and before.overlay == after.overlay
            and before.bit_width == after.bit_width
            and self.equality.same(before.field.type, after.field.type)
        ]

    def _overlaid(self, paired: list[MemberPair]) -> list[PlacedMember]:
        """New alternatives of unions in which something stayed, or what came behind the others of one."""
        living = {pair.new.overlay[-1] for pair in paired if pair.new.overlay}
        if all(len(member.overlay) > 0 for member in self.new):
            living |= {member.overlay[0] for member in self.new}
        found = [member for member in self.fresh if member.overlay and member.overlay[-1] in living]
        last = {pair.new.alternative: pair.new.place for pair in sorted(paired, key=lambda pair: pair.new.place)}
        found = [m for m in found if not (m.alternative and m.place < last.get(m.alternative, m.place))]
        for member in found:
            self.fresh.remove(member)
        return found

    def _removed(self) -> list[Removal]:
        """What is gone, with the new members that start in its bytes."""
        found = []
        for member in self.gone:
            takers = [each for each in self.fresh if member.place <= each.place < max(member.end * 8, member.place + 1)]
            takers = [each for each in takers if each.overlay == member.overlay]
            for taker in takers:
                self.fresh.remove(taker)
            found.append(Removal(member, tuple(takers)))
        return found

    def _added(self, pairs: list[MemberPair]) -> tuple[list[PlacedMember], list[PlacedMember]]:
        """What is new: before the last member that was there already, and after it."""
        known = {pair.new.name for pair in pairs}
        last = max((place for place, member in enumerate(self.new) if member.name in known), default=-1)
        fresh = {member.name for member in self.fresh}
        inserted = [m for place, m in enumerate(self.new) if m.name in fresh and place < last]
        return inserted, [m for place, m in enumerate(self.new) if m.name in fresh and place > last]


def is_reserved(member: PlacedMember) -> bool:
    """Whether a member is kept free, by its own word or by its name."""
    if member.field.contract.reserved or re.search(_RESERVED, member.name, re.IGNORECASE) is not None:
        return True
    is_room = isinstance(member.field.type, Array)
    return is_room and re.search(_RESERVED_ROOM, member.name, re.IGNORECASE) is not None


def _split(
    members: Sequence[PlacedMember], anchors: set[str], wanted: Sequence[PlacedMember]
) -> dict[str, list[PlacedMember]]:
    """The wanted members by the anchor that they follow; the empty name for those before the first."""
    chosen = {member.name for member in wanted}
    found: dict[str, list[PlacedMember]] = {"": []}
    anchor = ""
    for member in members:
        if member.name in anchors:
            anchor = member.name
            found[anchor] = []
        elif member.name in chosen:
            found[anchor].append(member)
    return found
