"""Structs and unions with their members."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from abigen.model.contract import NO_CONTRACT
from abigen.model.entities import Field, Struct
from abigen.model.span import Diagnostic
from abigen.read.c.comments.documentation import Commentary
from abigen.read.c.entities.effects import Effects, flags_of, with_deprecation
from abigen.read.c.entities.members import MemberRules
from abigen.read.c.symbols.table import Symbols
from abigen.read.c.symbols.tags import Tag
from abigen.read.c.syntax.trees import Attribute, Flat
from abigen.read.c.types.builder import TypeBuilder


class AggregateBuilder:
    """Builds the structs and unions of a translation unit, each when it is first asked for."""

    def __init__(
        self,
        symbols: Symbols,
        types: TypeBuilder,
        effects: Effects,
        commentary: Commentary,
        is_own: Callable[[str], bool],
        report: Callable[[Diagnostic], None],
    ) -> None:
        """Prepare to build.

        Args:
            symbols: what has been declared.
            types: understands the types of members.
            effects: understands attributes.
            commentary: the documentation.
            is_own: whether a file is one of the API's own.
            report: where what is wrong goes.
        """
        self.structs: dict[str, Struct] = {}
        self.transparent: set[str] = set()
        """Keys of unions that an attribute behind a typedef makes transparent."""
        self.rules = MemberRules(symbols.tags, types.resolve, self.fields_of, report)
        self._symbols = symbols
        self._types = types
        self._effects = effects
        self._commentary = commentary
        self._is_own = is_own
        self._pending: set[str] = set()

    def build(self) -> dict[str, Struct]:
        """Build all, in the order in which they are mentioned first."""
        ordered: dict[str, Struct] = {}
        done = 0
        # Building one may ask for a system header's struct, which is then appended to the list.
        while done < len(self._symbols.tags.all):
            tag = self._symbols.tags.all[done]
            done += 1
            if tag.kind != "enum":
                ordered[tag.key] = self._get(tag)
        self.structs = ordered
        return ordered

    def fields_of(self, key: str) -> tuple[Field, ...] | None:
        """The members of a struct; None when it is not defined, or is being built."""
        tag = self._symbols.tags.with_key(key, is_enum=False)
        if tag is None or tag.body is None or key in self._pending:
            return None
        return self._get(tag).fields

    def _get(self, tag: Tag) -> Struct:
        """A struct, built when it is first asked for."""
        known = self.structs.get(tag.key)
        if known is None:
            self._pending.add(tag.key)
            known = self.structs[tag.key] = self._struct(tag)
            self._pending.discard(tag.key)
        return known

    def _struct(self, tag: Tag) -> Struct:
        """Build one."""
        place = tag.place
        body = tag.body
        doc, contract = "", NO_CONTRACT
        fields: tuple[Field, ...] | None = None
        attributes: list[Attribute] = []
        if body is not None:
            doc, contract = self._commentary.of_declaration(
                body.stream, tag.declared_from, body.end, in_body=tag.parent is not None
            )
            fields = tuple(self._fields(tag))
            attributes = body.attributes
            self._effects.check(attributes, f"'{tag.key}'", place)
        names = {attribute.name for attribute in attributes}
        rule = "ms" if "ms_struct" in names else "sysv" if "gcc_struct" in names else body.bitfield_rule if body else ""
        return Struct(
            name=tag.key,
            span=place.span,
            doc=doc,
            contract=with_deprecation(contract, attributes),
            in_api=self._is_own(place.file),
            kind=tag.kind,
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            fields=fields,
            anonymous=not tag.name and not tag.typedef_names,
            packed="packed" in names,
            pack=body.pack if body else None,
            alignment=self._effects.alignment(attributes, ()),
            bitfield_rule=rule,
            transparent="transparent_union" in names or tag.key in self.transparent,
            flags=flags_of(attributes),
        )

    def _fields(self, tag: Tag) -> list[Field]:
        """The members of a struct."""
        fields: list[Field] = []
        starts: list[int] = []
        body = tag.body
        assert body is not None
        flat, stream = body.flat, body.stream
        end = -1
        for node in body.members:
            if not isinstance(node, c_ast.Decl):
                continue
            declared = self._types.declared(flat, node)
            if not declared.name and declared.bit_width is None and not _is_anonymous_aggregate(flat, node):
                continue
            start = declared.start
            if start >= end:
                end = stream.find(start, body.end, (";",))
            doc, contract = self._commentary.of_member(stream, start, end, declared.name)
            type, alignment, packed = declared.type, None, False
            if declared.attributes or declared.alignments:
                self._effects.check(declared.attributes, f"'{tag.key}.{declared.name}'", declared.token)
                self._effects.ask(declared)
                contract = with_deprecation(contract, declared.attributes)
                alignment = self._effects.alignment(declared.attributes, declared.alignments)
                packed = any(attribute.name == "packed" for attribute in declared.attributes)
            token = declared.token
            fields.append(
                Field(
                    name=declared.name,
                    span=token.span,
                    doc=doc,
                    contract=contract,
                    in_api=self._is_own(token.file),
                    type=self._commentary.with_parameters(type, stream, start, end),
                    bit_width=declared.bit_width,
                    alignment=alignment,
                    packed=packed,
                    group=self._commentary.group(token.file, token.line, body.keyword.line),
                )
            )
            starts.append(start)
        self.rules.check(tag, fields, starts)
        return fields


def _is_anonymous_aggregate(flat: Flat, node: c_ast.Node) -> bool:
    """Whether a member without a name is an anonymous struct or union (C 6.7.2.1 paragraph 13)."""
    body = flat.body_of(node.type) if isinstance(node.type, c_ast.Struct | c_ast.Union) else None
    return body is not None and body.name is None
