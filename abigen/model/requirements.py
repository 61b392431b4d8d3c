"""What a producer has to fill: in structs of every release, in those that it knows, or only where it gives a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abigen.model.api import Api
from abigen.model.contract import Party, Zero
from abigen.model.ctype import Pointer
from abigen.model.entities import Field, Struct
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


def is_left_to_plugins(member: Field, struct: Struct) -> bool:
    """Tell whether plugins set a member of a struct that core hands over: neither core does, nor is it the size.

    Args:
        member: of the struct.
        struct: of the API.
    """
    return Party.CORE not in (member.filler, member.allocated_by) and member.name != struct.size_member


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
