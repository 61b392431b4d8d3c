"""Who sets the members of structs, what has to be set, and what is said of how functions are called.

Emitters, checks, lint rules and the host ask these questions here, so that they get the same answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abigen.model.api import Api
from abigen.model.contract import Party, Requirement, Zero
from abigen.model.ctype import NamedType, Pointer, unqualified
from abigen.model.entities import Callback, Field, Function, Struct
from abigen.model.releases import compatible_releases


class UnknownTable(NamedTuple):
    """A table that plugins of an older release leave empty, although some of its members are required."""

    member: Field
    """Points to the table. Core fills its struct and states the size, so nothing says which members a plugin knows."""
    required: str
    """The first required member of the table."""


def can_be_missed(member: Field, api: Api) -> bool:
    """Tell whether zero shows that a member was not filled: a NULL pointer, or a zero that means nothing.

    Args:
        member: of a struct of the API.
        api: the API.
    """
    return isinstance(api.resolve(member.type), Pointer) or member.contract.zero is Zero.NO_OP


def is_of_plugin(entity: Field | Struct) -> bool:
    """Tell whether plugins fill a struct or set a member, alone or as core does.

    Args:
        entity: the struct or the member.
    """
    return entity.filler in (Party.PLUGIN, Party.BOTH)


def is_of_core(member: Field) -> bool:
    """Tell whether core sets a member, or lets it point to something for plugins to fill.

    Args:
        member: of a struct of the API.
    """
    return Party.CORE in (member.filler, member.allocated_by)


def is_demanded(member: Field) -> bool:
    """Tell whether a member has to be set, always or under a condition.

    Args:
        member: of a struct of the API.
    """
    contract = member.contract
    return contract.requirement in (Requirement.REQUIRED, Requirement.CONDITIONAL) and not contract.reserved


def may_be_left_zero(member: Field) -> bool:
    """Tell whether it is said that zero, or NULL, in a member stands for nothing.

    Args:
        member: of a struct of the API.
    """
    return member.contract.zero is Zero.NO_OP or member.contract.is_optional


def is_left_to_plugins(member: Field, struct: Struct) -> bool:
    """Tell whether plugins set a member of a struct that core hands over: neither core does, nor is it the size.

    Args:
        member: of the struct.
        struct: of the API.
    """
    return not is_of_core(member) and member.name != struct.size_member


def is_in_all_releases(member: Field, struct: Struct, api: Api) -> bool:
    """Tell whether each compatible release of a struct has a member, so that it is there whatever the struct's size.

    Args:
        member: of the struct.
        struct: of the API.
        api: the API.
    """
    since, begin = member.contract.lifecycle.since, struct.contract.lifecycle.since
    releases = compatible_releases(api.header.releases if api.header else ())
    oldest = max((each for each in (begin, *releases[:1]) if each is not None), default=None)
    return since is None or (oldest is not None and since <= oldest)


def says_what_zero_means(member: Field, struct: Struct, api: Api) -> bool:
    """True if readers know how to take a zero in a member that was appended.

    A condition tells them if it is no older than the member: whoever does not know the member leaves both zero.

    Args:
        member: of the struct.
        struct: any.
        api: where the struct is.
    """
    contract = member.contract
    if contract.zero or contract.reserved:
        return True
    owner, _, name = contract.condition.when.rpartition(".")
    holder = api.structs.get(owner) if owner else struct
    other = holder.member(name) if holder is not None and name else None
    if holder is None or other is None:
        return False
    age, since = contract.lifecycle.since, other.contract.lifecycle.since or holder.contract.lifecycle.since
    return age is None or (since is not None and since >= age)


def unknown_tables(api: Api) -> Iterator[UnknownTable]:
    """Find the tables for which validators would refuse plugins of older releases, which leave them empty.

    Args:
        api: the API.
    """
    for struct in api.structs.values():
        for member in struct.fields or () if struct.in_api and struct.filler is Party.CORE else ():
            table = api.pointee(member.type) if member.allocated_by is Party.CORE else None
            if table is None or member.contract.is_optional or is_in_all_releases(member, struct, api):
                continue
            for each in table.fields or ():
                is_required = each.contract.is_required or each.contract.condition.unless
                if is_required and each.filler is not Party.CORE and can_be_missed(each, api):
                    yield UnknownTable(member, f"{table.name}.{each.name}")
                    break


def sayings(api: Api, key: str) -> tuple[Field | Callback | Function, ...]:
    """Find what says how a function is called: a member before the callback that is its type; or the function itself.

    Args:
        api: where the function is.
        key: its name, that of its type, or `Struct.member` of one in a struct.
    """
    struct, _, member = key.rpartition(".")
    field = api.structs[struct].member(member) if struct in api.structs else None
    type = unqualified(field.type) if field is not None else NamedType(key)
    named: Function | Callback | None = api.functions.get(key)
    while named is None and isinstance(type, NamedType) and type.name in api.typedefs:
        typedef = api.typedefs[type.name]
        named, type = typedef if isinstance(typedef, Callback) else None, typedef.type
    return tuple(each for each in (field, named) if each is not None)


def retained(api: Api, key: str) -> tuple[str, ...]:
    """Find the parameters whose pointers a function keeps after the call.

    Args:
        api: where the function is.
        key: its name, that of its type, or `Struct.member` of one in a struct.
    """
    return next((each.retains for each in sayings(api, key) if each.retains), ())


def may_be_null(api: Api, key: str, parameter: str) -> bool | None:
    """Tell whether a parameter may be NULL; None where nobody has said.

    Args:
        api: where the function is.
        key: its name, that of its type, or `Struct.member` of one in a struct.
        parameter: its name.
    """
    said = (each for each in sayings(api, key) if parameter in (*each.nullable, *each.non_null))
    return next((parameter not in each.non_null for each in said), None)


def scope(api: Api, key: str) -> str:
    """Find how long a function is called: `call`, `once`, `static`, or empty when nobody has said.

    Args:
        api: where the function is.
        key: the name of its type, or `Struct.member` of one in a struct, which is called as long as that is there.
    """
    said = sayings(api, key)
    of_type = next((each.scope for each in said if isinstance(each, Callback)), "")
    field = next((each for each in said if isinstance(each, Field)), None)
    return of_type if field is None else field.scope or (of_type if of_type == "static" else "")


def makers(api: Api) -> frozenset[str]:
    """Find the functions that make objects, or begin to use those of their callers: names, or `Struct.member`.

    Args:
        api: with handles, typedefs and structs of which it says how they are made.
    """
    made = (each.create for each in api.typedefs.values())
    begun = (each.begin for each in api.structs.values())
    return frozenset(each for each in (*made, *begun) if each)


def enders(api: Api) -> frozenset[str]:
    """Find the functions that destroy objects: names, or `Struct.member`.

    Args:
        api: with handles, typedefs and structs of which it says how they are destroyed.
    """
    destroyed = (each.destroy for each in api.typedefs.values())
    ended = (each.destroy for each in api.structs.values() if each.begin)
    return frozenset(each for each in (*destroyed, *ended) if each)


def order_of_calls(api: Api) -> dict[str, int]:
    """Find the place of each function among the calls with its object, as the spec has it; others have none.

    Args:
        api: with handles, typedefs and structs of which it says what is called with them.
    """
    found: dict[str, int] = {}
    calls = [each.calls for each in api.typedefs.values()] + [each.calls for each in api.structs.values()]
    for names in calls:
        for at, name in enumerate(names):
            found.setdefault(name, at)
    return found
