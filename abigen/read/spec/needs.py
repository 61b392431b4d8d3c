"""What a type needs to see declared before it can be written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from abigen.model.ctype import (
    AlignOf,
    Array,
    Binary,
    Cast,
    Conditional,
    CType,
    EnumType,
    Expression,
    FunctionType,
    Name,
    NamedType,
    OffsetOf,
    Pointer,
    Qualified,
    RecordType,
    SizeOf,
    SizeOfMember,
    Unary,
    Vector,
)


def needs_of(type: CType, forward: frozenset[str], enums: Mapping[str, str]) -> Iterator[str]:
    """Names that have to be declared before a declaration of this type.

    Args:
        type: the type of a member, a typedef, a callback or a function.
        forward: structs that a forward declaration makes known, so that only a use by value needs their definition.
        enums: enumerator to the enumeration that declares it.

    Returns:
        Names of entities; some may be declared elsewhere.
    """
    return _Needs(forward, enums.get).type(type, by_value=True)


def expression_needs(expression: Expression, forward: frozenset[str], enums: Mapping[str, str]) -> Iterator[str]:
    """Names that have to be declared before an expression; the arguments are those of `needs_of`."""
    return _Needs(forward, enums.get).expression(expression)


def names_in(expression: Expression) -> Iterator[str]:
    """The enumerators that an expression names itself."""
    return _Needs(frozenset(), lambda name: name).expression(expression)


def functions_in(type: CType) -> Iterator[FunctionType]:
    """All types of functions that a type is made of, the outer ones first."""
    if isinstance(type, FunctionType):
        yield type
        yield from functions_in(type.result)
        for parameter in type.parameters:
            yield from functions_in(parameter.type)
    elif isinstance(type, Pointer):
        yield from functions_in(type.target)
    elif isinstance(type, Qualified):
        yield from functions_in(type.type)
    elif isinstance(type, (Array, Vector)):
        yield from functions_in(type.element)


def named_in(type: CType) -> Iterator[str]:
    """Names of all types that a type is made of, behind pointers too."""
    return _Needs(frozenset(), lambda name: None).type(type, by_value=True)


class _Needs:
    def __init__(self, forward: frozenset[str], declarer: Callable[[str], str | None]) -> None:
        self.forward = forward
        self.declarer = declarer

    def type(self, type: CType, *, by_value: bool) -> Iterator[str]:
        if isinstance(type, (NamedType, RecordType)):
            name = type.name if isinstance(type, NamedType) else type.key
            if by_value or name not in self.forward:
                yield name
        elif isinstance(type, EnumType):
            yield type.key
        elif isinstance(type, Pointer):
            yield from self.type(type.target, by_value=False)
        elif isinstance(type, Qualified):
            yield from self.type(type.type, by_value=by_value)
        elif isinstance(type, Array):
            # Even behind a pointer, the element of an array has to be complete (C 6.7.6.2 paragraph 1).
            yield from self.type(type.element, by_value=True)
            if isinstance(type.length, Expression):
                yield from self.expression(type.length)
        elif isinstance(type, Vector):
            yield from self.type(type.element, by_value=by_value)
        elif isinstance(type, FunctionType):
            yield from self.type(type.result, by_value=False)
            for parameter in type.parameters:
                yield from self.type(parameter.type, by_value=False)

    def expression(self, expression: Expression) -> Iterator[str]:
        if isinstance(expression, Name):
            declarer = self.declarer(expression.name)
            if declarer is not None:
                yield declarer
        elif isinstance(expression, Unary):
            yield from self.expression(expression.operand)
        elif isinstance(expression, Binary):
            yield from self.expression(expression.left)
            yield from self.expression(expression.right)
        elif isinstance(expression, Conditional):
            for part in (expression.condition, expression.then, expression.otherwise):
                yield from self.expression(part)
        elif isinstance(expression, Cast):
            yield from self.type(expression.type, by_value=False)
            yield from self.expression(expression.operand)
        elif isinstance(expression, (SizeOf, AlignOf, OffsetOf, SizeOfMember)):
            yield from self.type(expression.type, by_value=True)
