"""The basic types: from the words of a declaration to the one name that the model has for them (C 6.7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from abigen.model.ctype import Basic
from abigen.read.c.syntax.trees import Attribute

_ALIASES = {
    "__int8": "char",
    "__int16": "short",
    "__int32": "int",
    "__int64": "long long",
    "__int128_t": "__int128",
    "__uint128_t": "unsigned __int128",
    "_Float32": "float",
    "_Float32x": "double",
    "_Float64": "double",
    "_Float64x": "long double",
    "_Float128": "__float128",
    "__fp16": "_Float16",
}
_MODES = {
    "QI": "char",
    "byte": "char",
    "HI": "short",
    "SI": "int",
    "DI": "long long",
    "TI": "__int128",
    "HF": "_Float16",
    "SF": "float",
    "DF": "double",
    "XF": "long double",
    "TF": "__float128",
    "word": "long",
    "pointer": "long",
    "unwind_word": "long",
    "libgcc_cmp_return": "long",
}
_FLOATING = frozenset(("_Float16", "float", "double", "long double", "__float128"))
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
    return Basic(name)


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
            for integer in ("", "int"):
                words = [*size.split(), *sign.split(), *integer.split()]
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
