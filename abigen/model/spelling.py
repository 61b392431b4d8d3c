"""C spelling of types and constant expressions, and identifiers in other styles of case.

Canonical types decide whether two spellings name the same type.
"""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache

from msgspec.structs import replace

from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, Expression, NamedType
from abigen.model.entities import Enum, Enumerator, Struct
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.target import Target, find_target

C_KEYWORDS = frozenset(
    """
    alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float
    for goto if inline int long nullptr register restrict return short signed sizeof static static_assert struct switch
    thread_local true typedef typeof typeof_unqual union unsigned void volatile while
    asm fortran
    """.split()  # noqa: SIM905
)
"""Keywords up to C23 (ISO/IEC 9899:2024, 6.4.1), with the two of its annex J.5 that compilers reserve."""

CPP_KEYWORDS = frozenset(
    """
    and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept
    const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new noexcept
    not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this throw try
    typeid typename using virtual wchar_t xor xor_eq
    """.split()  # noqa: SIM905
)
"""Keywords and alternative tokens that C++23 adds (ISO/IEC 14882:2024, [lex.key] and [lex.digraph])."""

PREDEFINED = frozenset(
    {"linux", "unix", "i386", "NULL", "errno", "offsetof", "assert", "EOF", "stdin", "stdout", "stderr"}
)
"""Macros that compilers in their GNU modes, or headers that are included everywhere, define without a mark."""


def reserved_word(name: str, *, file_scope: bool = True, to_implementation: bool = True) -> str:
    """Say why a name cannot be used in a header that C and C++ compilers read.

    Args:
        name: an identifier.
        file_scope: whether it is declared at file scope, where more names are reserved than among members.
        to_implementation: whether names count that compilers take although they belong to the implementation.

    Returns:
        The reason as the end of a sentence that begins with the name; empty when nothing is wrong with it.

    Source: ISO/IEC 9899:2024, 7.1.3; ISO/IEC 14882:2024, [lex.name] paragraph 3.
    """
    if name in C_KEYWORDS:
        return "is a keyword of C"
    if name in CPP_KEYWORDS:
        return "is a keyword of C++"
    if name in PREDEFINED:
        return "is a macro of common compilers or of the standard library"
    if to_implementation and "__" in name:
        return "is reserved to the implementation: two underscores in a row"
    if to_implementation and name.startswith("_") and (file_scope or name[1:2].isupper()):
        return "is reserved to the implementation: it begins with an underscore"
    return ""


_HEADERS: dict[str, tuple[str, ...]] = {
    "<stddef.h>": ("size_t", "ptrdiff_t", "wchar_t"),
    "<stdint.h>": (
        *(
            f"{sign}int{kind}{bits}_t"
            for sign in ("", "u")
            for kind in ("", "_least", "_fast")
            for bits in (8, 16, 32, 64)
        ),
        *("intptr_t", "uintptr_t", "intmax_t", "uintmax_t"),
    ),
    "<stdbool.h>": ("bool",),
    "<stdarg.h>": ("va_list",),
    "<sys/types.h>": ("ssize_t",),
    "<uchar.h>": ("char16_t", "char32_t"),
    "<wchar.h>": ("wint_t",),
}
STANDARD_TYPES: dict[str, str] = {name: header for header, names in _HEADERS.items() for name in names}
"""Name of a type to the header that declares it (ISO/IEC 9899:2018 chapter 7; POSIX for <sys/types.h>)."""

ALSO_DECLARED = {
    "<stdint.h>": ("<inttypes.h>",),
    "<stddef.h>": ("<stdio.h>", "<stdlib.h>", "<string.h>", "<time.h>", "<uchar.h>", "<wchar.h>"),
}
"""Header to others that declare all that an API takes from it; <stddef.h> for `size_t` only."""

BUILT_IN: dict[str, Basic] = {"bool": Basic("_Bool"), "va_list": Basic("__builtin_va_list")}
"""Names that stand for a type of the language itself on every target."""


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def screaming_snake(name: str) -> str:
    """Spell a name in capitals with an underscore between its words.

    Args:
        name: `XY_DeviceFns`.

    Returns:
        `XY_DEVICE_FNS`.
    """
    return _WORD_BEGINS.sub("_", name).upper()


USUAL_SIZE_MACRO = "{WORDS}_STRUCT_SIZE"
"""The pattern by which the size macros of structs are named unless something else is said."""

PLACES = ("{struct}", "{STRUCT}", "{WORDS}")
"""The placeholders of a struct's name in a pattern: `XY_DeviceFns`, `XY_DEVICEFNS`, `XY_DEVICE_FNS`."""


def by_pattern(pattern: str, struct: str) -> str:
    """Return the name that follows from a struct's by a pattern.

    Args:
        pattern: with one of `PLACES` in it: `{WORDS}_STRUCT_SIZE`.
        struct: name of the struct: `XY_DeviceFns`.

    Returns:
        `XY_DEVICE_FNS_STRUCT_SIZE`.
    """
    for place, name in zip(PLACES, (struct, struct.upper(), screaming_snake(struct)), strict=True):
        pattern = pattern.replace(place, name)
    return pattern


def include_guard(path: str) -> str:
    """Return the name of a header's include guard: its path in capitals, with an underscore at the end.

    Args:
        path: `dir/api.h`, as users include it.

    Returns:
        `DIR_API_H_`.
    """
    guard = re.sub(r"[^A-Za-z0-9]+", "_", path).upper() + "_"
    return f"H_{guard}" if guard[0].isdigit() else guard.lstrip("_")


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in small letters: `XY_SetCallback` gives `xy`, `set`, `callback`.

    Args:
        name: the identifier, in any of the usual ways to write several words as one.
    """
    return tuple(word.lower() for word in _WORD.findall(name))


_LITERAL = re.compile(r"""(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\.?\d(?:[eEpP][+-]|[\w.'])*""")
_INNERMOST = re.compile(r"\([^()]*\)|\[[^][]*\]")
_OPERATOR = re.compile(r"[-+*/%<>=!&^|?~]")


def needs_parentheses(text: str) -> bool:
    """Tell whether operators around a value could take a part of it, because no parentheses hold all of it.

    Args:
        text: what a macro stands for, as C; a list, or a type, is no value.
    """
    rest = _LITERAL.sub("0", text)
    while rest != (shorter := _INNERMOST.sub("@", rest)):
        rest = shorter
    rest = rest.strip()
    if {",", "{", ";"} & set(rest) or rest.endswith("*"):
        return False
    return _OPERATOR.search(rest) is not None or (rest.startswith("@") and rest != "@")  # a cast


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
        if isinstance(type, ctype.Qualified):
            qualifiers = type.qualifiers
            type = type.type
        if isinstance(type, ctype.Pointer):
            text = f"{'^' if type.block else '*'}{_join(' '.join(qualifiers), text)}"
            type = type.target
            if isinstance(type, (ctype.Array, ctype.FunctionType)):
                convention = type.calling_convention if isinstance(type, ctype.FunctionType) else ""
                text = f"({_convention(convention)}{text})"
        elif isinstance(type, ctype.Array):
            # The qualifiers of an array are those of its elements (C 6.7.3 paragraph 10).
            text = f"{text}[{_length(type.length)}]"
            type = ctype.qualified(type.element, qualifiers)
        elif isinstance(type, ctype.FunctionType):
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


def _specifier(type: CType, api: Api | None) -> str:
    if isinstance(type, (ctype.Basic, ctype.NamedType)):
        return type.name
    if isinstance(type, ctype.RecordType):
        struct = api.structs.get(type.key) if api else None
        return _tagged(type.key, struct, struct.kind) if struct else type.key
    if isinstance(type, ctype.EnumType):
        enum = api.enums.get(type.key) if api else None
        return _tagged(type.key, enum, "enum") if enum else type.key
    if isinstance(type, ctype.BitInt):
        return f"_BitInt({type.width})" if type.signed else f"unsigned _BitInt({type.width})"
    if isinstance(type, ctype.Vector):
        return f"{spell(type.element, api=api)} __attribute__((vector_size({_length(type.size)})))"
    raise TypeError(f"no spelling for {type!r}")


def _tagged(key: str, entity: Struct | Enum, keyword: str) -> str:
    """Return the spelling of a struct or enumeration: the typedef, keyword and tag, or braces when it has no name."""
    if key in entity.typedef_names:
        return key
    return f"{keyword} {entity.tag}" if entity.tag else f"{keyword} {{...}}"


def _convention(name: str) -> str:
    return f"__attribute__(({name})) " if name else ""


def _length(length: Expression | int | None) -> str:
    return spell_expression(length) if isinstance(length, Expression) else "" if length is None else str(length)


def _parameters(type: ctype.FunctionType, api: Api | None) -> str:
    parts = [spell(each.type, each.name or "", api) for each in type.parameters]
    parts += ["..."] * type.variadic
    return ", ".join(parts) or ("void" if type.prototyped else "")


_LEVELS = ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %")
_PRECEDENCE = {operator: level for level, row in enumerate(_LEVELS, 1) for operator in row.split()}
"""The precedence of a binary operator (C 6.5.5 to 6.5.14)."""
_UNARY = 11
_PRIMARY = 12


def _expression(expression: Expression, context: int) -> str:
    """Return an expression, in parentheses if what stands around it binds more tightly."""
    text, precedence = _bare_expression(expression)
    return f"({text})" if precedence < context else text


def _bare_expression(expression: Expression) -> tuple[str, int]:
    """Return the text and how tightly it binds."""
    match expression:
        case ctype.Literal(value, type):
            return f"{value}{ctype.INTEGER_SUFFIXES.get(type, '')}", _PRIMARY if value >= 0 else _UNARY
        case ctype.Name(name):
            return name, _PRIMARY
        case ctype.Unary(operator, inner):
            operand = _expression(inner, _UNARY)
            space = " " if operand.startswith(operator) and operator in "+-" else ""
            return f"{operator}{space}{operand}", _UNARY
        case ctype.Binary():
            return _binary(expression)
        case ctype.Conditional(condition, then, otherwise):
            return f"{_expression(condition, 1)} ? {_expression(then, 0)} : {_expression(otherwise, 0)}", 0
        case ctype.Alignments(operands):
            return ", ".join(_expression(each, 1) for each in operands), 0
        case ctype.Cast(type, inner):
            return f"({spell(type)}){_expression(inner, _UNARY)}", _UNARY
        case ctype.SizeOf(type):
            return f"sizeof({spell(type)})", _PRIMARY
        case ctype.AlignOf(type, preferred):
            return f"{'__alignof__' if preferred else '_Alignof'}({spell(type)})", _PRIMARY
        case ctype.OffsetOf(type, path):
            return f"offsetof({spell(type)}, {spell_path(path)})", _PRIMARY
        case ctype.SizeOfMember(type, path):
            return f"sizeof((({spell(type)}*)0)->{spell_path(path)})", _PRIMARY
    raise TypeError(f"no spelling for {expression!r}")


def _binary(expression: ctype.Binary) -> tuple[str, int]:
    """Walk down the left spine, which long sums make long."""
    spine = [expression]
    while isinstance(spine[-1].left, ctype.Binary):
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
    try:
        return _Canonical(api, target).type(type)
    except RecursionError:
        raise AbigenError.at(None, "the type is too deeply nested") from None


class _Canonical:
    """A conversion to canonical types, for one API and target."""

    def __init__(self, api: Api, target: Target | None) -> None:
        self._api = api
        self._target = target

    def type(self, type: CType) -> CType:
        if isinstance(type, NamedType):
            return self._named(type)
        if isinstance(type, ctype.Qualified):
            return _qualify(self.type(type.type), type.qualifiers)
        if isinstance(type, ctype.Pointer):
            return ctype.Pointer(self.type(type.target), type.block)
        if isinstance(type, ctype.Array):
            length = self._length(type.length) if isinstance(type.length, Expression) else type.length
            return ctype.Array(self.type(type.element), length)
        if isinstance(type, ctype.Vector) and isinstance(type.size, Expression):
            return ctype.Vector(self.type(type.element), self._length(type.size))
        if isinstance(type, ctype.FunctionType):
            return replace(
                type,
                result=_unqualified(self.type(type.result)),
                parameters=tuple(ctype.Parameter(None, _adjusted(self.type(each.type))) for each in type.parameters),
            )
        return ctype.rebuilt(type, self._part)

    def _part(self, node: ctype.Node) -> ctype.Node:
        """Return a part of a type or an expression with canonical types in it."""
        if isinstance(node, CType):
            return self.type(node)
        return ctype.rebuilt(node, self._part) if isinstance(node, Expression) else node

    def _named(self, type: NamedType) -> CType:
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
        return self.type(current)

    def _length(self, length: Expression) -> Expression | int:
        if self._target is None and self._asks_target(length):
            return ctype.rebuilt(length, self._part)
        target = self._target or find_target("x86_64-linux-gnu")
        try:
            return Layouts(self._api, target).evaluate(length)
        except AbigenError:
            return ctype.rebuilt(length, self._part)

    def _asks_target(self, expression: Expression) -> bool:
        """True if the value of an expression may differ between targets."""
        seen: set[str] = set()
        stack: list[Expression] = [expression]
        while stack:
            each = stack.pop()
            if isinstance(each, (ctype.SizeOf, ctype.AlignOf, ctype.OffsetOf, ctype.SizeOfMember, ctype.Cast)):
                return True
            if isinstance(each, ctype.Name) and each.name not in seen:
                # An implicit value follows from the ones before it, so the whole enumeration counts.
                enumerators = self._siblings.get(each.name, ())
                seen.update(one.name for one in enumerators)
                stack += [one.expression for one in enumerators if one.expression is not None]
            stack += [part for part in ctype.parts(each) if isinstance(part, Expression)]
        return False

    @cached_property
    def _siblings(self) -> dict[str, tuple[Enumerator, ...]]:
        """Name of an enumerator to all of its enumeration."""
        enums = (enum.enumerators or () for enum in self._api.enums.values())
        return {each.name: enumerators for enumerators in enums for each in enumerators}


def _qualify(type: CType, qualifiers: tuple[str, ...]) -> CType:
    if isinstance(type, ctype.Array):
        return replace(type, element=_qualify(type.element, qualifiers))
    if isinstance(type, ctype.FunctionType):
        return type
    return ctype.qualified(type, qualifiers)


def _adjusted(type: CType) -> CType:
    """Return the type of a parameter (C 6.7.6.3 paragraphs 7 and 8): arrays that hide behind typedefs decay here."""
    if isinstance(type, ctype.Array):
        return ctype.Pointer(type.element)
    return ctype.Pointer(type) if isinstance(type, ctype.FunctionType) else _unqualified(type)


def _unqualified(type: CType) -> CType:
    """Without the qualifiers that a value cannot have; `_Atomic` makes another type and stays."""
    if isinstance(type, ctype.Qualified):
        return ctype.Qualified(type.type, ("_Atomic",)) if "_Atomic" in type.qualifiers else type.type
    return type


def _standard(name: str, target: Target | None) -> CType | None:
    """Return the basic type behind a name of the standard library, or the name itself where targets differ."""
    if target is None:
        return _agreed(name)
    return ctype.Basic(target.typedefs[name]) if name in target.typedefs else None


@cache
def _agreed(name: str) -> CType | None:
    """Return the meaning of a standard name on all usual targets; the name when they disagree, None for other names."""
    usual = ("x86_64-linux-gnu", "x86_64-apple-darwin", "x86_64-windows-msvc")
    meanings = {find_target(each).typedefs.get(name) for each in usual}
    if meanings == {None}:
        return None
    meaning = meanings.pop()
    return NamedType(name) if meanings or meaning is None else ctype.Basic(meaning)
