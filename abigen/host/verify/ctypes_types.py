"""The types of an API as `ctypes` knows them."""

from __future__ import annotations

import ctypes
from _ctypes import CFuncPtr
from typing import TypeAlias

from abigen.host.process import StoppedError
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, Pointer, RecordType
from abigen.model.layout import Layouts

Number: TypeAlias = "type[ctypes._SimpleCData[int]] | type[ctypes._SimpleCData[float]]"
ForeignType: TypeAlias = "Number | type[ctypes.c_void_p] | type[ctypes.Structure] | None"

_SIGNED = {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32, 8: ctypes.c_int64}
_UNSIGNED = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}
_FLOATING: dict[str, Number] = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "long double": ctypes.c_longdouble,
}


def foreign_type(type: CType, layouts: Layouts) -> ForeignType:
    """What `ctypes` passes for a type; None for `void`.

    Raises:
        StoppedError: `ctypes` has nothing for it.
    """
    resolved = layouts.resolve(type)
    if isinstance(resolved, Pointer | FunctionType | Array):
        return ctypes.c_void_p
    if isinstance(resolved, EnumType):
        return _integer(layouts.underlying_type(resolved.key), layouts.size_of(resolved))
    if isinstance(resolved, RecordType):
        return _structure(resolved.key, layouts)
    if isinstance(resolved, Basic) and resolved.name == "void":
        return None
    if isinstance(resolved, Basic) and resolved.name in _FLOATING:
        return _FLOATING[resolved.name]
    if isinstance(resolved, Basic):
        return _integer(resolved.name, layouts.size_of(resolved))
    raise StoppedError(f"a value of type {resolved} cannot be passed")


def prototype(type: FunctionType, layouts: Layouts) -> type[CFuncPtr]:
    """The type of a pointer to a function.

    Raises:
        StoppedError: an argument or the result cannot be passed.
    """
    parameters = [foreign_type(each.type, layouts) for each in type.parameters]
    return ctypes.CFUNCTYPE(foreign_type(type.result, layouts), *(each for each in parameters if each is not None))


def _integer(name: str, size: int) -> Number:
    """The integer type of a size in bytes."""
    if size not in _SIGNED:
        raise StoppedError(f"a value of type {name} cannot be passed")
    is_unsigned = name.startswith("unsigned") or name == "_Bool"
    return _UNSIGNED[size] if is_unsigned else _SIGNED[size]


def _structure(key: str, layouts: Layouts) -> type[ctypes.Structure]:
    """A struct by value; what `ctypes` lays out otherwise is not passed."""
    layout, members = layouts.of(key), []
    for each in layout.fields:
        resolved = layouts.resolve(each.field.type)
        if each.bit_width is not None or isinstance(resolved, Array) or layouts.api.structs[key].is_union:
            raise StoppedError(f"a {key} cannot be passed by value")
        members.append((each.name, foreign_type(resolved, layouts)))
    made = type(key, (ctypes.Structure,), {"_fields_": members})
    if ctypes.sizeof(made) != layout.size:
        raise StoppedError(f"a {key} cannot be passed by value")
    return made
