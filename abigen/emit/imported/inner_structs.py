"""The types of a header that have no name: which a spec has inside of others, and what the others are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from msgspec.structs import replace

from abigen.emit.imported.keys import Document
from abigen.model.api import Api
from abigen.model.ctype import CType, EnumType, NamedType, Pointer, RecordType
from abigen.model.entities import Enum, Field, Struct, Typedef

_KEYS = frozenset(
    {"name", "type", "fields", "kind", "doc", "group", "deprecated", "zero", "reserved", "bits", "alignment", "count"}
)
"""What the language of specs says of members inside of such structs."""
_OF_NAMELESS = frozenset({"fields", "kind", "doc", "group", "since", "zero", "alignment"})
_OF_NAMED = _OF_NAMELESS | {"name", "set_by", "deprecated", "reserved"}


def written_inside(api: Api) -> frozenset[str]:
    """The keys of the structs that one member of another has for a type, and nothing else."""
    found: set[str] = set()
    for struct in api.structs.values():
        used = Counter(each.type.key for each in struct.fields or () if isinstance(each.type, RecordType))
        found |= {key for key, number in used.items() if number == 1 and _is_plain(api.structs[key], struct)}
    return frozenset(found)


def _is_plain(inner: Struct, outer: Struct) -> bool:
    """Whether there is nothing about a struct but its members that a spec would have to say."""
    same = (inner.packed or inner.pack == 1) == (outer.packed or outer.pack == 1) and inner.pack in (None, 1)
    plain = inner.alignment is None and not inner.bitfield_rule and not inner.transparent
    return inner.anonymous and inner.name.startswith(f"{outer.name}.") and same and plain


def new_names(nameless: Iterable[Struct | Enum], api: Api) -> Iterator[tuple[str, str]]:
    """Structs, unions and enumerations in others that need a name, by their keys, with the names that they get.

    Args:
        nameless: those that have none, among others.
        api: whose names they cannot have.
    """
    taken = {*api.typedefs, *api.functions, *api.structs, *api.enums, *api.macros, *api.constants}
    for each in nameless:
        if each.anonymous and "." in each.name:
            words = re.sub(r"\W+", "_", each.name.replace("<anonymous ", "unnamed")).strip("_")
            name = next(name for name in (words + "_" * number for number in count()) if name not in taken)
            taken.add(name)
            yield each.name, name


def is_name_of_its_type(name: str, type: CType, api: Api) -> bool:
    """Whether a typedef is the one that the API's declaration of a struct or enumeration brings with it.

    Where another header declares that, the typedef is one of its own: `typedef struct dirent my_dirent;`.
    """
    if isinstance(type, RecordType):
        struct = api.structs.get(type.key)
        return struct is not None and struct.in_api and struct.fields is not None and struct.name == name
    return isinstance(type, EnumType) and type.key == name and api.enums[name].in_api


def is_tag_of_another(typedef: Typedef, api: Api) -> bool:
    """Whether a typedef gives a type of another header its own tag as a name: `typedef struct base base;`."""
    type = typedef.type
    entity: Struct | Enum | None = None
    if isinstance(type, (RecordType, EnumType)):
        entity = api.enums.get(type.key) if isinstance(type, EnumType) else api.structs.get(type.key)
    return entity is not None and typedef.in_api and not entity.in_api and entity.tag == typedef.name


def lost_keys(item: Document, struct: Struct, member: Field) -> Iterator[str]:
    """Take from a member what a spec cannot say of it where it stands.

    Args:
        item: the member, as it is to stand in the spec.
        struct: what it is a member of.
        member: the member.

    Returns:
        The keys that were taken away.
    """
    allowed = _KEYS | ({"since"} if struct.is_union else set()) if struct.anonymous else None
    if "fields" in item:
        own = _OF_NAMED if member.name else _OF_NAMELESS
        allowed = own if allowed is None else own & (allowed | {"since"} if struct.is_union else allowed)
    for key in [key for key in item if allowed is not None and key not in allowed]:
        del item[key]
        yield key


def unlike_its_name(member: Field, api: Api) -> CType:
    """A member's type; one that is called as the member is written out, since g++ refuses `Post* Post`."""
    type = member.type
    if isinstance(type, Pointer) and type.target == NamedType(member.name):
        return replace(type, target=api.resolve(type.target))
    return type
