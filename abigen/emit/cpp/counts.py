"""Pointers that come with a count: the two become one span."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from abigen.emit.cpp.handles import unqualified
from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, BitInt, CType, NamedType, Parameter, Pointer, Qualified
from abigen.model.standard import STANDARD_TYPES

_COUNTS = ("num_*", "n_*", "max_*", "*_count", "*_num")
"""Names of what counts elements, with `*` for the pointer's name."""
_BYTES = ("*_len", "*_length", "*_size")
"""Names of what counts bytes; where a pointer leads to bytes, so many elements."""
_BYTES_OF_ANYTHING = ("len", "length", "size")
"""The same of pointers that cannot lead to text, which needs no count."""
_INTEGERS = frozenset(
    f"{sign}{name}" for sign in ("", "unsigned ") for name in ("char", "short", "int", "long", "long long")
) | {"signed char"}
_BYTE_TYPES = frozenset({"void", "char", "signed char", "unsigned char"})
_BYTE_NAMES = frozenset({"int8_t", "uint8_t"})


def counted(parameters: Sequence[Parameter], api: Api) -> dict[int, int]:
    """Find pointers whose number of elements is the next parameter.

    Args:
        parameters: of one function, all with names.
        api: where types are resolved, and how its owners name counts.

    Returns:
        The position of each such pointer, and of its count.
    """
    found: dict[int, int] = {}
    for at, (pointer, count) in enumerate(pairwise(parameters)):
        if isinstance(unqualified(pointer.type), Pointer) and _is_integer(count.type, api) and at - 1 not in found:
            element = element_of(pointer.type)
            patterns = (*_COUNTS, *api.conventions.counts, *_byte_patterns(element, api))
            if _is_complete(element, api) and any(_fits(pointer.name, count.name, each) for each in patterns):
                found[at] = at + 1
    return found


def _byte_patterns(element: CType, api: Api) -> tuple[str, ...]:
    if not _is_byte(element, api):
        return ()
    return _BYTES if api.resolve(element) == Basic("char") else (*_BYTES, *_BYTES_OF_ANYTHING)


def element_of(type: CType) -> CType:
    """What a span has elements of: what the pointer leads to; bytes for `void`."""
    pointer = unqualified(type)
    assert isinstance(pointer, Pointer)
    target = pointer.target
    if unqualified(target) != Basic("void"):
        return target
    byte = NamedType("std::byte")
    return Qualified(byte, target.qualifiers) if isinstance(target, Qualified) else byte


def _fits(pointer: str | None, count: str | None, pattern: str) -> bool:
    """Whether a count's name follows from the pointer's by a pattern, whatever both begin with."""
    if not pointer or not count:
        return False
    singular = pointer.removesuffix("s")
    if any(fnmatchcase(count, pattern.replace("*", name)) for name in (pointer, singular)):
        return True
    words = pointer.split("_")
    ends = ((words[:at], words[at:]) for at in range(1, len(words)))
    return any(fnmatchcase(count, f"{'_'.join(left)}_{pattern.replace('*', '_'.join(right))}") for left, right in ends)


def _is_integer(type: CType, api: Api) -> bool:
    resolved = api.resolve(type)
    if isinstance(resolved, NamedType):
        return resolved.name in STANDARD_TYPES and resolved.name not in ("va_list", "bool")
    return isinstance(resolved, BitInt) or (isinstance(resolved, Basic) and resolved.name in _INTEGERS)


def _is_byte(type: CType, api: Api) -> bool:
    resolved = api.resolve(type)
    if isinstance(resolved, NamedType):
        return resolved.name in _BYTE_NAMES or resolved.name == "std::byte"
    return isinstance(resolved, Basic) and resolved.name in _BYTE_TYPES


def _is_complete(type: CType, api: Api) -> bool:
    """Whether there can be several of it in a row."""
    struct = api.struct_of(type)
    return (struct is None or bool(struct.fields)) and not isinstance(api.resolve(type), Array)
