"""Our `dataclass` beside the standard library's: what a class does is the same."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from abigen.model.dataclass import dataclass, field, replace


def _define(dataclass: Callable[..., Any], field: Callable[..., Any]) -> dict[str, type]:
    """Classes of all kinds, made by a decorator and what describes fields to it."""

    @dataclass
    class Plain:
        fields: int
        state: str = "x"
        more: list[int] = field(default_factory=list)
        unseen: int = field(default=3, compare=False, repr=False)

    @dataclass(kw_only=True)
    class Named:
        major: int
        more: list[int] = field(default_factory=list)

    @dataclass(frozen=True)
    class Frozen:
        EMPTY: ClassVar[tuple[int, ...]] = ()
        first: int
        second: tuple[int, ...] = EMPTY
        place: str | None = field(default=None, compare=False)
        table: dict[str, int] = field(default_factory=dict, hash=False)

    @dataclass(frozen=True)
    class Derived(Frozen):
        third: int = 0

    @dataclass(frozen=True, order=True)
    class Ordered:
        major: int
        minor: int = 0

    @dataclass
    class Own:
        name: str

        def __post_init__(self) -> None:
            self.length = len(self.name)

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __eq__(self, other: object) -> bool:
            return type(other) is type(self) and str(self).lower() == str(other).lower()

    @dataclass(frozen=True)
    class Empty:
        pass

    return {each.__name__: each for each in (Plain, Named, Frozen, Derived, Ordered, Own, Empty)}


THEIRS, OURS = _define(dataclasses.dataclass, dataclasses.field), _define(dataclass, field)

ARGUMENTS: tuple[tuple[tuple[object, ...], dict[str, object]], ...] = (
    ((), {}),
    ((1,), {}),
    ((2,), {}),
    ((1, (2,)), {}),
    ((1, (2, 3), "here"), {}),
    ((1, (2, 3), "there"), {}),
    ((1, 2, 3, 4, 5, 6), {}),
    ((), {"first": 1}),
    ((), {"first": 1, "third": 1, "place": "there"}),
    ((1,), {"first": 1}),
    ((), {"fields": 1, "more": [1]}),
    ((1,), {"state": "y", "unseen": 9}),
    ((1,), {"unseen": 10}),
    ((), {"first": 1, "fourth": 2}),
    (("Name",), {}),
    ((), {"name": "name"}),
    ((), {"major": 1, "minor": 2}),
    ((), {"major": 2}),
    ((), {"major": 2, "more": [3]}),
)


def _outcome(action: Callable[..., object], *values: object) -> object:
    """What comes of something: its value in words, or the class of what it raises."""
    try:
        return repr(action(*values))
    except Exception as error:
        return type(error)


def _made(cls: type) -> list[Any]:
    """All objects of a class that can be made of the arguments; None for those of which none can."""
    made = []
    for values, named in ARGUMENTS:
        try:
            made.append(cls(*values, **copy.deepcopy(named)))
        except TypeError:
            made.append(None)
    return made


def _values(made: Any) -> dict[str, object]:
    """The values of an object's fields."""
    return {each.name: getattr(made, each.name) for each in dataclasses.fields(made)}


@pytest.mark.parametrize("name", THEIRS)
def test_a_class_takes_the_arguments_that_it_would_take_from_the_standard_library(name: str) -> None:
    theirs, ours = _made(THEIRS[name]), _made(OURS[name])
    assert [each and _values(each) for each in ours] == [each and _values(each) for each in theirs]
    assert [repr(each) for each in ours] == [repr(each) for each in theirs]
    assert any(each is None for each in ours)
    assert any(each is not None for each in ours)


@pytest.mark.parametrize("name", THEIRS)
def test_objects_compare_hash_and_order_as_those_of_the_standard_library(name: str) -> None:
    theirs, ours = ([each for each in _made(one[name]) if each is not None] for one in (THEIRS, OURS))
    for mine, other in zip(ours, theirs, strict=True):
        assert _outcome(lambda one: len({one, one}), mine) == _outcome(lambda one: len({one, one}), other)
        assert (type(mine).__hash__ is None) == (type(other).__hash__ is None)
    for at, _ in enumerate(ours):
        for to, _ in enumerate(ours):
            for compare in ("__eq__", "__lt__", "__le__", "__gt__", "__ge__"):
                answers = [_outcome(getattr(type(each[at]), compare), each[at], each[to]) for each in (ours, theirs)]
                assert answers[0] == answers[1], (compare, ours[at], ours[to])
            if ours[at] == ours[to] and type(ours[at]).__hash__ is not None and not hasattr(ours[at], "table"):
                assert hash(ours[at]) == hash(ours[to])
        assert ours[at] != "something else"


@pytest.mark.parametrize("name", THEIRS)
def test_what_is_frozen_cannot_be_changed_and_what_is_not_can(name: str) -> None:
    for mine, other in zip(_made(OURS[name]), _made(THEIRS[name]), strict=True):
        for attribute in ("major", "first", "fields", "anything"):
            assert _outcome(setattr, mine, attribute, 5) == _outcome(setattr, other, attribute, 5)
            assert _outcome(delattr, mine, attribute) == _outcome(delattr, other, attribute)


def test_the_standard_library_takes_our_classes_for_dataclasses() -> None:
    for name, theirs in THEIRS.items():
        ours = OURS[name]
        assert dataclasses.is_dataclass(ours)
        assert [(each.name, each.default, each.kw_only) for each in dataclasses.fields(ours)] == [
            (each.name, each.default, each.kw_only) for each in dataclasses.fields(theirs)
        ]
        assert vars(ours).get("__match_args__") == vars(theirs).get("__match_args__")
    one = OURS["Derived"](1, (2,), "here", {"a": 1})
    assert dataclasses.replace(one, third=7) == replace(one, third=7)
    assert replace(one, third=7) == OURS["Derived"](1, (2,), "elsewhere", {"a": 1}, 7)
    assert dataclasses.asdict(one)["table"] == {"a": 1}
    assert one != OURS["Frozen"](1, (2,), "here", {"a": 1})


def test_each_object_has_a_default_value_of_its_own() -> None:
    one, other = OURS["Plain"](1), OURS["Plain"](1)
    one.more.append(1)
    assert other.more == []


def test_objects_can_be_copied_and_pickled() -> None:
    from abigen.model.entities import NO_CONTRACT, Entity
    from abigen.model.span import Span

    one = Entity(name="a", span=Span("api.h", 3, 4))
    again = pickle.loads(pickle.dumps(one))
    assert again == one == copy.deepcopy(one)
    assert again.span == one.span
    assert again.contract is NO_CONTRACT


def test_pickles_leave_out_what_every_object_of_the_class_has_by_default() -> None:
    from abigen.model.entities import Entity

    assert b"contract" not in pickle.dumps(Entity(name="a"))


def test_a_class_that_nobody_uses_compiles_nothing() -> None:
    class_ = _define(dataclass, field)["Frozen"]
    waiting = class_.__init__
    class_(1)
    assert class_.__init__ is not waiting
    assert class_.__eq__.__code__.co_filename.endswith("dataclass.py")


@pytest.mark.parametrize("decorator", [dataclasses.dataclass, dataclass])
def test_a_function_as_a_default_is_no_method(decorator: Callable[..., Any]) -> None:
    @decorator(frozen=True)
    class Check:
        name: str
        settings: Callable[[int], int] = abs
        own: Callable[[int], int] = lambda number: number + 1

    assert (Check("a").settings(-2), Check("a").own(2)) == (2, 3)
    assert Check("a", own=abs).own(-3) == 3
