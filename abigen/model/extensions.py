"""Extensions: structs that hang on a chain, begin with the same base, and are known by the value in it.

A struct with `next_extension` is such a base: its first member is the size, one member says which struct it is, and one
points to the next base. A struct with `extension` begins with a base and carries its size there.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from abigen.model.api import Api
from abigen.model.ctype import CType
from abigen.model.entities import Field, Struct
from abigen.model.evaluate import fold


class ExtensionKind(msgspec.Struct, frozen=True):
    """By what a chain knows an extension."""

    holder: str
    """The member that is its base: `base`."""
    member: str
    """The path of the member that holds the value: `base.type`."""
    type: CType
    """Of that member."""
    value: str
    """The enumerator or constant."""
    number: int | None
    """Its value; None where that differs from target to target."""


def extension_base(struct: Struct, api: Api) -> Struct | None:
    """The base that a struct begins with, if it is an extension; else None."""
    first = next(iter(struct.fields or ()), None)
    base = api.struct_of(first.type) if first is not None and struct.extension else None
    return base if base is not None and base.next_extension else None


def kind_member(base: Struct, api: Api) -> Field | None:
    """The member of a base that says which struct an extension is: its first number behind the size."""
    behind_size = (base.fields or ())[1:]
    return next((each for each in behind_size if api.holds_whole_numbers(each.type)), None)


def extension_kind(struct: Struct, api: Api) -> ExtensionKind | None:
    """By what a chain knows a struct, if it is an extension; else None."""
    base = extension_base(struct, api)
    kind = kind_member(base, api) if base is not None else None
    if kind is None:
        return None
    holder = (struct.fields or ())[0].name
    enumerators = {each.name: each.value for enum in api.enums.values() for each in enum.enumerators or ()}
    constant = api.constants.get(struct.extension)
    expression = constant.expression if constant is not None else None
    number = enumerators.get(struct.extension) if expression is None else fold(expression, enumerators)
    return ExtensionKind(holder, f"{holder}.{kind.name}", kind.type, struct.extension, number)


def chain_of(type: CType, api: Api) -> Struct | None:
    """The base of the extensions that a pointer leads to; None when it leads to something else."""
    pointee = api.pointee(type)
    return pointee if pointee is not None and pointee.next_extension else None


def extensions_of(base: Struct, api: Api) -> Mapping[str, Struct]:
    """The extensions with that base which an API knows: enumerator or constant to the struct."""
    bases = ((each, extension_base(each, api)) for each in api.structs.values())
    return {each.extension: each for each, found in bases if found is not None and found.name == base.name}
