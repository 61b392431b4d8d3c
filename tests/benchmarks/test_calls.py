"""Generated packages may not make calls much dearer than bare cffi; times themselves are nobody's business here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.bindings import contests, measured
from tests.benchmarks.calls import LIMIT, pairs, ratio


def test_a_call_through_a_table_takes_at_most_twice_as_long_as_with_bare_cffi(tmp_path: Path) -> None:
    measured = {name: ratio(pair) for name, pair in pairs(tmp_path).items()}
    slow = {name: f"{ours / bare:.2f}" for name, (ours, bare) in measured.items() if ours > LIMIT * bare}
    assert slow == {}


def test_members_and_callbacks_take_little_more_than_with_bare_cffi(tmp_path: Path) -> None:
    slow = {}
    for title, contest in contests(tmp_path).items():
        ours, cffi, _ = measured(contest)
        if ours > contest.limit * cffi:  # a busy machine disturbs a short look: the best of many rounds counts
            ours, cffi, _ = measured(contest, rounds=1500)
        if ours > contest.limit * cffi:
            slow[title] = f"{ours / cffi:.2f}"
    assert slow == {}


@pytest.mark.slow
def test_the_limit_is_kept_at_length(tmp_path: Path) -> None:
    measured = {name: ratio(pair, rounds=2000) for name, pair in pairs(tmp_path).items()}
    assert all(ours <= LIMIT * bare for ours, bare in measured.values())
