"""Which class stands for which type of the C API: handles and the status object, of this API and of those it uses."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.emit.c.types import Speller
from abigen.emit.c_checks.names import file_beside
from abigen.emit.cpp.names import class_name, namespace_name
from abigen.model.api import Api, Conventions
from abigen.model.ctype import Basic, CType, NamedType, Pointer, Qualified
from abigen.model.entities import Function, Handle, Typedef
from abigen.model.header import Header

SUFFIX = ".hpp"


@dataclass(frozen=True)
class Wrapped:
    """The classes that a type has in C++, with their namespace."""

    name: str
    """Of the handle in C."""
    ref: str
    """Borrows it."""
    owner: str
    """Owns it; empty when nothing destroys it."""
    type: str
    """The handle as a value, as C spells it."""
    include: str
    """The header that has the classes."""
    local: bool
    """Whether this API's header has them."""


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
        self.namespace = _namespace(header, api.conventions)
        self.status = self._status()
        handles = [each for each in api.typedefs.values() if isinstance(each, Handle)]
        self.failures = frozenset(each.failure for each in handles if each.failure)
        """Functions that are handed a status, to pass it on."""
        self.makers = frozenset(each.create for each in handles if each.create)
        """Functions that return handles that belong to the caller."""

    def find(self, type: CType) -> Wrapped | None:
        """The classes of a handle, or of a pointer to what is one only behind a pointer; None for other types."""
        handle = self._handle(type)
        if handle is None:
            return None
        return self.status if self.status is not None and self.status.name == handle.name else self.of(handle)

    def of(self, handle: Handle) -> Wrapped:
        """The classes of a handle."""
        header, conventions, local = self._origin(handle)
        name = conventions.cpp_names.get(handle.name) or class_name(handle.name, header.prefix)
        space = _namespace(header, conventions)
        owned = self.destroyer(handle) is not None
        type: CType = NamedType(handle.name)
        return Wrapped(
            name=handle.name,
            ref=f"{space}::{name}{'Ref' if owned else ''}",
            owner=f"{space}::{name}" if owned else "",
            type=self._speller.declare(type if handle.by_pointer else Pointer(type)),
            include=file_beside(header.path, SUFFIX),
            local=local,
        )

    def destroyer(self, handle: Handle) -> Function | None:
        """The function that destroys a handle and takes nothing else."""
        function = self._api.functions.get(handle.destroy)
        if function is None or len(function.type.parameters) != 1:
            return None
        found = self._handle(function.type.parameters[0].type)
        return function if found is not None and found.name == handle.name else None

    def is_status(self, type: CType) -> bool:
        """Whether a parameter receives errors."""
        if self.status is None:
            return False
        bare = unqualified(type)
        named = self._api.typedefs.get(self.status.name)
        if isinstance(named, Handle) and named.by_pointer:
            return bare == NamedType(self.status.name)
        return isinstance(bare, Pointer) and bare.target == NamedType(self.status.name)

    def defines_status(self) -> bool:
        """Whether the API itself says how errors are reported, so that its header has the classes for that."""
        return self.status is not None and self.status.local

    def _status(self) -> Wrapped | None:
        """The classes of the status object; they are where it was said how errors are reported."""
        errors = self._api.conventions.errors
        if errors is None:
            return None
        local = errors.file in self._api.files
        header, conventions = (self._header, self._api.conventions) if local else self._api.used[errors.file]
        space = _namespace(header, conventions)
        name = conventions.cpp_names.get(errors.status) or class_name(errors.status, header.prefix)
        entity = self._api.typedefs.get(errors.status)
        handle = entity if isinstance(entity, Handle) else None
        type: CType = NamedType(errors.status)
        owned = handle is not None and self.destroyer(handle) is not None and self.maker(handle) is not None
        return Wrapped(
            name=errors.status,
            ref=f"{space}::{name}Ref",
            owner=f"{space}::{name}" if owned else "",
            type=self._speller.declare(type if handle and handle.by_pointer else Pointer(type)),
            include=file_beside(header.path, SUFFIX),
            local=local,
        )

    def maker(self, handle: Handle) -> Function | None:
        """The function that makes a handle out of nothing."""
        function = self._api.functions.get(handle.create)
        if function is None or function.type.parameters:
            return None
        found = self._handle(function.type.result)
        return function if found is not None and found.name == handle.name else None

    def _handle(self, type: CType) -> Handle | None:
        bare = unqualified(type)
        found = self._named(bare)
        if found is not None:
            return found if found.by_pointer else None
        found = self._named(unqualified(bare.target)) if isinstance(bare, Pointer) else None
        return found if found is not None and not found.by_pointer else None

    def _named(self, type: CType) -> Handle | None:
        """The handle that a name stands for, through typedefs."""
        while isinstance(type, NamedType):
            entity: Typedef | None = self._api.typedefs.get(type.name)
            if isinstance(entity, Handle):
                return entity
            type = unqualified(entity.type) if entity else Basic("void")
        return None

    def _origin(self, handle: Handle) -> tuple[Header, Conventions, bool]:
        """How the spec that declares a handle publishes it, and whether that is this one."""
        if handle.in_api or handle.span is None or handle.span.file not in self._api.used:
            return self._header, self._api.conventions, True
        header, conventions = self._api.used[handle.span.file]
        return header, conventions, False


def _namespace(header: Header, conventions: Conventions) -> str:
    return conventions.cpp_namespace or namespace_name(header.prefix)


def unqualified(type: CType) -> CType:
    """A type without qualifiers of its own."""
    return type.type if isinstance(type, Qualified) else type
