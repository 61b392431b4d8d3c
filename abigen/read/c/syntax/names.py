"""What names stand for, as far as understanding declarations, types and expressions needs it."""

from __future__ import annotations

from collections.abc import Mapping

from abigen.model.ctype import CType, Expression
from abigen.model.evaluate import fold
from abigen.read.c.syntax.trees import TagBody
from abigen.read.c.unit import Token


class KnownNames:
    """The names that a text may use. None is known here; headers and specs fill in what they know."""

    is_c23 = False
    """Whether `()` is a prototype, and `true` and `false` are literals."""
    values: Mapping[str, int] = {}
    """Enumerators whose value is the same on all targets."""

    def may_be_type(self, name: str) -> bool:
        """Whether a name is a typedef's, or may turn out to be."""
        return self.is_type(name)

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""
        return False

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined."""

    def declare_enumerator(self, token: Token) -> None:
        """Take note of an enumerator."""

    def ordinary(self, name: str) -> str:
        """What another identifier stands for: `enumerator`, `function`, `variable`; empty when it is unknown."""
        return ""

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for; None when it is not known."""
        return None

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function; None when it is not known."""
        return None

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member; None when there is none."""
        return None

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of the struct, union or enum with a tag."""
        return token.text

    def key_of_body(self, body: TagBody) -> str:
        """The key of what a body defines."""
        return body.name.text if body.name else ""

    def fold(self, expression: Expression) -> Expression | int:
        """The value of an expression when it is the same on all targets, else the expression."""
        value = fold(expression, self.values)
        return expression if value is None else value

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not declared; empty when there is none."""
        return ""

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type; empty when there is none."""
        return ""
