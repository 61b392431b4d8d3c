"""An API as a C++ header: its classes, functions and tables, under names that do not clash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from abigen.emit.c.types import Speller
from abigen.emit.c_checks.names import file_beside
from abigen.emit.cpp.functions import RETURN, Planner, named_parameters
from abigen.emit.cpp.handles import SUFFIX, Handles, Keeper, unqualified
from abigen.emit.cpp.names import function_name, method_name, usable
from abigen.emit.cpp.tables import Tables
from abigen.emit.cpp.view import CppHeader, Entry, HandleClass, Kept, Method, ObjectMethod, StatusClass
from abigen.emit.publication import Publication
from abigen.model.ctype import Basic, Parameter, Pointer, RecordType
from abigen.model.entities import Entity, Function, Handle
from abigen.model.naming import include_guard
from abigen.model.span import AbigenError, Diagnostic

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
        tables = tuple(Tables(self._api, self._header, self._handles, self._speller).all())
        functions = [each for each in self._api.functions.values() if self._is_called(each)]
        status = self._handles.status
        classes = [self._handle(each, functions) for each in self._handles.own if not self._is_status(each)]
        free = [each for each in functions if self._class_of(each) is None]
        view = CppHeader(
            path=path,
            include=self._header.path,
            uses=tuple(self._uses(functions)),
            banner=self._publication.banner,
            guard=include_guard(path),
            namespace=self._handles.namespace,
            doc=self._api.doc,
            status=self._status(functions) if self._handles.defines_status() else None,
            failing=status.owner if status else "",
            carrier=status.type if status else "",
            classes=tuple(classes),
            functions=tuple(self._methods(free, None)),
            tables=tables,
            objects=tuple(self._objects(functions)),
            entries=tuple(self._entries()),
        )
        self._check_names(view)
        if self._problems:
            raise AbigenError(self._problems)
        return view

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
                return found
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
        return HandleClass(
            ref=_last(wrapped.ref),
            owner=_last(wrapped.owner) or (_last(wrapped.ref).removesuffix("Ref") if kept else ""),
            type=wrapped.type,
            name=handle.name,
            destroy=handle.destroy,
            doc=handle.doc,
            methods=tuple(self._methods(shared, handle)),
            owner_methods=tuple(self._methods([*makes, *ends] if wrapped.owner else [], handle)),
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

    def _entries(self) -> Iterator[Entry]:
        """The functions that plugins export."""
        for each in self._api.functions.values():
            if each.in_api and each.implemented_by == "plugin" and not each.type.variadic:
                parameters = named_parameters(each.type.parameters)
                yield Entry(
                    name=self._name(each, None),
                    function=each.name,
                    type=self._speller.declare(Pointer(each.type)),
                    result=self._speller.declare(each.type.result),
                    parameters=tuple(self._speller.declare(one.type, one.name or "") for one in parameters),
                    arguments=tuple(one.name or "" for one in parameters),
                )

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
            methods=tuple(self._methods(own, handle)),
        )

    def _methods(self, functions: Iterable[Function], handle: Handle | None) -> Iterator[Method]:
        """Functions as methods of a handle, or of none; each with a name of its own."""
        taken: dict[str, Function] = {}
        for each in functions:
            name = self._name(each, handle)
            if name in taken or name in self._class_names(handle):
                name = usable(function_name(each.name, self._header.prefix))
            name = f"{name}_" if handle is not None and name in {*_OWN, *self._class_names(handle)} else name
            if name in taken:
                message = f"`{each.name}` and `{taken[name].name}` would both be `{name}` in C++"
                hint = f"name one in conventions.cpp.names: {{{each.name}: Other}}"
                self._problems.append(Diagnostic(each.span, message, hint))
                continue
            taken[name] = each
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

    def _class_names(self, handle: Handle | None) -> set[str]:
        """What no method of a handle's classes can be called."""
        if handle is None:
            return set()
        wrapped = self._handles.of(handle)
        name = _last(wrapped.ref).removesuffix("Ref")
        return {_last(wrapped.ref), name, f"{name}Methods"}

    def _name(self, function: Function, handle: Handle | None) -> str:
        given = self._api.conventions.cpp_names.get(function.name)
        if given or handle is None:
            return given or function_name(function.name, self._header.prefix)
        return method_name(function.name, handle.name, self._header.prefix)

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

    def _check_names(self, view: CppHeader) -> None:
        """Refuse names that stand for two things in the namespace, or for something else outside of it."""
        taken: dict[str, str] = {}
        names = [(name, of) for view_class in view.classes for name, of in _names_of(view_class)]
        names += [(each.name, f"the table of `{each.struct}`") for each in view.tables]
        names += [(each.name, f"the function `{each.name}`") for each in view.functions]
        names += [(each.name, f"the entry point `{each.function}`") for each in view.entries]
        if view.status is not None:
            names += [
                (name, f"the status `{view.status.name}`") for name in (view.status.ref, view.status.owner) if name
            ]
        for name, what in names:
            if name in taken:
                message = f"{taken[name]} and {what} would both be `{view.namespace}::{name}` in C++"
                self._problems.append(Diagnostic(None, message, "name one of them in conventions.cpp.names"))
            taken[name] = what
        clash = self._entity(view.namespace)
        if clash is not None:
            message = f"`{view.namespace}` is also the namespace of the API in C++"
            self._problems.append(Diagnostic(clash.span, message, "choose another with conventions.cpp.namespace"))

    def _entity(self, name: str) -> Entity | None:
        groups = (self._api.structs, self._api.typedefs, self._api.functions, self._api.constants, self._api.macros)
        return next((group[name] for group in groups if name in group), None)


def _names_of(view: HandleClass) -> Iterator[tuple[str, str]]:
    what = f"the class of `{view.name}`"
    yield view.ref, what
    if view.owner:
        yield view.owner, what
        yield view.shared, what


def _last(name: str) -> str:
    return name.rpartition("::")[2]


def _deprecated(function: Function) -> str:
    deprecated = function.contract.deprecated
    if deprecated is None:
        return ""
    return f"use {deprecated.use}" if deprecated.use else "there is nothing in its place"
