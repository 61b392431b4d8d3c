"""The words of declarations, and what specifiers and attributes mean.

The basic types are those of C 6.7.2; attributes may change layout or calls.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from abigen.model.ctype import Basic, CType, EnumType, Pointer, RecordType
from abigen.read.c.literals import integer
from abigen.read.c.syntax.trees import Attribute

_SIMPLE_C = (
    "void _Bool char short int long float double signed unsigned _Complex __int128 _Decimal32 _Decimal64 _Decimal128"
)
OTHER_TYPES = frozenset(
    """
    _Float16 _Float32 _Float32x _Float64 _Float64x _Float128 __float128 __fp16 __bf16 __builtin_va_list
    __int128_t __uint128_t __int8 __int16 __int32 __int64 __auto_type
    """.split()  # noqa: SIM905
)
"""Types of compilers that pycparser does not know."""
SIMPLE_TYPES = OTHER_TYPES | frozenset(_SIMPLE_C.split())

TYPEDEF = "typedef:"
"""Stands for `typedef` in a flattened declaration; see `abigen.read.c.syntax.parser` for it and those below."""
PLAIN_NAME = "$"
"""Stands for any identifier that is not the name of a type."""
TYPE_NAME = "@"
"""Stands for the name of a typedef."""
TAG_BODY = "{}"
"""Stands for a struct, union or enum specifier with a body, which is parsed apart."""
INTEGER = "0"
FLOATING = "0."
CHARACTER = "' '"
STRING = '""'

STORAGE = frozenset((TYPEDEF, "extern", "static", "auto", "register", "_Thread_local", "constexpr"))
FUNCTION_SPECIFIERS = frozenset(("inline", "_Noreturn"))
QUALIFIERS = frozenset(("const", "volatile", "restrict", "_Atomic"))
TAG_WORDS = frozenset(("struct", "union", "enum"))

_OTHER = "sizeof _Alignof _Alignas _Static_assert _Generic _BitInt typeof offsetof default"
_STATEMENTS = "break case continue do else for goto if return switch while asm __builtin_va_arg"
_SPELLINGS = {
    "const": "__const __const__",
    "volatile": "__volatile __volatile__",
    "restrict": "__restrict __restrict__ _restrict",
    "inline": "__inline __inline__ __forceinline",
    "signed": "__signed __signed__",
    "_Complex": "__complex __complex__",
    "_Alignof": "__alignof __alignof__",
    "typeof": "__typeof __typeof__ typeof_unqual __typeof_unqual__",
    "_Thread_local": "__thread",
    "asm": "__asm __asm__",
    "offsetof": "__builtin_offsetof",
    "__builtin_va_list": "__builtin_ms_va_list __builtin_sysv_va_list",
    TYPEDEF: "typedef",
}
"""Keyword -> other spellings of it in GNU's and Microsoft's dialects."""

KEYWORDS: dict[str, str] = {
    word: word
    for word in (*SIMPLE_TYPES, *STORAGE, *FUNCTION_SPECIFIERS, *QUALIFIERS, *TAG_WORDS, *_OTHER.split(),
                 *_STATEMENTS.split())
    if word not in ("constexpr", TYPEDEF)
}  # fmt: skip
KEYWORDS |= {spelling: word for word, spellings in _SPELLINGS.items() for spelling in spellings.split()}
"""Word as it is written -> keyword that it means, for C17 with GNU's and Microsoft's extensions."""

_KEYWORDS_C23 = KEYWORDS | {
    "bool": "_Bool",
    "alignas": "_Alignas",
    "alignof": "_Alignof",
    "static_assert": "_Static_assert",
    "thread_local": "_Thread_local",
    "constexpr": "constexpr",
}

IGNORED_WORDS = frozenset(
    """
    __extension__ _Nonnull _Nullable _Null_unspecified __nonnull __nullable __unaligned __w64 __sptr __uptr
    """.split()  # noqa: SIM905
)
"""Keywords of compilers that change neither layout nor calls."""

CALLING_CONVENTIONS = {
    f"__{name}": name
    for name in ("cdecl", "stdcall", "fastcall", "thiscall", "vectorcall", "regcall", "pascal", "clrcall")
} | {f"_{name}": name for name in ("cdecl", "stdcall", "fastcall", "vectorcall")}
"""Microsoft's keywords -> the attribute that GCC has for them."""


def is_c23(std: str) -> bool:
    """Whether a C standard, as compilers name it (`gnu17`, `c2x`), is C23 or later."""
    return std.removeprefix("gnu").removeprefix("c") in ("23", "2x", "2y", "26")


def keywords_of(std: str) -> dict[str, str]:
    """The keywords that a header's declarations can use under a C standard; `offsetof` is a macro there."""
    table = dict(_KEYWORDS_C23 if is_c23(std) else KEYWORDS)
    del table["offsetof"]
    return table


_TABLES = tomllib.loads(Path(__file__).with_name("specifiers.toml").read_text(encoding="utf-8"))
_KINDS: dict[str, frozenset[str]] = {kind: frozenset(names) for kind, names in _TABLES["attributes"].items()}
CALLS = _KINDS["calls"]
"""Attributes that choose a calling convention."""
FLAGS = _KINDS["flags"]
"""Attributes that are kept by name in an entity's flags."""
NOT_MODELLED = _KINDS["not_modelled"]
"""Attributes that change layout or meaning of bytes in a way that the model cannot express."""
KNOWN = frozenset().union(*_KINDS.values()) - NOT_MODELLED
"""Attributes that the model can express, or that change nothing."""
_VECTOR_ELEMENTS: dict[str, int] = _TABLES["vector_elements"]
_ALIASES: dict[str, str] = _TABLES["aliases"]
_MODES: dict[str, str] = _TABLES["modes"]
_FLOATING = frozenset(("_Float16", "float", "double", "long double", "__float128"))
_shared = cache(Basic)
"""Makes each basic type once: thousands of members have the same."""
_WHOLE = frozenset(("void", "_Bool", "_Float16", "__bf16", "__float128", "__builtin_va_list"))


def basic_type(words: Sequence[str], attributes: Iterable[Attribute] = ()) -> Basic | None:
    """Tell which basic type a list of specifiers names.

    Args:
        words: the specifiers in any order (`long unsigned int`).
        attributes: those of the declaration; `mode(DI)` chooses another size.

    Returns:
        The type by its canonical name, None when the words do not go together.
    """
    name = _canonical(list(words))
    if name is None:
        return None
    for each in attributes:
        if each.name == "mode" and each.arguments:
            name = _with_mode(name, _mode_of(each)) or name
    return _shared(name)


def unknown_mode(attributes: Iterable[Attribute]) -> Attribute | None:
    """The `mode` among attributes that no basic type has; None when there is none such."""
    return next((each for each in attributes if each.name == "mode" and _mode_of(each) not in _MODES), None)


def _mode_of(attribute: Attribute) -> str:
    """The name of a mode, without the underscores that may decorate it."""
    return attribute.arguments[0].text.strip("_") if attribute.arguments else ""


def _canonical(words: Sequence[str]) -> str | None:
    """The canonical name of a list of specifiers."""
    if len(words) == 1:
        return _names().get(words[0])
    return _names().get(_key(part for word in words for part in _ALIASES.get(word, word).split()))


@cache
def _names() -> dict[str, str]:
    """Every list of specifiers that names a basic type (C 6.7.2 paragraph 2), in sorted order, to the type's name."""
    names = {word: word for word in (*_WHOLE, "char", "float", "double", "__int128")}
    names |= _ALIASES
    for sign, prefix in (("", ""), ("signed", ""), ("unsigned", "unsigned ")):
        for size in ("short", "", "long", "long long"):
            for word in ("", "int"):
                words = [*size.split(), *sign.split(), *word.split()]
                if words:
                    names[_key(words)] = f"{prefix}{size or 'int'}"
        names[_key(["__int128", *sign.split()])] = f"{prefix}__int128"
        names[_key(["char", *sign.split()])] = f"{sign} char".strip()
    names[_key(["long", "double"])] = "long double"
    for name in ("float", "double", "long double", "__float128"):
        names[_key([*name.split(), "_Complex"])] = f"{name} _Complex"
    names["_Complex"] = "double _Complex"
    return names


def _key(words: Iterable[str]) -> str:
    """Specifiers in the order in which `_names` has them."""
    return " ".join(sorted(words))


def _with_mode(name: str, mode: str) -> str | None:
    """The type that `mode` makes of another (GCC manual, "Common Type Attributes")."""
    chosen = _MODES.get(mode)
    if chosen is None:
        return None
    if chosen == "char":
        return "unsigned char" if name.startswith("unsigned") else "signed char"
    return f"unsigned {chosen}" if name.startswith("unsigned") and chosen not in _FLOATING else chosen


def number_argument(attribute: Attribute) -> int | None:
    """The attribute's argument when it is one integer constant."""
    if len(attribute.arguments) != 1:
        return None
    literal = integer(attribute.arguments[0].text)
    return None if literal is None else literal.value


def vector_bytes(attribute: Attribute, number: int, element: CType) -> int:
    """The size in bytes of the vector that an attribute makes of a type.

    Args:
        attribute: `vector_size`, which counts bytes, or `ext_vector_type`, which counts elements.
        number: its argument.
        element: the type of the elements, typedefs resolved.

    Returns:
        The size; 0 when it makes none.
    """
    if isinstance(element, (Pointer, RecordType, EnumType)):
        return 0
    if attribute.name == "vector_size":
        return number
    return number * _VECTOR_ELEMENTS.get(element.name, 0) if isinstance(element, Basic) else 0
