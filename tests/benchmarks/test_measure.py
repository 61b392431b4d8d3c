"""The benchmark itself: it measures what it says, on headers that are what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import keystrokes
from tests.benchmarks.headers import header
from tests.benchmarks.measure import ROWS, Pair, measure, table
from tests.tools import require


@pytest.mark.ci
def test_the_benchmark_runs_every_way_and_prints_a_table(tmp_path: Path) -> None:
    require("gcc", "abidiff")
    old, new = tmp_path / "old.h", tmp_path / "new.h"
    old.write_text(header(6, 4))
    new.write_text(header(6, 4, version=2))
    work = tmp_path / "work"
    work.mkdir()
    results = measure(Pair("small", old, new), 1, work)
    assert set(results) == set(ROWS)
    assert all(len(costs) == 1 and costs[0].wall > 0 and costs[0].processor > 0 for costs in results.values())
    lines = table({"small": results}).splitlines()
    assert [line[:38].strip() for line in lines[1:]] == list(ROWS)


def test_generated_headers_depend_on_the_seed_alone() -> None:
    assert header(20, 5) == header(20, 5)
    assert header(20, 5) != header(20, 5, seed=2)
    assert header(20, 5) != header(20, 5, version=2)


@pytest.mark.ci
def test_keystrokes_are_answered_twice_by_a_real_server(tmp_path: Path) -> None:
    require("git")
    found = keystrokes.measure(header(6, 4), 1, tmp_path)
    assert all(0 < each.flaws <= each.changes for each in found)
    lines = keystrokes.table({"small": found}, {"small": 60}).splitlines()
    assert [line.split()[0] for line in lines] == ["milliseconds,", "small"]
    assert all(5_500 < text.count("\n") < 7_500 for text in keystrokes.headers().values())
