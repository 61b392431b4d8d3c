"""Pointers that come with a count: the two become one span."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.emit.cpp.handles import unqualified
from abigen.model.api import Api
from abigen.model.counts import counts_of
from abigen.model.ctype import Array, Basic, CType, NamedType, Parameter, Pointer, Qualified


def counted(parameters: Sequence[Parameter], api: Api) -> dict[int, int]:
    """Find pointers whose number of elements is the next parameter.

    Args:
        parameters: of one function, all with names.
        api: where types are resolved, and how its owners name counts.

    Returns:
        The position of each such pointer, and of its count.
    """
    found: dict[int, int] = {}
    for at, count in counts_of(parameters, api).items():
        type = parameters[at].type
        if count == at + 1 and isinstance(unqualified(type), Pointer) and _is_complete(element_of(type), api):
            found[at] = count
    return found


def element_of(type: CType) -> CType:
    """What a span has elements of: what the pointer leads to; bytes for `void`."""
    pointer = unqualified(type)
    assert isinstance(pointer, Pointer)
    target = pointer.target
    if unqualified(target) != Basic("void"):
        return target
    byte = NamedType("std::byte")
    return Qualified(byte, target.qualifiers) if isinstance(target, Qualified) else byte


def _is_complete(type: CType, api: Api) -> bool:
    """Whether there can be several of it in a row."""
    struct = api.struct_of(type)
    return (struct is None or bool(struct.fields)) and not isinstance(api.resolve(type), Array)
