"""How long what functions are given is used: which pointers they keep, and how long they call callbacks."""

from __future__ import annotations

from abigen.model.api import Api
from abigen.model.ctype import NamedType, unqualified
from abigen.model.entities import Callback, Field, Function


def retained(api: Api, key: str) -> tuple[str, ...]:
    """The parameters whose pointers a function keeps after the call.

    Args:
        api: where the function is.
        key: its name, that of its type, or `Struct.member` of one in a struct.
    """
    named, field = _said(api, key)
    own = field if field is not None and field.retains else named
    return own.retains if own is not None else ()


def scope(api: Api, key: str) -> str:
    """How long a function is called: `call`, `once`, `static`, or empty when nobody has said.

    Args:
        api: where the function is.
        key: the name of its type, or `Struct.member` of one in a struct, which is called as long as that is there.
    """
    named, field = _said(api, key)
    of_type = named.scope if isinstance(named, Callback) else ""
    if field is not None:
        return field.scope or (of_type if of_type == "static" else "")
    return of_type


def _said(api: Api, key: str) -> tuple[Function | Callback | None, Field | None]:
    """What says so: a function or a type of one, and a member."""
    struct, _, member = key.rpartition(".")
    field = api.structs[struct].member(member) if struct in api.structs else None
    type = unqualified(field.type) if field is not None else None
    name = type.name if isinstance(type, NamedType) else "" if field is not None else key
    typedef = api.typedefs.get(name)
    while typedef is not None and not isinstance(typedef, Callback):
        typedef = api.typedefs.get(typedef.type.name) if isinstance(typedef.type, NamedType) else None
    return api.functions.get(name) or typedef, field
