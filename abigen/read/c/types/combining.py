"""Putting qualifiers and calling conventions on types, in the model's normal form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from abigen.model.ctype import Array, CType, FunctionType, Pointer, Qualified
from abigen.read.c.syntax.trees import Attribute
from abigen.read.c.types.attribute_kinds import CALLS


def qualified(type: CType, quals: Iterable[str]) -> CType:
    """`type` with qualifiers added."""
    wanted = set(quals)
    if not wanted:
        return type
    if isinstance(type, Qualified):
        return Qualified(type.type, tuple(sorted(wanted | set(type.qualifiers))))
    return Qualified(type, tuple(sorted(wanted)))


def with_convention(type: CType, attributes: Iterable[Attribute]) -> CType:
    """The type with the calling convention that attributes ask for: a function's own, or that of what it points to."""
    for each in attributes:
        if each.name in CALLS:
            arguments = "".join(token.text.strip('"') for token in each.arguments)
            type = _convention(type, f"{each.name}({arguments})" if arguments else each.name)
    return type


def _convention(type: CType, name: str) -> CType:
    """Put a calling convention at the function type that is nearest."""
    if isinstance(type, FunctionType):
        return replace(type, calling_convention=name)
    if isinstance(type, Pointer):
        return Pointer(_convention(type.target, name))
    if isinstance(type, Qualified):
        return Qualified(_convention(type.type, name), type.qualifiers)
    if isinstance(type, Array):
        return Array(_convention(type.element, name), type.length)
    return type
