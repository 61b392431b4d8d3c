"""`lint`: one API by the rules of form, without a history."""

from __future__ import annotations

from abigen.check.exceptions import Exceptions
from abigen.check.form import Form
from abigen.check.merge import look, look_at_policy, merge, sort_key
from abigen.check.policy import Policy
from abigen.check.rule import labels, registry
from abigen.model.api import ApiSet
from abigen.model.finding import Finding


def lint(api: ApiSet, policy: Policy) -> tuple[Finding, ...]:
    """Judge the form of an API (rulebook section 4).

    Args:
        api: as it was read.
        policy: how loud each rule is.

    Returns:
        One finding per flaw, by place.

    Raises:
        AbigenError: a type's layout cannot be computed.
    """
    rules = registry().form
    forms = [Form(group.api, group.targets, policy.options, api) for group in api.groups]
    exceptions = Exceptions(policy)
    findings = exceptions.apply(merge(look(rules, form, "", policy) for form in forms))
    findings += look_at_policy(exceptions, labels(rules), policy)
    return tuple(sorted(findings, key=sort_key(api.groups[0].api.files)))
