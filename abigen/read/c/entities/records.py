"""Structs and unions with their members, and enumerations with their values."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from abigen.model.ctype import CType, Expression
from abigen.model.entities import Enum, Enumerator, Field, Struct
from abigen.read.c.entities.rules import MemberRules
from abigen.read.c.entities.unit_context import Described, UnitContext, flags_of
from abigen.read.c.symbols import Tag
from abigen.read.c.syntax.trees import Attribute, TagBody


class RecordBuilder:
    """Builds the structs, unions and enumerations of a translation unit."""

    def __init__(self, context: UnitContext) -> None:
        """Prepare to build."""
        self.structs: dict[str, Struct] = {}
        self.enums: dict[str, Enum] = {}
        self.unvalued: set[str] = set()
        """Enumerators whose value depends on the target."""
        self.transparent: set[str] = set()
        """Keys of unions that an attribute behind a typedef makes transparent."""
        self.rules = MemberRules(context, self.fields_of)
        self._context = context
        self._tags = context.symbols.tags
        self._pending: set[str] = set()

    def build_enums(self) -> bool:
        """Build the enumerations that are not built yet; whether there were any."""
        built = len(self.enums)
        # Building one may ask for a system header's, which is then appended to the list.
        for tag in self._tags.all:
            if tag.kind == "enum" and tag.key not in self.enums:
                self.enums[tag.key] = self._enum(tag)
        return len(self.enums) > built

    def build_structs(self) -> None:
        """Build all structs, in the order in which they are mentioned first."""
        ordered: dict[str, Struct] = {}
        for tag in self._tags.all:
            if tag.kind != "enum":
                ordered[tag.key] = self._get(tag)
        self.structs = ordered

    def fields_of(self, key: str) -> tuple[Field, ...] | None:
        """The members of a struct; None when it is not defined, or is being built."""
        tag = self._tags.with_key(key, is_enum=False)
        return None if tag is None or tag.body is None or key in self._pending else self._get(tag).fields

    def _get(self, tag: Tag) -> Struct:
        """A struct, built when it is first asked for."""
        known = self.structs.get(tag.key)
        if known is None:
            self._pending.add(tag.key)
            known = self.structs[tag.key] = self._struct(tag)
            self._pending.discard(tag.key)
        return known

    def _documented(self, tag: Tag) -> tuple[Described, Sequence[Attribute]]:
        """What a tag names, without what is in it; and its attributes."""
        body = tag.body
        if body is None:
            return self._context.entity(tag.key, tag.place), []
        documentation = self._context.commentary.of_declaration(
            body.stream, tag.declared_from, body.end, in_body=tag.parent is not None
        )
        self._context.check(body.attributes, f"'{tag.key}'", tag.place)
        return self._context.entity(tag.key, tag.place, documentation, body.attributes), body.attributes

    def _struct(self, tag: Tag) -> Struct:
        """Build a struct or union."""
        body = tag.body
        fields = None if body is None else tuple(self._fields(tag, body))
        entity, attributes = self._documented(tag)
        names = {attribute.name for attribute in attributes}
        rule = "ms" if "ms_struct" in names else "sysv" if "gcc_struct" in names else body.bitfield_rule if body else ""
        return Struct(
            **entity,
            kind=tag.kind,
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            fields=fields,
            anonymous=not tag.name and not tag.typedef_names,
            packed="packed" in names,
            pack=body.pack if body else None,
            alignment=self._context.alignment(attributes, ()),
            bitfield_rule=rule,
            transparent="transparent_union" in names or tag.key in self.transparent,
            flags=flags_of(attributes),
        )

    def _fields(self, tag: Tag, body: TagBody) -> list[Field]:
        """The members of a struct."""
        fields: list[Field] = []
        starts: list[int] = []
        stream, commentary = body.stream, self._context.commentary
        end = -1
        for flat, node in body.members:
            if not isinstance(node, c_ast.Decl):
                continue
            declared = self._context.types.declared(flat, node)
            if not declared.name and declared.bit_width is None:
                inner = flat.body_of(node.type) if isinstance(node.type, (c_ast.Struct, c_ast.Union)) else None
                if inner is None or inner.name is not None:
                    continue  # no anonymous struct or union (C 6.7.2.1 paragraph 13)
            if declared.segment.start >= end:
                end = stream.find(declared.segment.start, body.end, (";",))
            documentation = commentary.of_member(stream, declared.segment.start, end, declared.name)
            token, attributes = declared.token, declared.attributes
            self._context.check(attributes, f"'{tag.key}.{declared.name}'", token)
            self._context.ask(declared)
            fields.append(
                Field(
                    **self._context.entity(declared.name, token, documentation, attributes),
                    type=commentary.with_parameters(declared.type, stream, declared.segment.start, end),
                    bit_width=declared.bit_width,
                    alignment=self._context.alignment(attributes, declared.alignments),
                    packed=any(attribute.name == "packed" for attribute in attributes),
                    group=commentary.group(token.file, token.line, body.keyword.line),
                )
            )
            starts.append(declared.segment.start)
        self.rules.check(tag, fields, starts)
        return fields

    def _enum(self, tag: Tag) -> Enum:
        """Build an enumeration; the values of its enumerators are known from then on."""
        body = tag.body
        entity, attributes = self._documented(tag)
        underlying: CType | None = None
        if body is not None and body.node is not None and body.node.underlying_type is not None:
            underlying = self._context.types.type_name(body.flat, body.node.underlying_type)
        return Enum(
            **entity,
            tag=tag.name,
            typedef_names=tuple(tag.typedef_names),
            enumerators=tuple(self._enumerators(body)) if body is not None and body.is_complete else None,
            underlying=underlying,
            cpp_underlying=self._context.cpp_enums.underlying(body) if body is not None else None,
            packed=any(each.name == "packed" for each in attributes),
            anonymous=not tag.name and not tag.typedef_names,
        )

    def _enumerators(self, body: TagBody) -> list[Enumerator]:
        """The enumerators of a body."""
        result: list[Enumerator] = []
        value: int | None = -1
        symbols = self._context.symbols
        for flat, each in body.members:
            expression: Expression | None = None
            if each.value is not None:
                expression = self._context.types.expression(flat, each.value)
                folded = None if expression is None else symbols.fold(expression)
                value = folded if isinstance(folded, int) else None
            elif value is not None:
                value += 1
            token, segment = flat.name_of(each)
            if value is None:
                self.unvalued.add(token.text)
            else:
                symbols.values[token.text] = value
            end = flat.stream.find(segment.start, body.end, (",",))
            documentation = self._context.commentary.of_member(flat.stream, segment.start, end, token.text)
            self._context.check(segment.attributes, f"'{token.text}'", token)
            entity = self._context.entity(token.text, token, documentation, segment.attributes)
            result.append(Enumerator(**entity, value=value or 0, expression=expression))
        return result
