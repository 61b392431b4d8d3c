"""Every rule of form on every header: what it has to report, and what it has to leave alone."""

from __future__ import annotations

import pytest

from abigen.checker.compare import lint, registry
from tests.checker.lint.fixtures import Case, all_cases, in_words

CASES = all_cases()

cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.mark.first_case
@cases
def test_a_header_shows_exactly_the_flaws_that_it_says(case: Case) -> None:
    found = sorted(in_words(finding) for finding in lint(case.read(), case.policy, case.library()))
    assert found == sorted(case.expected)


@pytest.mark.first_case
@cases
def test_a_flaw_has_one_place_and_says_what_it_is(case: Case) -> None:
    for finding in lint(case.read(), case.policy, case.library()):
        assert finding.new is not None
        assert finding.old is None
        assert finding.message
        assert finding.bump.value == "none"


@pytest.mark.parametrize("rule", [each.name for each in registry().lint])
def test_a_rule_of_form_has_a_header_that_triggers_it_and_a_near_miss(rule: str) -> None:
    own = [case for case in CASES if case.folder.parent.name == rule]
    triggers = [any(line.startswith(rule + " ") for line in case.expected) for case in own]
    assert any(triggers), "no header of its own triggers it"
    assert not all(triggers), "no near miss of its own"
