"""The keywords of C and its dialects, and the words of flattened declarations."""

from __future__ import annotations

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
