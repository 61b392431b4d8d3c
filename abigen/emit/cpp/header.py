"""An API as a C++ header: its classes, functions and tables, under names that do not clash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from abigen.emit.c.helpers import file_beside
from abigen.emit.c.types import Speller
from abigen.emit.cpp.functions import RETURN, Planner, named_parameters
from abigen.emit.cpp.handles import ENDINGS, SUFFIX, Handles, Keeper, unqualified
from abigen.emit.cpp.names import function_name, method_name, table_name, usable, whole_name
from abigen.emit.cpp.spaces import Space, types_in
from abigen.emit.cpp.tables import Tables
from abigen.emit.cpp.view import CppHeader, Entry, HandleClass, Kept, Method, ObjectMethod, StatusClass, Table
from abigen.emit.publication import Publication
from abigen.model.ctype import Basic, Parameter, Pointer, RecordType
from abigen.model.entities import Function, Handle
from abigen.model.naming import include_guard
from abigen.model.span import AbigenError, Diagnostic, Span

SUPPORT = "abigen/cpp_v1.hpp"
"""The header that those of all APIs include; another number when what it has changes its meaning."""

_MEMBERS = "members"
"""The namespace of what finds functions by their names."""
_NO_NUMBERS = (Basic("void"), Basic("_Bool"))
_OWN = frozenset({"get", "release", "reset", "ok", "code", "message", "OrThrow"})
"""Names that the classes give to functions of their own."""


def header_of(publication: Publication) -> CppHeader:
    """Make the view of an API's C++ header.

    Args:
        publication: the API.

    Raises:
        AbigenError: two things would have one name in C++, or what the spec says of a function does not fit its type.
    """
    return _Assembler(publication).assemble()


class _Assembler:
    def __init__(self, publication: Publication) -> None:
        self._publication = publication
        self._api = publication.api
        header = publication.api.header
        assert header is not None, "only specs say how they are published"
        self._header = header
        self._speller = Speller(self._api)
        self._handles = Handles(self._api, header, self._speller)
        self._planner = Planner(self._api, self._handles, self._speller)
        self._problems: list[Diagnostic] = []

    def assemble(self) -> CppHeader:
        """The whole header."""
        path = file_beside(self._header.path, SUFFIX)
        functions = [each for each in self._api.functions.values() if self._is_called(each)]
        status = self._handles.status
        classes = [self._handle(each, functions) for each in self._handles.own if not self._is_status(each)]
        space = self._namespace()
        made = Tables(self._api, self._header, self._handles, self._speller).all()
        tables = [replace(each, name=self._table_name(each, space)) for each in made]
        free = [each for each in functions if self._class_of(each) is None]
        view = CppHeader(
            path=path,
            include=self._header.path,
            support=SUPPORT,
            uses=tuple(self._uses(functions)),
            banner=self._publication.banner,
            guard=include_guard(path),
            namespace=self._handles.namespace,
            doc=self._api.doc,
            status=self._status(functions) if self._handles.defines_status() else None,
            failing=status.owner if status else "",
            carrier=status.type if status else "",
            classes=tuple(classes),
            functions=tuple(self._methods(free, None, space)),
            tables=tuple(tables),
            objects=tuple(self._objects(functions)),
            entries=tuple(self._entries(space)),
        )
        if self._problems:
            raise AbigenError(self._problems)
        return view

    def _namespace(self) -> Space:
        """The names in the API's namespace, those of its classes so far."""
        names = self._api.conventions.cpp_names.values()
        clash = types_in(self._api) | frozenset(self._api.functions)
        if self._handles.namespace in clash:
            message = f"`{self._handles.namespace}` is also the namespace of the API in C++"
            self._problems.append(Diagnostic(None, message, "choose another with conventions.cpp.namespace"))
        space = Space((types_in(self._api) | {_MEMBERS}) - frozenset(names))
        classes = [self._handles.of(each).ref for each in self._handles.own]
        if self._handles.status is not None and self._handles.status.local:
            classes.append(self._handles.status.ref)
        for each in dict.fromkeys(_last(each).removesuffix("Ref") for each in classes):
            space.choose([each], f"the class `{each}`", None, along=ENDINGS)
        return space

    def _table_name(self, table: Table, space: Space) -> str:
        given = self._api.conventions.cpp_names.get(table.struct)
        candidates = [given] if given else [table.name, table_name(whole_name(table.struct), "")]
        return self._choose(space, candidates, f"the table of `{table.struct}`", None)

    def _choose(self, space: Space, candidates: list[str], what: str, span: Span | None) -> str:
        """A name; where there is none, the problem is noted."""
        try:
            return space.choose(candidates, what, span)
        except AbigenError as error:
            self._problems += error.diagnostics
            return candidates[0]

    def _is_called(self, function: Function) -> bool:
        """Whether a function is there for C++ to call it; those that classes call themselves are not."""
        if not function.in_api or function.implemented_by == "plugin" or function.static or function.type.variadic:
            return False
        return function.name not in self._internal

    @property
    def _internal(self) -> set[str]:
        found = set(self._handles.destroyers)
        errors, status = self._api.conventions.errors, self._handles.status
        if errors is not None and status is not None and status.local:
            made = self._handles.known(errors.status) if status.owner else None
            found |= {errors.set, errors.code, errors.message, made.create if made else ""}
        return found

    def _is_status(self, handle: Handle) -> bool:
        status = self._handles.status
        return status is not None and status.local and status.name == handle.name

    def _class_of(self, function: Function) -> Handle | None:
        """The handle of this API that a function is a method of, or else makes."""
        if function.type.parameters:
            found = self._handles.handle(function.type.parameters[0].type)
            if found is not None and found.in_api:
                ended = self._is_status(found) and self._planner.takes_itself(function)
                return None if ended else found
        found = self._handles.handle(function.type.result)
        makes = RETURN in function.gives or function.name in self._handles.makers
        return found if found is not None and found.in_api and makes else None

    def _is_method(self, function: Function, handle: Handle | None) -> bool:
        """Whether a function is called on an object, and not what makes one."""
        if handle is None or not function.type.parameters:
            return False
        found = self._handles.handle(function.type.parameters[0].type)
        return found is not None and found.name == handle.name

    def _handle(self, handle: Handle, functions: Iterable[Function]) -> HandleClass:
        wrapped = self._handles.of(handle)
        own = [each for each in functions if self._class_of(each) is handle]
        ends = [each for each in own if self._is_method(each, handle) and self._planner.takes_itself(each)]
        makes = [each for each in own if not self._is_method(each, handle)]
        shared = [each for each in own if each not in ends and (each not in makes or not wrapped.owner)]
        kept = self._kept(handle) if not wrapped.owner else None
        struct = self._api.struct_of(handle.type)
        space = self._members(handle)
        return HandleClass(
            ref=_last(wrapped.ref),
            owner=_last(wrapped.owner) or (_last(wrapped.ref).removesuffix("Ref") if kept else ""),
            type=wrapped.type,
            name=handle.name,
            destroy=handle.destroy,
            doc=handle.doc,
            methods=tuple(self._methods(shared, handle, space)),
            owner_methods=tuple(self._methods([*makes, *ends] if wrapped.owner else [], handle, space)),
            failure=handle.failure,
            members=struct is not None and bool(struct.fields) and not handle.by_pointer,
            kept=kept,
        )

    def _kept(self, handle: Handle) -> Kept | None:
        """The owner of a handle that functions in a struct make and destroy."""
        keeper = self._handles.keeper(handle)
        if keeper is None:
            return None
        table = self._speller.declare(RecordType(keeper.table.name))
        others = [each for at, each in enumerate(keeper.destroyed_with) if at != keeper.handle_at]
        return Kept(
            table=table,
            destroy=keeper.destroy,
            members=tuple(self._kept_member(each) for each in others),
            arguments=tuple(
                "old" if at == keeper.handle_at else f"{each.name}_" for at, each in enumerate(keeper.destroyed_with)
            ),
            create=self._create(handle, keeper, table, [each.name or "" for each in others]),
        )

    def _kept_member(self, parameter: Parameter) -> tuple[str, str, str]:
        name, type = parameter.name or "", unqualified(parameter.type)
        return self._speller.declare(type, name), self._speller.declare(type, f"{name}_"), name

    def _create(self, handle: Handle, keeper: Keeper, table: str, kept: list[str]) -> Method | None:
        """The method that makes an object by a function in a struct."""
        if keeper.created_by is None:
            return None
        parameters = keeper.created_by.parameters
        place = next(each.name or "" for each in parameters if self._handles.is_place_of(each.type, handle))
        holder = next(
            name for name in ("table", "table_", "functions") if name not in {each.name for each in parameters}
        )
        function = Function(
            name=f"{holder}->{keeper.create}",
            span=handle.span,
            type=keeper.created_by,
            outputs=(place,),
            gives=(place,),
        )
        owner = self._handles.of(handle).ref.removesuffix("Ref")
        value = f"{owner}({', '.join([place, holder, *kept])})"
        overloads = self._planner.overloads(function, is_method=False, made=(owner, value))
        first = f"const {table}* {holder}"
        return Method(
            name="create" if handle.name.islower() else "Create",
            doc=f"Makes one by `{keeper.create}`. What destroying it takes has to stay until then.",
            deprecated="",
            before="static",
            behind="",
            overloads=tuple(replace(each, parameters=(first, *each.parameters)) for each in overloads),
        )

    def _entries(self, space: Space) -> Iterator[Entry]:
        """The functions that plugins export."""
        for each in self._api.functions.values():
            if each.in_api and each.implemented_by == "plugin" and not each.type.variadic:
                parameters = named_parameters(each.type.parameters)
                yield Entry(
                    name=self._choose(space, self._candidates(each, None), f"`{each.name}`", each.span),
                    function=each.name,
                    type=self._speller.declare(Pointer(each.type)),
                    result=self._speller.declare(each.type.result),
                    parameters=tuple(self._speller.declare(one.type, one.name or "") for one in parameters),
                    arguments=tuple(one.name or "" for one in parameters),
                    failure=self._failure(each),
                )

    def _failure(self, function: Function) -> str:
        """What an exported function returns to say that it has failed; empty where that is zero, or nobody asks."""
        reports = any(self._handles.is_status(each.type) for each in function.type.parameters)
        resolved = self._api.resolve(function.type.result)
        if reports or not function.entry_point or isinstance(resolved, Pointer) or resolved in _NO_NUMBERS:
            return ""
        errors = self._api.conventions.errors
        code = self._api.functions[errors.code].type.result if errors else None
        return errors.code_for("internal") if errors and function.type.result == code else "1"

    def _status(self, functions: Iterable[Function]) -> StatusClass:
        errors, status = self._api.conventions.errors, self._handles.status
        assert errors is not None and status is not None
        handle = self._handles.known(errors.status)
        own = [each for each in functions if handle is not None and self._class_of(each) is handle]
        code = self._api.functions[errors.code].type.result
        return StatusClass(
            ref=_last(status.ref),
            owner=_last(status.owner),
            type=status.type,
            name=errors.status,
            code_type=self._speller.declare(code),
            is_enum=self._api.enum_of(code) is not None,
            create=handle.create if handle and status.owner else "",
            destroy=handle.destroy if handle and status.owner else "",
            set=errors.set,
            code=errors.code,
            message=errors.message,
            ok=errors.codes["ok"],
            out_of_memory=errors.code_for("resource_exhausted"),
            invalid_argument=errors.code_for("invalid_argument"),
            internal=errors.code_for("internal"),
            doc=handle.doc if handle else "",
            methods=tuple(self._methods(own, handle, self._members(handle))),
        )

    def _methods(self, functions: Iterable[Function], handle: Handle | None, space: Space) -> Iterator[Method]:
        """Functions as methods of a handle, or of none; each with a name of its own."""
        for each in functions:
            name = self._choose(space, self._candidates(each, handle), f"`{each.name}`", each.span)
            method = self._is_method(each, handle)
            ends = method and self._planner.takes_itself(each)
            behind = "&&" if ends and not self._planner.exchanges(each) else "" if ends else "const" if method else ""
            try:
                overloads = self._planner.overloads(each, is_method=method)
            except AbigenError as error:
                self._problems += error.diagnostics
                continue
            yield Method(
                name=name,
                doc=each.doc,
                deprecated=_deprecated(each),
                before="static" if handle is not None and not method else "",
                behind=behind,
                overloads=overloads,
            )

    def _members(self, handle: Handle | None) -> Space:
        """The names in a handle's classes."""
        name = _last(self._handles.of(handle).ref).removesuffix("Ref") if handle else ""
        return Space(types_in(self._api) | _OWN | {name, *(name + ending for ending in ENDINGS)})

    def _candidates(self, function: Function, handle: Handle | None) -> list[str]:
        """Names for a function, the best one first."""
        given = self._api.conventions.cpp_names.get(function.name)
        if given:
            return [given]
        plain = function_name(function.name, self._header.prefix)
        own = [method_name(function.name, handle.name, self._header.prefix)] if handle else []
        return [*own, plain, usable(function.name), usable(f"{function.name}_")]

    def _uses(self, functions: Iterable[Function]) -> Iterator[str]:
        """Headers of the classes that belong to other APIs, in order of their names."""
        types = [each.type.result for each in functions]
        types += [parameter.type for each in functions for parameter in each.type.parameters]
        found = {wrapped.include for each in types if (wrapped := self._handles.find(each)) and not wrapped.local}
        for function in functions:
            for name in function.outputs:
                parameter = next(each for each in function.type.parameters if each.name == name)
                target = getattr(self._api.resolve(parameter.type), "target", Basic("void"))
                if (wrapped := self._handles.find(target)) and not wrapped.local:
                    found.add(wrapped.include)
        status = self._handles.status
        if status is not None and not status.local:
            found.add(status.include)
        yield from sorted(found)

    def _objects(self, functions: Iterable[Function]) -> Iterator[ObjectMethod]:
        for each in functions:
            yield from self._planner.object_methods(each)


def _last(name: str) -> str:
    return name.rpartition("::")[2]


def _deprecated(function: Function) -> str:
    lifecycle = function.contract.lifecycle
    if not lifecycle.deprecated:
        return ""
    return f"use {lifecycle.replaced_by}" if lifecycle.replaced_by else "there is nothing in its place"
