"""Causes and consequences among enumerators, on random pairs of enumerations."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from abigen.checker.enumerators import EnumeratorChanges, EnumeratorList, pair_enumerators
from abigen.model.ctype import Literal
from abigen.model.entities import Enumerator

SENTINELS = ("*_COUNT",)

Written = Sequence[tuple[str, int | None]]
"""Names in order, each with the value that is written behind it."""


def listed(written: Written) -> EnumeratorList:
    """Return the enumerators with the values that C gives them (6.7.2.2 paragraph 3)."""
    values: dict[str, int] = {}
    enumerators = []
    previous = -1
    for name, explicit in written:
        previous = previous + 1 if explicit is None else explicit
        values[name] = previous
        expression = None if explicit is None else Literal(explicit)
        enumerators.append(Enumerator(name=name, value=previous, expression=expression))
    return EnumeratorList(enumerators, values)


def compared(old: Written, new: Written) -> EnumeratorChanges:
    return pair_enumerators(listed(old), listed(new), SENTINELS, is_named=True)


names = st.sampled_from([*"ABCDEFGH", "X_COUNT"])
enumerations = st.lists(st.tuples(names, st.none() | st.integers(0, 12)), max_size=9, unique_by=lambda each: each[0])


@pytest.mark.ci
@settings(max_examples=400, deadline=None)
@given(enumerations, enumerations)
@example([("A", None), ("X_COUNT", None)], [("X_COUNT", None), ("A", None)])
@example([("B", None), ("A", None)], [("A", 1), ("B", None)])
def test_every_change_of_a_name_or_value_is_a_cause_or_follows_from_one(old: Written, new: Written) -> None:
    before, after = listed(old), listed(new)
    changes = compared(old, new)
    gone = {each.old.name for each in (*changes.removed, *changes.renamed) if each.old}
    come = {each.new.name for each in (*changes.inserted, *changes.appended, *changes.renamed) if each.new}
    assert gone == before.by_name.keys() - after.by_name.keys()
    assert come == after.by_name.keys() - before.by_name.keys()
    own = {each.old.name for each in changes.changed if each.old}
    grown = {each.old.name for each in changes.grown if each.old}
    moved = {
        name
        for name in before.by_name.keys() & after.by_name.keys()
        if before.values[name] != after.values[name] and name not in grown
    }
    for name in grown:
        assert name == "X_COUNT" and before.values[name] < after.values[name]
        assert [
            after.values[each] for each in come if after.values[each] in (after.values[name], after.values[name] - 1)
        ]
    assert own <= moved
    for name in moved - own:
        assert after.by_name[name].expression is None, "an explicit value follows from nothing"
    if moved:
        assert own or changes.inserted or changes.removed or changes.renamed, "something has to be the cause"


@settings(max_examples=200, deadline=None)
@given(enumerations)
def test_an_enumeration_against_itself_has_no_changes(written: Written) -> None:
    assert compared(written, written) == EnumeratorChanges()


@pytest.mark.ci
@settings(max_examples=200, deadline=None)
@given(enumerations, st.data())
def test_what_is_new_at_the_end_is_appended(written: Written, data: st.DataObject) -> None:
    taken = set(listed(written).values.values())
    value = data.draw(st.none() | st.integers(13, 40).filter(lambda number: number not in taken))
    end = (
        [("Z", value)]
        if value is not None or max(taken, default=-1) < listed([*written, ("Z", None)]).values["Z"]
        else []
    )
    changes = compared(written, [*written, *end])
    assert [each.new.name for each in changes.appended if each.new] == [name for name, _ in end]
    assert not (changes.removed or changes.renamed or changes.changed or changes.inserted)


def test_the_values_behind_an_insertion_are_listed_under_it() -> None:
    changes = compared([("A", None), ("B", None), ("C", None)], [("A", None), ("X", None), ("B", None), ("C", None)])
    (inserted,) = changes.inserted
    assert [str(each) for each in inserted.shifts] == ["B from 1 to 2", "C from 2 to 3"]
    assert not changes.changed


@pytest.mark.ci
def test_a_long_enumeration_is_compared_in_linear_time() -> None:
    many = [(f"E{number}", None) for number in range(20_000)]
    start = time.perf_counter()
    changes = compared(many, [("NEW", None), *many])
    assert time.perf_counter() - start < 5
    assert changes.inserted[0].more_shifts > 19_000
