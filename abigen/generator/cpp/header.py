"""An API as a C++ header: its classes, functions and tables, under names that do not clash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from abigen.generator.c.lines import Speller, file_beside
from abigen.generator.cpp.functions import (
    ENDINGS,
    RETURN,
    SUFFIX,
    CppFunctions,
    Handles,
    TableFunctions,
    Tables,
    declared_parameters,
)
from abigen.generator.cpp.view import (
    CppCodes,
    CppEntry,
    CppFailure,
    CppFunction,
    CppHandle,
    CppHeader,
    CppKeeper,
    CppLastError,
    CppNames,
    CppStatus,
    CppTable,
    CppValue,
    function_name,
    is_in_c_library,
    method_name,
    numbered,
    table_name,
    types_in,
    usable,
    whole_name,
)
from abigen.generator.publication import Publication
from abigen.model.contract import ResultKind, ResultMeaning
from abigen.model.ctype import Array, Basic, CType, FunctionType, Parameter, Pointer, RecordType, unqualified
from abigen.model.entities import Function, Handle
from abigen.model.span import AbigenError, Diagnostic, Span

SUPPORT = "abigen/cpp_v1.hpp"
"""The header that those of all APIs include; another number when what it has changes its meaning."""

_MEMBERS = "members"
"""The namespace of what finds functions by their names."""
_OWN = frozenset({"get", "release", "reset", "ok", "code", "message", "OrThrow", "HandleBase"})
"""Names that the classes have for themselves."""
_HOLDERS = ("table", "table_", "functions")
"""Names for a parameter that points to a struct of functions."""


def header_of(publication: Publication) -> CppHeader:
    """Make the view of an API's C++ header.

    Args:
        publication: the API.

    Raises:
        AbigenError: two things would have one name in C++, or what the spec says of a function does not fit its type.
    """
    return _Assembler(publication).assemble()


class CppSpeller(Speller):
    """Spells types so that a name can follow: a function whose result is a pointer to a function has none inside."""

    def declare(self, type: CType, name: str = "") -> str:
        """Spell a declaration; see `Speller.declare`. A type name is one that any name may stand behind."""
        is_inline = isinstance(type, Pointer) and isinstance(type.target, (FunctionType, Array))
        if is_inline and not name:
            assert isinstance(type, Pointer)
            return f"std::add_pointer_t<{super().declare(type.target)}>"
        return super().declare(type, name)


class _Assembler:
    def __init__(self, publication: Publication) -> None:
        self._publication = publication
        self._api = publication.api
        self._header = publication.header
        self._speller = CppSpeller(self._api)
        self._handles = Handles(self._api, self._header, self._speller)
        self._functions = CppFunctions(self._api, self._handles, self._speller)
        self._problems: list[Diagnostic] = []

    def assemble(self) -> CppHeader:
        """Return the whole header."""
        functions = [each for each in self._api.functions.values() if self._is_called(each)]
        status = self._handles.status
        space = self._namespace()
        self._functions.codes = {each.type: each for each in self._codes(functions, space)}
        classes = [self._handle(each, functions) for each in self._handles.own if not self._is_status(each)]
        free = tuple(self._methods([each for each in functions if self._class_of(each) is None], None, space))
        own_status = self._status(functions) if status is not None and status.local else None
        tables = Tables(self._api, self._header, self._functions, self._speller).all()
        named_tables = tuple(replace(each, name=self._table_name(each, space)) for each in tables)
        view = CppHeader(
            publication=self._publication,
            path=file_beside(self._header.path, SUFFIX),
            uses=tuple(sorted(self._handles.used)),
            namespace=self._handles.namespace,
            status=own_status,
            reports=status,
            flags=tuple(
                each.name for each in self._api.enums.values() if each.in_api and each.flags and each.underlying is None
            ),
            codes=tuple(self._functions.codes.values()),
            classes=tuple(classes),
            functions=free,
            tables=named_tables,
            objects=tuple(found for each in functions for found in self._functions.object_methods(each).values()),
            entries=tuple(self._entries(space)),
            last_error=self._last_error(),
        )
        if self._problems:
            raise AbigenError(self._problems)
        return view

    def _namespace(self) -> CppNames:
        """Return the names in the API's namespace, those of its classes so far."""
        names = self._api.conventions.cpp_names.values()
        clash = types_in(self._api) | frozenset(self._api.functions)
        if self._handles.namespace in clash or is_in_c_library(self._handles.namespace):
            own = "also" if self._handles.namespace in clash else "a name of the C library, and"
            message = f"`{self._handles.namespace}` is {own} the namespace of the API in C++"
            self._problems.append(Diagnostic(None, message, "choose another with conventions.cpp.namespace"))
        space = CppNames((types_in(self._api) | {_MEMBERS}) - frozenset(names))
        classes = [self._handles.of(each).ref for each in self._handles.own]
        if self._handles.status is not None and self._handles.status.local:
            classes.append(self._handles.status.ref)
        for each in dict.fromkeys(_last(each).removesuffix("Ref") for each in classes):
            space.choose([each], f"the class `{each}`", None, along=ENDINGS)
        return space

    def _codes(self, functions: Iterable[Function], space: CppNames) -> Iterator[CppCodes]:
        """Yield the classes of the codes that functions return, and functions in tables."""
        called = [(each.name, each.type) for each in functions]
        for struct in self._api.structs.values():
            types = ((each.name, self._api.callback(each.type)) for each in struct.fields or () if struct.in_api)
            called += [(f"{struct.name}.{name}", type) for name, type in types if type is not None]
        found: dict[str, tuple[FunctionType, ResultMeaning]] = {}
        for key, type in called:
            outcome = self._api.outcome(type, key)
            if outcome.kind is ResultKind.CODE and self._api.resolve(type.result) != Basic("_Bool"):
                found.setdefault(self._speller.declare(unqualified(type.result)), (type, outcome))
        for name, (type, outcome) in found.items():
            plain = table_name(name.rpartition(" ")[2], self._header.prefix).removesuffix("Fns")
            candidates = [plain, f"{plain}Code", *numbered(f"{plain}Code")]
            chosen = self._choose(space, candidates, f"the class of `{name}`", None)
            yield CppCodes(name=chosen, type=name, ok=outcome.ok, names=self._api.codes_of(type))

    def _table_name(self, table: CppTable, space: CppNames) -> str:
        given = self._api.conventions.cpp_names.get(table.c.name)
        whole = whole_name(table.c.name)
        names = (table_name(each, "") for each in (whole, *numbered(whole)))
        candidates = [given] if given else [table.name, *names]
        return self._choose(space, candidates, f"the table of `{table.struct}`", None, along=("View",))

    def _choose(
        self, space: CppNames, candidates: list[str], what: str, span: Span | None, along: Sequence[str] = ()
    ) -> str:
        """Return a name; where there is none, the problem is noted."""
        try:
            return space.choose(candidates, what, span, along=along)
        except AbigenError as error:
            self._problems += error.diagnostics
            return candidates[0]

    def _is_called(self, function: Function) -> bool:
        """True if a function is there for C++ to call it; those that classes call themselves are not."""
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
        """Return the handle of this API that a function is a method of, or else makes."""
        if function.type.parameters:
            found = self._handles.handle(function.type.parameters[0].type)
            if found is not None and found.in_api:
                ended = self._is_status(found) and self._functions.takes_itself(function)
                return None if ended else found
        found = self._handles.handle(function.type.result)
        makes = RETURN in function.gives or function.name in self._handles.makers
        return found if found is not None and found.in_api and makes else None

    def _is_method(self, function: Function, handle: Handle | None) -> bool:
        """True if a function is called on an object, and not what makes one."""
        if handle is None or not function.type.parameters:
            return False
        found = self._handles.handle(function.type.parameters[0].type)
        return found is not None and found.name == handle.name

    def _handle(self, handle: Handle, functions: Iterable[Function]) -> CppHandle:
        classes = self._handles.of(handle)
        own = [each for each in functions if self._class_of(each) is handle]
        ends = [each for each in own if self._is_method(each, handle) and self._functions.takes_itself(each)]
        makes = [each for each in own if not self._is_method(each, handle)]
        shared = [each for each in own if each not in ends and (each not in makes or not classes.owner)]
        found = self._handles.table_functions(handle) if not classes.owner else None
        struct = self._api.struct_of(handle.type)
        space = self._members(handle)
        return CppHandle(
            c=handle,
            ref=_last(classes.ref),
            owner=_last(classes.owner) or (_last(classes.ref).removesuffix("Ref") if found else ""),
            type=classes.type,
            methods=tuple(self._methods(shared, handle, space)),
            owner_methods=tuple(self._methods([*makes, *ends] if classes.owner else [], handle, space)),
            members=struct is not None and bool(struct.fields) and not handle.by_pointer,
            kept=self._keeper(handle, found) if found else None,
        )

    def _keeper(self, handle: Handle, found: TableFunctions) -> CppKeeper:
        """Return the arguments that the owner of a handle retains for the function in a struct that destroys it."""
        table = self._speller.declare(RecordType(found.table.name))
        others = [each for at, each in enumerate(found.destroyed_with) if at != found.handle_at]
        return CppKeeper(
            table=table,
            destroy=found.destroy,
            members=tuple(self._kept_member(each) for each in others),
            arguments=tuple(
                "" if at == found.handle_at else each.name or "" for at, each in enumerate(found.destroyed_with)
            ),
            create=self._create(handle, found, table, [each.name or "" for each in others]),
        )

    def _kept_member(self, parameter: Parameter) -> tuple[str, str, str]:
        name, type = parameter.name or "", unqualified(parameter.type)
        return self._speller.declare(type, name), self._speller.declare(type, f"{name}_"), name

    def _create(self, handle: Handle, found: TableFunctions, table: str, kept: list[str]) -> CppFunction | None:
        """Return the method that makes an object by a function in a struct."""
        if found.created_by is None:
            return None
        parameters = found.created_by.parameters
        place = next(each.name or "" for each in parameters if self._handles.is_place_of(each.type, handle))
        holder = next(name for name in _HOLDERS if name not in {each.name for each in parameters})
        function = Function(
            name=found.create,
            span=handle.span,
            doc=f"Makes one by `{found.create}`. What destroying it takes has to stay until then.",
            type=found.created_by,
            outputs=(place,),
        )
        name = "create" if handle.name.islower() else "Create"
        made = self._functions.called(function, name, is_method=False, is_static=True)
        owner = self._handles.of(handle).ref.removesuffix("Ref")
        value = CppValue(type=owner, is_object=True, arguments=(holder, *kept))
        stored = (replace(each, value=value) if each.kind == "output" else each for each in made.parameters)
        return replace(made, table=holder, table_type=table, parameters=tuple(stored))

    def _entries(self, space: CppNames) -> Iterator[CppEntry]:
        """Yield the functions that plugins export."""
        for each in self._api.functions.values():
            if each.in_api and each.implemented_by == "plugin" and not each.type.variadic:
                reports = self._api.status_position(each.type, each.name) is not None
                fails = self._functions.failure(each.type, each.name, entry_point=each.entry_point)
                yield CppEntry(
                    c=each,
                    name=self._choose(space, self._candidates(each, None), f"`{each.name}`", each.span),
                    type=self._speller.declare(Pointer(each.type)),
                    result=self._speller.declare(each.type.result),
                    parameters=declared_parameters(each.type, self._speller, self._api),
                    fails=CppFailure() if reports else fails,
                )

    def _last_error(self) -> CppLastError:
        """Return the functions that set and read the last error of the API."""
        returned, functions = self._api.conventions.returned, self._api.functions
        set, message = (each if each in functions else "" for each in (returned.last.set, returned.last.message))
        parameters = functions[set].type.parameters if set else ()
        takes_code = len(parameters) > 1
        failed = (returned.result.outcome.failed if returned.result else "EIO") if takes_code else "0"
        return CppLastError(
            set=set,
            message=message,
            code_type=self._speller.declare(unqualified(parameters[0].type)) if takes_code else "",
            value_type=self._speller.declare(returned.result.type) if returned.result else "",
            failed=failed if set else "",
        )

    def _status(self, functions: Iterable[Function]) -> CppStatus:
        errors, status = self._api.conventions.errors, self._handles.status
        assert errors is not None and status is not None
        handle = self._handles.known(errors.status)
        own = [each for each in functions if handle is not None and self._class_of(each) is handle]
        code = self._api.functions[errors.code].type.result
        return CppStatus(
            c=handle,
            ref=_last(status.ref),
            owner=_last(status.owner),
            type=status.type,
            code_type=self._speller.declare(code),
            is_enum=self._api.enum_of(code) is not None,
            methods=tuple(self._methods(own, handle, self._members(handle))),
        )

    def _methods(self, functions: Iterable[Function], handle: Handle | None, space: CppNames) -> Iterator[CppFunction]:
        """Yield functions as methods of a handle, or of none; each with a name of its own."""
        for each in functions:
            name = self._choose(space, self._candidates(each, handle), f"`{each.name}`", each.span)
            method = self._is_method(each, handle)
            try:
                yield self._functions.called(each, name, is_method=method, is_static=handle is not None and not method)
            except AbigenError as error:
                self._problems += error.diagnostics

    def _members(self, handle: Handle | None) -> CppNames:
        """Return the names in a handle's classes."""
        name = _last(self._handles.of(handle).ref).removesuffix("Ref") if handle else ""
        return CppNames(types_in(self._api) | _OWN | {name, *(name + ending for ending in ENDINGS)})

    def _candidates(self, function: Function, handle: Handle | None) -> list[str]:
        """Return names for a function, the best one first."""
        given = self._api.conventions.cpp_names.get(function.name)
        if given:
            return [given]
        plain = function_name(function.name, self._header.prefix)
        own = [method_name(function.name, handle.name, self._header.prefix)] if handle else []
        return [*own, plain, usable(function.name), usable(f"{function.name}_"), *numbered(usable(function.name))]


def _last(name: str) -> str:
    return name.rpartition("::")[2]
