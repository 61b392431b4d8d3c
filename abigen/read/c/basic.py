"""The basic types: from the words of a declaration to the one name that the model has for them (C 6.7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abigen.model.ctype import Basic
from abigen.read.c.syntax import Attribute

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
_WHOLE = frozenset(("void", "_Bool", "_Float16", "__bf16", "__float128", "__builtin_va_list"))
_COMPLEX = {"float": "float _Complex", "double": "double _Complex", "long double": "long double _Complex"}


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


def _canonical(words: list[str]) -> str | None:
    """The canonical name of a list of specifiers."""
    if len(words) == 1:
        word = _ALIASES.get(words[0], words[0])
        if word in _WHOLE or word in (
            "char",
            "short",
            "int",
            "long",
            "float",
            "double",
            "long long",
            "__int128",
            "long double",
        ):
            return word
        if word == "unsigned __int128":
            return word
    words = [part for word in words for part in _ALIASES.get(word, word).split()]
    counts = {word: words.count(word) for word in words}
    is_complex = counts.pop("_Complex", 0) == 1
    signed, unsigned, integer = counts.pop("signed", 0), counts.pop("unsigned", 0), counts.pop("int", 0)
    short, longs = counts.pop("short", 0), counts.pop("long", 0)
    rest = list(counts.items())
    if signed + unsigned > 1 or integer > 1 or short > 1 or longs > 2 or (short and longs) or len(rest) > 1:
        return None
    if rest:
        word, count = rest[0]
        if count > 1 or integer or short:
            return None
        if word in ("float", "double"):
            if signed or unsigned or longs > (word == "double"):
                return None
            name = "long double" if longs else word
            return _COMPLEX[name] if is_complex else name
        if is_complex or longs:
            return None
        if word == "char":
            return "signed char" if signed else "unsigned char" if unsigned else "char"
        if word == "__int128":
            return "unsigned __int128" if unsigned else "__int128"
        return word if word in _WHOLE and not (signed or unsigned) else None
    if is_complex:
        return None if signed or unsigned or integer or short or longs else "double _Complex"
    name = "short" if short else ("int", "long", "long long")[longs]
    if not (signed or unsigned or integer or short or longs):
        return None
    return f"unsigned {name}" if unsigned else name


def _with_mode(name: str, mode: str) -> str | None:
    """The type that `mode` makes of another (GCC manual, "Common Type Attributes")."""
    chosen = _MODES.get(mode)
    if chosen is None:
        return None
    if chosen == "char":
        return "unsigned char" if name.startswith("unsigned") else "signed char"
    return (
        f"unsigned {chosen}"
        if name.startswith("unsigned") and "float" not in chosen.lower() and chosen != "double"
        else chosen
    )
