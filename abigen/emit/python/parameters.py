"""What the parameters of a function are for in Python: to hand something over, to receive a result, to report an error.

The model knows where errors are reported, and specs may say where results go; else only names do. A parameter is taken
for a result only where it can hardly be anything else, since what is taken for one value and is an array would be
written past its end. Everything else is left to the caller.
"""

from __future__ import annotations

import re

from abigen.emit.python.values import Values
from abigen.model.api import Api
from abigen.model.counts import counts_of
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, NamedType, Parameter, Pointer, Qualified

INPUT = "input"
RESULT = "result"
STATUS = "status"

_COUNTS = frozenset(
    {"num", "n", "nb", "nr", "number", "count", "cnt", "max", "capacity", "rank", "dims", "ndim", "ndims"}
)
_SIZES = frozenset({"len", "length", "size", "bytes"})
_SEVERAL = frozenset(
    {
        *("arr", "array", "buf", "buffer", "coords", "data", "dims", "inout", "list", "mat", "matrix", "points", "rgb"),
        *("rgba", "shape", "strides", "table", "vec", "vector", "xy", "xyz"),
    }
)
"""Words for what has several elements, or is read as well as written."""
_PLURAL = re.compile(r"(?!bytes|bits|ns|ms|.*seconds|ticks|flags).+(?<![sui])s")
"""A word in the plural that is no unit."""
_BYTES = frozenset({"void", "char", "signed char", "unsigned char", "int8_t", "uint8_t"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class ParameterRoles:
    """Decides what parameters are for."""

    def __init__(self, api: Api, values: Values, *, raises: bool) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            values: to tell handles from other pointers.
            raises: whether errors become exceptions; else statuses are parameters like others.
        """
        self._api = api
        self._values = values
        self._raises = raises

    def of(self, function: FunctionType, name: str) -> tuple[str, ...]:
        """The role of each parameter.

        Args:
            function: the function.
            name: its name.
        """
        status = self._api.status_position(function, name) if self._raises else None
        known = self._api.functions.get(name)
        stated = {*known.outputs, *known.gives} if known else set()
        counted = counts_of(function.parameters, self._api)
        roles = []
        for at, each in enumerate(function.parameters):
            is_result = each.name in stated or (at not in counted and self._is_one(at, function))
            roles.append(STATUS if at == status else RESULT if is_result and self._is_place(each) else INPUT)
        return tuple(roles)

    def _is_place(self, parameter: Parameter) -> bool:
        """Whether a result can be stored where a parameter points to; structs are left to the caller to provide."""
        resolved = self._api.resolve(parameter.type)
        if not isinstance(resolved, Pointer) or self._values.handle_of(parameter.type) is not None:
            return False
        return self._api.struct_of(resolved.target) is None and self._api.resolve(resolved.target) != Basic("void")

    def _is_one(self, position: int, function: FunctionType) -> bool:
        """Whether by its type and its name a parameter points to one value, which is written only."""
        parameter = function.parameters[position]
        resolved = self._api.resolve(parameter.type)
        if not isinstance(resolved, Pointer) or isinstance(resolved.target, Qualified):
            return False
        name = parameter.name or ""
        words = _words(name)
        if (
            len(name) < 2
            or not words
            or _SEVERAL & set(words)
            or {"in", "out"} <= set(words)
            or _PLURAL.fullmatch(words[-1])
        ):
            return False
        return self._is_value(resolved.target) and not self._is_counted(position, words, function)

    def _is_value(self, target: CType) -> bool:
        """Whether a type is one that values have, and not what bytes of any kind are passed as."""
        resolved = self._api.resolve(target)
        plain = target if isinstance(target, (Basic, NamedType)) else resolved
        if isinstance(plain, (Basic, NamedType)) and (plain.name in _BYTES or "_Complex" in plain.name):
            return False
        return isinstance(resolved, (Basic, NamedType, EnumType, Pointer))

    def _is_counted(self, position: int, words: list[str], function: FunctionType) -> bool:
        """Whether some number beside it may tell how many there are."""
        for at, each in enumerate(function.parameters):
            others = set(_words(each.name or ""))
            names_it = others & (_COUNTS | _SIZES) and others & set(words)
            if at != position and ((others & _COUNTS and at > position) or names_it):
                resolved = self._api.resolve(each.type)
                if isinstance(resolved, (Basic, NamedType)):
                    return True
        return False


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
