"""The words of C and its dialects, and what pycparser's grammar calls them."""

from __future__ import annotations

SIMPLE_TYPES = {
    "void": "VOID",
    "_Bool": "_BOOL",
    "char": "CHAR",
    "short": "SHORT",
    "int": "INT",
    "long": "LONG",
    "float": "FLOAT",
    "double": "DOUBLE",
    "signed": "SIGNED",
    "unsigned": "UNSIGNED",
    "_Complex": "_COMPLEX",
    "__int128": "__INT128",
    "_Decimal32": "_DECIMAL32",
    "_Decimal64": "_DECIMAL64",
    "_Decimal128": "_DECIMAL128",
    # Words that pycparser does not know; for its grammar they are type specifiers like any other.
    **dict.fromkeys(
        """
        _Float16 _Float32 _Float32x _Float64 _Float64x _Float128 __float128 __fp16 __bf16 __builtin_va_list
        __int128_t __uint128_t __int8 __int16 __int32 __int64 __auto_type
        """.split(),  # noqa: SIM905
        "INT",
    ),
}

TYPEDEF = "typedef:"
"""Stands for `typedef`, spelled so that pycparser keeps no list of its own of typedef names."""

STORAGE = {
    TYPEDEF: "STATIC",
    "extern": "EXTERN",
    "static": "STATIC",
    "auto": "AUTO",
    "register": "REGISTER",
    "_Thread_local": "_THREAD_LOCAL",
    "constexpr": "CONSTEXPR",
}
FUNCTION_SPECIFIERS = {"inline": "INLINE", "_Noreturn": "_NORETURN"}
QUALIFIERS = {"const": "CONST", "volatile": "VOLATILE", "restrict": "RESTRICT", "_Atomic": "_ATOMIC"}
TAG_WORDS = {"struct": "STRUCT", "union": "UNION", "enum": "ENUM"}

_OTHER = {
    "sizeof": "SIZEOF",
    "_Alignof": "_ALIGNOF",
    "_Alignas": "_ALIGNAS",
    "_Static_assert": "_STATIC_ASSERT",
    "_Generic": "_GENERIC",
    "_BitInt": "_BITINT",
    "typeof": "TYPEOF",
    "offsetof": "OFFSETOF",
    "default": "DEFAULT",
}
_STATEMENTS = (
    "break case continue do else for goto if return switch while asm __builtin_va_arg".split()  # noqa: SIM905
)  # no place outside a function body

_SPELLINGS = {
    "typedef": TYPEDEF,
    "__const": "const",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "_restrict": "restrict",
    "__inline": "inline",
    "__inline__": "inline",
    "__forceinline": "inline",
    "__signed": "signed",
    "__signed__": "signed",
    "__complex": "_Complex",
    "__complex__": "_Complex",
    "__alignof": "_Alignof",
    "__alignof__": "_Alignof",
    "__typeof": "typeof",
    "__typeof__": "typeof",
    "typeof_unqual": "typeof",
    "__typeof_unqual__": "typeof",
    "__thread": "_Thread_local",
    "__asm": "asm",
    "__asm__": "asm",
    "__builtin_offsetof": "offsetof",
    "__builtin_ms_va_list": "__builtin_va_list",
    "__builtin_sysv_va_list": "__builtin_va_list",
}
_SPELLINGS_C23 = {
    "bool": "_Bool",
    "alignas": "_Alignas",
    "alignof": "_Alignof",
    "static_assert": "_Static_assert",
    "thread_local": "_Thread_local",
}

KEYWORDS: dict[str, str] = {
    word: word
    for table in (SIMPLE_TYPES, STORAGE, FUNCTION_SPECIFIERS, QUALIFIERS, TAG_WORDS, _OTHER)
    for word in table
    if word not in ("constexpr", TYPEDEF)
}
KEYWORDS |= {word: word for word in _STATEMENTS} | _SPELLINGS
"""Word as it is written -> keyword that it means, for C17 with GNU's and Microsoft's extensions."""

KEYWORDS_C23 = KEYWORDS | _SPELLINGS_C23 | {"constexpr": "constexpr"}

IGNORED_WORDS = frozenset(
    """
    __extension__ _Nonnull _Nullable _Null_unspecified __nonnull __nullable __unaligned __w64 __sptr __uptr
    """.split()  # noqa: SIM905
)
"""Keywords of compilers that change neither layout nor calls."""

CALLING_CONVENTIONS = {
    **{
        f"__{name}": name
        for name in ("cdecl", "stdcall", "fastcall", "thiscall", "vectorcall", "regcall", "pascal", "clrcall")
    },
    "_cdecl": "cdecl",
    "_stdcall": "stdcall",
    "_fastcall": "fastcall",
    "_vectorcall": "vectorcall",
}
"""Microsoft's keywords -> the attribute that GCC has for them."""

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
ATTRIBUTE = "#"
"""Begins the word that stands for a run of attributes: `#3` is the fourth of the declaration."""

_PUNCTUATION = {
    "...": "ELLIPSIS",
    "<<=": "LSHIFTEQUAL",
    ">>=": "RSHIFTEQUAL",
    "++": "PLUSPLUS",
    "--": "MINUSMINUS",
    "->": "ARROW",
    "&&": "LAND",
    "||": "LOR",
    "<<": "LSHIFT",
    ">>": "RSHIFT",
    "<=": "LE",
    ">=": "GE",
    "==": "EQ",
    "!=": "NE",
    "*=": "TIMESEQUAL",
    "/=": "DIVEQUAL",
    "%=": "MODEQUAL",
    "+=": "PLUSEQUAL",
    "-=": "MINUSEQUAL",
    "&=": "ANDEQUAL",
    "|=": "OREQUAL",
    "^=": "XOREQUAL",
    "=": "EQUALS",
    "+": "PLUS",
    "-": "MINUS",
    "*": "TIMES",
    "/": "DIVIDE",
    "%": "MOD",
    "|": "OR",
    "&": "AND",
    "~": "NOT",
    "^": "XOR",
    "!": "LNOT",
    "<": "LT",
    ">": "GT",
    "?": "CONDOP",
    "(": "LPAREN",
    ")": "RPAREN",
    "[": "LBRACKET",
    "]": "RBRACKET",
    "{": "LBRACE",
    "}": "RBRACE",
    ",": "COMMA",
    ".": "PERIOD",
    ";": "SEMI",
    ":": "COLON",
    "::": "COLONCOLON",
    "#": "PPHASH",
    "##": "PPHASH",
}

TERMINALS: dict[str, str] = {
    **SIMPLE_TYPES,
    **STORAGE,
    **FUNCTION_SPECIFIERS,
    **QUALIFIERS,
    **TAG_WORDS,
    **_OTHER,
    **{word: word.upper() for word in _STATEMENTS},
    **_PUNCTUATION,
    PLAIN_NAME: "ID",
    TYPE_NAME: "INT",
    TAG_BODY: "INT",
    INTEGER: "INT_CONST_DEC",
    FLOATING: "FLOAT_CONST",
    CHARACTER: "CHAR_CONST",
    STRING: "STRING_LITERAL",
}
"""Word of a flattened declaration -> the kind of token that pycparser's grammar expects."""


def is_c23(std: str) -> bool:
    """Whether a C standard, as compilers name it (`gnu17`, `c2x`), is C23 or later."""
    return std.removeprefix("gnu").removeprefix("c") in ("23", "2x", "2y", "26")


def keywords_of(std: str) -> dict[str, str]:
    """The keywords that a header's declarations can use under a C standard; `offsetof` is a macro there."""
    table = dict(KEYWORDS_C23 if is_c23(std) else KEYWORDS)
    del table["offsetof"]
    return table
