"""Applying what a project has decided about single findings, and noticing decisions that no longer matter."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from abigen.check.policy import Override, Policy
from abigen.model.finding import Finding, Level
from abigen.model.span import Span


class Stale(NamedTuple):
    """Overrides that no longer matter; what rules about the policy itself are handed."""

    unused: tuple[Override, ...]
    """They match no finding, although a rule of the kind that was run is meant."""
    expired: tuple[Override, ...]


class Exceptions:
    """A policy's overrides in one run: which findings they change, and which of them did."""

    def __init__(self, policy: Policy) -> None:
        """Prepare to apply a policy's overrides; those that have expired do nothing any more."""
        self._overrides = policy.overrides
        today = policy.today or (time.strftime("%Y-%m-%d") if policy.overrides else "")
        self._alive = [each for each in policy.overrides if not each.expires or each.expires >= today]
        self._used: set[int] = set()
        self.accepted = 0

    def apply(self, findings: Sequence[Finding]) -> list[Finding]:
        """Give findings the level that the project wants, and drop those that it accepts.

        The last override that matches a finding wins.
        """
        if not self._alive:
            return list(findings)
        left = []
        for finding in findings:
            matching = [each for each in self._alive if _matches(each, finding)]
            self._used |= {id(each) for each in matching}
            level = matching[-1].level if matching else finding.level.value
            if level == "off":
                self.accepted += 1
            else:
                left.append(replace(finding, level=Level(level)))
        return left

    def stale(self, rules: Iterable[tuple[str, str]], others: Iterable[tuple[str, str]]) -> Stale:
        """The overrides that did not matter in this run.

        Args:
            rules: codes and names of the rules that were run.
            others: those of rules that were not; an override that means only those is left alone.
        """
        unused = [each for each in self._alive if id(each) not in self._used]
        if unused:
            run, rest = list(rules), list(others)
            unused = [each for each in unused if _means(each, run) or not _means(each, rest)]
        return Stale(tuple(unused), tuple(each for each in self._overrides if each not in self._alive))


def said_once(runs: Sequence[Sequence[Finding]]) -> list[tuple[Finding, ...]]:
    """What several runs by one policy have found, without what holds for one of them only or was said before.

    An override that matters in one run matters, so only one that is stale in all of them is reported, in the first.

    Args:
        runs: the findings of each API that was judged.
    """
    if len(runs) < 2:
        return [tuple(run) for run in runs]
    stale = set.intersection(*({_about(each) for each in run if _is_about_policy(each)} for run in runs))
    return [
        tuple(each for each in run if not _is_about_policy(each) or (not number and _about(each) in stale))
        for number, run in enumerate(runs)
    ]


def _is_about_policy(finding: Finding) -> bool:
    return finding.code.startswith("ABI9")


def _about(finding: Finding) -> tuple[str, str, Span | None]:
    """Which override a finding is about, and why."""
    return finding.code, finding.entity, finding.new


def _matches(override: Override, finding: Finding) -> bool:
    """Whether an override is about a finding."""
    from fnmatch import fnmatchcase

    return fnmatchcase(finding.entity, override.entity) and _means(override, [(finding.code, finding.rule)])


def _means(override: Override, rules: Iterable[tuple[str, str]]) -> bool:
    """Whether an override is about any of some rules, given by code and name."""
    from fnmatch import fnmatchcase

    return any(fnmatchcase(code, override.rule) or fnmatchcase(name, override.rule) for code, name in rules)
