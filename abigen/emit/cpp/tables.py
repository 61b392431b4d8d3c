"""Structs of functions: what fills them from a class."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.emit.c.types import Speller
from abigen.emit.cpp.functions import named_parameters
from abigen.emit.cpp.handles import Handles, unqualified
from abigen.emit.cpp.names import table_name
from abigen.emit.cpp.view import Slot, Table
from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, FunctionType, Pointer, Qualified, RecordType
from abigen.model.entities import Field, Struct
from abigen.model.header import Header

_FILL = "Fill"


class Tables:
    """Makes the tables of an API."""

    def __init__(self, api: Api, header: Header, handles: Handles, speller: Speller) -> None:
        """Prepare to make them.

        Args:
            api: the API.
            header: how it is published.
            handles: the classes of its handles.
            speller: of this API.
        """
        self._api = api
        self._header = header
        self._handles = handles
        self._speller = speller

    def all(self) -> Iterator[Table]:
        """A table for each struct that one side hands functions to the other in."""
        for struct in self._api.structs.values():
            if struct.in_api and struct.fields and not struct.is_union and (struct.tag or struct.typedef_names):
                table = self._table(struct)
                if table.slots:
                    yield table

    def _table(self, struct: Struct) -> Table:
        fields = struct.fields or ()
        versioned = struct.name in self._header.size_macros
        filler = self._filler(struct)
        members = [each for each in fields if self._function(each.type) and self._is_filled(struct, each)]
        own = [each for each in members if (each.contract.set_by or filler) in (filler, "both")]
        slots = tuple(self._slots(struct, own or members)) if versioned or self._is_table(struct) else ()
        name = self._api.conventions.cpp_names.get(struct.name) or table_name(struct.name, self._header.prefix)
        return Table(
            name=name,
            struct=self._speller.declare(RecordType(struct.name)),
            fill=_FILL if all(each.name != _FILL for each in fields) else f"{_FILL}Table",
            size_field=fields[0].name if versioned else "",
            size_type=self._speller.declare(fields[0].type) if versioned else "",
            last=fields[-1].name,
            whole=versioned and bool(own),
            slots=slots,
            doc=struct.doc,
        )

    def _is_filled(self, struct: Struct, field: Field) -> bool:
        """Whether somebody can set a member by its name."""
        constant = isinstance(field.type, Qualified) and "const" in field.type.qualifiers
        return bool(field.name) and not constant and not field.contract.reserved

    def _is_table(self, struct: Struct) -> bool:
        """Whether a struct that is not versioned has nothing but functions and what they are handed first."""
        pointers = (Basic("void"),)
        for each in struct.fields or ():
            resolved = self._api.resolve(each.type)
            plain = isinstance(resolved, Pointer) and self._api.resolve(resolved.target) in pointers
            if not plain and not self._function(each.type):
                return False
        return True

    def _filler(self, struct: Struct) -> str:
        """Who fills a struct by the longest prefix that fits; empty when nobody has said so."""
        prefixes = [each for each in self._api.conventions.filled_by if struct.name.startswith(each)]
        return self._api.conventions.filled_by[max(prefixes, key=len)] if prefixes else ""

    def _function(self, type: CType) -> FunctionType | None:
        """What a pointer to a function points to."""
        resolved = self._api.resolve(type)
        target = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        return target if isinstance(target, FunctionType) and not target.variadic else None

    def _slots(self, struct: Struct, members: list[Field]) -> Iterator[Slot]:
        group = ""
        for each in members:
            function = self._function(each.type)
            assert function is not None
            yield Slot(
                name=each.name,
                accessor=f"{struct.name}_{each.name}",
                type=self._speller.declare(unqualified(each.type)),
                required=each.contract.is_required and not each.contract.lifecycle.deprecated,
                usage=self._usage(each, function),
                doc=each.doc,
                heading=each.group if each.group != group else "",
            )
            group = each.group

    def _usage(self, member: Field, function: FunctionType) -> str:
        """How a class declares a function: handles as objects, and errors as what it returns."""
        parameters, result = [], self._speller.declare(function.result)
        for each in named_parameters(function.parameters):
            wrapped, status = self._handles.find(each.type), self._handles.status
            if _points_to_const(each.type):
                parameters.append(self._speller.declare(unqualified(each.type), each.name or ""))
            elif self._handles.is_status(each.type) and status is not None:
                if status.owner and function.result == Basic("void"):
                    result = status.owner
                else:
                    parameters.append(f"{status.ref} {each.name}")
            elif wrapped is not None:
                parameters.append(f"{wrapped.ref} {each.name}")
            else:
                parameters.append(self._speller.declare(unqualified(each.type), each.name or ""))
        return f"static {result} {member.name}({', '.join(parameters)})"


def _points_to_const(type: CType) -> bool:
    """Whether a type is a pointer to const, of which no class for a handle can be made."""
    pointer = unqualified(type)
    target = pointer.target if isinstance(pointer, Pointer) else None
    return isinstance(target, Qualified) and "const" in target.qualifiers
