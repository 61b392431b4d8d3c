"""Tests that abigen and clang agree about random edits on four targets."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from tests.checker.oracle.campaign import pair, read, run
from tests.checker.oracle.clang import TARGETS, Truth, ask
from tests.checker.oracle.headers import Header, Member, Record
from tests.checker.oracle.judge import Case
from tests.tools import require


@pytest.mark.ci
@pytest.mark.parametrize(
    "count", [40, pytest.param(200, marks=pytest.mark.slow), pytest.param(600, marks=pytest.mark.slow)]
)
def test_what_moves_needs_major_and_nothing_else_is_said_to_move(count: int, tmp_path: Path) -> None:
    require("clang")
    result = run(0, count, tmp_path)
    assert result.complaints == {}
    assert all(result.judged[target] > count * 0.9 for target in TARGETS)
    assert 0 < result.judged["unchanged"] < len(TARGETS) * count / 2


def toy(*types: str) -> Header:
    members = tuple(Member(f"m{number}", f"{type} m{number}") for number, type in enumerate(types))
    return Header((), (), (Record("Toy", "struct", members),))


def case(old: Header, new: Header, directory: Path) -> Case:
    target = "x86_64-linux-gnu"
    before, after = (ask({0: header}, target, directory)[0] for header in (old, new))
    return Case(target, old, new, before, after, compare(read(old), read(new), find_policy("default")))


def test_the_judge_sees_an_all_clear_that_is_false(tmp_path: Path) -> None:
    require("clang")
    honest = case(toy("int", "char"), toy("double", "char"), tmp_path)
    assert list(honest.complaints()) == []
    silent = replace(honest, verdict=replace(honest.verdict, findings=()))
    assert [each.split(":")[0] for each in silent.complaints()] == ["Toy breaks without MAJOR"]


def test_the_judge_sees_numbers_that_are_wrong_and_moves_that_are_none(tmp_path: Path) -> None:
    require("clang")
    honest = case(toy("int", "char"), toy("double", "char"), tmp_path)
    elsewhere = replace(honest, after={"Toy": Truth(16, 8, {"m0": (64, 64), "m1": (128, 8)})})
    assert any("new_offset is 0, clang says 8" in each for each in elsewhere.complaints())
    same = replace(honest, new=honest.old, after=honest.before)
    assert any(each.startswith("nothing moved, and MAJOR") for each in same.complaints())


def test_clang_is_asked_for_bits_and_for_members_of_anonymous_unions(tmp_path: Path) -> None:
    require("clang")
    inner = Record("", "union", (Member("a", "short a"), Member("b", "int b", 3)))
    header = Header((), (), (Record("Toy", "struct", (Member("first", "char first"), Member("", record=inner))),))
    assert ask({7: header}, "i686-linux-gnu", tmp_path) == {
        7: {"Toy": Truth(8, 4, {"first": (0, 8), "a": (32, 16), "b": (32, 3)})}
    }


def test_an_edit_is_the_same_every_time() -> None:
    assert pair(5) == pair(5)
    assert pair(5) != pair(6)
