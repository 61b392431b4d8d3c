"""Functions, handle classes and function tables of an API in C++."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.generator.c.lines import Speller, documentation, file_beside, free_name
from abigen.generator.cpp.view import (
    CppClasses,
    CppCodes,
    CppFailure,
    CppFunction,
    CppNames,
    CppParameter,
    CppTable,
    CppTableMember,
    CppValue,
    callback_name,
    class_name,
    namespace_name,
    numbered,
    table_name,
    types_in,
    usable,
    whole_name,
)
from abigen.model.api import Api, Conventions, Header
from abigen.model.contract import Party, ResultKind
from abigen.model.ctype import (
    Array,
    Basic,
    CType,
    FunctionType,
    NamedType,
    Parameter,
    Pointer,
    Qualified,
    RecordType,
    unqualified,
)
from abigen.model.entities import Field, Function, Handle, Struct
from abigen.model.roles import counts_of, extension_kind, is_in_all_releases
from abigen.model.span import AbigenError

SUFFIX = ".hpp"
ENDINGS = ("Ref", "Methods", "Error")
"""The suffixes of the names of a handle's other classes."""


class TableFunctions(msgspec.Struct, frozen=True):
    """The functions in a struct that create and destroy a handle."""

    table: Struct
    destroy: str
    """The member that destroys one."""
    destroyed_with: tuple[Parameter, ...]
    """The parameters of that function, including the handle."""
    handle_at: int
    """The position of the handle among them."""
    create: str
    """The member that makes one; empty when none does whose parameters are understood."""
    created_by: FunctionType | None


class Handles:
    """The classes of handles by their types in C."""

    def __init__(self, api: Api, header: Header, speller: Speller) -> None:
        """Look at the types of an API.

        Args:
            api: the API.
            header: how it is published.
            speller: of this API.
        """
        self._api = api
        self._header = header
        self._speller = speller
        self._known = {each.name: each for each in _handles(api)}
        self._names = self._choose_names()
        self._namespaces: dict[str, str] = {}
        self.namespace = self._namespace(header, api.conventions, next(iter(api.files), ""))
        self.status = self._status()
        self.used = {self.status.include} if self.status and not self.status.local else set()
        """The headers of other APIs with classes that were asked for."""
        self.makers = frozenset(each.create for each in self._known.values() if each.create)
        """Functions that return handles that belong to the caller."""
        self.destroyers = frozenset(each.destroy for each in self._known.values() if self.destroyer(each))
        """Functions that owners call."""

    @property
    def own(self) -> tuple[Handle, ...]:
        """The handles of this API, and its structs that are used like handles."""
        return tuple(each for each in self._known.values() if each.in_api)

    def find(self, type: CType) -> CppClasses | None:
        """Return the classes of a handle, or of a pointer to a struct that acts as one; None for other types."""
        handle = self.handle(type)
        if handle is None:
            return None
        is_status = self.status is not None and self.status.name == handle.name
        classes = self.status if is_status else self.of(handle)
        if classes is not None and not classes.local:
            self.used.add(classes.include)
        return classes

    def of(self, handle: Handle) -> CppClasses:
        """Return the classes of a handle."""
        header, conventions, local = self._origin(handle)
        name = self._names[handle.name]
        space = self._namespace(header, conventions, handle.span.file if handle.span else "")
        owned = self.destroyer(handle) is not None
        kept = not owned and self.table_functions(handle) is not None
        return CppClasses(
            name=handle.name,
            ref=f"{space}::{name}{'Ref' if owned or kept else ''}",
            owner=f"{space}::{name}" if owned else "",
            type=self._spelled(handle.name, by_pointer=handle.by_pointer),
            include=file_beside(header.path, SUFFIX),
            local=local,
        )

    def known(self, name: str) -> Handle | None:
        """Return a handle by its name."""
        return self._known.get(name)

    def handle(self, type: CType) -> Handle | None:
        """Return the handle that a type is, or points to; None for other types."""
        found = self._api.handle_of(type)
        resolved = self._api.resolve(type)
        if found is not None or not isinstance(resolved, Pointer):
            return found
        struct = self._api.struct_of(resolved.target)
        return self._known.get(struct.name) if struct is not None and struct.destroy else None

    def destroyer(self, handle: Handle) -> Function | None:
        """Return the function that destroys a handle and takes nothing else."""
        function = self._api.functions.get(handle.destroy)
        if function is None or len(function.type.parameters) != 1:
            return None
        return function if self.handle(function.type.parameters[0].type) == handle else None

    def maker(self, handle: Handle) -> Function | None:
        """Return the function that makes a handle out of nothing."""
        function = self._api.functions.get(handle.create)
        if function is None or function.type.parameters:
            return None
        return function if self.handle(function.type.result) == handle else None

    def table_functions(self, handle: Handle) -> TableFunctions | None:
        """Return the functions in a struct that create and destroy a handle; None if they need unknown arguments."""
        table, destroy, destroying = self._member(handle.destroy)
        if table is None or destroying is None:
            return None
        at = [at for at, each in enumerate(destroying.parameters) if self.handle(each.type) == handle]
        others = [each for place, each in enumerate(destroying.parameters) if place not in at]
        if len(at) != 1 or not all(each.name and self._can_be_kept(each.type) for each in others):
            return None
        creator, create, creating = self._member(handle.create)
        if creator != table or creating is None or not self._makes(creating, handle, others):
            create, creating = "", None
        return TableFunctions(table, destroy, destroying.parameters, at[0], create, creating)

    def is_place_of(self, type: CType, handle: Handle) -> bool:
        """True if a type points to where a handle is to be stored."""
        bare = unqualified(type)
        if not isinstance(bare, Pointer) or isinstance(bare.target, Qualified):
            return False
        return self.handle(bare.target) == handle

    def _spelled(self, name: str, *, by_pointer: bool) -> str:
        """Return a handle as a value, as C spells it."""
        type = NamedType(name)
        return self._speller.declare(type if by_pointer else Pointer(type))

    def _member(self, path: str) -> tuple[Struct | None, str, FunctionType | None]:
        """Return a struct, the name of its member, and the function that it points to."""
        owner, _, name = path.partition(".")
        struct = self._api.structs.get(owner)
        member = struct.member(name) if struct else None
        function = self._api.callback(member.type) if member else None
        return (struct, name, function) if function else (None, "", None)

    def _makes(self, creating: FunctionType, handle: Handle, kept: list[Parameter]) -> bool:
        """True if a function stores a handle, and is handed all that destroying it takes."""
        stores = [each for each in creating.parameters if self.is_place_of(each.type, handle)]
        given = {(each.name, unqualified(each.type)) for each in creating.parameters}
        named = all(each.name for each in creating.parameters)
        return named and len(stores) == 1 and all((each.name, unqualified(each.type)) in given for each in kept)

    def _can_be_kept(self, type: CType) -> bool:
        """True if an object can keep an argument for later: a pointer, but no status."""
        return isinstance(self._api.resolve(type), Pointer) and not self._api.is_status(type)

    def _status(self) -> CppClasses | None:
        """Return the classes of the status object; they are where it was said how errors are reported."""
        errors = self._api.conventions.errors
        if errors is None:
            return None
        local = errors.file in self._api.files
        header, conventions = (self._header, self._api.conventions) if local else self._api.used[errors.file]
        space = self._namespace(header, conventions, errors.file)
        handle = self._known.get(errors.status)
        declared = handle is not None and handle.span is not None and handle.span.file == errors.file
        named = conventions.cpp_names.get(errors.status) or class_name(errors.status, header.prefix)
        name = self._names[errors.status] if declared else named
        owned = handle is not None and self.destroyer(handle) is not None and self.maker(handle) is not None
        return CppClasses(
            name=errors.status,
            ref=f"{space}::{name}Ref",
            owner=f"{space}::{name}" if owned else "",
            type=self._spelled(errors.status, by_pointer=handle is not None and handle.by_pointer),
            include=file_beside(header.path, SUFFIX),
            local=local,
        )

    def _namespace(self, header: Header, conventions: Conventions, file: str) -> str:
        """Return the namespace of a spec, the same whoever asks."""
        if file not in self._namespaces:
            functions = {each.name for each in self._api.functions.values() if each.span and each.span.file == file}
            taken = types_in(self._api, file) | functions
            self._namespaces[file] = conventions.cpp_namespace or namespace_name(header.prefix, taken)
        return self._namespaces[file]

    def _choose_names(self) -> dict[str, str]:
        """Return the name of each handle's class, as the spec that declares the handle has it whoever asks."""
        spaces: dict[str, CppNames] = {}
        found: dict[str, str] = {}
        for each in self._known.values():
            header, conventions, _ = self._origin(each)
            file = each.span.file if each.span else ""
            space = spaces.setdefault(file, CppNames(types_in(self._api, file)))
            given = conventions.cpp_names.get(each.name)
            own, whole = class_name(each.name, header.prefix), whole_name(each.name)
            candidates = [given] if given else [own, whole, *numbered(whole)]
            found[each.name] = space.choose(candidates, f"`{each.name}`", each.span, along=ENDINGS)
        return found

    def _origin(self, handle: Handle) -> tuple[Header, Conventions, bool]:
        """Return the header and conventions of the spec that declares a handle, and true if it is this spec."""
        if handle.in_api or handle.span is None or handle.span.file not in self._api.used:
            return self._header, self._api.conventions, True
        header, conventions = self._api.used[handle.span.file]
        return header, conventions, False


def _handles(api: Api) -> Iterator[Handle]:
    """Handles, and structs that somebody destroys as if they were some."""
    yield from (each for each in api.typedefs.values() if isinstance(each, Handle))
    for struct in api.structs.values():
        if struct.destroy:
            yield Handle(
                name=struct.name,
                span=struct.span,
                doc=struct.doc,
                contract=struct.contract,
                in_api=struct.in_api,
                type=RecordType(struct.name),
                tag=struct.tag,
                by_pointer=False,
                create=struct.create,
                destroy=struct.destroy,
            )


RETURN = "return"


class CppFunctions:
    """Decides how the functions of an API are called."""

    def __init__(self, api: Api, handles: Handles, speller: Speller) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            handles: the classes of its handles.
            speller: of this API.
        """
        self._api = api
        self._handles = handles
        self._speller = speller
        self.codes: Mapping[str, CppCodes] = {}
        """The classes of codes, by the types in C."""

    def code_of(self, function: FunctionType, key: str) -> str:
        """Return the class of the code that a function returns, with its namespace; empty where it returns none."""
        found = self.codes.get(self._speller.declare(unqualified(function.result)))
        if found is None or self._api.outcome(function, key).kind is not ResultKind.CODE:
            return ""
        reports = self._api.status_position(function, key) is not None
        return "" if reports else f"{self._handles.namespace}::{found.name}"

    def called(self, function: Function, name: str, *, is_method: bool, is_static: bool) -> CppFunction:
        """Return the C++ wrapper of a function.

        Args:
            function: one that can be called with what C++ has.
            name: its name in C++.
            is_method: whether its first parameter is the object.
            is_static: whether it makes an object of the class that it is a method of.

        Raises:
            AbigenError: what the spec calls an object's functions are none.
        """
        parameters = self._parameters(function, is_method=is_method)
        single = function.object is None and len([each for each in parameters if each.callback]) == 1
        code = self.code_of(function.type, function.name)
        void = function.type.result == Basic("void") or bool(code)
        owned = RETURN in function.gives or function.name in self._handles.makers
        for at, each in enumerate(parameters):
            if each.name in function.non_null:
                parameters[at] = replace(each, refused=f"{function.name}: {each.name} is NULL")
        return CppFunction(
            name=name,
            c=replace(function, doc=documentation(function, self._api)),
            is_static=is_static,
            parameters=tuple(parameters),
            returns=None if void else self._cpp_result(function.type.result, owned=owned),
            nodiscard=not code and bool(self._api.outcome(function.type, function.name)),
            code=code,
            ways=("plain", *(("function",) if single else ()), *(("object",) if function.object else ())),
        )

    def failure(self, function: FunctionType, key: str = "", *, entry_point: bool = False) -> CppFailure:
        """Return the result by which a C++ function that C calls reports that it failed.

        Args:
            function: its type.
            key: its name, or `Struct.member` of one in a struct.
            entry_point: whether the core asks what it returns even if the API has not agreed on anything.
        """
        conventions = self._api.conventions
        agreed, meant = (self._api.outcome(function, key, entry_point=each) for each in (False, entry_point))
        tells = bool(agreed) and conventions.returned.last.set in self._api.functions
        if meant.kind is ResultKind.CODE:
            return CppFailure(kind="code", ok=meant.ok, value=meant.failed, tells=tells)
        if meant.kind is ResultKind.NEGATIVE:
            return CppFailure(kind="number", value=meant.failed, tells=tells)
        if meant.kind is ResultKind.NULL:
            return CppFailure(kind="null", value="nullptr", tells=tells)
        is_unsaid = meant.kind is not ResultKind.TRUTH and function.result != Basic("void")
        return CppFailure(kind="unsaid" if is_unsaid and conventions.says_nothing_of_errors else "zero")

    def takes_itself(self, function: Function) -> bool:
        """True if a method ends the object that it is called on."""
        first = function.type.parameters[0]
        classes = self._handles.find(first.type)
        return first.name in function.takes and classes is not None and bool(classes.owner)

    def object_methods(self, function: Function) -> dict[str, tuple[str, str, CppFailure]]:
        """Return the methods that a class needs of which the function takes objects.

        Returns:
            Parameter to the type that finds the method, the method's name, and how it tells that it has failed.
        """
        methods = function.object.methods if function.object else ()
        types = {each.name: self._api.callback(each.type) for each in named_parameters(function.type.parameters)}
        found: dict[str, tuple[str, str, CppFailure]] = {}
        for each in methods:
            name, type = callback_name(each, function.name), types.get(each)
            fails = self.failure(type) if type is not None else CppFailure()
            found[each] = (f"{function.name}_{name}", name, fails)
        return found

    def given(self, function: FunctionType) -> tuple[str, tuple[CppParameter, ...]]:
        """Return result and parameters of a class's function for a callback: handles are objects, errors the result."""
        found: list[CppParameter] = []
        returned = self._speller.declare(function.result)
        position = self._api.status_position(function)
        for at, each in enumerate(named_parameters(function.parameters)):
            made = plain_parameter(each, self._speller)
            classes = self._handles.status if at == position else self._handles.find(each.type)
            if at == position and classes and classes.owner and function.result == Basic("void"):
                returned = classes.owner
            elif classes is None or _is_constant(each.type):
                found.append(made)
            else:
                found.append(replace(made, kind="borrowed", object=classes.ref))
        return returned, tuple(found)

    def _parameters(self, function: Function, *, is_method: bool) -> list[CppParameter]:
        named = named_parameters(function.type.parameters)
        stores = {at for at, each in enumerate(named) if each.name in function.outputs}
        spans = {at for at in self._spans(named) if at not in stores}
        status = self._api.status_position(function.type, function.name)
        made: list[CppParameter] = []
        for at, each in enumerate(named):
            name, type = each.name or "", self._speller.declare(unqualified(each.type))
            if at == 0 and is_method:
                kind = f"{self._end(function)} self" if self.takes_itself(function) else "self"
                made.append(CppParameter(kind=kind, name=name, type=type))
            elif at - 1 in spans:
                made.append(CppParameter(kind="count", name=name, type=type, span=named[at - 1].name or ""))
            elif at == status and name not in function.takes:
                made.append(CppParameter(kind="status", name=name, type=type))
            elif at in stores and isinstance(unqualified(each.type), Pointer):
                made.append(self._output(each, owned=name in function.gives))
            elif at in spans:
                element = self._speller.declare(_element_of(each.type))
                made.append(CppParameter(kind="span", name=name, type=element))
            elif name in _object_roles(function):
                made.append(self._object_callback(each, function))
            else:
                made.append(self._handle(each, function))
        return made

    def _spans(self, parameters: Sequence[Parameter]) -> set[int]:
        """Return the positions of the pointers that become spans: to several elements whose number comes next."""
        found: set[int] = set()
        for at, count in counts_of(parameters, self._api).items():
            if count == at + 1 and isinstance(unqualified(parameters[at].type), Pointer):
                element = _element_of(parameters[at].type)
                struct = self._api.struct_of(element)
                if (struct is None or struct.fields) and not isinstance(self._api.resolve(element), Array):
                    found.add(at)
        return found

    def _end(self, function: Function) -> str:
        """Return the way in which a function takes ownership of an object; if it may return NULL, it took nothing."""
        return "exchanged" if RETURN in function.gives else "released"

    def _handle(self, parameter: Parameter, function: Function) -> CppParameter:
        """Return a parameter that is a handle, or stays as it is in C."""
        made, classes = plain_parameter(parameter, self._speller), self._handles.find(parameter.type)
        if classes is not None and classes.owner and made.name in function.takes:
            return replace(made, kind=self._end(function), object=classes.owner)
        if classes is not None:
            return replace(made, kind="borrowed", object=classes.ref)
        called = self._api.callback(parameter.type)
        return replace(made, callback="function", fails=self.failure(called)) if called else made

    def _object_callback(self, parameter: Parameter, function: Function) -> CppParameter:
        """Return a function that makes, uses or destroys an object."""
        made = plain_parameter(parameter, self._speller)
        called = self._api.callback(parameter.type)
        if not called:
            message = f"`{made.name}` of `{function.name}` is not a function"
            raise AbigenError.at(parameter.span or function.span, message)
        accessor, *_ = self.object_methods(function).get(made.name, ("",))
        accessor = f"{self._handles.namespace}::members::{accessor}" if accessor else ""
        role = _object_roles(function)[made.name]
        return replace(made, callback=role, accessor=accessor, fails=self.failure(called))

    def _output(self, parameter: Parameter, *, owned: bool) -> CppParameter:
        pointer = unqualified(parameter.type)
        assert isinstance(pointer, Pointer)
        name = parameter.name or ""
        return CppParameter(
            kind="output",
            name=name,
            type=self._speller.declare(pointer),
            declaration=self._speller.declare(pointer.target, name),
            value=self._cpp_result(pointer.target, owned=owned),
        )

    def _cpp_result(self, type: CType, *, owned: bool) -> CppValue:
        classes = self._handles.find(type)
        if classes is None or _is_constant(type):
            return CppValue(type=self._speller.declare(unqualified(type)))
        return CppValue(type=classes.owner if owned and classes.owner else classes.ref, is_object=True)


def declared_parameters(function: FunctionType, speller: Speller, api: Api) -> tuple[tuple[str, str], ...]:
    """Return declarations of parameters as C has them, each with its name.

    A parameter with the name of a type gets another name, since it would hide the type in the body.
    """
    types = types_in(api)
    found: list[tuple[str, str]] = []
    for each in named_parameters(function.parameters):
        name = free_name(each.name or "", types)
        found.append((speller.declare(each.type, name), name))
    return tuple(found)


def named_parameters(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """Return the parameters, each with a name that C++ accepts and no other has."""
    named: dict[str, Parameter] = {}
    for at, each in enumerate(parameters):
        name = free_name(usable(each.name or f"argument{at + 1}"), named)
        named[name] = replace(each, name=name)
    return tuple(named.values())


def plain_parameter(parameter: Parameter, speller: Speller) -> CppParameter:
    """Return a parameter as it is in C."""
    type, name = unqualified(parameter.type), parameter.name or ""
    return CppParameter(kind="plain", name=name, type=speller.declare(type), declaration=speller.declare(type, name))


def _element_of(type: CType) -> CType:
    """Return the element type of a span: the pointee; bytes for `void`."""
    pointer = unqualified(type)
    assert isinstance(pointer, Pointer)
    target = pointer.target
    if unqualified(target) != Basic("void"):
        return target
    byte = NamedType("std::byte")
    return Qualified(byte, target.qualifiers) if isinstance(target, Qualified) else byte


def _is_constant(type: CType) -> bool:
    """True if a handle points to what must not change, so that no class for it can be made of it."""
    bare = unqualified(type)
    return isinstance(bare, Pointer) and isinstance(bare.target, Qualified) and "const" in bare.target.qualifiers


def _object_roles(function: Function) -> dict[str, str]:
    """Return the roles of the parameters that are the functions of one object."""
    life = function.object
    return {life.create: "create", life.destroy: "destroy", **dict.fromkeys(life.methods, "method")} if life else {}


_FILL = "Fill"
_OF_VIEWS = frozenset({"Missing", "Has", "Knows", "Require", "RequireIfKnown", "Call", "Try", "TableView"})
"""The methods that views of tables have besides the functions of the table."""


class Tables:
    """Makes the tables of an API."""

    def __init__(self, api: Api, header: Header, functions: CppFunctions, speller: Speller) -> None:
        """Prepare to make them.

        Args:
            api: the API.
            header: how it is published.
            functions: what parameters become.
            speller: of this API.
        """
        self._api = api
        self._header = header
        self._functions = functions
        self._speller = speller

    def all(self) -> Iterator[CppTable]:
        """Yield a table for each struct that one side hands functions to the other in."""
        for struct in self._api.structs.values():
            if struct.in_api and struct.fields and not struct.is_union and not struct.anonymous:
                table = self._table(struct, struct.fields)
                if table.members:
                    yield table

    def _table(self, struct: Struct, fields: tuple[Field, ...]) -> CppTable:
        members = [each for each in fields if self._function(each.type) and _is_settable(each)]
        own = [each for each in members if each.filler in (struct.filler, Party.BOTH)]
        name = self._api.conventions.cpp_names.get(struct.name) or table_name(struct.name, self._header.prefix)
        return CppTable(
            c=struct,
            name=name,
            struct=self._named(struct),
            fill=_FILL if all(each.name != _FILL for each in fields) else f"{_FILL}Table",
            size_type=self._speller.declare(self._type_at(struct.size_field, struct)) if struct.is_versioned else "",
            whole=struct.is_versioned and bool(own),
            kind=extension_kind(struct, self._api),
            members=tuple(self._members(struct, own or members))
            if struct.is_versioned or self._is_table(fields)
            else (),
        )

    def _named(self, struct: Struct) -> str:
        """Return the type of a struct: its tag alone, unless a function of the same name hides the tag."""
        spelled = self._speller.declare(RecordType(struct.name))
        tag = spelled.rpartition(" ")[2]
        return spelled if tag in self._api.functions or tag in self._api.variables else tag

    def _members(self, struct: Struct, members: list[Field]) -> Iterator[CppTableMember]:
        group = ""
        for each in members:
            function = self._function(each.type)
            assert function is not None
            result, parameters = self._functions.given(function)
            yield CppTableMember(
                c=replace(each, doc=documentation(each, self._api, struct)),
                accessor=f"{struct.name}_{each.name}",
                fails=self._functions.failure(function, f"{struct.name}.{each.name}"),
                result=result,
                parameters=parameters,
                heading=each.group if each.group != group else "",
                is_always_there=each.contract.is_required and is_in_all_releases(each, struct, self._api),
                method=f"{each.name}_" if each.name in _OF_VIEWS else each.name,
                c_result=self._functions.code_of(function, f"{struct.name}.{each.name}")
                or self._speller.declare(function.result),
                c_parameters=declared_parameters(function, self._speller, self._api),
            )
            group = each.group

    def _is_table(self, fields: tuple[Field, ...]) -> bool:
        """True if a struct that is not versioned has nothing but functions and what they are handed first."""
        for each in fields:
            resolved = self._api.resolve(each.type)
            plain = isinstance(resolved, Pointer) and self._api.resolve(resolved.target) == Basic("void")
            if not plain and not self._function(each.type):
                return False
        return True

    def _type_at(self, path: str, struct: Struct) -> CType:
        """Return the type of a member by its path."""
        name, _, rest = path.partition(".")
        member = struct.member(name)
        assert member is not None, "the path leads through members"
        inner = self._api.struct_of(member.type) if rest else None
        return self._type_at(rest, inner) if inner else member.type

    def _function(self, type: CType) -> FunctionType | None:
        """Return the function that a class can have in place of a pointer."""
        function = self._api.callback(type)
        return function if function is not None and not function.variadic else None


def _is_settable(field: Field) -> bool:
    """True if somebody can set a member by its name."""
    constant = isinstance(field.type, Qualified) and "const" in field.type.qualifiers
    return bool(field.name) and not constant and not field.contract.reserved
