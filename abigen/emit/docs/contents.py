"""What reference documentation lists of an API: its own entities, their members with paths, and declarations."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.emit.c.lines import wrap_declaration
from abigen.emit.c.names import Speller
from abigen.model.api import Api
from abigen.model.ctype import EnumType, RecordType
from abigen.model.entities import (
    Callback,
    Constant,
    Entity,
    Enum,
    Field,
    Function,
    Handle,
    Macro,
    Struct,
    Typedef,
    Variable,
)


def label_of(struct: Struct, member: Field) -> str:
    """What a member is called; one without a name by its place."""
    return member.name or f"(no name {(struct.fields or ()).index(member) + 1})"


def title_of(entity: Entity) -> str:
    """What an entity is called; one without a name after its first part."""
    if isinstance(entity, Enum) and entity.anonymous:
        return f"enum.{next((each.name for each in entity.enumerators or ()), '')}"
    return entity.name


def own_entities(api: Api) -> Iterator[tuple[str, Entity]]:
    """The API's own entities by kind; types that stand for others of the same name are not told twice."""
    tags = {each.tag for each in api.typedefs.values() if isinstance(each, Handle)}
    for struct in api.structs.values():
        if struct.in_api and not struct.anonymous and (struct.fields is not None or struct.tag not in tags):
            yield "struct", struct
    yield from (("enum", each) for each in api.enums.values() if each.in_api and each.enumerators is not None)
    for typedef in api.typedefs.values():
        is_same = isinstance(typedef.type, (RecordType, EnumType)) and not isinstance(typedef, Handle)
        if typedef.in_api and not (is_same and (typedef.name in api.structs or typedef.name in api.enums)):
            is_handle, is_callback = isinstance(typedef, Handle), isinstance(typedef, Callback)
            yield "handle" if is_handle else "callback" if is_callback else "typedef", typedef
    groups = {"function": api.functions, "variable": api.variables, "constant": api.constants, "macro": api.macros}
    for kind, group in groups.items():
        yield from ((kind, each) for each in group.values() if each.in_api)


def own_names(api: Api) -> set[tuple[str, str]]:
    """Kind and name of each of the API's own entities."""
    return {(kind, each.name) for kind, each in own_entities(api)}


def fields_of(struct: Struct, api: Api, path: str = "", depth: int = 0) -> Iterator[tuple[str, Field, int]]:
    """The members with their paths, and below one without a type of its own those of that."""
    for each in struct.fields or ():
        name = f"{path}{label_of(struct, each)}"
        yield name, each, depth
        if (inner := api.unnamed_struct(each.type)) is not None:
            yield from fields_of(inner, api, f"{name}." if each.name else path, depth + 1)


def declaration_of(entity: Entity, api: Api) -> str:
    """An entity as C declares it; structs and enumerations without their parts."""
    declare = Speller(api).declare
    match entity:
        case Struct() | Enum():
            keyword = entity.kind if isinstance(entity, Struct) else "enum"
            is_opaque = isinstance(entity, Struct) and entity.fields is None
            words = [keyword, entity.tag, "" if is_opaque else "{ ... }", ", ".join(entity.typedef_names)]
            return " ".join(filter(None, ["typedef" if entity.typedef_names else "", *words])) + ";"
        case Handle():
            return f"typedef struct {entity.tag}{'*' if entity.by_pointer else ''} {entity.name};"
        case Typedef():
            return wrap_declaration(f"typedef {declare(entity.type, entity.name)}")
        case Function() | Variable():
            return wrap_declaration(declare(entity.type, entity.name))
        case Constant():
            if api.header and (cases := api.header.cases.get(entity.name)):
                return "\n".join(f"#define {entity.name} {text}  // {when or 'otherwise'}" for when, text in cases)
            return f"#define {entity.name} {entity.text}".rstrip()
        case Macro():
            return f"#define {entity.name}({', '.join(entity.parameters)}) {entity.body}".rstrip()
    return entity.name
