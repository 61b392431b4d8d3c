from __future__ import annotations

from functools import partial

import pytest
from msgspec.structs import replace

from abigen.checker.compare import compare, lint
from abigen.checker.policy import Options, Policy, find_policy
from abigen.model.finding import Bump, Level, Override, Verdict
from abigen.model.span import AbigenError, Span
from tests.checker.check.headers import read

override = partial(Override, place=Span("abigen.toml", 1, 1))

OLD = """
typedef struct Toy {
  size_t struct_size;
  const char* name;
  int32_t depth;
} Toy;
typedef struct Box {
  size_t struct_size;
  const char* label;
} Box;
"""
NEW = OLD.replace("int32_t depth", "int64_t depth").replace("label;", "title;")


def judge(policy: Policy, old: str = OLD, new: str = NEW) -> Verdict:
    return compare(read(old), read(new), policy)


def rules(verdict: Verdict) -> list[str]:
    return sorted(f"{finding.rule} {finding.entity}" for finding in verdict.findings)


def test_a_rule_that_is_off_is_not_run_and_does_not_count() -> None:
    policy = Policy(levels={"field-type-changed": "off", "field-renamed": "off"})
    assert rules(judge(policy)) == []
    assert judge(policy).required is Bump.NONE


def test_a_quieter_rule_counts_as_before() -> None:
    verdict = judge(Policy(levels={"field-type-changed": "note"}))
    assert [each.level for each in verdict.findings if each.rule == "field-type-changed"] == [Level.NOTE]
    assert verdict.required is Bump.MAJOR


def test_an_exception_accepts_one_finding_and_leaves_the_rule_alone() -> None:
    accepted = override(rule="field-*", entity="Box.*", reason="nobody uses boxes")
    assert rules(judge(Policy(overrides=(accepted,)))) == ["field-type-changed Toy.depth"]


def test_an_exception_may_name_a_code_and_another_level() -> None:
    quieter = override(rule="ABI104", level="warning", reason="announced")
    verdict = judge(Policy(overrides=(quieter,)))
    assert [each.level for each in verdict.findings if each.rule == "field-renamed"] == [Level.WARNING]


def test_the_last_exception_that_matches_wins() -> None:
    policy = Policy(
        overrides=(
            override(rule="*", reason="everything is in flux"),
            override(rule="field-renamed", level="error", reason="but for names"),
        ),
    )
    assert rules(judge(policy)) == ["field-renamed Box.label"]


def test_an_exception_that_matches_nothing_is_reported() -> None:
    stale = override(rule="field-removed", entity="Toy.gone", reason="it went in 1.0")
    (finding,) = [each for each in judge(Policy(overrides=(stale,))).findings if each.code == "ABI901"]
    assert finding.rule == "exception-unused"
    assert "it went in 1.0" in finding.message


def test_an_exception_for_a_rule_of_form_is_left_alone_when_two_headers_are_compared() -> None:
    form = override(rule="implicit-padding", entity="Toy", reason="too late to change")
    policy = Policy(overrides=(form,))
    assert "exception-unused" not in {each.rule for each in judge(policy).findings}
    assert [each.rule for each in lint(read(OLD.replace("Toy", "Joy")), policy) if each.code == "ABI901"]


def test_an_exception_for_a_rule_that_does_not_exist_is_reported_everywhere() -> None:
    policy = Policy(overrides=(override(rule="field-remvoed", reason="a slip of the pen"),))
    assert "exception-unused" in {each.rule for each in judge(policy).findings}
    assert "exception-unused" in {each.rule for each in lint(read(OLD), policy)}


def test_an_exception_can_accept_what_is_said_about_the_version() -> None:
    versioned = "#define TOY_MAJOR 1\n#define TOY_MINOR 0\n#define TOY_PATCH 0\n"
    accepted = override(rule="bump-missing", reason="the version moves at the release")
    verdict = judge(Policy(overrides=(accepted,)), versioned + OLD, versioned + NEW)
    assert {each.rule for each in verdict.findings} == {"field-type-changed", "field-renamed"}
    assert not verdict.ok


def test_an_exception_holds_on_its_last_day_and_is_reported_afterwards() -> None:
    accepted = override(rule="*", reason="until the release", expires="2026-03-31")
    policy = Policy(overrides=(accepted,))
    assert rules(judge(replace(policy, today="2026-03-31"))) == []
    late = judge(replace(policy, today="2026-04-01"))
    assert {each.rule for each in late.findings} == {"exception-expired", "field-renamed", "field-type-changed"}


def test_a_change_that_breaks_source_only_does_not_count_in_binary_only() -> None:
    const = OLD.replace("const char* name", "char* name")
    assert judge(find_policy("default"), OLD, const).required is Bump.MAJOR
    assert judge(find_policy("binary-only"), OLD, const).required is Bump.PATCH


def test_a_rewritten_comment_counts_when_the_policy_says_so() -> None:
    old = OLD.replace("depth;", "depth;  // Levels below the root.")
    new = OLD.replace("depth;", "depth;  // Bytes that it may take.")
    assert judge(Policy(), old, new).required is Bump.NONE
    assert judge(Policy(options=Options(repurposed_bump=Bump.MAJOR)), old, new).required is Bump.MAJOR


def test_an_unknown_policy_is_refused_with_a_suggestion() -> None:
    with pytest.raises(AbigenError, match="did you mean `strict`"):
        find_policy("strickt")
