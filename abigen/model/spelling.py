"""Types and constant expressions as C source text."""

from __future__ import annotations

from abigen.model.ctype import (
    AlignOf,
    Array,
    Basic,
    Binary,
    BitInt,
    Cast,
    Conditional,
    CType,
    EnumType,
    Expression,
    FunctionType,
    Literal,
    Name,
    NamedType,
    OffsetOf,
    Parameter,
    Pointer,
    Qualified,
    RecordType,
    SizeOf,
    SizeOfMember,
    Unary,
    Vector,
)


def spell(type: CType, name: str = "") -> str:
    """Print a declaration as C.

    Args:
        type: its type.
        name: what it declares; empty for an abstract declarator (a type name, as in a cast).

    Returns:
        One line without a semicolon: `void (*f)(int a)`. Structs and enumerations appear by their keys.
    """
    text = name
    # A declarator is built from the inside out; an array or a function binds tighter than a pointer (C 6.7.6).
    while True:
        if isinstance(type, Qualified) and not isinstance(type.type, Pointer):
            if isinstance(type.type, (Array, FunctionType)):
                type = type.type
                continue
            return _join(" ".join((*type.qualifiers, _specifier(type.type))), text)
        if isinstance(type, Pointer) or isinstance(type, Qualified):
            qualifiers = ""
            if isinstance(type, Qualified):
                qualifiers = " ".join(type.qualifiers)
                type = type.type
            assert isinstance(type, Pointer)
            target = type.target
            text = f"*{_join(qualifiers, text)}"
            if isinstance(target, (Array, FunctionType)):
                convention = target.calling_convention if isinstance(target, FunctionType) else ""
                text = f"({_convention(convention)}{text})"
            type = target
        elif isinstance(type, Array):
            length = (
                ""
                if type.length is None
                else str(type.length)
                if isinstance(type.length, int)
                else spell_expression(type.length)
            )
            text = f"{text}[{length}]"
            type = type.element
        elif isinstance(type, FunctionType):
            text = f"{text}({_parameters(type)})"
            type = type.result
        else:
            return _join(_specifier(type), text)


def spell_expression(expression: Expression) -> str:
    """Print a constant expression as C, with no more parentheses than it needs."""
    return _expression(expression, 0)


def _join(left: str, right: str) -> str:
    if not left or not right:
        return left or right
    return f"{left}{right}" if right.startswith(("[",)) else f"{left} {right}"


def _specifier(type: CType) -> str:
    if isinstance(type, (Basic, NamedType)):
        return type.name
    if isinstance(type, (RecordType, EnumType)):
        return type.key
    if isinstance(type, BitInt):
        return f"_BitInt({type.width})" if type.signed else f"unsigned _BitInt({type.width})"
    if isinstance(type, Vector):
        return f"{spell(type.element)} __attribute__((vector_size({type.size})))"
    if isinstance(type, Qualified):
        return spell(type)
    raise TypeError(f"no spelling for {type!r}")


def _convention(name: str) -> str:
    return f"__attribute__(({name})) " if name else ""


def _parameters(type: FunctionType) -> str:
    parts = [_parameter(each) for each in type.parameters]
    if type.variadic:
        parts.append("...")
    if not parts:
        return "void" if type.prototyped else ""
    return ", ".join(parts)


def _parameter(parameter: Parameter) -> str:
    return spell(parameter.type, parameter.name or "")


_PRECEDENCE = {
    "*": 10,
    "/": 10,
    "%": 10,
    "+": 9,
    "-": 9,
    "<<": 8,
    ">>": 8,
    "<": 7,
    ">": 7,
    "<=": 7,
    ">=": 7,
    "==": 6,
    "!=": 6,
    "&": 5,
    "^": 4,
    "|": 3,
    "&&": 2,
    "||": 1,
}
_UNARY = 11
_SUFFIXES = {"unsigned int": "U", "long": "L", "unsigned long": "UL", "long long": "LL", "unsigned long long": "ULL"}


def _expression(expression: Expression, context: int) -> str:
    text, precedence = _bare_expression(expression)
    return f"({text})" if precedence < context else text


def _bare_expression(expression: Expression) -> tuple[str, int]:
    """The text and how tightly it binds."""
    if isinstance(expression, Literal):
        text = f"{expression.value}{_SUFFIXES.get(expression.type, '')}"
        return text, _UNARY + 1 if expression.value >= 0 else _UNARY
    if isinstance(expression, Name):
        return expression.name, _UNARY + 1
    if isinstance(expression, Unary):
        operand = _expression(expression.operand, _UNARY)
        space = " " if operand.startswith(expression.operator) and expression.operator in "+-" else ""
        return f"{expression.operator}{space}{operand}", _UNARY
    if isinstance(expression, Binary):
        return _binary(expression)
    if isinstance(expression, Conditional):
        condition, otherwise = _expression(expression.condition, 1), _expression(expression.otherwise, 0)
        return f"{condition} ? {_expression(expression.then, 0)} : {otherwise}", 0
    if isinstance(expression, Cast):
        return f"({spell(expression.type)}){_expression(expression.operand, _UNARY)}", _UNARY
    if isinstance(expression, SizeOf):
        return f"sizeof({spell(expression.type)})", _UNARY + 1
    if isinstance(expression, AlignOf):
        return f"_Alignof({spell(expression.type)})", _UNARY + 1
    if isinstance(expression, OffsetOf):
        return f"offsetof({spell(expression.type)}, {_path(expression.path)})", _UNARY + 1
    if isinstance(expression, SizeOfMember):
        return f"sizeof((({spell(expression.type)}*)0)->{_path(expression.path)})", _UNARY + 1
    raise TypeError(f"no spelling for {expression!r}")


def _binary(expression: Binary) -> tuple[str, int]:
    """Walk down the left spine, which long sums make long."""
    spine = [expression]
    while isinstance(spine[-1].left, Binary):
        spine.append(spine[-1].left)
    text, binds = _bare_expression(spine[-1].left)
    for each in reversed(spine):
        precedence = _PRECEDENCE[each.operator]
        if binds < precedence:
            text = f"({text})"
        text = f"{text} {each.operator} {_expression(each.right, precedence + 1)}"
        binds = precedence
    return text, binds


def _path(path: tuple[str | Expression, ...]) -> str:
    text = ""
    for step in path:
        if isinstance(step, str):
            text += f".{step}" if text else step
        else:
            text += f"[{spell_expression(step)}]"
    return text
