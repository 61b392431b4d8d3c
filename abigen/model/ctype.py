"""The C type algebra, and the constant expressions that stand inside types.

Types refer to named entities (`RecordType`, `EnumType`, `NamedType`) by their key in an `Api`; they never hold the
entity, so a recursive struct is a finite tree. What depends on the target (the length of `char pad[64 -
sizeof(void*)]`)
stays an `Expression` and is evaluated by `abigen.model.evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeGuard, TypeVar

import msgspec
from msgspec.structs import replace

from abigen.model.span import Compared, Span

INTEGER_SUFFIXES = {
    "unsigned int": "U",
    "long": "L",
    "unsigned long": "UL",
    "long long": "LL",
    "unsigned long long": "ULL",
}
"""Basic type to what makes a constant one of it (C 6.4.4.1)."""


class _Type(msgspec.Struct, frozen=True, gc=False, array_like=True, tag_field="kind", tag=True):
    """The base of the types of C; `CType` is any of them."""


class Basic(_Type, frozen=True):
    """A type that the language names itself.

    `name` is the canonical spelling: `void`, `_Bool`, `char`, `signed char`, `unsigned char`, `short`,
    `unsigned short`, `int`, `unsigned int`, `long`, `unsigned long`, `long long`, `unsigned long long`, `__int128`,
    `unsigned __int128`, `float`, `double`, `long double`, `_Float16`, `__bf16`, `__float128`, `float _Complex`,
    `double _Complex`,
    `long double _Complex`, `__builtin_va_list`.
    """

    name: str


class Pointer(_Type, frozen=True):
    """A pointer to `target`; with `block`, a reference to Apple's block: `void (^b)(void)`."""

    target: CType
    block: bool = False
    """It refers to a function and the values that the function has captured. Its size is that of a pointer."""


class Qualified(_Type, frozen=True):
    """`type` with qualifiers: a sorted tuple of `_Atomic`, `const`, `restrict`, `volatile`; never empty, never
    nested."""

    type: CType
    qualifiers: tuple[str, ...]


class Array(Compared, _Type, frozen=True, eq=False):
    """An array of `element`; `length` in elements, None for `[]` (a flexible array member or an unknown bound)."""

    NOT_COMPARED = frozenset(("written",))

    element: CType
    length: Expression | int | None
    written: str = ""
    """A length that is a number, as a spec has written it by the names of constants; empty for others."""


class Vector(_Type, frozen=True):
    """A GNU vector of `size` bytes of `element`."""

    element: CType
    size: Expression | int


class BitInt(_Type, frozen=True):
    """C23 `_BitInt(width)`, width in bits."""

    width: int
    signed: bool


class Parameter(Compared, frozen=True, gc=False, array_like=True):
    """A parameter of a function; `type` is adjusted as C 6.7.6.3 paragraphs 7 and 8 say (arrays and functions
    decay)."""

    NOT_COMPARED = frozenset(("span", "example", "array"))

    name: str | None
    type: CType
    span: Span | None = None
    doc: str = ""
    example: str = ""
    """A value to try a function with: a number, an enumerator, or a text."""
    array: Array | None = None
    """The array as which it is declared, before it became a pointer."""
    count: str = ""
    """The parameter that tells how many elements this pointer leads to; empty where names tell, or nothing does."""
    below: str = ""
    """The exclusive limit of an index: a number, a constant, or a member as `Struct.member`; empty if not stated."""
    ended: bool = False
    """True if NULL, or 0, stands behind the last element of the array that this pointer leads to."""
    versions: tuple[tuple[str, str], ...] = ()
    """Values of a version that is handed over, each with the release that it stands for: constant, `1.0.0`."""

    @property
    def version_part(self) -> str:
        """The part of the version that it states by its name: `major`, `minor`, `patch`; empty for none."""
        words = (self.name or "").lower().split("_") if isinstance(self.type, (Basic, NamedType)) else ()
        return next((part for part in ("major", "minor", "patch") if part in words), "")


class FunctionType(_Type, frozen=True):
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


class RecordType(_Type, frozen=True):
    """A struct or union, by its key in `Api.structs`."""

    key: str


class EnumType(_Type, frozen=True):
    """An enumeration, by its key in `Api.enums`."""

    key: str


class NamedType(_Type, frozen=True):
    """A typedef, by its name in `Api.typedefs`."""

    name: str


class _Expression(msgspec.Struct, frozen=True, gc=False, array_like=True, tag_field="kind", tag=True):
    """The base of expressions; `Expression` is any of them."""


class Literal(_Expression, frozen=True):
    """An integer or character constant; `type` is the name of its basic type on LP64 rules (C 6.4.4.1)."""

    value: int
    type: str = "int"


class Name(_Expression, frozen=True):
    """An identifier: an enumerator."""

    name: str


class Unary(_Expression, frozen=True):
    """`operator` is one of `+ - ~ !`."""

    operator: str
    operand: Expression


class Binary(_Expression, frozen=True):
    """`operator` is a binary operator of C, without the assignments and the comma."""

    operator: str
    left: Expression
    right: Expression


class Conditional(_Expression, frozen=True):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


class Alignments(_Expression, frozen=True):
    """The alignments of several attributes of one declaration, in order; the target decides which of them counts."""

    operands: tuple[Expression, ...]


class Cast(_Expression, frozen=True):
    """`(type)operand`."""

    type: CType
    operand: Expression


class SizeOf(_Expression, frozen=True):
    """`sizeof(type)`, in bytes."""

    type: CType


class AlignOf(_Expression, frozen=True):
    """`_Alignof(type)`, in bytes."""

    type: CType
    preferred: bool = False
    """It is GNU's `__alignof__`, which on some targets is more than what members get."""


class OffsetOf(_Expression, frozen=True):
    """`offsetof(type, path)`, in bytes; also written `(size_t)&((type*)0)->path`. `path` mixes names and indices."""

    type: CType
    path: tuple[str | Expression, ...]


class SizeOfMember(_Expression, frozen=True):
    """`sizeof(((type*)0)->path)`, in bytes: the size of a member, reached without an object."""

    type: CType
    path: tuple[str | Expression, ...]


def qualified(type: CType, qualifiers: Sequence[str]) -> CType:
    """Return a type with more qualifiers; the same type when there are none."""
    if not qualifiers:
        return type
    known, type = (type.qualifiers, type.type) if isinstance(type, Qualified) else ((), type)
    return Qualified(type, tuple(sorted({*known, *qualifiers})))


def unqualified(type: CType) -> CType:
    """Return a type without qualifiers of its own."""
    return type.type if isinstance(type, Qualified) else type


def innermost(type: CType) -> CType:
    """Return the type behind pointers, arrays and qualifiers, as it is spelled."""
    while isinstance(type, (Pointer, Qualified, Array)):
        type = type.target if isinstance(type, Pointer) else type.element if isinstance(type, Array) else type.type
    return type


CType: TypeAlias = (
    Basic | Pointer | Qualified | Array | Vector | BitInt | FunctionType | RecordType | EnumType | NamedType
)
"""Any type of C."""
Expression: TypeAlias = (
    Literal | Name | Unary | Binary | Conditional | Alignments | Cast | SizeOf | AlignOf | OffsetOf | SizeOfMember
)
"""An integer constant expression (C 6.6) that has been parsed but not evaluated."""
Node: TypeAlias = CType | Parameter | Expression
AnyNode = TypeVar("AnyNode", bound=CType | Expression)


def is_node(value: object) -> TypeGuard[Node]:
    """True if a value is a type, a parameter or an expression; faster than asking for each member of these unions."""
    return isinstance(value, (_Type, _Expression, Parameter))


def parts(node: Node) -> Iterator[Node]:
    """Yield the types, parameters and expressions that a type or an expression is directly made of, in order."""
    for name in node.__struct_fields__:
        value = getattr(node, name)
        for each in value if isinstance(value, tuple) else (value,):
            if is_node(each):
                yield each


def rebuilt(node: AnyNode, change: Callable[[Node], Node]) -> AnyNode:
    """Return a copy of a type or an expression, with each of its parts replaced by what `change` makes of it."""
    changed: dict[str, object] = {}
    for name in node.__struct_fields__:
        value = getattr(node, name)
        if isinstance(value, tuple):
            changed[name] = tuple(change(each) if is_node(each) else each for each in value)
        elif is_node(value):
            changed[name] = change(value)
    return replace(node, **changed) if changed else node


def types_in(type: CType) -> Iterator[CType]:
    """Yield a type and all types that it is made of, outermost first."""
    yield type
    for part in parts(type):
        if isinstance(part, Parameter):
            yield from types_in(part.type)
        elif not isinstance(part, _Expression):
            yield from types_in(part)
