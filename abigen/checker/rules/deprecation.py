"""Rules about deprecation: entities that are deprecated, and removals of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, change_rules, changed_symbols
from abigen.checker.pairs import ApisOnTarget, Changed
from abigen.checker.rule import AtRisk, RuleResult, Subject
from abigen.checker.struct_members import is_reserved
from abigen.checker.struct_pairs import KeptMember, RemovedMember
from abigen.model.api import Api
from abigen.model.contract import Contract, Party, Requirement, Zero
from abigen.model.entities import Constant, Entity, Enum, Function, Macro, Variable
from abigen.model.finding import Bump, Detail


def _after_transition(apis: ApisOnTarget) -> str:
    """Return the advice about the end of a deprecated entity."""
    return apis.to_raise("raise MINOR; ") + "remove it in a MAJOR release after the transition"


def _going_out(obstacle: str) -> Callable[[ApiComparison], Iterator[KeptMember]]:
    """Return members that NEW deprecates without a successor, by the statement of OLD that forbids a zero."""

    def members(comparison: ApiComparison) -> Iterator[KeptMember]:
        for struct in comparison.structs:
            for each in struct.newly_deprecated:
                if each.name not in struct.successors and _obstacle(each.old.field.contract) == obstacle:
                    yield replace(each, is_measured=False)

    return members


def _obstacle(contract: Contract) -> str:
    """Return the statement of OLD that forbids to leave a member zero: `zero`, `requirement` or nothing."""
    if contract.zero is Zero.MEANINGFUL:
        return "zero"
    if contract.requirement in (Requirement.REQUIRED, Requirement.CONDITIONAL):
        return "requirement"
    if contract.zero is Zero.UNSAID:
        return "zero"
    return "" if contract.is_optional else "requirement"


@change_rules.each("ABI601", _going_out(""), Bump.MINOR, "warning")
def field_deprecated(member: KeptMember) -> Iterator[RuleResult]:
    """A member that may be zero was deprecated."""
    yield RuleResult(
        f"{member.entity} was deprecated; it is optional and zero is a no-op, so older consumers ignore a zero",
        help=_after_transition(member.struct.apis),
        caret="deprecated",
    )


@change_rules.each("ABI602", _going_out("zero"), Bump.MAJOR)
def deprecated_meaningful_zero(member: KeptMember) -> Iterator[RuleResult]:
    """A member was deprecated, but its zero has a meaning, or no meaning is stated."""
    zero, apis = member.zero, member.struct.apis
    if member.old.field.contract.zero is Zero.MEANINGFUL:
        yield RuleResult(
            f"{member.entity} was deprecated, but {zero} is a valid value of it",
            help="append a member that replaces it and set both" + apis.to_raise(", or raise MAJOR"),
            caret="deprecated",
            plugins=_left_zero(member, f"reads {zero} as a value, because OLD does not state that it is a no-op"),
            contract=f"{zero} is no-op in NEW, and a value in OLD",
        )
    else:
        yield RuleResult(
            f"{member.entity} was deprecated, but OLD does not state that {zero} is a no-op",
            Bump.MINOR,
            help=f"write `{zero} is no-op.` in an earlier release, or append a member that `Replaces {member.name}.`",
            caret="deprecated",
            contract=AtRisk(
                f"a side built against OLD may read {zero} as a value: OLD does not state that it is a no-op"
            ),
            level="warning",
        )


@change_rules.each("ABI603", _going_out("requirement"), Bump.MAJOR)
def deprecated_required_field(member: KeptMember) -> Iterator[RuleResult]:
    """A member was deprecated that producers must set, or that is not marked as optional."""
    requirement = member.old.field.contract.requirement
    plugins = _left_zero(member, f"may reject {member.zero}, because OLD does not state that it is optional")
    said = "OLD requires it" if requirement else "OLD does not state that it is optional"
    if requirement is Requirement.CONDITIONAL:
        said = "OLD requires it under a condition"
    result = RuleResult(
        f"{member.entity} was deprecated, but {said}",
        help="write `Optional.` in an earlier release" + member.struct.apis.to_raise(", or raise MAJOR"),
        caret="deprecated",
        plugins=plugins,
    )
    if not requirement:
        at_risk = (AtRisk(plugins[0]), AtRisk(plugins[1]))
        result = replace(
            result, bump=Bump.MINOR, help="write `Optional.` in an earlier release", plugins=at_risk, level="warning"
        )
    yield result


def _left_zero(member: KeptMember, reason: str) -> tuple[str, str]:
    """Return the effects on plugins of both sides when newer producers leave a member zero.

    Args:
        member: that NEW marks as deprecated.
        reason: what an older consumer does with a zero.
    """
    for_old = f"a core built against NEW may leave {member.name} zero; it {reason}"
    for_new = f"it may leave {member.name} zero; a core built against OLD {reason}"
    return "" if member.filler is Party.PLUGIN else for_old, "" if member.filler is Party.CORE else for_new


def _replaced(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Return members that NEW marks as deprecated, and that have a successor."""
    deprecated = (each for struct in comparison.structs for each in struct.newly_deprecated)
    return (each for each in deprecated if each.name in each.struct.successors)


@change_rules.each("ABI604", _replaced, Bump.MINOR, "warning")
def renamed_by_deprecation(member: KeptMember) -> Iterator[RuleResult]:
    """A member was deprecated, and a new member replaces it."""
    struct, name = member.struct, member.name
    successor = struct.successors[name]
    new = next(each for each in struct.new_members if each.name == successor)
    is_appended = any(each.name == successor for each in struct.fields.appended)
    if is_appended:
        reader = f"must use {successor} only if struct_size is at least {new.end}, and {name} otherwise"
        old_plugin = f"it knows only {name}; a core built against NEW {reader}"
        new_plugin = f"a core built against OLD knows only {name}; it {reader}"
    else:
        reader = f"must use {successor} if {name} is zero"
        old_plugin = f"it may set only one of {name} and {successor}; a core built against NEW {reader}"
        new_plugin = f"it may leave {name} zero; a core built against OLD {reader}"
    yield RuleResult(
        f"{member.entity} was deprecated; {successor} at offset {new.offset} replaces it",
        help="set both during the transition" + struct.apis.to_raise("; raise MINOR"),
        caret=f"use {successor}",
        plugins=(AtRisk(old_plugin), AtRisk(new_plugin)),
        details=[Detail("replaced", f"by {successor}, {'new ' if is_appended else ''}at offset {new.offset}")],
        numbers={"old_offset": member.old.offset, "new_offset": new.offset, "new_size": new.size},
    )


@change_rules.whole("ABI605", Bump.MINOR, "warning")
def type_deprecated(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A type was deprecated."""
    for old, new in _types(comparison):
        if _is_new_mark(old, new) and not _is_deprecated(old.name, comparison.old):
            yield replace(deprecated(old.name, new, comparison), about=Subject(old.name, old.span, new.span))


def _types(comparison: ApiComparison) -> Iterator[tuple[Entity, Entity]]:
    """Return the types whose mark differs; of a struct and its typedef, which may both carry one, the first counts."""
    types: list[tuple[Entity, Entity]] = [(struct.old, struct.new) for struct in comparison.structs]
    types += [*comparison.pair.enums.changed, *comparison.pair.typedefs.changed]
    marked = {old.name: (old, new) for old, new in reversed(types) if _is_new_mark(old, new) or _is_new_mark(new, old)}
    return iter(reversed(marked.values()))


@change_rules.whole("ABI606", Bump.MINOR, "warning")
def enumerator_deprecated(comparison: ApiComparison) -> Iterator[RuleResult]:
    """An enumerator was deprecated."""
    for entity, old, new in _enumerators(comparison):
        if _is_new_mark(old, new):
            yield replace(deprecated(entity, new, comparison), about=Subject(entity, old.span, new.span))


def _enumerators(comparison: ApiComparison) -> Iterator[tuple[str, Entity, Entity]]:
    """Yield the enumerators of both sides of enumerations that differ, with what findings call them."""
    for old, new in comparison.pair.enums.changed:
        before = {each.name: each for each in old.enumerators or ()}
        for each in new.enumerators or ():
            if each.name in before:
                yield _enumerator(old, each.name), before[each.name], each


@change_rules.each("ABI406", changed_symbols, Bump.MINOR, "warning")
def function_deprecated(function: Changed[Function] | Changed[Variable]) -> Iterator[RuleResult]:
    """A function or variable was deprecated."""
    if _is_new_mark(function.old, function.new):
        yield replace(deprecated(function.name, function.new, function.apis), help="")


def _constants(comparison: ApiComparison) -> Iterator[Changed[Constant] | Changed[Macro]]:
    """Constants and function-like macros of both sides that differ."""
    yield from comparison.changed(comparison.pair.constants)
    yield from comparison.changed(comparison.pair.macros)


@change_rules.each("ABI617", _constants, Bump.MINOR, "warning")
def constant_deprecated(constant: Changed[Constant] | Changed[Macro]) -> Iterator[RuleResult]:
    """A constant or a macro was deprecated."""
    if _is_new_mark(constant.old, constant.new):
        yield deprecated(constant.name, constant.new, constant.apis)


def deprecated(entity: str, new: Entity, apis: ApisOnTarget) -> RuleResult:
    """Return the result about an entity that NEW marks as deprecated and that no side sets."""
    use = new.contract.lifecycle.replaced_by
    message = f"{entity} was deprecated" + (f"; use {use}" if use else "")
    return RuleResult(message, help=_after_transition(apis), caret="deprecated")


def _is_new_mark(old: Entity, new: Entity) -> bool:
    """True if only NEW marks an entity as deprecated."""
    return new.contract.lifecycle.deprecated and not old.contract.lifecycle.deprecated


def _enumerator(enum: Enum, name: str) -> str:
    """Return the name of an enumerator in findings: an enumeration without a name leaves it bare."""
    return name if enum.anonymous else f"{enum.name}.{name}"


def _is_deprecated(name: str, api: Api) -> bool:
    """True if anything of a name that is a type is marked as deprecated."""
    entities = (api.structs.get(name), api.enums.get(name), api.typedefs.get(name))
    return any(entity is not None and entity.contract.lifecycle.deprecated for entity in entities)


def _kept_again(comparison: ApiComparison) -> Iterator[KeptMember]:
    """Return members that only OLD marks as deprecated."""
    members = comparison.paired_members
    return (replace(each, is_measured=False) for each in members if _is_new_mark(each.new.field, each.old.field))


@change_rules.each("ABI607", _kept_again, Bump.MINOR, "warning")
def field_undeprecated(member: KeptMember) -> Iterator[RuleResult]:
    """A deprecated member is no longer deprecated."""
    check = f"must still check {member.name} for zero"
    for_old = AtRisk(f"it may leave {member.name} zero; a core built against NEW {check}")
    for_new = AtRisk(f"a core built against OLD may leave {member.name} zero; it {check}")
    yield RuleResult(
        f"{member.entity} is no longer deprecated",
        help="check that every producer still sets it",
        caret="no longer deprecated",
        plugins=("" if member.filler is Party.CORE else for_old, "" if member.filler is Party.PLUGIN else for_new),
    )


@change_rules.whole("ABI618", Bump.NONE)
def undeprecated(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A function, type, enumerator, constant or macro is no longer deprecated."""
    named: list[tuple[str, Entity, Entity]]
    named = [(each.name, each.old, each.new) for each in (*changed_symbols(comparison), *_constants(comparison))]
    named += [(old.name, old, new) for old, new in _types(comparison) if not _is_deprecated(old.name, comparison.new)]
    for entity, old, new in (*named, *_enumerators(comparison)):
        if _is_new_mark(new, old):
            yield RuleResult(
                f"{entity} is no longer deprecated",
                help="state in the release notes that it stays",
                caret="no longer deprecated",
                about=Subject(entity, old.span, new.span),
            )


@change_rules.each("ABI610", lambda comparison: comparison.removed_members, Bump.MAJOR, "warning")
def removed_without_deprecation(removed: RemovedMember) -> Iterator[RuleResult]:
    """A member was removed that was never deprecated."""
    marks = (each.contract.lifecycle.deprecated for each in (removed.struct.old, removed.member.field))
    if not any(marks) and not is_reserved(removed.member):
        yield RuleResult(
            f"{removed.entity} was removed without a release in which it was deprecated",
            source="code that uses it no longer compiles, and no release announced it",
            numbers={},
        )
