"""Versions, and how to take one out of the number or the text that states it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Version:
    """A release, as semantic versioning orders it."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


_CALL = r"\(*\w+\s*\((?:\s*0\s*,(?=(?:[^,]*,){2}))?\s*(\d+)[uU]?\s*,\s*(\d+)[uU]?\s*(?:,\s*(\d+)[uU]?\s*)?\)+"
_SHIFTS = r"\(*\s*(\d+)[uUlL]*\s*\)*\s*<<\s*(\d+)"
_LAST = r"[|+]\s*\(*\s*(\d+)[uUlL]*[\s)]*$"
_COUNTS = (
    r"(?:^|_)(?:API|ABI|INTERFACE|PROTOCOL|EXTENSION|EXT|MODULE|HEADER|SPEC|SCHEMA|FORMAT|PLUGIN|LAYOUT)_"
    r"(?:VERSION|REVISION)"
)
_TEXT = r'"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+.\s][^"]*)?"'
_FIRST_DAY, _LAST_DAY = 19_700_101, 21_001_231


def unpack_version(name: str, text: str, value: int) -> tuple[Version, int] | None:
    """Take a version out of the one number that states it.

    Understood are `MAKE_VERSION(1, 2, 3)` (a 0 before them is a variant), `(1 << 16) | 2`, `0x010203`, decimal digits
    (`010`, `60`, `123` for 0.1.0, 0.6.0, 1.2.3), powers of a hundred or a thousand (`10203`, `1002003`), and plain
    counters: a single digit, a date (`20240131`), and every number below a thousand whose name says that it counts
    states of an interface (`X_API_VERSION 12`).

    Args:
        name: the macro's.
        text: its body.
        value: its value, not negative.

    Returns:
        The version, and how many of its numbers are stated; None for what does not fit into 32 bits, as a checksum.
    """
    made = _made(text)
    if made is not None:
        return made
    if value >= 1 << 32:
        return None
    text = text.strip("() ").rstrip("uUlL").replace("'", "")
    if text[:2] in ("0x", "0X"):
        return _bytes(text, value)
    if text.isdigit() and len(text) > 1 and text.startswith("0"):
        value = int(text)  # 010 means 0.1.0 to people, whatever it means to C
        if value < 1000:
            return Version(value // 100, value // 10 % 10, value % 10), 3
    if (value < 10 and text.isdigit()) or _FIRST_DAY <= value <= _LAST_DAY:
        return Version(value, 0, 0), 1
    if value < 1000:
        if re.search(_COUNTS, name):
            return Version(value, 0, 0), 1
        return Version(value // 100, value // 10 % 10, value % 10), 3
    if value < 1_000_000:
        return Version(value // 10_000, value // 100 % 100, value % 100), 3
    return Version(value // 1_000_000, value // 1000 % 1000, value % 1000), 3


def read_version(text: str) -> tuple[Version, int] | None:
    """A version that a string literal states (`"1.2.3"`), and how many of its numbers; None when it is something else.

    Args:
        text: the literal, quotes included.
    """
    match = re.fullmatch(_TEXT, text.strip("() "))
    if match is None:
        return None
    major, minor, patch = (int(part or 0) for part in match.groups())
    return Version(major, minor, patch), 3 if match[3] else 2


def _made(text: str) -> tuple[Version, int] | None:
    """The parts that a body names: the arguments of a macro, or what is shifted to its place."""
    call = re.fullmatch(_CALL, text)
    if call:
        major, minor, patch = (int(part or 0) for part in call.groups())
        return Version(major, minor, patch), 3 if call[3] else 2
    shifted = sorted(((int(place), int(part)) for part, place in re.findall(_SHIFTS, text)), reverse=True)
    if not shifted:
        return None
    last = re.search(_LAST, text)
    parts = [part for _, part in shifted] + ([int(last[1])] if last else [])
    return (Version(*[*parts, 0, 0][:3]), len(parts)) if len(parts) in (2, 3) else None


def _bytes(text: str, value: int) -> tuple[Version, int]:
    """A hexadecimal number: a byte for each part."""
    if value < 1 << 8:
        return (Version(0, 0, value), 3) if len(text) > 4 else (Version(value, 0, 0), 1)
    if value < 1 << 16 and len(text) <= 6:
        return Version(value >> 8, value & 0xFF), 2
    if value < 1 << 24:
        return Version(value >> 16, value >> 8 & 0xFF, value & 0xFF), 3
    return Version(value >> 24, value >> 16 & 0xFF, value & 0xFFFF), 3
