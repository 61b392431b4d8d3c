"""From the items of a spec to the entities of an API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict, TypeVar

from abigen.model.ctype import (
    Array,
    Basic,
    BitInt,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
)
from abigen.model.entities import (
    Callback,
    Constant,
    Contract,
    Entity,
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
from abigen.model.standard import BUILT_IN
from abigen.read.spec.cases import Choice
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report
from abigen.read.spec.names import tag_of
from abigen.read.spec.needs import expression_needs, names_in, needs_of
from abigen.read.spec.nodes import Scalar
from abigen.read.spec.order import Declaration, needs_first
from abigen.read.spec.plan import StructPlan
from abigen.read.spec.types import TypeReader

AnyEntity = TypeVar("AnyEntity", bound=Entity)


@dataclass
class Entities:
    """The entities of a spec, and what each one needs to see before it."""

    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    size_constants: dict[str, SizeConstant] = field(default_factory=dict)
    declarations: list[Declaration] = field(default_factory=list)

    def sort(self, order: Sequence[str]) -> None:
        """Put all entities in the order of declaration; what is not declared by itself comes last."""
        places = {name: position for position, name in enumerate(order)}
        self.structs = _sorted(self.structs, places)
        self.enums = _sorted(self.enums, places)
        self.typedefs = _sorted(self.typedefs, places)
        self.functions = _sorted(self.functions, places)
        self.constants = _sorted(self.constants, places)
        self.macros = _sorted(self.macros, places)
        of_struct = {name: places.get(each.struct, len(places)) for name, each in self.size_constants.items()}
        self.size_constants = _sorted(self.size_constants, of_struct)

    def types(self) -> Iterable[CType]:
        """All types that stand in declarations."""
        for struct in self.structs.values():
            yield from (each.type for each in struct.fields or ())
        for function in self.functions.values():
            yield function.type
        for typedef in self.typedefs.values():
            yield typedef.type


def _sorted(group: Mapping[str, AnyEntity], places: Mapping[str, int]) -> dict[str, AnyEntity]:
    return dict(sorted(group.items(), key=lambda each: places.get(each[0], len(places))))


@dataclass(frozen=True)
class _Member:
    """A member whose type can only be judged when all types are known."""

    struct: Item
    item: Item
    type: CType
    last: bool
    alone: bool
    """Whether it is the only one."""


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
        self._members: list[_Member] = []
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
            self._check_member(member)
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
            words = {word for text in texts for word in re.findall(r"\w+", text)}
            needs[name] = [enum for word, enum in self._enum_of.items() if word in words and enum != name]
        return (items[name] for name in needs_first(needs))

    def _declare(self, kind: str, item: Item, needs: Mapping[str, Span] | None = None) -> None:
        self.entities.declarations.append(Declaration(kind, item.name, item.name_span, needs or {}))

    def _macro(self, item: Item) -> None:
        parameters = tuple(scalar.text for scalar in item.scalars("parameters"))
        body = _folded(item.text("body"))
        self.entities.macros[item.name] = Macro(**_common(item), parameters=parameters, body=body)
        self._declare("macro", item)

    def _constant(self, item: Item) -> None:
        scalar = self.choice.text(item)
        text = _folded(scalar.text) if scalar else ""
        type = self.types.type_constants.get(item.name)
        expression = None if type or not scalar else self.types.try_expression(scalar)
        self.entities.constants[item.name] = Constant(**_common(item), text=text, expression=expression)
        if type is not None:
            self.entities.typedefs[item.name] = replace(Typedef(**_common(item), type=type), in_api=False)
        self._declare("constant", item)

    def _typedef(self, item: Item) -> None:
        type = self.types.type(item.scalar("type"))
        if type is not None:
            self.entities.typedefs[item.name] = Typedef(**_common(item), type=type)
            self._declare("typedef", item, self._needs(item.scalar("type"), type))

    def _handle(self, item: Item) -> None:
        by_pointer = item.flag("by_pointer", default=True)
        tag = tag_of(item, "handle")
        key = self.types.tags[tag][1]
        if key not in self.entities.structs and key not in self.types.context.structs:
            span = item.span("tag") if item.has("tag") else item.name_span
            names = tuple(
                each.name
                for each in self._named("handles")
                if not each.flag("by_pointer", default=True) and tag_of(each, "handle") == tag
            )
            self.entities.structs[key] = Struct(
                name=key, span=span, contract=_age(item), tag=tag, typedef_names=names, fields=None
            )
        self.entities.typedefs[item.name] = Handle(
            **_common(item),
            type=Pointer(RecordType(key)) if by_pointer else RecordType(key),
            tag=tag,
            by_pointer=by_pointer,
            defined_by=item.text("defined_by"),
            create=item.text("create"),
            destroy=item.text("destroy"),
        )
        self._declare("handle", item)

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
            **_common(item), type=type, function=target, by_pointer=isinstance(type, Pointer)
        )
        self._declare("callback", item, self._needs(scalar, type))

    def _function(self, item: Item) -> None:
        scalar = item.scalar("type")
        type = self.types.type(scalar)
        if type is None:
            return
        if not isinstance(type, FunctionType):
            hint = "void (int32_t ordinal, TF_Status* status)"
            self.report.error(item.span("type"), f"the type of the function '{item.name}' is no function", hint)
            return
        entry_point = item.flag("entry_point")
        self.entities.functions[item.name] = Function(
            **_common(item),
            type=type,
            implemented_by=item.text("implemented_by", "plugin" if entry_point else ""),
            entry_point=entry_point,
        )
        self._declare("function", item, self._needs(scalar, type))

    def _enum(self, item: Item) -> None:
        enumerators: list[Enumerator] = []
        needs: dict[str, Span] = {}
        value: int | None = -1  # None: it depends on the target, and so do those that follow
        for each in item.items("enumerators"):
            if not each.name:
                continue
            scalar = each.scalar("value")
            expression = self.types.expression(scalar)
            if expression is not None and scalar is not None:
                self._check_enumerators_before(item, each, expression, [known.name for known in enumerators])
                needs |= dict.fromkeys(expression_needs(expression, self._forward, self._enum_of), scalar.span)
                needs |= self.types.used_macros
                value = self.types.fold(expression)
            elif value is not None:
                value += 1
            self.types.know_enumerator(each.name, value)
            enumerators.append(Enumerator(**_common(each), value=value or 0, expression=expression))
        needs.pop(item.name, None)
        underlying = self.types.type(item.scalar("underlying"))
        if underlying is not None:
            needs |= self._needs(item.scalar("underlying"), underlying)
            if not self._is_integer(underlying):
                self.report.error(item.span("underlying"), f"the type behind '{item.name}' has to be an integer type")
        tag = tag_of(item, "enum")
        self.entities.enums[item.name] = Enum(
            **_common(item),
            tag=tag,
            typedef_names=(item.name,),
            enumerators=tuple(enumerators),
            underlying=underlying,
        )
        self.entities.typedefs[item.name] = Typedef(**_common(item), type=EnumType(item.name))
        self._declare("enum", item, needs)

    def _check_enumerators_before(self, enum: Item, item: Item, expression: Expression, known: Sequence[str]) -> None:
        """An enumerator can be computed from those before it only."""
        for name in names_in(expression):
            if self._enum_of.get(name) == enum.name and name not in known:
                message = f"'{item.name}' is computed from '{name}', which is not known before it"
                self.report.error(item.span("value"), message)

    def _struct(self, plan: StructPlan) -> None:
        item = plan.item
        needs: dict[str, Span] = {}
        fields = [*self._leading(plan), *self._own_fields(item, needs)]
        self.entities.structs[item.name] = Struct(
            **_common(item),
            kind=item.text("kind", "struct"),
            tag=tag_of(item, "struct"),
            typedef_names=(item.name,),
            fields=tuple(fields),
            packed=item.flag("packed"),
            alignment=item.number("alignment"),
        )
        self.entities.typedefs[item.name] = Typedef(**_common(item), type=RecordType(item.name))
        self._declare("struct", item, needs)
        if plan.size_macro and fields:
            self._size_constant(plan, fields[-1])

    def _leading(self, plan: StructPlan) -> Iterable[Field]:
        for each in plan.leading:
            type = self.types.type_of(list(each.type), each.span)
            if type is not None:
                yield Field(name=each.name, span=plan.item.name_span, doc=_clean(each.doc), type=type)

    def _own_fields(self, struct: Item, needs: dict[str, Span]) -> Iterable[Field]:
        items = struct.items("fields")
        group = ""
        for position, item in enumerate(items):
            group = item.text("group", group)
            scalar = item.scalar("type")
            type = self.types.type(scalar)
            if type is None or not item.name or scalar is None:
                continue
            for name, place in self._needs(scalar, type).items():
                needs.setdefault(name, place)
            self._members.append(_Member(struct, item, type, position == len(items) - 1, len(items) == 1))
            yield Field(
                **_common(item),
                type=type,
                bit_width=item.number("bits"),
                alignment=item.number("alignment"),
                group=group,
                count=item.text("count"),
            )

    def _check_member(self, member: _Member) -> None:
        """What cannot be the type of a member (C 6.7.2.1)."""
        item, type = member.item, member.type
        place = item.span("type")
        resolved = self._resolve(type)
        if isinstance(resolved, FunctionType):
            hint = "write a pointer to it: 'void (*)(void* arg)'"
            self.report.error(place, f"the member '{item.name}' cannot be a function", hint)
        elif resolved == Basic("void"):
            self.report.error(place, f"the member '{item.name}' cannot be void", "'void*' is a pointer to anything")
        elif isinstance(resolved, Array) and resolved.length is None:
            if not member.last or member.alone or member.struct.text("kind") == "union":
                message = f"'{item.name}' has no length: only the last of several members of a struct can do without"
                self.report.error(place, message)
        elif isinstance(resolved, RecordType) and self._is_opaque(resolved.key):
            message = f"the member '{item.name}' has a type whose size nobody knows: {_named(type)} is opaque"
            self.report.error(place, message, f"hold it by pointer: {_named(type)}*")
        if item.has("bits") and not self._is_integer(type):
            self.report.error(
                item.span("bits"), f"'{item.name}' is not of an integer type, so it cannot be a bit-field"
            )
        if item.has("count") and not isinstance(resolved, Pointer):
            self.report.error(item.span("count"), f"'{item.name}' is no pointer, so it has no count")

    def _is_opaque(self, key: str) -> bool:
        struct = self.entities.structs.get(key) or self.types.context.structs.get(key)
        return struct is not None and struct.fields is None

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
            contract=_age(item),
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

    def _resolve(self, type: CType) -> CType:
        """Without typedefs and qualifiers at the top, as far as they are known."""
        for _ in range(1000):
            if isinstance(type, Qualified):
                type = type.type
            elif isinstance(type, NamedType):
                typedef = self.entities.typedefs.get(type.name) or self.types.context.typedefs.get(type.name)
                known = typedef.type if typedef else BUILT_IN.get(type.name)
                if known is None:
                    break
                type = known
            else:
                break
        return type

    def _is_integer(self, type: CType) -> bool:
        resolved = self._resolve(type)
        if isinstance(resolved, NamedType):  # the standard library's integer types
            return True
        if isinstance(resolved, Basic):
            return not any(word in resolved.name for word in ("float", "double", "void", "va_list", "bf16", "Float"))
        return isinstance(resolved, (EnumType, BitInt))


class _Common(TypedDict):
    """What all entities have."""

    name: str
    span: Span
    doc: str
    contract: Contract


def _common(item: Item) -> _Common:
    """What all entities have, from the keys of an item."""
    return {"name": item.name, "span": item.name_span, "doc": _clean(item.text("doc")), "contract": item.contract()}


def _age(item: Item) -> Contract:
    """The age alone, for what comes along with an entity."""
    return Contract(since=item.version("since"))


def _clean(doc: str) -> str:
    return doc.strip()


def _folded(text: str) -> str:
    """A macro's body with white space folded, as the model has it."""
    return " ".join(text.split())


def _named(type: CType) -> str:
    inner = type.type if isinstance(type, Qualified) else type
    return inner.name if isinstance(inner, NamedType) else inner.key if isinstance(inner, RecordType) else "it"
