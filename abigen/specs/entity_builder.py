"""Builds the entities of an API from the items of a spec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from abigen.headers.preprocessor.lexemes import folded
from abigen.model import entities
from abigen.model.attributes import CONTRACT, EntityAttribute, Value, attributes_of
from abigen.model.contract import NO_CONTRACT, Contract, Lifecycle, Party, Requirement, Zero
from abigen.model.ctype import Array, CType, EnumType, Expression, FunctionType, Literal, NamedType, Pointer, RecordType
from abigen.model.releases import end_of_member, size_steps
from abigen.model.span import Span
from abigen.specs.c_types import TypeReader
from abigen.specs.header_plan import OrderedDeclaration, needs_first, needs_of
from abigen.specs.spec_names import (
    GROUPS,
    StructPlan,
    enum_key,
    has_typedef,
    inner_keys,
    is_by_pointer,
    since_macros,
    tag_of,
)
from abigen.workspace.document.tree import Item, Problems

Entities: TypeAlias = Mapping[str, dict[str, Any]]
"""Entities of a spec by group, as `Api` has them, and by name."""
_Type = TypeVar("_Type", bound=CType)
_Record = TypeVar("_Record", bound=Struct)


def types_of(entities: Entities) -> Iterable[CType]:
    """Yield all types that stand in declarations."""
    for struct in entities["structs"].values():
        yield from (each.type for each in struct.fields or ())
    yield from (each.type for group in ("functions", "typedefs", "variables") for each in entities[group].values())
    for enum in entities["enums"].values():
        yield from (each for each in (enum.underlying, enum.cpp_underlying) if each)


def _typedef_names(item: Item) -> tuple[str, ...]:
    """Return the typedefs of a struct or enumeration."""
    return (*((item.name,) if has_typedef(item) else ()), *item.texts("also"))


class Builder:
    """Builds all entities of one spec; what is wrong with one does not stop the others."""

    def __init__(self, root: Item, plans: Sequence[StructPlan], types: TypeReader, problems: Problems) -> None:
        """Prepare to build the entities of a spec whose names have been collected."""
        self.root = root
        self.plans = [plan for plan in plans if plan.item.name]
        self.types = types
        self.problems = problems
        self.entities: Entities = {group: {} for group in GROUPS}
        self.declarations: list[OrderedDeclaration] = []
        self.unvalued: set[str] = set()
        """Enumerators whose values follow from the sizes of types, which only a target knows."""
        self._forward = frozenset(plan.item.name for plan in self.plans if tag_of(plan.item, "struct"))
        self._enum_of = {
            each.name: enum_key(enum) for enum in root.items("enums") for each in enum.items("enumerators") if each.name
        }
        self.parameters: list[tuple[Item, CType]] = []
        """The facts about NULL as a parameter, with the types of the parameters."""
        self._direct_handles: dict[str, list[str]] = {}
        """Tag of an opaque struct to the handles that stand for the struct itself."""
        for item in self._named("handles"):
            if has_typedef(item) and not is_by_pointer(item):
                self._direct_handles.setdefault(tag_of(item, "handle"), []).append(item.name)

    def build(self) -> Entities:
        """Build everything, in the default order of declaration."""
        for item in self._named("macros"):
            scalar = self.types.choice.text(item)
            body = folded(scalar.text) if scalar else ""
            self._add("macro", item, entities.Macro(**_common(item), parameters=item.texts("parameters"), body=body))
        for item in self._named("constants"):
            self._constant(item)
        for name, item in since_macros(self.root):
            one = entities.Constant(
                name=name, span=item.name_span, contract=_age(item), text="1", expression=Literal(1, "int")
            )
            self._add("constant", item, one)
        for item in self._named("typedefs"):
            if type := self.types.type(item.scalar("type")):
                made = entities.Typedef(**_common(item, entities.Typedef), type=type)
                self._add("typedef", item, made, self._needs(item, type))
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
        for item in self._named("variables"):
            if type := self.types.type(item.scalar("type")):
                by = Party(item.text("implemented_by")) or (Party.PLUGIN if item.flag("entry_point") else Party.UNKNOWN)
                stated = _common(item, entities.Variable) | {"implemented_by": by}
                self._add("variable", item, entities.Variable(**stated, type=type), self._needs(item, type))
        return self.entities

    def _named(self, key: str) -> Iterable[Item]:
        return (item for item in self.root.items(key) if item.name)

    def _add(self, kind: str, item: Item, entity: entities.Entity, needs: Mapping[str, Span] | None = None) -> None:
        """Enter an entity, and what has to be declared before it."""
        group = "typedefs" if isinstance(entity, entities.Typedef) else f"{kind}s"
        self.entities[group][entity.name] = entity
        self.declarations.append(OrderedDeclaration(kind, entity.name, item.name_span, needs or {}))

    def _enums_by_need(self) -> Iterable[Item]:
        """Return the enumerations, those first whose enumerators others compute with."""
        items = {enum_key(item): item for item in self.root.items("enums") if item.name or "name" not in item.keys}
        needs: dict[str, list[str]] = {}
        for name, item in items.items():
            words = [word for each in item.items("enumerators") for word in re.findall(r"\w+", each.text("value"))]
            needs[name] = [self._enum_of[word] for word in dict.fromkeys(words) if word in self._enum_of]
        return (items[name] for name in needs_first(needs))

    def _needs(self, item: Item, what: CType | Expression, key: str = "type") -> dict[str, Span]:
        """Return the names that a type or expression that was just read needs, each with its place."""
        return dict.fromkeys(needs_of(what, self._forward, self._enum_of.get), item.place(key)) | self.types.used_macros

    def _constant(self, item: Item) -> None:
        scalar = self.types.choice.text(item)
        type = self.types.type_constants.get(item.name)
        expression = None if type or not scalar else self.types.try_expression(scalar)
        text = folded(scalar.text) if scalar else ""
        self._add("constant", item, entities.Constant(**_common(item), text=text, expression=expression))
        if type is not None:
            self.entities["typedefs"][item.name] = entities.Typedef(**_common(item), type=type, in_api=False)

    def _handle(self, item: Item) -> None:
        by_pointer = is_by_pointer(item)
        tag = tag_of(item, "handle")
        key = self.types.tags[tag][1]
        if key not in self.entities["structs"] and key not in self.types.context.structs:
            self.entities["structs"][key] = entities.Struct(
                name=key,
                span=item.place("tag") if item.has("tag") else item.name_span,
                contract=_age(item),
                tag=tag,
                typedef_names=tuple(self._direct_handles.get(tag, ())),
            )
        if not has_typedef(item):
            if key in self.entities["structs"]:
                self._add("struct", item, self.entities["structs"][key])
            else:
                place = self.types.context.structs[key].span
                by = place.file if place else "a header that this one includes"
                self.problems.error(item.name_span, f"struct {tag} is declared by {by} already", "leave this out")
            return
        handle = entities.Handle(
            **_common(item, entities.Handle),
            type=Pointer(RecordType(key)) if by_pointer else RecordType(key),
            tag=tag,
            by_pointer=by_pointer,
        )
        self._add("handle", item, handle)

    def _callback(self, item: Item) -> None:
        type = self.types.type(item.scalar("type"))
        by_pointer = isinstance(type, Pointer)
        target = type.target if isinstance(type, Pointer) else type
        if type and isinstance(target, FunctionType):
            told = self._parameter_facts(item, target)
            target = with_docs(target, item)
            type = replace(type, target=target) if isinstance(type, Pointer) else target
            callback = entities.Callback(
                **_common(item, entities.Callback), **told, type=type, function=target, by_pointer=by_pointer
            )
            self._add("callback", item, callback, self._needs(item, type))
        elif type:
            message = f"the callback '{item.name}' is no function and no pointer to one"
            self.problems.error(item.place("type"), message, "void (*)(void* arg)")

    def _function(self, item: Item) -> None:
        type = self.types.type(item.scalar("type"))
        if isinstance(type, FunctionType):
            function = entities.Function(
                **(_common(item, entities.Function) | self._parameter_facts(item, type)), type=with_docs(type, item)
            )
            by = function.implemented_by or (Party.PLUGIN if function.entry_point else Party.UNKNOWN)
            # What a function gives through a parameter is an output, whether or not it is listed so.
            outputs = dict.fromkeys(each for each in (*function.outputs, *function.gives) if each != "return")
            function = replace(function, implemented_by=by, outputs=tuple(outputs))
            self._add("function", item, function, self._needs(item, type))
        elif type:
            hint = "void (int32_t ordinal, void* result)"
            self.problems.error(item.place("type"), f"the type of the function '{item.name}' is no function", hint)

    def _parameter_facts(self, item: Item, type: CType) -> dict[str, Any]:
        """Return the parameters that may be NULL or not; what names parameters that there are not is reported."""
        function = type.target if isinstance(type, Pointer) else type
        said = [each for each in item.items("parameters") if each.name]
        for key, purpose in {"retains": "that it could keep", "parameters": "to say something of"}.items():
            if item.nodes(key) and not isinstance(function, FunctionType):
                hint = "name the type of the function among the callbacks, and say it there"
                self.problems.error(item.place(key), f"'{item.name}' has no parameters {purpose}", hint)
        if not isinstance(function, FunctionType):
            return {}
        known = {each.name: each for each in function.parameters if each.name}
        named = [item.scalar("listed_by"), *(each.scalar("name") for each in said)]
        counts = (each.scalar("count") for each in said)
        named += [each for each in counts if each is not None and each.text.isidentifier()]
        for scalar in (*item.scalars("retains"), *filter(None, named)):
            if scalar.text not in known:
                message = f"'{item.name}' has no parameter '{scalar.text}'"
                self.problems.unknown(scalar.span, message, scalar.text, known)
        self.parameters += [(each, known[each.name].type) for each in said if each.name in known]
        told = {
            key: tuple(each.name for each in said if each.has("nullable") and each.flag("nullable") is may)
            for key, may in (("nullable", True), ("non_null", False))
        }
        marked = {"outputs": ("output", "given"), "gives": ("given",), "takes": ("taken",)}
        for key, flags in marked.items():
            names = (each.name for each in said if any(each.flag(flag) for flag in flags))
            told[key] = tuple(dict.fromkeys((*item.texts(key), *names)))
        return {key: names for key, names in told.items() if names}

    def _enum(self, item: Item) -> None:
        key = enum_key(item)
        enumerators: dict[str, entities.Enumerator] = {}
        needs: dict[str, Span] = {}
        value: Expression | int = -1  # an expression: it depends on the target, and so do those that follow
        for each in item.items("enumerators"):
            if not each.name:
                continue
            expression = self.types.expression(each.scalar("value"))
            if expression is not None:
                for name in needs_of(expression, frozenset(), lambda name: name):
                    if self._enum_of.get(name) == key and name not in enumerators:
                        message = f"'{each.name}' is computed from '{name}', which is not known before it"
                        self.problems.error(each.place("value"), message)
                needs |= self._needs(each, expression, "value")
                value = self.types.fold(expression)
            elif isinstance(value, int):
                value += 1
            self.types.know_enumerator(each.name, value)
            number = value if isinstance(value, int) else 0
            if not isinstance(value, int):
                self.unvalued.add(each.name)
            enumerators[each.name] = entities.Enumerator(**_common(each), value=number, expression=expression)
        needs.pop(key, None)
        underlying = self.types.type(item.scalar("underlying"))
        if underlying is not None:
            needs |= self._needs(item, underlying, "underlying")
        cpp_underlying = self.types.type(item.scalar("cpp_underlying"))
        if cpp_underlying is not None:
            needs |= self._needs(item, cpp_underlying, "cpp_underlying")
        for wrong in [each for each in ("tag", "typedef", "underlying", "flags") if item.has(each) and not item.name]:
            self.problems.error(item.place(wrong), f"an enumeration without a name has no {wrong}")
        enum = entities.Enum(
            **_common(item, entities.Enum) | {"name": key},
            tag=tag_of(item, "enum"),
            typedef_names=_typedef_names(item) if item.name else (),
            anonymous=not item.name,
            enumerators=tuple(enumerators.values()),
            underlying=underlying,
            cpp_underlying=cpp_underlying,
        )
        self._add("enum", item, enum, needs)
        if item.name and has_typedef(item):
            self.entities["typedefs"][item.name] = entities.Typedef(**_common(item), type=EnumType(item.name))
        self._also(item, EnumType(key))

    def _also(self, item: Item, type: CType) -> None:
        """Enter the other typedefs of a struct or enumeration."""
        for name in item.scalars("also"):
            made = entities.Typedef(name=name.text, span=name.span, contract=_age(item), type=type)
            self.entities["typedefs"][name.text] = made
            self.declarations.append(OrderedDeclaration("typedef", name.text, name.span, {item.name: name.span}))

    def _struct(self, plan: StructPlan) -> None:
        item = plan.item
        needs: dict[str, Span] = {}
        fields = tuple(self._fields(plan, needs))
        struct = entities.Struct(
            **_common(item, entities.Struct),
            kind=item.text("kind", "struct"),
            tag=tag_of(item, "struct"),
            typedef_names=_typedef_names(item),
            fields=fields,
            packed=item.flag("packed"),
            alignment=item.number("alignment"),
        )
        self._add("struct", item, struct, needs)
        if has_typedef(item):
            self.entities["typedefs"][item.name] = entities.Typedef(**_common(item), type=RecordType(item.name))
        self._also(item, RecordType(item.name))
        if plan.size_macro and fields:
            self._size_constant(plan, fields[-1], named=all(each.last_member for each in size_steps(struct)))

    def _fields(self, plan: StructPlan, needs: dict[str, Span]) -> Iterable[entities.Field]:
        for each in plan.leading:
            if type := self.types.type_of(each.type, each.span):
                yield entities.Field(name=each.name, span=plan.item.name_span, doc=each.doc.strip(), type=type)
        around = entities.Struct(name=plan.item.name, contract=_age(plan.item), packed=plan.item.flag("packed"))
        yield from self._members(plan.item, around, needs)

    def _members(self, owner: Item, struct: entities.Struct, needs: dict[str, Span]) -> Iterable[entities.Field]:
        """Yield the members that a struct lists; those that are structs themselves are named after their place."""
        group = ""
        inner = {id(item): key for key, item in inner_keys(struct.name, owner)}
        for item in owner.items("fields"):
            group = item.text("group", group)
            if item.has("fields"):
                type: CType | None = self._inner(item, replace(struct, name=inner[id(item)]), needs)
            else:
                type = self.types.type(item.scalar("type"))
            if type and (item.name or item.has("fields")):
                for name, span in {} if item.has("fields") else self._needs(item, type).items():
                    needs.setdefault(name, span)
                yield entities.Field(
                    **_common(item, entities.Field),
                    **self._parameter_facts(item, type),
                    type=with_docs(type, item),
                    bit_width=item.number("bits"),
                    alignment=item.number("alignment"),
                    group=group,
                )

    def _inner(self, item: Item, struct: entities.Struct, needs: dict[str, Span]) -> CType:
        """Enter a struct or union that a member is, and that nothing else can name; `struct` is what is around it."""
        struct = replace(
            struct,
            span=item.name_span,
            contract=_age(item) if item.has("since") else struct.contract,
            kind=item.text("kind", "struct"),
            anonymous=True,
        )
        fields = tuple(self._members(item, struct, needs))
        self.entities["structs"][struct.name] = replace(struct, fields=fields)
        return RecordType(struct.name)

    def _size_constant(self, plan: StructPlan, last: entities.Field, *, named: bool) -> None:
        item = plan.item
        has_no_end = isinstance(last.type, Array) and last.type.length is None
        if last.bit_width is not None or has_no_end or not named:
            what = "a bit-field" if last.bit_width is not None else "an array without length"
            what = what if named else "a member that has no name in some release"
            message = f"'{item.name}' ends with {what}, whose end no macro can compute"
            self.problems.error(last.span, message, "append a plain member, or state size_macro: false")
            return
        self.entities["size_constants"][plan.size_macro] = entities.SizeConstant(
            name=plan.size_macro,
            span=plan.size_macro_span,
            contract=_age(item),
            struct=item.name,
            last_member=last.name,
            form=self.root.item("conventions").text("size_form", "macro"),
            expression=end_of_member(NamedType(item.name) if has_typedef(item) else RecordType(item.name), last.name),
        )


def with_docs(type: _Type, item: Item) -> _Type:
    """Return the type of a function, or of a pointer to one, with documentation and examples of its parameters."""
    said = {each.name: each for each in item.items("parameters")}
    if not said:
        return type
    if isinstance(type, Pointer):
        return replace(type, target=with_docs(type.target, item))
    if not isinstance(type, FunctionType):
        return type
    parameters = (
        replace(
            each,
            doc=told.text("doc").strip(),
            example=told.text("example"),
            count=told.text("count"),
            below=told.text("below"),
            ended=told.flag("ended"),
            versions=tuple(told.item("versions").table().items()),
        )
        if told is not None
        else each
        for each, told in ((each, said.get(each.name or "")) for each in type.parameters)
    )
    return replace(type, parameters=tuple(parameters))


def _common(item: Item, kind: type[entities.Entity] = entities.Entity) -> dict[str, Any]:
    """Return the common attributes of an entity from the keys of its item, and the attributes of its own kind."""
    own = {each.key: _value(item, each) for each in attributes_of(kind) if item.has(each.key)}
    doc = item.text("doc").strip()
    return own | {"name": item.name, "span": item.name_span, "doc": doc, "contract": _contract(item)}


def _value(item: Item, attribute: EntityAttribute) -> object:
    """Return what an item states of one attribute."""
    outer, _, key = attribute.key.rpartition(".")
    item = item.item(outer) if outer else item
    match attribute.value:
        case Value.SIDE:
            return Party(item.text(key))
        case Value.FLAG:
            return (item.flag(key) or isinstance(item.values.get(key), Item)) and attribute.flag
        case Value.NAMES:
            return item.texts(key)
        case Value.OBJECT:
            said = item.item(key)
            return entities.ObjectCallbacks(said.text("create"), said.texts("methods"), said.text("destroy"))
        case Value.ZERO:
            return Zero(item.text(key))
        case Value.RELEASE:
            return item.version(key)
    return item.text(key)


def _contract(item: Item) -> Contract:
    """Return the contract that the keys of an item state; `NO_CONTRACT` if they state none."""
    contract = NO_CONTRACT
    for each in CONTRACT:
        if value := _value(item, each):
            contract = _with(contract, each.path.split(".")[1:], value)
    return replace(contract, requirement=Requirement.CONDITIONAL) if contract.condition else contract


def _with(record: _Record, path: Sequence[str], value: object) -> _Record:
    """Return a record with another value at a path."""
    first, *rest = path
    return replace(record, **{first: _with(getattr(record, first), rest, value) if rest else value})


def _age(item: Item) -> Contract:
    """Return the age alone, for what comes along with an entity."""
    return Contract(lifecycle=Lifecycle(since=item.version("since")))
