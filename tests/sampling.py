"""Short forms of tests that run a compiler or a whole comparison for each of very many cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def short_form(cases: Iterable[object], every: int, *, in_ci: bool = False, ci_every: int = 3) -> list[Any]:
    """Parameters of a test of which the usual run tries a part.

    Args:
        cases: all of them, in an order that stays. A tuple is one case of several parameters.
        every: the usual run tries the first and then each of this number.
        in_ci: whether `.ci/run` tries others (marked `ci`); otherwise only the long form does (marked `slow`).
        ci_every: `.ci/run` tries each of this number of them; the rest is left to the long form.
    """

    def marks(number: int) -> list[pytest.MarkDecorator]:
        if number % every == 0:
            return []
        return [pytest.mark.ci if in_ci and number % ci_every == 0 else pytest.mark.slow]

    shown = [case if type(case) is tuple else (case,) for case in cases]
    return [pytest.param(*case, marks=marks(number)) for number, case in enumerate(shown)]


def covering_pairs(*families: tuple[Sequence[object], Sequence[object]]) -> list[Any]:
    """Pairs of parameters: the usual run tries pairs in which each value stands, `.ci/run` all others.

    Args:
        families: a short list of values, as compilers, and a longer one that each of them is tried with, as standards.
    """
    return [
        pytest.param(one, other, marks=[] if place % len(ones) == number else pytest.mark.ci)
        for ones, others in families
        for number, one in enumerate(ones)
        for place, other in enumerate(others)
    ]
