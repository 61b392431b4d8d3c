"""Statements about a header that a compiler can confirm."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.model.api import Api
from abigen.model.ctype import (
    Array,
    Basic,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    Vector,
)
from abigen.model.entities import Struct
from abigen.model.layout import Layouts
from abigen.model.spelling import spell
from abigen.model.target import find_target


def proof(api: Api, target: str = "x86_64-linux-gnu", *, types: bool = True) -> str:
    """C text that compiles behind the header exactly when the model of it is right.

    It asserts the size, alignment and offsets of every struct, the value of every enumerator and of every constant, the
    type of every member, and declares every function, variable and typedef again with the type that was read. Without
    `types` it only asks for layouts and values.
    """
    layouts = Layouts(api, find_target(target))
    statements = list(_layouts(api, layouts, types=types))
    if types:
        statements += _declarations(api)
    return "\n".join(statements) + "\n"


def _layouts(api: Api, layouts: Layouts, *, types: bool) -> Iterator[str]:
    for struct in api.structs.values():
        name = _struct_name(struct)
        if struct.in_api and struct.fields is not None and name:
            yield from _about_struct(api, struct, name, layouts, types=types)
    for enum in api.enums.values():
        if enum.in_api:
            for each in enum.enumerators or ():
                yield f'_Static_assert({each.name} == {_integer(each.value)}, "value of {each.name}");'
    for constant in api.constants.values():
        if constant.in_api and constant.expression is not None and not constant.is_object:
            value = layouts.evaluate(constant.expression)
            yield f'_Static_assert({constant.name} == {_integer(value)}, "value of {constant.name}");'
    for size in api.size_constants.values():
        if size.in_api:
            yield f'_Static_assert({size.name} == {layouts.evaluate(size.expression)}, "value of {size.name}");'


def _declarations(api: Api) -> Iterator[str]:
    for typedef in api.typedefs.values():
        if typedef.in_api and typedef.alignment is None and _spellable(typedef.type, api):
            yield f"typedef {_spelled(typedef.type, typedef.name, api)};"
    for function in api.functions.values():
        if function.in_api and _spellable(function.type, api):
            again = "static " if function.static and "gnu_inline" not in function.flags else ""
            yield f"{again}{_spelled(function.type, function.name, api)};"
    for variable in api.variables.values():
        if variable.in_api and _spellable(variable.type, api):
            thread = "__thread " if variable.thread_local else ""
            yield f"extern {thread}{_spelled(variable.type, variable.name, api)};"


def _about_struct(api: Api, struct: Struct, name: str, layouts: Layouts, *, types: bool) -> Iterator[str]:
    layout = layouts.of(struct.name)
    yield f'_Static_assert(sizeof({name}) == {layout.size}, "size of {struct.name}");'
    yield f'_Static_assert(_Alignof({name}) == {layout.alignment}, "alignment of {struct.name}");'
    for each in layout.fields:
        if each.name and each.bit_offset is None:
            member = f"{struct.name}.{each.name}"
            yield f'_Static_assert(__builtin_offsetof({name}, {each.name}) == {each.offset}, "offset of {member}");'
            if types and _spellable(each.field.type, api) and not isinstance(each.field.type, Array):
                mine = _spelled(Pointer(each.field.type), "", api)
                theirs = f"__typeof__(&(({name}*)0)->{each.name})"
                yield f'_Static_assert(__builtin_types_compatible_p({mine}, {theirs}), "type of {member}");'


def _struct_name(struct: Struct) -> str:
    if struct.typedef_names:
        return struct.typedef_names[0]
    return f"{struct.kind} {struct.tag}" if struct.tag else ""


def _spellable(type: CType, api: Api) -> bool:
    """True if C has a way to write the type: not when it mentions what has no name."""
    if isinstance(type, (Pointer, Qualified)):
        return _spellable(type.target if isinstance(type, Pointer) else type.type, api)
    if isinstance(type, Array):
        return _spellable(type.element, api)
    if isinstance(type, FunctionType):
        return (
            not type.calling_convention
            and _spellable(type.result, api)
            and all(_spellable(each.type, api) for each in type.parameters)
        )
    if isinstance(type, RecordType):
        return bool(_struct_name(api.structs[type.key]))
    if isinstance(type, EnumType):
        enum = api.enums[type.key]
        return bool(enum.tag or enum.typedef_names)
    return not isinstance(type, Vector) and type != Basic("void _Complex")


def _spelled(type: CType, name: str, api: Api) -> str:
    """Return the declaration, with structs and enums by the names that they have in the header."""
    return spell(_named(type, api), name)


def _named(type: CType, api: Api) -> CType:
    if isinstance(type, Pointer):
        return Pointer(_named(type.target, api), type.block)
    if isinstance(type, Qualified):
        return Qualified(_named(type.type, api), type.qualifiers)
    if isinstance(type, Array):
        length = type.length
        if isinstance(length, Expression):
            length = Layouts(api, find_target("x86_64-linux-gnu")).evaluate(length)
        return Array(_named(type.element, api), length)
    if isinstance(type, FunctionType):
        from msgspec.structs import replace

        parameters = tuple(replace(each, name=None, type=_named(each.type, api)) for each in type.parameters)
        return replace(type, result=_named(type.result, api), parameters=parameters)
    if isinstance(type, RecordType):
        return NamedType(_struct_name(api.structs[type.key]))
    if isinstance(type, EnumType):
        enum = api.enums[type.key]
        return NamedType(enum.typedef_names[0] if enum.typedef_names else f"enum {enum.tag}")
    return type


def _integer(value: int) -> str:
    """Return a constant with exactly this value."""
    return f"({value + 1}LL - 1)" if value < -(1 << 62) else f"{value}LL" if value < 1 << 63 else f"{value}ULL"
