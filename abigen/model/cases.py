"""The directives that define a macro as one of several texts, by conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_ASKED = re.compile(r"\bdefined\s*\(?\s*(\w+)")
_MOST_NESTED = 6
"""How many conditions of one macro are divided into two directives; each of them may repeat the cases behind it."""

_Case = tuple[str, int]
"""A condition, empty for otherwise, and the number of its case."""


def directives(conditions: Sequence[str]) -> Iterator[str | int]:
    """Yield the lines of an `#if`, with the number of a case at each place where its text is to be defined.

    `defined(F) && F(x)` becomes two directives, one inside of the other: a preprocessor that does not know `F` refuses
    `F(x)` even behind `defined(F) &&`.

    Args:
        conditions: of all cases; an empty one holds always.
    """
    divided = sum(bool(_divided(each)[1]) for each in conditions)
    yield from _lines([(each, at) for at, each in enumerate(conditions)], can_divide=divided <= _MOST_NESTED)


def _lines(cases: Sequence[_Case], *, can_divide: bool) -> Iterator[str | int]:
    word, passed = "if", set[str]()
    for at, (condition, number) in enumerate(cases):
        if not condition:
            if at:
                yield "#else"
            yield number
            break
        outer, inner = _divided(condition) if can_divide else (condition, "")
        if outer in passed:
            continue
        yield f"#{word} {outer}"
        word = "elif"
        if inner:
            passed.add(outer)
            yield from _lines([*_where(outer, cases[at:])], can_divide=can_divide)
        else:
            yield number
    if word == "elif":
        yield "#endif"


def _where(outer: str, cases: Sequence[_Case]) -> Iterator[_Case]:
    """Yield the cases that remain where a condition holds."""
    for condition, number in cases:
        first, inner = _divided(condition)
        if condition in ("", outer):
            yield "", number
            return
        yield (inner if first == outer and inner else condition), number


def _divided(condition: str) -> tuple[str, str]:
    """Return the part of a condition that asks for a macro, and the part that calls it; the latter may be empty."""
    parts = operands(condition)
    for at in range(1, len(parts)):
        asked = {name for each in parts[:at] for name in _ASKED.findall(each)}
        if asked.intersection(_CALL.findall(parts[at])):
            return " && ".join(parts[:at]), " && ".join(parts[at:])
    return condition, ""


def operands(condition: str) -> list[str]:
    """Return what `&&` joins at the top of a condition; the condition alone if it has `||` or `?` there."""
    found, depth, start = list[str](), 0, 0
    for match in re.finditer(r"[()?]|&&|\|\|", condition):
        word = match[0]
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth or word == ")":
            continue
        if word != "&&":
            return [condition]
        found.append(condition[start : match.start()].strip())
        start = match.end()
    return [*found, condition[start:].strip()]
