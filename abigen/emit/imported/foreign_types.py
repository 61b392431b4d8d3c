"""Types that a header takes from headers which are no part of the API, and which a spec does not know."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeGuard, TypeVar, cast

from msgspec.structs import replace

from abigen.emit.imported.inner_structs import is_tag_of_another
from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, EnumType, NamedType, Node, Parameter, RecordType, rebuilt
from abigen.model.entities import Entity, Enum, Struct
from abigen.model.identifiers import BUILT_IN, STANDARD_TYPES
from abigen.model.span import Diagnostic

_E = TypeVar("_E", bound=Entity)


def is_unknown(struct: Struct) -> bool:
    """Tell whether a union is declared without its members, which a spec cannot do."""
    return struct.is_union and struct.fields is None


class ForeignTypes:
    """Writes types without those that a spec cannot name, and remembers which these were."""

    def __init__(self, api: Api, known: Collection[str]) -> None:
        """Begin without having met any.

        Args:
            api: what the header declares, with what it includes.
            known: the types and tags of included headers that the spec can name.
        """
        self._api = api
        self._known = known
        self._met: dict[str, Entity] = {}

    def without(self, type: CType) -> CType:
        """A type in which the names of others are replaced by what they stand for."""

        def known(node: Node) -> Node:
            if isinstance(node, Parameter):
                return replace(node, type=cast(CType, known(node.type)))
            typedef = self._api.typedefs.get(node.name) if isinstance(node, NamedType) else None
            if typedef is not None and is_tag_of_another(typedef, self._api):
                return known(typedef.type)
            if isinstance(node, NamedType) and self._is_foreign(self._api.typedefs.get(node.name)):
                self._met[node.name] = self._api.typedefs[node.name]
                return known(self._api.typedefs[node.name].type)
            if isinstance(node, (RecordType, EnumType)) and (tagged := self._by_tag(node)):
                return tagged
            struct = self._api.structs.get(node.key) if isinstance(node, RecordType) else None
            if isinstance(node, RecordType) and struct is not None and (self._is_foreign(struct) or is_unknown(struct)):
                self._met[f"{struct.kind} {node.key}"] = struct
                if struct.is_union:
                    return Basic("void")  # a spec declares no union without its members
                return RecordType(f"struct {struct.tag}") if struct.tag else node
            return rebuilt(node, known)

        return cast(CType, known(type))

    def tags(self) -> list[str]:
        """The tags of the structs that were met: they can be declared, and pointed to."""
        structs = [each for each in self._met.values() if isinstance(each, Struct)]
        return list(dict.fromkeys(each.tag for each in structs if each.tag and not each.is_union))

    def gaps(self) -> Iterator[Diagnostic]:
        """What to say of each that was met."""
        for each in self._met.values():
            kind, has = "type", "says what it is"
            if isinstance(each, Struct):
                kind, has = each.kind, "has void in its place" if each.is_union else "has it as a handle"
            known = "a header that is no part of the API declares it"
            where = "nothing says what its members are" if each.in_api else known
            message = f"{kind} {each.name}: {where}; the spec {has}"
            yield Diagnostic(None, message, severity="note")

    def _by_tag(self, type: RecordType | EnumType) -> NamedType | None:
        """A type of another header by its tag, which the spec knows, where only the API's typedef gives it a name."""
        enum = isinstance(type, EnumType)
        entity = self._api.enums.get(type.key) if enum else self._api.structs.get(type.key)
        typedef = self._api.typedefs.get(type.key)
        if entity is None or entity.in_api or typedef is None or not typedef.in_api or entity.tag not in self._known:
            return None
        return NamedType(f"{'enum' if isinstance(entity, Enum) else entity.kind} {entity.tag}")

    def _is_foreign(self, entity: _E | None) -> TypeGuard[_E]:
        if entity is None or entity.in_api or entity.name in BUILT_IN or entity.name in STANDARD_TYPES:
            return False
        return entity.name not in self._known
