"""Judges APIs by all rules: OLD against NEW, a new API, or one API without a history."""

from __future__ import annotations

from dataclasses import replace

from abigen.check.comparison import ApiComparison
from abigen.check.lint_context import LintContext
from abigen.check.pairs import ApiPair
from abigen.check.policy import Exceptions, Policy
from abigen.check.release import Release, declared_bump, demanded_bump, is_enough, required_bump
from abigen.check.rule_engine import look, look_at_policy, merge, registry, sort_key
from abigen.model.api import ApiSet
from abigen.model.finding import Axes, Bump, Finding, Level, Verdict
from abigen.model.span import AbigenError


def compare(old: ApiSet, new: ApiSet, policy: Policy) -> Verdict:
    """Judge every change from OLD to NEW.

    Args:
        old: the API as it was.
        new: the API as it is; read for the same targets.
        policy: how loud each rule is and what counts.

    Returns:
        All findings, worst first, and what follows from them.

    Raises:
        AbigenError: the two have no target in common, or a type's layout cannot be computed.
    """
    targets = [target for target in new.targets if target in old.targets]
    if not targets:
        raise AbigenError.at(None, "OLD and NEW were read for different targets")
    rules = registry()
    pairs: dict[tuple[int, int], ApiPair] = {}
    runs: list[list[Finding]] = []
    for target in targets:
        before, after = old.for_target(target), new.for_target(target)
        if before is not after:
            key = (id(before), id(after))
            pair = pairs[key] = pairs.get(key) or ApiPair(before, after)
            runs.append(list(look(rules.change, ApiComparison(pair, target, policy.options), target, policy)))
    exceptions = Exceptions(policy)
    changes = exceptions.apply(merge(runs))
    about_the_whole = exceptions.apply(list(look(rules.release, _release(old, new, changes, policy), "", policy)))
    about_the_policy = look_at_policy(exceptions, [*rules.change, *rules.release], policy)
    files = new.for_target(targets[0]).files
    findings = sorted([*changes, *about_the_whole, *about_the_policy], key=sort_key(files))
    release = _release(old, new, findings, policy)
    flawed = {rule.name for rule in rules.change if rule.level == Level.ERROR.value and rule.bump is Bump.NONE}
    flaws = [each for each in findings if each.level is Level.ERROR and each.rule in flawed]
    return Verdict(
        required=release.required,
        demanded=release.demanded,
        declared=release.declared,
        ok=is_enough(release.demanded, release.declared) and not flaws,
        findings=tuple(findings),
        renamed={new: old for pair in pairs.values() for old, new in pair.types.records.items() if old != new},
        accepted=exceptions.accepted,
        flaws=len(flaws),
    )


def _release(old: ApiSet, new: ApiSet, findings: list[Finding], policy: Policy) -> Release:
    """What findings and version numbers come to; versions are those that the first common target sees."""
    target = next(target for target in new.targets if target in old.targets)
    before, after = old.for_target(target).version, new.for_target(target).version
    required = required_bump(findings)
    return Release(
        old=old,
        new=new,
        findings=tuple(findings),
        required=required,
        demanded=demanded_bump(required, before, after, policy.options.major_zero),
        declared=declared_bump(before, after),
    )


def begin(nothing: ApiSet, new: ApiSet, policy: Policy) -> Verdict:
    """List what a new API brings: nothing has been built against it, so nothing can break.

    Args:
        nothing: an API without anything in it, for the same targets.
        new: the API.
        policy: which rules count.

    Returns:
        A note for each entity, and a verdict that is always fine: a first version may be any.

    Raises:
        AbigenError: a type's layout cannot be computed.
    """
    findings = tuple(
        replace(
            each,
            bump=Bump.MINOR if each.bump is Bump.MAJOR else each.bump,
            level=Level.NOTE,
            axes=Axes(),
            help="",
        )
        for each in compare(nothing, new, policy).findings
    )
    required = required_bump(findings)
    return Verdict(required=required, demanded=required, declared="unknown", ok=True, findings=findings)


def lint(api: ApiSet, policy: Policy) -> tuple[Finding, ...]:
    """Judge one API without a history (rulebook section 4).

    Args:
        api: as it was read.
        policy: how loud each rule is.

    Returns:
        One finding per flaw, by place.

    Raises:
        AbigenError: a type's layout cannot be computed.
    """
    rules = registry().lint
    contexts = [LintContext(group.api, group.targets, policy.options, api) for group in api.groups]
    exceptions = Exceptions(policy)
    findings = exceptions.apply(merge(look(rules, context, "", policy) for context in contexts))
    findings += look_at_policy(exceptions, list(rules), policy)
    return tuple(sorted(findings, key=sort_key(api.groups[0].api.files)))
