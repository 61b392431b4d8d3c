"""How functions of the C API are called from C++: which arguments become objects, spans and results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from abigen.emit.c.types import Speller
from abigen.emit.cpp.counts import counted, element_of
from abigen.emit.cpp.handles import Handles, Wrapped, unqualified
from abigen.emit.cpp.names import callback_name, usable
from abigen.emit.cpp.view import ObjectMethod, Overload
from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, FunctionType, Parameter, Pointer, Qualified
from abigen.model.entities import Function
from abigen.model.span import AbigenError

RETURN = "return"


@dataclass(frozen=True)
class Plan:
    """What becomes of one function: its parameters in C++, and what it is called with."""

    parameters: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    """One per parameter in C."""
    status: str = ""
    """The parameter that errors are reported in; empty for none."""
    outputs: tuple[tuple[str, str], ...] = ()
    """Declarations of what the function stores results in, and the results in C++."""
    output_types: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    """Names of objects that are given up when the function gives something in return."""
    callback: tuple[int, str] | None = None
    """The one argument that is a function, and its type."""
    template: str = ""
    own: str = ""
    """The handle that it is a method of, and takes: `always`, or `exchanged` for something in return."""


@dataclass
class _Draft:
    parameters: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)
    output_types: list[str] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    callbacks: list[tuple[int, int, str]] = field(default_factory=list)
    status: str = ""


class Planner:
    """Plans the functions of an API, and writes their overloads."""

    def __init__(self, api: Api, handles: Handles, speller: Speller) -> None:
        """Prepare to plan.

        Args:
            api: the API.
            handles: the classes of its handles.
            speller: of this API.
        """
        self._api = api
        self._handles = handles
        self._speller = speller

    def overloads(
        self, function: Function, *, is_method: bool, made: tuple[str, str] | None = None
    ) -> tuple[Overload, ...]:
        """All ways to call a function.

        Args:
            function: one that can be called with what C++ has.
            is_method: whether its first parameter is the object.
            made: the type of what its output becomes, and the expression that makes it; None for the usual.

        Raises:
            AbigenError: what the spec calls an object's functions are none.
        """
        plans = [self._plan(function, is_method=is_method)]
        if made is not None:
            declarations = [(declaration, made[1]) for declaration, _ in plans[0].outputs]
            plans = [replace(plans[0], outputs=tuple(declarations), output_types=(made[0],))]
        if plans[0].callback is not None:
            plans.append(_with_constant_function(plans[0]))
        if function.object is not None:
            plans.append(self._with_object(function, plans[0]))
        return tuple(each for plan in plans for each in self._write(function, plan))

    def takes_itself(self, function: Function) -> bool:
        """Whether a method ends the object that it is called on."""
        first = function.type.parameters[0]
        wrapped = self._handles.find(first.type)
        return first.name in function.takes and wrapped is not None and bool(wrapped.owner)

    def exchanges(self, function: Function) -> bool:
        """Whether a function takes nothing where it gives NULL in return."""
        return bool(function.takes) and RETURN in function.gives

    def object_methods(self, function: Function) -> Iterator[ObjectMethod]:
        """The methods that a class needs of which the function takes objects."""
        for each in function.object.methods if function.object else ():
            name = callback_name(each, function.name)
            yield ObjectMethod(accessor=_accessor(function, name), name=name)

    def _plan(self, function: Function, *, is_method: bool) -> Plan:
        draft = _Draft()
        parameters = named_parameters(function.type.parameters)
        counts = counted(parameters, self._api)
        own = ""
        for at, parameter in enumerate(parameters):
            if at == 0 and is_method:
                draft.arguments.append("this->get()")
                if self.takes_itself(function):
                    own = "exchanged" if self.exchanges(function) else "always"
                    draft.arguments[0] = "this->get()" if self.exchanges(function) else "this->release()"
            elif at - 1 in counts and at - 1 not in self._stores(function, parameters):
                type, size = self._speller.declare(unqualified(parameter.type)), f"{parameters[at - 1].name}.size()"
                draft.arguments.append(size if type == "size_t" else f"static_cast<{type}>({size})")
            else:
                counts_next = at in counts and at not in self._stores(function, parameters)
                self._add(draft, function, parameter, at, spans=counts_next)
        single = draft.callbacks[0] if len(draft.callbacks) == 1 and function.object is None else None
        return Plan(
            parameters=tuple(draft.parameters),
            arguments=tuple(draft.arguments),
            status=draft.status,
            outputs=tuple(draft.outputs),
            output_types=tuple(draft.output_types),
            moves=tuple(draft.moves),
            callback=(single[1], single[2]) if single else None,
            own=own,
        )

    def _stores(self, function: Function, parameters: Sequence[Parameter]) -> set[int]:
        """Which parameters are outputs."""
        return {at for at, each in enumerate(parameters) if each.name in function.outputs}

    def _add(self, draft: _Draft, function: Function, parameter: Parameter, at: int, *, spans: bool) -> None:
        """Add one parameter that is not the object itself and no count."""
        name = parameter.name or ""
        wrapped = self._handles.find(parameter.type)
        handed = function.name in self._handles.failures or name in function.takes
        if self._handles.is_status(parameter.type) and not handed and not draft.status:
            draft.status = name
            draft.arguments.append(f"{name}.get()")
        elif name in function.outputs and isinstance(unqualified(parameter.type), Pointer):
            self._add_output(draft, function, parameter)
        elif spans:
            element = self._speller.declare(element_of(parameter.type))
            draft.parameters.append(f"abigen::Span<{element}> {name}")
            draft.arguments.append(f"{name}.data()")
        elif wrapped is not None and name in function.takes and wrapped.owner:
            exchanged = self.exchanges(function)
            draft.parameters.append(f"{wrapped.owner}{'&' if exchanged else ''} {name}")
            draft.arguments.append(f"{name}.get()" if exchanged else f"{name}.release()")
            draft.moves += [name] if exchanged else []
        elif wrapped is not None:
            draft.parameters.append(f"{wrapped.ref} {name}")
            draft.arguments.append(f"{name}.get()")
        else:
            if self._is_function(parameter.type):
                draft.callbacks.append((len(draft.parameters), at, self._speller.declare(unqualified(parameter.type))))
            draft.parameters.append(self._speller.declare(unqualified(parameter.type), name))
            draft.arguments.append(name)

    def _add_output(self, draft: _Draft, function: Function, parameter: Parameter) -> None:
        pointer = unqualified(parameter.type)
        assert isinstance(pointer, Pointer)
        name = parameter.name or ""
        draft.outputs.append((f"{self._speller.declare(pointer.target, name)}{{}}", name))
        type, value = self._given(pointer.target, name, owned=name in function.gives)
        draft.output_types.append(type)
        draft.outputs[-1] = (draft.outputs[-1][0], value)
        draft.arguments.append(f"&{name}")

    def _given(self, type: CType, value: str, *, owned: bool) -> tuple[str, str]:
        """The type of a result in C++, and how it is made from the one in C."""
        wrapped = self._handles.find(type)
        if wrapped is None:
            return self._speller.declare(unqualified(type)), value
        chosen = class_of(wrapped, owned=owned)
        return (
            (self._speller.declare(unqualified(type)), value) if _is_constant(type) else (chosen, f"{chosen}({value})")
        )

    def _write(self, function: Function, plan: Plan) -> Iterator[Overload]:
        """The overloads of a plan: with a status of the caller's, and with one of its own."""
        owned = RETURN in function.gives or function.name in self._handles.makers
        returns = function.type.result != Basic("void")
        type, wrap = self._given(function.type.result, "{}", owned=owned) if returns else ("", "{}")
        types = (*([type] if returns else []), *plan.output_types)
        value = types[0] if len(types) == 1 else f"std::tuple<{', '.join(types)}>" if types else "void"
        write = _Writer(function, plan, types, wrap, returns=returns)
        status = self._handles.status
        if not plan.status or status is None:
            yield Overload(
                template=plan.template, result=value, parameters=plan.parameters, body=write.body("", "", value)
            )
            return
        for result, is_own in ((status.ref, False), (status.owner, True)):
            if not result:
                continue
            parameters = plan.parameters if is_own else (*plan.parameters, f"{result} {plan.status}")
            whole = result if value == "void" else f"abigen::Result<{value}, {result}>"
            start = f"{result} {plan.status};" if is_own else ""
            returned = f"std::move({plan.status})" if is_own and types else plan.status
            body = write.body(start, returned, value)
            yield Overload(template=plan.template, result=whole, parameters=parameters, body=body)

    def _with_object(self, function: Function, plan: Plan) -> Plan:
        """The same function for a class whose objects the callbacks make, use and destroy."""
        life = function.object
        assert life is not None
        parameters = named_parameters(function.type.parameters)
        types = {each.name: each.type for each in parameters}
        arguments, left = list(plan.arguments), list(plan.parameters)
        methods = dict(zip(life.methods, self.object_methods(function), strict=True))
        for at, parameter in enumerate(parameters):
            name = parameter.name or ""
            if name not in (life.create, life.destroy, *life.methods):
                continue
            if not self._is_function(parameter.type):
                raise AbigenError.at(parameter.span or function.span, f"`{name}` of `{function.name}` is no function")
            left.remove(self._speller.declare(unqualified(parameter.type), name))
            type = self._speller.declare(unqualified(types[name]))
            if name == life.create:
                arguments[at] = f"&abigen::detail::Creation<Object, {type}>::Call"
            elif name == life.destroy:
                arguments[at] = f"&abigen::detail::Destruction<Object, {type}>::Call"
            else:
                accessor = f"{self._handles.namespace}::members::{methods[name].accessor}"
                arguments[at] = f"&abigen::detail::Method<Object, {accessor}, {type}>::Call"
        return replace(plan, template="class Object", parameters=tuple(left), arguments=tuple(arguments))

    def _is_function(self, type: CType) -> bool:
        resolved = self._api.resolve(type)
        return isinstance(resolved, Pointer) and isinstance(self._api.resolve(resolved.target), FunctionType)


class _Writer:
    """Writes the statements of one function."""

    def __init__(self, function: Function, plan: Plan, types: Sequence[str], wrap: str, *, returns: bool) -> None:
        self._function = function
        self._plan = plan
        self._types = types
        self._wrap = wrap
        self._returns = returns

    def body(self, start: str, status: str, value: str) -> tuple[str, ...]:
        """Statements: a status first where there is one of its own, then the call, then what is returned."""
        plan = self._plan
        called = self._function.name if "->" in self._function.name else f"::{self._function.name}"
        call = f"{called}({', '.join(plan.arguments)})"
        lines = [start, *(f"{declaration};" for declaration, _ in plan.outputs)]
        results = [value for _, value in plan.outputs]
        exchanged = [*plan.moves, *(["(*this)"] if plan.own == "exchanged" else [])]
        if self._returns and (plan.outputs or exchanged):
            lines.append(f"const auto given_ = {call};")
            lines += [line for each in exchanged for line in ("if (given_) {", f"  {each}.release();", "}")]
            results.insert(0, self._wrap.replace("{}", "given_"))
        elif self._returns and status.startswith("std::move"):
            # Whether the call or the move comes first would be clear to compilers, but not to whoever reads it.
            lines.append(f"{self._types[0]} given_ = {self._wrap.replace('{}', call)};")
            results.insert(0, "given_" if self._wrap == "{}" else "std::move(given_)")
        elif self._returns:
            results.insert(0, self._wrap.replace("{}", call))
        else:
            lines.append(f"{call};")
        lines.append(_returned(results, status, value))
        return tuple(filter(None, lines))


def _returned(results: Sequence[str], status: str, value: str) -> str:
    """The statement that returns results and status, as far as there are any."""
    if not results:
        return f"return {status};" if status else ""
    whole = results[0] if len(results) == 1 else f"{value}({', '.join(results)})"
    return f"return {{{whole}, {status}}};" if status else f"return {whole};"


def _with_constant_function(plan: Plan) -> Plan:
    """The same call for a function that is known when it is compiled."""
    assert plan.callback is not None
    at, type = plan.callback
    argument = plan.arguments[at]
    left = tuple(each for each in plan.parameters if not _declares(each, argument))
    call = f"&abigen::detail::FunctionCallback<function, {type}>::Call"
    arguments = (*plan.arguments[:at], call, *plan.arguments[at + 1 :])
    return replace(plan, template="auto function", parameters=left, arguments=arguments)


def _declares(declaration: str, name: str) -> bool:
    return declaration.endswith(f" {name}") or f"(*{name})" in declaration


def named_parameters(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """The parameters, each with a name that C++ accepts and no other has."""
    taken: set[str] = set()
    named = []
    for at, each in enumerate(parameters):
        name = usable(each.name or f"argument{at + 1}")
        while name in taken:
            name += "_"
        taken.add(name)
        named.append(replace(each, name=name))
    return tuple(named)


def class_of(wrapped: Wrapped, *, owned: bool) -> str:
    """The class for a handle that belongs to whoever gets it, or does not."""
    return wrapped.owner if owned and wrapped.owner else wrapped.ref


def _accessor(function: Function, method: str) -> str:
    return f"{function.name}_{method}"


def _is_constant(type: CType) -> bool:
    """Whether a handle points to what must not change."""
    bare = unqualified(type)
    return isinstance(bare, Pointer) and isinstance(bare.target, Qualified) and "const" in bare.target.qualifiers
