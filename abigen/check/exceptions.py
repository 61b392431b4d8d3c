"""Applying what a project has decided about single findings, and noticing decisions that no longer matter."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from abigen.check.policy import Override, Policy
from abigen.model.finding import Bump, Finding, Level

UNUSED = "ABI901"
EXPIRED = "ABI902"


def apply_overrides(findings: Sequence[Finding], policy: Policy) -> list[Finding]:
    """Give findings the level that the project wants, drop those that it accepts, and report decisions that are stale.

    The last override that matches a finding wins. One that has expired does nothing any more.

    Returns:
        The findings that are left, then `exception-unused` and `exception-expired` for the overrides themselves.
    """
    if not policy.overrides:
        return list(findings)
    today = policy.today or time.strftime("%Y-%m-%d")
    alive = [each for each in policy.overrides if not each.expires or each.expires >= today]
    used: set[int] = set()
    left = []
    for finding in findings:
        matching = [each for each in alive if _matches(each, finding)]
        used |= {id(each) for each in matching}
        level = matching[-1].level if matching else finding.level.value
        if level != "off":
            left.append(replace(finding, level=Level(level)))
    expired = [each for each in policy.overrides if each not in alive]
    unused = [each for each in alive if id(each) not in used]
    return left + [_about(each, EXPIRED) for each in expired] + [_about(each, UNUSED) for each in unused]


def _matches(override: Override, finding: Finding) -> bool:
    """Whether an override is about a finding."""
    from fnmatch import fnmatchcase

    return fnmatchcase(finding.entity, override.entity) and (
        fnmatchcase(finding.rule, override.rule) or fnmatchcase(finding.code, override.rule)
    )


def _about(override: Override, code: str) -> Finding:
    """A finding about an override itself."""
    what = f"{override.rule} of {override.entity}"
    if code == EXPIRED:
        rule, message = "exception-expired", f"the exception for {what} expired on {override.expires}"
        help = "repair what it excused, or decide anew and write a later date"
    else:
        rule, message = "exception-unused", f"the exception for {what} matches no finding"
        help = "remove it"
    return Finding(
        code=code,
        rule=rule,
        entity=what,
        bump=Bump.NONE,
        level=Level.WARNING,
        message=f"{message} (its reason: {override.reason})",
        help=help,
        new=override.place,
    )
