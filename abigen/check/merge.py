"""From what rules report per target to findings: merged, given a level, sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from abigen.check.exceptions import Exceptions
from abigen.check.policy import Policy
from abigen.check.rule import Report, Rule, labels, registry
from abigen.model.finding import Axis, Bump, Finding, Level

Subject = TypeVar("Subject")

_SEVERITY = {Axis.OK: 0, Axis.AT_RISK: 1, Axis.BREAKS: 2}


def look(rules: Sequence[Rule[Subject]], subject: Subject, target: str, policy: Policy) -> Iterable[Finding]:
    """Run rules on one subject.

    Args:
        rules: all of the subject's kind.
        subject: what they are handed.
        target: the target that the reports are about; empty when they are about none.
        policy: rules that it switches off are not run.
    """
    for rule in rules:
        name = rule.name
        if policy.levels.get(name) == "off":
            continue
        for report in rule.look(subject):
            level = policy.level_of(name, report.bump, report.level)
            if level != "off":
                yield _finding(rule.code, name, report, Level(level), target)


def merge(runs: Iterable[Iterable[Finding]]) -> list[Finding]:
    """Make one finding of those that say the same of one entity in several runs.

    The most severe one speaks for all; `targets` keeps each target's own numbers and bump. Findings of one run are
    never merged with each other.

    Args:
        runs: the findings of each target (or group of targets) that was looked at.
    """
    merged: dict[tuple[str, str, int], Finding] = {}
    for run in runs:
        seen: dict[tuple[str, str], int] = {}
        for finding in run:
            name = finding.rule, finding.entity
            seen[name] = seen.get(name, 0) + 1
            key = (*name, seen[name])
            known = merged.get(key)
            if known is None:
                merged[key] = finding
                continue
            worst = finding if severity(finding) > severity(known) else known
            merged[key] = replace(worst, targets={**known.targets, **finding.targets})
    return list(merged.values())


def look_at_policy(exceptions: Exceptions, run: Iterable[tuple[str, str]], policy: Policy) -> Iterable[Finding]:
    """Findings about overrides that no longer matter.

    Args:
        exceptions: the overrides, after they were applied to all findings.
        run: codes and names of the rules that were run.
        policy: what the overrides are part of.
    """
    if not policy.overrides:
        return
    names = list(run)
    others = labels(registry().all())
    stale = exceptions.stale(names, [each for each in others if each not in names])
    yield from look(registry().policy, stale, "", policy)


def severity(finding: Finding) -> tuple[int, int]:
    """How bad a finding is, for comparing: its bump, then its axes."""
    axes = finding.axes
    return finding.bump.rank, sum(
        _SEVERITY[axis] for axis in (axes.old_plugin, axes.new_plugin, axes.source, axes.contract)
    )


def sort_key(files: Sequence[str]) -> Callable[[Finding], tuple[object, ...]]:
    """The order in which findings are shown: worst first, then by place, what another one causes behind that.

    Args:
        files: the API's own files in order.
    """
    order = {name: place for place, name in enumerate(files)}

    def key(finding: Finding) -> tuple[object, ...]:
        place = finding.new or finding.old
        where = (order.get(place.file, len(order)), place.line, place.column) if place else (-1, 0, 0)
        before = (finding.old.line, finding.old.column) if finding.old else (0, 0)
        follows = any(detail.label == "cause" for detail in finding.details)
        return (-finding.bump.rank, where, before, follows, finding.code, finding.entity)

    return key


def _finding(code: str, name: str, report: Report, level: Level, target: str) -> Finding:
    """A finding of what a rule reported on one target."""
    numbers = {"bump": report.bump.value, **report.numbers}
    return Finding(
        code=code,
        rule=name,
        entity=report.entity,
        bump=report.bump,
        level=level,
        axes=report.axes,
        message=report.message,
        help=report.help,
        details=report.details,
        old=report.old,
        new=report.new,
        caret=report.caret,
        targets={target: numbers} if target else {},
    )


def worst_by_target(findings: Iterable[Finding], entity: str) -> dict[str, Bump]:
    """The highest bump that any finding about an entity requires on each target."""
    worst: dict[str, Bump] = {}
    for finding in findings:
        if finding.entity == entity:
            for target, numbers in finding.targets.items():
                bump = Bump(str(numbers["bump"]))
                worst[target] = max(worst.get(target, Bump.NONE), bump, key=lambda each: each.rank)
    return worst
