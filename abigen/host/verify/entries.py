"""Where core begins: the entry points of an API."""

from __future__ import annotations

from abigen.model.api import Api
from abigen.model.entities import Function
from abigen.model.span import AbigenError


def entry_points(api: Api) -> tuple[Function, ...]:
    """The functions of an API's own by which core begins."""
    return tuple(each for each in api.functions.values() if each.entry_point and each.in_api)


def entry_point(api: Api) -> Function:
    """The function of an API by which core begins.

    Raises:
        AbigenError: there is none.
    """
    found = entry_points(api)
    if not found:
        raise AbigenError.at(
            None, f"{api.name} has no entry point, so core cannot begin", "mark it `entry_point: true`"
        )
    return found[0]
