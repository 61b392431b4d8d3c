"""Generated packages may not make calls much dearer than bare cffi; times themselves are nobody's business here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.calls import LIMIT, pairs, ratio


def test_a_call_through_a_table_takes_at_most_twice_as_long_as_with_bare_cffi(tmp_path: Path) -> None:
    measured = {name: ratio(pair) for name, pair in pairs(tmp_path).items()}
    slow = {name: f"{ours / bare:.2f}" for name, (ours, bare) in measured.items() if ours > LIMIT * bare}
    assert slow == {}


@pytest.mark.slow
def test_the_limit_is_kept_at_length(tmp_path: Path) -> None:
    measured = {name: ratio(pair, rounds=2000) for name, pair in pairs(tmp_path).items()}
    assert all(ours <= LIMIT * bare for ours, bare in measured.values())
