"""Members that stand on other lines than before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from abigen.model.ctype import Array, CType, FunctionType, Parameter, Pointer, Qualified
from abigen.model.entities import Field
from abigen.model.span import Span


def fields_moved(fields: Sequence[Field], lines: int) -> tuple[Field, ...]:
    """Members some lines further down.

    Args:
        fields: the members.
        lines: how many; negative for further up.
    """
    return tuple(map(_Mover(lines).field, fields)) if lines else tuple(fields)


class _Mover:
    """Copies what has a place, and shares what has none."""

    def __init__(self, lines: int) -> None:
        self._lines = lines

    def field(self, field: Field) -> Field:
        return replace(field, span=self._span(field.span), type=self._type(field.type))

    def _span(self, span: Span | None) -> Span | None:
        return span and replace(span, line=span.line + self._lines)

    def _type(self, type: CType) -> CType:
        """A type; what stands somewhere in it are parameters."""
        if isinstance(type, FunctionType):
            parameters = tuple(map(self._parameter, type.parameters))
            return replace(type, result=self._type(type.result), parameters=parameters)
        if isinstance(type, Pointer):
            target = self._type(type.target)
            return type if target is type.target else Pointer(target)
        if isinstance(type, Array):
            element = self._type(type.element)
            return type if element is type.element else Array(element, type.length)
        if isinstance(type, Qualified):
            inner = self._type(type.type)
            return type if inner is type.type else Qualified(inner, type.qualifiers)
        return type

    def _parameter(self, parameter: Parameter) -> Parameter:
        return replace(parameter, span=self._span(parameter.span), type=self._type(parameter.type))
