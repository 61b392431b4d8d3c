"""Words that no API may use as names: keywords of C and C++, and identifiers that belong to the implementation."""

from __future__ import annotations

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


def reserved_word(name: str, *, file_scope: bool = True) -> str:
    """Say why a name cannot be used in a header that C and C++ compilers read.

    Args:
        name: an identifier.
        file_scope: whether it is declared at file scope, where more names are reserved than among members.

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
    if "__" in name:
        return "is reserved to the implementation: two underscores in a row"
    if name.startswith("_") and (file_scope or name[1:2].isupper()):
        return "is reserved to the implementation: it begins with an underscore"
    return ""
