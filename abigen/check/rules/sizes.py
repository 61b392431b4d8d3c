"""Rules about size constants: what plugins put into `struct_size`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.constants import value_of
from abigen.check.pairs import Removed
from abigen.check.reasons import count, last_members
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.check.struct_sizes import Measure, measure, measures, missing_entity, repair_of, words_for_missing
from abigen.model.api import release_of_size
from abigen.model.contract import Party
from abigen.model.entities import SizeConstant, Struct
from abigen.model.finding import Bump, Detail
from abigen.model.span import Span


class _MeasurePair(msgspec.Struct, frozen=True):
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

    @property
    def measures_another(self) -> bool:
        """Whether NEW's constant is the size of another struct."""
        return self.comparison.pair.types.records.get(self.old.struct.name) != self.new.struct.name


def _measures(comparison: ApiComparison) -> Iterator[_MeasurePair]:
    """Size constants that may have another value."""
    return (_MeasurePair(comparison, old, new) for old, new in comparison.measures)


@change_rules.each("ABI507", _measures)
def size_macro_changed(pair: _MeasurePair) -> Iterator[RuleResult]:
    """The value of a size constant changed, and its struct did not.

    What changed: a constant that ended at the wrong member was repaired, or `sizeof` became the unpadded size or the
    reverse. A constant that grows because its struct grew is not reported here.

    What happens: for the same members, plugins and cores of the two versions pass different sizes. A side that compares
    sizes for equality, or with the constant instead of the offset of a member, rejects a valid struct or ignores
    members.

    Instead: compare `struct_size` with the offset of the member that is about to be read, never with the constant.

    Source: VS, "By Checking Struct Size"; RFC, "Implementation Conventions" (the unpadded size).
    """
    before, after = pair.old, pair.new
    name, struct = before.constant.name, before.struct.name
    if pair.is_newly_stale or pair.measures_another:
        return
    if before.value == after.value and release_of_size(name):
        return  # it states the size of an earlier release
    # The value that OLD's struct would have if it were measured as NEW measures it.
    expected = before.size
    if after.constant.last_member:
        expected = before.value if after.is_stale and before.is_stale else before.unpadded_size
    if expected == before.value:
        return
    left_out = f", which left out {', '.join(before.left_out)}" if before.is_stale else ""
    message = f"{name} was {before.value}{left_out}; with the expression of NEW, {struct} of OLD has {expected} bytes"
    if after.value == expected:
        message = f"{name} was {before.value}, is {after.value}, for the same members of {struct}{left_out}"
    check = "the core must compare struct_size with the offset of each member that it reads, not with the constant"
    yield RuleResult(
        message,
        Bump.PATCH,
        help="compare `struct_size` with a member's offset, never with the constant",
        caret=f"was {before.value}",
        plugins=(
            AtRisk(f"it passes the size {before.value}, and NEW has {expected}: {check}"),
            AtRisk(f"it passes the size {after.value}, and OLD has {before.value}: {check}"),
        ),
    )


@change_rules.each("ABI807", _measures, level="error")
def size_macro_wrong_struct(pair: _MeasurePair) -> Iterator[RuleResult]:
    """A size constant became the size of another struct.

    What changed: its expression names another struct, and the struct that it named in OLD still exists.

    What happens: a side that sets `struct_size` from it passes the size of another struct. The reader ignores members
    that are there, or reads past the end. No version number repairs that: the diff fails until the header is right.

    Instead: let it name its own struct.

    Source: rulebook sections 2 and 4; VS's own example has one (`TOY_STRUCT_SIZE` of `SE_Device`).
    """
    name, before, after = pair.old.constant.name, pair.old, pair.new
    if pair.measures_another and not pair.is_newly_stale:
        is_there = before.struct.name in pair.comparison.pair.types.records
        advice = f"let {name} name {before.struct.name} again" if is_there else f"remove {name}"
        reason = f"{name} is the size of {before.struct.name} in OLD and of {after.struct.name} in NEW"
        yield RuleResult(
            f"{name} was the size of {before.struct.name} ({before.value}), is that of {after.struct.name}"
            f" ({after.value})",
            help=f"repair the header: {advice}",
            caret=f"was the size of {before.struct.name}",
            plugins=(reason, reason),
            contract=reason,
        )


def _removed_sizes(comparison: ApiComparison) -> Iterator[Removed[SizeConstant]]:
    """Size constants that went, with the new ones that measure the same struct."""
    records, sizes = comparison.pair.types.records, comparison.pair.size_constants
    added = {each.struct: each for each in sizes.added}
    return (Removed(comparison, each, added.get(records.get(each.struct, ""))) for each in sizes.removed)


@change_rules.each("ABI508", _removed_sizes, Bump.MAJOR)
def size_macro_removed(removed: Removed[SizeConstant]) -> Iterator[RuleResult]:
    """A size constant was removed or renamed, and its struct stays.

    What changed: NEW has no constant of that name. If the struct itself was removed, became opaque or was renamed, the
    constant is not reported.

    What happens: plugins set `struct_size` from it, and no longer compile. If their authors write `sizeof` instead, the
    size includes padding.

    Instead: keep it. If it has a successor, define it as the successor.

    Source: RFC, "Implementation Conventions"; VS, "By Checking Struct Size".
    """
    old, new, api = removed.old, removed.successor, removed.apis.new
    key = removed.apis.pair.types.records.get(old.struct)
    struct = api.structs[key] if key else None
    is_followed = new is not None and key != old.struct
    if struct is None or struct.fields is None or old.name in api.constants or is_followed:
        return
    yield RuleResult(
        f"{old.name}, the size of {old.struct}, " + (f"was renamed to {new.name}" if new else "was removed"),
        help=f"keep {old.name}",
        caret=f"was {old.name}" if new else "",
        source=f"code that sets struct_size from {old.name} no longer compiles",
        about=replace(removed.about, new=new.span if new else struct.span),
    )


@change_rules.whole("ABI820", level="error")
def size_macro_broken(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A size constant names a struct or member that does not exist.

    What changed: a member or a struct was renamed, removed or became opaque, and the constant still names it; or the
    constant is new and misspelled. A constant that was wrong in OLD is reported by `abigen lint`.

    What happens: the header compiles, because compilers read a macro only where it is used. Code that uses the constant
    does not compile. No version number repairs that: the diff fails until the header is right.

    Instead: let it name the struct, and the struct's last member.

    Source: RFC, "Implementation Conventions" (the definition must use the last member).
    """
    old, new = comparison.old, comparison.new
    for constant in new.size_constants.values():
        name, before = constant.name, old.size_constants.get(constant.name)
        missing = comparison.pair.broken_sizes.get(name)
        if missing and (before is None or not missing_entity(before, old)):
            words, caret = words_for_missing(missing, new)
            yield RuleResult(
                f"{name} {words}",
                help=f"repair the header: {repair_of(constant, new)}",
                caret=caret,
                source=f"code that uses {name} does not compile" if before else "",
                about=Subject(name, before.span if before else None, constant.span),
            )


class _StaleSize(msgspec.Struct, frozen=True):
    """A size constant of NEW that leaves out members which OLD's, if there was one, did not."""

    old: Measure | None
    new: Measure
    kept: tuple[str, ...]
    """Members left out that OLD's struct has as well."""
    added: tuple[str, ...]
    """Members left out that came to a struct which OLD has."""

    @property
    def about(self) -> Subject:
        """The constant, both places, and all sizes."""
        old, new = self.old, self.new
        numbers: dict[str, int | str | None] = {"new_size": new.value, "new_unpadded_size": new.unpadded_size}
        if old is not None:
            numbers = {"old_size": old.value, "old_unpadded_size": old.unpadded_size, **numbers}
        return Subject(new.constant.name, old.constant.span if old else None, new.constant.span, numbers)

    @property
    def plugins(self) -> tuple[str, str]:
        """What happens to a plugin built against OLD, and to one built against NEW."""
        name, added, kept = self.new.constant.name, last_members(self.added), last_members(self.kept)
        reads = f"compares struct_size with {name} accepts it, and reads past its end"
        ignored = f"struct_size {self.new.value} states that {kept} is not there, so it is ignored"
        passes = f"it passes a struct without {added}; a core built against NEW that {reads}"
        receives = f"a core built against OLD passes a struct without {added}; a plugin that {reads}"
        by_plugin = (passes if added else "", ignored if kept else "")
        by_core = (ignored if kept else "", receives if added else "")
        filler = self.new.struct.filler
        if filler in (Party.PLUGIN, Party.CORE):
            return by_plugin if filler is Party.PLUGIN else by_core
        return by_plugin[0] or by_core[0], by_core[1] or by_plugin[1]


def _newly_stale(comparison: ApiComparison) -> Iterator[_StaleSize]:
    """Size constants that NEW lets fall behind, or brings too short."""
    records = {new: old for old, new in comparison.pair.types.records.items()}
    found: list[tuple[Measure | None, Measure]] = [
        (each.old, each.new) for each in _measures(comparison) if each.is_newly_stale
    ]
    added = [measure(each, comparison.new_layouts) for each in comparison.pair.size_constants.added]
    # Beside one that is right, a shorter one marks where an earlier version ended.
    stale = [each for each in added if each is not None and each.is_stale and each.names_one_struct]
    whole = {each.struct.name for each in measures(comparison.new_layouts) if not each.is_stale} if stale else set()
    found += ((None, each) for each in stale if each.struct.name not in whole)
    for before, after in found:
        struct = comparison.old.structs.get(records.get(after.struct.name, ""))
        known = {each.name for each in struct.fields or ()} if struct else set()
        kept = tuple(each for each in after.left_out if each in known)
        fresh = tuple(each for each in after.left_out if each not in known) if struct else ()
        yield _StaleSize(before, after, kept, fresh)


@change_rules.each("ABI806", _newly_stale, level="error")
def size_macro_stale(stale: _StaleSize) -> Iterator[RuleResult]:
    """A size constant does not end at the last member of its struct.

    What changed: a member was added after the member that the constant names; or the constant names an earlier member;
    or it became a number that is not the size of its struct. A constant that left out the same members in OLD is
    reported by `abigen lint`. So is a new constant beside a right one: it may mark the end of an earlier version.

    What happens: a reader that compares `struct_size` with the constant accepts an older, shorter struct, and reads
    past its end. A side built against NEW that passes the constant as its size has its last members ignored. No version
    number repairs that: the diff fails until the header is right.

    Instead: let the constant end at the last member.

    Source: RFC, "Implementation Conventions" (the definition must use the new last member).
    """
    before, after = stale.old, stale.new
    name, struct, names, last = after.constant.name, after.struct.name, last_members(after.left_out), after.left_out[-1]
    yield RuleResult(
        f"{name} is {after.value}, but {struct} ends at byte {after.unpadded_size}: it leaves out {names}",
        help=f"repair the header: let {name} end at {last}",
        caret=f"should end at {last}",
        plugins=stale.plugins,
        contract=f"if a side built against NEW passes {name} as struct_size, the reader ignores {names}",
        details=[Detail("was", f"{before.value}, and {before.struct.name} ended at byte {before.unpadded_size}")]
        if before
        else (),
    )


class _WrongNumber(msgspec.Struct, frozen=True):
    """A size constant of OLD that is a number in NEW, and not the size of its struct."""

    old: Measure
    value: int
    """NEW's, in bytes."""
    struct: Struct
    size: int
    """NEW's `sizeof`, in bytes."""
    span: Span | None

    @property
    def about(self) -> Subject:
        """OLD's name, both places, and both values."""
        constant, numbers = self.old.constant, {"old_size": self.old.value, "new_size": self.value}
        return Subject(constant.name, constant.span, self.span, numbers)


def _wrong_numbers(comparison: ApiComparison) -> Iterator[_WrongNumber]:
    """Size constants that are more than their structs have, or that are no constants of that kind any more."""
    for pair in _measures(comparison):
        if pair.new.value > pair.new.size and pair.old.value <= pair.old.size:
            new = pair.new
            yield _WrongNumber(pair.old, new.value, new.struct, new.size, new.constant.span)
    for constant in comparison.pair.size_constants.removed:
        before, now = measure(constant, comparison.old_layouts), comparison.new.constants.get(constant.name)
        key = comparison.pair.types.records.get(before.struct.name) if before is not None else None
        value = value_of(constant.name, comparison.new_layouts)
        if before is None or now is None or value is None or key is None:
            continue
        if value == before.value and release_of_size(constant.name):
            continue  # it states the size of its release, and NEW is a later one
        struct, layout = comparison.new.structs[key], comparison.new_layouts.of(key)
        if struct.fields is not None and value not in (layout.size, layout.unpadded_size):
            yield _WrongNumber(before, value, struct, layout.size, now.span)


@change_rules.also("ABI806", _wrong_numbers)
def _is_no_size(number: _WrongNumber) -> Iterator[RuleResult]:
    """A size constant that is a number now, and not the size of its struct."""
    name, before, struct = number.old.constant.name, number.old, number.struct.name
    reason = f"{name} is {before.value} in OLD and {number.value} in NEW, and each side is compiled with its own value"
    yield RuleResult(
        f"{name} was the size of {before.struct.name} ({before.value}), is {number.value}; {struct} has"
        f" {count(number.size, 'byte')}",
        help=f"repair the header: let {name} be the size of {struct} again",
        caret=f"was the size of {before.struct.name}",
        plugins=(reason, reason),
        contract=reason,
    )
