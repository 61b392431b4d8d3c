"""In which direction calls and values travel: who implements a function, and which side sends a value of some type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from abigen.check.sides import CORE, PLUGIN, filler_of
from abigen.model.api import Api
from abigen.model.ctype import Array, CType, EnumType, FunctionType, NamedType, Pointer, Qualified
from abigen.model.entities import Function

BOTH = frozenset({CORE, PLUGIN})

_OTHER = {CORE: PLUGIN, PLUGIN: CORE, "": ""}

_PLUGIN_IMPLEMENTS = (
    r"(?i)\b(?:implemented|defined|provided|exported|supplied) by (?:(?:the|a|an|each|every|all) )?plug-?ins?\b"
    r"|\bplug-?ins? (?:must|should|shall|may|can|has to|have to|needs? to) (?:implement|define|export|provide)\b"
)


def implementer(function: Function) -> str:
    """Who implements a function: what is said about it, else the owner of the header.

    Args:
        function: of an API.

    Returns:
        `core` or `plugin`. A header says that it is the plugin by marking an entry point, or by a comment in one of
        the usual wordings (`Implemented by the plugin.`, `Plugins must export it.`).
    """
    if function.implemented_by in (CORE, PLUGIN):
        return function.implemented_by
    if function.entry_point or re.search(_PLUGIN_IMPLEMENTS, " ".join(function.doc.split())):
        return PLUGIN
    return CORE


def is_looked_up(function: Function) -> bool:
    """Whether its users have to do without it: it is optional, or a weak symbol."""
    return function.contract.is_optional or "weak" in function.flags


def senders(key: str, api: Api) -> frozenset[str]:
    """Which sides hand a value of an enumeration to the other one.

    Args:
        key: the enumeration's, in `api.enums`.
        api: all of its structs, functions and callbacks are searched.

    Returns:
        `core` and `plugin`, either or both; both when nothing tells (the values travel as integers, or nobody says
        who fills a struct).
    """
    found: set[str] = set()
    for sender in _Search(api, lambda type: isinstance(type, EnumType) and type.key == key).all():
        if not sender:
            return BOTH
        found.add(sender)
    return frozenset(found) or BOTH


class _Search(NamedTuple):
    """Looks for all places where a value of a wanted type changes hands."""

    api: Api
    wanted: Callable[[CType], bool]

    def all(self) -> Iterator[str]:
        """The sender at each place; empty where it is unknown."""
        for struct in self.api.structs.values():
            for field in struct.fields or ():
                yield from self.value(field.type, filler_of(field, struct, self.api))
        for function in self.api.functions.values():
            yield from self.call(function.type, implementer(function))

    def value(self, type: CType, sender: str) -> Iterator[str]:
        """The sender of a value, or of what it points to; a function pointer is implemented by whoever sends it."""
        core = self.behind(type)
        if isinstance(core, FunctionType):
            yield from self.call(core, sender)
        elif self.wanted(core):
            yield sender

    def call(self, function: FunctionType, callee: str) -> Iterator[str]:
        """Senders of the result and of the arguments."""
        yield from self.value(function.result, callee)
        for parameter in function.parameters:
            yield from self.value(parameter.type, callee if self.is_output(parameter.type) else _OTHER[callee])

    def is_output(self, type: CType) -> bool:
        """Whether a parameter is a pointer through which the callee writes a value."""
        resolved = self.api.resolve(type)
        if not isinstance(resolved, Pointer) or isinstance(self.api.resolve(resolved.target), FunctionType):
            return False
        return not self.is_const(resolved.target)

    def is_const(self, type: CType) -> bool:
        """Whether a type is const, by itself or by a typedef on the way."""
        while True:
            if isinstance(type, Qualified):
                return "const" in type.qualifiers
            if not (isinstance(type, NamedType) and type.name in self.api.typedefs):
                return False
            type = self.api.typedefs[type.name].type

    def behind(self, type: CType) -> CType:
        """What stands behind typedefs, qualifiers, pointers and arrays."""
        while True:
            type = self.api.resolve(type)
            if isinstance(type, Pointer):
                type = type.target
            elif isinstance(type, Array):
                type = type.element
            else:
                return type
