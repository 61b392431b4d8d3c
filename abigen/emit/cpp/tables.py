"""Structs of functions: what fills them from a class."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.emit.c.types import Speller
from abigen.emit.cpp.functions import Functions
from abigen.emit.cpp.names import table_name
from abigen.emit.cpp.view import CppTable, CppTableMember
from abigen.model.api import Api, Header
from abigen.model.contract import Party
from abigen.model.ctype import Basic, CType, FunctionType, Pointer, Qualified, RecordType
from abigen.model.entities import Field, Struct

_FILL = "Fill"


class Tables:
    """Makes the tables of an API."""

    def __init__(self, api: Api, header: Header, functions: Functions, speller: Speller) -> None:
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
        """A table for each struct that one side hands functions to the other in."""
        for struct in self._api.structs.values():
            if struct.in_api and struct.fields and not struct.is_union and (struct.tag or struct.typedef_names):
                table = self._table(struct, struct.fields)
                if table.members:
                    yield table

    def _table(self, struct: Struct, fields: tuple[Field, ...]) -> CppTable:
        versioned = struct.is_versioned
        members = [each for each in fields if self._function(each.type) and _is_settable(each)]
        own = [each for each in members if each.filler in (struct.filler, Party.BOTH)]
        name = self._api.conventions.cpp_names.get(struct.name) or table_name(struct.name, self._header.prefix)
        return CppTable(
            name=name,
            struct=self._speller.declare(RecordType(struct.name)),
            fill=_FILL if all(each.name != _FILL for each in fields) else f"{_FILL}Table",
            size_field=struct.size_member if versioned else "",
            size_type=self._speller.declare(self._type_at(struct.size_member, fields)) if versioned else "",
            last=fields[-1].name,
            whole=versioned and bool(own),
            members=tuple(self._members(struct, own or members)) if versioned or self._is_table(fields) else (),
            doc=struct.doc,
        )

    def _members(self, struct: Struct, members: list[Field]) -> Iterator[CppTableMember]:
        group = ""
        for each in members:
            function = self._function(each.type)
            assert function is not None
            result, parameters = self._functions.given(function)
            yield CppTableMember(
                name=each.name,
                accessor=f"{struct.name}_{each.name}",
                required=each.contract.is_required,
                result=result,
                parameters=parameters,
                doc=each.doc,
                heading=each.group if each.group != group else "",
            )
            group = each.group

    def _is_table(self, fields: tuple[Field, ...]) -> bool:
        """Whether a struct that is not versioned has nothing but functions and what they are handed first."""
        for each in fields:
            resolved = self._api.resolve(each.type)
            plain = isinstance(resolved, Pointer) and self._api.resolve(resolved.target) == Basic("void")
            if not plain and not self._function(each.type):
                return False
        return True

    def _type_at(self, path: str, fields: tuple[Field, ...]) -> CType:
        """The type of a member by its path."""
        name, _, rest = path.partition(".")
        member = next(each for each in fields if each.name == name)
        inner = self._api.struct_of(member.type) if rest else None
        return self._type_at(rest, inner.fields or ()) if inner else member.type

    def _function(self, type: CType) -> FunctionType | None:
        """The function that a class can have in place of a pointer."""
        function = self._api.callback(type)
        return function if function is not None and not function.variadic else None


def _is_settable(field: Field) -> bool:
    """Whether somebody can set a member by its name."""
    constant = isinstance(field.type, Qualified) and "const" in field.type.qualifiers
    return bool(field.name) and not constant and not field.contract.reserved
