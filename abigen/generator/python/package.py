"""An API as a Python package: its constants, classes, functions and their signatures."""

from __future__ import annotations

import errno
import re
from collections.abc import Collection, Iterator
from typing import Any

from msgspec.structs import replace

from abigen.generator.c.lines import documentation, free_name
from abigen.generator.publication import Publication
from abigen.generator.python.cffi_types import NOTHING, CffiTypes, Values, aliased_type, cffi_name
from abigen.generator.python.view import (
    OF_BODIES,
    OF_ENUMS,
    OF_LIBRARIES,
    OF_MODULES,
    OF_STRUCTS,
    RUNTIME,
    PythonAlias,
    PythonCloser,
    PythonConstant,
    PythonEnum,
    PythonFunction,
    PythonHandle,
    PythonLastError,
    PythonMember,
    PythonPackage,
    PythonParameter,
    PythonScope,
    PythonStatus,
    PythonStruct,
    PythonValue,
    last_part,
    linter_order,
    python_name,
)
from abigen.model.api import Api
from abigen.model.contract import Errors, ResultKind
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Name, NamedType, Parameter, Pointer, Qualified
from abigen.model.entities import Entity, Enum, Field, Function, Handle, Struct, Typedef
from abigen.model.releases import size_steps
from abigen.model.roles import COUNT_WORDS, SIZE_WORDS, counts_of, extension_kind, may_be_null, retained, scope
from abigen.model.spelling import canonical, words_of

_NULL = {None: "", True: "allowed", False: "refused"}
"""The word in generated code for NULL of a parameter: allowed, refused or not stated."""
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
        """Return a function, or the type of one.

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
            **self._error_fields(function, name),
        )

    def _is_unsaid(self, parameters: tuple[PythonParameter, ...], result: PythonValue) -> bool:
        """True if nothing says what a function gives that has failed, though it gives something."""
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
        """Return the moment at which a function takes ownership of a handle."""
        handle = self._api.handle_of(parameter.type)
        if handle is None:
            return ""
        if handle.destroy == name:
            return "closed"
        known = self._api.functions.get(name)
        if known is None or parameter.name not in known.takes:
            return ""
        return "after" if isinstance(self._api.resolve(function.result), Pointer) else "before"

    def _error_fields(self, function: FunctionType, name: str) -> dict[str, Any]:
        """Return the fields of a function that describe the way in which its result reports errors."""
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
        """Return a code or a number of C's as a number of Python's; empty for none."""
        if text == f"-{errno.errorcode[errno.EIO]}":
            return str(-errno.EIO)
        if text in ("true", "false"):
            return str(int(text == "true"))
        constant = self._api.constants.get(text)
        value = self._types.number(constant.expression if constant else Name(text)) if text.isidentifier() else None
        return str(int(text, 0)) if re.fullmatch(r"-?\d+", text) else "" if value is None else str(value)

    def _is_given(self, type: CType, name: str, part: str) -> bool:
        """True if a result is a handle that the caller has to destroy."""
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
        """Return the parameter of what creates that says the same as one of what destroys; empty for none."""
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
    """Return the name of the type of a function that is a part of something and has no type of its own."""
    return f"{name.replace('.', '_')}_{part}"


def _of_objects(api: Api) -> tuple[set[str], dict[str, PythonValue]]:
    """Return the functions that make objects of the user's, and what those that use and destroy them are given first.

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
        """Return the role of each parameter.

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
        """True if a result can be stored where a parameter points to; structs are left to the caller to provide."""
        resolved = self._api.resolve(parameter.type)
        if not isinstance(resolved, Pointer) or self._api.handle_of(parameter.type) is not None:
            return False
        return self._api.struct_of(resolved.target) is None and self._api.resolve(resolved.target) != Basic("void")

    def _is_one(self, position: int, function: FunctionType) -> bool:
        """True if by its type and its name a parameter points to one value, which is written only."""
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
        """True if a type is one that values have, and not what bytes of any kind are passed as."""
        resolved = self._api.resolve(target)
        plain = target if isinstance(target, (Basic, NamedType)) else resolved
        if isinstance(plain, (Basic, NamedType)) and (plain.name in _BYTES or "_Complex" in plain.name):
            return False
        return isinstance(resolved, (Basic, NamedType, EnumType, Pointer))

    def _is_counted(self, position: int, words: tuple[str, ...], function: FunctionType) -> bool:
        """True if some number beside it may tell how many there are."""
        for at, each in enumerate(function.parameters):
            others = set(words_of(each.name or ""))
            names_it = others & (_COUNTS | _SIZES) and others & set(words)
            if at != position and ((others & _COUNTS and at > position) or names_it):
                resolved = self._api.resolve(each.type)
                if isinstance(resolved, (Basic, NamedType)):
                    return True
        return False


def package_of(publication: Publication) -> PythonPackage:
    """Make the view of an API's package.

    Args:
        publication: the API.
    """
    return _Builder(publication).package()


class _Builder:
    """Goes through an API once."""

    def __init__(self, publication: Publication) -> None:
        self._publication = publication
        self._api = api = publication.api
        self._header = publication.header
        self._scope = PythonScope(publication)
        self._types = CffiTypes(api)
        self._values = Values(api, self._types, self._scope)
        self._status = self._find_status()
        taken = {*OF_MODULES, *api.structs, *api.enums, *api.typedefs, *api.functions}
        roles = ParameterRoles(api, raises=self._status is not None)
        self._functions = PythonFunctions(api, self._values, self._types, roles, taken)
        self._left_out: list[str] = []

    def package(self) -> PythonPackage:
        api, header = self._api, self._header
        constants = tuple(self._constants())
        types = tuple(self._classes())
        aliases = list(self._aliases())
        functions = tuple(self._exported())
        aliases += self._nameless()
        if any(isinstance(each.type, PythonFunction) for each in aliases):
            self._scope.import_from("collections.abc", "Callable")
        if any(isinstance(each, PythonStruct) and each.members for each in types):
            self._scope.import_from("typing", "TYPE_CHECKING")
        if aliases:
            self._scope.import_from("typing", "TypeAlias")
        if aliases or functions or self._status or any(not isinstance(each, PythonEnum) for each in types):
            self._scope.import_from("._declarations", "ffi")
        exports = {"FUNCTIONS", *(each.name for each in (*constants, *types, *aliases))}
        exports |= {"Plugin" if each.is_method else each.name for each in functions}
        return PythonPackage(
            banner=self._publication.banner,
            doc=api.doc,
            left_out=tuple(self._left_out),
            include=header.path,
            version=str(api.version.version) if api.version else "",
            runtime=RUNTIME,
            imports=self._scope.imports(),
            exports=tuple(sorted(exports, key=linter_order)),
            constants=constants,
            types=types,
            aliases=tuple(_in_order(aliases)),
            functions=functions,
            status=self._status,
            last_error=self._find_last_error(),
            blocks=self._types.blocks(header),
            uses=tuple(self._uses()),
        )

    def _uses(self) -> Iterator[tuple[str, str]]:
        """Yield the packages of the specs that this one uses, each with a name for its declarations."""
        names: list[str] = []
        for package in sorted({self._scope.package_of(f"{each}.yaml") for each in self._header.uses}):
            names.append(free_name(f"_{last_part(package)}", names))
            yield package, names[-1]

    def _api_types(self) -> Iterator[Entity]:
        """Yield the API's own structs, enumerations and typedefs, in order."""
        groups = {"struct": self._api.structs, "enum": self._api.enums}
        for kind, name in self._header.order:
            group = groups.get(kind, self._api.typedefs)
            if kind not in ("function", "macro", "constant") and name in group:
                yield group[name]

    def _doc(self, entity: Entity, fallback: str = "", owner: Entity | None = None) -> str:
        return documentation(entity, self._api, owner) or fallback

    def _constants(self) -> Iterator[PythonConstant]:
        for name, number in self._publication.version:
            yield PythonConstant(name=python_name(name, OF_MODULES), value=number)
        for each in self._api.constants.values():
            if self._api.has_value_of_system(each):
                continue
            if each.in_api and each.name not in self._header.cases and each.name not in self._api.typedefs:
                name, doc = python_name(each.name, OF_MODULES), self._doc(each)
                expression = each.expression.name if isinstance(each.expression, Name) else ""
                named = self._api.enums_of_enumerators.get(expression)
                value: int | float | str | None
                if named is not None and not named.anonymous:
                    value = python_name(expression, OF_ENUMS)
                else:
                    value = self._types.value_of(each)
                if value is not None:
                    enumeration = self._scope.name(named) if named is not None and not named.anonymous else ""
                    yield PythonConstant(name=name, value=value, enumeration=enumeration, doc=doc)
        for enum in self._api.enums.values():
            for one in enum.enumerators or () if enum.in_api and enum.anonymous else ():
                name, doc = python_name(one.name, OF_MODULES), self._doc(one, owner=enum)
                yield PythonConstant(name=name, value=one.value, doc=doc)

    def _classes(self) -> Iterator[PythonEnum | PythonHandle | PythonStruct]:
        for each in self._api_types():
            if isinstance(each, Enum) and not each.anonymous:
                yield self._enum(each)
            elif isinstance(each, Struct):
                yield from (self._struct(inner) for inner, name in self._inner(each) if name)
                yield self._struct(each)
            elif isinstance(each, Handle):
                yield self._handle(each)

    def _enum(self, enum: Enum) -> PythonEnum:
        members = tuple(
            PythonConstant(name=python_name(each.name, OF_ENUMS), value=each.value, doc=self._doc(each, owner=enum))
            for each in enum.enumerators or ()
        )
        doc = self._doc(enum, f"`{enum.name}`.")
        return PythonEnum(
            name=self._scope.name(enum), doc=doc, members=members, bits=self._types.bits_of(enum) if enum.flags else 0
        )

    def _handle(self, handle: Handle) -> PythonHandle:
        destroy = self._api.functions.get(handle.destroy)
        alone = destroy is not None and len(destroy.type.parameters) == 1
        failure = self._api.functions.get(handle.failure)
        return PythonHandle(
            name=self._scope.name(handle),
            doc=self._doc(handle, f"`{handle.name}`."),
            ctype=handle.name if handle.by_pointer else f"{handle.name} *",
            owned=bool(handle.destroy),
            destroy=self._scope.name(destroy) if destroy and alone else "",
            failure=failure.name if failure else "",
            failure_module=self._scope.module(failure) if failure else "",
        )

    def _struct(self, struct: Struct) -> PythonStruct:
        seen = self._types.is_transparent(struct.name)
        size_field = struct.size_field if seen else ""
        kind = extension_kind(struct, self._api) if seen else None
        doc = self._doc(struct, f"`{cffi_name(struct, self._api)}`.")
        if not seen:
            doc += "\n\nIts members are not accessible in Python, because cffi cannot describe their layout."
        steps = size_steps(struct) if size_field else ()
        releases = [(str(each.since or ""), each.last_member) for each in steps]
        oldest = self._header.releases[0] if self._header.releases else None
        if steps and oldest and not steps[0].since and all(oldest < each.since for each in steps[1:] if each.since):
            releases[0] = (str(oldest), steps[0].last_member)
        return PythonStruct(
            name=self._scope.name(struct),
            doc=doc,
            ctype=cffi_name(struct, self._api),
            size_field=size_field,
            extension=(kind.member, kind.number) if kind and kind.number is not None else None,
            releases=tuple(releases),
            members=tuple(self._member(each, holder, size_field) for each, holder in self._lent(struct) if seen),
        )

    def _inner(self, struct: Struct) -> Iterator[tuple[Struct, str]]:
        """Yield the structs that are written down in one, innermost first, each with the name of its member."""
        for each in struct.fields or ():
            inner = self._api.struct_of(each.type)
            if inner is not None and inner.anonymous:
                yield from self._inner(inner)
                yield inner, each.name

    def _lent(self, struct: Struct) -> Iterator[tuple[Field, Struct]]:
        """Yield the members of a struct and of its unnamed members, each with the struct that declares it."""
        for each in struct.fields or ():
            inner = self._api.struct_of(each.type)
            if each.name:
                yield each, struct
            elif inner is not None:
                yield from self._lent(inner)

    def _member(self, field: Field, struct: Struct, size_field: str) -> PythonMember:
        taken = {*OF_STRUCTS, *OF_MODULES, *self._api.structs, *self._api.enums, *self._api.typedefs}
        name = python_name(field.name, taken)
        since = str(field.contract.lifecycle.since or struct.contract.lifecycle.since or "") if size_field else ""
        type = self._values.function_of(field.type)
        doc = self._doc(field, f"Calls `{field.name}`." if type else "", struct)
        function = value = None
        count = ""
        if type is not None:
            key = f"{self._scope.name(struct)}.{field.name}"
            function = self._functions.python(type, key, name, doc, is_method=True)
            function = replace(function, deprecated=field.contract.lifecycle.advice)
        elif item := self._item(field):
            value, count = item, field.count
        else:
            value = self._values.of(field.type) if self._types.is_known(field.type) else PythonValue(kind="pointer")
        return PythonMember(
            name=name,
            field=field.name,
            since=since,
            doc=doc,
            value=value,
            deprecated="" if function else field.contract.lifecycle.advice,
            count=count,
            function=function,
        )

    def _item(self, field: Field) -> PythonValue | None:
        """Return the element type of a pointer to several, `nothing` for `void`; None for other pointers."""
        pointer = self._api.resolve(field.type)
        if not field.count or not isinstance(pointer, Pointer) or self._api.handle_of(field.type):
            return None
        struct = self._api.struct_of(pointer.target)
        if struct is not None and not self._types.is_transparent(struct.name):
            return None
        if isinstance(self._api.resolve(pointer.target), FunctionType):
            return None
        return self._values.of(pointer.target)

    def _aliases(self) -> Iterator[PythonAlias]:
        """Yield names for types."""
        for each in self._api_types():
            if not isinstance(each, Typedef) or isinstance(each, Handle):
                continue
            type = aliased_type(each)
            if not self._types.is_known(type):
                self._left_out.append(each.name)
                continue
            resolved = self._api.resolve(type)
            pointed = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else resolved
            name = self._scope.name(each)
            if isinstance(pointed, FunctionType):
                yield PythonAlias(name=name, type=self._functions.python(pointed, each.name, name))
            else:
                yield PythonAlias(name=name, type=self._values.of(type))

    def _nameless(self) -> Iterator[PythonAlias]:
        """Yield the types of functions that have no type of their own; describing one may bring up others."""
        done: set[str] = set()
        while waiting := [name for name in self._values.nameless if name not in done]:
            for name in waiting:
                done.add(name)
                yield PythonAlias(name=name, type=self._functions.python(self._values.nameless[name], name, name))

    def _exported(self) -> Iterator[PythonFunction]:
        """Yield the functions that libraries export: core's, and those that plugins do as methods."""
        for kind, name in self._header.order:
            function = self._api.functions[name] if kind == "function" else None
            if function is None or function.static:
                continue
            if not self._types.is_known(function.type):
                self._left_out.append(name)
                continue
            method = function.implemented_by == "plugin"
            python = python_name(name, OF_LIBRARIES | OF_MODULES) if method else self._scope.name(function)
            doc = self._doc(function, f"Calls `{name}`.")
            made = self._functions.python(function.type, name, python, doc, is_method=method)
            yield replace(made, deprecated=function.contract.lifecycle.advice)

    def _find_status(self) -> PythonStatus | None:
        """Return the functions of the status object; None where a caller cannot create a status."""
        errors = self._api.conventions.errors
        handle = self._api.status_handle
        if errors is None or handle is None:
            return None
        create, destroy = self._api.functions.get(handle.create), self._api.functions.get(handle.destroy)
        if create is None or destroy is None or create.type.parameters or len(destroy.type.parameters) != 1:
            return None
        return self._status_of(errors, create, destroy)

    def _status_of(self, errors: Errors, create: Function, destroy: Function) -> PythonStatus:
        names = {"set": errors.set, "code": errors.code, "message": errors.message}
        functions = {
            "new": create,
            "delete": destroy,
            **{role: self._api.functions[each] for role, each in names.items()},
        }
        enum = self._api.enum_of(functions["code"].type.result)
        return PythonStatus(
            functions=tuple((role, self._scope.module(each), each.name) for role, each in functions.items()),
            code_type=self._scope.name(enum) if enum else "int",
            ok=self._code(errors.codes["ok"]),
            failed=self._code(errors.code_for("internal")),
        )

    def _find_last_error(self) -> PythonLastError | None:
        """Return the function that is told why a function has failed; None where there is none."""
        returned = self._api.conventions.returned
        function = self._api.functions.get(returned.last.set)
        if function is None:
            return None
        failed = self._functions.number(returned.result.outcome.failed) if returned.result else str(errno.EIO)
        takes_code = len(function.type.parameters) > 1
        return PythonLastError(
            module=self._scope.module(function), set=function.name, failed=int(failed or 0) if takes_code else None
        )

    def _code(self, name: str) -> int:
        """Return the number of a status code."""
        constant = self._api.constants.get(name)
        if constant is not None and isinstance(constant.expression, Name):
            return self._code(constant.expression.name)
        number = self._types.number(constant.expression if constant else Name(name))
        assert number is not None, f"the code {name} is not a number"
        return number


def _in_order(aliases: list[PythonAlias]) -> Iterator[PythonAlias]:
    """Yield each alias behind those that it mentions."""
    by_name = {each.name: each for each in aliases}
    done: set[str] = set()

    def visit(each: PythonAlias) -> Iterator[PythonAlias]:
        if each.name not in done:
            done.add(each.name)
            for name in _mentioned(each.type):
                if name in by_name:
                    yield from visit(by_name[name])
            yield each

    for each in aliases:
        yield from visit(each)


def _mentioned(type: PythonFunction | PythonValue) -> Iterator[str]:
    """Yield names in a type."""
    if isinstance(type, PythonValue):
        yield type.name
        yield from _mentioned(type.item) if type.item else ()
    else:
        for each in (*(each.value for each in type.parameters), type.result):
            yield from _mentioned(each)
