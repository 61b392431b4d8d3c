"""`compare`: OLD against NEW, by all rules, on all targets."""

from __future__ import annotations

from abigen.check.comparison import Comparison
from abigen.check.exceptions import Exceptions
from abigen.check.judgement import Judgement
from abigen.check.merge import look, look_at_policy, merge, sort_key
from abigen.check.pairing.api import ApiPair
from abigen.check.policy import Policy
from abigen.check.rule import labels, registry
from abigen.check.verdict import declared_bump, demanded_bump, is_enough, required_bump
from abigen.model.api import Api, ApiSet
from abigen.model.finding import Finding, Verdict
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
    rules = registry(form=False)
    pairs: dict[tuple[int, int], ApiPair] = {}
    runs: list[list[Finding]] = []
    for target in targets:
        before, after = old.for_target(target), new.for_target(target)
        if before is after:
            continue
        pair = pairs.setdefault((id(before), id(after)), ApiPair(before, after))
        runs.append(list(look(rules.change, Comparison(pair, target, policy.options), target, policy)))
    exceptions = Exceptions(policy)
    changes = exceptions.apply(merge(runs))
    first_old, first_new = old.for_target(targets[0]), new.for_target(targets[0])
    judgement = _judge(old, new, changes, first_old, first_new, policy)
    about_the_whole = exceptions.apply(list(look(rules.verdict, judgement, "", policy)))
    about_the_policy = look_at_policy(exceptions, labels((*rules.change, *rules.verdict)), policy)
    findings = sorted([*changes, *about_the_whole, *about_the_policy], key=sort_key(first_new.files))
    verdict = _judge(old, new, findings, first_old, first_new, policy)
    return Verdict(
        required=verdict.required,
        demanded=verdict.demanded,
        declared=verdict.declared,
        ok=is_enough(verdict.demanded, verdict.declared),
        findings=tuple(findings),
        renamed={new: old for pair in pairs.values() for old, new in pair.types.records.items() if old != new},
        accepted=exceptions.accepted,
    )


def _judge(old: ApiSet, new: ApiSet, findings: list[Finding], old_api: Api, new_api: Api, policy: Policy) -> Judgement:
    """Fold findings and versions."""
    required = required_bump(findings)
    return Judgement(
        old=old,
        new=new,
        findings=tuple(findings),
        required=required,
        demanded=demanded_bump(required, old_api.version, new_api.version, policy.options.major_zero),
        declared=declared_bump(old_api.version, new_api.version),
        options=policy.options,
    )
