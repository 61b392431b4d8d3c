"""Rules about size constants: what plugins put into `struct_size`."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import at_risk, axes, breaks
from abigen.check.comparison import Comparison
from abigen.check.rule import Report, change_rule
from abigen.check.sizes import Measure
from abigen.model.entities import SizeConstant
from abigen.model.finding import Bump, Detail


@change_rule("ABI507")
def size_macro_changed(comparison: Comparison) -> Iterator[Report]:
    """A size constant has another value although its struct gives no reason for it.

    What changed: a constant that stopped at the wrong member was repaired, `sizeof` became the unpadded size or the
    other way round, or the constant measures another struct now. A constant that grows because its struct grew is no
    finding of its own, in whichever of the three forms it is written.

    What happens: for the same members, binaries of the two versions hand over different sizes. Whoever compares sizes
    for equality, or with the constant instead of a member's offset, takes one of them for the wrong struct.

    Instead: compare `struct_size` with the offset of the member that is about to be read, never with the constant.

    Source: VS, "By Checking Struct Size"; RFC, "Implementation Conventions" (the unpadded size).
    """
    for before, after in comparison.measures:
        if _newly_left_out(before, after):
            continue
        if comparison.pair.types.records.get(before.struct.name) != after.struct.name:
            yield _measures_another(before, after)
        elif _by_new_notion(before, after) != before.value:
            yield _remeasured(before, after)


def _by_new_notion(before: Measure, after: Measure) -> int:
    """The value that OLD's struct would have if it were measured as NEW measures it, in bytes."""
    if after.constant.last_member:
        return before.value if after.is_stale and before.is_stale else before.unpadded_size
    return before.size


def _remeasured(before: Measure, after: Measure) -> Report:
    """The report about a constant that measures the same struct otherwise."""
    name, struct = before.constant.name, before.struct.name
    left_out = f", which left out {', '.join(before.left_out)}" if before.is_stale else ""
    expected = _by_new_notion(before, after)
    if after.value == expected:
        message = f"{name} was {before.value}, is {after.value}, for the same members of {struct}{left_out}"
    else:
        message = f"{name} was {before.value}{left_out}; as NEW measures it, {struct} had {expected}"
    check = "the core has to compare struct_size with the offset of each member that it reads, not with the constant"
    return Report(
        entity=name,
        bump=Bump.PATCH,
        message=message,
        help="compare `struct_size` with a member's offset, never with the constant",
        axes=axes(
            old_plugin=at_risk(f"it hands over {before.value} where NEW has {expected}: {check}"),
            new_plugin=at_risk(f"it hands over {after.value} where OLD has {before.value}: {check}"),
        ),
        old=before.constant.span,
        new=after.constant.span,
        caret=f"was {before.value}",
        numbers={"old_size": before.value, "new_size": after.value},
    )


def _measures_another(before: Measure, after: Measure) -> Report:
    """The report about a constant that names another struct."""
    name = before.constant.name
    reason = f"{name} is the size of {before.struct.name} in OLD and of {after.struct.name} in NEW"
    return Report(
        entity=name,
        bump=Bump.MAJOR,
        message=f"{name} was the size of {before.struct.name} ({before.value}), "
        f"is that of {after.struct.name} ({after.value})",
        help=f"let {name} measure {before.struct.name} again",
        axes=axes(old_plugin=breaks(reason), new_plugin=breaks(reason), contract=breaks(reason)),
        old=before.constant.span,
        new=after.constant.span,
        caret=f"was the size of {before.struct.name}",
        numbers={"old_size": before.value, "new_size": after.value},
    )


@change_rule("ABI508")
def size_macro_removed(comparison: Comparison) -> Iterator[Report]:
    """A size constant is gone, or has another name, while its struct stays.

    What changed: NEW has no constant of that name, in none of the three forms. When the struct itself went, was closed
    or got another name, the constant follows it and is not reported.

    What happens: plugins fill `struct_size` with it, and no longer compile; people write `sizeof` instead, which
    counts padding.

    Instead: keep it, as another name of its successor if there is one.

    Source: RFC, "Implementation Conventions"; VS, "By Checking Struct Size".
    """
    successors = _renames(comparison)
    for old in comparison.size_constants.removed:
        new = successors.get(old.name)
        struct = comparison.pair.types.records.get(old.struct)
        if struct is None or comparison.new.structs[struct].fields is None or old.name in comparison.new.constants:
            continue
        if new is not None and struct != old.struct:
            continue
        yield Report(
            entity=old.name,
            bump=Bump.MAJOR,
            message=f"{old.name}, the size of {old.struct}, " + (f"is called {new.name} now" if new else "was removed"),
            help=f"keep {old.name}",
            axes=axes(source=breaks(f"code that fills struct_size with {old.name} no longer compiles")),
            old=old.span,
            new=new.span if new else comparison.new.structs[struct].span,
            caret=f"was {old.name}" if new else "",
        )


@change_rule("ABI806")
def size_macro_stale(comparison: Comparison) -> Iterator[Report]:
    """A size constant does not end at the last member of its struct.

    What changed: a member was added behind the constant's end, or the constant was moved to an earlier member. One that
    was stale before, and leaves out nothing more now, is lint's business.

    What happens: producers that use the constant declare a struct without these members, and readers that check
    `struct_size` never look at them, on either side, however new both are.

    Instead: let the constant end at the last member. Readers of older binaries have to cope with both values.

    Source: RFC, "Implementation Conventions" (the definition must use the new last member).
    """
    for before, after in comparison.measures:
        if not _newly_left_out(before, after):
            continue
        old, new = before.constant, after.constant
        names = ", ".join(after.left_out)
        last = after.left_out[-1]
        struct = after.struct.name
        reason = f"{new.name} says that {struct} ends before {names}, so no reader that checks struct_size looks at it"
        yield Report(
            entity=new.name,
            bump=Bump.MAJOR,
            message=f"{new.name} is {after.value}, but {struct} ends at {after.unpadded_size}: it leaves out {names}",
            help=f"let {new.name} end at {last}",
            axes=axes(
                new_plugin=breaks(f"what it puts into {names} is never read: {reason}"),
                contract=breaks(reason),
            ),
            details=(Detail("was", f"{before.value}, and {before.struct.name} ended at {before.unpadded_size}"),),
            old=old.span,
            new=new.span,
            caret=f"should end at {last}",
            numbers={
                "old_size": before.value,
                "new_size": after.value,
                "old_unpadded_size": before.unpadded_size,
                "new_unpadded_size": after.unpadded_size,
            },
        )


def _newly_left_out(before: Measure, after: Measure) -> set[str]:
    """Members that NEW's constant leaves out and OLD's did not."""
    return set(after.left_out) - set(before.left_out)


def _renames(comparison: Comparison) -> dict[str, SizeConstant]:
    """OLD's size constants to the new ones that measure the same struct."""
    records = comparison.pair.types.records
    added = {each.struct: each for each in comparison.size_constants.added}
    return {
        old.name: added[records[old.struct]]
        for old in comparison.size_constants.removed
        if records.get(old.struct, "") in added
    }
