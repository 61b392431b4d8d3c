"""Judges an API that did not exist before: nothing has been built against it, so nothing can break."""

from __future__ import annotations

from dataclasses import replace

from abigen.check.compare import compare
from abigen.check.policy import Policy
from abigen.check.verdict import required_bump
from abigen.model.api import ApiSet
from abigen.model.finding import Axes, Bump, Level, Verdict


def begin(nothing: ApiSet, new: ApiSet, policy: Policy) -> Verdict:
    """List what a new API brings.

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
