"""Which of the things that both sides have kept their order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def longest_increasing(numbers: Sequence[int]) -> set[int]:
    """The members of a longest increasing subsequence.

    With OLD's positions in NEW's order this is the longest common subsequence of two permutations, in n log n steps.
    Where several are equally long, the one that keeps what stood first is taken.

    Args:
        numbers: distinct.
    """
    tails: list[int] = []
    previous: dict[int, int | None] = {}
    for number in numbers:
        place = bisect_left(tails, number)
        previous[number] = tails[place - 1] if place else None
        tails[place : place + 1] = [number]
    kept: set[int] = set()
    number_or_none = tails[-1] if tails else None
    while number_or_none is not None:
        kept.add(number_or_none)
        number_or_none = previous[number_or_none]
    return kept
