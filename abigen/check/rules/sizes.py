"""Rules about size constants: what plugins put into `struct_size`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.measures import Measure, missing_entity, repair_of
from abigen.check.pairs import Removed
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.model.entities import SizeConstant
from abigen.model.finding import Bump, Detail


class _MeasurePair(NamedTuple):
    """A size constant on both sides, measured."""

    comparison: ApiComparison
    old: Measure
    new: Measure

    @property
    def about(self) -> Subject:
        """OLD's name, both places, and both values."""
        numbers = {"old_size": self.old.value, "new_size": self.new.value}
        return Subject(self.old.constant.name, self.old.constant.span, self.new.constant.span, numbers)

    @property
    def is_newly_stale(self) -> bool:
        """Whether NEW's constant leaves out members that OLD's did not."""
        return not set(self.new.left_out) <= set(self.old.left_out)


def _measures(comparison: ApiComparison) -> Iterator[_MeasurePair]:
    """Size constants that may have another value."""
    return (_MeasurePair(comparison, old, new) for old, new in comparison.measures)


@change_rules.each("ABI507", _measures)
def size_macro_changed(pair: _MeasurePair) -> Iterator[RuleResult]:
    """A size constant has another value although its struct gives no reason for it.

    What changed: a constant that stopped at the wrong member was repaired, `sizeof` became the unpadded size or the
    other way round, or the constant measures another struct now. A constant that grows because its struct grew is no
    finding of its own, in whichever of the three forms it is written.

    What happens: for the same members, binaries of the two versions hand over different sizes. Whoever compares sizes
    for equality, or with the constant instead of a member's offset, takes one of them for the wrong struct.

    Instead: compare `struct_size` with the offset of the member that is about to be read, never with the constant.

    Source: VS, "By Checking Struct Size"; RFC, "Implementation Conventions" (the unpadded size).
    """
    before, after = pair.old, pair.new
    name, struct = before.constant.name, before.struct.name
    if pair.is_newly_stale:
        return
    if pair.comparison.pair.types.records.get(struct) != after.struct.name:
        reason = f"{name} is the size of {struct} in OLD and of {after.struct.name} in NEW"
        yield RuleResult(
            f"{name} was the size of {struct} ({before.value}), is that of {after.struct.name} ({after.value})",
            Bump.MAJOR,
            help=f"let {name} measure {struct} again",
            caret=f"was the size of {struct}",
            plugins=(reason, reason),
            contract=reason,
        )
        return
    # The value that OLD's struct would have if it were measured as NEW measures it.
    expected = before.size
    if after.constant.last_member:
        expected = before.value if after.is_stale and before.is_stale else before.unpadded_size
    if expected == before.value:
        return
    left_out = f", which left out {', '.join(before.left_out)}" if before.is_stale else ""
    message = f"{name} was {before.value}{left_out}; as NEW measures it, {struct} had {expected}"
    if after.value == expected:
        message = f"{name} was {before.value}, is {after.value}, for the same members of {struct}{left_out}"
    check = "the core has to compare struct_size with the offset of each member that it reads, not with the constant"
    yield RuleResult(
        message,
        Bump.PATCH,
        help="compare `struct_size` with a member's offset, never with the constant",
        caret=f"was {before.value}",
        plugins=(
            AtRisk(f"it hands over {before.value} where NEW has {expected}: {check}"),
            AtRisk(f"it hands over {after.value} where OLD has {before.value}: {check}"),
        ),
    )


def _removed_sizes(comparison: ApiComparison) -> Iterator[Removed[SizeConstant]]:
    """Size constants that went, with the new ones that measure the same struct."""
    records, sizes = comparison.pair.types.records, comparison.pair.size_constants
    added = {each.struct: each for each in sizes.added}
    return (Removed(comparison, each, added.get(records.get(each.struct, ""))) for each in sizes.removed)


@change_rules.each("ABI508", _removed_sizes, Bump.MAJOR)
def size_macro_removed(removed: Removed[SizeConstant]) -> Iterator[RuleResult]:
    """A size constant is gone, or has another name, while its struct stays.

    What changed: NEW has no constant of that name, in none of the three forms. When the struct itself went, was closed
    or got another name, the constant follows it and is not reported.

    What happens: plugins fill `struct_size` with it, and no longer compile; people write `sizeof` instead, which
    counts padding.

    Instead: keep it, as another name of its successor if there is one.

    Source: RFC, "Implementation Conventions"; VS, "By Checking Struct Size".
    """
    old, new, api = removed.old, removed.successor, removed.apis.new
    key = removed.apis.pair.types.records.get(old.struct)
    struct = api.structs[key] if key else None
    is_followed = new is not None and key != old.struct
    if struct is None or struct.fields is None or old.name in api.constants or is_followed:
        return
    yield RuleResult(
        f"{old.name}, the size of {old.struct}, " + (f"is called {new.name} now" if new else "was removed"),
        help=f"keep {old.name}",
        caret=f"was {old.name}" if new else "",
        source=f"code that fills struct_size with {old.name} no longer compiles",
        about=removed.about._replace(new=new.span if new else struct.span),
    )


class _BrokenSize(NamedTuple):
    """A size constant that names what does not exist, and did not do so in OLD."""

    old: SizeConstant | None
    new: SizeConstant
    missing: str
    repair: str

    @property
    def about(self) -> Subject:
        """The constant, where it stands on both sides."""
        return Subject(self.new.name, self.old.span if self.old else None, self.new.span)


def _newly_broken(comparison: ApiComparison) -> Iterator[_BrokenSize]:
    """Size constants that NEW breaks, or brings broken."""
    old, new = comparison.old, comparison.new
    for constant in new.size_constants.values():
        missing = missing_entity(constant, new) if constant.in_api else ""
        before = old.size_constants.get(constant.name)
        if missing and (before is None or not missing_entity(before, old)):
            yield _BrokenSize(before, constant, missing, repair_of(constant, new))


@change_rules.each("ABI820", _newly_broken, level="error")
def size_macro_broken(broken: _BrokenSize) -> Iterator[RuleResult]:
    """A size constant names a struct or member that does not exist.

    What changed: a member or a struct got another name or went, and the constant was left behind; or the constant is
    new and misspelled. One that was broken before is lint's business.

    What happens: a macro is not looked at until it is used, so the header compiles, and no code that uses the constant
    does. No version number repairs that: the diff fails until the header is right.

    Instead: let it name the struct, and the struct's last member.

    Source: RFC, "Implementation Conventions" (the definition must use the last member).
    """
    name = broken.new.name
    yield RuleResult(
        f"{name} names {broken.missing}, which does not exist",
        help=f"repair the header: {broken.repair}",
        caret=f"there is no {broken.missing}",
        source=f"code that uses {name} does not compile" if broken.old else "",
    )


@change_rules.each("ABI806", _measures, Bump.MAJOR)
def size_macro_stale(pair: _MeasurePair) -> Iterator[RuleResult]:
    """A size constant does not end at the last member of its struct.

    What changed: a member was added behind the constant's end, or the constant was moved to an earlier member. One that
    was stale before, and leaves out nothing more now, is lint's business.

    What happens: producers that use the constant declare a struct without these members, and readers that check
    `struct_size` never look at them, on either side, however new both are.

    Instead: let the constant end at the last member. Readers of older binaries have to cope with both values.

    Source: RFC, "Implementation Conventions" (the definition must use the new last member).
    """
    if not pair.is_newly_stale:
        return
    before, after = pair.old, pair.new
    name, struct, names, last = after.constant.name, after.struct.name, ", ".join(after.left_out), after.left_out[-1]
    reason = f"{name} says that {struct} ends before {names}, so no reader that checks struct_size looks at it"
    yield RuleResult(
        f"{name} is {after.value}, but {struct} ends at {after.unpadded_size}: it leaves out {names}",
        help=f"let {name} end at {last}",
        caret=f"should end at {last}",
        plugins=("", f"what it puts into {names} is never read: {reason}"),
        contract=reason,
        details=[Detail("was", f"{before.value}, and {before.struct.name} ended at {before.unpadded_size}")],
        numbers={
            **pair.about.numbers,
            "old_unpadded_size": before.unpadded_size,
            "new_unpadded_size": after.unpadded_size,
        },
    )
