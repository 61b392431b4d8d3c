"""Members that came at the end, and alternatives that came into a union."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import OK, Impact, at_risk, axes, breaks
from abigen.check.comparison import Comparison, StructPair
from abigen.check.embedding import Use
from abigen.check.included import changed_uses, place_in_new
from abigen.check.pairing.members import Member
from abigen.check.rule import Report, change_rule
from abigen.check.shifts import effect, holders
from abigen.check.sides import CORE, PLUGIN, by_value_passes, filler_of, late_size_member, size_member
from abigen.check.wording import count, missing_in_old
from abigen.model.finding import Bump, Detail

MUST_BE_UNDERSTOOD = "append-must-be-understood"


@change_rule("ABI108")
def field_appended(comparison: Comparison) -> Iterator[Report]:
    """A new member stands at the end of a struct that may grow.

    What changed: NEW has one more member behind the last one of OLD. The struct carries its unpadded size and is handed
    over by pointer only.

    What happens: it works as long as both sides keep to the protocol. An older producer hands over a shorter struct, so
    the reader has to compare `struct_size` with the offset of the member before it reads it. A newer producer may be
    handed a struct that an older side allocated, so it must not write past the `struct_size` that it was given:
    assigning the whole struct, as in `*p = (T){T_STRUCT_SIZE}`, overwrites what stands behind it.

    Instead: nothing; this is how an API grows. Raise MINOR, and let the size constant end at the new member.

    Source: VS, "By Checking Struct Size" and "Extending Functionality".
    """
    for pair, member in _appended(comparison):
        if _kind(pair, member) == "field-appended" and member.name not in pair.successors.values():
            yield _harmless(pair, member)


def _harmless(pair: StructPair, member: Member) -> Report:
    """The report about one member that was appended as it should be."""
    old_size, path = _exchanged(pair), size_member(pair.old, pair.comparison.old)
    check = f"must compare {path} with {member.end} before it touches {member.name}"
    writer = f"must not write past the {path} it was given (assigning the whole struct writes {member.end} bytes)"
    if filler_of(member.field, pair.new, pair.comparison.new) == CORE:
        old_plugin = at_risk(f"if it allocates the struct it makes {old_size} bytes; a core built against NEW {writer}")
        new_plugin = at_risk(f"a core built against OLD hands over {old_size} bytes; it {check}")
    else:
        old_plugin = at_risk(f"it hands over a struct of {old_size} bytes; a core built against NEW {check}")
        new_plugin = at_risk(f"a core built against OLD may have allocated {old_size} bytes only; it {writer}")
    return _report(
        pair,
        member,
        Bump.MINOR,
        f"{pair.entity(member.path)} was appended at offset {member.offset}",
        old_plugin,
        new_plugin,
        "raise MINOR; let the size constant end at it, and say what zero means",
    )


@change_rule("ABI109")
def append_must_be_understood(comparison: Comparison) -> Iterator[Report]:
    """A new member at the end does not work unless the other side reads it.

    What changed: a member was appended, and its producer relies on the consumer knowing it (spec:
    `must_be_understood: true`; comment: `Consumers must read this.`).

    What happens: an older consumer does not know the member and goes on without it, which the producer does not expect.

    Instead: give the member a zero that means no-op and let the older side go on without it; or raise MAJOR.

    Source: VS, "Producer Has Newer Header Files", last paragraph.
    """
    for pair, member in _appended(comparison):
        if member.field.contract.must_be_understood:
            reason = f"an older consumer never reads {member.name}, on which the newer producer relies"
            producer = filler_of(member.field, pair.new, comparison.new)
            yield _report(
                pair,
                member,
                Bump.MAJOR,
                f"{pair.entity(member.path)} was appended and must be understood by its reader",
                OK if producer == PLUGIN else breaks(reason),
                OK if producer == CORE else breaks(reason),
                "let zero be a no-op and let older readers go on without it, or raise MAJOR",
            )


@change_rule("ABI110")
def append_to_frozen_struct(comparison: Comparison) -> Iterator[Report]:
    """A new member stands at the end of a struct that must not grow.

    What changed: NEW has one more member, but the struct does not carry its size as its first member, or it is passed
    or returned by value; so its size is part of everyone's binary interface.

    What happens: nobody can tell how much of the struct the other side knows. The reader reads past the end of what an
    older side allocated, the writer writes past it, and by value the two disagree about registers and stack.

    Instead: make a new struct (and a function that takes it), or raise MAJOR and begin the struct with
    `size_t struct_size`.

    Source: VS, "By Checking Struct Size"; rulebook section 1, "versioned struct".
    """
    for pair, member in _appended(comparison):
        if _kind(pair, member) == "append-to-frozen-struct":
            yield _to_frozen(pair, member)


def _to_frozen(pair: StructPair, member: Member) -> Report:
    """The report about one member of a struct that must not grow."""
    passes = by_value_passes(pair.old, pair.comparison.pair.old_uses)
    late = late_size_member(pair.old, pair.comparison.old)
    carries = f"has {late}, but not as its first member" if late else "does not carry its size"
    why = passes[0] if passes else f"{pair.name} {carries}"
    producer = filler_of(member.field, pair.new, pair.comparison.new)
    old_plugin, new_plugin = missing_in_old(member.name, member.where, producer)
    details = [Detail("frozen", each) for each in passes]
    return _report(
        pair,
        member,
        Bump.MAJOR,
        f"{pair.entity(member.path)} was appended to a struct that must not grow: {why}",
        old_plugin,
        new_plugin,
        f"leave {pair.name} as it is and make a new struct that carries its size, or raise MAJOR",
        (*details, *_holders(pair, member)),
    )


@change_rule("ABI111")
def append_shifts_embedder(comparison: Comparison) -> Iterator[Report]:
    """A struct grew that others hold by value.

    What changed: a member was appended to a versioned struct that is a member of another struct by value, an element of
    an array, or counted (`T* xs, size_t num_xs`). Or a struct from an included header grew, and one of the API holds
    it.

    What happens: everything behind the struct moves, and every element after the first one: `struct_size` inside says
    how long one of them is, but both sides have compiled in where the next thing begins.

    Instead: hold versioned structs by pointer (and arrays of them as arrays of pointers); or raise MAJOR.

    Source: VS, "By Checking Struct Size"; C 6.7.2.1 p15 (members have fixed offsets).
    """
    for pair, member in _appended(comparison):
        if _kind(pair, member) == "append-shifts-embedder":
            uses = comparison.pair.old_uses.reaching(pair.name)
            yield _shifting(pair, member, uses)
    for use, pair, is_append in changed_uses(comparison):
        if is_append and use.kind in ("member", "element", "counted"):
            yield _included(use, pair)


def _shifting(pair: StructPair, member: Member, uses: tuple[Use, ...]) -> Report:
    """The report about one member that makes a struct grow inside others."""
    old_size, new_size = pair.old_layout.size, pair.new_layout.size
    names = ", ".join(dict.fromkeys(use.path for use in uses))
    sizes = f"{new_size} bytes where OLD has {old_size}"
    details = _holders(pair, member) or (Detail("held", "; ".join(str(use) for use in uses)),)
    return _report(
        pair,
        member,
        Bump.MAJOR,
        f"{pair.entity(member.path)} was appended, but {uses[0]}"
        + (f" (and {count(len(uses) - 1, 'more place')})" if len(uses) > 1 else ""),
        breaks(f"it has {pair.name} of {old_size} bytes inside {names}; a core built against NEW expects {sizes}"),
        breaks(f"it has {pair.name} of {new_size} bytes inside {names}; a core built against OLD expects {old_size}"),
        f"hold {pair.name} by pointer, or leave it as it is and make a new struct",
        details,
    )


def _holders(pair: StructPair, member: Member) -> tuple[Detail, ...]:
    """What the growth does to others, told once for all members that were appended."""
    return tuple(holders(pair)) if member == pair.fields.appended[0] else ()


def _included(use: Use, pair: StructPair) -> Report:
    """The report about a struct of another header that grew inside one of the API."""
    old, new = pair.old_layout.size, pair.new_layout.size
    appended = ", ".join(member.name for member in pair.fields.appended)
    return Report(
        entity=use.path,
        bump=Bump.MAJOR,
        message=f"{use.path} grew: {pair.name}, which comes from an included header, got {appended}",
        axes=axes(
            old_plugin=breaks(f"it has {pair.name} of {old} bytes there; a core built against NEW has {new}"),
            new_plugin=breaks(f"it has {pair.name} of {new} bytes there; a core built against OLD has {old}"),
        ),
        help=f"hold {pair.name} by pointer, or stay with the header in which it has {old} bytes",
        details=tuple(effect(use, pair)),
        old=use.span,
        new=place_in_new(use, pair.comparison),
        caret=f"{new} bytes, was {old}",
        numbers={"old_size": old, "new_size": new},
    )


@change_rule("ABI112")
def append_undetectable(comparison: Comparison) -> Iterator[Report]:
    """A new member lies in old tail padding, and the size that is exchanged counts the padding.

    What changed: a member was appended where OLD has padding at the end of the struct, so `sizeof` is what it was; and
    `struct_size` is `sizeof`, because the size constant says so or there is none.

    What happens: old and new producers hand over the same size, and no reader can tell whether the member is there or
    its bytes are padding that nobody filled.

    Instead: exchange the unpadded size (the end of the last member) from the first release on. Now: append padding of
    its own first, so that the member lies behind the old `sizeof`.

    Source: rulebook section 1, "unpadded size"; RFC, "Implementation Conventions".
    """
    for pair, member in _appended(comparison):
        if _kind(pair, member) == "append-undetectable":
            size, is_grown = _exchanged(pair), pair.new_layout.size != pair.old_layout.size
            where = "the tail padding of OLD" if size == pair.old_layout.size else "bits that OLD leaves free"
            told = (
                f"which the {size} bytes that OLD exchanges cover"
                if is_grown
                else f"and both exchange {size} as the size"
            )
            producer = filler_of(member.field, pair.new, comparison.new)
            old_plugin, new_plugin = missing_in_old(member.name, member.where, producer)
            yield _report(
                pair,
                member,
                Bump.MAJOR,
                f"{pair.entity(member.path)} lies in {where}, {told}",
                old_plugin,
                new_plugin,
                f"begin behind offset {size}: put a reserved member before it; or exchange the unpadded size",
            )


@change_rule("ABI118")
def union_member_added(comparison: Comparison) -> Iterator[Report]:
    """A union has one more alternative.

    What changed: a union (or an anonymous one around a member) got a new alternative. MINOR when its size and alignment
    stay the same on every target, else MAJOR.

    What happens: when the union grows, so does everything that holds it, and what stands behind it moves. When it does
    not, an older reader only meets an alternative that it does not know; something else in the API has to tell it which
    one is in force.

    Instead: keep alternatives within the size of the largest one, or hold the new one by pointer.

    Source: C 6.7.2.1 p16; rulebook section 3.
    """
    for pair in comparison.structs:
        for member in pair.fields.overlaid:
            yield _overlaid(pair, member)


def _overlaid(pair: StructPair, member: Member) -> Report:
    """The report about one new alternative."""
    old, new = _union_sizes(pair, member)
    details: tuple[Detail, ...] = ()
    if old == new:
        bump, answer = (
            Bump.MINOR,
            axes(
                old_plugin=at_risk(
                    f"it may meet {member.name}, which it does not know: it must check what is in force"
                ),
                new_plugin=at_risk(f"a core built against OLD may meet {member.name}: it must check what is in force"),
            ),
        )
        size = f"the union still has {new[0]} bytes"
    else:
        what = f"{old[0]} bytes aligned to {old[1]}", f"{new[0]} bytes aligned to {new[1]}"
        bump, answer = (
            Bump.MAJOR,
            axes(
                old_plugin=breaks(f"its union has {what[0]}; a core built against NEW has {what[1]}"),
                new_plugin=breaks(f"its union has {what[1]}; a core built against OLD has {what[0]}"),
            ),
        )
        size = f"the union had {what[0]}, has {what[1]}"
        details = tuple(pair.shifts.details(member.name))
    return Report(
        entity=pair.entity(member.path),
        bump=bump,
        message=f"{pair.entity(member.path)} is a new alternative; {size}",
        axes=answer,
        help="" if bump is Bump.MINOR else f"keep the alternative within {old[0]} bytes, or hold it by pointer",
        details=details,
        old=pair.old.span,
        new=member.field.span,
        caret=f"{member.size} bytes",
        numbers={"old_size": old[0], "old_alignment": old[1], "new_size": new[0], "new_alignment": new[1]},
    )


def _union_sizes(pair: StructPair, member: Member) -> tuple[tuple[int, int], tuple[int, int]]:
    """Size and alignment, in bytes, of the union around a new alternative, and of what was there before."""
    union = member.overlay[-1]
    after = pair.comparison.new_layouts.of(union)
    sibling = next((each.old for each in pair.fields.paired if each.new.overlay[-1:] == (union,)), None)
    if sibling is not None and not sibling.overlay:
        return (sibling.size, sibling.alignment), (after.size, after.alignment)
    before = pair.comparison.old_layouts.of(sibling.overlay[-1]) if sibling else pair.old_layout
    return (before.size, before.alignment), (after.size, after.alignment)


def _appended(comparison: Comparison) -> Iterator[tuple[StructPair, Member]]:
    """Every member that came at the end of a struct; flexible arrays are another rule's."""
    for pair in comparison.structs:
        for member in pair.fields.appended:
            if not member.is_flexible:
                yield pair, member


def _kind(pair: StructPair, member: Member) -> str:
    """The one rule about the bytes of an appended member."""
    if not pair.is_versioned:
        return "append-to-frozen-struct"
    if pair.comparison.pair.old_uses.of(pair.name):
        return "append-shifts-embedder"
    if member.end <= _exchanged(pair) and not any(each.overlaps(member) for each in pair.old_members):
        return "append-undetectable"
    return MUST_BE_UNDERSTOOD if member.field.contract.must_be_understood else "field-appended"


def _exchanged(pair: StructPair) -> int:
    """The size, in bytes, that OLD's producers put into the struct."""
    layout = pair.old_layout
    return layout.unpadded_size if pair.name in pair.comparison.pair.unpadded else layout.size


def _report(
    pair: StructPair,
    member: Member,
    bump: Bump,
    message: str,
    old_plugin: Impact,
    new_plugin: Impact,
    help: str,
    details: tuple[Detail, ...] = (),
) -> Report:
    """What all reports about an appended member have in common."""
    old, new = pair.old_layout, pair.new_layout
    return Report(
        entity=pair.entity(member.path),
        bump=bump,
        message=message,
        axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
        help=help,
        details=details,
        old=pair.old.span,
        new=member.field.span,
        caret=f"new at offset {member.offset}",
        numbers={
            "old_offset": None,
            "new_offset": member.offset,
            "new_size": member.size,
            "old_struct_size": old.unpadded_size,
            "new_struct_size": new.unpadded_size,
            "old_sizeof": old.size,
            "new_sizeof": new.size,
        },
    )
