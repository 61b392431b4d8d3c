"""Which change of a struct moved which of its members, and what that does to the structs that hold it by value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from abigen.check.embedding import Use
from abigen.check.pairing.fields import MemberPair
from abigen.check.pairing.members import Member
from abigen.model.finding import Detail

if TYPE_CHECKING:
    from abigen.check.comparison import StructPair

_SHOWN = 6


class Shifts:
    """The members of one struct that lie elsewhere now, by cause.

    A cause is a member that came, went, changed its place in the order, or its size; it answers for the members behind
    it, up to the next cause.
    """

    def __init__(self, pair: StructPair) -> None:
        """Look at one struct that both sides define."""
        self.pair = pair

    @cached_property
    def _causes(self) -> list[tuple[int, str]]:
        """Where each cause stands in NEW's order, and the name of its member."""
        fields = self.pair.fields
        order = {name: place for place, name in enumerate(fields.order)}
        causes = [(order[member.name], member.name) for member in (*fields.inserted, *fields.overlaid)]
        causes += [(order[pair.new.name], pair.new.name) for pair in fields.moved]
        causes += [
            (order[pair.new.name], pair.new.name)
            for pair in (*fields.kept, *fields.renamed)
            if _extent(pair.old) != _extent(pair.new)
        ]
        vacated = [removal.member.name for removal in fields.removed] + [pair.old.name for pair in fields.moved]
        followers = self._followers
        causes += [(order[followers[name]], name) for name in vacated if name in followers]
        return sorted(causes)

    @cached_property
    def _followers(self) -> dict[str, str]:
        """Each of OLD's members to the NEW name of the first one behind it that stayed in order."""
        staying = {pair.old.name: pair.new.name for pair in (*self.pair.fields.kept, *self.pair.fields.renamed)}
        found: dict[str, str] = {}
        follower = ""
        for member in reversed(self.pair.old_members):
            if follower:
                found[member.name] = follower
            follower = staying.get(member.name, follower)
        return found

    @cached_property
    def _by_cause(self) -> dict[str, list[MemberPair]]:
        """A cause's member to those that it moved; the empty name for those that no cause in this struct moved."""
        order = {name: place for place, name in enumerate(self.pair.fields.order)}
        places = [place for place, _ in self._causes]
        found: dict[str, list[MemberPair]] = {}
        for pair in (*self.pair.fields.kept, *self.pair.fields.renamed):
            if not pair.shifted:
                continue
            index = bisect_right(places, order[pair.new.name])
            cause = self._causes[index - 1][1] if index else ""
            found.setdefault(cause, []).append(pair)
        return found

    @property
    def unexplained(self) -> Sequence[MemberPair]:
        """Members that moved although nothing before them in this struct changed (packing, an alignment)."""
        return self._by_cause.get("", ())

    @cached_property
    def is_any(self) -> bool:
        """Whether any byte that both sides know lies elsewhere, or the struct has another size or alignment."""
        old, new = self.pair.old_layout, self.pair.new_layout
        return (old.size, old.alignment) != (new.size, new.alignment) or any(
            self.pair.comparison.moves_bytes(each) for each in self.pair.fields.paired
        )

    def summary(self) -> Iterator[Detail]:
        """Everything that moved, here and in the structs that hold it, for a change of the struct as a whole."""
        yield from self.moves()
        yield from holders(self.pair)

    def moves(self) -> Iterator[Detail]:
        """Everything that moved in the struct itself."""
        moved = [each for pairs in self._by_cause.values() for each in pairs]
        if moved:
            yield Detail("moves", _listed([f"{each.new.name} {_from_to(each)}" for each in moved]))

    def moved_by(self, member: str) -> str:
        """The members that a change of one member moves, and whither; empty when it moves none."""
        return _listed([f"{each.new.name} {_from_to(each)}" for each in self._by_cause.get(member, ())])

    def details_of(self, pair: MemberPair) -> Iterator[Detail]:
        """What follows from a change of a member's type; of one that has another place, that says it already."""
        if pair not in self.pair.fields.moved:
            yield from self.details(pair.old.name)

    def details(self, member: str) -> Iterator[Detail]:
        """What follows from a change of one member: the members that it moves, the structs that it reaches.

        Args:
            member: its name, as the cause; the structs are named under the first cause only.
        """
        for division in self.pair.fields.divided:
            if division.member.old.name == member:
                rest = ", ".join(f"{each.name} at {each.offset}" for each in division.rest)
                yield Detail("divided", f"the rest of its bytes holds {rest}")
        moved = self.moved_by(member)
        if moved:
            yield Detail("moves", moved)
        if not self._causes or self._causes[0][1] == member:
            yield from holders(self.pair)


def holders(pair: StructPair) -> Iterator[Detail]:
    """What the changed size of a struct does to whoever holds it by value."""
    comparison = pair.comparison
    uses = comparison.pair.old_uses.reaching(pair.old.name)
    old_layout, new_layout = pair.old_layout, pair.new_layout
    if (old_layout.size, old_layout.alignment) == (new_layout.size, new_layout.alignment):
        return
    clauses = [clause for use in uses if (clause := _effect(use, pair))]
    if clauses:
        yield Detail("reaches", "; ".join(dict.fromkeys(clauses)))


def effect(use: Use, pair: StructPair) -> Iterator[Detail]:
    """What the changed layout of a struct does to one that holds it by value.

    Args:
        use: where it is held.
        pair: the struct that changed.
    """
    clause = _effect(use, pair)
    if clause != use.path:
        yield Detail("reaches", clause)


def _effect(use: Use, pair: StructPair) -> str:
    """What happens to one user of a struct."""
    comparison = pair.comparison
    holder = comparison.struct(use.holder) if use.holder in comparison.old.structs else None
    if use.kind in ("member", "element") and holder is not None and holder.is_defined:
        old, new = holder.old_layout, holder.new_layout
        grows = f"{use.path}, {holder.name} has {new.size} bytes instead of {old.size}" if old.size != new.size else ""
        moved = [each for each in holder.fields.kept if each.shifted]
        shifts = f"moves {_listed([f'{each.new.name} {_from_to(each)}' for each in moved])}" if moved else ""
        return ", ".join(each for each in (grows or use.path, shifts) if each)
    record = comparison.struct(use.record)
    if use.kind in ("element", "counted") and record is not None:
        return f"{use}: each element takes {record.new_layout.size} bytes instead of {record.old_layout.size}"
    return str(use)


def _extent(member: Member) -> tuple[int, int]:
    """What a member takes from those behind it: size and alignment, or bits."""
    return (member.size, member.alignment) if member.bit_width is None else (member.bit_width, 0)


def _from_to(pair: MemberPair) -> str:
    """Where a member was and is."""
    if pair.old.bit_offset is not None and pair.new.bit_offset is not None:
        return f"from bit {pair.old.bit_offset} to {pair.new.bit_offset}"
    return f"from {pair.old.offset} to {pair.new.offset}"


def _listed(clauses: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    rest = len(clauses) - _SHOWN
    return ", ".join(clauses[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
