"""What the parts of the reader have to know about names; who knows it depends on what is read, a header or a spec."""

from __future__ import annotations

from typing import Protocol

from abigen.model.ctype import CType, Expression
from abigen.read.c.syntax.trees import TagBody
from abigen.read.c.unit import Token


class Names(Protocol):
    """What has been declared so far, for telling names of types from other names."""

    def may_be_type(self, name: str) -> bool:
        """Whether a name is a typedef's, or may turn out to be."""

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined."""

    def declare_enumerator(self, token: Token) -> None:
        """Take note of an enumerator."""


class TypeNames(Protocol):
    """What names stand for, for understanding types and expressions."""

    @property
    def is_c23(self) -> bool:
        """Whether `()` is a prototype, and `true` and `false` are constants."""

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""

    def ordinary(self, name: str) -> str:
        """What another identifier stands for: `enumerator`, `function`, `variable`; empty when it is unknown."""

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for; None when it is not known."""

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function; None when it is not known."""

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member; None when there is none."""

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of the struct, union or enum with a tag."""

    def key_of_body(self, body: TagBody) -> str:
        """The key of what a body defines."""

    def fold(self, expression: Expression) -> Expression | int:
        """The value of an expression when it is the same on all targets, else the expression."""

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not declared; empty when there is none."""

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type; empty when there is none."""
