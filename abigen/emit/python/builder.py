"""Going through an API once, and making the view of its package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from abigen.emit.c.prose import documented
from abigen.emit.publication import Publication
from abigen.emit.python.code import SQUARE, Call, Code, call, flat, literal
from abigen.emit.python.constants import constant_value
from abigen.emit.python.declarations import Declarations
from abigen.emit.python.functions import Functions
from abigen.emit.python.names import (
    OF_ENUMS,
    OF_LIBRARIES,
    OF_MODULES,
    OF_STRUCTS,
    attribute,
    free_name,
    linter_order,
    python_name,
)
from abigen.emit.python.parameters import Roles
from abigen.emit.python.scope import Scope, last_part
from abigen.emit.python.statuses import find_statuses, statuses_code
from abigen.emit.python.values import Values
from abigen.emit.python.view import (
    Binding,
    Constant,
    DataMember,
    Enumeration,
    FunctionMember,
    HandleClass,
    LibraryFunction,
    Package,
    StructClass,
)
from abigen.model.ctype import FunctionType, Pointer
from abigen.model.entities import Entity, Enum, Field, Function, Handle, Struct, Typedef
from abigen.model.releases import size_steps


def package_of(publication: Publication) -> Package:
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
        assert api.header is not None, "only specs say how they are published"
        self._header = api.header
        self._scope = Scope(publication)
        self._declarations = Declarations(api)
        self._values = Values(api, self._declarations, self._scope)
        self._statuses = find_statuses(api)
        roles = Roles(api, self._values, self._statuses.errors.status if self._statuses else "")
        groups = (api.structs, api.enums, api.typedefs, api.functions)
        taken = {*OF_MODULES, *(name for group in groups for name in group)}
        self._functions = Functions(api, self._values, self._declarations, roles, taken)
        self._left_out: list[str] = []
        self._tables: list[Code] = []

    def package(self) -> Package:
        own = list(self._own())
        constants = tuple(self._constants())
        types = tuple(self._types(own))
        aliases, callbacks = self._typedefs(own)
        core, plugin = tuple(self._exported(own, "core")), tuple(self._exported(own, "plugin"))
        functions = tuple(self._signatures(own))
        self._nameless(aliases, callbacks)
        aliases = list(_in_order(aliases))
        bindings = [*_in_order(callbacks), *(Binding(name="", code=each) for each in self._tables), *functions]
        if self._statuses:
            bindings.insert(0, Binding(name="_status", code=statuses_code(self._api, self._statuses, self._scope)))
            bindings += [Binding(name="", code=each) for each in self._failures(own)]
        self._import_standard(aliases, types)
        if bindings or any(each.kind != "enumeration" for each in types):
            self._scope.import_from("._declarations", "ffi")
        exports = {each.name for each in (*constants, *types, *aliases)} | {each.function.name for each in core}
        exports |= {"FUNCTIONS", *(["Plugin"] if plugin else [])}
        uses = self._uses()
        pieces = self._declarations.pieces
        return Package(
            banner=self._publication.banner,
            doc=self._module_doc(),
            include=self._header.path,
            imports=self._scope.imports(),
            exports=tuple(sorted(exports, key=linter_order)),
            constants=tuple(each for each in constants if not each.value[0].isalpha()),
            named=tuple(each for each in constants if each.value[0].isalpha()),
            types=types,
            core=core,
            plugin=plugin,
            aliases=tuple(aliases),
            bindings=tuple(bindings),
            declarations=call(
                "_rt.Declarations",
                "_PACKAGE",
                literal(self._header.path),
                Call("", tuple(f"(_TYPES_{at}, {each.pack})" for at, each in enumerate(pieces, 1)), SQUARE),
                Call("", tuple(uses.values()), SQUARE),
            ),
            pieces=pieces,
            used=_import_lines(uses, relative=False),
            used_beside=_import_lines(uses, relative=True),
        )

    def _uses(self) -> dict[str, str]:
        """The packages of the specs that this one uses, each with a name for its declarations."""
        names: dict[str, str] = {}
        for package in sorted(dict.fromkeys(map(self._scope.package_of, self._header.uses))):
            names[package] = free_name(f"_{last_part(package)}", names.values())
        return names

    def _types(self, own: Iterable[Entity]) -> Iterator[Enumeration | HandleClass | StructClass]:
        for each in own:
            if isinstance(each, Enum):
                yield self._enum(each)
            elif isinstance(each, Struct):
                yield self._struct(each)
            elif isinstance(each, Handle):
                yield self._handle(each)

    def _failures(self, own: Iterable[Entity]) -> Iterator[Code]:
        """How those who are handed handles report that their work has failed."""
        for each in own:
            if isinstance(each, Handle) and each.failure in self._api.functions:
                symbols = self._scope.symbols(self._api.functions[each.failure])
                yield call(f"{self._scope.name(each)}.fails_by", "_status", symbols, literal(each.failure))

    def _import_standard(self, aliases: Iterable[Binding], types: Iterable[object]) -> None:
        texts = [flat(each.code) for each in aliases]
        if any("Callable[" in text for text in texts):
            self._scope.import_from("collections.abc", "Callable")
        if texts:
            self._scope.import_from("typing", "TypeAlias")
        if any(isinstance(each, StructClass) and each.members for each in types):
            self._scope.import_from("typing", "TYPE_CHECKING")

    def _own(self) -> Iterator[Entity]:
        """The API's own entities that have something to do with types and functions, in order."""
        for kind, name in self._header.order:
            if kind == "struct":
                yield self._api.structs[name]
            elif kind == "enum":
                yield self._api.enums[name]
            elif kind == "function":
                yield self._api.functions[name]
            elif kind in ("handle", "callback", "typedef"):
                yield self._api.typedefs[name]

    def _module_doc(self) -> str:
        doc = self._api.doc or f"What {self._header.path} declares."
        if self._left_out:
            names = ", ".join(f"`{name}`" for name in self._left_out)
            doc += f"\n\nNot here, because cffi has no word for a type that they need: {names}."
        return doc

    def _doc(self, entity: Entity, fallback: str, owner: Entity | None = None) -> str:
        pointer = isinstance(entity, Field) and isinstance(self._api.resolve(entity.type), Pointer)
        born = owner.contract.since if owner else None
        return documented(entity.doc, entity.contract, pointer=pointer, born=born) or fallback

    def _constants(self) -> Iterator[Constant]:
        version = self._api.version.version if self._api.version else None
        numbers = (version.major, version.minor, version.patch) if version else ()
        for name, number in zip(self._header.version_macros, numbers, strict=False):
            yield Constant(name=python_name(name, OF_MODULES), value=str(number))
        for each in self._api.constants.values():
            if each.in_api and each.name not in self._header.cases and each.name not in self._api.typedefs:
                value = constant_value(each, self._api, self._declarations, self._scope)
                if value:
                    name = python_name(each.name, OF_MODULES)
                    yield Constant(name=name, value=value, doc=self._doc(each, ""))

    def _enum(self, enum: Enum) -> Enumeration:
        members = tuple(
            Constant(name=python_name(each.name, OF_ENUMS), value=str(each.value), doc=self._doc(each, "", enum))
            for each in enum.enumerators or ()
        )
        return Enumeration(name=self._scope.name(enum), doc=self._doc(enum, f"`{enum.name}`."), members=members)

    def _handle(self, handle: Handle) -> HandleClass:
        function = self._api.functions.get(handle.destroy)
        alone = function is not None and len(function.type.parameters) == 1
        base = "_rt.OwnedHandle" if handle.destroy else "_rt.Handle"
        name = self._scope.name(handle)
        ctype = handle.name if handle.by_pointer else f"{handle.name} *"
        return HandleClass(
            name=name,
            doc=self._doc(handle, f"`{handle.name}`."),
            head=call(f"class {name}", base, "ffi=ffi", f"ctype={literal(ctype)}"),
            destroy=self._scope.name(function) if function and alone else "",
        )

    def _size_field(self, struct: Struct) -> str:
        first = (struct.fields or ())[0].name if struct.fields else ""
        versioned = struct.name in self._header.size_macros or first == self._api.conventions.size_field
        return first if versioned and not struct.is_union else ""

    def _struct(self, struct: Struct) -> StructClass:
        name = self._scope.name(struct)
        size_field = self._size_field(struct)
        seen = self._declarations.is_transparent(struct.name)
        arguments: list[Code] = ["_rt.Struct", "ffi=ffi", f"ctype={literal(struct.name)}"]
        if size_field and seen:
            steps = [
                Call("", (literal(str(each.since or "")), literal(each.last_member))) for each in size_steps(struct)
            ]
            arguments += [f"size_field={literal(size_field)}", Call("releases=", tuple(steps), SQUARE)]
        doc = self._doc(struct, f"`{struct.name}`.")
        if not seen:
            doc += "\n\nIts members cannot be seen here, since cffi cannot be told how they are laid out."
        members = [self._member(each, struct, size_field) for each in struct.fields or () if each.name and seen]
        return StructClass(name=name, doc=doc, head=Call(f"class {name}", tuple(arguments)), members=tuple(members))

    def _member(self, field: Field, struct: Struct, size_field: str) -> DataMember | FunctionMember:
        taken = {*OF_STRUCTS, *OF_MODULES, *self._api.structs, *self._api.enums, *self._api.typedefs}
        name = python_name(field.name, taken)
        since = str(field.contract.since or struct.contract.since or "") if size_field else ""
        more = [f"field={literal(field.name)}"] if name != field.name else []
        more += [f"since={literal(since)}"] if since else []
        function = self._values.function_of(field.type)
        if function is not None:
            return self._function_member(field, struct, function, name, size_field, more)
        doc = self._doc(field, "", struct)
        if field.count and isinstance(self._api.resolve(field.type), Pointer):
            counted = self._counted(field)
            if counted is not None:
                code = call("_rt.CountedMember", *counted, *more)
                return DataMember(name=name, code=code, doc=doc, accepts="_rt.Pointer")
        if not self._declarations.is_known(field.type):
            code = call("_rt.Member", "_rt.POINTER", *more)
            return DataMember(name=name, code=code, doc=doc, accepts="_rt.Pointer")
        value = self._values.of(field.type)
        code = call("_rt.Member", value.conversion, *more)
        return DataMember(name=name, code=code, doc=doc, accepts=value.parameter)

    def _counted(self, field: Field) -> tuple[Code, Code] | None:
        """The item and the count of a pointer to several; None where an item is nothing that could be read."""
        pointer = self._api.resolve(field.type)
        assert isinstance(pointer, Pointer)
        target = pointer.target
        struct = self._api.struct_of(target)
        if struct is not None and not self._declarations.is_transparent(struct.name):
            return None
        if self._values.handle_of(field.type) or isinstance(self._api.resolve(target), FunctionType):
            return None
        value = self._values.of(target)
        return None if value.annotation == "None" else (value.conversion, literal(field.count))

    def _function_member(
        self, field: Field, struct: Struct, function: FunctionType, name: str, size_field: str, more: list[str]
    ) -> FunctionMember:
        full = f"{struct.name}.{field.name}"
        owner = self._scope.name(struct)
        arguments = self._functions.signature(function, full, (literal(name),))
        self._tables.append(call(f"{owner}.describe", *arguments, *more))
        doc = self._doc(field, f"Calls `{field.name}`.", struct)
        python = self._functions.python(function, full, name, doc, is_method=True)
        return FunctionMember(
            function=python,
            name=name,
            field=attribute("table", field.name, in_class=True),
            quoted=literal(field.name),
            size=attribute("table", size_field, in_class=True) if size_field else "",
        )

    def _typedefs(self, own: Iterable[Entity]) -> tuple[list[Binding], list[Binding]]:
        """Names for types, and the signatures of those that are functions."""
        aliases: list[Binding] = []
        callbacks: list[Binding] = []
        for each in own:
            if not isinstance(each, Typedef) or isinstance(each, Handle):
                continue
            type = self._declarations.type_of(each)
            if not self._declarations.is_known(type):
                self._left_out.append(each.name)
                continue
            resolved = self._api.resolve(type)
            pointed = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else resolved
            name = self._scope.name(each)
            if isinstance(pointed, FunctionType):
                aliases.append(Binding(name=name, code=self._functions.callable(pointed, each.name)))
                code = self._signature(pointed, each.name)
                callbacks.append(Binding(name=self._scope.private(each), code=code))
            else:
                aliases.append(Binding(name=name, code=self._values.of(type).annotation))
        return aliases, callbacks

    def _nameless(self, aliases: list[Binding], callbacks: list[Binding]) -> None:
        """Add the types of functions that have no type of their own; describing one may bring up others."""
        done: set[str] = set()
        while waiting := [name for name in self._values.nameless if name not in done]:
            for name in waiting:
                function = self._values.nameless[name]
                aliases.append(Binding(name=name, code=self._functions.callable(function, name)))
                callbacks.append(Binding(name=f"_{name}", code=self._signature(function, name)))
                done.add(name)

    def _signature(self, function: FunctionType, name: str) -> Code:
        pointer = literal(self._functions.pointer_type(function))
        return call("_rt.Signature", *self._functions.signature(function, name, ("ffi", pointer)))

    def _exported(self, own: Iterable[Entity], side: str) -> Iterator[LibraryFunction]:
        in_class = side == "plugin"
        for each in self._functions_of(own):
            if (each.implemented_by == "plugin") != in_class:
                continue
            holder = "self.symbols" if in_class else "_core"
            pointer = attribute(holder, each.name, in_class=in_class)
            name = python_name(each.name, OF_LIBRARIES | OF_MODULES) if in_class else self._scope.name(each)
            doc = self._doc(each, f"Calls `{each.name}`.")
            function = self._functions.python(each.type, each.name, name, doc, is_method=in_class, target=pointer)
            yield LibraryFunction(function=function, pointer=pointer)

    def _signatures(self, own: Iterable[Entity]) -> Iterator[Binding]:
        for each in self._functions_of(own):
            yield Binding(name=f"FUNCTIONS[{literal(each.name)}]", code=self._signature(each.type, each.name))

    def _functions_of(self, own: Iterable[Entity]) -> Iterator[Function]:
        for each in own:
            if isinstance(each, Function) and not each.static:
                if self._declarations.is_known(each.type):
                    yield each
                elif each.name not in self._left_out:
                    self._left_out.append(each.name)


def _import_lines(uses: Mapping[str, str], *, relative: bool) -> tuple[str, ...]:
    return tuple(
        f"from {package}._declarations import declarations as {name}"
        for package, name in uses.items()
        if package.startswith(".") == relative
    )


def _in_order(bindings: list[Binding]) -> Iterator[Binding]:
    """Each binding behind those that it mentions."""
    by_name = {each.name: each for each in bindings}
    done: set[str] = set()

    def visit(each: Binding) -> Iterator[Binding]:
        if each.name not in done:
            done.add(each.name)
            for word in re.findall(r"\w+", flat(each.code)):
                if word in by_name:
                    yield from visit(by_name[word])
            yield each

    for each in bindings:
        yield from visit(each)
