"""Identifiers of C: what the language and its library have taken, and names that follow from other names."""

from __future__ import annotations

import re
from functools import lru_cache

from abigen.model.ctype import Basic

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
"""What stands for a struct's name in a pattern: `XY_DeviceFns`, `XY_DEVICEFNS`, `XY_DEVICE_FNS`."""


def by_pattern(pattern: str, struct: str) -> str:
    """The name that follows from a struct's by a pattern.

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
    """The name of a header's include guard: its path in capitals, with an underscore at the end.

    Args:
        path: `dir/api.h`, as users include it.

    Returns:
        `DIR_API_H_`.
    """
    guard = re.sub(r"[^A-Za-z0-9]+", "_", path).upper() + "_"
    return f"H_{guard}" if guard[0].isdigit() else guard.lstrip("_")


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The words of an identifier in small letters: `XY_SetCallback` gives `xy`, `set`, `callback`; `arg2` `arg`, `2`.

    Args:
        name: the identifier, in any of the usual ways to write several words as one.
    """
    return tuple(word.lower() for word in _WORD.findall(name))
