"""A diff shows the flaws of form that NEW has and OLD had not, at their own level."""

from __future__ import annotations

import pytest

from abigen.checker.compare import compare
from abigen.checker.policy import Policy
from abigen.model.finding import Level, Override, Verdict
from tests.checker.check.headers import read

TOY = """
#include <stddef.h>
#include <stdint.h>
#define TOY_MAJOR 1
#define TOY_MINOR 2
#define TOY_PATCH 0
typedef struct Toy { size_t struct_size; int32_t weight; long width; } Toy;
int toy_weigh(const Toy* toy);
"""


def judged(new: str, policy: Policy | None = None, old: str = TOY) -> Verdict:
    return compare(read(old), read(new), policy or Policy(), with_form=True)


def said(verdict: Verdict) -> list[str]:
    return [f"{each.level.value} {each.rule} {each.entity}" for each in verdict.findings]


def test_what_old_had_as_well_is_not_shown() -> None:
    assert said(judged(TOY.replace("toy_weigh(const Toy* toy)", "toy_weigh(const Toy* it)"))) == [
        "note parameter-renamed toy_weigh",
        "note bump-missing TOY_PATCH",
    ]


@pytest.mark.parametrize(
    ("struct", "flaw", "is_ok"),
    [
        ("struct Box { int32_t width; size_t struct_size; };", "error size-field-not-first Box.struct_size", False),
        ("struct Box { int32_t width; long count; };", "warning nonportable-type Box.count", True),
        ("struct Box { size_t struct_size; int32_t a; int64_t b; };", "note implicit-padding Box.b", True),
    ],
)
def test_what_a_new_struct_brings_stands_in_the_diff_at_its_own_level(struct: str, flaw: str, is_ok: bool) -> None:
    verdict = judged(TOY.replace("MINOR 2", "MINOR 3") + struct)
    assert flaw in said(verdict)
    assert verdict.ok is is_ok
    assert verdict.required.value == "minor"


def test_a_renamed_struct_brings_nothing() -> None:
    assert said(judged(TOY.replace("Toy", "Doll"))) == ["error type-renamed Toy", "error bump-missing TOY_MAJOR"]


def test_what_a_rule_of_change_says_is_not_said_again() -> None:
    old = TOY + "#define TOY_SIZE (offsetof(Toy, width) + sizeof(long))\n"
    verdict = judged(old.replace("offsetof(Toy, width) + sizeof(long)", "offsetof(Toy, struct_size) + 8"), old=old)
    assert [each.rule for each in verdict.findings].count("size-macro-stale") == 1


def test_a_policy_and_an_exception_hold_for_them() -> None:
    new = TOY.replace("MINOR 2", "MINOR 3") + "struct Box { int32_t width; size_t struct_size; };"
    accepted = Override(rule="size-field-not-first", entity="Box*", level="off", reason="no size", place=None)
    assert judged(new, Policy(overrides=(accepted,))).ok
    assert judged(new, Policy(levels={"size-field-not-first": "warning"})).ok
    (flaw,) = (each for each in judged(new).findings if each.rule == "size-field-not-first")
    assert flaw.level is Level.ERROR
