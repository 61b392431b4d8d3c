"""Our `NamedTuple` beside the standard library's: what a class does is the same."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pytest

from abigen.model.namedtuple import NamedTuple

Value = TypeVar("Value")


def _define(base: Any) -> dict[str, type]:
    """Classes of all kinds, with a base that makes them named tuples."""

    class Plain(base):  # type: ignore[misc]
        """What it is for."""

        name: str
        size: int | None
        more: tuple[int, ...] = ()

        @property
        def words(self) -> str:
            return f"{self.name} {self.size}"

        def __str__(self) -> str:
            return f"<{self.name}>"

    class Defaults(base):  # type: ignore[misc]
        name: str = "a"
        size: int = 1

    class Parameterized(base, Generic[Value]):  # type: ignore[misc]
        name: Value

    class Derived(Plain):
        def twice(self) -> int:
            return 2 * len(self)

    class Empty(base):  # type: ignore[misc]
        pass

    return {each.__name__: each for each in (Plain, Defaults, Parameterized, Derived, Empty)}


THEIRS, OURS = _define(typing.NamedTuple), _define(NamedTuple)

ARGUMENTS: tuple[tuple[tuple[object, ...], dict[str, object]], ...] = (
    ((), {}),
    (("a",), {}),
    (("a", 1), {}),
    (("a", 1, (2,)), {}),
    (("a", 1, (2,), 3), {}),
    (("b",), {"size": None}),
    ((), {"name": "c", "size": 3, "more": ()}),
    ((), {"size": 3, "name": "c"}),
    (("a",), {"name": "b"}),
    (("a",), {"width": 1}),
)


def _outcome(action: Callable[..., object], *values: object, **named: object) -> object:
    """What comes of something: its value, or the class of what it raises."""
    try:
        return action(*values, **named)
    except Exception as error:
        return type(error)


def _both(name: str) -> list[tuple[Any, Any]]:
    """Objects of our class and of theirs, made of the same arguments."""
    made = []
    for values, named in ARGUMENTS:
        ours, theirs = (_outcome(cls, *values, **named) for cls in (OURS[name], THEIRS[name]))
        assert isinstance(ours, type) == isinstance(theirs, type)
        assert ours == theirs
        if not isinstance(ours, type):
            made.append((ours, theirs))
    assert made
    return made


@pytest.mark.parametrize("name", THEIRS)
def test_a_class_takes_the_arguments_that_it_would_take_from_the_standard_library(name: str) -> None:
    for ours, theirs in _both(name):
        assert (tuple(ours), repr(ours), str(ours)) == (tuple(theirs), repr(theirs), str(theirs))
        assert ours._asdict() == theirs._asdict()
    assert inspect.signature(OURS[name]).parameters.keys() == inspect.signature(THEIRS[name]).parameters.keys()


@pytest.mark.parametrize("name", THEIRS)
def test_objects_are_tuples_that_compare_and_hash_by_value(name: str) -> None:
    for ours, theirs in _both(name):
        assert tuple in type(ours).__mro__
        assert ours == theirs == tuple(ours)
        assert hash(ours) == hash(theirs)
        assert [getattr(ours, each) for each in ours._asdict()] == list(theirs)


@pytest.mark.parametrize("name", THEIRS)
def test_members_can_be_replaced_and_not_assigned(name: str) -> None:
    for ours, theirs in _both(name):
        replacements: tuple[dict[str, object], ...] = ({}, {"name": "z"}, {"size": 9, "name": "y"}, {"width": 1})
        for values in replacements:
            mine, other = (_outcome(each._replace, **values) for each in (ours, theirs))
            assert mine == other or {mine, other} == {ValueError, TypeError}  # which of the two depends on the version
            assert isinstance(mine, type) or type(mine) is type(ours)
        assert _outcome(setattr, ours, "name", 1) == _outcome(setattr, theirs, "name", 1)


@pytest.mark.parametrize("name", THEIRS)
def test_a_class_says_of_itself_what_the_standard_librarys_would_say(name: str) -> None:
    ours: Any = OURS[name]
    theirs: Any = THEIRS[name]
    for attribute in ("__name__", "__qualname__", "__module__", "__match_args__", "_fields", "_field_defaults"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert ours.__doc__ == theirs.__doc__ or name != "Plain"
    assert ours._make(range(len(ours._fields))) == theirs._make(range(len(theirs._fields)))
    assert _outcome(ours._make, range(9)) is TypeError


def test_a_member_without_default_behind_one_with_is_refused() -> None:
    def define(base: Any) -> type:
        class Wrong(base):  # type: ignore[misc]
            name: str = ""
            size: int

        return Wrong

    assert _outcome(define, NamedTuple) is _outcome(define, typing.NamedTuple) is TypeError


def test_objects_can_be_copied_pickled_and_matched() -> None:
    from abigen.model.layout import Hole

    hole = Hole(4, 2)
    assert pickle.loads(pickle.dumps(hole)) == copy.deepcopy(hole) == copy.copy(hole) == hole
    assert type(pickle.loads(pickle.dumps(hole))) is Hole
    match hole:
        case Hole(offset, size):
            assert (offset, size) == (4, 2)


def test_a_class_that_nobody_uses_compiles_nothing() -> None:
    class_: Any = _define(NamedTuple)["Plain"]
    waiting = class_.__new__
    class_("a", 1)
    assert class_.__new__ is not waiting


def test_classes_with_parameters_can_be_named_with_them() -> None:
    class_: Any = OURS["Parameterized"]
    assert class_[int].__origin__ is class_
