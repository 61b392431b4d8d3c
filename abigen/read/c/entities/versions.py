"""The version that a header states of itself, in whichever of the usual ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from abigen.model.entities import Constant, Version, VersionDeclaration

_PART = re.compile(
    r"^(?P<before>\w*?_)??(?P<part>MAJOR|MINOR|PATCH|REVISION|PATCHLEVEL|MICRO)(?P<after>_(?:VERSION|VER|NUMBER))?$"
)
_NUMBER = re.compile(r"^(?:\w*_)??(?:API_|ABI_)?(?:VERSION|VERSION_NUMBER|VERSION_NUM|VERNUM|REVISION)(?:_NUMBER)?$")
_RANK = {"MAJOR": 0, "MINOR": 1, "PATCH": 2, "REVISION": 2, "PATCHLEVEL": 2, "MICRO": 2}


@dataclass
class _Family:
    """Macros that state parts of one version: `X_MAJOR`, `X_MINOR`, `X_PATCH`."""

    parts: dict[int, Constant] = field(default_factory=dict)


def find_version(constants: Iterable[Constant], values: Mapping[str, int]) -> VersionDeclaration | None:
    """Find the version among an API's own constants.

    Args:
        constants: object-like macros, in order of definition.
        values: the values of those that have one.

    Returns:
        Major, minor and patch where three macros state them (`X_MAJOR`, `X_API_MAJOR`, `X_VERSION_MAJOR`,
        `X_MAJOR_VERSION`, with `X_REVISION` for the patch level), else the parts of one packed number (`X_VERSION`),
        else None.
    """
    families: dict[str, _Family] = {}
    packed: Constant | None = None
    for constant in constants:
        if constant.name not in values:
            continue
        match = _PART.match(constant.name)
        if match is not None:
            key = f"{match['before'] or ''}*{match['after'] or ''}"
            families.setdefault(key, _Family()).parts.setdefault(_RANK[match["part"]], constant)
        elif _NUMBER.match(constant.name) and (packed is None or "ABI" in packed.name):
            packed = constant
    complete = [each for each in families.values() if 0 in each.parts]
    if complete:
        best = max(complete, key=lambda each: len(each.parts))
        numbers = [values[best.parts[rank].name] if rank in best.parts else 0 for rank in range(3)]
        if all(number >= 0 for number in numbers):
            macros = tuple((best.parts[rank].name, best.parts[rank].span) for rank in sorted(best.parts))
            return VersionDeclaration(version=Version(*numbers), macros=macros, parts=len(best.parts))
    if packed is None or values[packed.name] < 0:
        return None
    version, parts = _unpack(packed.text, values[packed.name])
    return VersionDeclaration(version=version, macros=((packed.name, packed.span),), parts=parts)


def _unpack(text: str, value: int) -> tuple[Version, int]:
    """The version in one number, as people pack them: by decimal digits, by powers of a hundred, or by bytes."""
    text = text.strip("()").rstrip("uUlL").replace("'", "")
    if text[:2] in ("0x", "0X"):
        if value < 1 << 8:
            return Version(0, 0, value) if len(text) > 4 else Version(value, 0, 0), 3 if len(text) > 4 else 1
        if value < 1 << 16 and len(text) <= 6:
            return Version(value >> 8, value & 0xFF), 2
        if value < 1 << 24:
            return Version(value >> 16, value >> 8 & 0xFF, value & 0xFF), 3
        return Version(value >> 24, value >> 16 & 0xFF, value & 0xFFFF), 3
    if text.isdigit() and len(text) > 1 and text.startswith("0"):
        value = int(text)  # 010 means 0.1.0 to people, whatever it means to C
        if value < 1000:
            return Version(value // 100, value // 10 % 10, value % 10), 3
    if value < 10 and text.isdigit() and len(text) == 1:
        return Version(value, 0, 0), 1
    if value < 1000:
        return Version(value // 100, value // 10 % 10, value % 10), 3
    if value < 1_000_000:
        return Version(value // 10_000, value // 100 % 100, value % 100), 3
    return Version(value // 1_000_000, value // 1000 % 1000, value % 1000), 3
