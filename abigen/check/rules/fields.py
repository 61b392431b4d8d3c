"""Members that went, moved, came in between, or took another name."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import axes, breaks
from abigen.check.comparison import Comparison, StructPair
from abigen.check.pairing.fields import MemberPair, Regrouping, Removal
from abigen.check.pairing.members import Member
from abigen.check.rule import Report, change_rule
from abigen.check.sides import CORE, filler_of
from abigen.check.wording import misplaced, missing_in_new, missing_in_old
from abigen.model.finding import Bump, Detail

APPEND_INSTEAD = "append a member at the end, and leave this one where it is"


@change_rule("ABI101")
def field_removed(comparison: Comparison) -> Iterator[Report]:
    """A member of a struct or union is gone.

    What changed: OLD has a member that NEW does not have, under no other name at that place. When new members lie in
    its bytes, they are part of this finding.

    What happens: one side still fills or reads its bytes, which the other has for something else or no longer has. What
    stands behind it moves up.

    Instead: leave the member in place, mark it `Deprecated.`, and remove it in a MAJOR release after the transition.

    Source: VS, "Conventions" and "Deprecating Functionality".
    """
    for pair in comparison.structs:
        for removal in pair.removals:
            yield _removed(pair, removal)


def _removed(pair: StructPair, removal: Removal) -> Report:
    """The report about one member that is gone."""
    member = removal.member
    producer = filler_of(member.field, pair.old, pair.comparison.old)
    old_plugin, new_plugin = missing_in_new(member.name, member.where, producer)
    takers = ", ".join(f"{each.name} at {each.offset}" for each in removal.replaced_by)
    details = [Detail("replaced", f"its bytes hold {takers} now")] if takers else []
    if pair.old.is_union:
        old_plugin = breaks(f"it uses the alternative {member.name}, which a core built against NEW does not know")
        new_plugin = breaks(f"it does not know the alternative {member.name}, which a core built against OLD may use")
    return Report(
        entity=pair.entity(member.path),
        bump=Bump.MAJOR,
        message=f"{pair.entity(member.path)} was removed" + (f"; {takers} took its place" if takers else ""),
        axes=axes(
            old_plugin=old_plugin,
            new_plugin=new_plugin,
            source=breaks(f"code that names {member.name} no longer compiles"),
        ),
        help=_instead_of_removing(pair, member),
        details=(*details, *pair.shifts.details(member.name)),
        old=member.field.span,
        new=removal.replaced_by[0].field.span if removal.replaced_by else pair.new.span,
        caret="in its place" if removal.replaced_by else f"no {member.name} any more",
        numbers={"old_offset": member.offset, "old_size": member.size, "new_offset": None, "new_size": None},
    )


def _instead_of_removing(pair: StructPair, member: Member) -> str:
    """What to do with a member that is gone; one that was on its way out may go when MAJOR rises."""
    if member.name == pair.comparison.old.conventions.size_field:
        return f"keep {member.name}: without it no side can tell how much of the struct the other one knows"
    if member.field.contract.lifecycle.deprecated or pair.old.contract.lifecycle.deprecated:
        return f"raise MAJOR: the time of {member.name}, which was deprecated, is over"
    return f"keep {member.name} in place and mark it `Deprecated.`; remove it in the next MAJOR release"


@change_rule("ABI102")
def field_reordered(comparison: Comparison) -> Iterator[Report]:
    """A member has another place among the members that stayed.

    What changed: the members of both sides come in another order. Only those outside the longest sequence that kept its
    order are named; the ones that merely follow are listed under them.

    What happens: each side reads and writes the member at its own offset, where the other has another member.

    Instead: leave the order as it is; it has no meaning for users, and documentation can group members by comments.

    Source: VS, "Conventions".
    """
    for pair in comparison.structs:
        for moved in pair.fields.moved:
            yield _reordered(pair, moved)


def _reordered(pair: StructPair, moved: MemberPair) -> Report:
    """The report about one member that changed its place."""
    producer = filler_of(moved.old.field, pair.old, pair.comparison.old)
    old_plugin, new_plugin = misplaced(moved.old.name, moved.old.where, moved.new.where, producer)
    before = pair.fields.order.index(moved.new.name)
    behind = f"behind {pair.fields.order[before - 1]}" if before else "first"
    return Report(
        entity=pair.entity(moved.old.path),
        bump=Bump.MAJOR,
        message=f"{pair.entity(moved.old.path)} changed its place: it stands {behind} now",
        axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
        help="restore the order of OLD",
        details=tuple(pair.shifts.details(moved.old.name)),
        old=moved.old.field.span,
        new=moved.new.field.span,
        caret=f"was at offset {moved.old.offset}, is at {moved.new.offset}",
        numbers=moved.numbers,
    )


@change_rule("ABI103")
def field_inserted(comparison: Comparison) -> Iterator[Report]:
    """A new member does not stand at the end of its struct.

    What changed: NEW has a member that OLD does not have, before one that OLD has. Often it moves what stands behind
    it; when it fits into a hole, nothing moves, and `struct_size` cannot tell that it is there.

    What happens: each side reads and writes the members behind it at its own offsets. In a hole, the older side leaves
    bytes undefined that the newer one reads.

    Instead: append the member behind the last one and raise MINOR.

    Source: VS, "Conventions" and "By Checking Struct Size".
    """
    for pair in comparison.structs:
        for member in pair.fields.inserted:
            yield _inserted(pair, member)


def _inserted(pair: StructPair, member: Member) -> Report:
    """The report about one member that came in between."""
    producer = filler_of(member.field, pair.new, pair.comparison.new)
    details = tuple(pair.shifts.details(member.name))
    behind = next((each for each in pair.fields.kept if each.shifted and each.new.place > member.place), None)
    if behind:
        where = behind.old.where, behind.new.where
        shifted_by = filler_of(behind.old.field, pair.old, pair.comparison.old)
        old_plugin, new_plugin = misplaced(behind.old.name, *where, shifted_by)
    else:
        old_plugin, new_plugin = missing_in_old(member.name, member.where, producer)
    under = [] if behind else [each.name for each in pair.old_members if each.overlaps(member)]
    in_hole = "; it lies where OLD has " + (", ".join(under) or "padding, so no size tells that it is there")
    return Report(
        entity=pair.entity(member.path),
        bump=Bump.MAJOR,
        message=f"{pair.entity(member.path)} is not at the end of the struct{'' if behind else in_hole}",
        axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
        help=_instead(pair, member),
        details=details,
        old=pair.old.span,
        new=member.field.span,
        caret=f"new at offset {member.offset}",
        numbers={"old_offset": None, "old_size": None, "new_offset": member.offset, "new_size": member.size},
    )


def _instead(pair: StructPair, member: Member) -> str:
    """What to do with a member that came in between."""
    if member.name == pair.comparison.new.conventions.size_field:
        return (
            f"leave {pair.name} as it is; a struct that is published cannot begin to carry its size, so make a new one"
        )
    return f"append {member.name} after {pair.old_members[-1].name} and raise MINOR"


@change_rule("ABI104")
def field_renamed(comparison: Comparison) -> Iterator[Report]:
    """A member has another name, at the same place and with the same type.

    What changed: only the name; no byte is different.

    What happens: binaries go on working. Source code that names the member no longer compiles, and a changed name
    mostly means a changed meaning, which no side can notice.

    Instead: append a member with the new name, say `Replaces old.` there, mark the old one `Deprecated. Use new.`, and
    raise MINOR.

    Source: VS, "Conventions" and "Deprecation with Extension", case 1.
    """
    for pair in comparison.structs:
        for renamed in pair.fields.renamed:
            yield _renamed(pair, renamed)


def _renamed(pair: StructPair, renamed: MemberPair) -> Report:
    """The report about one member with another name."""
    old, new = renamed.old.name, renamed.new.name
    same = "" if renamed.shifted else "; its bytes are unchanged"
    return Report(
        entity=pair.entity(old),
        bump=Bump.MAJOR,
        message=f"{pair.entity(old)} is called {new} now{same}",
        axes=axes(source=breaks(f"code that names {old} no longer compiles")),
        help=f"keep {old}: by its name the sizes are compared"
        if old == pair.comparison.old.conventions.size_field
        else f"keep {old} and mark it `Deprecated. Use {new}.`; append {new} (`Replaces {old}.`) and raise MINOR",
        details=tuple(pair.shifts.details(old)),
        old=renamed.old.field.span,
        new=renamed.new.field.span,
        caret=f"was {old}",
        numbers=renamed.numbers,
    )


@change_rule("ABI120")
def members_grouped(comparison: Comparison) -> Iterator[Report]:
    """Members went into a struct of their own, or came out of one, and no byte is different.

    What changed: what was `s->x` is `s->base.x` now, or the other way round, at the same offset and with the same type:
    leading members that several structs have in common became a base struct.

    What happens: binaries go on working, and `struct_size` inside the base counts as the struct's own. Source code that
    names the members no longer compiles.

    Instead: keep the members where they are if existing code has to compile.

    Source: C 6.7.2.1 p15 (the first member has the address of its struct); rulebook section 6.
    """
    for pair in comparison.structs:
        for regrouping in pair.fields.regrouped:
            yield _regrouped(pair, regrouping)


def _regrouped(pair: StructPair, regrouping: Regrouping) -> Report:
    """The report about members that went into a struct of their own, or came out of one."""
    holder, first = regrouping.holder, regrouping.pairs[0]
    names = ", ".join((each.old if regrouping.into else each.new).name for each in regrouping.pairs)
    path = f"{pair.name}.{holder.name}"
    same = "" if any(each.shifted for each in regrouping.pairs) else "; no byte is different"
    if regrouping.into:
        message, caret = f"{names} of {pair.name} are members of {path} now{same}", f"holds {names}"
    else:
        message, caret = f"{names}, once in {path}, stand in {pair.name} now{same}", f"was in {path}"
    return Report(
        entity=pair.entity(holder.path),
        bump=Bump.MAJOR if pair.comparison.options.source_counts else Bump.PATCH,
        message=message,
        axes=axes(source=breaks(f"code that names {names} has to be written with another path")),
        help="binaries go on working; keep the old names if existing code has to compile",
        old=holder.field.span if not regrouping.into else first.old.field.span,
        new=holder.field.span if regrouping.into else first.new.field.span,
        caret=caret,
        numbers={"old_offset": first.old.offset, "new_offset": first.new.offset},
    )


@change_rule("ABI117")
def reserved_field_used(comparison: Comparison) -> Iterator[Report]:
    """A member that was kept free has a purpose now.

    What changed: a member called `reserved...` (spec: `reserved`) took a name, with the same type at the same place; of
    an array of them, some elements did.

    What happens: older producers leave it zero, as they were told. That is fine as long as zero is a no-op under the
    new name too; otherwise the newer side takes an old zero for a value.

    Instead: say `0 is no-op.` or `NULL is no-op.` at the new name. An appended member needs no reserved bytes at all.

    Source: RFC, "Implementation Conventions" (`ext`: "must be set to zero"); rulebook section 3.
    """
    for pair in comparison.structs:
        for used in pair.fields.reserved_used:
            yield _reserved_used(pair, used)


def _reserved_used(pair: StructPair, used: MemberPair) -> Report:
    """The report about one reserved member that is in use now."""
    contract = used.new.field.contract
    harmless = contract.zero == "no-op"
    producer = filler_of(used.new.field, pair.new, pair.comparison.new)
    older = "core" if producer == CORE else "plugin"
    reason = f"{used.new.name} does not say that zero is a no-op, and every older {older} leaves it zero"
    return Report(
        entity=pair.entity(used.new.path),
        bump=Bump.MINOR if harmless else Bump.MAJOR,
        message=f"{pair.entity(used.new.path)} takes what was reserved as {used.old.name}",
        axes=axes() if harmless else axes(contract=breaks(reason)),
        help="" if harmless else "say `0 is no-op.` (or `NULL is no-op.`) in its comment, and treat zero so",
        old=used.old.field.span,
        new=used.new.field.span,
        caret=f"was {used.old.name}",
        numbers=used.numbers,
    )
