"""Functions of C's as functions of Python's: what becomes of their parameters and results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from abigen.emit.python.declarations import CffiTypes
from abigen.emit.python.names import OF_BODIES, OF_MODULES, free_name, python_name
from abigen.emit.python.parameters import INPUT, RESULT, ParameterRoles
from abigen.emit.python.values import NOTHING, Values
from abigen.emit.python.view import PythonCloser, PythonFunction, PythonParameter, PythonValue
from abigen.model.api import Api
from abigen.model.canonical import canonical
from abigen.model.ctype import FunctionType, Parameter, Pointer
from abigen.model.entities import Handle

_CREATES = PythonValue(kind="object")
_USES = PythonValue(kind="object")
_DESTROYS = PythonValue(kind="last object")


class Functions:
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
            ctype="" if "." in name else self._types.spell(Pointer(function)),
            doc=doc,
            result=result,
            parameters=parameters,
            variadic=function.variadic,
            is_method=is_method,
            closer=self._closer(function, name, parameters),
        )

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
                yield replace(part, value=value, ctype=self._types.spell(pointer))
            elif role == INPUT:
                value = self._values.of(parameter.type, _place(name, own))
                value = self._first.get(name, value) if position == 0 else value
                yield replace(part, value=value, taken=self._taken_when(parameter, function, name))
            else:
                yield part

    def _taken_when(self, parameter: Parameter, function: FunctionType, name: str) -> str:
        """When a handle begins to belong to the function."""
        handle = self._values.handle_of(parameter.type)
        if handle is None:
            return ""
        if handle.destroy == name:
            return "before"
        known = self._api.functions.get(name)
        if known is None or parameter.name not in known.takes:
            return ""
        return "after" if isinstance(self._api.resolve(function.result), Pointer) else "before"

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
            if self._values.handle_of(each.type) == handle:
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
        field = next((each for each in (struct.fields if struct else None) or () if each.name == member), None)
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
