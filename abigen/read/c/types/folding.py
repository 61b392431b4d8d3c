"""Folding of constant expressions whose value is the same on every target."""

from __future__ import annotations

from collections.abc import Mapping

from abigen.model.ctype import (
    Basic,
    Binary,
    Cast,
    Conditional,
    Expression,
    Literal,
    Name,
    Unary,
)

_SAME_EVERYWHERE = ("int", "unsigned int", "long long", "unsigned long long")


def fold(expression: Expression, values: Mapping[str, int]) -> int | None:
    """Evaluate an expression that does not ask what the target is.

    Args:
        expression: the expression.
        values: enumerators whose value is known and fits an `int` (or is then not folded through).

    Returns:
        The value; None when it depends on the target, or is an error that evaluation on a target will find.
    """
    found = _fold(expression, values, 0)
    return None if found is None else found[0]


def _fold(expression: Expression, values: Mapping[str, int], level: int) -> tuple[int, str] | None:
    """Value and type."""
    if level > 200:
        return None
    if isinstance(expression, Literal):
        name = expression.type
        if name in _SAME_EVERYWHERE:
            return expression.value, name
        # A literal that is `long` only because it has to be is `long long` where long is short.
        return None
    if isinstance(expression, Name):
        value = values.get(expression.name)
        return (value, "int") if value is not None and -(1 << 31) <= value < 1 << 31 else None
    if isinstance(expression, Cast):
        inner = _fold(expression.operand, values, level + 1)
        if inner is None or not isinstance(expression.type, Basic) or expression.type.name not in _SAME_EVERYWHERE:
            return None
        return _wrap(inner[0], expression.type.name)
    if isinstance(expression, Unary):
        operand = _fold(expression.operand, values, level + 1)
        if operand is None:
            return None
        value, name = operand
        if expression.operator == "!":
            return int(not value), "int"
        return _wrap({"+": value, "-": -value, "~": ~value}[expression.operator], name)
    if isinstance(expression, Conditional):
        condition = _fold(expression.condition, values, level + 1)
        then, otherwise = _fold(expression.then, values, level + 1), _fold(expression.otherwise, values, level + 1)
        if condition is None or then is None or otherwise is None:
            return None
        return _wrap(then[0] if condition[0] else otherwise[0], _common(then[1], otherwise[1]))
    if isinstance(expression, Binary):
        return _fold_binary(expression, values, level)
    return None


def _fold_binary(expression: Binary, values: Mapping[str, int], level: int) -> tuple[int, str] | None:
    """A binary operation; the left spine is walked without recursion."""
    spine = [expression]
    while isinstance(spine[-1].left, Binary):
        spine.append(spine[-1].left)
    result = _fold(spine[-1].left, values, level + 1)
    for each in reversed(spine):
        right = _fold(each.right, values, level + 1)
        if result is None or right is None:
            return None
        result = _operate(each.operator, result, right)
    return result


def _operate(operator: str, left: tuple[int, str], right: tuple[int, str]) -> tuple[int, str] | None:
    """One binary operation on folded operands."""
    a, b = left[0], right[0]
    if operator in ("<<", ">>"):
        width = 64 if "long" in left[1] else 32
        if not 0 <= b < width:
            return None
        return _wrap(a << b if operator == "<<" else a >> b, left[1])
    if operator in ("&&", "||"):
        return int(bool(a and b) if operator == "&&" else bool(a or b)), "int"
    name = _common(left[1], right[1])
    a, b = _wrap(a, name)[0], _wrap(b, name)[0]
    if operator in ("==", "!=", "<", ">", "<=", ">="):
        outcome = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator]
        return int(outcome), "int"
    if operator in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _wrap(quotient if operator == "/" else a - quotient * b, name)
    results = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
    return _wrap(results[operator], name) if operator in results else None


def _common(left: str, right: str) -> str:
    """The usual arithmetic conversions (C 6.3.1.8)."""
    return max(left, right, key=_SAME_EVERYWHERE.index)


def _wrap(value: int, name: str) -> tuple[int, str]:
    """A value converted to a type."""
    width = 64 if "long" in name else 32
    value &= (1 << width) - 1
    if not name.startswith("unsigned") and value >> (width - 1):
        value -= 1 << width
    return value, name
