"""Alternatives that came into a union, and structs that grew as alternatives of one."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.comparison import change_rules
from abigen.check.reasons import count
from abigen.check.rule import AtRisk, RuleResult
from abigen.check.rules.appends import IN_UNION, Appended, of_kind
from abigen.check.struct_pairs import NewMember, StructPair, find_struct
from abigen.model.ctype import RecordType
from abigen.model.finding import Bump
from abigen.model.passing import passed_in


@change_rules.each("ABI118", lambda comparison: comparison.new_members(lambda fields: fields.overlaid))
def union_member_added(added: NewMember) -> Iterator[RuleResult]:
    """A new alternative was added to a union.

    What changed: a union (or an anonymous one around a member) got a new alternative. MINOR when its size and alignment
    stay the same on every target, else MAJOR. A union without a tag may have another size or alignment where the struct
    that holds it has the same size, alignment and offsets. MAJOR as well where it, or a struct that holds it, is passed
    or returned by value, and the new alternative changes the registers (`int64_t` beside `double`).

    What happens: if the union grows, every struct that holds it grows, and the members after it move. Otherwise an
    older reader may receive an alternative that it does not know; another member must state which one is in use. By
    value, the caller passes the union in other registers than the callee reads.

    Instead: keep alternatives within the size of the largest one, or hold the new one by pointer.

    Source: C 6.7.2.1 p16; rulebook section 3; System V psABI for AMD64, 3.2.3; AAPCS64, 6.8.2.
    """
    name, (old, new) = added.member.name, union_sizes(added)
    was, now = (f"{count(size, 'byte')} aligned to {alignment}" for size, alignment in (old, new))
    message, caret = f"{added.entity} is a new alternative; the union", f"{added.member.size} bytes"
    numbers = {"old_size": old[0], "old_alignment": old[1], "new_size": new[0], "new_alignment": new[1]}
    passed = _passed_otherwise(added) if old == new else None
    if passed:
        use, where, there = passed
        yield RuleResult(
            f"{added.entity} is a new alternative; {use}, in {there} instead of {where}",
            Bump.MAJOR,
            help="pass it by pointer, or make a new type for the new alternative",
            caret=caret,
            plugins=(
                f"it passes the union in {where}; a core built against NEW reads it from {there}",
                f"it passes the union in {there}; a core built against OLD reads it from {where}",
            ),
            numbers=numbers,
        )
    elif not outgrows_its_place(added):
        check = "it must check which alternative is in use"
        holds = f"still has {new[0]} bytes" if old == new else f"had {was}, has {now}, and no other member moves"
        yield RuleResult(
            f"{message} {holds}",
            Bump.MINOR,
            caret=caret,
            plugins=(
                AtRisk(f"it may receive {name}, which it does not know: {check}"),
                AtRisk(f"a core built against OLD may receive {name}, which it does not know"),
            ),
            numbers=numbers,
        )
    else:
        yield _grown(added, f"{message} had {was}, has {now}", was, now)


def _grown(added: NewMember, message: str, was: str, now: str) -> RuleResult:
    """The report about a union that has another size or alignment for a new alternative."""
    name, ((old_size, old_alignment), (new_size, new_alignment)) = added.member.name, union_sizes(added)
    return RuleResult(
        f"{message}{added.struct.shifts.overrun(name)}",
        Bump.MAJOR,
        help=f"keep the alternative within {old_size} bytes, or hold it by pointer",
        caret=f"{added.member.size} bytes",
        plugins=(
            f"its union has {was}; a core built against NEW has {now}",
            f"its union has {now}; a core built against OLD has {was}",
        ),
        details=added.struct.shifts.details(name),
        numbers={
            "old_size": old_size,
            "old_alignment": old_alignment,
            "new_size": new_size,
            "new_alignment": new_alignment,
        },
    )


def _passed_otherwise(added: NewMember) -> tuple[str, str, str] | None:
    """The first use by value of what holds a new alternative that goes by other registers now: who, where, and where.

    None where there is none.
    """
    apis = added.struct.apis
    for use in apis.pair.old_uses.reaching(added.struct.name):
        struct = None if use.is_held else find_struct(use.record, apis)
        if struct is not None:
            was = passed_in(RecordType(struct.old.name), apis.old_layouts)
            now = passed_in(RecordType(struct.new.name), apis.new_layouts)
            if was != now:
                return use.clause(struct.name), was, now
    return None


def union_sizes(added: NewMember) -> tuple[tuple[int, int], tuple[int, int]]:
    """Size and alignment, in bytes, of what was there before around a new alternative, and of the union around it."""
    union, struct = added.member.overlay[-1], added.struct
    after = struct.apis.new_layouts.of(union)
    siblings = [each for each in struct.fields.paired if union in each.new.overlay]
    if siblings and not any(each.old.overlay for each in siblings):
        size = max(each.old.end for each in siblings) - min(each.old.offset for each in siblings)
        return (size, max(each.old.alignment for each in siblings)), (after.size, after.alignment)
    before, sibling = struct.old_layout, next(iter(siblings), None)
    if sibling is not None:
        # Unions within it count from the inside: what is new may be the outermost.
        inner = len(sibling.new.overlay) - sibling.new.overlay.index(union)
        before = struct.apis.old_layouts.of(sibling.old.overlay[-min(inner, len(sibling.old.overlay))])
    return (before.size, before.alignment), (after.size, after.alignment)


def outgrows_its_place(added: NewMember) -> bool:
    """True if a union has another size or alignment for a new alternative, and that matters to somebody.

    A union without a tag cannot be named anywhere else, so it matters only where what holds it is laid out otherwise.
    """
    old, new = union_sizes(added)
    if old == new:
        return False
    union, struct = added.member.overlay[-1], added.struct
    if union != struct.new.name:
        return _is_moved_around(union, struct)
    if not (struct.old.anonymous and struct.new.anonymous):
        return True
    uses = struct.apis.pair.old_uses.of(struct.name)
    holders = [find_struct(use.holder, struct.apis) if use.kind == "member" else None for use in uses]
    return not holders or any(each is None or _is_moved_around(union, each) for each in holders)


def _is_moved_around(union: str, holder: StructPair) -> bool:
    """True if a union's new size or alignment moves members of the struct around it, or resizes that struct."""
    old, new, fields = holder.old_layout, holder.new_layout, holder.fields
    if not holder.is_defined or any(pair.shifted for pair in fields.paired) or old.alignment != new.alignment:
        return True
    inside = [each.end for each in holder.new_members if union in each.overlay]
    named = [each.end for each in holder.new_members if holder.apis.new.struct_of(each.field.type) is not None]
    is_within = max([*inside, *(named if not inside else ())], default=0) <= old.size
    return not is_within if fields.appended else old.size != new.size


@change_rules.also("ABI118", of_kind(IN_UNION))
def _alternative_grew(appended: Appended) -> Iterator[RuleResult]:
    """A struct grew that is only an alternative of unions, and these have the size that they had."""
    struct, name = appended.struct, appended.member.name
    use = struct.apis.pair.old_uses.of(struct.name)[0]
    size = struct.apis.old_layouts.of(use.holder).size
    check = "it must check which alternative is in use"
    yield RuleResult(
        f"{appended.entity} was appended to an alternative; the union {use.holder} still has {size} bytes",
        Bump.MINOR,
        plugins=(
            AtRisk(f"it may receive {name}, which it does not know: {check}"),
            AtRisk(f"it must check which alternative is in use: a core built against OLD does not set {name}"),
        ),
    )
