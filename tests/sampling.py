"""Short forms of tests that run a compiler or a whole comparison for each of very many cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def short_form(cases: Iterable[object], every: int, *, in_ci: bool = False, ci_every: int = 1) -> list[Any]:
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


def compilers_and_standards(*families: tuple[Sequence[str], Sequence[str]]) -> list[Any]:
    """Parameters `compiler` and `standard`: the usual run tries each of both once, `.ci/run` the other pairs.

    Args:
        families: compilers of one language, and the standards, or other variants, that each of them is tried with.
    """
    return [
        pytest.param(compiler, standard, marks=[] if place % len(names) == number else pytest.mark.ci)
        for names, standards in families
        for number, compiler in enumerate(names)
        for place, standard in enumerate(standards)
    ]
