"""Which API a plugin is for: the one whose entry point it exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from abigen.host.verify.elf import Binary
from abigen.host.verify.shim import core_functions
from abigen.model.api import Api
from abigen.model.entities import Function
from abigen.model.span import AbigenError

Name = TypeVar("Name")


def entry_points(api: Api) -> tuple[Function, ...]:
    """The functions of an API's own by which core begins."""
    return tuple(each for each in api.functions.values() if each.entry_point and each.in_api)


def entry_point(api: Api) -> Function:
    """The function of an API by which core begins.

    Raises:
        AbigenError: there is none, or it is handed nothing, so that there is nothing to try out.
    """
    found = entry_points(api)
    if not found:
        raise AbigenError.at(
            None, f"{api.name} has no entry point, so core cannot begin", "mark it `entry_point: true`"
        )
    return found[0]


def candidates(apis: Mapping[Name, Api], binary: Binary | None) -> list[Name]:
    """The APIs that a plugin may be for.

    Args:
        apis: those that have an entry point, by name.
        binary: the plugin; None when its symbols cannot be read.

    Returns:
        Those whose entry point it exports and whose core has the most of what it needs; all of them when its symbols
        are not known.
    """
    if binary is None:
        return list(apis)
    counts: dict[Name, int] = {}
    for name, api in apis.items():
        if any((each.symbol or each.name) in binary.exports and each.type.parameters for each in entry_points(api)):
            counts[name] = len(core_functions((api,)).keys() & set(binary.needs))
    most = max(counts.values(), default=0)
    return [name for name, count in counts.items() if count == most]


def one_of(found: Sequence[str], all_names: Sequence[str], plugin: str) -> str:
    """The only candidate.

    Raises:
        AbigenError: there are several, or none.
    """
    if len(found) == 1:
        return found[0]
    if found:
        hint = f"say which by --api: {', '.join(found)}"
        raise AbigenError.at(None, f"{plugin} can be for {len(found)} APIs", hint)
    hint = f"say which API it is for by --api: {', '.join(all_names)}" if all_names else "no spec has an entry point"
    raise AbigenError.at(None, f"{plugin} exports no entry point of a known API", hint)
