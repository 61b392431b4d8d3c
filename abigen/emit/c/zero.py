"""Constant initialisers: a struct with its size set and everything else zero, which no compiler warns about."""

from __future__ import annotations

from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, BitInt, CType, NamedType, Pointer, Vector
from abigen.model.entities import Field, Struct
from abigen.model.standard import STANDARD_TYPES


def initializer(struct: Struct, size_macro: str, api: Api) -> str:
    """Write a braced list with a value for every member, valid in C99 and C++11.

    Args:
        struct: a versioned struct.
        size_macro: what its first member is set to.
        api: where types are resolved.

    Returns:
        `{SIZE, NULL, 0}`; empty when some member has no zero that could be written (a `va_list`).
    """
    first, *rest = struct.fields or ()
    del first
    values = [_zero_of(each, api) for each in rest if _is_initialised(each)]
    return "" if None in values else "{" + ", ".join((size_macro, *filter(None, values))) + "}"


def _is_initialised(member: Field) -> bool:
    """Unnamed bit-fields and flexible arrays take no value (C 6.7.9 paragraph 9, 6.7.2.1 paragraph 18)."""
    unnamed = member.bit_width is not None and not member.name
    return not unnamed and not (isinstance(member.type, Array) and member.type.length is None)


def _zero_of(member: Field, api: Api) -> str | None:
    return _zero(member.type, api)


def _zero(type: CType, api: Api) -> str | None:
    resolved = api.resolve(type)
    if isinstance(resolved, Pointer):
        return "NULL"
    if isinstance(resolved, (Basic, BitInt)):
        return None if resolved == Basic("__builtin_va_list") else "0"
    if isinstance(resolved, NamedType):
        return "0" if resolved.name in STANDARD_TYPES and resolved.name != "va_list" else None
    if isinstance(resolved, (Array, Vector)):
        return _braced([_zero(resolved.element, api)])
    enum = api.enum_of(resolved)
    if enum is not None:
        zero = next((each.name for each in enum.enumerators or () if each.value == 0), None)
        return zero or (f"({enum.typedef_names[0] if enum.typedef_names else f'enum {enum.tag}'})0")
    record = api.struct_of(resolved)
    if record is None or not record.fields:
        return None
    members = [each for each in record.fields if _is_initialised(each)]
    return _braced([_zero_of(each, api) for each in (members[:1] if record.is_union else members)])


def _braced(values: list[str | None]) -> str | None:
    return None if None in values or not values else "{" + ", ".join(filter(None, values)) + "}"
