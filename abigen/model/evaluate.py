"""Evaluation of integer constant expressions as the target's compiler does it (C 6.6, 6.3.1, 6.5)."""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import NoReturn, Protocol, TypeAlias

import msgspec

from abigen.model import ctype
from abigen.model.ctype import CType, Expression
from abigen.model.span import AbigenError
from abigen.model.target import Target

Value: TypeAlias = tuple[int, str]
"""A value and the canonical name of the basic integer type that it has."""

_RANKS = {"int": 1, "long": 2, "long long": 3, "__int128": 4}


class IntegerTypes(msgspec.Struct, frozen=True):
    """The integer types of no target in particular."""

    types: Mapping[str, tuple[int, int]]
    """Canonical name of a type to its size and alignment in bytes."""
    typedefs: Mapping[str, str] = msgspec.field(default_factory=dict)

    def is_signed(self, name: str) -> bool:
        """True if a type has negative values."""
        return not name.startswith("unsigned")

    def width_of(self, name: str) -> int:
        """Return width in bits."""
        return self.types[name][0] * 8


AnyTypes: TypeAlias = Target | IntegerTypes


class Scope(Protocol):
    """The names that an expression may refer to; `abigen.model.layout.Layouts` is one."""

    @property
    def target(self) -> AnyTypes:
        """The target whose integer types count."""

    def size_of(self, type: CType) -> int:
        """Return size in bytes."""

    def alignment_of(self, type: CType) -> int:
        """Return alignment in bytes."""

    def preferred_alignment_of(self, type: CType) -> int:
        """Return alignment in bytes, as `__alignof__` gives it."""

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Return offset in bytes and type of the member at the end of a path."""

    def resolve(self, type: CType) -> CType:
        """Return the type without typedefs and qualifiers at its top."""

    def underlying_type(self, key: str) -> str:
        """Return the basic type that an enumeration has."""

    def enumerator(self, name: str) -> Value | None:
        """Return the value of an enumerator; None when there is none of that name."""


def evaluate(expression: Expression, scope: Scope) -> int:
    """Evaluate an integer constant expression.

    Args:
        expression: what the source says.
        scope: the target and the names that the expression may use.

    Returns:
        The value, within the range of the expression's type.

    Raises:
        AbigenError: it divides by zero, shifts by more than the width, uses an unknown name or an incomplete type, has
            a value that no integer type holds, or is nested too deeply. It carries no place: expressions have none.
    """
    try:
        return _value(expression, scope)[0]
    except RecursionError:
        raise AbigenError.at(None, "the expression is too deeply nested") from None


def type_of(expression: Expression, scope: Scope) -> str:
    """Return the basic type of an integer constant expression on a target, promotions and conversions done (C 6.3.1).

    Args:
        expression: any integer constant expression.
        scope: where names and sizes are looked up.

    Raises:
        AbigenError: it is no integer constant expression.
    """
    return _value(expression, scope)[1]


class _TargetDependentError(Exception):
    """The value of an expression differs between targets."""


class _Sizes(dict[str, tuple[int, int]]):
    def __missing__(self, name: str) -> NoReturn:
        raise _TargetDependentError


_ON_ANY_TARGET = IntegerTypes(
    _Sizes({"int": (4, 4), "unsigned int": (4, 4), "long long": (8, 8), "unsigned long long": (8, 8)})
)
_IN_CONDITIONS = IntegerTypes(
    dict.fromkeys(("int", "unsigned int", "long", "unsigned long", "unsigned char", "unsigned short"), (8, 8))
    | {"char": (1, 1)}
)
"""In `#if` all integers are `intmax_t` and `uintmax_t` (C 6.10.1 paragraph 4)."""


class _AnyTarget(msgspec.Struct, frozen=True):
    """The scope of an expression whose target is not known."""

    values: Mapping[str, int]
    target: IntegerTypes = _ON_ANY_TARGET

    def _ask(self, *what: object) -> NoReturn:
        raise _TargetDependentError

    size_of = alignment_of = preferred_alignment_of = member_of = underlying_type = _ask

    def resolve(self, type: CType) -> CType:
        """Return a type that has no other name."""
        return type if isinstance(type, ctype.Basic) else self._ask()

    def enumerator(self, name: str) -> Value | None:
        """Return the value of an enumerator that is an `int` on all targets."""
        value = self.values.get(name)
        return (value, "int") if value is not None and fits(value, "int", self.target) else self._ask()


def fold(expression: Expression, values: Mapping[str, int]) -> int | None:
    """Evaluate an expression that does not ask what the target is.

    Args:
        expression: the expression.
        values: enumerators whose value is known.

    Returns:
        The value; None when it depends on the target, or is an error that evaluation on a target will find. Literals
        of the type `long` depend on it, and so do values that are `long` only because they have to be.
    """
    try:
        return evaluate(expression, _AnyTarget(values))
    except (AbigenError, _TargetDependentError):
        return None


def evaluate_condition(expression: Expression) -> int:
    """Evaluate the expression of an `#if`, which names nothing; `AbigenError` as `evaluate` raises it."""
    return evaluate(expression, _AnyTarget({}, _IN_CONDITIONS))


def convert(value: int, name: str, target: AnyTypes) -> int:
    """Convert a value to a basic integer type (C 6.3.1.2, 6.3.1.3): `_Bool` asks for non-zero, others wrap around."""
    if name == "_Bool":
        return int(value != 0)
    width = target.types[name][0] * 8
    value &= (1 << width) - 1
    if value >> (width - 1) and target.is_signed(name):
        value -= 1 << width
    return value


def fits(value: int, name: str, target: AnyTypes) -> bool:
    """True if a basic integer type holds a value unchanged."""
    return convert(value, name, target) == value


def _value(expression: Expression, scope: Scope) -> Value:
    operation = _OPERATIONS.get(expression.__class__)
    if operation is None:
        raise AbigenError.at(None, "this is not an integer constant expression")
    return operation(expression, scope)


def _literal(expression: ctype.Literal, scope: Scope) -> Value:
    """Return a constant has the type it has on LP64, or the next larger one that holds it here."""
    target = scope.target
    name = expression.type
    if fits(expression.value, name, target):
        return expression.value, name
    prefix = "unsigned " if name.startswith("unsigned") else ""
    for rank in _RANKS:
        if prefix + rank in target.types and fits(expression.value, prefix + rank, target):
            return expression.value, prefix + rank
    if fits(expression.value, "unsigned long long", target):
        return expression.value, "unsigned long long"
    raise AbigenError.at(None, "the integer constant is too large for any integer type")


def _name(expression: ctype.Name, scope: Scope) -> Value:
    value = scope.enumerator(expression.name)
    if value is None:
        raise AbigenError.at(None, f"'{expression.name}' is not a constant")
    return value


def _unary(expression: ctype.Unary, scope: Scope) -> Value:
    return _apply(expression.operator, _value(expression.operand, scope), scope.target)


def _apply(operator: str, operand: Value, target: AnyTypes) -> Value:
    """Apply a unary operator: one of `+ - ~ !`."""
    value, name = operand
    if operator == "!":
        return int(value == 0), "int"
    name = _promote(name, target)
    return convert({"-": -value, "~": ~value}.get(operator, value), name, target), name


def _binary(expression: ctype.Binary, scope: Scope) -> Value:
    # Long sums lean to the left: walk down their spine, or a sum of a thousand terms would need as deep a stack.
    spine = [expression]
    while isinstance(spine[-1].left, ctype.Binary):
        spine.append(spine[-1].left)
    left = _value(spine[-1].left, scope)
    for each in reversed(spine):
        if each.operator in ("&&", "||") and bool(left[0]) == (each.operator == "||"):
            left = int(each.operator == "||"), "int"
        else:
            left = _combine(each.operator, left, _value(each.right, scope), scope.target)
    return left


def _combine(operator: str, left: Value, right: Value, target: AnyTypes) -> Value:
    """Apply a binary operator.

    Raises:
        AbigenError: it divides by zero, or shifts by more than the width.
    """
    if operator in ("&&", "||"):
        return int(all((left[0], right[0])) if operator == "&&" else any((left[0], right[0]))), "int"
    if operator in ("<<", ">>"):
        return _shift(operator, left, right[0], target)
    name = _common_type(left[1], right[1], target)
    a, b = convert(left[0], name, target), convert(right[0], name, target)
    if operator in _COMPARISONS:
        return int(_COMPARISONS[operator](a, b)), "int"
    if operator in ("/", "%"):
        return convert(_divide(operator, a, b), name, target), name
    if operator not in _ARITHMETIC:
        raise AbigenError.at(None, f"'{operator}' is not allowed in an integer constant expression")
    return convert(_ARITHMETIC[operator](a, b), name, target), name


_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    ">": operators.gt,
    "<=": operators.le,
    ">=": operators.ge,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
    "&": operators.and_,
    "|": operators.or_,
    "^": operators.xor,
}


def _shift(operator: str, left: Value, count: int, target: AnyTypes) -> Value:
    """C 6.5.7: the type is the promoted left operand's; a count outside its width has no defined value."""
    name = _promote(left[1], target)
    width = target.types[name][0] * 8
    if not 0 <= count < width:
        raise AbigenError.at(None, f"a shift by {count} bits of a type that is {width} bits wide has no defined value")
    return convert(left[0] << count if operator == "<<" else left[0] >> count, name, target), name


def _divide(operator: str, a: int, b: int) -> int:
    """C 6.5.5: the quotient is truncated toward zero, and the remainder has the sign of the dividend."""
    if b == 0:
        raise AbigenError.at(None, "division by zero")
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient if operator == "/" else a - quotient * b


def _conditional(expression: ctype.Conditional, scope: Scope) -> Value:
    chosen, other = expression.then, expression.otherwise
    if not _value(expression.condition, scope)[0]:
        chosen, other = other, chosen
    value, name = _value(chosen, scope)
    try:
        name = _common_type(name, _value(other, scope)[1], scope.target)
    except AbigenError:
        # The branch that is not taken is never evaluated in C; here it only lends its type.
        name = _promote(name, scope.target)
    return convert(value, name, scope.target), name


def _cast(expression: ctype.Cast, scope: Scope) -> Value:
    value = _value(expression.operand, scope)[0]
    target = scope.target
    type = scope.resolve(expression.type)
    if isinstance(type, ctype.BitInt):
        width = type.width
        value &= (1 << width) - 1
        if type.signed and value >> (width - 1):
            value -= 1 << width
        return _literal(ctype.Literal(value, "int"), scope)
    name = ""
    if isinstance(type, ctype.Pointer):
        name = target.typedefs["uintptr_t"]
    elif isinstance(type, ctype.EnumType):
        name = scope.underlying_type(type.key)
    elif isinstance(type, ctype.Basic):
        name = type.name
    if name not in target.types or not _is_integer(name):
        raise AbigenError.at(
            None, "a cast to a type that is no integer type is not allowed in an integer constant expression"
        )
    return convert(value, name, target), name


def _size_of(expression: ctype.SizeOf, scope: Scope) -> Value:
    return scope.size_of(expression.type), scope.target.typedefs["size_t"]


def _alignment_of(expression: ctype.AlignOf, scope: Scope) -> Value:
    alignment_of = scope.preferred_alignment_of if expression.preferred else scope.alignment_of
    return alignment_of(expression.type), scope.target.typedefs["size_t"]


def _offset_of(expression: ctype.OffsetOf, scope: Scope) -> Value:
    return scope.member_of(expression.type, expression.path)[0], scope.target.typedefs["size_t"]


def _size_of_member(expression: ctype.SizeOfMember, scope: Scope) -> Value:
    return scope.size_of(scope.member_of(expression.type, expression.path)[1]), scope.target.typedefs["size_t"]


_OPERATIONS: dict[type, Callable[..., Value]] = {
    ctype.Literal: _literal,
    ctype.Name: _name,
    ctype.Unary: _unary,
    ctype.Binary: _binary,
    ctype.Conditional: _conditional,
    ctype.Cast: _cast,
    ctype.SizeOf: _size_of,
    ctype.AlignOf: _alignment_of,
    ctype.OffsetOf: _offset_of,
    ctype.SizeOfMember: _size_of_member,
}


def _is_integer(name: str) -> bool:
    return name in ("_Bool", "char", "signed char", "unsigned char", "short", "unsigned short") or (
        name.removeprefix("unsigned ") in _RANKS
    )


def _promote(name: str, target: AnyTypes) -> str:
    """Return the integer promotions (C 6.3.1.1 paragraph 2)."""
    if name.removeprefix("unsigned ") in _RANKS:
        return name
    return "int" if target.is_signed(name) or target.width_of(name) < target.width_of("int") else "unsigned int"


def _common_type(left: str, right: str, target: AnyTypes) -> str:
    """Return the usual arithmetic conversions of integer types (C 6.3.1.8)."""
    left, right = _promote(left, target), _promote(right, target)
    if left == right:
        return left
    if target.is_signed(left) == target.is_signed(right):
        return max(left, right, key=lambda name: _RANKS[name.removeprefix("unsigned ")])
    signed, unsigned = (left, right) if target.is_signed(left) else (right, left)
    if _RANKS[unsigned.removeprefix("unsigned ")] >= _RANKS[signed]:
        return unsigned
    return signed if target.width_of(signed) > target.width_of(unsigned) else f"unsigned {signed}"


def number_of(text: str) -> int | float | None:
    """Return the number that a text is, as YAML and C write them; None for others."""
    if text in ("true", "false"):
        return int(text == "true")
    for read in (partial(int, base=0), float):
        with suppress(ValueError):
            return read(text)
    return None
