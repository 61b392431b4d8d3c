"""The entities of a spec on their way into an API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, TypeVar

from abigen.model.contract import Contract, Lifecycle
from abigen.model.ctype import CType
from abigen.model.entities import Constant, Entity, Enum, Function, Macro, SizeConstant, Struct, Typedef
from abigen.model.span import Span
from abigen.read.spec.item import Item
from abigen.read.spec.order import Declaration

AnyEntity = TypeVar("AnyEntity", bound=Entity)


@dataclass
class Entities:
    """The entities of a spec, and what each one needs to see before it."""

    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    size_constants: dict[str, SizeConstant] = field(default_factory=dict)
    declarations: list[Declaration] = field(default_factory=list)

    def sort(self, order: Sequence[str]) -> None:
        """Put all entities in the order of declaration; what is not declared by itself comes last."""
        places = {name: position for position, name in enumerate(order)}
        self.structs = _sorted(self.structs, places)
        self.enums = _sorted(self.enums, places)
        self.typedefs = _sorted(self.typedefs, places)
        self.functions = _sorted(self.functions, places)
        self.constants = _sorted(self.constants, places)
        self.macros = _sorted(self.macros, places)
        of_struct = {name: places.get(each.struct, len(places)) for name, each in self.size_constants.items()}
        self.size_constants = _sorted(self.size_constants, of_struct)

    def types(self) -> Iterable[CType]:
        """All types that stand in declarations."""
        for struct in self.structs.values():
            yield from (each.type for each in struct.fields or ())
        for function in self.functions.values():
            yield function.type
        for typedef in self.typedefs.values():
            yield typedef.type


def _sorted(group: Mapping[str, AnyEntity], places: Mapping[str, int]) -> dict[str, AnyEntity]:
    return dict(sorted(group.items(), key=lambda each: places.get(each[0], len(places))))


class Common(TypedDict):
    """What all entities have."""

    name: str
    span: Span
    doc: str
    contract: Contract


def common(item: Item) -> Common:
    """What all entities have, from the keys of an item."""
    return {"name": item.name, "span": item.name_span, "doc": item.text("doc").strip(), "contract": item.contract()}


def age(item: Item) -> Contract:
    """The age alone, for what comes along with an entity."""
    return Contract(lifecycle=Lifecycle(since=item.version("since")))
