"""Random changes: what `abigen diff` says of binaries is what binaries do."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.finding import Axis
from tests.runner.skew.oracle import Case, disagreements, judge, make_case, run
from tests.tools import require, works

BATCH = 20
BATCHES = range(0, 300, BATCH)


@pytest.mark.ci
@pytest.mark.parametrize(
    "first", [pytest.param(each, marks=[] if each % (12 * BATCH) == 0 else pytest.mark.slow) for each in BATCHES]
)
def test_binaries_do_what_the_findings_say(first: int, tmp_path: Path) -> None:
    require("gcc -fsanitize=address,undefined")
    cases = [make_case(seed, seed) for seed in range(first, first + BATCH)]
    narrow, wide = "i686-linux-gnu", "x86_64-linux-gnu"
    run(cases, tmp_path, narrow if first % (2 * BATCH) and works("gcc -m32 -fsanitize=address,undefined") else wide)
    wrong = {f"case {each.number}, {each.changes}": told for each in cases if (told := list(disagreements(each)))}
    assert not wrong
    assert any(each.outcomes for each in cases), "nothing breaks at all: are the programs run?"


def _tried(old: str, new: str, folder: Path) -> Case:
    """Return the result of one case with given texts."""
    case = Case(1, old, new, [])
    run([case], folder)
    return case


def test_a_verdict_that_passes_over_a_break_is_told_of(tmp_path: Path) -> None:
    require("gcc -fsanitize=address,undefined")
    case = _tried(
        "typedef struct C1_T { int m1; int m2; } C1_T;\n", "typedef struct C1_T { int m2; int m1; } C1_T;\n", tmp_path
    )
    assert not list(disagreements(case))
    case.findings = ()
    assert any("no finding says so" in each for each in disagreements(case))


def test_a_verdict_that_sees_a_break_where_there_is_none_is_told_of(tmp_path: Path) -> None:
    require("gcc -fsanitize=address,undefined")
    moved = Case(
        1, "typedef struct C1_T { int m1; int m2; } C1_T;\n", "typedef struct C1_T { int m2; int m1; } C1_T;\n", []
    )
    judge(moved)
    assert any(each.axes.old_plugin is Axis.BREAKS for each in moved.findings)
    case = _tried(moved.old, moved.old, tmp_path)
    assert not list(disagreements(case))
    case.findings = moved.findings
    assert any("nothing differs" in each for each in disagreements(case))


def test_an_alternative_that_becomes_a_group_is_filled_by_its_names(tmp_path: Path) -> None:
    """`m1` stands in two alternatives: the one that it is in tells which is meant."""
    require("gcc -fsanitize=address,undefined")
    inner = "typedef struct C1_I { int m1; char m2; } C1_I;\n"
    old = "typedef struct C1_T { long m3; int m1; char m2; } C1_T;\n"
    new = "typedef struct C1_T { long m3; C1_I m4; } C1_T;\n"
    union = "typedef union C1_U {{ C1_T m5[4]; C1_T m6[1]; {more}}} C1_U;\n"
    case = _tried(inner + old + union.format(more=""), inner + new + union.format(more="int m7[2]; "), tmp_path)
    assert not list(disagreements(case))


def test_a_member_with_another_name_at_each_side_is_not_tried(tmp_path: Path) -> None:
    require("gcc -fsanitize=address,undefined")
    group = "typedef struct C1_T {{ union {{ {} }} {}; long m3; }} C1_T;\n"
    case = _tried(group.format("char *m1;", ""), group.format("const char *m2;", "m4"), tmp_path)
    assert any(each.axes.old_plugin is Axis.BREAKS for each in case.findings)
    assert not list(disagreements(case))


def test_a_new_alternative_below_a_new_group_is_filled_by_nobody_else(tmp_path: Path) -> None:
    require("gcc -fsanitize=address,undefined")
    inner = "typedef struct C1_I {{ long m1; union {{ long m2[2]; {more}short m3; }} m4; }} C1_I;\n"
    old = inner.format(more="") + "typedef struct C1_T { union { long m5; C1_I m6; C1_I m7; }; int *m8; } C1_T;\n"
    new = inner.format(more="long m9; ") + (
        "typedef struct C1_G { union { long m5; C1_I m6; C1_I m7; }; } C1_G;\n"
        "typedef struct C1_T { C1_G m10; int *m8; } C1_T;\n"
    )
    case = _tried(old, new, tmp_path)
    assert not list(disagreements(case))


def test_a_member_is_renamed_below_a_union_that_gets_an_alternative(tmp_path: Path) -> None:
    require("gcc -fsanitize=address,undefined")
    inner = "typedef struct C1_I {{ long m1; int {name}; }} C1_I;\n"
    union = "typedef union C1_T {{ {more}long m3; C1_I m4[2]; }} C1_T;\n"
    old, new = inner.format(name="m2") + union.format(more=""), inner.format(name="m5") + union.format(more="int m6; ")
    case = _tried(old, new, tmp_path)
    assert not list(disagreements(case))
