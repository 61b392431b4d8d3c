"""From the items of a spec to the entities of an API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from abigen.model.contract import Party
from abigen.model.ctype import (
    Array,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Pointer,
    RecordType,
)
from abigen.model.entities import (
    Callback,
    Constant,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Macro,
    SizeConstant,
    Struct,
    Typedef,
)
from abigen.model.releases import end_of_member
from abigen.model.span import Span
from abigen.read.c.preprocessor.scan import folded
from abigen.read.spec.cases import Choice
from abigen.read.spec.entities import Entities, age, common
from abigen.read.spec.item import Item
from abigen.read.spec.members import Member, MemberChecker
from abigen.read.spec.messages import Report
from abigen.read.spec.names import tag_of
from abigen.read.spec.needs import expression_needs, names_in, needs_of
from abigen.read.spec.nodes import Scalar
from abigen.read.spec.order import Declaration, needs_first
from abigen.read.spec.plan import StructPlan
from abigen.read.spec.roles import roles
from abigen.read.spec.types import TypeReader


class Builder:
    """Builds all entities of one spec; what is wrong with one does not stop the others."""

    def __init__(
        self, root: Item, plans: Sequence[StructPlan], types: TypeReader, choice: Choice, report: Report
    ) -> None:
        """Prepare to build the entities of a spec whose names have been collected."""
        self.root = root
        self.plans = plans
        self.types = types
        self.choice = choice
        self.report = report
        self.entities = Entities()
        self._members: list[Member] = []
        self._direct_handles: dict[str, list[str]] | None = None
        self._leading_types: dict[str, CType] = {}
        self._checker = MemberChecker(self.entities, types.context, report)
        self._forward = frozenset(plan.item.name for plan in plans if tag_of(plan.item, "struct"))
        self._enum_of = {
            each.name: enum.name for enum in root.items("enums") for each in enum.items("enumerators") if each.name
        }

    def build(self) -> Entities:
        """Build everything, in the default order of declaration."""
        for item in self._named("macros"):
            self._macro(item)
        for item in self._named("constants"):
            self._constant(item)
        for item in self._named("typedefs"):
            self._typedef(item)
        for item in self._named("handles"):
            self._handle(item)
        for item in self._enums_by_need():
            self._enum(item)
        for item in self._named("callbacks"):
            self._callback(item)
        for plan in self.plans:
            if plan.item.name:
                self._struct(plan)
        for item in self._named("functions"):
            self._function(item)
        for member in self._members:
            self._checker.check(member)
        return self.entities

    def _named(self, key: str) -> Iterable[Item]:
        return (item for item in self.root.items(key) if item.name)

    def _enums_by_need(self) -> Iterable[Item]:
        """The enumerations, those first whose enumerators others compute with."""
        items = {item.name: item for item in self._named("enums")}
        needs: dict[str, list[str]] = {}
        for name, item in items.items():
            scalars = [each.scalar("value") for each in item.items("enumerators")]
            texts = [scalar.text for scalar in scalars if scalar is not None and scalar.kind == "string"]
            words = [word for text in texts for word in re.findall(r"\w+", text)]
            needs[name] = [self._enum_of[word] for word in dict.fromkeys(words) if word in self._enum_of]
        return (items[name] for name in needs_first(needs))

    def _declare(self, kind: str, item: Item, needs: Mapping[str, Span] | None = None) -> None:
        self.entities.declarations.append(Declaration(kind, item.name, item.name_span, needs or {}))

    def _macro(self, item: Item) -> None:
        parameters = tuple(scalar.text for scalar in item.scalars("parameters"))
        body = folded(item.text("body"))
        self.entities.macros[item.name] = Macro(**common(item), parameters=parameters, body=body)
        self._declare("macro", item)

    def _constant(self, item: Item) -> None:
        scalar = self.choice.text(item)
        text = folded(scalar.text) if scalar else ""
        type = self.types.type_constants.get(item.name)
        expression = None if type or not scalar else self.types.try_expression(scalar)
        self.entities.constants[item.name] = Constant(**common(item), text=text, expression=expression)
        if type is not None:
            self.entities.typedefs[item.name] = replace(Typedef(**common(item), type=type), in_api=False)
        self._declare("constant", item)

    def _typedef(self, item: Item) -> None:
        type = self.types.type(item.scalar("type"))
        if type is not None:
            self.entities.typedefs[item.name] = Typedef(**common(item), type=type)
            self._declare("typedef", item, self._needs(item.scalar("type"), type))

    def _handle(self, item: Item) -> None:
        by_pointer = item.flag("by_pointer", default=True)
        tag = tag_of(item, "handle")
        key = self.types.tags[tag][1]
        if key not in self.entities.structs and key not in self.types.context.structs:
            span = item.span("tag") if item.has("tag") else item.name_span
            self.entities.structs[key] = Struct(
                name=key, span=span, contract=age(item), tag=tag, typedef_names=self._names_of_tag(tag), fields=None
            )
        self.entities.typedefs[item.name] = Handle(
            **common(item),
            type=Pointer(RecordType(key)) if by_pointer else RecordType(key),
            tag=tag,
            by_pointer=by_pointer,
            defined_by=Party(item.text("defined_by")),
            create=item.text("create"),
            destroy=item.text("destroy"),
            failure=item.text("failure"),
        )
        self._declare("handle", item)

    def _names_of_tag(self, tag: str) -> tuple[str, ...]:
        """The handles that stand for an opaque struct itself."""
        if self._direct_handles is None:
            self._direct_handles = {}
            for each in self._named("handles"):
                if not each.flag("by_pointer", default=True):
                    self._direct_handles.setdefault(tag_of(each, "handle"), []).append(each.name)
        return tuple(self._direct_handles.get(tag, ()))

    def _callback(self, item: Item) -> None:
        scalar = item.scalar("type")
        type = self.types.type(scalar)
        if type is None:
            return
        target = type.target if isinstance(type, Pointer) else type
        if not isinstance(target, FunctionType):
            message = f"the callback '{item.name}' is no function and no pointer to one"
            self.report.error(item.span("type"), message, "void (*)(void* arg)")
            return
        self.entities.typedefs[item.name] = Callback(
            **common(item), type=type, function=target, by_pointer=isinstance(type, Pointer)
        )
        self._declare("callback", item, self._needs(scalar, type))

    def _function(self, item: Item) -> None:
        scalar = item.scalar("type")
        type = self.types.type(scalar)
        if type is None:
            return
        if not isinstance(type, FunctionType):
            hint = "void (int32_t ordinal, void* result)"
            self.report.error(item.span("type"), f"the type of the function '{item.name}' is no function", hint)
            return
        entry_point = item.flag("entry_point")
        self.entities.functions[item.name] = Function(
            **common(item),
            type=type,
            implemented_by=Party(item.text("implemented_by", "plugin" if entry_point else "")),
            entry_point=entry_point,
            **roles(item, type, self.report),
        )
        self._declare("function", item, self._needs(scalar, type))

    def _enum(self, item: Item) -> None:
        enumerators: list[Enumerator] = []
        known: set[str] = set()
        needs: dict[str, Span] = {}
        value: int | None = -1  # None: it depends on the target, and so do those that follow
        for each in item.items("enumerators"):
            if not each.name:
                continue
            scalar = each.scalar("value")
            expression = self.types.expression(scalar)
            if expression is not None and scalar is not None:
                self._check_enumerators_before(item, each, expression, known)
                needs |= dict.fromkeys(expression_needs(expression, self._forward, self._enum_of), scalar.span)
                needs |= self.types.used_macros
                value = self.types.fold(expression)
            elif value is not None:
                value += 1
            self.types.know_enumerator(each.name, value)
            known.add(each.name)
            enumerators.append(Enumerator(**common(each), value=value or 0, expression=expression))
        needs.pop(item.name, None)
        underlying = self.types.type(item.scalar("underlying"))
        if underlying is not None:
            needs |= self._needs(item.scalar("underlying"), underlying)
            if not self._checker.is_integer(underlying):
                self.report.error(item.span("underlying"), f"the type behind '{item.name}' has to be an integer type")
        tag = tag_of(item, "enum")
        self.entities.enums[item.name] = Enum(
            **common(item),
            tag=tag,
            typedef_names=(item.name,),
            enumerators=tuple(enumerators),
            underlying=underlying,
        )
        self.entities.typedefs[item.name] = Typedef(**common(item), type=EnumType(item.name))
        self._declare("enum", item, needs)

    def _check_enumerators_before(self, enum: Item, item: Item, expression: Expression, known: set[str]) -> None:
        """An enumerator can be computed from those before it only."""
        for name in names_in(expression):
            if self._enum_of.get(name) == enum.name and name not in known:
                message = f"'{item.name}' is computed from '{name}', which is not known before it"
                self.report.error(item.span("value"), message)

    def _struct(self, plan: StructPlan) -> None:
        item = plan.item
        needs: dict[str, Span] = {}
        fields = [*self._leading(plan), *self._own_fields(plan, needs)]
        self.entities.structs[item.name] = Struct(
            **common(item),
            kind=item.text("kind", "struct"),
            tag=tag_of(item, "struct"),
            typedef_names=(item.name,),
            fields=tuple(fields),
            packed=item.flag("packed"),
            create=item.text("create"),
            destroy=item.text("destroy"),
            alignment=item.number("alignment"),
        )
        self.entities.typedefs[item.name] = Typedef(**common(item), type=RecordType(item.name))
        self._declare("struct", item, needs)
        if plan.size_macro and fields:
            self._size_constant(plan, fields[-1])

    def _leading(self, plan: StructPlan) -> Iterable[Field]:
        for each in plan.leading:
            type = self._leading_types.get(each.name) or self.types.type_of(each.type, each.span)
            if type is not None:
                self._leading_types[each.name] = type
                yield Field(name=each.name, span=plan.item.name_span, doc=each.doc.strip(), type=type)

    def _own_fields(self, plan: StructPlan, needs: dict[str, Span]) -> Iterable[Field]:
        struct = plan.item
        items = struct.items("fields")
        alone = len(items) + len(plan.leading) == 1
        group = ""
        for position, item in enumerate(items):
            group = item.text("group", group)
            scalar = item.scalar("type")
            type = self.types.type(scalar)
            if type is None or not item.name or scalar is None:
                continue
            for name, place in self._needs(scalar, type).items():
                needs.setdefault(name, place)
            self._members.append(Member(struct, item, type, position == len(items) - 1, alone))
            yield Field(
                **common(item),
                type=type,
                bit_width=item.number("bits"),
                alignment=item.number("alignment"),
                group=group,
                count=item.text("count"),
                allocated_by=Party(item.text("allocated_by")),
                destroy=item.text("destroy"),
                version_part=item.text("version_part"),
                excludes=item.text("excludes"),
                pattern=item.text("pattern"),
                stands_for=item.text("stands_for"),
            )

    def _size_constant(self, plan: StructPlan, last: Field) -> None:
        item = plan.item
        if last.bit_width is not None or (isinstance(last.type, Array) and last.type.length is None):
            what = "a bit-field" if last.bit_width is not None else "an array without length"
            message = f"'{item.name}' ends with {what}, whose end no macro can compute"
            self.report.error(last.span, message, "append a plain member, or state size_macro: false")
            return
        self.entities.size_constants[plan.size_macro] = SizeConstant(
            name=plan.size_macro,
            span=plan.size_macro_span,
            contract=age(item),
            struct=item.name,
            last_member=last.name,
            form="macro",
            expression=end_of_member(NamedType(item.name), last.name),
        )

    def _needs(self, scalar: Scalar | None, type: CType) -> dict[str, Span]:
        """What a type that was just read needs, each with the place to blame."""
        place = scalar.span if scalar else None
        needs = dict(self.types.used_macros)
        if place is not None:
            for name in needs_of(type, self._forward, self._enum_of):
                needs.setdefault(name, place)
        return needs
