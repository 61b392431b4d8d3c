"""Integer and character constants: from their spelling to value and type (C 6.4.4.1, 6.4.4.4)."""

from __future__ import annotations

import re

from abigen.model.ctype import Array, Basic, Cast, Expression, Literal

_INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*))"
    r"(?P<suffix>[uU]?(?:ll|LL|[lL]|i64|I64|[zZ])?[uU]?|[uU]?i(?:8|16|32))$"
)
_LONGEST = 300  # characters; Python refuses to convert thousands of digits
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
    base = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}[
        next(name for name in ("hex", "bin", "oct", "dec") if match[name])
    ]
    value = int(match["hex"] or match["bin"] or match["oct"] or match["dec"], base)
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
    units = _units(rest[:-1])
    if not units:
        return None
    if prefix:
        return Literal(
            units[-1], {"L": "int", "u": "unsigned short", "U": "unsigned int", "u8": "unsigned char"}[prefix]
        )
    if len(units) > 1:
        value = 0
        for unit in units:
            value = (value << 8 | unit) & 0xFFFFFFFF
        return Literal(value - (1 << 32) if value >> 31 else value)
    # Whether '\xff' is negative depends on whether the target's char is signed.
    return Literal(units[0]) if units[0] < 128 else Cast(Basic("char"), Literal(units[0] & 0xFF))


def string_type(text: str) -> Array:
    """The type of a string literal, prefix and quotes included: an array with its final zero (C 6.4.5 paragraph 6)."""
    prefix, _, rest = text.partition('"')
    units = _units(rest[:-1]) or []
    length = len(units)
    if prefix in ("L", "u", "U"):
        length = len(bytes(units).decode("utf-8", "replace")) if all(unit < 256 for unit in units) else len(units)
    return Array(Basic({"L": "int", "u": "unsigned short", "U": "unsigned int"}.get(prefix, "char")), length + 1)


def _units(body: str) -> list[int] | None:
    """The values of the characters between the quotes; None when an escape is malformed."""
    units: list[int] = []
    index = 0
    while index < len(body):
        char = body[index]
        index += 1
        if char != "\\":
            units += char.encode("utf-8", "surrogatepass")
            continue
        if index >= len(body):
            return None
        escape = body[index]
        index += 1
        if escape in _SIMPLE_ESCAPES:
            units.append(_SIMPLE_ESCAPES[escape])
        elif escape in "01234567":
            digits = re.match(r"[0-7]{1,3}", body[index - 1 :])
            index += len(digits[0]) - 1 if digits else 0
            units.append(int(digits[0], 8) if digits else 0)
        elif escape in "xuU":
            digits = re.match(
                {"x": r"[0-9a-fA-F]+", "u": r"[0-9a-fA-F]{4}", "U": r"[0-9a-fA-F]{8}"}[escape], body[index:]
            )
            if digits is None:
                return None
            index += len(digits[0])
            units.append(int(digits[0], 16))
        else:
            units.append(ord(escape))
    return units
