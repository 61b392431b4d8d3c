"""What is known of headers before they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from abigen.model.ctype import CType, Expression, NamedType, types_in
from abigen.model.entities import Field
from abigen.read.c.unit import Token

Place = tuple[str, int, int]
"""File, line and column of the word `struct` or `union`."""


class KnownBody(NamedTuple):
    """What stands between the braces of a struct."""

    fields: tuple[Field, ...]
    types: Sequence[str]
    """The typedefs that the members name, in the order of the text."""


class Known:
    """The members of structs whose bodies the text lacks, and the expressions of some macros."""

    def __init__(self, bodies: Mapping[Place, KnownBody], expressions: Mapping[str, Expression]) -> None:
        """Begin a reading.

        Args:
            bodies: what the text lacks, by the place of the struct.
            expressions: what macros stand for, by name.
        """
        self.expressions = expressions
        self._bodies = bodies
        self._met: set[Place] = set()
        self.is_complete = True
        """Whether every unit that has been read had all these structs."""

    def body(self, keyword: Token) -> KnownBody | None:
        """The body of the struct whose keyword this is; None when it stands in the text."""
        if not self._bodies:
            return None
        place = (keyword.file, keyword.line, keyword.column)
        found = self._bodies.get(place)
        if found is not None:
            self._met.add(place)
        return found

    def end_unit(self) -> None:
        """Note that a unit has been read."""
        self.is_complete = self.is_complete and len(self._met) == len(self._bodies)
        self._met.clear()


NOTHING_KNOWN = Known({}, {})
"""For headers that are read for the first time."""


def named_types(type: CType) -> Iterator[str]:
    """The names of typedefs in a type, in the order of the text."""
    return (each.name for each in types_in(type) if isinstance(each, NamedType))


def types_of(expression: Expression) -> Iterator[CType]:
    """The types that an expression asks about."""
    for each in vars(expression).values():
        if isinstance(each, CType):
            yield each
        elif isinstance(each, Expression):
            yield from types_of(each)
