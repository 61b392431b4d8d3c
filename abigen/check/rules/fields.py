"""Members that went, moved, came in between, or took another name."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from abigen.check.comparison import ApiComparison, change_rules, if_it_may_grow
from abigen.check.reasons import gone, listed, misplaced, missing_in_new
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.check.rules.appends import more_aligned
from abigen.check.struct_members import Regrouping, is_reserved
from abigen.check.struct_pairs import KeptMember, NewMember, RemovedMember, StructPair
from abigen.model.contract import Party, Zero
from abigen.model.finding import Bump, Detail


@change_rules.each("ABI101", lambda comparison: comparison.removed_members, Bump.MAJOR)
def field_removed(removed: RemovedMember) -> Iterator[RuleResult]:
    """A member of a struct or union was removed.

    What changed: OLD has a member that NEW does not have, and no member of NEW has its place and type. New members that
    use its bytes are part of this finding.

    What happens: a plugin built against OLD still sets or reads the member, and a core built against NEW has other data
    at these bytes, or the end of the struct. The same happens the other way round. The members after it move to lower
    offsets, so each side reads wrong values from them.

    Instead: leave the member in place, mark it `Deprecated.`, and remove it in a MAJOR release after the transition.

    Source: VS, "Conventions" and "Deprecating Functionality".
    """
    struct, name = removed.struct, removed.member.name
    plugins = missing_in_new(name, removed.member.where, removed.member.field.filler)
    if struct.old.is_union:
        plugins = (
            f"it uses the alternative {name}, which a core built against NEW does not know",
            f"it does not know the alternative {name}, which a core built against OLD may use",
        )
    takers = ", ".join(f"{each.name} at offset {each.offset}" for each in removed.replaced_by)
    replaced = [Detail("replaced", f"its bytes now hold {takers}")] if takers else []
    yield RuleResult(
        f"{removed.entity} was removed"
        + (f"; its bytes now hold {takers}" if takers else "")
        + _overrun_by_removal(removed),
        help=_instead_of_removing(removed),
        caret=f"was {name}" if takers else f"{name} was removed",
        plugins=plugins,
        source=gone(name),
        details=(*replaced, *struct.shifts.details(name)),
    )


def _overrun_by_removal(removed: RemovedMember) -> str:
    """Return the clause about bytes past the end of a smaller object, for the first member that was removed."""
    struct = removed.struct
    is_first = removed.member == struct.fields.removed[0][0]
    return struct.shifts.overrun(removed.member.name) if is_first and struct.is_defined else ""


def _instead_of_removing(removed: RemovedMember) -> str:
    """What to do with a member that is gone; one that was on its way out may go when MAJOR rises."""
    struct, member = removed.struct, removed.member
    if member.name == struct.apis.old.conventions.size_field:
        return f"keep {member.name}: it states how many bytes of the struct the other side knows"
    if member.field.contract.lifecycle.deprecated or struct.old.contract.lifecycle.deprecated:
        return struct.apis.to_raise(f"raise MAJOR: {member.name} was deprecated, and MAJOR allows its removal")
    grown = [
        each.new.name for each in struct.fields.kept if each.old.room < each.new.room and each.new.overlaps(member)
    ]
    if grown and not struct.old.is_union:
        return f"keep {member.name} in place and mark it `Deprecated.`, and give {listed(grown)} the old size again"
    if not removed.replaced_by and is_reserved(member):
        return f"keep {member.name} in place; a new member of its type may replace it later"
    if not removed.replaced_by:
        return f"keep {member.name} in place and mark it `Deprecated.`; remove it in the next MAJOR release"
    takers = [each.name for each in removed.replaced_by]
    last = next((each for each in reversed(struct.new_members) if each.name not in takers), struct.old_members[-1])
    mark = "" if is_reserved(member) else " and mark it `Deprecated.`"
    advice = f"keep {member.name} in place{mark}, and append {listed(takers)} after {last.name}"
    return if_it_may_grow(struct, advice + struct.apis.to_raise(" and raise MINOR"))


@change_rules.each("ABI102", lambda comparison: comparison.members(lambda fields: fields.moved), Bump.MAJOR)
def field_reordered(moved: KeptMember) -> Iterator[RuleResult]:
    """A member was moved to another place in the order of its struct.

    What changed: the members that both sides have are in another order. The finding names as few members as possible;
    members that only move because of them are listed below it.

    What happens: a plugin built against OLD accesses the member at its old offset, where a core built against NEW has
    another member. Both read wrong values.

    Instead: restore the order of OLD. Comments can group members in the documentation.

    Source: VS, "Conventions".
    """
    old, new, places = moved.old, moved.new, moved.struct.fields.places
    before = places[new.name]
    behind = f"after {list(places)[before - 1]}" if before else "to the start of the struct"
    yield RuleResult(
        f"{moved.entity} was moved {behind}",
        help="restore the order of OLD",
        caret=f"was at offset {old.offset}, is at {new.offset}",
        plugins=misplaced(old.name, old.where, new.where, moved.filler),
        details=moved.struct.shifts.details(old.name),
    )


@change_rules.each("ABI103", lambda comparison: comparison.new_members(lambda fields: fields.inserted), Bump.MAJOR)
def field_inserted(inserted: NewMember) -> Iterator[RuleResult]:
    """A new member was inserted before the end of its struct.

    What changed: NEW has a member that OLD does not have, before a member that OLD has. Mostly the members after it
    move to higher offsets. If it fits into padding, no member moves, and `struct_size` is the same with and without it.

    What happens: a plugin built against OLD accesses the members after it at their old offsets, where a core built
    against NEW has other members. In padding, the older side leaves the bytes undefined, and the newer side reads them.

    Instead: append the member after the last one and raise MINOR.

    Source: VS, "Conventions" and "By Checking Struct Size".
    """
    struct, member = inserted.struct, inserted.member
    shifted = (each for each in struct.kept(struct.fields.kept) if each.pair.shifted)
    behind = next((each for each in shifted if each.new.place > member.place), None)
    if inserted.takes_no_bytes:
        moves = f"a compiler that gives {member.name} bytes (clang, for Windows) moves {behind.name}" if behind else ""
        yield RuleResult(
            f"{inserted.entity} has no members and takes no bytes",
            Bump.PATCH,
            plugins=(AtRisk(moves), AtRisk(moves)),
        )
        return
    if not behind and is_reserved(member) and not any(each.overlaps(member) for each in struct.old_members):
        yield RuleResult(
            f"{inserted.entity} is reserved and takes the place of padding; no member moves",
            Bump.PATCH,
            source=AtRisk("initialisers without member names have one value more"),
        )
        return
    if behind:
        plugins = misplaced(behind.name, behind.old.where, behind.new.where, behind.filler)
        in_hole = ""
    else:
        plugins = inserted.missing
        under = ", ".join(each.name for each in struct.old_members if each.overlaps(member))
        in_hole = f"; OLD has {under} there" if under else "; it uses padding, which older producers leave undefined"
    advice = f"append {member.name} after {struct.old_members[-1].name}{struct.apis.to_raise(' and raise MINOR')}"
    advice = if_it_may_grow(struct, advice)
    if member.name == struct.apis.new.conventions.size_field:
        advice = f"leave {struct.name} as it is and make a new struct that carries its size from the start"
    place = f"was inserted {member.where}, not at the end of the struct{in_hole}"
    yield RuleResult(
        f"{inserted.entity} {place}{struct.shifts.overrun(member.name)}",
        help=advice,
        plugins=plugins,
        details=struct.shifts.details(member.name),
    )


@change_rules.each("ABI104", lambda comparison: comparison.members(lambda fields: fields.renamed), None)
def field_renamed(renamed: KeptMember) -> Iterator[RuleResult]:
    """A member was renamed; its place and type are the same.

    What changed: only the name. The bytes are the same.

    What happens: plugins and cores built against OLD and NEW work together. Source code that uses the old name no
    longer compiles. A new name often means a new meaning, which no compiler checks. Under the policy `binary-only` it
    is MINOR.

    Instead: append a member with the new name and the comment `Replaces old.`, mark the old one `Deprecated. Use new.`,
    and raise MINOR.

    Source: VS, "Conventions" and "Deprecation with Extension", case 1.
    """
    old, new = renamed.name, renamed.new.name
    advice = f"keep {old} and mark it `Deprecated. Use {new}.`; append {new} (`Replaces {old}.`)"
    advice = if_it_may_grow(
        renamed.struct, advice + renamed.struct.apis.to_raise(" and raise MINOR"), f"keep the name {old}"
    )
    if old == renamed.struct.apis.old.conventions.size_field:
        advice = f"keep {old}: readers find the size of the struct by this name"
    yield RuleResult(
        f"{renamed.entity} was renamed to {new}" + ("" if renamed.pair.shifted else "; its bytes are unchanged"),
        help=advice,
        caret=f"was {old}",
        source=gone(old),
        details=renamed.struct.shifts.details(old),
    )


@change_rules.whole("ABI120", None)
def members_grouped(comparison: ApiComparison) -> Iterator[RuleResult]:
    """Members were moved into a struct or union of their own, or out of one; their bytes are the same.

    What changed: `s->x` became `s->base.x`, or the reverse, at the same offset and with the same type. For example, the
    first members of several structs became a base struct, or an unnamed union got a name.

    What happens: plugins and cores built against OLD and NEW work together, and a `struct_size` inside the base counts
    as the size of the struct. Source code that uses the old path no longer compiles.

    Instead: keep the members where they are if existing code has to compile.

    Source: C 6.7.2.1 p15 (the first member has the address of its struct); rulebook section 6.
    """
    for struct in comparison.structs:
        yield from (_regrouped(struct, each) for each in struct.fields.regrouped)


def _regrouped(struct: StructPair, regrouping: Regrouping) -> RuleResult:
    """The report about members that went into a struct of their own, or came out of one."""
    holder, first, into = regrouping.holder, regrouping.pairs[0], regrouping.into
    names = ", ".join((each.old if into else each.new).name for each in regrouping.pairs)
    path = struct.entity(holder.name)
    if into:
        message, caret = f"{names} of {struct.name} were moved into {path}", f"holds {names}"
        places = first.old.field.span, holder.field.span
    else:
        message, caret = f"{names} of {path} were moved into {struct.name}", f"was in {path}"
        places = holder.field.span, first.new.field.span
    numbers = {"old_offset": first.old.offset, "new_offset": first.new.offset}
    about = Subject(struct.entity(holder.path), *places, numbers)
    if into and all(is_reserved(each.old) and not each.shifted for each in regrouping.pairs):
        return RuleResult(
            f"{message}; they are reserved, and their bytes are unchanged",
            Bump.MINOR,
            caret=caret,
            source=AtRisk("code that names the reserved members no longer compiles"),
            about=about,
        )
    return RuleResult(
        message + ("" if any(each.shifted for each in regrouping.pairs) else "; their bytes are unchanged"),
        help="keep the members where they are if existing code has to compile; binaries are not affected",
        caret=caret,
        source=f"code that names {names} no longer compiles: the path is another one",
        about=about,
    )


def _reserved_used(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Reserved members that have another name in NEW, and members that are no longer called reserved."""
    yield from comparison.members(lambda fields: fields.reserved_used)
    for each in comparison.paired_members:
        if each.name == each.new.name and is_reserved(each.old) and not is_reserved(each.new):
            yield each


@change_rules.each("ABI117", _reserved_used, Bump.MINOR)
def reserved_field_used(used: KeptMember) -> Iterator[RuleResult]:
    """A reserved member is now used.

    What changed: a reserved member (`reserved...`, or `reserved` in a spec) got a name, with the same type at the same
    place. Or some elements of a reserved array got a name, or one member was split, or several were joined. Or it is no
    longer marked as reserved. If reserved bytes are only divided into other reserved members, it is MINOR as well.

    What happens: older producers store zero there. The newer side reads this zero under the new name. It works if zero
    is a no-op, which the comment has to state. If zero has a meaning, older plugins ask for something that they do not
    mean: MAJOR.

    Instead: write `0 is no-op.` or `NULL is no-op.` at the new name. A struct that carries its size needs no reserved
    members.

    Source: RFC, "Implementation Conventions" (`ext`: "must be set to zero"); rulebook section 3.
    """
    entity = used.struct.entity(used.new.path)
    contract, advice, is_meaningful = AtRisk(""), "", used.new.field.contract.zero is Zero.MEANINGFUL
    if used.new.field.contract.zero != "no-op":
        filler = used.new.field.filler
        older = filler if filler in (Party.CORE, Party.PLUGIN) else "side"
        contract = AtRisk(f"every older {older} leaves {used.new.name} zero, and nothing states that zero is a no-op")
        advice = "write `0 is no-op.` (or `NULL is no-op.`) in its comment, and treat zero as no-op"
    is_named = used.name != used.new.name
    yield RuleResult(
        f"{entity} uses bytes that were reserved as {used.name}"
        if is_named
        else f"{entity} was reserved and is now used",
        Bump.MAJOR if is_meaningful else Bump.MINOR,
        help=advice,
        caret=f"was {used.name if is_named else 'reserved'}",
        plugins=more_aligned(used.struct),
        contract=str(contract) if is_meaningful else contract,
        about=replace(used.about, entity=entity, details=used.struct.who_tells(used.new)),
    )


@change_rules.also("ABI117", lambda comparison: (each for each in comparison.structs if any(each.fields.recut)))
def _reserved_cut_otherwise(struct: StructPair) -> Iterator[RuleResult]:
    """Bytes that are reserved on both sides, under other names or in other pieces."""
    old, new = ([each.path for each in side] for side in struct.fields.recut)
    names = f"was {listed(old)}, is {listed(new)}" if old and new else listed([*old, *new])
    yield RuleResult(
        f"{struct.name} divides the same reserved bytes into other members: {names}",
        Bump.MINOR,
        source=AtRisk("code that names the reserved members no longer compiles"),
    )
