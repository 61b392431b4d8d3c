"""Enumerations with their values."""

from __future__ import annotations

from collections.abc import Callable

from abigen.model.contract import NO_CONTRACT
from abigen.model.ctype import CType, Expression
from abigen.model.entities import Enum, Enumerator
from abigen.model.span import Diagnostic
from abigen.read.c.comments.documentation import Commentary
from abigen.read.c.entities.effects import Effects, with_deprecation
from abigen.read.c.symbols.table import Symbols
from abigen.read.c.symbols.tags import Tag
from abigen.read.c.syntax.trees import Attribute, TagBody
from abigen.read.c.types.builder import TypeBuilder


class EnumBuilder:
    """Builds the enumerations of a translation unit, in order."""

    def __init__(
        self,
        symbols: Symbols,
        types: TypeBuilder,
        effects: Effects,
        commentary: Commentary,
        is_own: Callable[[str], bool],
        report: Callable[[Diagnostic], None],
    ) -> None:
        """Prepare to build; the arguments are those of `AggregateBuilder`."""
        self.enums: dict[str, Enum] = {}
        self.unvalued: set[str] = set()
        """Enumerators whose value depends on the target."""
        self._symbols = symbols
        self._types = types
        self._effects = effects
        self._commentary = commentary
        self._is_own = is_own
        self._report = report

    def build(self, tag: Tag) -> None:
        """Build one enumeration; the values of its enumerators are known from then on."""
        place = tag.place
        body = tag.body
        doc, contract = "", NO_CONTRACT
        enumerators: tuple[Enumerator, ...] | None = None
        underlying: CType | None = None
        attributes: list[Attribute] = []
        if body is not None:
            attributes = body.attributes
            doc, contract = self._commentary.of_declaration(
                body.stream, tag.declared_from, body.end, in_body=tag.parent is not None
            )
            self._effects.check(attributes, f"'{tag.key}'", place)
            if body.node is not None and body.node.underlying_type is not None:
                underlying = self._types.type_name(body.flat, body.node.underlying_type)
            if body.is_complete:
                enumerators = tuple(self._enumerators(body))
        self.enums[tag.key] = Enum(
            name=tag.key,
            span=place.span,
            doc=doc,
            contract=with_deprecation(contract, attributes),
            in_api=self._is_own(place.file),
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            enumerators=enumerators,
            underlying=underlying,
            packed=any(each.name == "packed" for each in attributes),
            anonymous=not tag.name and not tag.typedef_names,
        )

    def _enumerators(self, body: TagBody) -> list[Enumerator]:
        """The enumerators of a body."""
        result: list[Enumerator] = []
        value: int | None = -1
        flat = body.flat
        for each in body.members:
            expression: Expression | None = None
            if each.value is not None:
                expression = self._types.expression(flat, each.value)
                folded = None if expression is None else self._symbols.fold(expression)
                value = folded if isinstance(folded, int) else None
            elif value is not None:
                value += 1
            token, segment = flat.name_of(each)
            name = token.text
            if value is None:
                self.unvalued.add(name)
            else:
                self._symbols.values[name] = value
            end = flat.stream.find(segment.start, body.end, (",",))
            doc, contract = self._commentary.of_member(flat.stream, segment.start, end, name)
            self._effects.check(segment.attributes, f"'{name}'", token)
            result.append(
                Enumerator(
                    name=name,
                    span=token.span,
                    doc=doc,
                    contract=with_deprecation(contract, segment.attributes),
                    in_api=self._is_own(token.file),
                    value=0 if value is None else value,
                    expression=expression,
                )
            )
        return result
