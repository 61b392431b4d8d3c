"""A declarator that has been understood, and where its name stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from abigen.model.ctype import CType, Expression
from abigen.read.c.syntax.trees import Attribute
from abigen.read.c.syntax.vocabulary import TYPEDEF
from abigen.read.c.unit import Token


@dataclass
class Declared:
    """One declarator, understood: what it declares, and what was said about it beyond its type."""

    name: str
    token: Token
    type: CType
    storage: list[str]
    functions: list[str]
    """Function specifiers: `inline`, `_Noreturn`."""
    attributes: list[Attribute]
    alignments: list[Expression | int] = field(default_factory=list)
    """What `_Alignas` asks for, in bytes."""
    bit_width: Expression | int | None = None
    symbol: str = ""
    initializer: tuple[int, int] | None = None

    @property
    def is_typedef(self) -> bool:
        """Whether it declares a name for a type."""
        return TYPEDEF in self.storage


def name_position(node: Any) -> int:
    """Where the name of a declaration or parameter stands among its words; its first specifier when it has none."""
    inner = node.type
    while inner.kind in ("PtrDecl", "ArrayDecl", "FuncDecl"):
        inner = inner.type
    if inner.kind == "TypeDecl" and inner.declname is not None and inner.position is not None:
        return int(inner.position)
    if node.position is not None:
        return int(node.position)
    return int(inner.position) if getattr(inner, "position", None) is not None else 0
