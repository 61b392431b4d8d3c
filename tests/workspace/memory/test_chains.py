"""Random chains of edits give the same answers with and without what is stored."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sampling import short_form
from tests.workspace.memory.__main__ import BLOCK, main
from tests.workspace.memory.chains import check_chains

CHAINS = 500


@pytest.fixture(autouse=True)
def _without_cycles() -> Iterator[None]:
    """Turn off the search for cycles, as the program itself does."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.ci
@pytest.mark.parametrize("first", short_form(range(0, CHAINS, BLOCK), 20, in_ci=True, ci_every=9))
def test_what_is_stored_changes_no_answer(tmp_path: Path, first: int) -> None:
    check_chains(range(first, first + BLOCK), tmp_path)


@pytest.mark.fuzz
def test_what_is_stored_changes_no_answer_in_the_long_form() -> None:
    main(CHAINS)
