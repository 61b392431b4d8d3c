"""What the parameters of a function are for: to hand something over, to receive a result, to report an error.

Specs may say it; else only names do. A parameter is taken for a result only where it can hardly be anything else, since
what is taken for one value and is an array would be written past its end. Everything else is left to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from abigen.emit.python.values import Values
from abigen.model.api import Api, Errors
from abigen.model.ctype import (
    Basic,
    CType,
    EnumType,
    FunctionType,
    NamedType,
    Parameter,
    Pointer,
    Qualified,
    RecordType,
)
from abigen.model.entities import Handle

INPUT = "input"
RESULT = "result"
STATUS = "status"

_COUNTS = frozenset(
    {"num", "n", "nb", "nr", "number", "count", "cnt", "max", "capacity", "rank", "dims", "ndim", "ndims"}
)
_SIZES = frozenset({"len", "length", "size", "bytes"})
_SINGULAR = ("ss", "us", "is")
_UNITS = frozenset(
    {"bytes", "bits", "ns", "ms", "seconds", "nanoseconds", "microseconds", "milliseconds", "ticks", "flags"}
)
_SEVERAL = frozenset(
    {
        *("arr", "array", "buf", "buffer", "coords", "data", "dims", "inout", "list", "mat", "matrix", "points", "rgb"),
        *("rgba", "shape", "strides", "table", "vec", "vector", "xy", "xyz"),
    }
)
"""Words for what has several elements, or is read as well as written."""
_BYTES = frozenset({"char", "signed char", "unsigned char"})
_BYTE_NAMES = frozenset({"int8_t", "uint8_t"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class ParameterRoles:
    """Decides what parameters are for."""

    def __init__(self, api: Api, values: Values, errors: Errors | None) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            values: to tell handles from other pointers.
            errors: how functions report errors; None where errors stay values.
        """
        self._api = api
        self._values = values
        self._declared = {each.name: {*each.outputs, *each.gives} for each in api.functions.values()}
        typedef = api.typedefs.get(errors.status) if errors else None
        self._status = api.resolve(typedef.type) if typedef else None
        self._subjects = {errors.set, errors.code, errors.message} if errors else set()
        self._subjects |= {typedef.create, typedef.destroy} if isinstance(typedef, Handle) else set()
        self._subjects |= {each.failure for each in api.typedefs.values() if isinstance(each, Handle)}

    def of(self, function: FunctionType, name: str) -> tuple[str, ...]:
        """The role of each parameter.

        Args:
            function: the function.
            name: its name; those that are about statuses themselves report in none.
        """
        roles: list[str] = []
        for position, parameter in enumerate(function.parameters):
            if name not in self._subjects and STATUS not in roles and self._is_status(parameter, position, function):
                roles.append(STATUS)
            elif self._is_declared(parameter, name) or self._is_result(parameter, function.parameters):
                roles.append(RESULT)
            else:
                roles.append(INPUT)
        return tuple(roles)

    def _is_status(self, parameter: Parameter, position: int, function: FunctionType) -> bool:
        """Whether it is a status to fill: the last parameter, or one that is named so."""
        resolved = self._api.resolve(parameter.type)
        if self._status is None or not isinstance(resolved, Pointer) or isinstance(resolved.target, Qualified):
            return False
        if self._api.resolve(resolved.target) != self._status:
            return False
        words = _words(parameter.name or "")
        named = bool({"status", "error", "err"} & set(words))
        return named or (position == len(function.parameters) - 1 and position > 0)

    def _is_declared(self, parameter: Parameter, function: str) -> bool:
        """Whether the spec says that a result is stored there; structs are left to the caller to provide."""
        resolved = self._api.resolve(parameter.type)
        if parameter.name not in self._declared.get(function, ()) or not isinstance(resolved, Pointer):
            return False
        if self._values.handle_of(parameter.type) is not None or self._api.struct_of(resolved.target) is not None:
            return False
        return self._api.resolve(resolved.target) != Basic("void")

    def _is_result(self, parameter: Parameter, siblings: Sequence[Parameter]) -> bool:
        """Whether a pointer is where one value goes."""
        resolved = self._api.resolve(parameter.type)
        if not isinstance(resolved, Pointer) or isinstance(resolved.target, Qualified) or not parameter.name:
            return False
        target = resolved.target
        if self._values.handle_of(parameter.type) is not None:
            return False
        words = _words(parameter.name)
        if _SEVERAL & set(words) or {"in", "out"} <= set(words) or len(parameter.name) == 1:
            return False
        if not self._is_single(target) or self._looks_plural(words) or self._is_counted(words, parameter, siblings):
            return False
        return self._api.struct_of(target) is None

    def _is_single(self, target: CType) -> bool:
        """Whether a type is one that values have, and not what bytes of any kind are passed as."""
        if isinstance(target, Basic):
            return target.name not in _BYTES | {"void"} and "_Complex" not in target.name
        if isinstance(target, NamedType) and target.name in _BYTE_NAMES:
            return False
        resolved = self._api.resolve(target)
        return isinstance(resolved, (Basic, NamedType, EnumType, Pointer)) and resolved != Basic("void")

    @staticmethod
    def _looks_plural(words: Sequence[str]) -> bool:
        last = words[-1] if words else ""
        return last.endswith("s") and len(last) > 1 and not last.endswith(_SINGULAR) and last not in _UNITS

    def _is_counted(self, words: Sequence[str], parameter: Parameter, siblings: Sequence[Parameter]) -> bool:
        """Whether some parameter tells how many there are."""
        for sibling in siblings:
            if sibling is parameter or not self._is_integer(sibling.type):
                continue
            others = set(_words(sibling.name or ""))
            after = list(siblings).index(sibling) > list(siblings).index(parameter)
            if (others & _COUNTS and after) or (others & (_COUNTS | _SIZES) and others & set(words)):
                return True
        return False

    def _is_integer(self, type: CType) -> bool:
        resolved = self._api.resolve(type)
        return isinstance(resolved, (Basic, NamedType)) and not isinstance(resolved, RecordType)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
