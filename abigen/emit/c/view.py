"""What templates of target `c` see: an API as the parts of a C header. Only this package knows both the model and C."""

from __future__ import annotations

from dataclasses import dataclass, field

from abigen.emit.c.members import Member, lay_out
from abigen.emit.c.mentions import mentioned_structs
from abigen.emit.c.prose import documented
from abigen.emit.c.types import Speller
from abigen.model.api import Api, Header
from abigen.model.ctype import Binary, Cast, Conditional, Pointer, Unary
from abigen.model.entities import Callback, Constant, Entity, Enum, Field, Function, Handle, Macro, Struct, Typedef
from abigen.model.span import AbigenError
from abigen.model.spelling import spell_expression


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A `#define`; `cases` are (condition, text) pairs when the text depends on the target."""

    kind: str = "definition"
    name: str
    head: str
    body: str
    doc: str
    guarded: bool = False
    cases: tuple[tuple[str, str], ...] = ()
    gap: bool = True
    """Whether an empty line stands before it."""


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """A declaration on one line: a typedef, or a function."""

    kind: str = "declaration"
    name: str
    text: str
    doc: str = ""
    gap: bool = True


@dataclass(frozen=True, kw_only=True)
class Enumeration:
    """An enum; `underlying` is the type after the colon, empty when the compiler chooses."""

    kind: str = "enumeration"
    name: str
    tag: str
    typedef: str
    underlying: str
    members: tuple[Member, ...]
    doc: str
    gap: bool = True


@dataclass(frozen=True, kw_only=True)
class Record:
    """A struct or union; `typedef` is empty when a forward declaration has named it already."""

    kind: str = "record"
    name: str
    keyword: str
    tag: str
    typedef: str
    packed: bool
    alignment: str
    """What asks for its alignment; empty when nothing does."""
    members: tuple[Member, ...]
    size: Definition | None
    doc: str
    gap: bool = True


Part = Definition | Declaration | Enumeration | Record


@dataclass(frozen=True, kw_only=True)
class CHeader:
    """A header from top to bottom. Texts of documentation are plain; templates turn them into comments."""

    path: str
    """Where users include it from."""
    banner: tuple[str, ...]
    doc: str
    guard: str
    includes: tuple[str, ...]
    prefix: str
    version: tuple[tuple[str, int], ...]
    definitions: tuple[Part, ...]
    """What needs no extern "C": the macros before the first declaration."""
    declarations: tuple[Part, ...]
    aligned: str
    """Name of the macro that asks for an alignment; empty when none is asked for."""


@dataclass
class _Draft:
    """The parts so far, and the structs that have a name already."""

    parts: list[Part] = field(default_factory=list)
    named: set[str] = field(default_factory=set)


def header_of(api: Api, banner: tuple[str, ...]) -> CHeader:
    """Make the view of an API's header.

    Args:
        api: read from a spec.
        banner: the lines of the file's first comment.

    Raises:
        AbigenError: a struct without a tag is needed before it is declared.
    """
    header = api.header
    assert header is not None, "only specs say how they are published"
    builder = _Builder(api, header)
    parts = builder.parts()
    lead = next((at for at, part in enumerate(parts) if not isinstance(part, Definition)), len(parts))
    numbers = (api.version.version.major, api.version.version.minor, api.version.version.patch) if api.version else ()
    return CHeader(
        path=header.path,
        banner=banner,
        doc=api.doc,
        guard=header.guard,
        includes=header.includes,
        prefix=header.prefix,
        version=tuple(zip(header.version_macros, numbers, strict=False)),
        definitions=tuple(parts[:lead]),
        declarations=tuple(parts[lead:]),
        aligned=_aligned_macro(header) if _asks_alignment(api) else "",
    )


def _aligned_macro(header: Header) -> str:
    """Name of the macro that asks compilers for an alignment."""
    return f"{header.prefix}_ALIGNED"


def _asks_alignment(api: Api) -> bool:
    own = [struct for struct in api.structs.values() if struct.in_api]
    asked = [struct.alignment for struct in own]
    asked += [member.alignment for struct in own for member in struct.fields or ()]
    return any(alignment is not None for alignment in asked)


def _enclosed(constant: Constant) -> str:
    """The text of a constant, in parentheses where what stands around it could tear it apart."""
    text = constant.text
    if not isinstance(constant.expression, (Unary, Binary, Conditional, Cast)):
        return text
    depth, ends = 0, []
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            ends.append(at)
    return text if text.startswith("(") and ends[0] == len(text) - 1 else f"({text})"


class _Builder:
    """Goes through an API in the order of its declarations."""

    def __init__(self, api: Api, header: Header) -> None:
        self.speller = Speller(api)
        self._api = api
        self._header = header

    def parts(self) -> list[Part]:
        """All parts, with the structs that are mentioned before they are defined named in time."""
        draft = _Draft()
        listed = {name for _, name in self._header.order}
        implied = [("macro", name) for name, macro in self._api.macros.items() if macro.in_api and name not in listed]
        for kind, name in (*implied, *self._header.order):
            if kind in ("macro", "constant"):
                draft.parts.append(self._definition(name, draft))
                continue
            entity = self._entity(kind, name)
            self._name_structs(entity, draft)
            draft.parts.append(self._part(entity, draft))
        return draft.parts

    def _entity(self, kind: str, name: str) -> Entity:
        if kind == "struct":
            return self._api.structs[name]
        if kind == "enum":
            return self._api.enums[name]
        return self._api.functions[name] if kind == "function" else self._api.typedefs[name]

    def _part(self, entity: Entity, draft: _Draft) -> Part:
        if isinstance(entity, Struct):
            return self._record(entity, draft)
        if isinstance(entity, Enum):
            return self._enumeration(entity)
        if isinstance(entity, Function):
            return self._function(entity)
        assert isinstance(entity, Typedef)
        return self._typedef(entity)

    def _name_structs(self, entity: Entity, draft: _Draft) -> None:
        """Declare the API's own structs that an entity mentions and that nothing has named yet."""
        for key in mentioned_structs(entity, self._api):
            struct = self._api.structs[key]
            if not struct.in_api or struct.fields is None or key in draft.named:
                continue
            if not struct.tag:
                message = f"`{entity.name}` needs `{key}` before it is declared, which takes a tag"
                raise AbigenError.at(entity.span, message, f"declare `{key}` first, or give it a tag")
            draft.named.add(key)
            follows = bool(draft.parts) and draft.parts[-1].kind == "declaration" and not draft.parts[-1].doc
            text = f"typedef {struct.kind} {struct.tag} {struct.typedef_names[0]}"
            draft.parts.append(Declaration(name=key, text=text, gap=not follows))

    def _definition(self, name: str, draft: _Draft) -> Definition:
        guarded, cases = name in self._header.guarded, self._header.cases.get(name, ())
        if name in self._api.macros:
            entity: Macro | Constant = self._api.macros[name]
            assert isinstance(entity, Macro)
            head, body = f"#define {name}({', '.join(entity.parameters)})", entity.body
        else:
            entity = self._api.constants[name]
            head, body = f"#define {name}", _enclosed(entity)
        doc = self._doc(entity)
        before = draft.parts[-1] if draft.parts else None
        plain = not doc and not guarded and not cases
        close = plain and isinstance(before, Definition) and not (before.doc or before.guarded or before.cases)
        return Definition(name=name, head=head, body=body, doc=doc, guarded=guarded, cases=cases, gap=not close)

    def _typedef(self, entity: Typedef) -> Declaration:
        if isinstance(entity, Handle):
            star = "*" if entity.by_pointer else ""
            text = f"typedef struct {entity.tag}{star} {entity.name}"
        elif isinstance(entity, Callback):
            type = Pointer(entity.function) if entity.by_pointer else entity.function
            text = f"typedef {self.speller.declare(type, entity.name)}"
        else:
            text = f"typedef {self.speller.declare(entity.type, entity.name)}"
        return Declaration(name=entity.name, text=text, doc=self._doc(entity))

    def _function(self, entity: Function) -> Declaration:
        text = self.speller.declare(entity.type, entity.name)
        if entity.implemented_by != "plugin":
            exported = self._header.export and entity.name not in self._header.unexported
            words = (self._header.export if exported else "", "extern" if self._header.extern else "", text)
            text = " ".join(filter(None, words))
        return Declaration(name=entity.name, text=text, doc=self._doc(entity))

    def _enumeration(self, enum: Enum) -> Enumeration:
        enumerators = enum.enumerators or ()
        members = []
        for each in enumerators:
            value = "" if each.expression is None else f" = {spell_expression(each.expression)}"
            end = "" if each is enumerators[-1] else ","
            members.append(Member(text=f"{each.name}{value}", end=end, doc=self._doc(each, enum)))
        return Enumeration(
            name=enum.name,
            tag=enum.tag,
            typedef=enum.typedef_names[0] if enum.typedef_names else "",
            underlying=self.speller.declare(enum.underlying) if enum.underlying else "",
            members=lay_out(members),
            doc=self._doc(enum),
        )

    def _record(self, struct: Struct, draft: _Draft) -> Record:
        members = []
        group = ""
        for each in struct.fields or ():
            heading = each.group if each.group != group else ""
            group = each.group or group
            members.append(Member(text=self._member(each), end=";", doc=self._doc(each, struct), heading=heading))
        known = struct.name in draft.named
        draft.named.add(struct.name)
        return Record(
            name=struct.name,
            keyword=struct.kind,
            tag=struct.tag,
            typedef="" if known or not struct.typedef_names else struct.typedef_names[0],
            packed=struct.packed,
            alignment=self._alignment(struct),
            members=lay_out(members),
            size=self._size(struct),
            doc=self._doc(struct),
        )

    def _member(self, member: Field) -> str:
        text = self.speller.declare(member.type, member.name)
        width = member.bit_width
        if width is not None:
            text = f"{text} : {width if isinstance(width, int) else spell_expression(width)}"
        alignment = self._alignment(member)
        return f"{alignment} {text}" if alignment else text

    def _alignment(self, entity: Struct | Field) -> str:
        asked = entity.alignment
        if asked is None:
            return ""
        return f"{_aligned_macro(self._header)}({asked if isinstance(asked, int) else spell_expression(asked)})"

    def _size(self, struct: Struct) -> Definition | None:
        name = self._header.size_macros.get(struct.name)
        if name is None or not struct.fields:
            return None
        body = f"{self._header.offset_of_end}({struct.name}, {struct.fields[-1].name})"
        return Definition(name=name, head=f"#define {name}", body=body, doc="")

    def _doc(self, entity: Entity, owner: Entity | None = None) -> str:
        pointer = isinstance(entity, Field) and isinstance(self._api.resolve(entity.type), Pointer)
        return documented(
            entity.doc, entity.contract, pointer=pointer, born=owner.contract.lifecycle.since if owner else None
        )
