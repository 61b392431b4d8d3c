"""Target `c`: the header of each API at the path that its spec states, and a header of helpers beside it.

The helpers are sizes per release, HAS_FIELD, and initialisers that respect sizes. Two sides of an API may know structs
of different length: reading a member that the other side does not have reads past its object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.generator.c.lines import (
    WIDTH,
    Speller,
    comment,
    documentation,
    file_beside,
    free_name,
    heading,
    names_in,
    one_line,
    refuse_clashes,
    with_suffix,
    wrap_declaration,
    wrap_macro,
)
from abigen.generator.publication import GeneratedFile, Publication
from abigen.generator.templates import Templates
from abigen.model.api import Api, Header
from abigen.model.contract import Party, directives
from abigen.model.ctype import Array, Basic, BitInt, CType, Expression, NamedType, Pointer, RecordType, Vector, types_in
from abigen.model.entities import Constant, Entity, Enum, Field, Function, Handle, Macro, Struct, Typedef, Variable
from abigen.model.releases import size_steps, struct_forms
from abigen.model.roles import ExtensionKind, extension_kind
from abigen.model.span import AbigenError
from abigen.model.spelling import STANDARD_TYPES, include_guard, needs_parentheses, screaming_snake, spell_expression
from abigen.model.version import Version

_MEMBER_INDENT = 2


class CMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a struct, or an enumerator."""

    text: str
    """Its declaration, or the enumerator's name; as it stands in the header once it is laid out."""
    number: str = ""
    """The width of a bit-field, or the value of an enumerator; empty where there is none."""
    alignment: str = ""
    """The alignment that the member asks for; empty for none."""
    doc: str
    """The comment above the member, once the members are laid out."""
    heading: str = ""
    """Name of the group that begins here."""
    behind: str = ""
    """A comment with the spaces before it."""
    gap: bool = False
    """True if an empty line stands before it."""
    kind: str = ""
    """`begin` or `nameless` (a struct or union that is written down here begins, the latter without a name), `end`."""
    indent: int = _MEMBER_INDENT
    opens: int = 0
    """The value of the release macro that this and what follows need; 0 where no such part begins."""
    closes: bool = False
    """True if such a part ends behind it."""


class CPart(msgspec.Struct, frozen=True, kw_only=True):
    """A declaration or a macro of a header. Its documentation is plain text; templates turn it into a comment."""

    entity: Entity
    kind: str
    """`definition`, `enum`, `struct`, `opaque` (a typedef for a struct whose members follow later, or never) or
    `declaration`."""
    doc: str = ""
    gap: bool = True
    """True if an empty line stands before it."""
    text: str = ""
    """The declarator after the specifiers; the body of a macro; the type that an enum has after the colon; the
    type that a struct is."""
    specifiers: tuple[str, ...] = ()
    """The words before the declarator: `typedef`, `extern`, a macro that exports."""
    enclosed: bool = False
    """True if parentheses have to keep what a macro stands for together."""
    cpp_type: str = ""
    """The type that an enum has after the colon in C++ only."""
    typedef: str = ""
    """The name that an enum or struct gets along with its members; empty when it has it already, or has none."""
    members: tuple[CMember, ...] = ()
    alignment: str = ""
    """The alignment that a struct asks for; empty for none."""
    ends: tuple[tuple[int, str], ...] = ()
    """The last member of a versioned struct for each value of the release macro from which on it is, newest first."""
    opens: int = 0
    """The value of the release macro that this and what follows need; 0 where no such part begins."""
    closes: bool = False
    """True if such a part ends behind it."""


class CParts(msgspec.Struct, frozen=True, kw_only=True):
    """The declarations of an API."""

    before_includes: tuple[CPart, ...]
    """The macros that included headers ask for."""
    definitions: tuple[CPart, ...]
    """The macros before the first declaration, which need no extern "C"."""
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
        """Return a declaration with a macro around the type that a function returns: `XY_API(int) xy_start(void)`.

        Args:
            function: what is declared.
            macro: takes the type.
            text: the declaration without the macro.

        Raises:
            AbigenError: a part of the type stands behind the function's name.
        """
        returned = self._declare(function.type.result, "")
        if not text.startswith(returned):
            message = f"'{macro}' needs the type that a function returns, and '{function.name}' returns '{returned}'"
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
    """Return a number as C; empty for none."""
    return "" if value is None else str(value) if isinstance(value, int) else spell_expression(value)


def _mentioned_structs(entity: Entity, api: Api) -> Iterator[str]:
    """Yield keys of the structs and unions in the types of an entity, in the order in which they are mentioned."""
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


class ReleaseSize(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest valid size of a struct as of a release: up to the end of `last_member`."""

    name: str
    last_member: str
    number: int
    """The value of the release macro from which on it is there; 0 where no value hides it."""


class ZeroValue(msgspec.Struct, frozen=True, kw_only=True):
    """The zero of a type, as C99 and C++11 both take it in a constant initialiser. One of the three is set."""

    name: str = ""
    """`0`, `NULL`, or what else stands for it."""
    cast: str = ""
    """The type to which 0 has to be cast."""
    elements: tuple[ZeroValue, ...] = ()
    """The values of an array or a struct."""


class StructForm(msgspec.Struct, frozen=True, kw_only=True):
    """The form of a struct for one value of the release macro; a header without that macro has one form."""

    number: int
    """The value from which on it is so; 0 without such a macro."""
    last_member: str
    zero: ZeroValue | None
    """The initializer: the size, and zeros."""


class StructHelpers(msgspec.Struct, frozen=True, kw_only=True):
    """Helpers of one versioned struct."""

    struct: str
    size_field: str
    last_member: str
    number: int
    """The value of the release macro from which on it is there; 0 where no value hides it."""
    forms: tuple[StructForm, ...]
    """The newest first."""
    releases: tuple[ReleaseSize, ...]
    has_field: str
    """Name of the macro that tells whether an object has a member."""
    end_of: str
    """The prefix of the macros that state the ends of its members."""
    ends: tuple[tuple[str, str], ...]
    """These members, each with the one that begins behind it if it is a bit-field, else empty; none where there are no
    bit-fields, for then a macro for all members can ask the compiler."""
    has: str
    """Name of the macro that tells whether it has one that is not zero."""
    init: str
    """Name of the function."""
    start: str
    """Name of the shared function that it calls."""
    kind: ExtensionKind | None
    """The kind that an extension states in its header besides its size; None for other structs."""
    initializer: str
    """Name of the macro; empty when the struct holds something that cannot be initialised by a constant."""


class StartFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function that begins an object whose size has a certain type; all headers of a prefix may define it."""

    name: str
    guard: str
    size_type: str


class Helpers(msgspec.Struct, frozen=True, kw_only=True):
    """The header of helpers, and what it shares with those of the other APIs of the same prefix."""

    path: str
    banner: tuple[str, ...]
    guard: str
    includes: tuple[str, ...]
    """The API's own header."""
    inline: str
    """Name of the macro that declares functions in headers."""
    checked: str
    """Name of the macro that takes pointers to one struct only."""
    starts: tuple[StartFunction, ...]
    offset_of_end: str
    release_macro: str
    """Name of the macro that hides what came later; empty for none."""
    structs: tuple[StructHelpers, ...]


def helpers_of(publication: Publication) -> Helpers | None:
    """Make the helpers of an API's versioned structs.

    Args:
        publication: the API.

    Returns:
        None when no struct of the API is versioned.

    Raises:
        AbigenError: the API has given the name of a helper to something else.
    """
    api, header = publication.api, publication.header
    structs = [struct for struct in api.structs.values() if struct.name in header.size_macros and struct.fields]
    if not structs:
        return None
    speller = Speller(api)
    size_types = {struct.name: speller.declare(size_type(struct, api)) for struct in structs}
    starts = {each: _start(header.prefix, each) for each in sorted(set(size_types.values()))}
    path = file_beside(header.path, "_helpers.h")
    helpers = Helpers(
        path=path,
        banner=publication.banner,
        guard=include_guard(path),
        includes=header.published,
        inline=f"{header.prefix}_INLINE",
        checked=f"{header.prefix}_POINTER_TO",
        starts=tuple(starts.values()),
        offset_of_end=header.offset_of_end,
        release_macro=header.release_macro,
        structs=tuple(_of_struct(struct, api, header, starts[size_types[struct.name]].name) for struct in structs),
    )
    _check_names(helpers, api)
    return helpers


def size_type(struct: Struct, api: Api) -> CType:
    """Return the type of the size field: the first member, or the first member of the embedded base struct."""
    type = (struct.fields or ())[0].type
    while (base := api.struct_of(type)) is not None and base.fields:
        type = base.fields[0].type
    return type


def _start(prefix: str, size_type: str) -> StartFunction:
    suffix = "" if size_type == "size_t" else "_" + re.sub(r"\W+", "_", size_type)
    name = f"{prefix}_StartStruct{suffix}"
    return StartFunction(name=name, guard=f"{screaming_snake(name)}_DEFINED", size_type=size_type)


def _of_struct(struct: Struct, api: Api, header: Header, start: str) -> StructHelpers:
    assert struct.fields
    size_macro = header.size_macros[struct.name]
    stem = size_macro.removesuffix("_STRUCT_SIZE")
    if stem == size_macro:
        stem = screaming_snake(struct.name)
    ends = tuple(_ends(struct, api))
    forms = tuple(_form(number, then, past, size_macro) for number, then, past in struct_forms(struct, api))
    return StructHelpers(
        struct=Speller(api).declare(RecordType(struct.name)),
        size_field=struct.size_member,
        last_member=struct.fields[-1].name,
        number=header.hidden_below(struct.contract.lifecycle.since),
        forms=forms,
        releases=tuple(
            ReleaseSize(
                name=f"{size_macro}_{each.major}_{each.minor}_{each.patch}",
                last_member=last,
                number=header.hidden_below(each),
            )
            for each, last in release_sizes(struct, header.releases)
        ),
        has_field=f"{stem}_HAS_FIELD",
        end_of=f"{stem}_END_OF_",
        ends=ends if any(behind for _, behind in ends) else (),
        has=f"{stem}_HAS",
        init=with_suffix(struct.name, "Init"),
        start=start,
        kind=extension_kind(struct, api),
        initializer=f"{stem}_INITIALIZER" if all(each.zero for each in forms) else "",
    )


def _ends(struct: Struct, api: Api, behind: str = "") -> Iterator[tuple[str, str]]:
    """Yield the members that a name reaches, each with the plain one behind it if it is a bit-field.

    Args:
        struct: the struct, or one that a member without a name is.
        api: the API.
        behind: the plain member that begins behind the struct.
    """
    found: list[tuple[str, str]] = []
    for each in reversed(struct.fields or ()):
        inner = api.struct_of(each.type) if not each.name else None
        if inner is not None:
            new = [*_ends(inner, api, behind)]
        else:
            new = [(each.name, behind if each.bit_width is not None else "")] if each.name else []
        found = [*new, *found]
        if not struct.is_union:  # alternatives lie in one place, and not behind each other
            behind = next((name for name, end in new if not end), behind)
    yield from found


def _form(number: int, struct: Struct, api: Api, size_macro: str) -> StructForm:
    assert struct.fields
    kind = extension_kind(struct, api)
    said = {struct.size_member: size_macro} | ({kind.member: kind.value} if kind else {})
    zeros = _zeros(struct.fields, api, said)
    zero = ZeroValue(elements=zeros) if zeros is not None else None
    return StructForm(number=number, last_member=struct.fields[-1].name, zero=zero)


def release_sizes(struct: Struct, releases: tuple[Version, ...]) -> list[tuple[Version, str]]:
    """Return the smallest valid sizes of a struct: each release that has it, with the last member that it has there.

    Args:
        struct: a versioned struct.
        releases: in rising order.
    """
    born = struct.contract.lifecycle.since
    there = [each for each in releases if born is None or born <= each]
    steps = size_steps(struct)
    reached = [[step for step in steps if step.since is None or step.since <= each] for each in there]
    return [(each, past[-1].last_member) for each, past in zip(there, reached, strict=True) if past]


def _zeros(
    members: tuple[Field, ...], api: Api, said: Mapping[str, str] = {}, path: str = ""
) -> tuple[ZeroValue, ...] | None:
    """Return the zeros of members that take a value; None when one has none that could be written (a `va_list`).

    Args:
        members: of one struct.
        api: the API.
        said: what the members at some paths are instead.
        path: what stands before the names of the members.
    """
    values = [
        ZeroValue(name=said[path + each.name])
        if path + each.name in said
        else _zero(each.type, api, said, f"{path}{each.name}." if each.name else path)
        for each in members
        if _is_initialised(each)
    ]
    known = tuple(each for each in values if each is not None)
    return known if len(known) == len(values) else None


def _is_initialised(member: Field) -> bool:
    """Unnamed bit-fields and flexible arrays take no value (C 6.7.9 paragraph 9, 6.7.2.1 paragraph 18)."""
    unnamed = member.bit_width is not None and not member.name
    return not unnamed and not (isinstance(member.type, Array) and member.type.length is None)


def _zero(type: CType, api: Api, said: Mapping[str, str] = {}, path: str = "") -> ZeroValue | None:
    resolved = api.resolve(type)
    if isinstance(resolved, Pointer):
        return ZeroValue(name="NULL")
    if isinstance(resolved, (Basic, BitInt)):
        return None if resolved == Basic("__builtin_va_list") else ZeroValue(name="0")
    if isinstance(resolved, NamedType):
        plain = resolved.name in STANDARD_TYPES and resolved.name != "va_list"
        return ZeroValue(name="0") if plain else None
    if isinstance(resolved, (Array, Vector)):
        element = _zero(resolved.element, api)
        return ZeroValue(elements=(element,)) if element else None
    enum = api.enum_of(resolved)
    if enum is not None:
        name = next((each.name for each in enum.enumerators or () if each.value == 0), "")
        return ZeroValue(name=name, cast="" if name else Speller(api).declare(resolved))
    record = api.struct_of(resolved)
    if record is None or not record.fields:
        return None
    members = tuple(each for each in record.fields if _is_initialised(each))
    values = _zeros(members[:1] if record.is_union else members, api, said, path)
    return ZeroValue(elements=values) if values else None


def _check_names(helpers: Helpers, api: Api) -> None:
    """Refuse names that the API uses itself, and names that two helpers would have."""
    made: dict[str, str] = {}
    for name, purpose in _defined_names(helpers):
        if name in made:
            message = f"two helpers would be called `{name}`: {made[name]}, and {purpose}"
            raise AbigenError.at(None, message, "set size_macro on one of the structs")
        made[name] = purpose
    what = "is the name of a helper that the header defines"
    refuse_clashes({name: f"{what}: {purpose}" for name, purpose in made.items()}, api, "give it another name")


def _defined_names(helpers: Helpers) -> Iterator[tuple[str, str]]:
    """Name and purpose of everything that the helpers define."""
    yield helpers.inline, "how functions in headers are declared"
    yield helpers.checked, "a helper that accepts pointers to one struct only"
    for start in helpers.starts:
        yield start.name, "the part that all initialisers share"
        yield start.guard, f"whether `{start.name}` has been defined"
    for each in helpers.structs:
        yield each.has_field, f"whether a `{each.struct}` has a member"
        for member, _ in each.ends:
            yield f"{each.end_of}{member}", f"where `{member}` of a `{each.struct}` ends"
        yield each.has, f"whether a member of a `{each.struct}` is set"
        yield each.init, f"the initialiser of `{each.struct}`"
        if each.initializer:
            yield each.initializer, f"the constant initialiser of `{each.struct}`"
        for release in each.releases:
            yield release.name, f"the smallest size of `{each.struct}` in a release"


_FILTERS: Mapping[str, Callable[..., object]] = {
    "comment": comment,
    "declaration": wrap_declaration,
    "define": wrap_macro,
    "directives": directives,
    "heading": heading,
    "lay_out": lay_out,
}


def outputs(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Write the header of an API, unless it is its vendor's, and one of helpers where it has versioned structs.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: the header cannot be written as C, or a template is wrong.
    """
    header = publication.header
    if not header.vendor:
        parts = parts_of(publication)
        text = templates.render("c/header.h.j2", _FILTERS, publication=publication, header=header, parts=parts)
        yield GeneratedFile(header.path, text)
    helpers = helpers_of(publication)
    if helpers is not None:
        yield GeneratedFile(helpers.path, templates.render("c/helpers.h.j2", _FILTERS, helpers=helpers))
