"""Types and constant expressions as C source text."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    Pointer,
    Qualified,
    RecordType,
    SizeOf,
    SizeOfMember,
    Unary,
    Vector,
)
from abigen.model.entities import Enum, Struct

if TYPE_CHECKING:
    from abigen.model.api import Api


def spell(type: CType, name: str = "", api: Api | None = None) -> str:
    """Print a declaration as C.

    Args:
        type: its type.
        name: what it declares; empty for an abstract declarator (a type name, as in a cast).
        api: where structs and enumerations are looked up, so that those without a typedef get their keyword and those
            without a name braces; without it they appear by their keys.

    Returns:
        One line without a semicolon: `void (*f)(int a)`.
    """
    text = name
    # A declarator is built from the inside out; an array or a function binds tighter than a pointer (C 6.7.6).
    while True:
        qualifiers: tuple[str, ...] = ()
        if isinstance(type, Qualified):
            qualifiers = type.qualifiers
            type = type.type
        if isinstance(type, Pointer):
            text = f"*{_join(' '.join(qualifiers), text)}"
            type = type.target
            if isinstance(type, (Array, FunctionType)):
                convention = type.calling_convention if isinstance(type, FunctionType) else ""
                text = f"({_convention(convention)}{text})"
        elif isinstance(type, Array):
            # The qualifiers of an array are those of its elements (C 6.7.3 paragraph 10).
            text = f"{text}[{_length(type.length)}]"
            type = _qualify(type.element, qualifiers)
        elif isinstance(type, FunctionType):
            if text == name:
                text = f"{_convention(type.calling_convention)}{text}"
            text = f"{text}({_parameters(type, api)})"
            type = type.result
        else:
            return _join(" ".join((*qualifiers, _specifier(type, api))), text)


def spell_expression(expression: Expression) -> str:
    """Print a constant expression as C, with no more parentheses than it needs."""
    return _expression(expression, 0)


def _join(left: str, right: str) -> str:
    """Put a space between two parts unless one is empty or the other begins with a bracket."""
    return f"{left}{right}" if not left or not right or right.startswith("[") else f"{left} {right}"


def _qualify(type: CType, qualifiers: tuple[str, ...]) -> CType:
    if isinstance(type, Qualified):
        qualifiers = tuple(sorted({*type.qualifiers, *qualifiers}))
        type = type.type
    return Qualified(type, qualifiers) if qualifiers else type


def _specifier(type: CType, api: Api | None) -> str:
    if isinstance(type, (Basic, NamedType)):
        return type.name
    if isinstance(type, RecordType):
        struct = api.structs.get(type.key) if api else None
        return _tagged(type.key, struct, struct.kind) if struct else type.key
    if isinstance(type, EnumType):
        enum = api.enums.get(type.key) if api else None
        return _tagged(type.key, enum, "enum") if enum else type.key
    if isinstance(type, BitInt):
        return f"_BitInt({type.width})" if type.signed else f"unsigned _BitInt({type.width})"
    if isinstance(type, Vector):
        return f"{spell(type.element, api=api)} __attribute__((vector_size({type.size})))"
    raise TypeError(f"no spelling for {type!r}")


def _tagged(key: str, entity: Struct | Enum, keyword: str) -> str:
    """A struct or enumeration as C names it: by typedef, by keyword and tag, or as braces when it has no name."""
    if key in entity.typedef_names:
        return key
    return f"{keyword} {entity.tag}" if entity.tag else f"{keyword} {{...}}"


def _convention(name: str) -> str:
    return f"__attribute__(({name})) " if name else ""


def _length(length: Expression | int | None) -> str:
    return "" if length is None else str(length) if isinstance(length, int) else spell_expression(length)


def _parameters(type: FunctionType, api: Api | None) -> str:
    parts = [spell(each.type, each.name or "", api) for each in type.parameters]
    if type.variadic:
        parts.append("...")
    if not parts:
        return "void" if type.prototyped else ""
    return ", ".join(parts)


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
        return f"{'__alignof__' if expression.preferred else '_Alignof'}({spell(expression.type)})", _UNARY + 1
    if isinstance(expression, OffsetOf):
        return f"offsetof({spell(expression.type)}, {spell_path(expression.path)})", _UNARY + 1
    if isinstance(expression, SizeOfMember):
        return f"sizeof((({spell(expression.type)}*)0)->{spell_path(expression.path)})", _UNARY + 1
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


def spell_path(path: tuple[str | Expression, ...]) -> str:
    """Print the member that `offsetof` names, `a.b[0]`.

    Args:
        path: names of members, and indices of arrays.
    """
    text = ""
    for step in path:
        if isinstance(step, str):
            text += f".{step}" if text else step
        else:
            text += f"[{spell_expression(step)}]"
    return text
