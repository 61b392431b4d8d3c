"""Which structs a declaration mentions: those that must have a name before it."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.model.ctype import Array, CType, FunctionType, Pointer, Qualified, RecordType, Vector
from abigen.model.entities import Callback, Entity, Function, Struct, Typedef


def mentioned_structs(entity: Entity) -> tuple[str, ...]:
    """Find the structs and unions in the types of an entity.

    Args:
        entity: anything that an API declares.

    Returns:
        Their keys in the order in which they are first mentioned.
    """
    return tuple(dict.fromkeys(key for type in _types(entity) for key in _records(type)))


def _types(entity: Entity) -> Iterator[CType]:
    if isinstance(entity, Struct):
        for member in entity.fields or ():
            yield member.type
    elif isinstance(entity, Callback):
        yield entity.function
    elif isinstance(entity, (Function, Typedef)):
        yield entity.type


def _records(type: CType) -> Iterator[str]:
    if isinstance(type, RecordType):
        yield type.key
    elif isinstance(type, Pointer):
        yield from _records(type.target)
    elif isinstance(type, Qualified):
        yield from _records(type.type)
    elif isinstance(type, (Array, Vector)):
        yield from _records(type.element)
    elif isinstance(type, FunctionType):
        yield from _records(type.result)
        for parameter in type.parameters:
            yield from _records(parameter.type)
