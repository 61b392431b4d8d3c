"""What a new plugin puts into members that it has to set and that hold no functions of its author's."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.emit.c.names import Speller
from abigen.emit.new.view import PluginTableValue
from abigen.emit.publication import Publication
from abigen.model.contract import Contract, Requirement
from abigen.model.ctype import Basic, EnumType, Pointer, RecordType, unqualified
from abigen.model.entities import Field, Struct
from abigen.model.pattern import parse_pattern

_PARTS = ("major", "minor", "patch")


class RequiredValues:
    """Chooses values for the members of structs that a plugin fills."""

    def __init__(self, publication: Publication, name: str, fills: dict[str, str]) -> None:
        """Look at an API.

        Args:
            publication: the API.
            name: of the plugin.
            fills: the functions that fill structs, by the structs' names.
        """
        self._api = publication.api
        self._macros = dict(zip(_PARTS, publication.header.version_macros, strict=False))
        self._speller = Speller(self._api)
        self._name = name
        self._fills = fills

    def of(self, struct: Struct, members: list[Field]) -> Iterator[PluginTableValue]:
        """The values of members of a struct, those that it has to have.

        Args:
            struct: one that the plugin fills.
            members: those that nothing else sets.
        """
        for each in members:
            is_version = each.version_part in self._macros
            if is_version or (_is_wanted(each.contract) and each.bit_width is None):
                found = self._macros[each.version_part] if is_version else self._plain(each)
                if found:
                    yield PluginTableValue(member=each.name, value=found)
                elif isinstance(self._api.resolve(each.type), Pointer):
                    yield self._object(each, struct)

    def _plain(self, member: Field) -> str:
        """A text or a number, as C and C++ write it; empty for other types."""
        resolved = self._api.resolve(member.type)
        if isinstance(resolved, Pointer):
            target = self._api.resolve(resolved.target)
            return f'"{self._text(member)}"' if target == Basic("char") and self._is_const(member) else ""
        type = self._speller.declare(unqualified(member.type))
        enum = self._api.enum_of(member.type)
        if isinstance(resolved, EnumType) and enum is not None:
            return next((each.name for each in enum.enumerators or () if each.value), f"({type})1")
        is_number = isinstance(resolved, Basic) or self._api.is_integer(member.type)
        return ("true" if resolved == Basic("_Bool") else "1") if is_number else ""

    def _is_const(self, member: Field) -> bool:
        return self._api.is_const_pointer(member.type)

    def _text(self, member: Field) -> str:
        """The plugin's name, or a text that has the form which the member's has to have."""
        pattern = parse_pattern(member.pattern) if member.pattern else None
        if pattern is None:
            return self._name
        names = (self._name, self._name.upper(), self._name.lower())
        return next(filter(pattern.matches, names), pattern.example())

    def _object(self, member: Field, struct: Struct) -> PluginTableValue:
        """A pointer to an object that is there for nothing else."""
        pointer = self._api.resolve(member.type)
        assert isinstance(pointer, Pointer)
        target, pointee = unqualified(pointer.target), self._api.pointee(member.type)
        name = f"{member.name}_"
        if pointee is not None:
            fill = self._fills.get(pointee.name, "") if pointee.name != struct.name else ""
            size = pointee.size_field
            declaration = self._speller.declare(RecordType(pointee.name), name)
            return PluginTableValue(
                member=member.name, value=f"&{name}", object=name, declaration=declaration, size_field=size, fill=fill
            )
        resolved = self._api.resolve(target)
        is_known = isinstance(resolved, (Pointer, Basic, EnumType)) and resolved != Basic("void")
        if is_known or self._api.is_integer(target):
            declaration = self._speller.declare(target, name)
            return PluginTableValue(member=member.name, value=f"&{name}", object=name, declaration=declaration)
        type = self._speller.declare(unqualified(member.type))
        return PluginTableValue(member=member.name, value=f"({type})&{name}", object=name, declaration=f"char {name}")


def _is_wanted(contract: Contract) -> bool:
    """Whether core may refuse a plugin that has not set a member."""
    return contract.requirement in (Requirement.REQUIRED, Requirement.CONDITIONAL) and not contract.reserved
