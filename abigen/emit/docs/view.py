"""What reference documentation says of an API: every entity with its contract, its place in memory, and its users."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.emit.c.names import Speller
from abigen.emit.docs.contents import declaration_of, fields_of, own_entities, own_names, title_of
from abigen.emit.docs.drawn import DrawnSize, DrawnStruct, drawn_layouts, sizes_by_release
from abigen.emit.docs.names import Anchors, DocParagraph, Line, LinkedText
from abigen.model.api import Api, ApiSet
from abigen.model.attributes import attributes_of
from abigen.model.contract import Contract, Requirement, Zero
from abigen.model.ctype import FunctionType, Pointer
from abigen.model.entities import Callback, Entity, Enum, Field, Function, Struct
from abigen.model.spelling import spell_expression

_TITLES = {
    "function": "Functions",
    "struct": "Structs and unions",
    "handle": "Handles",
    "callback": "Callbacks",
    "enum": "Enumerations",
    "typedef": "Types",
    "constant": "Constants",
    "macro": "Macros",
    "variable": "Variables",
}
"""The kinds of entities, in the order in which they are shown, and what their sections are called."""


class DocFact(msgspec.Struct, frozen=True):
    """One thing that is said of an entity in few words."""

    label: str
    line: Line
    anchor: str = ""
    """Of what the fact itself is about; empty for none."""


class DocParameter(msgspec.Struct, frozen=True):
    """A parameter of a function of which something is said."""

    name: str
    text: tuple[DocParagraph, ...]
    marks: tuple[str, ...]


class DocMember(msgspec.Struct, frozen=True):
    """A member of a struct, or an enumerator."""

    anchor: str
    name: str
    declaration: Line
    text: tuple[DocParagraph, ...]
    facts: tuple[DocFact, ...]
    parameters: tuple[DocParameter, ...]
    heading: str
    """The group that begins with it; empty for none."""
    depth: int
    """How many members without a type of their own it stands in."""
    is_deprecated: bool


class DocEntity(msgspec.Struct, frozen=True):
    """An entity with everything that is said of it."""

    anchor: str
    page: str
    kind: str
    name: str
    declaration: Line
    text: tuple[DocParagraph, ...]
    facts: tuple[DocFact, ...]
    parameters: tuple[DocParameter, ...]
    members: tuple[DocMember, ...]
    layouts: tuple[DrawnStruct, ...]
    sizes: tuple[DrawnSize, ...]
    is_deprecated: bool
    users: Line = ()
    """Links to what mentions it."""

    @property
    def drawn_anchors(self) -> Mapping[str, str]:
        """Path of each member to its anchor."""
        return {each.name: each.anchor for each in self.members}


class DocSection(msgspec.Struct, frozen=True):
    """The entities of one kind."""

    title: str
    anchor: str
    entities: tuple[DocEntity, ...]


class DocApi(msgspec.Struct, frozen=True):
    """An API."""

    name: str
    anchor: str
    version: str
    text: tuple[DocParagraph, ...]
    facts: tuple[DocFact, ...]
    sections: tuple[DocSection, ...]


def described(reads: Mapping[str, ApiSet]) -> tuple[DocApi, ...]:
    """Describe APIs, with links between them.

    Args:
        reads: the APIs by what each is to be called.
    """
    anchors = Anchors()
    describers = [_Describer(name, read, anchors) for name, read in reads.items()]
    made = [each.described() for each in describers]
    users: dict[str, list[LinkedText]] = defaultdict(list)
    for describer in describers:
        for anchor, mentioning in describer.users.items():
            users[anchor] += mentioning
    return tuple(_with_users(api, users) for api in made)


def _with_users(api: DocApi, users: Mapping[str, Sequence[LinkedText]]) -> DocApi:
    sections = []
    for section in api.sections:
        entities = [replace(each, users=tuple(dict.fromkeys(users.get(each.anchor, ())))) for each in section.entities]
        sections.append(replace(section, entities=tuple(entities)))
    return replace(api, sections=tuple(sections))


class _Describer:
    """Describes one API. Its entities get their anchors before any of them is described."""

    def __init__(self, name: str, read: ApiSet, anchors: Anchors) -> None:
        self._name = name
        self._read = read
        self._anchors = anchors
        self._link = anchors.add(f"api.{name}", "api")
        self._own: dict[tuple[str, str], tuple[Entity, Api, LinkedText]] = {}
        self._members: dict[tuple[str, str], LinkedText] = {}
        self.users: dict[str, list[LinkedText]] = defaultdict(list)
        """Anchor of each entity to what mentions it."""
        found = [(kind, each, group.api) for group in read.groups for kind, each in own_entities(group.api)]
        for kind, each, api in sorted(found, key=lambda entry: list(_TITLES).index(entry[0])):
            if (kind, each.name) not in self._own:
                self._own[kind, each.name] = each, api, self._anchored(kind, each, api)

    def _anchored(self, kind: str, entity: Entity, api: Api) -> LinkedText:
        link = self._anchors.add(title_of(entity), kind)
        if isinstance(entity, (Struct, Enum)):
            for name in (entity.tag, *entity.typedef_names):
                self._anchors.alias(name, link) if name else None
        parts: Sequence[Entity] = (entity.enumerators or ()) if isinstance(entity, Enum) else ()
        for each in parts:
            member = self._members[entity.name, each.name] = self._anchors.add(
                f"{link.text}.{each.name}", "value", link.page
            )
            self._anchors.alias(each.name, replace(member, text=each.name))
        if isinstance(entity, Struct):
            for path, _, _ in fields_of(entity, api):
                self._members[entity.name, path] = self._anchors.add(f"{link.text}.{path}", "member", link.page)
            for constant in api.size_constants.values():
                if constant.struct == entity.name:
                    self._members[entity.name, constant.name] = self._anchors.add(constant.name, "size", link.page)
        return link

    def described(self) -> DocApi:
        """The API, with the sections of what it has."""
        by_kind: dict[str, list[DocEntity]] = defaultdict(list)
        for (kind, _), (entity, api, link) in self._own.items():
            by_kind[kind].append(self._entity(kind, entity, api, link))
        first = self._read.groups[0].api
        facts = []
        if first.header is not None:
            facts.append(_said("Header", f"#include {first.header.vendor or f'<{first.header.path}>'}", is_code=True))
        facts.append(_said("Targets", ", ".join(self._read.targets)))
        return DocApi(
            name=self._name,
            anchor=self._link.anchor,
            version=str(first.version or ""),
            text=self._anchors.paragraphs(first.doc),
            facts=tuple(facts),
            sections=tuple(
                DocSection(title, f"{self._link.anchor}.{kind}s", tuple(by_kind[kind]))
                for kind, title in _TITLES.items()
                if kind in by_kind
            ),
        )

    def _entity(self, kind: str, entity: Entity, api: Api, link: LinkedText) -> DocEntity:
        text = declaration_of(entity, api)
        self._note(text, link, link)
        struct = entity if isinstance(entity, Struct) and entity.fields is not None else None
        layouts = drawn_layouts(self._read, entity.name) if struct else ()
        return DocEntity(
            anchor=link.anchor,
            page=link.page,
            kind=struct.kind if struct else kind,
            name=link.text,
            declaration=self._anchors.code(text, besides={entity.name, link.text}),
            text=self._anchors.paragraphs(entity.doc, self._near(entity)),
            facts=(*self._facts(entity, api), *self._places(kind, entity)),
            parameters=self._parameters(entity),
            members=tuple(self._parts(entity, api, link)),
            layouts=layouts,
            sizes=sizes_by_release(self._read, struct, layouts) if struct else (),
            is_deprecated=entity.contract.lifecycle.deprecated,
        )

    def _parts(self, entity: Entity, api: Api, owner: LinkedText) -> Iterator[DocMember]:
        group = ""
        if not isinstance(entity, (Struct, Enum)):
            return
        if isinstance(entity, Enum):
            for value in entity.enumerators or ():
                yield self._member(entity, value, value.name, f"{value.name} = {value.value}", api, owner)
        for path, each, depth in fields_of(entity, api) if isinstance(entity, Struct) else ():
            text = Speller(api).declare(each.type, each.name)
            if each.bit_width is not None:
                width = each.bit_width
                text += f" : {width if isinstance(width, int) else spell_expression(width)}"
            made = self._member(entity, each, path, text, api, owner)
            yield replace(made, depth=depth, heading=each.group if each.group != group else "")
            group = each.group

    def _member(
        self, entity: Struct | Enum, each: Entity, path: str, text: str, api: Api, owner: LinkedText
    ) -> DocMember:
        link = self._members[entity.name, path]
        if isinstance(each, Field):
            self._note(text, link, owner)
        return DocMember(
            anchor=link.anchor,
            name=path,
            declaration=self._anchors.code(text, besides={each.name}),
            text=self._anchors.paragraphs(each.doc, self._near(entity)),
            facts=tuple(self._facts(each, api, entity)),
            parameters=self._parameters(each),
            heading="",
            depth=0,
            is_deprecated=each.contract.lifecycle.deprecated,
        )

    def _note(self, text: str, link: LinkedText, owner: LinkedText) -> None:
        """Note whom a declaration mentions; what is part of something does not count as its user."""
        for found in self._anchors.mentioned(text):
            if found.anchor not in (link.anchor, owner.anchor):
                self.users[found.anchor].append(link)

    def _near(self, entity: Entity) -> dict[str, str]:
        """Names of an entity's parts to their paths."""
        parts: Sequence[Entity] = (entity.fields or ()) if isinstance(entity, Struct) else ()
        return {each.name: f"{entity.name}.{each.name}" for each in parts}

    def _parameters(self, entity: Entity) -> tuple[DocParameter, ...]:
        type = entity.function if isinstance(entity, Callback) else getattr(entity, "type", None)
        type = type.target if isinstance(type, Pointer) else type
        if not isinstance(entity, (Callback, Field, Function)) or not isinstance(type, FunctionType):
            return ()
        found = []
        marks = [each for each in attributes_of(entity.__class__) if each.mark]
        for each in type.parameters:
            said = tuple(mark.mark for mark in marks if each.name in mark.values(entity))
            text = self._anchors.paragraphs(each.doc)
            found += [DocParameter(each.name, text, said)] if each.name and (said or text) else []
        return tuple(found)

    def _places(self, kind: str, entity: Entity) -> Iterator[DocFact]:
        """Where an entity is, when not everywhere, and the constants that tell its size."""
        groups = [group for group in self._read.groups if (kind, entity.name) in own_names(group.api)]
        if len(groups) < len(self._read.groups):
            yield _said("Only on", ", ".join(target for group in groups for target in group.targets))
        for name in dict.fromkeys(name for group in groups for name in group.api.size_constants):
            if (entity.name, name) in self._members and isinstance(entity, Struct):
                yield _said("Size", name, is_code=True, anchor=self._members[entity.name, name].anchor)

    def _facts(self, entity: Entity, api: Api, owner: Entity | None = None) -> Iterator[DocFact]:
        """What the two sides have agreed about an entity."""
        life, near = entity.contract.lifecycle, self._near(owner or entity)
        pointer = isinstance(entity, Field) and isinstance(api.resolve(entity.type), Pointer)
        said = {
            "Since": str(life.since or ""),
            "Deprecated": (f"since {life.deprecated_since}" if life.deprecated_since else "yes") * life.deprecated,
            "Use instead": f"`{life.replaced_by}`" if life.replaced_by else "",
            "Replaces": f"`{life.replaces}`" if life.replaces else "",
            **_contract(entity.contract, "NULL" if pointer else "0"),
            **_said_of(entity, owner),
        }
        for label, text in said.items():
            if text:
                yield DocFact(label, self._anchors.prose(text, near))


def _contract(contract: Contract, zero: str) -> Mapping[str, str]:
    condition = contract.condition
    when = [f"when `{condition.when}` is set"] if condition.when else []
    when += [f"unless `{condition.unless}` is set"] if condition.unless else []
    required = {Requirement.REQUIRED: "yes", Requirement.OPTIONAL: "no", Requirement.CONDITIONAL: " and ".join(when)}
    meaning = {Zero.NO_OP: f"{zero} {contract.no_op}", Zero.MEANINGFUL: f"{zero} is a value like any other"}
    return {
        "Required": required.get(contract.requirement, ""),
        "Zero": meaning.get(contract.zero, ""),
        "Consumers": "must read it" if contract.must_be_understood else "",
        "Reserved": "yes" if contract.reserved else "",
    }


def _said_of(entity: Entity, owner: Entity | None) -> Mapping[str, str]:
    """What only one kind of entity has; names of other entities in backticks."""
    said = {each.label: each.in_docs(entity) for each in attributes_of(type(entity)) if each.label}
    match entity:
        case Struct():
            grows = f"it carries its size in `{entity.size_field}`" if entity.is_versioned else ""
            packed = "yes" if entity.packed else f"to {entity.pack} bytes" if entity.pack else ""
            return {"Filled by": str(entity.filler), "May grow": grows, **said, "Packed": packed}
        case Field() if isinstance(owner, Struct) and owner.filler != entity.filler:
            return {"Filled by": str(entity.filler), **said}
        case Function():
            compiled = "into each of its users" if entity.static else ""
            return {**said, "Compiled": compiled, "Result": "belongs to the caller" * ("return" in entity.gives)}
    return said


def _said(label: str, text: str, *, is_code: bool = False, anchor: str = "") -> DocFact:
    return DocFact(label, (LinkedText(text, is_code=is_code),), anchor)
