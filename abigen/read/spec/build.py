"""From the items of a spec to the entities of an API."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from abigen.model.contract import NO_CONTRACT, Condition, Contract, Lifecycle, Party, Requirement, Zero
from abigen.model.ctype import Array, CType, EnumType, Expression, FunctionType, NamedType, Pointer, RecordType
from abigen.model.entities import (
    Callback,
    Constant,
    Entity,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Macro,
    ObjectCallbacks,
    SizeConstant,
    Struct,
    Typedef,
)
from abigen.model.releases import end_of_member
from abigen.model.span import Span
from abigen.read.c.preprocessor.scan import folded
from abigen.read.document.problems import Problems
from abigen.read.document.tree import Item, Scalar
from abigen.read.spec.cases import Choice
from abigen.read.spec.names import tag_of
from abigen.read.spec.order import Declaration, needs_first, needs_of
from abigen.read.spec.structs import StructPlan
from abigen.read.spec.types import TypeReader

AnyEntity = TypeVar("AnyEntity", bound=Entity)
RETURN = "return"
"""What stands for the result that is returned; no parameter can have this name."""
_CONTRACT = frozenset(
    {"zero", "optional", "required", "deprecated", "replaces", "must_be_understood", "set_by", "since", "reserved"}
)


@dataclass
class Entities:
    """The entities of a spec, by name, and what each one needs to see before it."""

    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    size_constants: dict[str, SizeConstant] = field(default_factory=dict)
    declarations: list[Declaration] = field(default_factory=list)

    def types(self) -> Iterable[CType]:
        """All types that stand in declarations."""
        for struct in self.structs.values():
            yield from (each.type for each in struct.fields or ())
        yield from (each.type for each in self.functions.values())
        yield from (each.type for each in self.typedefs.values())


def contract_of(item: Item) -> Contract:
    """What all keys of the contract say; those that this kind of item cannot have read as not said."""
    if _CONTRACT.isdisjoint(item.values):
        return NO_CONTRACT
    condition, deprecated = item.item("required"), item.item("deprecated")
    requirement = Requirement.OPTIONAL if item.flag("optional") else Requirement.UNSAID
    if isinstance(item.values.get("required"), Item):
        requirement = Requirement.CONDITIONAL
    elif item.flag("required"):
        requirement = Requirement.REQUIRED
    return Contract(
        zero=Zero(item.text("zero")),
        requirement=requirement,
        condition=Condition(condition.text("when"), condition.text("unless")),
        must_be_understood=item.flag("must_be_understood"),
        set_by=Party(item.text("set_by")),
        reserved=item.flag("reserved"),
        lifecycle=Lifecycle(
            since=item.version("since"),
            deprecated=item.flag("deprecated") or isinstance(item.values.get("deprecated"), Item),
            deprecated_since=deprecated.version("since"),
            replaced_by=deprecated.text("use"),
            replaces=item.text("replaces"),
        ),
    )


class Builder:
    """Builds all entities of one spec; what is wrong with one does not stop the others."""

    def __init__(
        self, root: Item, plans: Sequence[StructPlan], types: TypeReader, choice: Choice, problems: Problems
    ) -> None:
        """Prepare to build the entities of a spec whose names have been collected."""
        self.root = root
        self.plans = [plan for plan in plans if plan.item.name]
        self.types = types
        self.choice = choice
        self.problems = problems
        self.entities = Entities()
        self._forward = frozenset(plan.item.name for plan in self.plans if tag_of(plan.item, "struct"))
        self._enum_of = {
            each.name: enum.name for enum in root.items("enums") for each in enum.items("enumerators") if each.name
        }
        self._direct_handles: dict[str, list[str]] = {}
        """Tag of an opaque struct to the handles that stand for the struct itself."""
        for item in self._named("handles"):
            if not item.flag("by_pointer", default=True):
                self._direct_handles.setdefault(tag_of(item, "handle"), []).append(item.name)

    def build(self) -> Entities:
        """Build everything, in the default order of declaration."""
        for item in self._named("macros"):
            body = folded(item.text("body"))
            macro = Macro(**_common(item), parameters=item.texts("parameters"), body=body)
            self.entities.macros[item.name] = macro
            self._declare("macro", item)
        for item in self._named("constants"):
            self._constant(item)
        for item in self._named("typedefs"):
            if type := self.types.type(item.scalar("type")):
                self.entities.typedefs[item.name] = Typedef(**_common(item), type=type)
                self._declare("typedef", item, self._needs(item, type))
        for item in self._named("handles"):
            self._handle(item)
        for item in self._enums_by_need():
            self._enum(item)
        for item in self._named("callbacks"):
            self._callback(item)
        for plan in self.plans:
            self._struct(plan)
        for item in self._named("functions"):
            self._function(item)
        return self.entities

    def _named(self, key: str) -> Iterable[Item]:
        return (item for item in self.root.items(key) if item.name)

    def _enums_by_need(self) -> Iterable[Item]:
        """The enumerations, those first whose enumerators others compute with."""
        items = {item.name: item for item in self._named("enums")}
        needs: dict[str, list[str]] = {}
        for name, item in items.items():
            words = [word for each in item.items("enumerators") for word in re.findall(r"\w+", each.text("value"))]
            needs[name] = [self._enum_of[word] for word in dict.fromkeys(words) if word in self._enum_of]
        return (items[name] for name in needs_first(needs))

    def _declare(self, kind: str, item: Item, needs: Mapping[str, Span] | None = None) -> None:
        self.entities.declarations.append(Declaration(kind, item.name, item.name_span, needs or {}))

    def _needs(self, item: Item, what: CType | Expression, key: str = "type") -> dict[str, Span]:
        """What a type or expression that was just read needs, each with the place to blame."""
        return dict.fromkeys(needs_of(what, self._forward, self._enum_of.get), item.place(key)) | self.types.used_macros

    def _constant(self, item: Item) -> None:
        scalar = self.choice.text(item)
        type = self.types.type_constants.get(item.name)
        expression = None if type or not scalar else self.types.try_expression(scalar)
        text = folded(scalar.text) if scalar else ""
        self.entities.constants[item.name] = Constant(**_common(item), text=text, expression=expression)
        if type is not None:
            self.entities.typedefs[item.name] = replace(Typedef(**_common(item), type=type), in_api=False)
        self._declare("constant", item)

    def _handle(self, item: Item) -> None:
        by_pointer = item.flag("by_pointer", default=True)
        tag = tag_of(item, "handle")
        key = self.types.tags[tag][1]
        if key not in self.entities.structs and key not in self.types.context.structs:
            self.entities.structs[key] = Struct(
                name=key,
                span=item.place("tag") if item.has("tag") else item.name_span,
                contract=_age(item),
                tag=tag,
                typedef_names=tuple(self._direct_handles.get(tag, ())),
                fields=None,
            )
        self.entities.typedefs[item.name] = Handle(
            **_common(item),
            type=Pointer(RecordType(key)) if by_pointer else RecordType(key),
            tag=tag,
            by_pointer=by_pointer,
            defined_by=Party(item.text("defined_by")),
            create=item.text("create"),
            destroy=item.text("destroy"),
            failure=item.text("failure"),
        )
        self._declare("handle", item)

    def _callback(self, item: Item) -> None:
        type = self.types.type(item.scalar("type"))
        if type is None:
            return
        target = type.target if isinstance(type, Pointer) else type
        if not isinstance(target, FunctionType):
            message = f"the callback '{item.name}' is no function and no pointer to one"
            self.problems.error(item.place("type"), message, "void (*)(void* arg)")
            return
        by_pointer = isinstance(type, Pointer)
        self.entities.typedefs[item.name] = Callback(**_common(item), type=type, function=target, by_pointer=by_pointer)
        self._declare("callback", item, self._needs(item, type))

    def _function(self, item: Item) -> None:
        type = self.types.type(item.scalar("type"))
        if type is None:
            return
        if not isinstance(type, FunctionType):
            hint = "void (int32_t ordinal, void* result)"
            self.problems.error(item.place("type"), f"the type of the function '{item.name}' is no function", hint)
            return
        entry_point = item.flag("entry_point")
        gives, object = item.texts("gives"), item.item("object")
        self._check_parameters(item, type)
        self.entities.functions[item.name] = Function(
            **_common(item),
            type=type,
            implemented_by=Party(item.text("implemented_by", "plugin" if entry_point else "")),
            entry_point=entry_point,
            # What a function gives through a parameter is an output, whether or not it is listed so.
            outputs=tuple(dict.fromkeys([*item.texts("outputs"), *(each for each in gives if each != RETURN)])),
            gives=gives,
            takes=item.texts("takes"),
            object=ObjectCallbacks(object.text("create"), object.texts("methods"), object.text("destroy"))
            if item.has("object")
            else None,
        )
        self._declare("function", item, self._needs(item, type))

    def _check_parameters(self, item: Item, type: FunctionType) -> None:
        """What the spec says of parameters has to name parameters, and outputs have to be pointers."""
        known = {each.name: each.type for each in type.parameters if each.name}
        pointers = [name for name, each in known.items() if isinstance(each, Pointer)]
        object = item.item("object")
        parts = (object.scalar("create"), *object.scalars("methods"), object.scalar("destroy"))
        stated: list[tuple[Sequence[Scalar | None], Collection[str]]] = [
            (item.scalars("outputs"), pointers),
            (item.scalars("gives"), [*known, RETURN]),
            (item.scalars("takes"), known),
            (parts, known),
        ]
        for scalars, possible in stated:
            for scalar in scalars:
                if scalar is not None and scalar.text not in possible:
                    message = f"there is no parameter '{scalar.text}'"
                    self.problems.unknown(
                        scalar.span, message, scalar.text, [each for each in possible if each != RETURN]
                    )

    def _enum(self, item: Item) -> None:
        enumerators: list[Enumerator] = []
        known: set[str] = set()
        needs: dict[str, Span] = {}
        value: int | None = -1  # None: it depends on the target, and so do those that follow
        for each in item.items("enumerators"):
            if not each.name:
                continue
            expression = self.types.expression(each.scalar("value"))
            if expression is not None:
                for name in needs_of(expression, frozenset(), lambda name: name):
                    if self._enum_of.get(name) == item.name and name not in known:
                        message = f"'{each.name}' is computed from '{name}', which is not known before it"
                        self.problems.error(each.place("value"), message)
                needs |= self._needs(each, expression, "value")
                value = self.types.fold(expression)
            elif value is not None:
                value += 1
            self.types.know_enumerator(each.name, value)
            known.add(each.name)
            enumerators.append(Enumerator(**_common(each), value=value or 0, expression=expression))
        needs.pop(item.name, None)
        underlying = self.types.type(item.scalar("underlying"))
        if underlying is not None:
            needs |= self._needs(item, underlying, "underlying")
        self.entities.enums[item.name] = Enum(
            **_common(item),
            tag=tag_of(item, "enum"),
            typedef_names=(item.name,),
            enumerators=tuple(enumerators),
            underlying=underlying,
        )
        self.entities.typedefs[item.name] = Typedef(**_common(item), type=EnumType(item.name))
        self._declare("enum", item, needs)

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
            create=item.text("create"),
            destroy=item.text("destroy"),
            alignment=item.number("alignment"),
        )
        self.entities.typedefs[item.name] = Typedef(**_common(item), type=RecordType(item.name))
        self._declare("struct", item, needs)
        if plan.size_macro and fields:
            self._size_constant(plan, fields[-1])

    def _leading(self, plan: StructPlan) -> Iterable[Field]:
        for each in plan.leading:
            if type := self.types.type_of(each.type, each.span):
                yield Field(name=each.name, span=plan.item.name_span, doc=each.doc.strip(), type=type)

    def _own_fields(self, struct: Item, needs: dict[str, Span]) -> Iterable[Field]:
        group = ""
        for item in struct.items("fields"):
            group = item.text("group", group)
            type = self.types.type(item.scalar("type"))
            if type is None or not item.name:
                continue
            for name, place in self._needs(item, type).items():
                needs.setdefault(name, place)
            yield Field(
                **_common(item),
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
            self.problems.error(last.span, message, "append a plain member, or state size_macro: false")
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


def _common(item: Item) -> dict[str, Any]:
    """What all entities have, from the keys of an item."""
    doc = item.text("doc").strip()
    return {"name": item.name, "span": item.name_span, "doc": doc, "contract": contract_of(item)}


def _age(item: Item) -> Contract:
    """The age alone, for what comes along with an entity."""
    return Contract(lifecycle=Lifecycle(since=item.version("since")))
