"""Finds the entry point of an API of which only the header is known, and states it in the spec of the header."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from abigen.model.api import Api

_BEGINS = re.compile(r"init|entry|register|load|begin|start|plugin|get.*api|api$", re.IGNORECASE)
_ENTRY = ("implemented_by: plugin", "entry_point: true")


class LikelyEntryPoint(msgspec.Struct, frozen=True):
    """A function by which a core may begin with a plugin."""

    name: str
    fillers: Mapping[str, str]
    """The structs of functions that it is called with or returns, each with the side that fills it."""


def likely_entry_points(api: Api) -> list[LikelyEntryPoint]:
    """Return the functions that take a struct of functions to fill, or return one.

    Args:
        api: of a header. If the name of only one of them says that it begins something, the others are left out.
    """
    found: list[LikelyEntryPoint] = []
    for function in api.functions.values():
        fillers: dict[str, str] = {}
        for type in (function.type.result, *(each.type for each in function.type.parameters)):
            struct = api.pointee(type)
            if struct is not None and any(api.callback(each.type) for each in struct.fields or ()):
                is_core = type is not function.type.result and api.is_const_pointer(type)
                fillers[struct.name] = "core" if is_core else "plugin"
        if function.in_api and not function.static and "plugin" in fillers.values():
            found.append(LikelyEntryPoint(function.name, fillers))
    named = [each for each in found if _BEGINS.search(each.name)]
    return named if len(named) == 1 else found


def with_entry_point(text: str, name: str) -> str:
    """Return the text of a spec in which a function is implemented by plugins, and is the entry point.

    Args:
        text: as `abigen import` writes it.
        name: of the function.
    """

    def marked(item: re.Match[str]) -> str:
        is_flow, rest = bool(item["flow"]), item["rest"]
        stated = ", ".join(_ENTRY) if is_flow else "\n  ".join(_ENTRY)
        rest = re.sub(r"(, |\n  )implemented_by: \w+", "", rest)
        return f"{item['head']}{', ' if is_flow else chr(10) + '  '}{stated}{rest}"

    pattern = rf"(?P<head>^- (?P<flow>\{{?)name: {re.escape(name)}\b)(?P<rest>.*?)(?=^\S|\Z)"
    return re.sub(pattern, marked, text, count=1, flags=re.DOTALL | re.MULTILINE)
