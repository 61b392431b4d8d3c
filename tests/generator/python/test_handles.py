"""Handles: one owner for each object, which says when it is used after its end, and when it is forgotten."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.generator.python.conftest import Robots

USES: dict[str, Callable[[Any, Any], object]] = {
    "an argument": lambda package, belt: package.RB_BeltLength(belt),
    "destroying it": lambda package, belt: package.RB_DeleteBelt(belt),
    "giving it away": lambda package, belt: package.RB_Join(belt),
    "taking its pointer": lambda package, belt: belt.take(),
    "its pointer": lambda package, belt: belt.cdata,
    "with": lambda package, belt: belt.__enter__(),
    "its hash": lambda package, belt: hash(belt),
    "what it stands for": lambda package, belt: belt.unwrap(),
    "comparing it": lambda package, belt: belt == package.RB_Belt.null(),
}
"""The operations on a handle to a belt."""


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("end", ["RB_DeleteBelt", "RB_Join", "close", "take"])
def test_a_handle_that_is_closed_or_given_away_raises_when_it_is_used(robots: Robots, use: str, end: str) -> None:
    belt = robots.package.RB_NewBelt(3)
    getattr(belt, end)() if hasattr(belt, end) else getattr(robots.package, end)(belt)
    state = "closed" if end in ("RB_DeleteBelt", "close") else "given away"
    with pytest.raises(ValueError, match=f"<RB_Belt {state}> cannot be used any more"):
        USES[use](robots.package, belt)
    assert not belt
    belt.close()
    assert repr(belt) == f"<RB_Belt {state}>"


def test_a_handle_that_a_member_of_a_table_destroys_is_closed(robots: Robots) -> None:
    _, robot, arms = robots.started()
    motor = arms.create_motor(robot)
    arms.destroy_motor(robot, motor)
    with pytest.raises(ValueError, match="<RB_Motor closed>"):
        arms.speed(motor)
    with arms.create_motor(robot) as motor:
        pass
    with pytest.raises(ValueError, match="<RB_Motor closed>"):
        arms.speed(motor)


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_handle_is_not_copied(robots: Robots, how: Callable[[Any], object]) -> None:
    with robots.package.RB_NewBelt(3) as belt:
        with pytest.raises(TypeError, match=r"RB_Belt at 0x\w+> cannot be copied"):
            how(belt)
        with pytest.raises(TypeError, match="cannot be copied"):
            robots.package.RB_Belt(belt)


def test_a_forgotten_handle_warns_with_the_place_where_it_was_made(robots: Robots) -> None:
    with pytest.warns(ResourceWarning, match=rf"<RB_Belt at 0x\w+>, made at {__file__}:\d+, was never closed"):
        robots.package.RB_NewBelt(3)
        gc.collect()
    _, robot, arms = robots.started()
    with pytest.warns(ResourceWarning, match=rf"RB_Motor.*{__file__}"):
        arms.create_motor(robot)
        gc.collect()


def test_nobody_warns_of_handles_that_are_closed_given_away_or_someone_else_s(robots: Robots) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        robots.package.RB_NewBelt(3).close()
        robots.package.RB_Join(robots.package.RB_NewBelt(3))
        with robots.package.RB_NewBelt(4) as belt:
            robots.package.RB_Belt(belt.cdata)
        gc.collect()
    assert [each for each in seen if each.category is ResourceWarning] == []
