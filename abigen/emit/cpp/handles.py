"""Which class stands for which type of the C API: handles and the status object, of this API and of those it uses."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from abigen.emit.c.names import Speller, file_beside
from abigen.emit.cpp.names import CppNames, class_name, namespace_name, numbered, types_in, whole_name
from abigen.emit.cpp.view import CppClasses
from abigen.model.api import Api, Conventions, Header
from abigen.model.ctype import CType, FunctionType, NamedType, Parameter, Pointer, Qualified, RecordType, unqualified
from abigen.model.entities import Function, Handle, Struct

SUFFIX = ".hpp"
ENDINGS = ("Ref", "Methods", "Error")
"""What the names of a handle's other classes end with."""


class TableFunctions(msgspec.Struct, frozen=True):
    """How a handle is made and destroyed by functions in a struct."""

    table: Struct
    destroy: str
    """The member that destroys one."""
    destroyed_with: tuple[Parameter, ...]
    """What it takes, the handle among it."""
    handle_at: int
    """Which of them is the handle."""
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
        """The classes of a handle, or of a pointer to what is one only behind a pointer; None for other types."""
        handle = self.handle(type)
        if handle is None:
            return None
        is_status = self.status is not None and self.status.name == handle.name
        classes = self.status if is_status else self.of(handle)
        if classes is not None and not classes.local:
            self.used.add(classes.include)
        return classes

    def of(self, handle: Handle) -> CppClasses:
        """The classes of a handle."""
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
        """A handle by its name."""
        return self._known.get(name)

    def handle(self, type: CType) -> Handle | None:
        """The handle that a type is, or points to; None for other types."""
        found = self._api.handle_of(type)
        resolved = self._api.resolve(type)
        if found is not None or not isinstance(resolved, Pointer):
            return found
        struct = self._api.struct_of(resolved.target)
        return self._known.get(struct.name) if struct is not None and struct.destroy else None

    def destroyer(self, handle: Handle) -> Function | None:
        """The function that destroys a handle and takes nothing else."""
        function = self._api.functions.get(handle.destroy)
        if function is None or len(function.type.parameters) != 1:
            return None
        return function if self.handle(function.type.parameters[0].type) == handle else None

    def maker(self, handle: Handle) -> Function | None:
        """The function that makes a handle out of nothing."""
        function = self._api.functions.get(handle.create)
        if function is None or function.type.parameters:
            return None
        return function if self.handle(function.type.result) == handle else None

    def table_functions(self, handle: Handle) -> TableFunctions | None:
        """What makes and destroys a handle by functions in a struct; None where that takes more than can be kept."""
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
        """Whether a type points to where a handle is to be stored."""
        bare = unqualified(type)
        if not isinstance(bare, Pointer) or isinstance(bare.target, Qualified):
            return False
        return self.handle(bare.target) == handle

    def _spelled(self, name: str, *, by_pointer: bool) -> str:
        """A handle as a value, as C spells it."""
        type = NamedType(name)
        return self._speller.declare(type if by_pointer else Pointer(type))

    def _member(self, path: str) -> tuple[Struct | None, str, FunctionType | None]:
        """A struct, the name of its member, and the function that it points to."""
        owner, _, name = path.partition(".")
        struct = self._api.structs.get(owner)
        member = struct.member(name) if struct else None
        function = self._api.callback(member.type) if member else None
        return (struct, name, function) if function else (None, "", None)

    def _makes(self, creating: FunctionType, handle: Handle, kept: list[Parameter]) -> bool:
        """Whether a function stores a handle, and is handed all that destroying it takes."""
        stores = [each for each in creating.parameters if self.is_place_of(each.type, handle)]
        given = {(each.name, unqualified(each.type)) for each in creating.parameters}
        named = all(each.name for each in creating.parameters)
        return named and len(stores) == 1 and all((each.name, unqualified(each.type)) in given for each in kept)

    def _can_be_kept(self, type: CType) -> bool:
        """Whether an object can keep an argument for later: a pointer, but no status."""
        return isinstance(self._api.resolve(type), Pointer) and not self._api.is_status(type)

    def _status(self) -> CppClasses | None:
        """The classes of the status object; they are where it was said how errors are reported."""
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
        """The namespace of a spec, the same whoever asks."""
        if file not in self._namespaces:
            functions = {each.name for each in self._api.functions.values() if each.span and each.span.file == file}
            taken = types_in(self._api, file) | functions
            self._namespaces[file] = conventions.cpp_namespace or namespace_name(header.prefix, taken)
        return self._namespaces[file]

    def _choose_names(self) -> dict[str, str]:
        """The name of each handle's class, as the spec that declares the handle has it whoever asks."""
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
        """How the spec that declares a handle publishes it, and whether that is this one."""
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
