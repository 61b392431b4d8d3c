"""Functions of C's as functions of Python's: what becomes of their parameters and results."""

from __future__ import annotations

import errno
import re
from collections.abc import Collection, Iterator
from typing import Any

from msgspec.structs import replace

from abigen.emit.c.names import free_name
from abigen.emit.python.cffi_types import NOTHING, CffiTypes, Values
from abigen.emit.python.names import OF_BODIES, OF_MODULES, python_name
from abigen.emit.python.view import PythonCloser, PythonFunction, PythonParameter, PythonValue
from abigen.model.api import Api
from abigen.model.contract import ResultKind
from abigen.model.counts import COUNT_WORDS, SIZE_WORDS, counts_of
from abigen.model.ctype import (
    Basic,
    CType,
    EnumType,
    FunctionType,
    Name,
    NamedType,
    Parameter,
    Pointer,
    Qualified,
)
from abigen.model.entities import Handle
from abigen.model.identifiers import words_of
from abigen.model.roles import may_be_null, retained, scope
from abigen.model.spelling import canonical

_NULL = {None: "", True: "allowed", False: "refused"}
"""What Python is told of whether a parameter may be NULL."""
_CREATES = PythonValue(kind="object")
_USES = PythonValue(kind="object")
_DESTROYS = PythonValue(kind="last object")


class PythonFunctions:
    """Turns functions of an API into Python's."""

    def __init__(
        self, api: Api, values: Values, types: CffiTypes, roles: ParameterRoles, taken: Collection[str]
    ) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            values: what its types are in Python.
            types: what cffi can be told of it.
            roles: what parameters are for.
            taken: what parameters may not be called: the names that bodies use.
        """
        self._api = api
        self._values = values
        self._types = types
        self._roles = roles
        self._taken = set(taken) | OF_BODIES
        self._creates, self._first = _of_objects(api)
        self._created = {
            each.create: each
            for each in reversed([*api.typedefs.values()])
            if isinstance(each, Handle) and each.in_api and each.create and each.destroy
        }

    def python(
        self, function: FunctionType, name: str, python: str, doc: str = "", *, is_method: bool = False
    ) -> PythonFunction:
        """A function, or the type of one.

        Args:
            function: the function.
            name: its name in the API, `Struct.member` for a member.
            python: its name in Python.
            doc: its documentation.
            is_method: whether it has a `self`.
        """
        parameters = tuple(self._parameters(function, name))
        result = _CREATES if name in self._creates else self._values.of(function.result, _place(name, "result"))
        return PythonFunction(
            name=python,
            symbol=name.rpartition(".")[2],
            title=name,
            ctype="" if "." in name else self._types.spell(Pointer(function)),
            doc=doc,
            result=result,
            parameters=parameters,
            variadic=function.variadic,
            is_method=is_method,
            closer=self._closer(function, name, parameters),
            given=self._is_given(function.result, name, "return"),
            scope=scope(self._api, name),
            unsaid=name not in self._api.functions and self._is_unsaid(parameters, result),
            **self._told(function, name),
        )

    def _is_unsaid(self, parameters: tuple[PythonParameter, ...], result: PythonValue) -> bool:
        """Whether nothing says what a function gives that has failed, though it gives something."""
        if result.kind == "nothing" or not self._api.conventions.says_nothing_of_errors:
            return False
        return not any(each.role == STATUS or each.fails for each in parameters)

    def _parameters(self, function: FunctionType, name: str) -> Iterator[PythonParameter]:
        names: list[str] = []
        for position, (parameter, role) in enumerate(
            zip(function.parameters, self._roles.of(function, name), strict=True)
        ):
            own = parameter.name or f"arg{position}"
            names.append(free_name(python_name(own, self._taken), names))
            part = PythonParameter(role=role, name=names[-1], value=NOTHING)
            if role == RESULT:
                pointer = self._api.resolve(parameter.type)
                assert isinstance(pointer, Pointer)
                value = self._values.of(pointer.target, _place(name, own))
                given = self._is_given(pointer.target, name, own)
                yield replace(part, value=value, ctype=self._types.spell(pointer), given=given)
            elif role == INPUT:
                value = self._values.of(parameter.type, _place(name, own))
                value = self._first.get(name, value) if position == 0 else value
                handle = self._api.handle_of(parameter.type)
                taken, fails = self._taken_when(parameter, function, name), handle is not None and bool(handle.failure)
                is_retained = parameter.name in retained(self._api, name)
                allowed = _NULL[False if value.kind == "struct" else may_be_null(self._api, name, own)]
                yield replace(part, value=value, taken=taken, fails=fails, retained=is_retained, null=allowed)
            else:
                yield part

    def _taken_when(self, parameter: Parameter, function: FunctionType, name: str) -> str:
        """When a handle begins to belong to the function."""
        handle = self._api.handle_of(parameter.type)
        if handle is None:
            return ""
        if handle.destroy == name:
            return "closed"
        known = self._api.functions.get(name)
        if known is None or parameter.name not in known.takes:
            return ""
        return "after" if isinstance(self._api.resolve(function.result), Pointer) else "before"

    def _told(self, function: FunctionType, name: str) -> dict[str, Any]:
        """How the result tells of errors."""
        known = self._api.functions.get(name)
        is_entry = known is not None and known.entry_point
        agreed, meant = (self._api.outcome(function, name, entry_point=each) for each in (False, is_entry))
        found: dict[str, Any] = {}
        if meant.kind in (ResultKind.CODE, ResultKind.NEGATIVE):
            found["failed"] = self.number(meant.failed)
        if agreed.kind in (ResultKind.CODE, ResultKind.NEGATIVE, ResultKind.NULL):
            found |= {"raises": str(agreed.kind), "ok": self.number(agreed.ok)}
            last = self._api.functions.get(self._api.conventions.returned.last.message)
            if last is not None and agreed.kind != ResultKind.NEGATIVE:
                found |= {"last": last.name, "last_module": self._values.module(last)}
            found["tells"] = self._api.conventions.returned.last.set in self._api.functions
        return found

    def number(self, text: str) -> str:
        """A code or a number of C's as a number of Python's; empty for none."""
        if text == f"-{errno.errorcode[errno.EIO]}":
            return str(-errno.EIO)
        if text in ("true", "false"):
            return str(int(text == "true"))
        constant = self._api.constants.get(text)
        value = self._types.number(constant.expression if constant else Name(text)) if text.isidentifier() else None
        return str(int(text, 0)) if re.fullmatch(r"-?\d+", text) else "" if value is None else str(value)

    def _is_given(self, type: CType, name: str, part: str) -> bool:
        """Whether a result is a handle that the caller has to destroy."""
        handle = self._api.handle_of(type)
        known = self._api.functions.get(name)
        is_given = known is not None and (part in known.gives or (handle is not None and handle.create == name))
        return handle is not None and bool(handle.destroy) and is_given

    def _closer(
        self, function: FunctionType, name: str, parameters: tuple[PythonParameter, ...]
    ) -> PythonCloser | None:
        """For what creates a handle: how that is destroyed when that takes what it was created with."""
        handle = self._created.get(name)
        destroyer = self._destroyer(handle) if handle else None
        holder, _, member = handle.destroy.rpartition(".") if handle else ("", "", "")
        if handle is None or destroyer is None or holder != name.rpartition(".")[0]:
            return None
        if not holder and len(destroyer.parameters) < 2:
            return None
        arguments: list[str] = []
        for each in destroyer.parameters:
            if self._api.handle_of(each.type) == handle:
                arguments.append("")
            elif found := self._counterpart(each, function, parameters):
                arguments.append(found)
            else:
                return None
        return PythonCloser(
            handle=python_name(handle.name, OF_MODULES),
            function=python_name(member),
            is_method=bool(holder),
            arguments=tuple(arguments),
        )

    def _destroyer(self, handle: Handle) -> FunctionType | None:
        holder, _, member = handle.destroy.rpartition(".")
        if not holder:
            function = self._api.functions.get(member)
            return function.type if function else None
        struct = self._api.structs.get(holder)
        field = struct.member(member) if struct else None
        return self._values.function_of(field.type) if field else None

    def _counterpart(self, wanted: Parameter, function: FunctionType, parameters: tuple[PythonParameter, ...]) -> str:
        """The parameter of what creates that says the same as one of what destroys; empty for none."""
        type = canonical(wanted.type, self._api)
        same = {
            each.name: part.name
            for each, part in zip(function.parameters, parameters, strict=True)
            if part.role == INPUT and canonical(each.type, self._api) == type
        }
        if wanted.name in same:
            return same[wanted.name]
        return next(iter(same.values())) if len(same) == 1 else ""


def _place(name: str, part: str) -> str:
    """The name of the type of a function that is a part of something and has no type of its own."""
    return f"{name.replace('.', '_')}_{part}"


def _of_objects(api: Api) -> tuple[set[str], dict[str, PythonValue]]:
    """The functions that make objects of the user's, and what those that use and destroy them are given first.

    Both by the names of their types.
    """
    creates: set[str] = set()
    first: dict[str, PythonValue] = {}
    for function in api.functions.values():
        if function.object is not None:
            creates.add(_place(function.name, function.object.create))
            first |= {_place(function.name, each): _USES for each in function.object.methods}
            first[_place(function.name, function.object.destroy)] = _DESTROYS
    return creates, first


INPUT = "input"
RESULT = "result"
STATUS = "status"

_COUNTS = COUNT_WORDS | {"max", "capacity", "rank", "dims", "ndim", "ndims"}
_SIZES = SIZE_WORDS | {"bytes"}
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


class ParameterRoles:
    """Decides what parameters are for."""

    def __init__(self, api: Api, *, raises: bool) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            raises: whether errors become exceptions; else statuses are parameters like others.
        """
        self._api = api
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
        if not isinstance(resolved, Pointer) or self._api.handle_of(parameter.type) is not None:
            return False
        return self._api.struct_of(resolved.target) is None and self._api.resolve(resolved.target) != Basic("void")

    def _is_one(self, position: int, function: FunctionType) -> bool:
        """Whether by its type and its name a parameter points to one value, which is written only."""
        parameter = function.parameters[position]
        resolved = self._api.resolve(parameter.type)
        if not isinstance(resolved, Pointer) or isinstance(resolved.target, Qualified):
            return False
        name = parameter.name or ""
        words = words_of(name)
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

    def _is_counted(self, position: int, words: tuple[str, ...], function: FunctionType) -> bool:
        """Whether some number beside it may tell how many there are."""
        for at, each in enumerate(function.parameters):
            others = set(words_of(each.name or ""))
            names_it = others & (_COUNTS | _SIZES) and others & set(words)
            if at != position and ((others & _COUNTS and at > position) or names_it):
                resolved = self._api.resolve(each.type)
                if isinstance(resolved, (Basic, NamedType)):
                    return True
        return False
