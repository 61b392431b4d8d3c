"""Types of the C standard library whose layout is known for every target, and the header that each one is in."""

from __future__ import annotations

from abigen.model.ctype import Basic, CType

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

BUILT_IN: dict[str, CType] = {"bool": Basic("_Bool"), "va_list": Basic("__builtin_va_list")}
"""Names that stand for a type of the language itself on every target."""
