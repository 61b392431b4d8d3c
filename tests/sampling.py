"""A short form of tests that run a compiler or a whole comparison for each of very many cases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def short_form(cases: Iterable[object], every: int) -> list[Any]:
    """Parameters of a test of which the usual run tries a part; the others are marked `slow`.

    Args:
        cases: all of them, in an order that stays.
        every: the usual run tries the first and then each of this number.
    """
    return [
        case if number % every == 0 else pytest.param(case, marks=pytest.mark.slow) for number, case in enumerate(cases)
    ]
