"""Canonical types: two spellings of one type become equal."""

from __future__ import annotations

from dataclasses import replace

from abigen.model.api import Api
from abigen.model.ctype import (
    AlignOf,
    Array,
    Basic,
    Binary,
    Cast,
    Conditional,
    CType,
    Expression,
    FunctionType,
    Literal,
    NamedType,
    OffsetOf,
    Parameter,
    Pointer,
    Qualified,
    SizeOf,
    SizeOfMember,
    Unary,
    Vector,
)
from abigen.model.target import Target, find_target

_MAX_DEPTH = 200


def canonical(type: CType, api: Api, target: Target | None = None) -> CType:
    """Reduce a type to the form in which equal types are equal values.

    Typedefs are resolved at every depth; names, places and documentation of parameters go, and so do qualifiers at the
    top of a parameter (C 6.7.6.3 paragraph 15). Qualifiers of an array stand on its element. Structs and enumerations
    remain references by key.

    Args:
        type: the type.
        api: where its typedefs are.
        target: for which the standard library's names (`int64_t`, `size_t`) are resolved. Without one, those that mean
            different types on different 64-bit targets stay as they are.

    Returns:
        The canonical type. The length of an array becomes a number unless it depends on the target.

    Raises:
        AbigenError: the type is too deeply nested.
    """
    return _Canonical(api, target).type(type, 0)


class _Canonical:
    """One conversion: the API and the target that it is made for."""

    def __init__(self, api: Api, target: Target | None) -> None:
        self._api = api
        self._target = target

    def type(self, type: CType, depth: int) -> CType:
        if depth > _MAX_DEPTH:
            from abigen.model.span import AbigenError

            raise AbigenError.at(None, "the type is too deeply nested")
        if isinstance(type, NamedType):
            return self._named(type, depth)
        if isinstance(type, Qualified):
            return _qualify(self.type(type.type, depth + 1), type.qualifiers)
        if isinstance(type, Pointer):
            return Pointer(self.type(type.target, depth + 1))
        if isinstance(type, Array):
            length = type.length
            if isinstance(length, Expression):
                length = self._length(length, depth + 1)
            return Array(self.type(type.element, depth + 1), length)
        if isinstance(type, FunctionType):
            return replace(
                type,
                result=_unqualified(self.type(type.result, depth + 1)),
                parameters=tuple(
                    Parameter(None, _unqualified(self.type(each.type, depth + 1))) for each in type.parameters
                ),
            )
        if isinstance(type, Vector):
            return Vector(self.type(type.element, depth + 1), type.size)
        return type

    def _named(self, type: NamedType, depth: int) -> CType:
        seen = 0
        current: CType = type
        while isinstance(current, NamedType):
            typedef = self._api.typedefs.get(current.name)
            if typedef is None or not typedef.in_api:
                standard = _standard(current.name, self._target)
                if standard is not None:
                    return standard
            if typedef is None or seen > len(self._api.typedefs):
                return current
            seen += 1
            current = typedef.type
        return self.type(current, depth + 1)

    def _length(self, length: Expression, depth: int) -> Expression | int:
        from abigen.model.layout import Layouts
        from abigen.model.span import AbigenError

        if self._target is None and _asks_target(length):
            return self._expression(length, depth)
        target = self._target or find_target("x86_64-linux-gnu")
        try:
            return Layouts(self._api, target).evaluate(length)
        except AbigenError:
            return self._expression(length, depth)

    def _expression(self, expression: Expression, depth: int) -> Expression:
        """The expression with canonical types in it."""
        if isinstance(expression, (SizeOf, AlignOf, OffsetOf, SizeOfMember)):
            return replace(expression, type=self.type(expression.type, depth + 1))
        if isinstance(expression, Cast):
            return Cast(self.type(expression.type, depth + 1), self._expression(expression.operand, depth + 1))
        if isinstance(expression, Unary):
            return replace(expression, operand=self._expression(expression.operand, depth + 1))
        if isinstance(expression, Binary):
            left, right = self._expression(expression.left, depth + 1), self._expression(expression.right, depth + 1)
            return replace(expression, left=left, right=right)
        if isinstance(expression, Conditional):
            return Conditional(
                self._expression(expression.condition, depth + 1),
                self._expression(expression.then, depth + 1),
                self._expression(expression.otherwise, depth + 1),
            )
        return expression


def _qualify(type: CType, qualifiers: tuple[str, ...]) -> CType:
    if isinstance(type, Array):
        return Array(_qualify(type.element, qualifiers), type.length)
    if isinstance(type, FunctionType):
        return type
    if isinstance(type, Qualified):
        return Qualified(type.type, tuple(sorted({*type.qualifiers, *qualifiers})))
    return Qualified(type, qualifiers)


def _unqualified(type: CType) -> CType:
    """Without the qualifiers that a value cannot have; `_Atomic` makes another type and stays."""
    if isinstance(type, Qualified):
        return Qualified(type.type, ("_Atomic",)) if "_Atomic" in type.qualifiers else type.type
    return type


def _standard(name: str, target: Target | None) -> CType | None:
    """The basic type behind a name of the standard library, or the name itself where targets differ."""
    if target is not None:
        return Basic(target.typedefs[name]) if name in target.typedefs else None
    meanings = {
        find_target(each).typedefs.get(name)
        for each in ("x86_64-linux-gnu", "x86_64-apple-darwin", "x86_64-windows-msvc")
    }
    if meanings == {None}:
        return None
    meaning = meanings.pop()
    return NamedType(name) if meanings or meaning is None else Basic(meaning)


def _asks_target(expression: Expression) -> bool:
    """Whether the value of an expression may differ between targets."""
    stack: list[Expression] = [expression]
    while stack:
        each = stack.pop()
        if isinstance(each, (SizeOf, AlignOf, OffsetOf, SizeOfMember, Cast)):
            return True
        if isinstance(each, Literal):
            continue
        stack += [child for child in vars(each).values() if isinstance(child, Expression)]
    return False
