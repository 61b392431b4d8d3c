"""How a struct or union is handed over when it is passed or returned by value: in which registers, or in memory."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from abigen.model.ctype import Array, Basic, CType, RecordType, Vector
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError

_EIGHTBYTE = 8
_MOST_EIGHTBYTES = 2
_MOST_HOMOGENEOUS = 4
INTEGER, FLOATING, X87, MEMORY = "integer", "floating-point", "x87", "memory"
"""The kinds of registers, and none."""


class _Scalar(msgspec.Struct, frozen=True):
    """A member that is neither struct nor array."""

    offset: int
    size: int
    kind: str
    is_aligned: bool


def passed_in(type: CType, layouts: Layouts) -> str:
    """Where a struct or union is found that is passed by value: `an integer register`, `memory`.

    Args:
        type: what is passed.
        layouts: of its API, on the target in question.

    Returns:
        The words for it; two equal ones mean that both sides look in the same place. Empty where it follows from the
        size alone (Windows), or the ABI of the target is not modelled, or the type has no size.
    """
    target = layouts.target
    try:
        if target.architecture == "aarch64":
            return _aapcs64(type, layouts)
        if target.architecture == "x86_64" and not target.system.startswith("windows"):
            return _system_v(type, layouts)
    except AbigenError:
        pass  # it is incomplete, which is told elsewhere
    return ""


def _system_v(type: CType, layouts: Layouts) -> str:
    """The classes of its eightbytes (System V psABI for AMD64, 3.2.3)."""
    size = layouts.size_of(type)
    if not 0 < size <= _EIGHTBYTE * _MOST_EIGHTBYTES:
        return MEMORY if size else ""
    classes = [""] * -(-size // _EIGHTBYTE)
    for each in _scalars(type, 0, layouts):
        if not each.is_aligned:
            return MEMORY
        for place in range(each.offset // _EIGHTBYTE, -(-(each.offset + each.size) // _EIGHTBYTE)):
            classes[place] = _merged(classes[place], each.kind)
    if MEMORY in classes:
        return MEMORY
    named = [f"{'an' if each == INTEGER else 'a'} {each} register" for each in classes if each]
    return " and ".join(named)


def _merged(one: str, other: str) -> str:
    """The class of an eightbyte that members of two classes share (3.2.3, the post-merger left out)."""
    if not one or one == other:
        return other
    if MEMORY in (one, other):
        return MEMORY
    if INTEGER in (one, other):
        return INTEGER
    return MEMORY if X87 in (one, other) else FLOATING


def _aapcs64(type: CType, layouts: Layouts) -> str:
    """Floating-point registers for homogeneous aggregates (AAPCS64, 5.9.5 and 6.8.2), else integer ones up to 16 bytes.

    On Windows for this architecture the same holds.
    """
    size = layouts.size_of(type)
    if not size:
        return ""
    found = set()
    is_floating = True
    for each in _scalars(type, 0, layouts):
        found.add(each.size)
        is_floating = is_floating and each.kind == FLOATING and each.is_aligned
        if not is_floating or len(found) > 1:
            break
    else:
        if found and size <= (width := found.pop()) * _MOST_HOMOGENEOUS:
            number = size // width
            return f"{number} {FLOATING} register{'s' if number > 1 else ''} of {width} bytes"
    if size > _EIGHTBYTE * _MOST_EIGHTBYTES:
        return MEMORY
    return "integer registers" if size > _EIGHTBYTE else f"an {INTEGER} register"


def _scalars(type: CType, offset: int, layouts: Layouts) -> Iterator[_Scalar]:
    """All members within a type that are neither structs nor arrays; of a long array, as many as tell."""
    core = layouts.resolve(type)
    if isinstance(core, RecordType):
        for each in layouts.of(core.key).fields:
            if each.bit_offset is None or each.bit_width is None:
                yield from _scalars(each.field.type, offset + each.offset, layouts)
            else:
                yield _Scalar(offset + each.offset, each.size, INTEGER, is_aligned=True)
    elif isinstance(core, Array):
        size = layouts.size_of(core.element)
        number = min(layouts.size_of(core) // size, 2 * _EIGHTBYTE) if size else 0
        for place in range(number):
            yield from _scalars(core.element, offset + place * size, layouts)
    else:
        size = layouts.size_of(core)
        is_aligned = offset % layouts.alignment_of(core) == 0
        if isinstance(core, Basic) and core.name.endswith(" _Complex"):
            element = Basic(core.name.removesuffix(" _Complex"))
            for place in (0, 1):
                yield _Scalar(offset + place * size // 2, size // 2, _kind(element, layouts), is_aligned)
        else:
            yield _Scalar(offset, size, _kind(core, layouts), is_aligned)


def _kind(type: CType, layouts: Layouts) -> str:
    """The register that a scalar is found in."""
    if isinstance(type, Vector):
        return FLOATING
    if isinstance(type, Basic) and type.name in ("float", "double", "long double", "__float128", "_Float16", "__bf16"):
        is_x87 = type.name == "long double" and layouts.target.architecture == "x86_64"
        return X87 if is_x87 else FLOATING
    return INTEGER
