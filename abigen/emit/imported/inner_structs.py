"""The structs and unions of a header that a spec has inside of others, as the header has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from abigen.emit.imported.keys import Document
from abigen.model.api import Api
from abigen.model.ctype import RecordType
from abigen.model.entities import Field, Struct

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
