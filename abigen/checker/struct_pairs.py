"""A struct on both sides, on one target: what happened to its members, and what that moves in it and around it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from abigen.checker.equality import was_is
from abigen.checker.pairs import BIT_FIELD, ApisOnTarget, SignatureChange, TypeChange, type_change
from abigen.checker.rule import Numbers, Subject, listed, missing_in_old, who_tells
from abigen.checker.struct_members import Fields, FlattenedMember, MemberPair, is_reserved, members_of
from abigen.checker.struct_sizes import ByValueUse
from abigen.model.contract import Party
from abigen.model.ctype import Pointer
from abigen.model.entities import Struct
from abigen.model.finding import Detail
from abigen.model.layout import Layout


class StructPair:
    """A struct or union on both sides, on one target."""

    def __init__(self, old: Struct, new: Struct, apis: ApisOnTarget) -> None:
        """Put two states of a struct side by side."""
        self.old, self.new, self.apis = old, new, apis
        self.name = old.name
        """The name in findings, which is OLD's."""
        self.is_defined = old.fields is not None and new.fields is not None
        """True if both sides define its members."""

    @property
    def counts_versions(self) -> bool:
        """True if its first member, and not a size, tells how much of it is there."""
        return bool(self.old.version_field)

    @property
    def about(self) -> Subject:
        """Its name, and where both sides declare it."""
        return Subject(self.name, self.old.span, self.new.span)

    def who_tells(self, member: FlattenedMember) -> tuple[Detail, ...]:
        """Return a note where the side that sets a member is unknown."""
        return () if self.new.is_union else who_tells(member.field.filler, self.apis.new.header is not None)

    def entity(self, member: str) -> str:
        """Return the name of one of its members in findings."""
        return f"{self.name}.{member}"

    @property
    def old_layout(self) -> Layout:
        """OLD's layout; the struct has to be defined there."""
        return self.apis.old_layouts.of(self.old.name)

    @property
    def new_layout(self) -> Layout:
        """NEW's layout; the struct has to be defined there."""
        return self.apis.new_layouts.of(self.new.name)

    @property
    def sizes(self) -> Numbers:
        """Its size on both sides, in bytes."""
        return {"old_size": self.old_layout.size, "new_size": self.new_layout.size}

    @cached_property
    def old_members(self) -> Sequence[FlattenedMember]:
        """OLD's members; none when it is not defined there."""
        return members_of(self.old, self.apis.old_layouts)

    @cached_property
    def new_members(self) -> Sequence[FlattenedMember]:
        """NEW's members; none when it is not defined there."""
        return members_of(self.new, self.apis.new_layouts)

    @cached_property
    def fields(self) -> Fields:
        """The changes of its members; none unless both sides define it."""
        members = (self.old_members, self.new_members) if self.is_defined else ((), ())
        return Fields(*members, self.apis.equality)

    def kept(self, pairs: Iterable[MemberPair]) -> Iterator[KeptMember]:
        """Some of the members of both sides, as rules are handed them."""
        return (KeptMember(self, pair.old, pair.new) for pair in pairs)

    @cached_property
    def is_led_by_empty_struct(self) -> bool:
        """True if NEW inserts a member that takes no bytes, as macros do that declare a flexible array in a union."""
        return any(NewMember(self, each).takes_no_bytes for each in self.fields.inserted)

    @cached_property
    def retyped(self) -> tuple[KeptMember, ...]:
        """Members that are still there with another type."""
        changes = ((each, self._type_change(each)) for each in (*self.fields.kept, *self.fields.moved))
        return tuple(KeptMember(self, *each, *change) for each, change in changes if change)

    def _type_change(self, pair: MemberPair) -> TypeChange | None:
        """Return the change of a member's type; None when it is the same on the target, however it is spelled."""
        old, new = pair
        if is_reserved(old) and is_reserved(new) and self.fields.is_divided_room(pair):
            return None
        if old.bit_width != new.bit_width:
            return TypeChange(BIT_FIELD)
        return type_change(old.field.type, new.field.type, self.apis.equality)

    @cached_property
    def shifts(self) -> Shifts:
        """The changes, each with the members that it moved."""
        return Shifts(self)

    @cached_property
    def newly_deprecated(self) -> tuple[KeptMember, ...]:
        """Members of both sides that only NEW marks as deprecated, in OLD's order."""
        return tuple(
            each
            for each in self.kept(self.fields.paired)
            if each.new.field.contract.lifecycle.deprecated and not each.old.field.contract.lifecycle.deprecated
        )

    @cached_property
    def successors(self) -> Mapping[str, str]:
        """Members that this change marks as deprecated to the ones that take their place.

        Either says so: the old one by `Use new`, or the new one by `Replaces old`. The new one is appended in the same
        change, or it stood in OLD already and said there what it replaces.
        """
        found: dict[str, str] = {}
        for each in self.newly_deprecated:
            use, paired = each.new.field.contract.lifecycle.replaced_by, self.fields.paired
            news = [
                member.name
                for member in self.fields.appended
                if member.name == use or member.field.contract.lifecycle.replaces == each.name
            ]
            news += [pair.new.name for pair in paired if pair.old.field.contract.lifecycle.replaces == each.name]
            if news:
                found[each.name] = news[0]
        return found


class KeptMember(msgspec.Struct, frozen=True):
    """A member that both sides have, by whichever name and wherever it lies."""

    struct: StructPair
    old: FlattenedMember
    new: FlattenedMember
    kind: str = ""
    """The kind of change of its type, as in `abigen.checker.pairs`; empty where the type is the same."""
    signature: SignatureChange | None = None
    is_measured: bool = True
    """True if findings say where it lies; what is said of it in words changes no byte."""

    @property
    def about(self) -> Subject:
        """OLD's name, both places, and where it lies on both sides."""
        places = self.old.field.span, self.new.field.span
        if self.is_measured:
            return Subject(self.entity, *places, self.pair.numbers)
        return Subject(self.entity, *places, details=self.struct.who_tells(self.new))

    @property
    def pair(self) -> MemberPair:
        """The two members alone."""
        return MemberPair(self.old, self.new)

    @property
    def name(self) -> str:
        """OLD's name."""
        return self.old.name

    @property
    def entity(self) -> str:
        """The name in findings."""
        return self.struct.entity(self.old.path)

    @property
    def filler(self) -> Party:
        """The side that sets it in OLD."""
        return self.old.field.filler

    @property
    def zero(self) -> str:
        """The word for zero of its type."""
        is_pointer = isinstance(self.struct.apis.old.resolve(self.old.field.type), Pointer)
        return "NULL" if is_pointer else "0"

    @property
    def was_is(self) -> str:
        """`was X, is Y` for its type."""
        return was_is(self.old.field.type, self.new.field.type, self.struct.apis.equality)

    @property
    def consequences(self) -> Iterator[Detail]:
        """The consequences of its change; a member with another place states them already."""
        is_told = self.pair in self.struct.fields.moved
        return iter(()) if is_told else self.struct.shifts.details(self.old.name)


class RemovedMember(msgspec.Struct, frozen=True):
    """A member that is gone for good, and the new ones that lie in its bytes now."""

    struct: StructPair
    member: FlattenedMember
    replaced_by: Sequence[FlattenedMember]

    @property
    def about(self) -> Subject:
        """Its name, where it was, and what stands there now."""
        place = self.replaced_by[0].field.span if self.replaced_by else self.struct.new.span
        numbers: dict[str, int | None] = {"old_offset": self.member.offset, "old_size": self.member.size}
        numbers |= {"new_offset": None, "new_size": None}
        details = self.struct.who_tells(self.member)
        return Subject(self.entity, self.member.field.span, place, numbers, details=details)

    @property
    def entity(self) -> str:
        """The name in findings."""
        return self.struct.entity(self.member.path)


class NewMember(NamedTuple):
    """A member that only NEW has."""

    struct: StructPair
    member: FlattenedMember

    @property
    def about(self) -> Subject:
        """Its name, the struct in OLD, and where it lies in NEW."""
        offset, places = self.member.offset, (self.struct.old.span, self.member.field.span)
        numbers = {"old_offset": None, "old_size": None, "new_offset": offset, "new_size": self.member.size}
        return Subject(self.entity, *places, numbers, f"new at offset {offset}", self.struct.who_tells(self.member))

    @property
    def entity(self) -> str:
        """The name in findings."""
        return self.struct.entity(self.member.path)

    @property
    def takes_no_bytes(self) -> bool:
        """True if its type is a struct without members, or it is an array of no elements.

        Clang gives such a struct four bytes on Windows, where Microsoft's compiler refuses it in C.
        """
        struct = self.struct.apis.new.struct_of(self.member.field.type)
        return self.member.size == 0 or (struct is not None and struct.fields == ())

    @property
    def missing(self) -> tuple[str, str]:
        """The effects on plugins of both sides of a member that only NEW has."""
        return missing_in_old(self.member.name, self.member.where, self.member.field.filler)


class Shifts:
    """The members of one struct that lie elsewhere now, by cause.

    A cause is a member that came, went, changed its place in the order, or its size; it answers for the members behind
    it, up to the next cause.
    """

    def __init__(self, pair: StructPair) -> None:
        """Look at one struct that both sides define."""
        self.pair = pair
        self.fields = pair.fields
        self._staying = (*self.fields.kept, *self.fields.renamed)

    @cached_property
    def _causes(self) -> list[tuple[int, str]]:
        """Return the position of each cause in NEW's order, and the name of its member."""
        fields = self.fields
        names = [member.name for member in (*fields.inserted, *fields.overlaid)]
        names += [pair.new.name for pair in fields.moved]
        names += [pair.new.name for pair in self._staying if _is_cause(pair)]
        return sorted([*((self.fields.places[name], name) for name in names), *self.followers])

    @cached_property
    def _first(self) -> str | None:
        """The cause that tells of the holders: a new alternative only if there is no other, its finding may be mild."""
        overlaid = {each.name for each in self.fields.overlaid}
        return min((name for _, name in self._causes), key=overlaid.__contains__, default=None)

    @cached_property
    def followers(self) -> list[tuple[int, str]]:
        """Return the position of the first member after a removed or moved one, and the name of that one."""
        fields = self.fields
        vacated = {*(member.name for member, _ in fields.removed), *(pair.old.name for pair in fields.moved)}
        staying = {pair.old.name: pair.new.name for pair in self._staying}
        found: list[tuple[int, str]] = []
        follower = ""
        for member in reversed(self.pair.old_members):
            if member.name in vacated and follower:
                found.append((self.fields.places[follower], member.name))
            follower = staying.get(member.name, follower)
        return found

    @cached_property
    def _by_cause(self) -> dict[str, list[MemberPair]]:
        """A cause's member to those that it moved; the empty name for those that no cause here moved."""
        places = [place for place, _ in self._causes]
        found: dict[str, list[MemberPair]] = {}
        for pair in self._staying:
            if pair.shifted:
                index = bisect_right(places, self.fields.places[pair.new.name])
                found.setdefault(self._causes[index - 1][1] if index else "", []).append(pair)
        return found

    @property
    def unexplained(self) -> MemberPair | None:
        """The first member that moved although nothing before it in this struct changed (packing, an alignment)."""
        return next(iter(self._by_cause.get("", ())), None)

    @cached_property
    def is_any(self) -> bool:
        """True if any byte that both sides know lies elsewhere, or the struct has another size or alignment."""
        return self.is_resized or any(pair.moves_bytes for pair in self.fields.paired)

    @cached_property
    def is_resized(self) -> bool:
        """True if the struct has another size or alignment.

        The alignment of one that is defined where a member is declared, and has no name, matters only around it.
        """
        old, new = self.pair.old_layout, self.pair.new_layout
        if old.size != new.size or old.alignment == new.alignment:
            return old.size != new.size
        if not (self.pair.old.anonymous and self.pair.new.anonymous):
            return True
        apis = self.pair.apis
        holders = (find_struct(use.holder, apis) for use in apis.pair.old_uses.of(self.pair.name) if use.is_held)
        return any(holder is None or holder.shifts.is_any for holder in holders)

    @property
    def _uses(self) -> Sequence[ByValueUse]:
        """Return the holders of the struct by value, directly or inside another."""
        return self.pair.apis.pair.old_uses.reaching(self.pair.name)

    @cached_property
    def is_append(self) -> bool:
        """True if nothing but appended members differs."""
        fields = self.fields
        others = fields.removed or fields.inserted or fields.moved or fields.overlaid
        return bool(fields.appended) and not others and not any(pair.moves_bytes for pair in fields.paired)

    def moves(self) -> Iterator[Detail]:
        """Yield the moves in the struct itself."""
        moved = [moved_clause(each) for pairs in self._by_cause.values() for each in pairs]
        if moved:
            yield Detail("moves", listed(moved))

    def moved_by(self, member: str) -> str:
        """Return the members that a change of one member moves, and whither; empty when it moves none."""
        return listed([moved_clause(each) for each in self._by_cause.get(member, ())])

    def details(self, member: str) -> Iterator[Detail]:
        """Yield the consequences of a change of one member: moved members, and reached structs.

        Args:
            member: its name, as the cause; the structs are named under the first cause only.
        """
        for pair, rest in self.fields.divided:
            if pair.old.name == member:
                held = ", ".join(f"{each.name} at offset {each.offset}" for each in rest)
                yield Detail("divided", f"the other bytes hold {held}")
        moved = self.moved_by(member)
        if moved:
            yield Detail("moves", moved)
        if self._first in (None, member):
            yield from self.holders()

    def overrun(self, member: str) -> str:
        """Return what is read or written past the end of an object of the other side's size, as the end of a headline.

        Args:
            member: the cause; only the first one of a struct states it.

        Returns:
            A clause that begins with `; `; empty where the struct keeps its size or may grow, or no pointer is passed.
        """
        old, new = self.pair.old_layout.size, self.pair.new_layout.size
        use = self.pair.apis.pair.old_uses.pointers.get(self.pair.name)
        if use is None or old == new or self._first not in (None, member) or self.pair.old.may_grow:
            return ""
        larger, smaller = ("NEW", "OLD") if new > old else ("OLD", "NEW")
        count, name = abs(new - old), self.pair.name
        amount = f"{count} byte{'s' if count > 1 else ''}"
        past = f"{amount} past the end of the {name} that"
        if use.verb == "returns":
            return f"; callers of {larger} read {past} {use.function} of {smaller} returns"
        return f"; {use.function} of {larger} may {use.verb} {past} callers of {smaller} allocate"

    def holders(self) -> Iterator[Detail]:
        """Yield the effects of the struct's changed size on its holders by value."""
        if clauses := tuple(self.reached()):
            yield Detail("reaches", "; ".join(clauses))

    def reached(self) -> Iterable[str]:
        """Return a clause for each place that the changed size of the struct reaches."""
        return dict.fromkeys(effect(use, self.pair.apis) for use in self._uses) if self.is_resized else ()


def effect(use: ByValueUse, apis: ApisOnTarget) -> str:
    """Return the effect on one user of a struct whose layout changed."""
    holder = find_struct(use.holder, apis)
    if use.kind in ("member", "element") and holder is not None and holder.is_defined:
        old, new = holder.old_layout, holder.new_layout
        grows = f", {holder.name} has {new.size} bytes instead of {old.size}" if old.size != new.size else ""
        moved = listed([moved_clause(each) for each in holder.fields.kept if each.shifted])
        effects = grows + (f", moves {moved}" if moved else "")
        if not effects and old.alignment != new.alignment and not (holder.old.anonymous and holder.new.anonymous):
            effects = f", {holder.name} is aligned to {new.alignment} bytes instead of {old.alignment}"
        return use.path + effects
    record = find_struct(use.record, apis)
    if use.kind in ("element", "counted") and record is not None:
        sizes = f"{record.new_layout.size} bytes instead of {record.old_layout.size}"
        return f"{use.clause()}: each element has {sizes}"
    return use.clause()


def find_struct(key: str, apis: ApisOnTarget) -> StructPair | None:
    """Return the pair of a struct by OLD's key, whether it differs or not; None when there is none, or it is gone."""
    after = apis.pair.types.records.get(key)
    return StructPair(apis.old.structs[key], apis.new.structs[after], apis) if after else None


def _is_cause(pair: MemberPair) -> bool:
    """True if a member takes more or less from those behind it, or lies elsewhere by its own alignment."""
    old, new = pair
    if old.bit_width is not None or new.bit_width is not None:
        return old.bit_width != new.bit_width
    return old.size != new.size or (old.alignment != new.alignment and pair.shifted)


def moved_clause(pair: MemberPair) -> str:
    """Return a clause with the old and new place of a member."""
    if pair.old.bit_offset is not None and pair.new.bit_offset is not None:
        return f"{pair.new.name} from bit {pair.old.bit_offset} to {pair.new.bit_offset}"
    return f"{pair.new.name} from offset {pair.old.offset} to {pair.new.offset}"
