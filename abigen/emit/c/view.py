"""What the template of a C header sees: an API as the parts of a header."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.emit.c.lines import WIDTH, documentation, one_line
from abigen.emit.c.names import Speller, free_name, names_in
from abigen.emit.publication import Publication
from abigen.model.api import Api, Header
from abigen.model.contract import Party
from abigen.model.ctype import (
    CType,
    Expression,
    NamedType,
    Pointer,
    RecordType,
    types_in,
)
from abigen.model.entities import Constant, Entity, Enum, Function, Handle, Macro, Struct, Typedef, Variable
from abigen.model.releases import struct_forms
from abigen.model.span import AbigenError
from abigen.model.spelling import needs_parentheses, spell_expression

_MEMBER_INDENT = 2


class CMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a struct, or an enumerator."""

    text: str
    """Its declaration, or the enumerator's name; as it stands in the header once it is laid out."""
    number: str = ""
    """The width of a bit-field, or the value of an enumerator; empty where there is none."""
    alignment: str = ""
    """What it asks for; empty for nothing."""
    doc: str
    """What stands above it, once it is laid out."""
    heading: str = ""
    """Name of the group that begins here."""
    behind: str = ""
    """A comment with the spaces before it."""
    gap: bool = False
    """Whether an empty line stands before it."""
    kind: str = ""
    """`begin` or `nameless` (a struct or union that is written down here begins, the latter without a name), `end`."""
    indent: int = _MEMBER_INDENT
    opens: int = 0
    """The value of the release macro that this and what follows need; 0 where no such part begins."""
    closes: bool = False
    """Whether such a part ends behind it."""


class CPart(msgspec.Struct, frozen=True, kw_only=True):
    """A declaration or a macro of a header. Its documentation is plain text; templates turn it into a comment."""

    entity: Entity
    kind: str
    """`definition`, `enum`, `struct`, `opaque` (a typedef for a struct whose members follow later, or never) or
    `declaration`."""
    doc: str = ""
    gap: bool = True
    """Whether an empty line stands before it."""
    text: str = ""
    """What is declared, behind the specifiers; what a macro stands for; the type that an enum has after the colon; the
    type that a struct is."""
    specifiers: tuple[str, ...] = ()
    """What stands before the declarator: `typedef`, `extern`, a macro that exports."""
    enclosed: bool = False
    """Whether parentheses have to keep what a macro stands for together."""
    cpp_type: str = ""
    """The type that an enum has after the colon in C++ only."""
    typedef: str = ""
    """The name that an enum or struct gets along with its members; empty when it has it already, or has none."""
    members: tuple[CMember, ...] = ()
    alignment: str = ""
    """What a struct asks for; empty for nothing."""
    ends: tuple[tuple[int, str], ...] = ()
    """The last member of a versioned struct for each value of the release macro from which on it is, newest first."""
    opens: int = 0
    """The value of the release macro that this and what follows need; 0 where no such part begins."""
    closes: bool = False
    """Whether such a part ends behind it."""


class CParts(msgspec.Struct, frozen=True, kw_only=True):
    """What an API declares."""

    before_includes: tuple[CPart, ...]
    """The macros that included headers ask for."""
    definitions: tuple[CPart, ...]
    """What needs no extern "C": the macros before the first declaration."""
    declarations: tuple[CPart, ...]
    aligned: str
    """Name of the macro that asks for an alignment; empty when none is asked for."""
    nameless: str
    """Name of the macro that stands before structs in structs that have no name; empty when there are none."""


def parts_of(publication: Publication) -> CParts:
    """Make the view of what an API's header declares.

    Args:
        publication: the API, read from a spec.

    Raises:
        AbigenError: a struct without a tag is needed before it is declared.
    """
    api, header = publication.api, publication.header
    made = _Builder(api, header).parts
    early = tuple(each for each in made if each.entity.name in header.before_includes)
    parts = [each for each in made if each not in early]
    lead = next((at for at, part in enumerate(parts) if part.kind != "definition"), len(parts))
    own = [each for each in api.structs.values() if each.in_api]
    asked = [each.alignment for each in own] + [each.alignment for struct in own for each in struct.fields or ()]
    taken = names_in(api)
    aligned = free_name(f"{header.prefix}_ALIGNED", taken) if any(each is not None for each in asked) else ""
    is_nameless = any(each.kind == "nameless" for part in parts for each in part.members)
    return CParts(
        before_includes=_hiding(early, header),
        definitions=_hiding(parts[:lead], header),
        declarations=_hiding(parts[lead:], header),
        aligned=aligned,
        nameless=free_name(f"{header.prefix}_NAMELESS", taken) if is_nameless else "",
    )


def _hiding(parts: Sequence[CPart], header: Header) -> tuple[CPart, ...]:
    """Mark where parts begin and end that older values of the release macro hide."""
    hidden = _hidden([each.entity for each in parts], header)
    return tuple(replace(each, opens=opens, closes=closes) for each, (opens, closes) in zip(parts, hidden, strict=True))


def _hidden(entities: Sequence[Entity], header: Header) -> list[tuple[int, bool]]:
    """Find where parts begin and end that older values of the release macro hide.

    Returns:
        For each entity the value that a part needs which begins with it, 0 for none; and whether a part ends behind it.
    """
    numbers = [header.hidden_below(each.contract.lifecycle.since) for each in entities]
    around = zip([0, *numbers], numbers, [*numbers[1:], 0], strict=False)
    return [(at if at != before else 0, at not in (0, after)) for before, at, after in around]


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
        groups: dict[str, Mapping[str, Entity]] = {
            "struct": api.structs,
            "enum": api.enums,
            "function": api.functions,
            "variable": api.variables,
            "constant": api.constants,
        }
        for kind, name in (*implied, *header.order):
            entity = (api.macros if name in api.macros else groups.get(kind, api.typedefs))[name]
            if isinstance(entity, Function) and entity.declared_by:
                continue
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
        close = any(each.kind in ("opaque", "declaration") and not each.doc for each in self.parts[-1:])
        name = next(iter(struct.typedef_names), "")
        text = self._declare(NamedType(f"{struct.kind} {struct.tag}"), name)
        specifiers = ("typedef",) if name else ()
        self.parts.append(CPart(entity=struct, kind="opaque", specifiers=specifiers, text=text, gap=not close))

    def _part(self, entity: Entity) -> CPart:
        part = CPart(entity=entity, kind="declaration", doc=documentation(entity, self._api))
        match entity:
            case Macro() | Constant():
                return self._definition(entity, part)
            case Struct() if entity.fields is None:
                return replace(part, kind="opaque", text=f"{entity.kind} {entity.tag}")
            case Struct():
                typedef = "" if entity.name in self._named else next(iter(entity.typedef_names), "")
                self._named.add(entity.name)
                members = tuple(self._members(entity))
                alignment = _number(entity.alignment)
                forms = struct_forms(entity, self._api) if entity.fields else ()
                ends = tuple((number, (then.fields or ())[-1].name) for number, then, _ in forms)
                part = replace(part, kind="struct", text=self._declare(RecordType(entity.name)), typedef=typedef)
                return replace(part, members=members, alignment=alignment, ends=ends)
            case Enum():
                hidden = _hidden(entity.enumerators or (), self._header)
                members = tuple(
                    CMember(
                        text=each.name,
                        number=_number(each.expression),
                        doc=documentation(each, self._api, entity),
                        opens=opens,
                        closes=closes,
                    )
                    for each, (opens, closes) in zip(entity.enumerators or (), hidden, strict=True)
                )
                underlying = self._declare(entity.underlying) if entity.underlying else ""
                typedef = next(iter(entity.typedef_names), "")
                cpp_type = self._declare(entity.cpp_underlying) if entity.cpp_underlying else ""
                return replace(part, kind="enum", typedef=typedef, members=members, text=underlying, cpp_type=cpp_type)
            case Handle():
                named = NamedType(f"struct {entity.tag}")
                text = self._declare(Pointer(named) if entity.by_pointer else named, entity.name)
                return replace(part, kind="opaque", specifiers=("typedef",), text=text)
            case Typedef():
                return replace(part, specifiers=("typedef",), text=self._declare(entity.type, entity.name))
        header = self._header
        if isinstance(entity, Variable):
            macro = header.plugin_export if entity.implemented_by is Party.PLUGIN else header.export
            specifiers = ("extern", macro if macro not in self._api.macros else "")
            text = self._declare(entity.type, entity.name)
            return replace(part, specifiers=tuple(filter(None, specifiers)), text=text)
        assert isinstance(entity, Function)
        is_extern = header.extern and entity.implemented_by is not Party.PLUGIN
        macro = header.export_of(entity)
        text = self._declare(entity.type, entity.name)
        specifiers = (macro, "extern" if is_extern else "")
        if macro in self._api.macros:
            specifiers, text = ("extern" if is_extern else "", ""), self._enclosed(entity, macro, text)
        return replace(part, specifiers=tuple(filter(None, specifiers)), text=text)

    def _enclosed(self, function: Function, macro: str, text: str) -> str:
        """A declaration with a macro around the type that a function returns: `XY_API(int) xy_start(void)`.

        Args:
            function: what is declared.
            macro: takes the type.
            text: the declaration without the macro.

        Raises:
            AbigenError: a part of the type stands behind the function's name.
        """
        returned = self._declare(function.type.result, "")
        if not text.startswith(returned):
            message = f"'{macro}' takes the type that a function returns, and '{function.name}' returns '{returned}'"
            raise AbigenError.at(function.span, message, "give that type a name, or state export: false")
        return f"{macro}({returned}) {text.removeprefix(returned).lstrip()}"

    def _definition(self, entity: Macro | Constant, part: CPart) -> CPart:
        text, is_value = (entity.text, True) if isinstance(entity, Constant) else (entity.body, False)
        made = replace(part, kind="definition", text=text, enclosed=is_value and needs_parentheses(text))
        close = bool(self.parts) and all(map(self._takes_one_line, (made, self.parts[-1])))
        return replace(made, gap=not close)

    def _takes_one_line(self, part: CPart) -> bool:
        name, header = part.entity.name, self._header
        return part.kind == "definition" and not (part.doc or name in header.guarded or header.cases.get(name))

    def _members(self, struct: Struct, indent: int = _MEMBER_INDENT) -> Iterator[CMember]:
        group = ""
        fields = struct.fields or ()
        for each, (opens, closes) in zip(fields, _hidden(fields, self._header), strict=True):
            inner = self._api.struct_of(each.type) if isinstance(each.type, RecordType) else None
            member = CMember(
                text=self._declare(each.type, each.name),
                number=_number(each.bit_width),
                alignment=_number(each.alignment),
                doc=documentation(each, self._api, struct),
                heading=each.group if each.group != group else "",
                indent=indent,
                opens=opens,
                closes=closes,
            )
            group = each.group or group
            if inner is None or not inner.anonymous:
                yield member
                continue
            yield replace(member, kind="begin" if each.name else "nameless", text=inner.kind, closes=False)
            yield from self._members(inner, indent + _MEMBER_INDENT)
            yield CMember(kind="end", text=each.name, doc="", indent=indent, closes=closes)


def _number(value: Expression | int | None) -> str:
    """A number as C; empty for none."""
    return "" if value is None else str(value) if isinstance(value, int) else spell_expression(value)


def _mentioned_structs(entity: Entity, api: Api) -> Iterator[str]:
    """Keys of the structs and unions in the types of an entity, in the order in which they are mentioned."""
    types: list[CType] = []
    if isinstance(entity, Struct):
        types = [each.type for each in entity.fields or ()]
    elif isinstance(entity, (Function, Typedef, Variable)):
        types = [entity.type]
    for type in (part for each in types for part in types_in(each)):
        named = api.typedefs.get(type.name) if isinstance(type, NamedType) else None
        found = named.type if named else type
        if isinstance(found, RecordType):
            struct = api.structs[found.key]
            if struct.anonymous:
                yield from _mentioned_structs(struct, api)
            else:
                yield found.key


def lay_out(members: Sequence[CMember], spell: Callable[[CMember, bool], str]) -> list[CMember]:
    """Decide where the documentation of each member stands.

    A comment goes behind a member when both fit on one line with the comments around it aligned; functions have theirs
    above. An empty line separates what has a comment above.

    Args:
        members: in order.
        spell: gives the text of one, with what ends it; is told whether it is the last.
    """
    texts = [spell(each, each is members[-1]) for each in members]
    short = [one_line(each.doc) for each in members]
    behind = [
        bool(comment) and "(" not in text and not member.kind
        for member, text, comment in zip(members, texts, short, strict=True)
    ]
    misfits = list(range(len(members)))
    while misfits:
        columns = _columns(members, texts, behind)
        misfits = [at for at, column in enumerate(columns) if behind[at] and column + len(short[at]) > WIDTH]
        behind = [each and at not in misfits for at, each in enumerate(behind)]
    placed: list[CMember] = []
    for at, member in enumerate(members):
        doc = "" if behind[at] else member.doc
        trail = " " * (columns[at] - member.indent - len(texts[at])) + short[at] if behind[at] else ""
        is_first = at == 0 or members[at - 1].kind in ("begin", "nameless")
        gap = not is_first and member.kind != "end" and bool(doc or member.heading or placed[-1].doc)
        placed.append(replace(member, text=texts[at], doc=doc, behind=trail, gap=gap))
    return placed


def _columns(members: Sequence[CMember], texts: list[str], behind: list[bool]) -> list[int]:
    """For each member the column where comments behind it and its neighbours begin."""
    runs: list[int] = []
    for at, member in enumerate(members):
        joins = (
            at > 0 and behind[at - 1] and behind[at] and not member.heading and members[at - 1].indent == member.indent
        )
        runs.append(runs[-1] if joins else at)
    widths: dict[int, int] = {}
    for run, text in zip(runs, texts, strict=True):
        widths[run] = max(widths.get(run, 0), len(text))
    return [member.indent + widths[run] + 2 for member, run in zip(members, runs, strict=True)]
