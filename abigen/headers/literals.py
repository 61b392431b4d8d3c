"""Integer, character and string literals: from their spelling to value and type (C 6.4.4.1, 6.4.4.4, 6.4.5)."""

from __future__ import annotations

import re

from abigen.model.ctype import Array, Basic, Cast, Expression, Literal

_INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*))"
    r"(?P<suffix>[uU]?(?:ll|LL|[lL]|i64|I64|[zZ])?[uU]?|[uU]?i(?:8|16|32))$"
)
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_LONGEST = 300  # characters; Python refuses to convert thousands of digits
_CHARACTERS = re.compile(
    r"\\(?:x(?P<x>[0-9a-fA-F]+)|(?P<oct>[0-7]{1,3})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|(?P<c>[^xuU]))|[^\\]",
    re.DOTALL,
)
_CHARACTER_TYPES = {"L": "int", "u": "unsigned short", "U": "unsigned int", "u8": "unsigned char"}
_SIMPLE_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "E": 27}
_LIMITS = (
    ("int", (1 << 31) - 1),
    ("unsigned int", (1 << 32) - 1),
    ("long", (1 << 63) - 1),
    ("unsigned long", (1 << 64) - 1),
    ("long long", (1 << 63) - 1),
    ("unsigned long long", (1 << 64) - 1),
)


def integer(text: str) -> Literal | None:
    """Read an integer constant.

    Args:
        text: its spelling, suffix and digit separators included.

    Returns:
        The literal, with the type that C 6.4.4.1 paragraph 5 gives it where `long` has 64 bits; None when this is no
        integer constant or fits no type.
    """
    match = _INTEGER.match(text.replace("'", ""))
    if match is None or len(text) > _LONGEST:
        return None
    name = next(name for name in _BASES if match[name])
    base = _BASES[name]
    value = int(match[name], base)
    suffix = match["suffix"].lower().replace("i64", "ll").replace("z", "l")
    unsigned = "u" in suffix
    longs = min(suffix.count("l"), 2)
    for name, limit in _LIMITS:
        if name.count("long") < longs or (unsigned and not name.startswith("unsigned")):
            continue
        if base == 10 and not unsigned and name.startswith("unsigned"):
            continue
        if value <= limit:
            return Literal(value, name)
    return None


def character(text: str) -> Expression | None:
    """Read a character constant, prefix and quotes included; None when it is malformed."""
    prefix, _, rest = text.partition("'")
    units = code_units(rest[:-1], wide=bool(prefix))
    if not units:
        return None
    if prefix:
        return Literal(units[-1], _CHARACTER_TYPES[prefix])
    if len(units) > 1:
        return Literal(packed(units))
    # Whether '\xff' is negative depends on whether the target's char is signed.
    return Literal(units[0]) if units[0] < 128 else Cast(Basic("char"), Literal(units[0] & 0xFF))


def packed(units: list[int]) -> int:
    """Return the value of several characters between quotes, as compilers put them together in an `int`."""
    value = 0
    for unit in units:
        value = (value << 8 | unit & 0xFF) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def string_type(text: str) -> Array:
    """Return the type of a string literal with prefix and quotes: an array with a final zero (C 6.4.5 paragraph 6)."""
    prefix, _, rest = text.partition('"')
    wide = prefix in ("L", "u", "U")
    length = len(code_units(rest[:-1], wide=wide) or ()) + 1
    return Array(Basic(_CHARACTER_TYPES[prefix] if wide else "char"), length)


def code_units(body: str, *, wide: bool) -> list[int] | None:
    """Return the values of the characters between quotes; None when an escape is malformed.

    Args:
        body: what stands there.
        wide: whether a character is one unit, whatever it is, and not the bytes of UTF-8.
    """
    units: list[int] = []
    position = 0
    for match in _CHARACTERS.finditer(body):
        if match.start() != position:
            return None
        position = match.end()
        hexadecimal, octal, simple, plain = match["x"] or match["u"] or match["U"], match["oct"], match["c"], match[0]
        if hexadecimal or octal:
            units.append(int(hexadecimal or octal, 16 if hexadecimal else 8))
        elif simple:
            units.append(_SIMPLE_ESCAPES.get(simple, ord(simple)))
        else:
            units += [ord(plain)] if wide else plain.encode("utf-8", "surrogatepass")
    return units if position == len(body) else None
