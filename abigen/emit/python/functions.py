"""Functions of C's as functions of Python's: their signatures, and what their bodies do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from abigen.emit.python.code import SQUARE, Call, Code, call, literal, subscript
from abigen.emit.python.declarations import Declarations
from abigen.emit.python.names import OF_BODIES, free_name, python_name
from abigen.emit.python.parameters import INPUT, RESULT, STATUS, Roles
from abigen.emit.python.values import NOTHING, Value, Values
from abigen.model.api import Api
from abigen.model.canonical import canonical
from abigen.model.ctype import FunctionType, Parameter, Pointer
from abigen.model.entities import Handle

CREATES, USES, DESTROYS = "creates", "uses", "destroys"
"""What a callback does with an object that belongs to whoever implements it."""
OBJECT = Value(annotation="_rt.Object", conversion="_rt.OBJECT")
LAST_OBJECT = Value(annotation="_rt.Object", conversion="_rt.LAST_OBJECT")


@dataclass(frozen=True, kw_only=True)
class Argument:
    """A parameter in Python."""

    name: str
    annotation: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A line of code, or what it takes when it is too long: `before` and `behind` stand around an expression."""

    code: Code
    before: str = ""
    behind: str = ""
    deeper: int = 0
    """Columns by which it is indented more than the body."""


@dataclass(frozen=True, kw_only=True)
class PythonFunction:
    """A function, or a method when `is_method`."""

    name: str
    arguments: tuple[Argument, ...]
    result: str
    """Annotation."""
    doc: str
    body: tuple[Statement, ...]
    """What it does once `call` is the function to call."""
    is_method: bool
    variadic: bool

    @property
    def head(self) -> Call:
        """Its name and its parameters, all of them positional."""
        parts = ["self"] if self.is_method else []
        parts += [f"{each.name}: {each.annotation}" for each in self.arguments]
        if self.arguments:
            parts.append("/")
        if self.variadic:
            parts.append("*more: _rt.CData")
        return call(f"def {self.name}", *parts)


@dataclass(frozen=True, kw_only=True)
class _Part:
    """A parameter of C's, with what becomes of it in Python."""

    role: str
    parameter: Parameter
    name: str
    value: Value
    ctype: str = ""


class Functions:
    """Turns functions of an API into Python's."""

    def __init__(
        self, api: Api, values: Values, declarations: Declarations, roles: Roles, taken: Collection[str]
    ) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            values: what its types are in Python.
            declarations: what cffi can be told of it.
            roles: what parameters are for.
            taken: what parameters may not be called: the names that bodies use.
        """
        self._api = api
        self._values = values
        self._declarations = declarations
        self._roles = roles
        self._taken = set(taken) | OF_BODIES
        self._of_objects = dict(_of_objects(api))

    def signature(self, function: FunctionType, name: str, before: tuple[Code, ...] = ()) -> tuple[Code, ...]:
        """The arguments that describe a function: its result, and each parameter.

        Args:
            function: the function.
            name: its name, `Struct.member` for a member.
            before: arguments that come first.
        """
        parts = self._parts(function, name)
        result = self._result_value(function, name)
        return (*before, result.conversion, *(self._described(each) for each in parts))

    def pointer_type(self, function: FunctionType) -> str:
        """The type of a pointer to a function as cffi reads it."""
        return self._declarations.spell(Pointer(function))

    def callable(self, function: FunctionType, name: str) -> Code:
        """The type of a Python function that stands for one of C's."""
        parts = self._parts(function, name)
        given = [each.value.annotation for each in parts if each.role == INPUT]
        result = self._result(function, name, parts)
        if function.variadic:
            return subscript("Callable", "...", result)
        return subscript("Callable", Call("", tuple(given), SQUARE), result)

    def python(
        self, function: FunctionType, name: str, python: str, doc: str, *, is_method: bool, target: str = ""
    ) -> PythonFunction:
        """A function that calls one of C's.

        Args:
            function: the function.
            name: its name in the API, `Struct.member` for a member.
            python: its name in Python.
            doc: its documentation.
            is_method: whether it has a `self`.
            target: an expression for the function to call.
        """
        parts = self._parts(function, name)
        arguments = tuple(
            Argument(name=each.name, annotation=each.value.parameter) for each in parts if each.role == INPUT
        )
        return PythonFunction(
            name=python,
            arguments=arguments,
            result=self._result(function, name, parts),
            doc=doc,
            body=self._body(function, name, parts, target or "call"),
            is_method=is_method,
            variadic=function.variadic,
        )

    def _result_value(self, function: FunctionType, name: str) -> Value:
        if self._of_objects.get(name) == CREATES:
            return OBJECT
        return self._values.of(function.result, self._place(name, "result"))

    def _place(self, name: str, part: str) -> str:
        return _place(name, part)

    def _parts(self, function: FunctionType, name: str) -> tuple[_Part, ...]:
        roles = self._roles.of(function, name)
        names: list[str] = []
        parts = []
        for position, (parameter, role) in enumerate(zip(function.parameters, roles, strict=True)):
            own = free_name(python_name(parameter.name or f"arg{position}", self._taken), names)
            names.append(own)
            type, ctype = parameter.type, ""
            if role == RESULT:
                pointer = self._api.resolve(type)
                assert isinstance(pointer, Pointer)
                ctype, type = self._declarations.spell(pointer), pointer.target
            place = self._place(name, parameter.name or f"arg{position}")
            value = NOTHING if role == STATUS else self._values.of(type, place)
            if position == 0 and self._of_objects.get(name) in (USES, DESTROYS):
                value = OBJECT if self._of_objects[name] == USES else LAST_OBJECT
            parts.append(_Part(role=role, parameter=parameter, name=own, value=value, ctype=ctype))
        return tuple(parts)

    def _described(self, part: _Part) -> Code:
        if part.role == STATUS:
            return "_rt.Status(_status)"
        if part.role == RESULT:
            return call("_rt.Out", literal(part.ctype), part.value.conversion)
        return part.value.conversion

    def _result(self, function: FunctionType, name: str, parts: tuple[_Part, ...]) -> str:
        own = self._result_value(function, name).annotation
        results = [own] if own != "None" else []
        results += [each.value.annotation for each in parts if each.role == RESULT]
        return results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]" if results else "None"

    def _body(self, function: FunctionType, name: str, parts: tuple[_Part, ...], target: str) -> tuple[Statement, ...]:
        statements = [
            Statement(code=call("ffi.new", literal(each.ctype)), before=f"{each.name} = ")
            for each in parts
            if each.role == RESULT
        ]
        arguments: list[Code] = [self._argument(each, name) for each in parts if each.role != STATUS]
        if function.variadic:
            arguments.append("*more")
        own = self._result_value(function, name)
        place = next((at for at, each in enumerate(parts) if each.role == STATUS), None)
        if place is None:
            calling = call(target, *arguments)
        elif place == len(parts) - 1 and not function.variadic:
            calling = call("_status.call", target, *arguments)
        else:
            calling = call("_status.call_at", str(place), target, *arguments)
        if own.annotation == "None" and not any(each.role == RESULT for each in parts):
            return (*statements, Statement(code=calling))
        if own.annotation == "_rt.CData" and not any(each.role == RESULT for each in parts):
            return (*statements, Statement(code=calling, before="return "))
        closer = self._closer(name, parts)
        results = [(self._given(own, "result", closer), own)] if own.annotation != "None" else []
        results += [
            (self._given(each.value, f"{each.name}[0]", closer), each.value) for each in parts if each.role == RESULT
        ]
        first = results[0][1]
        if own.annotation == "None":
            statements.append(Statement(code=calling))
        else:
            hint = f": {own.annotation}" if results[0][0] == "result" else ""
            statements.append(Statement(code=calling, before=f"result{hint} = "))
        statements += self._taken_over(name, parts)
        if len(results) > 1:
            returned: Code = Call("", tuple(code for code, _ in results))
        elif own.annotation == "None" and first.given == "{}" and first.annotation != "_rt.CData":
            statements.append(Statement(code=results[0][0], before=f"result: {first.annotation} = "))
            returned = "result"
        else:
            returned = results[0][0]
        return (*statements, Statement(code=returned, before="return "))

    def _taken_over(self, name: str, parts: tuple[_Part, ...]) -> Iterator[Statement]:
        """What follows a function that takes an argument over unless it gives NULL."""
        function = self._api.functions.get(name)
        for each in parts if function and self._may_give_null(name) else ():
            if function and each.parameter.name in function.takes and self._values.handle_of(each.parameter.type):
                yield Statement(code="if result:")
                yield Statement(code=f"{each.name}.take()", deeper=4)

    def _may_give_null(self, name: str) -> bool:
        function = self._api.functions.get(name)
        return function is not None and isinstance(self._api.resolve(function.type.result), Pointer)

    def _argument(self, part: _Part, name: str) -> Code:
        if part.role == RESULT:
            return part.name
        handle = self._values.handle_of(part.parameter.type)
        if handle is not None and self._takes(part, handle, name):
            return f"{part.name}.take()"
        return part.value.take(part.name)

    def _takes(self, part: _Part, handle: Handle, name: str) -> bool:
        """Whether a handle belongs to the function once it is called."""
        function = self._api.functions.get(name)
        taken = function is not None and part.parameter.name in function.takes and not self._may_give_null(name)
        return handle.destroy == name or taken

    def _given(self, value: Value, expression: str, closer: tuple[Handle, str] | None) -> Code:
        text = value.give(expression)
        if closer is not None and text == f"{closer[0].name}({expression})":
            return call(closer[0].name, expression, closer[1])
        return text

    def _closer(self, name: str, parts: tuple[_Part, ...]) -> tuple[Handle, str] | None:
        """For what creates a handle: the handle, and a function that destroys it with what it was created with."""
        handle = next((each for each in self._own_handles() if each.create == name and each.destroy), None)
        if handle is None:
            return None
        holder, _, member = handle.destroy.rpartition(".")
        function = self._destroyer(handle)
        if function is None or holder != name.rpartition(".")[0] or (not holder and len(function.parameters) < 2):
            return None
        arguments = []
        for each in function.parameters:
            if self._values.handle_of(each.type) == handle:
                arguments.append("handle")
                continue
            found = self._counterpart(each, parts)
            if found is None:
                return None
            arguments.append(found.name)
        called = f"self.{python_name(member)}" if holder else python_name(member)
        return handle, f"lambda handle: {called}({', '.join(arguments)})"

    def _own_handles(self) -> list[Handle]:
        return [each for each in self._api.typedefs.values() if isinstance(each, Handle) and each.in_api]

    def _destroyer(self, handle: Handle) -> FunctionType | None:
        holder, _, member = handle.destroy.rpartition(".")
        if not holder:
            function = self._api.functions.get(member)
            return function.type if function else None
        struct = self._api.structs.get(holder)
        field = next((each for each in (struct.fields if struct else None) or () if each.name == member), None)
        return self._values.function_of(field.type) if field else None

    def _counterpart(self, wanted: Parameter, parts: tuple[_Part, ...]) -> _Part | None:
        """The parameter of what creates that says the same as one of what destroys."""
        type = canonical(wanted.type, self._api)
        same = [each for each in parts if each.role == INPUT and canonical(each.parameter.type, self._api) == type]
        named = [each for each in same if each.parameter.name == wanted.name]
        return named[0] if named else same[0] if len(same) == 1 else None


def _place(name: str, part: str) -> str:
    """The name of the type of a function that is a part of something and has no type of its own."""
    return f"{name.replace('.', '_')}_{part}"


def _of_objects(api: Api) -> Iterator[tuple[str, str]]:
    """The functions that make, use and destroy objects of the user's, by the names of their types."""
    for function in api.functions.values():
        if function.object is not None:
            yield _place(function.name, function.object.create), CREATES
            yield from ((_place(function.name, each), USES) for each in function.object.methods)
            yield _place(function.name, function.object.destroy), DESTROYS
