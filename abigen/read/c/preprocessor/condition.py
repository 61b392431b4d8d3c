"""The value of the expression behind `#if`: C 6.10.1."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from abigen.read.c.preprocessor.scan import Piece

MAX_DEPTH = 50
"""How deep parentheses may nest."""

_INTEGER = r"(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|(0[0-7]*)|([1-9][0-9]*))((?:[uU]|[lL]{1,2}|[zZ]|[wW][bB])*)"
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|(.)", re.DOTALL)
_SIMPLE_ESCAPES = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "0": 0}
_BITS = 64
_PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"), start=1
    )
    for operator in operators.split()
}


class ConditionError(Exception):
    """The expression has no value; the text says why."""


class Number(NamedTuple):
    """A value of type `intmax_t`, or of `uintmax_t` when it is unsigned."""

    value: int
    unsigned: bool = False


def evaluate(pieces: Sequence[Piece]) -> bool:
    """Evaluate the expression of a conditional, after macro expansion.

    Args:
        pieces: the expression, with `defined` and its like already replaced by numbers.

    Returns:
        Whether its value is other than zero (C 6.10.1 paragraph 4; remaining identifiers count as 0).

    Raises:
        ConditionError: it is not a constant expression.
    """
    if not pieces:
        raise ConditionError("no expression behind the directive")
    parser = _Parser(pieces)
    result = parser.comma(evaluated=True)
    if parser.index < len(pieces):
        raise ConditionError(f"'{pieces[parser.index].text}' does not belong in this expression")
    return result.value != 0


class _Parser:
    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.index = 0
        self.depth = 0

    def peek(self) -> str:
        """The operator that comes next; empty when none does."""
        if self.index < len(self.pieces) and self.pieces[self.index].kind == "punct":
            return self.pieces[self.index].text
        return ""

    def comma(self, *, evaluated: bool) -> Number:
        result = self.conditional(evaluated=evaluated)
        while self.peek() == ",":
            self.index += 1
            result = self.conditional(evaluated=evaluated)
        return result

    def conditional(self, *, evaluated: bool) -> Number:
        self.nest()
        condition = self.binary(1, evaluated=evaluated)
        if self.peek() == "?":
            self.index += 1
            then = self.comma(evaluated=evaluated and condition.value != 0)
            self.expect(":")
            otherwise = self.conditional(evaluated=evaluated and condition.value == 0)
            unsigned = then.unsigned or otherwise.unsigned
            condition = _wrapped((then if condition.value else otherwise).value, unsigned=unsigned)
        self.depth -= 1
        return condition

    def binary(self, level: int, *, evaluated: bool) -> Number:
        left = self.unary(evaluated=evaluated)
        while (precedence := _PRECEDENCE.get(self.peek(), 0)) >= level:
            operator = self.peek()
            self.index += 1
            decided = (operator == "&&" and not left.value) or (operator == "||" and left.value)
            right = self.binary(precedence + 1, evaluated=evaluated and not decided)
            left = _combined(operator, left, right, evaluated=evaluated)
        return left

    def unary(self, *, evaluated: bool) -> Number:
        signs = []
        while self.peek() in ("+", "-", "!", "~"):
            signs.append(self.peek())
            self.index += 1
        result = self.primary(evaluated=evaluated)
        for sign in reversed(signs):
            if sign == "!":
                result = Number(int(not result.value))
            elif sign != "+":
                result = _wrapped(~result.value if sign == "~" else -result.value, unsigned=result.unsigned)
        return result

    def primary(self, *, evaluated: bool) -> Number:
        if self.index == len(self.pieces):
            raise ConditionError("the expression ends too early")
        piece = self.pieces[self.index]
        self.index += 1
        if piece.kind == "number":
            return _integer(piece.text)
        if piece.kind == "char":
            return _character(piece.text)
        if piece.kind == "id":
            if self.peek() == "(":
                raise ConditionError(f"'{piece.text}' is not a function-like macro that is defined")
            return Number(0)
        if piece.text == "(" and piece.kind == "punct":
            result = self.comma(evaluated=evaluated)
            self.expect(")")
            return result
        raise ConditionError(f"'{piece.text}' does not belong in this expression")

    def expect(self, text: str) -> None:
        if self.peek() != text:
            raise ConditionError(f"'{text}' is missing")
        self.index += 1

    def nest(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ConditionError(f"the expression nests more than {MAX_DEPTH} deep")


def _wrapped(value: int, *, unsigned: bool) -> Number:
    """A value reduced to 64 bits."""
    value &= (1 << _BITS) - 1
    if not unsigned and value >> (_BITS - 1):
        value -= 1 << _BITS
    return Number(value, unsigned)


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}


def _combined(operator: str, left: Number, right: Number, *, evaluated: bool) -> Number:
    if operator == "&&":
        return Number(int(left.value != 0 and right.value != 0))
    if operator == "||":
        return Number(int(left.value != 0 or right.value != 0))
    if operator in ("<<", ">>"):
        return _shifted(left, right.value if operator == "<<" else -right.value)
    unsigned = left.unsigned or right.unsigned
    first, second = _wrapped(left.value, unsigned=unsigned).value, _wrapped(right.value, unsigned=unsigned).value
    if operator in _COMPARISONS:
        return Number(int(_COMPARISONS[operator](first, second)))
    if operator in _ARITHMETIC:
        return _wrapped(_ARITHMETIC[operator](first, second), unsigned=unsigned)
    if second == 0:
        if evaluated:
            raise ConditionError("division by zero")
        return Number(0, unsigned)
    quotient = abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
    return _wrapped(quotient if operator == "/" else first - quotient * second, unsigned=unsigned)


def _shifted(left: Number, distance: int) -> Number:
    """A value shifted left, or right when the distance is negative; all bits are gone from 64 on."""
    if distance >= _BITS:
        return Number(0, left.unsigned)
    if distance >= 0:
        return _wrapped(left.value << distance, unsigned=left.unsigned)
    return _wrapped(left.value >> min(-distance, _BITS), unsigned=left.unsigned)


def _integer(text: str) -> Number:
    match = re.fullmatch(_INTEGER, text.replace("'", ""))
    if match is None:
        if re.match(r"(?:0[xX][0-9a-fA-F.']*[pP]|[0-9']*\.|[0-9']+[eE])", text):
            raise ConditionError(f"'{text}' is a floating number, which #if cannot use")
        raise ConditionError(f"'{text}' is not an integer")
    hexadecimal, binary, octal, decimal, suffix = match.groups()
    base = 16 if hexadecimal else 2 if binary else 8 if octal else 10
    digits = hexadecimal or binary or octal or decimal
    if len(digits) > _BITS + 1:
        raise ConditionError(f"'{text[:20]}...' is too large for its type")
    value = int(digits, base)
    if value >> _BITS:
        raise ConditionError(f"'{text}' is too large for its type")
    unsigned = "u" in suffix.lower() or value >> (_BITS - 1) != 0
    return Number(value, unsigned)


def _character(text: str) -> Number:
    prefix, _, rest = text.partition("'")
    values = []
    for hexadecimal, octal, short, long, simple, plain in _ESCAPE.findall(rest[:-1]):
        if plain:
            values += [ord(plain)] if prefix else list(plain.encode())
        elif simple:
            values.append(_SIMPLE_ESCAPES.get(simple, ord(simple)))
        else:
            values.append(int(hexadecimal or octal or short or long, 8 if octal else 16))
    if prefix:
        return Number(values[-1], unsigned=prefix != "L")
    result = 0
    for value in values:
        result = (result << 8 | value & 0xFF) & 0xFFFFFFFF
    bits = 8 if len(values) == 1 else 32
    return Number(result - (1 << bits) if result >> (bits - 1) else result)
