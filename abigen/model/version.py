"""Versions: how to take one out of the text that states it, also where it is one number (`12010`, `0x010203`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec


class Version(msgspec.Struct, frozen=True, order=True):
    """A release, as semantic versioning orders it."""

    major: int
    minor: int
    patch: int = 0

    @property
    def number(self) -> int:
        """The release as one number, with two digits for minor and patch each."""
        return self.major * 10_000 + self.minor * 100 + self.patch

    def raised(self, place: int, number: int | None = None) -> Version:
        """The version with one number raised, and the lower ones at 0.

        Args:
            place: 0 for MAJOR, 1 for MINOR, 2 for PATCH.
            number: what that number becomes; None for the next one.
        """
        numbers = [self.major, self.minor, self.patch]
        numbers[place] = numbers[place] + 1 if number is None else number
        return Version(*[*numbers[: place + 1], 0, 0][: len(numbers)])

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


_TEXT = r'"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+.\s][^"]*)?"'


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


_CALL = r"\(*\w+\s*\((?:\s*0\s*,(?=(?:[^,]*,){2}))?\s*(\d+)[uU]?\s*,\s*(\d+)[uU]?\s*(?:,\s*(\d+)[uU]?\s*)?\)+"
_SHIFTS = r"\(*\s*(\d+)[uUlL]*\s*\)*\s*<<\s*(\d+)"
_PRODUCTS = r"(\d+)[uUlL]*\s*\*\s*(10+)\b"
_LAST = r"[|+]\s*\(*\s*(\d+)[uUlL]*[\s)]*$"
_COUNTS = (
    r"(?:^|_)(?:API|ABI|INTERFACE|PROTOCOL|EXTENSION|EXT|MODULE|HEADER|SPEC|SCHEMA|FORMAT|PLUGIN|LAYOUT)_"
    r"(?:VERSION|REVISION)"
)
_TERM = (
    r"(?:\b(?P<before>0x[0-9a-f]{1,7}|\d{1,9})[ul]*\s*\*\s*)?\(?\b\w*?(?P<part>major|minor|patch|micro|revision)\w*"
    r"(?:\)?\s*(?:\*\s*(?P<after>0x[0-9a-f]{1,7}|\d{1,9})|<<\s*(?P<shift>\d{1,2})))?"
)
_MASK = r"\b(0[xX])?(?:(M+)(m+|N+)([pP]*)|(X+)(Y+)(Z*)|(A+)(B+)(C*))\b"
_COUNTING = (
    r"\b(?:counter|counts|increments?|incremented)\b"
    r"|\b(?:raised?|increased?|bumped)\b.{0,30}\b(?:by (?:1|one)|each|every)\b"
)
_STATED = r"(?<![\w.])\d{1,5}(?:\.\d{1,5}){1,2}(?![\w.]*\w)"
_FIRST_DAY, _LAST_DAY = 19_700_101, 21_001_231


class Reading(msgspec.Struct, frozen=True):
    """One way to take a number apart: what MAJOR, MINOR and PATCH are multiplied by in it; all of it is MAJOR for 1."""

    weights: tuple[int, ...]

    def version(self, number: int) -> Version:
        """The version that a number states."""
        parts = []
        for weight in self.weights:
            parts.append(number // weight)
            number %= weight
        return Version(*[*parts, 0, 0][:3])

    def number(self, version: Version) -> int:
        """The number that states a version."""
        parts = (version.major, version.minor, version.patch)
        return sum(part * weight for part, weight in zip(parts, self.weights, strict=False))


COUNTER = Reading((1,))
_DIGITS, _HUNDREDS, _THOUSANDS = Reading((100, 10, 1)), Reading((10_000, 100, 1)), Reading((1_000_000, 1000, 1))
_MIXED = (Reading((1000, 100, 1)), Reading((1000, 10)))
"""Thousands for MAJOR, as CUDA's libraries have it."""
_BYTES, _BYTES_OF_FOUR, _TWO_BYTES = Reading((1 << 16, 1 << 8, 1)), Reading((1 << 24, 1 << 16, 1)), Reading((1 << 8, 1))
_NIBBLES, _BYTE_AND_NIBBLES, _HALVES = Reading((16, 1)), Reading((1 << 8, 16, 1)), Reading((1 << 16, 1))
_RARE = (_BYTE_AND_NIBBLES, _HALVES)
"""They count where others make less sense."""


def explicit_version(text: str) -> tuple[Version, int] | None:
    """The version whose parts a body names, and how many: `MAKE_VERSION(1, 2, 3)` (a 0 before them is a variant),
    `(1 << 16) | 2`, `1 * 10000 + 2 * 100 + 3`; None for any other body."""
    call = re.fullmatch(_CALL, text)
    if call:
        major, minor, patch = (int(part or 0) for part in call.groups())
        return Version(major, minor, patch), 3 if call[3] else 2
    placed = [(1 << int(place), int(part)) for part, place in re.findall(_SHIFTS, text)]
    placed = placed or [(int(weight), int(part)) for part, weight in re.findall(_PRODUCTS, text)]
    if not placed:
        return None
    last = re.search(_LAST, text)
    parts = [part for _, part in sorted(placed, reverse=True)] + ([int(last[1])] if last else [])
    return (Version(*[*parts, 0, 0][:3]), len(parts)) if len(parts) in (2, 3) else None


def readings(name: str, text: str, value: int) -> tuple[Reading, ...]:
    """How one number may state a version, the likeliest first.

    A byte or two for each part of a hexadecimal number (`0x010203`); decimal digits (`010`, `60`, `123` for 0.1.0,
    0.6.0, 1.2.3), powers of a hundred or a thousand (`10203`, `1002003`), `1000*major + 10*minor` (12010); a plain
    counter: a single digit, a date (`20240131`), and every number below a thousand whose name says that it counts
    states of an interface (`X_API_VERSION 12`).

    Args:
        name: the macro's.
        text: how the number is written.
        value: its value, not negative.

    Returns:
        None of them for what does not fit into 32 bits, as a checksum.
    """
    if value >= 1 << 32:
        return ()
    is_count = re.search(_COUNTS, name) is not None
    if text[:2] in ("0x", "0X"):
        return _of_hexadecimal(len(text) - 2, value, is_count=is_count)
    has_zero = text.isdigit() and text.startswith("0") and len(text) > 1
    if (value < 10 and not has_zero) or _FIRST_DAY <= value <= _LAST_DAY:
        return (COUNTER,)
    if value < 1000:
        if is_count or has_zero:
            return (COUNTER,) if is_count else (_DIGITS,)
        return (COUNTER, _DIGITS) if value < 100 and value % 10 else (_DIGITS, COUNTER)
    if value >= 1_000_000:
        return (_THOUSANDS,)
    mixed = [each for each in _MIXED if value % each.weights[-1] == 0 and (value < 10_000 or each is _MIXED[1])]
    found = sorted((_HUNDREDS, *mixed), key=lambda each: each.version(value).minor + each.version(value).patch)
    return (*found, COUNTER) if is_count else tuple(found)


def _of_hexadecimal(digits: int, value: int, *, is_count: bool) -> tuple[Reading, ...]:
    """The readings of a hexadecimal number, by how many digits it is written with.

    One that fills eight digits and needs two of them (`0x00000013`) counts; of fewer digits, its name has to say so.
    """
    if value < 1 << 8 and digits > 2 and (is_count or digits > 6):
        return (COUNTER,)
    if value < 1 << 8 and digits < 3:
        return (COUNTER, _NIBBLES) if value > 15 else (COUNTER,)
    if value < 1 << 16 and digits < 5:
        return (_TWO_BYTES, _BYTE_AND_NIBBLES)
    if value < 1 << 24:
        return (_BYTES, _HALVES) if digits > 6 else (_BYTES,)
    return (_BYTES_OF_FOUR,)


def agreed_readings(old: Sequence[Reading], new: Sequence[Reading], before: int, after: int) -> tuple[Reading, ...]:
    """The ways to take two numbers apart in which the step from one to the other makes most sense.

    It does the more the fewer releases it leaps over: 12010 to 12020 is 12.1 to 12.2, not 1.20.10 to 1.20.20.

    Args:
        old: of the number of OLD, the likeliest first.
        new: of NEW's; what is known of one side holds for the other.
        before: OLD's number.
        after: NEW's number.
    """
    common = [each for each in old if each in new] or (old if len(old) == 1 else new if len(new) == 1 else [*old, *new])
    # Counters rarely stand at 70 twice.
    rare = (*_RARE, COUNTER) if before % 10 == after % 10 == 0 else _RARE
    leaps = [(_distance(each.version(before), each.version(after)), each in rare) for each in common]
    return tuple(each for each, leap in zip(common, leaps, strict=True) if leap == min(leaps))


def _distance(before: Version, after: Version) -> int:
    """How far one version is from another: by how much the first part that differs moves, and what is behind it."""
    old, new = (before.major, before.minor, before.patch), (after.major, after.minor, after.patch)
    place = next((index for index in range(3) if old[index] != new[index]), 3)
    return abs(sum(new[place : place + 1]) - sum(old[place : place + 1])) + sum(new[place + 1 :])


def described_reading(text: str, candidates: Sequence[Reading], value: int) -> Reading | None:
    """How words say that a number is made up; None when they do not.

    Understood are `1000*major + 10*minor`, `major << 16 | minor`, `0xMMmmpp`, `MMmmpp`, that it counts, and the version
    itself (`12.1`) where a candidate gives it.

    Args:
        text: a comment.
        candidates: how the number may be made up.
        value: the number.
    """
    weights: dict[str, int] = {}
    for match in re.finditer(_TERM, text, re.I):
        part, shift, factor = match["part"].lower(), match["shift"], match["before"] or match["after"]
        rank = part if part in ("major", "minor") else "patch"
        weights.setdefault(rank, 1 << int(shift) if shift else int(factor or "1", 0))
    found = tuple(weights[each] for each in ("major", "minor", "patch") if each in weights)
    if "major" in weights and "minor" in weights and list(found) == sorted(set(found), reverse=True):
        return Reading(found)
    mask = re.search(_MASK, text)
    if mask is not None and len(mask[0]) > len("MN"):
        base = 16 if mask[1] else 10
        lengths = [len(each) for each in mask.groups()[1:] if each]
        return Reading(tuple(base ** sum(lengths[place + 1 :]) for place in range(len(lengths))))
    if not weights and re.search(_COUNTING, text, re.I):
        return COUNTER
    stated = [tuple(map(int, each.split("."))) for each in re.findall(_STATED, text)]
    for each in candidates:
        version = each.version(value)
        if any((version.major, version.minor, version.patch)[: len(one)] == one for one in stated):
            return each
    return None
