"""What the builders of a translation unit's entities share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from abigen.model.contract import NO_CONTRACT, Contract
from abigen.model.ctype import CType, Expression
from abigen.model.entities import Entity
from abigen.model.span import Diagnostic, Span
from abigen.model.target import Target
from abigen.read.c.comments.documentation import Commentary
from abigen.read.c.entities.linkage import Linkage
from abigen.read.c.symbols import Symbols
from abigen.read.c.types.builder import TypeBuilder
from abigen.read.c.unit import Token


@dataclass(frozen=True)
class Question:
    """An expression, and what its value must not be.

    `kind` is `length` (of an array), `assertion`, `alignment` (in bytes, as an attribute asks for it), or `alignas`,
    which may not ask for less than the type needs.
    """

    kind: str
    expression: Expression | int
    span: Span
    subject: str
    """The array's or the member's name; for an assertion its message."""
    type: CType | None = None


@dataclass(frozen=True)
class UnitContext:
    """A translation unit whose names are known, and who helps to understand it."""

    symbols: Symbols
    types: TypeBuilder
    commentary: Commentary
    linkage: Linkage
    target: Target
    """For whom it was preprocessed."""
    own_files: frozenset[str]
    """Whose declarations are the API's own."""
    report: Callable[[Diagnostic], None]
    """Where what is wrong goes."""
    questions: list[Question] = field(default_factory=list)
    """What has to be checked once the sizes of types are known."""

    def entity(self, name: str, token: Token, doc: str = "", contract: Contract = NO_CONTRACT) -> Entity:
        """What all entities have, of one that is declared at a token."""
        in_api = token.file in self.own_files
        return Entity(name=name, span=token.span, doc=doc, contract=contract, in_api=in_api)

    def is_own(self, token: Token) -> bool:
        """Whether a token stands in one of the API's own files."""
        return token.file in self.own_files
