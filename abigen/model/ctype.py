"""The C type algebra, and the constant expressions that stand inside types.

Types refer to named entities (`RecordType`, `EnumType`, `NamedType`) by their key in an `Api`; they never hold the
entity, so a recursive struct is a finite tree. What depends on the target (the length of `char pad[64 -
sizeof(void*)]`)
stays an `Expression` and is evaluated by `abigen.model.evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from abigen.model.span import Span

INTEGER_SUFFIXES = {
    "unsigned int": "U",
    "long": "L",
    "unsigned long": "UL",
    "long long": "LL",
    "unsigned long long": "ULL",
}
"""Basic type to what makes a constant one of it (C 6.4.4.1)."""


class CType:
    """Any type of C."""


@dataclass(frozen=True)
class Basic(CType):
    """A type that the language names itself.

    `name` is the canonical spelling: `void`, `_Bool`, `char`, `signed char`, `unsigned char`, `short`,
    `unsigned short`, `int`, `unsigned int`, `long`, `unsigned long`, `long long`, `unsigned long long`, `__int128`,
    `unsigned __int128`, `float`, `double`, `long double`, `_Float16`, `__bf16`, `__float128`, `float _Complex`,
    `double _Complex`,
    `long double _Complex`, `__builtin_va_list`.
    """

    name: str


@dataclass(frozen=True)
class Pointer(CType):
    """A pointer to `target`."""

    target: CType


@dataclass(frozen=True)
class Qualified(CType):
    """`type` with qualifiers: a sorted tuple of `_Atomic`, `const`, `restrict`, `volatile`; never empty, never
    nested."""

    type: CType
    qualifiers: tuple[str, ...]


@dataclass(frozen=True)
class Array(CType):
    """An array of `element`; `length` in elements, None for `[]` (a flexible array member or an unknown bound)."""

    element: CType
    length: Expression | int | None
    written: str = field(default="", compare=False)
    """A length that is a number, as a spec has written it by the names of constants; empty for others."""


@dataclass(frozen=True)
class Vector(CType):
    """A GNU vector of `size` bytes of `element`."""

    element: CType
    size: int


@dataclass(frozen=True)
class BitInt(CType):
    """C23 `_BitInt(width)`, width in bits."""

    width: int
    signed: bool


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function; `type` is adjusted as C 6.7.6.3 paragraphs 7 and 8 say (arrays and functions
    decay)."""

    name: str | None
    type: CType
    span: Span | None = field(default=None, compare=False)
    doc: str = ""
    example: str = field(default="", compare=False)
    """What a function can be tried out with: a number, an enumerator, or a text."""
    array: Array | None = field(default=None, compare=False)
    """The array as which it is declared, before it became a pointer."""

    @property
    def version_part(self) -> str:
        """The part of the version that it states by its name: `major`, `minor`, `patch`; empty for none."""
        words = (self.name or "").lower().split("_") if isinstance(self.type, Basic | NamedType) else ()
        return next((part for part in ("major", "minor", "patch") if part in words), "")


@dataclass(frozen=True)
class FunctionType(CType):
    """A function. `prototyped` is False for `()` before C23.

    `calling_convention` is empty for the target's usual one, else `cdecl`, `stdcall`, `fastcall`, `thiscall`,
    `vectorcall`,
    `regparm(N)`, `ms_abi`, `sysv_abi`, `pcs(aapcs)`, `pcs(aapcs-vfp)`, ... (the attribute's own name).
    """

    result: CType
    parameters: tuple[Parameter, ...]
    variadic: bool = False
    prototyped: bool = True
    calling_convention: str = ""


@dataclass(frozen=True)
class RecordType(CType):
    """A struct or union, by its key in `Api.structs`."""

    key: str


@dataclass(frozen=True)
class EnumType(CType):
    """An enumeration, by its key in `Api.enums`."""

    key: str


@dataclass(frozen=True)
class NamedType(CType):
    """A typedef, by its name in `Api.typedefs`."""

    name: str


class Expression:
    """An integer constant expression (C 6.6) that has been parsed but not evaluated."""


@dataclass(frozen=True)
class Literal(Expression):
    """An integer or character constant; `type` is the name of its basic type on LP64 rules (C 6.4.4.1)."""

    value: int
    type: str = "int"


@dataclass(frozen=True)
class Name(Expression):
    """An identifier: an enumerator."""

    name: str


@dataclass(frozen=True)
class Unary(Expression):
    """`operator` is one of `+ - ~ !`."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    """`operator` is a binary operator of C, without the assignments and the comma."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(Expression):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Alignments(Expression):
    """What several attributes of one declaration ask for, in order; which of them counts depends on the target."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Cast(Expression):
    """`(type)operand`."""

    type: CType
    operand: Expression


@dataclass(frozen=True)
class SizeOf(Expression):
    """`sizeof(type)`, in bytes."""

    type: CType


@dataclass(frozen=True)
class AlignOf(Expression):
    """`_Alignof(type)`, in bytes."""

    type: CType
    preferred: bool = False
    """It is GNU's `__alignof__`, which on some targets is more than what members get."""


@dataclass(frozen=True)
class OffsetOf(Expression):
    """`offsetof(type, path)`, in bytes; also written `(size_t)&((type*)0)->path`. `path` mixes names and indices."""

    type: CType
    path: tuple[str | Expression, ...]


@dataclass(frozen=True)
class SizeOfMember(Expression):
    """`sizeof(((type*)0)->path)`, in bytes: the size of a member, reached without an object."""

    type: CType
    path: tuple[str | Expression, ...]


def qualified(type: CType, qualifiers: Sequence[str]) -> CType:
    """A type with more qualifiers; the same type when there are none."""
    if not qualifiers:
        return type
    known, type = (type.qualifiers, type.type) if isinstance(type, Qualified) else ((), type)
    return Qualified(type, tuple(sorted({*known, *qualifiers})))


def unqualified(type: CType) -> CType:
    """A type without qualifiers of its own."""
    return type.type if isinstance(type, Qualified) else type


def innermost(type: CType) -> CType:
    """What a type is about behind pointers, arrays and qualifiers, as it is spelled."""
    while isinstance(type, Pointer | Qualified | Array):
        type = type.target if isinstance(type, Pointer) else type.element if isinstance(type, Array) else type.type
    return type


Node: TypeAlias = CType | Parameter | Expression
AnyNode = TypeVar("AnyNode", bound=CType | Expression)


def parts(node: Node) -> Iterator[Node]:
    """The types, parameters and expressions that a type or an expression is directly made of, in order."""
    for value in vars(node).values():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, (CType, Parameter, Expression)):
                yield each


def rebuilt(node: AnyNode, change: Callable[[Node], Node]) -> AnyNode:
    """A copy of a type or an expression, with each of its parts replaced by what `change` makes of it."""
    changed: dict[str, object] = {}
    for name, value in vars(node).items():
        if isinstance(value, tuple):
            changed[name] = tuple(change(each) if isinstance(each, (Parameter, Expression)) else each for each in value)
        elif isinstance(value, (CType, Expression)):
            changed[name] = change(value)
    return replace(node, **changed) if changed else node  # type: ignore[type-var]


def types_in(type: CType) -> Iterator[CType]:
    """A type and all types that it is made of, outermost first."""
    yield type
    for part in parts(type):
        inner = part.type if isinstance(part, Parameter) else part
        if isinstance(inner, CType):
            yield from types_in(inner)
