"""What the template of a C header sees: an API as the parts of a header."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from abigen.emit.c.prose import documented, one_line
from abigen.emit.c.speller import Speller
from abigen.emit.c.wrapping import WIDTH
from abigen.emit.publication import Publication
from abigen.model.api import Api, Header
from abigen.model.contract import Party
from abigen.model.ctype import (
    Binary,
    Cast,
    Conditional,
    CType,
    Expression,
    NamedType,
    Pointer,
    RecordType,
    Unary,
    types_in,
)
from abigen.model.entities import Constant, Entity, Enum, Field, Function, Handle, Macro, Struct, Typedef
from abigen.model.span import AbigenError
from abigen.model.spelling import spell_expression

_MEMBER_INDENT = 2
_INNERMOST = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, kw_only=True)
class CPart:
    """What every part of a header has."""

    name: str
    doc: str
    gap: bool = True
    """Whether an empty line stands before it."""


@dataclass(frozen=True, kw_only=True)
class CDefinition(CPart):
    """A `#define`."""

    kind: str = "definition"
    parameters: tuple[str, ...] | None
    """None for a constant."""
    body: str
    enclosed: bool
    """Whether parentheses have to keep the body together."""
    guarded: bool
    """Whether it is only made where nobody has defined the name before."""
    cases: tuple[tuple[str, str], ...]
    """(condition, body) pairs when the body depends on the target."""


@dataclass(frozen=True, kw_only=True)
class CDeclaration(CPart):
    """A typedef or a function."""

    kind: str = "declaration"
    specifiers: tuple[str, ...]
    """What stands before the declarator: `typedef`, `extern`, a macro that exports."""
    text: str


@dataclass(frozen=True, kw_only=True)
class CMember:
    """A member of a struct, or an enumerator."""

    text: str
    """Its declaration, or the enumerator's name."""
    number: str = ""
    """The width of a bit-field, or the value of an enumerator; empty where there is none."""
    alignment: str = ""
    """What it asks for; empty for nothing."""
    doc: str
    heading: str = ""
    """Name of the group that begins here."""


@dataclass(frozen=True, kw_only=True)
class MemberLines:
    """A member with its documentation, either above it or behind it."""

    text: str
    heading: str
    doc: str
    """What stands above it."""
    behind: str
    """A comment with the spaces before it."""
    gap: bool
    """Whether an empty line stands before it."""


@dataclass(frozen=True, kw_only=True)
class CEnum(CPart):
    """An enum; `underlying` is the type after the colon, empty when the compiler chooses."""

    kind: str = "enum"
    tag: str
    typedef: str
    underlying: str
    members: tuple[CMember, ...]


@dataclass(frozen=True, kw_only=True)
class CStruct(CPart):
    """A struct or union; `typedef` is empty when a declaration before has named it already."""

    kind: str = "struct"
    keyword: str
    tag: str
    typedef: str
    packed: bool
    alignment: str
    """What it asks for; empty for nothing."""
    members: tuple[CMember, ...]
    size_macro: str
    """Empty for none."""
    last_member: str


@dataclass(frozen=True, kw_only=True)
class CHeader:
    """A header from top to bottom. Texts of documentation are plain; templates turn them into comments."""

    path: str
    """Where users include it from."""
    banner: tuple[str, ...]
    doc: str
    guard: str
    includes: tuple[str, ...]
    version: tuple[tuple[str, int], ...]
    """Names of macros and their numbers."""
    definitions: tuple[CPart, ...]
    """What needs no extern "C": the macros before the first declaration."""
    declarations: tuple[CPart, ...]
    offset_of_end: str
    """Name of the macro that tells where a member ends."""
    aligned: str
    """Name of the macro that asks for an alignment; empty when none is asked for."""


def header_of(publication: Publication) -> CHeader:
    """Make the view of an API's header.

    Args:
        publication: the API, read from a spec.

    Raises:
        AbigenError: a struct without a tag is needed before it is declared.
    """
    api, header = publication.api, publication.header
    parts = _Builder(api, header).parts
    lead = next((at for at, part in enumerate(parts) if not isinstance(part, CDefinition)), len(parts))
    version = api.version.version if api.version else None
    numbers = (version.major, version.minor, version.patch) if version else ()
    own = [each for each in api.structs.values() if each.in_api]
    asked = [each.alignment for each in own] + [each.alignment for struct in own for each in struct.fields or ()]
    return CHeader(
        path=header.path,
        banner=publication.banner,
        doc=api.doc,
        guard=header.guard,
        includes=header.includes,
        version=tuple(zip(header.version_macros, numbers, strict=False)),
        definitions=tuple(parts[:lead]),
        declarations=tuple(parts[lead:]),
        offset_of_end=header.offset_of_end,
        aligned=f"{header.prefix}_ALIGNED" if any(each is not None for each in asked) else "",
    )


class _Builder:
    """Goes through an API in the order of its declarations."""

    def __init__(self, api: Api, header: Header) -> None:
        self._api = api
        self._header = header
        self._declare = Speller(api).declare
        self._named: set[str] = set()
        """Structs that a declaration has named already."""
        self.parts: list[CPart] = []
        listed = {name for _, name in header.order}
        implied = [("macro", name) for name, macro in api.macros.items() if macro.in_api and name not in listed]
        groups = {"struct": api.structs, "enum": api.enums, "function": api.functions, "constant": api.constants}
        for kind, name in (*implied, *header.order):
            entity = (api.macros if name in api.macros else groups.get(kind, api.typedefs))[name]
            for key in _mentioned_structs(entity, api):
                self._name_in_time(key, entity)
            self.parts.append(self._part(entity))

    def _name_in_time(self, key: str, entity: Entity) -> None:
        """Declare a struct of the API that an entity mentions, where nothing has named it yet."""
        struct = self._api.structs[key]
        if not struct.in_api or struct.fields is None or key in self._named:
            return
        if not struct.tag:
            message = f"`{entity.name}` needs `{key}` before it is declared, which takes a tag"
            raise AbigenError.at(entity.span, message, f"declare `{key}` first, or give it a tag")
        self._named.add(key)
        close = any(isinstance(each, CDeclaration) and not each.doc for each in self.parts[-1:])
        self.parts.append(self._opaque(struct.kind, struct.tag, struct.typedef_names[0], gap=not close))

    def _opaque(
        self, keyword: str, tag: str, name: str, doc: str = "", *, by_pointer: bool = False, gap: bool = True
    ) -> CDeclaration:
        """A typedef for a struct whose members follow later, or never."""
        named = NamedType(f"{keyword} {tag}")
        text = self._declare(Pointer(named) if by_pointer else named, name)
        return CDeclaration(name=name, specifiers=("typedef",), text=text, doc=doc, gap=gap)

    def _part(self, entity: Entity) -> CPart:
        if isinstance(entity, (Macro, Constant)):
            return self._definition(entity)
        if isinstance(entity, Struct):
            return self._struct(entity)
        if isinstance(entity, Enum):
            return self._enum(entity)
        if isinstance(entity, Handle):
            return self._opaque("struct", entity.tag, entity.name, self._doc(entity), by_pointer=entity.by_pointer)
        assert isinstance(entity, (Typedef, Function))
        specifiers = ["typedef"] if isinstance(entity, Typedef) else []
        if isinstance(entity, Function) and entity.implemented_by is not Party.PLUGIN:
            exported = self._header.export and entity.name not in self._header.unexported
            specifiers += [self._header.export] if exported else []
            specifiers += ["extern"] if self._header.extern else []
        text = self._declare(entity.type, entity.name)
        return CDeclaration(name=entity.name, specifiers=tuple(specifiers), text=text, doc=self._doc(entity))

    def _definition(self, entity: Macro | Constant) -> CDefinition:
        made = CDefinition(
            name=entity.name,
            parameters=entity.parameters if isinstance(entity, Macro) else None,
            body=entity.body if isinstance(entity, Macro) else entity.text,
            enclosed=isinstance(entity, Constant) and _can_be_torn(entity),
            doc=self._doc(entity),
            guarded=entity.name in self._header.guarded,
            cases=self._header.cases.get(entity.name, ()),
        )
        close = bool(self.parts) and all(_takes_one_line(each) for each in (made, self.parts[-1]))
        return replace(made, gap=not close)

    def _enum(self, enum: Enum) -> CEnum:
        return CEnum(
            name=enum.name,
            tag=enum.tag,
            typedef=enum.typedef_names[0] if enum.typedef_names else "",
            underlying=self._declare(enum.underlying) if enum.underlying else "",
            members=tuple(
                CMember(text=each.name, number=_number(each.expression), doc=self._doc(each, enum))
                for each in enum.enumerators or ()
            ),
            doc=self._doc(enum),
        )

    def _struct(self, struct: Struct) -> CStruct:
        known = struct.name in self._named
        self._named.add(struct.name)
        fields = struct.fields or ()
        return CStruct(
            name=struct.name,
            keyword=struct.kind,
            tag=struct.tag,
            typedef="" if known or not struct.typedef_names else struct.typedef_names[0],
            packed=struct.packed,
            alignment=_number(struct.alignment),
            members=tuple(self._members(struct)),
            size_macro=self._header.size_macros.get(struct.name, "") if fields else "",
            last_member=fields[-1].name if fields else "",
            doc=self._doc(struct),
        )

    def _members(self, struct: Struct) -> Iterator[CMember]:
        group = ""
        for each in struct.fields or ():
            yield CMember(
                text=self._declare(each.type, each.name),
                number=_number(each.bit_width),
                alignment=_number(each.alignment),
                doc=self._doc(each, struct),
                heading=each.group if each.group != group else "",
            )
            group = each.group or group

    def _doc(self, entity: Entity, owner: Entity | None = None) -> str:
        pointer = isinstance(entity, Field) and isinstance(self._api.resolve(entity.type), Pointer)
        born = owner.contract.lifecycle.since if owner else None
        return documented(entity.doc, entity.contract, pointer=pointer, born=born)


def _takes_one_line(part: CPart) -> bool:
    return isinstance(part, CDefinition) and not (part.doc or part.guarded or part.cases)


def _number(value: Expression | int | None) -> str:
    """A number as C; empty for none."""
    return "" if value is None else str(value) if isinstance(value, int) else spell_expression(value)


def _can_be_torn(constant: Constant) -> bool:
    """Whether operators around its text could take a part of it, because no parentheses hold all of it."""
    text = constant.text
    rest = text[1:-1] if text.startswith("(") and text.endswith(")") else ")"
    while rest != (shorter := _INNERMOST.sub("", rest)):
        rest = shorter
    return isinstance(constant.expression, (Unary, Binary, Conditional, Cast)) and bool({"(", ")"} & set(rest))


def _mentioned_structs(entity: Entity, api: Api) -> Iterator[str]:
    """Keys of the structs and unions in the types of an entity, in the order in which they are mentioned."""
    types: list[CType] = []
    if isinstance(entity, Struct):
        types = [each.type for each in entity.fields or ()]
    elif isinstance(entity, (Function, Typedef)):
        types = [entity.type]
    for type in (part for each in types for part in types_in(each)):
        named = api.typedefs.get(type.name) if isinstance(type, NamedType) else None
        found = named.type if named else type
        if isinstance(found, RecordType):
            yield found.key


def lay_out(members: Sequence[CMember], spell: Callable[[CMember, bool], str]) -> list[MemberLines]:
    """Decide where the documentation of each member stands.

    A comment goes behind a member when both fit on one line with the comments around it aligned; functions have theirs
    above. An empty line separates what has a comment above.

    Args:
        members: in order.
        spell: gives the text of one, with what ends it; is told whether it is the last.
    """
    texts = [spell(each, each is members[-1]) for each in members]
    short = [one_line(each.doc) for each in members]
    behind = [bool(comment) and "(" not in text for text, comment in zip(texts, short, strict=True)]
    misfits = list(range(len(members)))
    while misfits:
        columns = _columns(members, texts, behind)
        misfits = [at for at, column in enumerate(columns) if behind[at] and column + len(short[at]) > WIDTH]
        behind = [each and at not in misfits for at, each in enumerate(behind)]
    placed: list[MemberLines] = []
    for at, member in enumerate(members):
        doc = "" if behind[at] else member.doc
        trail = " " * (columns[at] - _MEMBER_INDENT - len(texts[at])) + short[at] if behind[at] else ""
        gap = at > 0 and bool(doc or member.heading or placed[-1].doc)
        placed.append(MemberLines(text=texts[at], heading=member.heading, doc=doc, behind=trail, gap=gap))
    return placed


def _columns(members: Sequence[CMember], texts: list[str], behind: list[bool]) -> list[int]:
    """For each member the column where comments behind it and its neighbours begin."""
    runs: list[int] = []
    for at, member in enumerate(members):
        joins = at > 0 and behind[at - 1] and behind[at] and not member.heading
        runs.append(runs[-1] if joins else at)
    widths: dict[int, int] = {}
    for run, text in zip(runs, texts, strict=True):
        widths[run] = max(widths.get(run, 0), len(text))
    return [_MEMBER_INDENT + widths[run] + 2 for run in runs]
