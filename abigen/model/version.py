"""Versions: how to take one out of the text that states it, also where it is one number (`12010`, `0x010203`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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
        """Return the version with one number raised, and the lower ones at 0.

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
    """Return the version of a string literal (`"1.2.3"`), and the number of its parts; None for other texts.

    Args:
        text: the literal, quotes included.
    """
    match = re.fullmatch(_TEXT, text.strip("() "))
    if match is None:
        return None
    major, minor, patch = (int(part or 0) for part in match.groups())
    return Version(major, minor, patch), 3 if match[3] else 2


_SHIFTS = r"\(*\s*\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\s*\)*\s*<<\s*\(*(\d+)"
_PRODUCTS = r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*[\s)]*\*\s*\(*(10+)\b"
_LAST = r"[|+]\s*\(*\s*(0[xX][0-9a-fA-F]+|\d+)[uUlL]*[\s)]*$"
_VARIANT, _WITH_VARIANT = 1 << 29, 4
"""Vulkan's variant stands above MAJOR, MINOR and PATCH."""
_TERM = (
    r"(?:\b(?P<before>0x[0-9a-f]{1,7}|\d{1,9})[ul]*\s*\*\s*)?\(?\b\w*?(?P<part>major|minor|patch|micro|revision)\w*"
    r"(?:\)?\s*(?:\*\s*(?P<after>0x[0-9a-f]{1,7}|\d{1,9})|<<\s*(?P<shift>\d{1,2})))?"
)
_MASK = r"\b(0[xX])?(?:(M+)(m+|N+)([pP]*|[fF]*|[uU]*)([PpSRrTBXx]*)|(X+)(Y+)(Z*)|(A+)(B+)(C*))\b"
_COUNTING = (
    r"\b(?:counter|counts|increments?|incremented)\b"
    r"|\b(?:raised?|increased?|bumped)\b.{0,30}\b(?:by (?:1|one)|each|every)\b"
)
_STATED = r"(?<![\w.])\d{1,5}(?:\.\d{1,5}){1,2}(?![\w.]*\w)"


class Reading(msgspec.Struct, frozen=True):
    """A way to split a number into parts: the multipliers of MAJOR, MINOR and PATCH; all of it is MAJOR for 1."""

    weights: tuple[int, ...]

    def version(self, number: int) -> Version:
        """Return the version that a number states."""
        parts = []
        for weight in self.weights:
            parts.append(number // weight)
            number %= weight
        return Version(*[*parts, 0, 0][:3])

    def number(self, version: Version) -> int:
        """Return the number that states a version."""
        parts = (version.major, version.minor, version.patch)
        return sum(part * weight for part, weight in zip(parts, self.weights, strict=False))


COUNTER = Reading((1,))
_MOST_BITS, _MOST_DIGITS = 64, 19
"""The bits, and the decimal digits, of the largest type of C that a version is stated by."""
_OF_DECIMAL = (
    Reading((10_000, 100, 1)),
    Reading((1_000_000, 1000, 1)),
    Reading((1000, 100, 1)),
    Reading((1000, 10)),
    Reading((100, 10, 1)),
    Reading((100, 1)),
    Reading((10, 1)),
)
"""Decimal numbers that state versions; with thousands for MAJOR, as CUDA's libraries have it."""
_OF_HEXADECIMAL = (
    Reading((1 << 16, 1 << 8, 1)),
    Reading((1 << 24, 1 << 16, 1 << 8)),
    Reading((1 << 24, 1 << 16, 1)),
    Reading((1 << 28, 1 << 20, 1 << 12)),
    Reading((1 << 8, 16, 1)),
    Reading((1 << 8, 1)),
    Reading((1 << 16, 1)),
    Reading((16, 1)),
)
"""Hexadecimal numbers that state versions: a byte or two for each part, and as OpenSSL has it (`0x00902000`, 0.9.2)."""


def explicit_version(text: str) -> tuple[Version, int] | None:
    """Return the version whose parts a body names, and how many: `(1 << 16) | 2`, `1 * 10000 + 2 * 100 + 3`.

    A fourth part (a release or build number) is dropped. None for any other body.
    """
    placed = [(1 << int(place), int(part, 0)) for part, place in re.findall(_SHIFTS, text)]
    placed = placed or [(int(weight), int(part, 0)) for part, weight in re.findall(_PRODUCTS, text)]
    if not placed or len({weight for weight, _ in placed}) < len(placed):
        return None
    last = re.search(_LAST, text)
    if last:
        placed.append((1, int(last[1], 0)))
    return _without_variant(sorted(placed, reverse=True))


def _without_variant(placed: Sequence[tuple[int, int]]) -> tuple[Version, int] | None:
    """Return the version of two to four parts, the highest first; a variant above MAJOR (`0 << 29`) is left out."""
    parts = [part for weight, part in placed if weight != _VARIANT or len(placed) < _WITH_VARIANT]
    if not 1 < len(parts) <= _WITH_VARIANT:
        return None
    return Version(*[*parts, 0, 0][:3]), min(len(parts), 3)


def version_of_call(arguments: Sequence[int], parameters: Sequence[str], body: str) -> tuple[Version, int] | None:
    """Return the version that a call of a helper macro states, as its body places the parts; None if it does not.

    Args:
        arguments: the numbers of the call.
        parameters: the names of the helper's parameters.
        body: what the helper stands for: `((a) << 16 | (b))`.
    """
    weights: dict[str, int] = {}
    for name in parameters:
        found = re.search(rf"\b{re.escape(name)}\b[\s)]*(?:<<\s*\(*(\d+)|\*\s*\(*(\d+))", body)
        if found:
            weights[name] = _weight(found[1] or "", found[2] or "")
        elif re.search(rf"\b{re.escape(name)}\b", body):
            weights[name] = 1
    if 0 in weights.values() or len(arguments) != len(parameters) or len({*weights.values()}) < max(len(weights), 2):
        return None
    placed = [(weights[name], number) for name, number in zip(parameters, arguments, strict=True) if name in weights]
    return _without_variant(sorted(placed, reverse=True))


def _weight(shift: str, factor: str) -> int:
    """Return the weight of a part of a packed number; 0 for one that no type of C holds.

    Args:
        shift: digits of the number of bits that the part is shifted by; empty for none.
        factor: digits of the number that the part is multiplied by; empty for none.
    """
    if len(shift or factor) > _MOST_DIGITS or (shift and int(shift) >= _MOST_BITS):
        return 0
    return 1 << int(shift) if shift else int(factor or "1")


def accessed_reading(bodies: Mapping[str, str]) -> Reading | None:
    """Return how accessor macros take a number apart; None if they do not.

    Args:
        bodies: by `major`, `minor`, `patch`: `((v) >> 16) & 0xff`, `(v) / 100 % 100`.
    """
    weights = []
    for part in ("major", "minor", "patch"):
        if part in bodies:
            shift, divisor = re.search(r">>\s*\(*(\d+)", bodies[part]), re.search(r"/\s*\(*(\d+)", bodies[part])
            if not (shift or divisor or re.search(r"[&%]", bodies[part])):
                return None
            weights.append(_weight(shift[1] if shift else "", divisor[1] if divisor else ""))
    is_falling = weights == sorted({*weights}, reverse=True) and 0 not in weights
    return Reading(tuple(weights)) if is_falling and {"major", "minor"} <= {*bodies} else None


def agreed_readings(old: Sequence[Reading], new: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return how two numbers are made up where one macro states both: what is known of one side holds for the other.

    Args:
        old: of the number of OLD; `(COUNTER,)` where nothing is known.
        new: of NEW's.
    """
    common = tuple(each for each in old if each in new)
    unknown = (COUNTER,)
    return common or (tuple(old) if tuple(new) == unknown else tuple(new) if tuple(old) == unknown else unknown)


def stated_reading(text: str, *, is_hexadecimal: bool = False) -> Reading | None:
    """Return how words say that a number is made up; None when they do not.

    Understood are `1000*major + 10*minor`, `major << 16 | minor`, `0xMMmmpp`, `MMmmpp`, and that it counts.

    Args:
        text: a comment, or a key of the configuration.
        is_hexadecimal: the number is written so, and a mask (`MNNFFPPS`) counts its digits.
    """
    weights: dict[str, int] = {}
    for match in re.finditer(_TERM, text, re.I):
        part, shift, factor = match["part"].lower(), match["shift"], match["before"] or match["after"]
        rank = part if part in ("major", "minor") else "patch"
        weights.setdefault(rank, 1 << int(shift) if shift else int(factor or "1", 0))
    found = tuple(weights[each] for each in ("major", "minor", "patch") if each in weights)
    if "major" in weights and "minor" in weights and list(found) == sorted({*found} - {0}, reverse=True):
        return Reading(found)
    mask = re.search(_MASK, text)
    if mask is not None and len(mask[0]) > len("MN"):
        base = 16 if mask[1] or is_hexadecimal else 10
        lengths = [len(each) for each in mask.groups()[1:] if each]
        return Reading(tuple(base ** sum(lengths[place + 1 :]) for place in range(len(lengths)))[:3])
    if not weights and re.search(_COUNTING, text, re.I):
        return COUNTER
    return None


def described_readings(text: str, value: int, *, is_hexadecimal: bool) -> tuple[Reading, ...]:
    """Return how a comment says that a number is made up, in several ways where it leaves them open.

    Args:
        text: a comment that states the layout, or the version itself (`12.1`).
        value: the number.
        is_hexadecimal: the number is written so.
    """
    found = stated_reading(text, is_hexadecimal=is_hexadecimal)
    if found is not None:
        return (found,)
    stated = [tuple(map(int, each.split("."))) for each in re.findall(_STATED, text)]
    candidates = _OF_HEXADECIMAL if is_hexadecimal else _OF_DECIMAL
    for one in sorted(stated, key=len, reverse=True):
        if not any(one) or value < 10:
            continue
        versions = [(each, each.version(value)) for each in candidates]
        same = tuple(
            each
            for each, version in versions
            if (version.major, version.minor, version.patch)[: len(one)] == one
            and len(each.weights) >= min(len(one), 2)
        )
        if same:
            return same
    return ()
