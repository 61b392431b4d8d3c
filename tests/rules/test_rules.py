"""Every rule on every pair: what it has to report, and what it has to leave alone."""

from __future__ import annotations

import pytest

from abigen.check.compare import compare
from abigen.check.rule import registry
from tests.rules.fixtures import Pair, all_pairs, in_words

PAIRS = all_pairs()

pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)


@pairs
def test_a_pair_reports_exactly_what_it_says(pair: Pair) -> None:
    verdict = compare(pair.read("old"), pair.read("new"), pair.policy)
    found = sorted(in_words(finding) for finding in verdict.findings)
    assert found == sorted(f"{each.rule} {each.entity} {each.bump}" for each in pair.expected)


@pairs
def test_the_axes_of_a_finding_are_those_that_the_pair_names(pair: Pair) -> None:
    verdict = compare(pair.read("old"), pair.read("new"), pair.policy)
    findings = {(finding.rule, finding.entity): finding for finding in verdict.findings}
    for each in pair.expected:
        axes = findings[each.rule, each.entity].axes
        assert {name: getattr(axes, name).value for name in each.axes} == dict(each.axes)


@pairs
def test_whoever_breaks_or_is_at_risk_is_told_why(pair: Pair) -> None:
    for finding in compare(pair.read("old"), pair.read("new"), pair.policy).findings:
        for axis in ("old_plugin", "new_plugin", "source", "contract"):
            answer = getattr(finding.axes, axis).value
            assert (answer != "ok") == bool(finding.axes.reasons.get(axis)), (in_words(finding), axis)


@pairs
@pytest.mark.parametrize("side", ["old", "new"])
def test_a_header_against_itself_is_silent(pair: Pair, side: str) -> None:
    verdict = compare(pair.read(side), pair.read(side), pair.policy)
    assert [in_words(finding) for finding in verdict.findings] == []


@pytest.mark.parametrize("rule", [each.name for each in [*registry().change, *registry().verdict]])
def test_a_rule_has_a_pair_that_triggers_it_and_a_near_miss(rule: str) -> None:
    own = [pair for pair in PAIRS if pair.folder.parent.name == rule.rstrip("?")]
    assert any(rule in pair.rules for pair in own), "no pair of its own triggers it"
    assert any(rule not in pair.rules for pair in own), "no near miss of its own"


def test_a_code_belongs_to_one_name() -> None:
    names: dict[str, set[str]] = {}
    for rule in registry().all():
        names.setdefault(rule.code, set()).add(rule.name)
    assert {code: found for code, found in names.items() if len(found) > 1} == {}
