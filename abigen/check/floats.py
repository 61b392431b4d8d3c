"""The values of floating constant expressions, so that `0x1p-2`, `.25` and `(1.0/4)` are one number."""

from __future__ import annotations

import re
import struct

import msgspec
from msgspec.structs import replace

_TOKEN = re.compile(
    r"\s*(?:(?P<float>(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+"
    r"|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))(?P<suffix>[fFlL]?)(?![\w.])"
    r"|(?P<integer>0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.])"
    r"|\(\s*(?:const\s+)?(?P<cast>float|double|long\s+double)\s*\)"
    r"|(?P<mark>[-+*/()]))"
)
_LONGEST = 400
"""How many characters of an expression are looked at; constants are shorter."""
_DEEPEST = 50


class _Number(msgspec.Struct, frozen=True):
    """A number of a C type; `rank` is 0 for integers, 1 for `float`, 2 for `double` and `long double`."""

    value: int | float
    rank: int


class _NoValueError(Exception):
    """The text is no such expression, or it has no value."""


def float_of(text: str) -> float | None:
    """The value of a floating constant expression; None where it is none, or has no value.

    Arithmetic in `float` is rounded to `float`; a `long double` counts as a `double`.

    Args:
        text: numbers, `+ - * /`, parentheses and casts to floating types; macros are expanded already.
    """
    try:
        number = _Reader(text).read()
    except (_NoValueError, ZeroDivisionError, OverflowError):
        return None
    return float(number.value) if number.rank else None


class _Reader:
    """Reads one expression from left to right (C 6.5.4 to 6.5.6)."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise _NoValueError
        self.tokens: list[re.Match[str]] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            token = _TOKEN.match(text, at)
            if token is None:
                raise _NoValueError
            self.tokens.append(token)
            at = token.end()
        self.place = self.depth = 0

    def read(self) -> _Number:
        """The value of all of it."""
        number = self._sum()
        if self.place < len(self.tokens):
            raise _NoValueError
        return number

    def _taken(self, marks: str) -> str:
        """The mark that comes next, if it is one of some; it is passed."""
        mark = self.tokens[self.place]["mark"] if self.place < len(self.tokens) else None
        if mark is None or mark not in marks:
            return ""
        self.place += 1
        return mark

    def _sum(self) -> _Number:
        number = self._product()
        while mark := self._taken("+-"):
            number = _combined(mark, number, self._product())
        return number

    def _product(self) -> _Number:
        number = self._operand()
        while mark := self._taken("*/"):
            number = _combined(mark, number, self._operand())
        return number

    def _operand(self) -> _Number:
        """A number, with the signs, casts and parentheses before it."""
        self.depth += 1
        if self.place >= len(self.tokens) or self.depth > _DEEPEST:
            raise _NoValueError
        if sign := self._taken("+-"):
            number = self._operand()
            number = replace(number, value=-number.value) if sign == "-" else number
        elif self._taken("("):
            number = self._sum()
            if not self._taken(")"):
                raise _NoValueError
        else:
            token = self.tokens[self.place]
            self.place += 1
            if token["cast"]:
                number = _rounded(self._operand().value, 1 if token["cast"] == "float" else 2)
            else:
                number = _number(token)
        self.depth -= 1
        return number


def _number(token: re.Match[str]) -> _Number:
    """The value of one constant."""
    if text := token["integer"]:
        is_octal = text.startswith("0") and text.isdigit()
        try:
            return _Number(int(text, 8 if is_octal else 0), 0)
        except ValueError:  # `09` is no number of C
            raise _NoValueError from None
    text = token["float"]
    if not text:
        raise _NoValueError
    value = float.fromhex(text) if text[:2].lower() == "0x" else float(text)
    return _rounded(value, 1 if token["suffix"] in ("f", "F") else 2)


def _combined(mark: str, left: _Number, right: _Number) -> _Number:
    """The sum, difference, product or quotient of two numbers, in the type that both have in common."""
    rank = max(left.rank, right.rank)
    if mark == "+":
        return _rounded(left.value + right.value, rank)
    if mark == "-":
        return _rounded(left.value - right.value, rank)
    if mark == "*":
        return _rounded(left.value * right.value, rank)
    if rank:
        return _rounded(left.value / right.value, rank)
    quotient = abs(int(left.value)) // abs(int(right.value))  # C truncates towards 0
    return _Number(quotient if (left.value < 0) == (right.value < 0) else -quotient, 0)


def _rounded(value: float, rank: int) -> _Number:
    """A number as its type holds it."""
    if rank == 1:
        return _Number(struct.unpack("f", struct.pack("f", value))[0], 1)
    return _Number(float(value) if rank else value, rank)
