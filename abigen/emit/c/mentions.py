"""Which structs a declaration mentions: those that must have a name before it."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.model.api import Api
from abigen.model.ctype import Array, CType, FunctionType, NamedType, Pointer, Qualified, RecordType, Vector
from abigen.model.entities import Callback, Entity, Function, Struct, Typedef


def mentioned_structs(entity: Entity, api: Api) -> tuple[str, ...]:
    """Find the structs and unions in the types of an entity.

    Args:
        entity: anything that an API declares.
        api: where their typedefs are.

    Returns:
        Their keys in the order in which they are first mentioned.
    """
    return tuple(dict.fromkeys(key for type in _types(entity) for key in _records(type, api)))


def _types(entity: Entity) -> Iterator[CType]:
    if isinstance(entity, Struct):
        for member in entity.fields or ():
            yield member.type
    elif isinstance(entity, Callback):
        yield entity.function
    elif isinstance(entity, (Function, Typedef)):
        yield entity.type


def _records(type: CType, api: Api) -> Iterator[str]:
    if isinstance(type, NamedType):
        named = api.typedefs.get(type.name)
        if named is not None and isinstance(named.type, RecordType):
            yield named.type.key
    elif isinstance(type, RecordType):
        yield type.key
    elif isinstance(type, Pointer):
        yield from _records(type.target, api)
    elif isinstance(type, Qualified):
        yield from _records(type.type, api)
    elif isinstance(type, (Array, Vector)):
        yield from _records(type.element, api)
    elif isinstance(type, FunctionType):
        yield from _records(type.result, api)
        for parameter in type.parameters:
            yield from _records(parameter.type, api)
