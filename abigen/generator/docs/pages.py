"""Reference documentation of an API: one HTML page, or one Markdown page per entity, by the templates in `docs/`."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape

import msgspec
from msgspec.structs import replace

from abigen.generator.c.lines import Speller, cleaned, wrap_declaration
from abigen.generator.templates import Templates
from abigen.model.api import Api, ApiSet
from abigen.model.attributes import attributes_of
from abigen.model.contract import Contract, Requirement, Zero
from abigen.model.ctype import EnumType, FunctionType, Pointer, RecordType
from abigen.model.entities import (
    Callback,
    Constant,
    Entity,
    Enum,
    Field,
    Function,
    Handle,
    Macro,
    Struct,
    Typedef,
    Variable,
)
from abigen.model.layout import FieldLayout, Layout, Layouts
from abigen.model.releases import size_steps
from abigen.model.span import AbigenError, printable, printable_lines
from abigen.model.spelling import spell_expression
from abigen.model.target import find_target
from abigen.version import __version__

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_CODE = re.compile(r"`([^`\n]+)`")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) +")
_CODE_INDENT = "    "


class LinkedText(msgspec.Struct, frozen=True):
    """A run of text that may lead to an entity."""

    text: str
    anchor: str = ""
    """Of what it leads to; empty for none."""
    page: str = ""
    """Name of the page that the anchor is on, where each entity has one."""
    is_code: bool = False


Line = tuple[LinkedText, ...]
"""Runs that follow each other."""


class DocParagraph(msgspec.Struct, frozen=True):
    """A paragraph, an item of a list, or code whose lines stay as they are."""

    kind: str
    """`text`, `item` or `code`."""
    line: Line


class Anchors(msgspec.Struct):
    """The anchors of all that is described, filled before any text is made."""

    _of: dict[str, LinkedText] = msgspec.field(default_factory=dict)
    """Name, or path of a member, to a run that leads there."""
    _taken: set[str] = msgspec.field(default_factory=set)
    _pages: set[str] = msgspec.field(default_factory=lambda: {"index"})
    """In lower case: two names that differ in case are one file on some systems."""

    def add(self, name: str, kind: str, page: str = "") -> LinkedText:
        """Give something an anchor.

        Args:
            name: its name, or its path from the entity that it is part of.
            kind: what tells it from something else of that name.
            page: of the entity that it is part of; an entity of its own gets one.

        Returns:
            A link to it.
        """
        plain = re.sub(r"[^\w.-]+", "_", name)
        anchor = _free(plain, kind, self._taken)
        self._taken.add(anchor)
        if not page:
            page = _free(anchor, kind, self._pages, fold=True)
            self._pages.add(page.casefold())
        made = LinkedText(name, anchor, page, is_code=True)
        self._of.setdefault(name, made)
        return made

    def alias(self, name: str, known: LinkedText) -> None:
        """Let another name lead to something."""
        self._of.setdefault(name, known)

    def find(self, name: str) -> LinkedText | None:
        """Return the link for a name."""
        return self._of.get(name)

    def mentioned(self, text: str) -> Iterator[LinkedText]:
        """Yield the links for the names in a declaration."""
        for match in _IDENTIFIER.finditer(text):
            if found := self._of.get(match[0]):
                yield found

    def code(self, text: str, near: Mapping[str, str] | None = None, besides: Collection[str] = ()) -> Line:
        """Code with links.

        Args:
            text: as C has it.
            near: names that mean something here to the names that they stand for: siblings to their paths.
            besides: names that lead nowhere here: what is just being described.
        """
        runs: list[LinkedText] = []
        end = 0
        for match in _IDENTIFIER.finditer(text):
            found = self._of.get((near or {}).get(match[0], match[0]))
            if found is not None and match[0] not in besides:
                runs += [LinkedText(text[end : match.start()], is_code=True)] if match.start() > end else []
                runs.append(LinkedText(match[0], found.anchor, found.page, is_code=True))
                end = match.end()
        return (*runs, LinkedText(text[end:], is_code=True)) if text[end:] else tuple(runs)

    def prose(self, text: str, near: Mapping[str, str] | None = None) -> Line:
        """Return a sentence with links: from text in backticks as code, and from words that cannot be plain words."""
        runs: list[LinkedText] = []
        for number, part in enumerate(_CODE.split(text)):
            if number % 2:
                runs += self.code(part, near)
                continue
            for run in self.code(part):
                is_name = run.anchor and re.search("[_A-Z]", run.text[1:])
                runs.append(LinkedText(run.text, run.anchor, run.page, is_code=True) if is_name else _plain(run))
        return tuple(run for run in runs if run.text)

    def paragraphs(self, text: str, near: Mapping[str, str] | None = None) -> tuple[DocParagraph, ...]:
        """Documentation as its author wrote it, in paragraphs."""
        found: list[tuple[str, str]] = []
        fresh = True
        for line in cleaned(text).split("\n"):
            kind = found[-1][0] if found else ""
            if not line.strip():
                fresh = True
            elif line.startswith(_CODE_INDENT) and (kind == "code" or (fresh and kind != "item")):
                joined = f"{found.pop()[1]}\n" if kind == "code" else ""
                found.append(("code", joined + line.removeprefix(_CODE_INDENT)))
                fresh = True
            elif item := _ITEM.match(line):
                found.append(("item", line[item.end() :]))
                fresh = False
            elif fresh and not (kind == "item" and line.startswith(" ")):
                found.append(("text", line))
                fresh = False
            else:
                found[-1] = (kind, f"{found[-1][1]} {line.strip()}")
        return tuple(
            DocParagraph(kind, self.code(each, near) if kind == "code" else self.prose(each, near))
            for kind, each in found
        )


def _plain(run: LinkedText) -> LinkedText:
    return LinkedText(run.text)


def _free(wanted: str, kind: str, taken: Collection[str], *, fold: bool = False) -> str:
    """Return a name that nothing has yet: as it is, with its kind behind it, or with a number."""
    number = 1
    name = wanted
    while (name.casefold() if fold else name) in taken:
        name = f"{wanted}-{kind}" + (f"-{number}" if number > 1 else "")
        number += 1
    return name


def label_of(struct: Struct, member: Field) -> str:
    """Return the label of a member; a member without a name is labelled by its place."""
    return member.name or f"(no name {(struct.fields or ()).index(member) + 1})"


def title_of(entity: Entity) -> str:
    """Return the title of an entity; an entity without a name is titled after its first part."""
    if isinstance(entity, Enum) and entity.anonymous:
        return f"enum.{next((each.name for each in entity.enumerators or ()), '')}"
    return entity.name


def own_entities(api: Api) -> Iterator[tuple[str, Entity]]:
    """Yield the API's own entities by kind; types that stand for others of the same name are not told twice."""
    tags = {each.tag for each in api.typedefs.values() if isinstance(each, Handle)}
    for struct in api.structs.values():
        if struct.in_api and not struct.anonymous and (struct.fields is not None or struct.tag not in tags):
            yield "struct", struct
    yield from (("enum", each) for each in api.enums.values() if each.in_api and each.enumerators is not None)
    for typedef in api.typedefs.values():
        is_same = isinstance(typedef.type, (RecordType, EnumType)) and not isinstance(typedef, Handle)
        if typedef.in_api and not (is_same and (typedef.name in api.structs or typedef.name in api.enums)):
            is_handle, is_callback = isinstance(typedef, Handle), isinstance(typedef, Callback)
            yield "handle" if is_handle else "callback" if is_callback else "typedef", typedef
    groups = {"function": api.functions, "variable": api.variables, "constant": api.constants, "macro": api.macros}
    for kind, group in groups.items():
        yield from ((kind, each) for each in group.values() if each.in_api)


def own_names(api: Api) -> set[tuple[str, str]]:
    """Kind and name of each of the API's own entities."""
    return {(kind, each.name) for kind, each in own_entities(api)}


def fields_of(struct: Struct, api: Api, path: str = "", depth: int = 0) -> Iterator[tuple[str, Field, int]]:
    """Yield the members with their paths, and below one without a type of its own those of that."""
    for each in struct.fields or ():
        name = f"{path}{label_of(struct, each)}"
        yield name, each, depth
        if (inner := api.unnamed_struct(each.type)) is not None:
            yield from fields_of(inner, api, f"{name}." if each.name else path, depth + 1)


def declaration_of(entity: Entity, api: Api) -> str:
    """Return an entity as C declares it; structs and enumerations without their parts."""
    declare = Speller(api).declare
    match entity:
        case Struct() | Enum():
            keyword = entity.kind if isinstance(entity, Struct) else "enum"
            is_opaque = isinstance(entity, Struct) and entity.fields is None
            words = [keyword, entity.tag, "" if is_opaque else "{ ... }", ", ".join(entity.typedef_names)]
            return " ".join(filter(None, ["typedef" if entity.typedef_names else "", *words])) + ";"
        case Handle():
            return f"typedef struct {entity.tag}{'*' if entity.by_pointer else ''} {entity.name};"
        case Typedef():
            return wrap_declaration(f"typedef {declare(entity.type, entity.name)}")
        case Function() | Variable():
            return wrap_declaration(declare(entity.type, entity.name))
        case Constant():
            if api.header and (cases := api.header.cases.get(entity.name)):
                return "\n".join(f"#define {entity.name} {text}  // {when or 'otherwise'}" for when, text in cases)
            return f"#define {entity.name} {entity.text}".rstrip()
        case Macro():
            return f"#define {entity.name}({', '.join(entity.parameters)}) {entity.body}".rstrip()
    return entity.name


_ROW = 64
"""Bits that a bar stands for."""


class DrawnBytes(msgspec.Struct, frozen=True):
    """A member or padding as it is drawn: a bar in a row of eight bytes."""

    name: str
    """Path of the member from the struct; empty for padding."""
    offset: int
    """In bytes from the start of the struct."""
    bit: int | None
    """The first bit in the byte at `offset`; None for what is no bit-field."""
    size: int
    """In bytes; in bits for a bit-field."""
    start: float
    """The start of the bar in its row, in percent."""
    width: float
    """In percent; what is longer than what is left of its row fills that."""
    depth: int = 0
    """The number of members without a type of their own that enclose it."""

    @property
    def is_longer(self) -> bool:
        """True if its bar cannot show all of it."""
        return self.bit is None and self.offset % 8 + self.size > 8


class DrawnStruct(msgspec.Struct, frozen=True):
    """A struct as it is laid out on the targets that share the layout."""

    targets: tuple[str, ...]
    size: int
    """In bytes, as the next two."""
    alignment: int
    unpadded_size: int
    rows: tuple[DrawnBytes, ...]
    remark: str = ""
    """The reason why it has no layout; empty when it has one."""


class DrawnSize(msgspec.Struct, frozen=True):
    """The smallest valid size of a struct from a release on."""

    release: str
    """Empty for the beginning."""
    last_member: str
    sizes: tuple[int, ...]
    """In bytes, for each of the struct's layouts."""


def drawn_layouts(read: ApiSet, key: str) -> tuple[DrawnStruct, ...]:
    """Return every layout of a struct, each once, with the targets that it is the same on.

    Args:
        read: the API.
        key: of a struct that is defined.
    """
    found: dict[DrawnStruct, list[str]] = {}
    for target, layouts in _layouts_of(read, key):
        found.setdefault(_drawn(layouts, key), []).append(target)
    return tuple(_on(each, tuple(targets)) for each, targets in found.items())


def sizes_by_release(read: ApiSet, struct: Struct, drawn: Sequence[DrawnStruct]) -> tuple[DrawnSize, ...]:
    """Return the sizes of a struct that may grow, by release.

    Args:
        read: the API.
        struct: one that carries its size.
        drawn: its layouts.

    Returns:
        One line per release that appended to it, the oldest first; empty when a layout is missing.
    """
    layouts = [Layouts(read.for_target(each.targets[0]), find_target(each.targets[0])) for each in drawn]
    if not struct.is_versioned or any(each.remark for each in drawn):
        return ()
    found = []
    for step in size_steps(struct):
        ends = [each.of(struct.name).named(step.last_member) for each in layouts]
        sizes = tuple(end.offset + end.size for end in ends if end is not None)
        found.append(DrawnSize(str(step.since or ""), step.last_member, sizes))
    return tuple(found)


def _layouts_of(read: ApiSet, key: str) -> Iterator[tuple[str, Layouts]]:
    for group in read.groups:
        if key in group.api.structs:
            for target in group.targets:
                yield target, Layouts(group.api, find_target(target))


def _on(drawn: DrawnStruct, targets: tuple[str, ...]) -> DrawnStruct:
    return DrawnStruct(targets, drawn.size, drawn.alignment, drawn.unpadded_size, drawn.rows, drawn.remark)


def _drawn(layouts: Layouts, key: str) -> DrawnStruct:
    """Return the layout on one target, which is not named yet."""
    try:
        layout = layouts.of(key)
    except AbigenError as error:
        return DrawnStruct((), 0, 0, 0, (), error.diagnostics[0].message)
    rows = tuple(_rows(layouts, layouts.api.structs[key], layout, "", 0, 0))
    return DrawnStruct((), layout.size, layout.alignment, layout.unpadded_size, rows)


def _rows(layouts: Layouts, struct: Struct, layout: Layout, path: str, base: int, depth: int) -> Iterator[DrawnBytes]:
    """Yield the members of a struct that starts at `base` bytes, and the padding between and behind them."""
    holes = {each.offset: each.size for each in layout.holes}
    end = 0
    for each in layout.fields:
        if not struct.is_union and end in holes:
            yield _bar("", base + end, holes[end], depth)
        end = max(end, each.offset + each.size)
        name = f"{path}{label_of(struct, each.field)}"
        inner = layouts.api.unnamed_struct(each.field.type)
        yield _member(name, each, base, depth)
        if inner is not None:
            below = f"{name}." if each.name else path
            yield from _rows(layouts, inner, layouts.of(inner.name), below, base + each.offset, depth + 1)
    if layout.tail_padding:
        yield _bar("", base + layout.unpadded_size, layout.tail_padding, depth)


def _member(name: str, each: FieldLayout, base: int, depth: int) -> DrawnBytes:
    if each.bit_offset is None:
        return _bar(name, base + each.offset, each.size, depth)
    start, width = (base * 8 + each.bit_offset) % _ROW, each.bit_width or 0
    offset, bit = base + each.offset, each.bit_offset % 8
    return DrawnBytes(name, offset, bit, width, _percent(start), _percent(min(width, _ROW - start)), depth)


def _bar(name: str, offset: int, size: int, depth: int) -> DrawnBytes:
    start = offset * 8 % _ROW
    return DrawnBytes(name, offset, None, size, _percent(start), _percent(min(size * 8, _ROW - start)), depth)


def _percent(bits: int) -> float:
    return bits * 100 / _ROW


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
    """A short fact about an entity."""

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
    """The number of members without a type of their own that enclose it."""
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
        """Return the API, with the sections of what it has."""
        by_kind: dict[str, list[DocEntity]] = defaultdict(list)
        for (kind, _), (entity, api, link) in self._own.items():
            by_kind[kind].append(self._entity(kind, entity, api, link))
        first = self._read.groups[0].api
        facts = []
        if first.header is not None:
            facts.append(
                _doc_fact("Header", f"#include {first.header.vendor or f'<{first.header.path}>'}", is_code=True)
            )
        facts.append(_doc_fact("Targets", ", ".join(self._read.targets)))
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
        """Return names of an entity's parts to their paths."""
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
        """Yield the targets of an entity that not all targets have, and the constants that state its size."""
        groups = [group for group in self._read.groups if (kind, entity.name) in own_names(group.api)]
        if len(groups) < len(self._read.groups):
            yield _doc_fact("Only on", ", ".join(target for group in groups for target in group.targets))
        for name in dict.fromkeys(name for group in groups for name in group.api.size_constants):
            if (entity.name, name) in self._members and isinstance(entity, Struct):
                yield _doc_fact("Size", name, is_code=True, anchor=self._members[entity.name, name].anchor)

    def _facts(self, entity: Entity, api: Api, owner: Entity | None = None) -> Iterator[DocFact]:
        """Yield the contract of an entity as facts."""
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
    meaning = {Zero.NO_OP: f"{zero} {contract.no_op}", Zero.MEANINGFUL: f"{zero} is a value with a meaning"}
    return {
        "Required": required.get(contract.requirement, ""),
        "Zero": meaning.get(contract.zero, ""),
        "Consumers": "must read it" if contract.must_be_understood else "",
        "Reserved": "yes" if contract.reserved else "",
    }


def _said_of(entity: Entity, owner: Entity | None) -> Mapping[str, str]:
    """Return the facts that only one kind of entity has; names of other entities are in backticks."""
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


def _doc_fact(label: str, text: str, *, is_code: bool = False, anchor: str = "") -> DocFact:
    return DocFact(label, (LinkedText(text, is_code=is_code),), anchor)


FORMATS = ("html", "markdown")
_MARKUP = re.compile(r"[\\`*{}\[\]<>#|~&@]|(?<!\w)_|_(?!\w)")
_BLANKS = re.compile(r"\n{3,}")


def pages(apis: Sequence[DocApi], form: str, templates: Templates) -> Mapping[str, bytes]:
    """Make the pages.

    Args:
        apis: what to describe.
        form: one of `FORMATS`.
        templates: the templates to use.

    Returns:
        Path relative to the folder of the documentation to content.
    """
    if form == "html":
        return {"index.html": _rendered("docs/page.html.j2", templates, apis=apis)}
    made = {"index.md": _rendered("docs/index.md.j2", templates, apis=apis)}
    for api in apis:
        for section in api.sections:
            for entity in section.entities:
                views = {"api": api, "entity": entity}
                made[f"{entity.page}.md"] = _rendered("docs/entity.md.j2", templates, **views)
    return made


def _rendered(name: str, templates: Templates, **views: object) -> bytes:
    vocabulary: dict[str, Callable[..., object]] = {
        "html": _html,
        "md": _markdown,
        "md_prose": _markdown_prose,
        "md_code": _markdown_code,
        "fenced": _fenced,
        "digest": _digest,
    }
    text = templates.render(name, vocabulary, version=__version__, **views)
    return (_BLANKS.sub("\n\n", text) if name.endswith(".md.j2") else text).encode()


def _html(text: object) -> str:
    """Return text in which nothing is markup."""
    return escape(printable_lines(str(text)))


def _markdown(text: object) -> str:
    """Return text in which nothing is markup, on one line."""
    return _markdown_prose(" ".join(str(text).split()))


def _markdown_prose(text: str) -> str:
    """Return the same, with the spaces that its runs begin and end with."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", printable(text.replace("\n", " ")))


def _markdown_code(run: LinkedText) -> str:
    """Return a run of text as code on one line; HTML, because in Markdown no link may stand inside of code."""
    return f"<code>{_markdown_prose(run.text)}</code>"


def _fenced(text: str) -> str:
    """Return text within a fence, which it cannot end."""
    return printable_lines(text).replace("```", "\\`\\`\\`")


def _digest(script: str) -> str:
    """By which a page allows its own script and no other."""
    return b64encode(sha256(script.encode()).digest()).decode()
