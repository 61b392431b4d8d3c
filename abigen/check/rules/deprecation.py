"""Members, types and enumerators on their way out, and marks that say what zero means."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import OK, Impact, at_risk, axes, breaks
from abigen.check.comparison import Comparison, StructPair
from abigen.check.deprecations import NO_OP
from abigen.check.pairing.fields import MemberPair
from abigen.check.rule import Report, change_rule
from abigen.check.sides import CORE, PLUGIN, filler_of
from abigen.model.api import Api
from abigen.model.contract import Contract
from abigen.model.ctype import Pointer
from abigen.model.entities import Enum, Struct, Typedef
from abigen.model.finding import Bump, Detail


@change_rule("ABI601")
def field_deprecated(comparison: Comparison) -> Iterator[Report]:
    """A member that may be zero is on its way out.

    What changed: NEW marks the member as deprecated; OLD says that zero is a no-op and that the member is optional.

    What happens: newer producers leave it zero, and older consumers skip it, as they always had to.

    Instead: nothing; this is how a member goes. Raise MINOR now; it can be removed in a MAJOR release later.

    Source: VS, "By Value Inspection" and "Deprecating Functionality"; PR, the last comment on the versioning strategy.
    """
    for pair, each in _going_out(comparison):
        if _zero_was(each) == "optional":
            name = pair.entity(each.old.path)
            yield Report(
                entity=name,
                bump=Bump.MINOR,
                message=f"{name} is deprecated; zero is a no-op and it was optional, so older consumers skip it",
                help="raise MINOR; remove it in a MAJOR release after the transition",
                old=each.old.field.span,
                new=each.new.field.span,
                caret="deprecated",
            )


@change_rule("ABI602")
def deprecated_meaningful_zero(comparison: Comparison) -> Iterator[Report]:
    """A member is on its way out, but its zero means something.

    What changed: NEW marks the member as deprecated; OLD does not say that zero (or NULL) is a no-op.

    What happens: a newer producer leaves the member zero, and an older consumer takes that for a value: an index, a
    size, a default.

    Instead: mark zero as a no-op in a release before, append a replacement (`Replaces x.`) and go on filling the old
    member; or raise MAJOR.

    Source: VS, "By Value Inspection" (`can_be_zero`, `optional_zero_default`).
    """
    for pair, each in _going_out(comparison):
        if _zero_was(each) == "meaningful":
            zero = _zero(pair, each)
            says = "is a valid value of it" if each.old.field.contract.zero else "was never said to be a no-op"
            yield _deprecated(
                pair,
                each,
                f"{pair.entity(each.old.path)} is deprecated, but {zero} {says}",
                f"takes {zero} for a value, because OLD does not say that it is a no-op",
                breaks(f"{zero} means nothing to the newer side, and is a value to the older one"),
                "append a member that replaces it and go on filling both, or raise MAJOR",
            )


@change_rule("ABI603")
def deprecated_required_field(comparison: Comparison) -> Iterator[Report]:
    """A member is on its way out that producers had to fill.

    What changed: NEW marks the member as deprecated; in OLD zero is a no-op, but the member is not optional.

    What happens: a newer producer leaves the member zero, and an older consumer may reject that as incomplete: it was
    told that the member is always there.

    Instead: make it `Optional.` first, and deprecate it when consumers that insist on it are gone; or raise MAJOR.

    Source: PR, the last comment on the versioning strategy; rulebook section 3, "Deprecation".
    """
    for pair, each in _going_out(comparison):
        if _zero_was(each) == "required":
            yield _deprecated(
                pair,
                each,
                f"{pair.entity(each.old.path)} is deprecated, but OLD requires it",
                f"may reject {_zero(pair, each)} there, because OLD does not say that it is optional",
                OK,
                "say `Optional.` in a release before, or raise MAJOR",
            )


@change_rule("ABI604")
def renamed_by_deprecation(comparison: Comparison) -> Iterator[Report]:
    """A member was given a successor at the end of the struct.

    What changed: a member was appended that replaces an old one (`Replaces old.` or, at the old one, `Use new.`), and
    the old one is marked as deprecated in the same change; or the new one came in a release before.

    What happens: both are there, and both are filled during the transition: readers take the new one when `struct_size`
    says that it is there, else the old one.

    Instead: nothing; this is the accepted way to rename a member or to change its type. Raise MINOR.

    Source: VS, "Deprecation with Extension".
    """
    for pair in comparison.structs:
        replaced = pair.successors
        for each in pair.newly_deprecated:
            if each.old.name in replaced:
                yield _renamed(pair, each, replaced[each.old.name])


def _renamed(pair: StructPair, each: MemberPair, successor: str) -> Report:
    """The report about one member that has a successor."""
    new = next(member for member in pair.new_members if member.name == successor)
    old_name = each.old.name
    if any(member.name == successor for member in pair.fields.appended):
        is_new = "new "
        reader = f"must take {successor} only if struct_size reaches {new.end}, and {old_name} otherwise"
        old_plugin = at_risk(f"it knows {old_name} only; a core built against NEW {reader}")
        new_plugin = at_risk(f"a core built against OLD knows {old_name} only; it {reader}")
    else:
        is_new = ""
        reader = f"must check {old_name} for zero, and take {successor} then"
        old_plugin = at_risk(f"it may fill only one of {old_name} and {successor}; a core built against NEW {reader}")
        new_plugin = at_risk(f"it may leave {old_name} zero; a core built against OLD {reader}")
    return Report(
        entity=pair.entity(each.old.path),
        bump=Bump.MINOR,
        message=f"{pair.entity(each.old.path)} is deprecated, {successor} at offset {new.offset} replaces it",
        axes=axes(old_plugin=old_plugin, new_plugin=new_plugin),
        help="fill both during the transition; raise MINOR",
        details=(Detail("replaced", f"by {successor}, {is_new}at offset {new.offset}"),),
        old=each.old.field.span,
        new=each.new.field.span,
        caret=f"use {successor}",
        numbers={"old_offset": each.old.offset, "new_offset": new.offset, "new_size": new.size},
    )


@change_rule("ABI605")
def type_deprecated(comparison: Comparison) -> Iterator[Report]:
    """A type is on its way out.

    What changed: NEW marks a struct, an enumeration, a handle or a typedef as deprecated, with or without a successor.

    What happens: nothing yet; it is still there.

    Instead: nothing. Raise MINOR; it can be removed in a MAJOR release later.

    Source: VS, "Deprecation with Extension", case 2.
    """
    told: set[str] = set()
    for old, new in _types_on_both_sides(comparison):
        lifecycle = new.contract.lifecycle
        if lifecycle.deprecated and old.name not in told and not _is_deprecated(old.name, comparison.old):
            told.add(old.name)
            use = f"; use {lifecycle.replaced_by}" if lifecycle.replaced_by else ""
            yield Report(
                entity=old.name,
                bump=Bump.MINOR,
                message=f"{old.name} is deprecated{use}",
                help="raise MINOR; remove it in a MAJOR release after the transition",
                old=old.span,
                new=new.span,
                caret="deprecated",
            )


@change_rule("ABI606")
def enumerator_deprecated(comparison: Comparison) -> Iterator[Report]:
    """An enumerator is on its way out.

    What changed: NEW marks an enumerator as deprecated.

    What happens: nothing yet; its value is still there.

    Instead: nothing. Raise MINOR; its value must not be given to another enumerator when it goes.

    Source: VS, "Deprecation with Extension", case 2; rulebook section 3.
    """
    for old, new in comparison.enums.changed:
        before = {each.name: each for each in old.enumerators or ()}
        for each in new.enumerators or ():
            known = before.get(each.name)
            if known and not known.contract.lifecycle.deprecated and each.contract.lifecycle.deprecated:
                entity = each.name if old.anonymous else f"{old.name}.{each.name}"
                use = each.contract.lifecycle.replaced_by
                yield Report(
                    entity=entity,
                    bump=Bump.MINOR,
                    message=f"{entity} is deprecated" + (f"; use {use}" if use else ""),
                    help="raise MINOR; remove it in a MAJOR release after the transition",
                    old=known.span,
                    new=each.span,
                    caret="deprecated",
                )


@change_rule("ABI607")
def field_undeprecated(comparison: Comparison) -> Iterator[Report]:
    """A member that was on its way out is to stay.

    What changed: OLD marks the member as deprecated, NEW does not.

    What happens: producers built against OLD may already leave it zero, and readers built against NEW may count on it.

    Instead: let readers go on checking for zero.

    Source: rulebook section 3, "Deprecation".
    """
    for pair in comparison.structs:
        for each in pair.fields.paired:
            if each.old.field.contract.lifecycle.deprecated and not each.new.field.contract.lifecycle.deprecated:
                yield _undeprecated(pair, each)


def _undeprecated(pair: StructPair, each: MemberPair) -> Report:
    """The report about one member that is to stay."""
    name = each.old.name
    producer = filler_of(each.old.field, pair.old, pair.comparison.old)
    check = f"must go on checking {name} for zero"
    for_old = at_risk(f"it may leave {name} zero; a core built against NEW {check}")
    for_new = at_risk(f"a core built against OLD may leave {name} zero; it {check}")
    return Report(
        entity=pair.entity(name),
        bump=Bump.MINOR,
        message=f"{pair.entity(name)} is no longer deprecated",
        axes=axes(old_plugin=OK if producer == CORE else for_old, new_plugin=OK if producer == PLUGIN else for_new),
        help="check whether anybody has stopped to fill it",
        old=each.old.field.span,
        new=each.new.field.span,
        caret="deprecated no longer",
    )


@change_rule("ABI608")
def zero_meaning_changed(comparison: Comparison) -> Iterator[Report]:
    """What zero means in a member, or whether it may be zero, is not what it was.

    What changed: the mark `0 is no-op.`, `NULL is no-op.` or `Optional.` appeared at an existing member, or went away.

    What happens: the bytes are the same, but the two sides disagree about a zero in them. MINOR where readers merely
    have to accept more: the member became optional, or NULL is allowed where a pointer was demanded. Where NULL meant
    something (`NULL by default.`), it is not merely more.

    Instead: append a member with the new meaning, and deprecate this one.

    Source: VS, "Conventions" (a member cannot be repurposed) and "By Value Inspection".
    """
    for pair in comparison.structs:
        for each in pair.fields.paired:
            before, after = each.old.field.contract, each.new.field.contract
            if before.lifecycle.deprecated != after.lifecycle.deprecated:
                continue
            changes = _mark_changes(before, after)
            if changes:
                yield _zero_changed(pair, each, changes)


def _zero_changed(pair: StructPair, each: MemberPair, changes: list[str]) -> Report:
    """The report about one member whose zero means something else."""
    before, after = each.old.field.contract, each.new.field.contract
    zero, name = _zero(pair, each), pair.entity(each.old.path)
    new_no_op = after.zero == NO_OP and before.zero != NO_OP
    lost = (before.zero == NO_OP and after.zero != NO_OP) or (before.is_optional and not after.is_optional)
    had_meaning = before.zero not in (NO_OP, "") or not _is_pointer(pair, each)
    is_wider = not lost and not (new_no_op and had_meaning)
    filler = filler_of(each.new.field, pair.new, pair.comparison.new) or "its producer"
    reader = {CORE: PLUGIN, PLUGIN: CORE}.get(filler, "its reader")
    if is_wider:
        answer = axes(contract=at_risk(f"a newer {filler} may leave {zero} there; the {reader} must accept it"))
    else:
        answer = axes(contract=breaks(f"{zero} written by one side means something else to the other"))
    return Report(
        entity=name,
        bump=Bump.MINOR if is_wider else Bump.MAJOR,
        message=f"the meaning of {zero} in {name} changed: {', '.join(changes)}",
        axes=answer,
        help="" if is_wider else "append a member with the new meaning and deprecate this one",
        old=each.old.field.span,
        new=each.new.field.span,
        caret=", ".join(changes),
    )


def _mark_changes(before: Contract, after: Contract) -> list[str]:
    """The marks that came or went, in words."""
    changes = []
    if (before.zero == NO_OP) != (after.zero == NO_OP):
        changes.append("zero " + ("is a no-op now" if after.zero == NO_OP else "is no longer a no-op"))
    if before.is_optional != after.is_optional:
        changes.append("it is " + ("optional now" if after.is_optional else "no longer optional"))
    return changes


@change_rule("ABI610")
def removed_without_deprecation(comparison: Comparison) -> Iterator[Report]:
    """A member went without a warning.

    What changed: a member is gone that OLD does not mark as deprecated.

    What happens: nobody who uses it had a release in which it still worked and its end was announced.

    Instead: bring it back, mark it `Deprecated.`, release that, and remove it in the MAJOR release after.

    Source: VS, "Deprecating Functionality" ("after the transition time has passed").
    """
    for pair in comparison.structs:
        if pair.old.contract.lifecycle.deprecated:
            continue
        for removal in pair.removals:
            if not removal.member.field.contract.lifecycle.deprecated:
                name = pair.entity(removal.member.path)
                yield Report(
                    entity=name,
                    bump=Bump.MAJOR,
                    message=f"{name} was never marked as deprecated before it went",
                    axes=axes(source=breaks("its users had no release in which both ways worked")),
                    old=removal.member.field.span,
                    new=removal.replaced_by[0].field.span if removal.replaced_by else pair.new.span,
                )


def _going_out(comparison: Comparison) -> Iterator[tuple[StructPair, MemberPair]]:
    """Members that NEW marks as deprecated without appending a successor."""
    for pair in comparison.structs:
        replaced = pair.successors
        for each in pair.newly_deprecated:
            if each.old.name not in replaced:
                yield pair, each


def _zero_was(each: MemberPair) -> str:
    """What OLD says about zero: `meaningful`, `required` (a no-op, but to be filled) or `optional`."""
    contract = each.old.field.contract
    if contract.zero != NO_OP:
        return "meaningful"
    return "optional" if contract.is_optional else "required"


def _zero(pair: StructPair, each: MemberPair) -> str:
    """How zero is called for a member's type."""
    return "NULL" if _is_pointer(pair, each) else "0"


def _is_pointer(pair: StructPair, each: MemberPair) -> bool:
    """Whether a member is a pointer, through typedefs."""
    return isinstance(pair.comparison.old.resolve(each.old.field.type), Pointer)


def _deprecated(pair: StructPair, each: MemberPair, message: str, reason: str, contract: Impact, help: str) -> Report:
    """A report about a member that newer producers may leave zero, which an older consumer does not stand."""
    name = each.old.name
    producer = filler_of(each.old.field, pair.old, pair.comparison.old)
    for_old = OK if producer == PLUGIN else breaks(f"a core built against NEW may leave {name} zero; it {reason}")
    for_new = OK if producer == CORE else breaks(f"it may leave {name} zero; a core built against OLD {reason}")
    return Report(
        entity=pair.entity(name),
        bump=Bump.MAJOR,
        message=message,
        axes=axes(old_plugin=for_old, new_plugin=for_new, contract=contract),
        help=help,
        old=each.old.field.span,
        new=each.new.field.span,
        caret="deprecated",
    )


def _types_on_both_sides(
    comparison: Comparison,
) -> Iterator[tuple[Struct | Enum | Typedef, Struct | Enum | Typedef]]:
    """All types of the API that exist on both sides; a struct and its typedef may both carry the mark."""
    for pair in comparison.structs:
        yield pair.old, pair.new
    yield from comparison.enums.changed
    yield from comparison.typedefs.changed


def _is_deprecated(name: str, api: Api) -> bool:
    """Whether anything of a name that is a type is marked as deprecated."""
    return any(
        entity is not None and entity.contract.lifecycle.deprecated
        for entity in (api.structs.get(name), api.enums.get(name), api.typedefs.get(name))
    )
