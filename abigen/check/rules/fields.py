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
    """A member of a struct or union is gone.

    What changed: OLD has a member that NEW does not have, under no other name at that place. When new members lie in
    its bytes, they are part of this finding.

    What happens: one side still fills or reads its bytes, which the other has for something else or no longer has. What
    stands behind it moves up.

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
    takers = ", ".join(f"{each.name} at {each.offset}" for each in removed.replaced_by)
    replaced = [Detail("replaced", f"its bytes hold {takers} now")] if takers else []
    yield RuleResult(
        f"{removed.entity} was removed"
        + (f"; {takers} took its place" if takers else "")
        + _overrun_by_removal(removed),
        help=_instead_of_removing(removed),
        caret="in its place" if takers else f"no {name} any more",
        plugins=plugins,
        source=gone(name),
        details=(*replaced, *struct.shifts.details(name)),
    )


def _overrun_by_removal(removed: RemovedMember) -> str:
    """What is read or written past the end of a smaller object; told once for all members that were removed."""
    struct = removed.struct
    is_first = removed.member == struct.fields.removed[0][0]
    return struct.shifts.overrun(removed.member.name) if is_first and struct.is_defined else ""


def _instead_of_removing(removed: RemovedMember) -> str:
    """What to do with a member that is gone; one that was on its way out may go when MAJOR rises."""
    struct, member = removed.struct, removed.member
    if member.name == struct.apis.old.conventions.size_field:
        return f"keep {member.name}: without it no side can tell how much of the struct the other one knows"
    if member.field.contract.lifecycle.deprecated or struct.old.contract.lifecycle.deprecated:
        return struct.apis.to_raise(f"raise MAJOR: the time of {member.name}, which was deprecated, is over")
    grown = [
        each.new.name for each in struct.fields.kept if each.old.room < each.new.room and each.new.overlaps(member)
    ]
    if grown and not struct.old.is_union:
        return f"keep {member.name} in place and mark it `Deprecated.`, and give {listed(grown)} the old size again"
    if not removed.replaced_by and is_reserved(member):
        return f"keep {member.name} in place: a new member of its type may take its name and its bytes"
    if not removed.replaced_by:
        return f"keep {member.name} in place and mark it `Deprecated.`; remove it in the next MAJOR release"
    takers = [each.name for each in removed.replaced_by]
    last = next((each for each in reversed(struct.new_members) if each.name not in takers), struct.old_members[-1])
    mark = "" if is_reserved(member) else " and mark it `Deprecated.`"
    advice = f"keep {member.name} in place{mark}, and append {listed(takers)} after {last.name}"
    return if_it_may_grow(struct, advice + struct.apis.to_raise(" and raise MINOR"))


@change_rules.each("ABI102", lambda comparison: comparison.members(lambda fields: fields.moved), Bump.MAJOR)
def field_reordered(moved: KeptMember) -> Iterator[RuleResult]:
    """A member has another place among the members that stayed.

    What changed: the members of both sides come in another order. Only those outside the longest sequence that kept its
    order are named; the ones that merely follow are listed under them.

    What happens: each side reads and writes the member at its own offset, where the other has another member.

    Instead: leave the order as it is; it has no meaning for users, and documentation can group members by comments.

    Source: VS, "Conventions".
    """
    old, new, places = moved.old, moved.new, moved.struct.fields.places
    before = places[new.name]
    behind = f"behind {list(places)[before - 1]}" if before else "first"
    yield RuleResult(
        f"{moved.entity} changed its place: it stands {behind} now",
        help="restore the order of OLD",
        caret=f"was at offset {old.offset}, is at {new.offset}",
        plugins=misplaced(old.name, old.where, new.where, moved.filler),
        details=moved.struct.shifts.details(old.name),
    )


@change_rules.each("ABI103", lambda comparison: comparison.new_members(lambda fields: fields.inserted), Bump.MAJOR)
def field_inserted(inserted: NewMember) -> Iterator[RuleResult]:
    """A new member does not stand at the end of its struct.

    What changed: NEW has a member that OLD does not have, before one that OLD has. Often it moves what stands behind
    it; when it fits into a hole, nothing moves, and `struct_size` cannot tell that it is there.

    What happens: each side reads and writes the members behind it at its own offsets. In a hole, the older side leaves
    bytes undefined that the newer one reads.

    Instead: append the member behind the last one and raise MINOR.

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
            f"{inserted.entity} gives a name to padding; no member moves",
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
        in_hole = "; it lies where OLD has " + (under or "padding, so no size tells that it is there")
    advice = f"append {member.name} after {struct.old_members[-1].name}{struct.apis.to_raise(' and raise MINOR')}"
    advice = if_it_may_grow(struct, advice)
    if member.name == struct.apis.new.conventions.size_field:
        cannot = "a struct that is published cannot begin to carry its size, so make a new one"
        advice = f"leave {struct.name} as it is; {cannot}"
    yield RuleResult(
        f"{inserted.entity} is not at the end of the struct{in_hole}{struct.shifts.overrun(member.name)}",
        help=advice,
        plugins=plugins,
        details=struct.shifts.details(member.name),
    )


@change_rules.each("ABI104", lambda comparison: comparison.members(lambda fields: fields.renamed), None)
def field_renamed(renamed: KeptMember) -> Iterator[RuleResult]:
    """A member has another name, at the same place and with the same type.

    What changed: only the name; no byte is different.

    What happens: binaries go on working. Source code that names the member no longer compiles, and a changed name
    mostly means a changed meaning, which no side can notice. Under the policy `binary-only` it is MINOR.

    Instead: append a member with the new name, say `Replaces old.` there, mark the old one `Deprecated. Use new.`, and
    raise MINOR.

    Source: VS, "Conventions" and "Deprecation with Extension", case 1.
    """
    old, new = renamed.name, renamed.new.name
    advice = f"keep {old} and mark it `Deprecated. Use {new}.`; append {new} (`Replaces {old}.`)"
    advice = if_it_may_grow(
        renamed.struct, advice + renamed.struct.apis.to_raise(" and raise MINOR"), f"keep the name {old}"
    )
    if old == renamed.struct.apis.old.conventions.size_field:
        advice = f"keep {old}: by its name the sizes are compared"
    yield RuleResult(
        f"{renamed.entity} is called {new} now" + ("" if renamed.pair.shifted else "; its bytes are unchanged"),
        help=advice,
        caret=f"was {old}",
        source=gone(old),
        details=renamed.struct.shifts.details(old),
    )


@change_rules.whole("ABI120", None)
def members_grouped(comparison: ApiComparison) -> Iterator[RuleResult]:
    """Members went into a struct or union of their own, or came out of one, and no byte is different.

    What changed: what was `s->x` is `s->base.x` now, or the other way round, at the same offset and with the same type:
    leading members that several structs have in common became a base struct, or a union without a name took one.

    What happens: binaries go on working, and `struct_size` inside the base counts as the struct's own. Source code that
    names the members no longer compiles.

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
        message, caret = f"{names} of {struct.name} are members of {path} now", f"holds {names}"
        places = first.old.field.span, holder.field.span
    else:
        message, caret = f"{names}, once in {path}, stand in {struct.name} now", f"was in {path}"
        places = holder.field.span, first.new.field.span
    numbers = {"old_offset": first.old.offset, "new_offset": first.new.offset}
    about = Subject(struct.entity(holder.path), *places, numbers)
    if into and all(is_reserved(each.old) and not each.shifted for each in regrouping.pairs):
        return RuleResult(
            f"{message}; they are reserved, and no byte is different",
            Bump.MINOR,
            caret=caret,
            source=AtRisk("only if it names reserved members"),
            about=about,
        )
    return RuleResult(
        message + ("" if any(each.shifted for each in regrouping.pairs) else "; no byte is different"),
        help="binaries go on working; keep the old names if existing code has to compile",
        caret=caret,
        source=f"code that names {names} has to be written with another path",
        about=about,
    )


def _reserved_used(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Members that were kept free: those with another name now, and those that are no longer called reserved."""
    yield from comparison.members(lambda fields: fields.reserved_used)
    for each in comparison.paired_members:
        if each.name == each.new.name and is_reserved(each.old) and not is_reserved(each.new):
            yield each


@change_rules.each("ABI117", _reserved_used, Bump.MINOR)
def reserved_field_used(used: KeptMember) -> Iterator[RuleResult]:
    """A member that was kept free has a purpose now.

    What changed: a member called `reserved...` (spec: `reserved`) took a name, with the same type at the same place; of
    an array of them, some elements did; one was cut into smaller members, or several became one. Or it is no longer
    said to be reserved. Where bytes that are kept free are cut into other reserved members, that is PATCH.

    What happens: older producers leave it zero, as its name told them. That is fine as long as zero is a no-op under
    the new name too, which the comment has to say; where it says that zero means something, this is `field-renamed`.

    Instead: say `0 is no-op.` or `NULL is no-op.` at the new name. An appended member needs no reserved bytes at all.

    Source: RFC, "Implementation Conventions" (`ext`: "must be set to zero"); rulebook section 3.
    """
    entity = used.struct.entity(used.new.path)
    contract, advice, is_meaningful = AtRisk(""), "", used.new.field.contract.zero is Zero.MEANINGFUL
    if used.new.field.contract.zero != "no-op":
        filler = used.new.field.filler
        older = filler if filler in (Party.CORE, Party.PLUGIN) else "side"
        contract = AtRisk(f"every older {older} leaves {used.new.name} zero, and nothing says that this is a no-op")
        advice = "say `0 is no-op.` (or `NULL is no-op.`) in its comment, and treat zero so"
    is_named = used.name != used.new.name
    yield RuleResult(
        f"{entity} takes what was reserved as {used.name}" if is_named else f"{entity} was reserved, and is used now",
        Bump.MAJOR if is_meaningful else Bump.MINOR,
        help=advice,
        caret=f"was {used.name if is_named else 'reserved'}",
        plugins=more_aligned(used.struct),
        contract=str(contract) if is_meaningful else contract,
        about=replace(used.about, entity=entity, details=used.struct.who_tells(used.new)),
    )


@change_rules.also("ABI117", lambda comparison: (each for each in comparison.structs if any(each.fields.recut)))
def _reserved_cut_otherwise(struct: StructPair) -> Iterator[RuleResult]:
    """Bytes that both sides keep free, under other names or in other pieces."""
    old, new = ([each.path for each in side] for side in struct.fields.recut)
    names = f"{listed(old)} before, {listed(new)} now" if old and new else listed([*old, *new])
    yield RuleResult(
        f"{struct.name} keeps the same bytes free in other pieces: {names}",
        Bump.MINOR,
        source=AtRisk("only if it names reserved members"),
    )
