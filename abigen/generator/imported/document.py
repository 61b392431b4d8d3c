"""Builds the spec of an API that was read from a header, and writes it as YAML."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar, cast

import msgspec
import yaml
from msgspec.structs import replace

from abigen.generator.imported.keys import (
    Document,
    ForeignTypes,
    HeaderContext,
    Imported,
    SizedStructs,
    all_names,
    as_number,
    exporting_macro,
    holds_reserved_names,
    is_name_of_its_type,
    is_tag_of_another,
    is_unknown,
    lost_keys,
    macros_of_calls,
    names_of_version,
    new_names,
    number_of,
    tag_key,
    unlike_its_name,
    value_of,
    version_keys,
    way_to,
    written_inside,
    written_number,
)
from abigen.model.api import Api, ApiSet
from abigen.model.attributes import keys_of
from abigen.model.contract import Party
from abigen.model.ctype import (
    CType,
    EnumType,
    Expression,
    Literal,
    NamedType,
    Node,
    Parameter,
    Pointer,
    RecordType,
    rebuilt,
    types_in,
)
from abigen.model.entities import Callback, Entity, Enum, Field, Function, Handle, Struct, Typedef
from abigen.model.roles import says_what_zero_means
from abigen.model.span import Diagnostic, Span
from abigen.model.spelling import C_KEYWORDS, by_pattern, include_guard, reserved_word, spell, spell_expression
from abigen.model.version import Version

_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b((?:[^\n\\]|\\\n|\\)*)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


def defined_before(file: str, read: ApiSet, text: str, guards: Iterable[str]) -> tuple[str, ...]:
    """Find the macros by which a header configures one that it includes.

    Args:
        file: the included header, as spans call it.
        read: the header that includes it, itself or through others.
        text: of the included header.
        guards: the include guards of the headers that include it.

    Returns:
        The macros that conditions of the included header ask for, and that are defined in front of its `#include`, as
        `-D` takes them: `NAME=VALUE`.
    """
    api = read.groups[0].api
    asked = {word for condition in _CONDITION.findall(text) for word in _WORD.findall(condition)}
    start = way_to(Span(file, 0, 0), api)
    configured = tuple(
        definition
        for name, definition, span in _definitions(api)
        if name in asked and span is not None and span.file != file and way_to(span, api) < start
    )
    return (*configured, *(f"{guard}=" for guard in sorted(asked & {*guards})))


def _definitions(api: Api) -> Iterator[tuple[str, str, Span | None]]:
    """Yield the macros that are defined at the end: name, definition and place."""
    for each in api.constants.values():
        if not each.is_object:
            yield each.name, f"{each.name}={each.text}", each.span
    for macro in api.macros.values():
        yield macro.name, f"{macro.name}({','.join(macro.parameters)})={macro.body}", macro.span
    said = api.version
    if said is not None:
        for (name, span), text in zip(said.macros, said.texts, strict=True):
            yield name, f"{name}={text}", span


_WIDTH = 110
"""Columns that an entry on one line may take."""
_TEXT, _MAPPING, _LIST = "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"


def yaml_text(document: Mapping[str, object], comment: str) -> str:
    """Write a spec.

    Args:
        document: texts, numbers, truth values, and lists and mappings of these, in the order in which they shall stand.
        comment: stands above it, in as many lines.
    """
    head = "".join(f"# {line}".rstrip() + "\n" for line in comment.splitlines())
    parts: list[str] = []
    for key, value in document.items():
        node = yaml.MappingNode(_MAPPING, [(_scalar(key), _node(value, 0))], flow_style=False)
        text = yaml.serialize(node, Dumper=yaml.SafeDumper, width=_WIDTH, allow_unicode=True)
        is_section = "\n" in text.rstrip("\n")
        parts.append(("\n" if is_section and parts else "") + text)
    return head + "".join(parts)


def _node(value: object, depth: int) -> yaml.Node:
    if isinstance(value, Mapping):
        pairs = [(_scalar(str(key)), _node(each, depth + 1)) for key, each in value.items()]
        return yaml.MappingNode(_MAPPING, pairs, flow_style=_is_short(value) and depth > 0)
    if isinstance(value, Sequence) and not isinstance(value, str):
        nodes = [_node(each, depth + 1) for each in value]
        plain = all(not isinstance(each, Mapping) for each in value)
        return yaml.SequenceNode(_LIST, nodes, flow_style=plain and _is_short(value))
    return _scalar(value)


def _is_short(value: object) -> bool:
    """True if a value fits on one line, and has no text of several."""
    text = str(value)
    return "\\n" not in text and len(text) < _WIDTH - 20


def _scalar(value: object) -> yaml.ScalarNode:
    if isinstance(value, bool):
        return yaml.ScalarNode("tag:yaml.org,2002:bool", str(value).lower())
    if isinstance(value, int):
        return yaml.ScalarNode("tag:yaml.org,2002:int", str(value))
    text = str(value)
    return yaml.ScalarNode(_TEXT, text + "\n", style="|") if "\n" in text else yaml.ScalarNode(_TEXT, text)


_BEGINS = re.compile(r"init|entry|register|load|begin|start|plugin|get.*api|api$", re.IGNORECASE)
_ENTRY = ("implemented_by: plugin", "entry_point: true")


class LikelyEntryPoint(msgspec.Struct, frozen=True):
    """A function by which a core may begin with a plugin."""

    name: str
    fillers: Mapping[str, str]
    """The structs of functions that it is called with or returns, each with the side that fills it."""


def likely_entry_points(api: Api) -> list[LikelyEntryPoint]:
    """Return the functions that take a struct of functions to fill, or return one.

    Args:
        api: of a header. If the name of only one of them says that it begins something, the others are left out.
    """
    found: list[LikelyEntryPoint] = []
    for function in api.functions.values():
        fillers: dict[str, str] = {}
        for type in (function.type.result, *(each.type for each in function.type.parameters)):
            struct = api.pointee(type)
            if struct is not None and any(api.callback(each.type) for each in struct.fields or ()):
                is_core = type is not function.type.result and api.is_const_pointer(type)
                fillers[struct.name] = "core" if is_core else "plugin"
        if function.in_api and not function.static and "plugin" in fillers.values():
            found.append(LikelyEntryPoint(function.name, fillers))
    named = [each for each in found if _BEGINS.search(each.name)]
    return named if len(named) == 1 else found


def with_entry_point(text: str, name: str) -> str:
    """Return the text of a spec in which a function is implemented by plugins, and is the entry point.

    Args:
        text: as `abigen import` writes it.
        name: of the function.
    """

    def marked(item: re.Match[str]) -> str:
        is_flow, rest = bool(item["flow"]), item["rest"]
        stated = ", ".join(_ENTRY) if is_flow else "\n  ".join(_ENTRY)
        rest = re.sub(r"(, |\n  )implemented_by: \w+", "", rest)
        return f"{item['head']}{', ' if is_flow else chr(10) + '  '}{stated}{rest}"

    pattern = rf"(?P<head>^- (?P<flow>\{{?)name: {re.escape(name)}\b)(?P<rest>.*?)(?=^\S|\Z)"
    return re.sub(pattern, marked, text, count=1, flags=re.DOTALL | re.MULTILINE)


_E = TypeVar("_E", bound=Entity)
_Place = tuple[tuple[tuple[int, int], ...], int]
"""The position of an entity: line and column of each #include on the way to it and its own, and its nesting depth."""


def document_of(api: Api, around: HeaderContext) -> Imported:
    """Say in a spec what a header says.

    Args:
        api: what the header declares.
        around: what else there is to say.

    Returns:
        The document, and what the language of specs cannot express, by place.
    """
    return _Import(api, around).result()


def _ordinary_names(api: Api) -> Iterator[tuple[str, str]]:
    """Yield the names that C keeps apart from macros and a spec does not, each with what it is the name of."""
    for enum in api.enums.values():
        yield from ((each.name, "an enumerator") for each in enum.enumerators or ())
    for group in (api.typedefs, api.structs, api.enums):
        yield from ((name, "a type") for name, each in group.items() if each.in_api)
    yield from ((name, "a function") for name, each in api.functions.items() if each.in_api)


def _compact(text: str) -> str:
    """Return the text of a macro without white space."""
    return "".join(text.split())


class _Import:
    """Turns one API into a document."""

    def __init__(self, api: Api, around: HeaderContext) -> None:
        """Begin without having written anything."""
        self._api = api
        self._around = around
        self._gaps: list[Diagnostic] = []
        self._remarks: list[Diagnostic] = []
        self._order: list[tuple[_Place, str]] = []
        self._written_as: dict[str, str] = {}
        """Names in the spec, by keys."""
        self._sized = SizedStructs(api)
        self._names = all_names(api)
        self._foreign = ForeignTypes(api, around.known)
        self._namesakes = dict(_ordinary_names(api))
        self._exporter = ""
        self._exported: Collection[str] = ()
        self._version_names = names_of_version(api.version)
        self._said: list[Version] = []
        """The releases that entities say they came with."""
        self._handles_of = {
            each.tag: each.name
            for each in reversed([*api.typedefs.values()])
            if isinstance(each, Handle) and each.in_api and not each.by_pointer
        }
        """Tag of an opaque struct to the typedef that names it."""
        self._inside = written_inside(api)
        nameless: list[Struct | Enum] = [*self._api_entities(api.structs), *self._api_entities(api.enums)]
        self._invented = dict(new_names((each for each in nameless if each.name not in self._inside), api))

    def result(self) -> Imported:
        """Return the whole document."""
        api, around = self._api, self._around
        export = self._export()
        sections = {
            "macros": list(self._macros()),
            "constants": list(self._constants()),
            "typedefs": list(self._typedefs()),
            "handles": list(self._handles()),
            "callbacks": list(self._callbacks()),
            "enums": list(self._enums()),
            "structs": list(self._structs()),
            "functions": list(self._functions()),
        }
        for tag in self._foreign.tags():
            sections["handles"].append({"name": tag, "typedef": False})
            self._order.append((((), 0), tag))
        self._gaps += self._foreign.gaps()
        for variable in (each for each in api.variables.values() if each.in_api):
            self._gap(variable, f"variable {variable.name}: a spec declares no variables")
        header: Document = {"path": around.path}
        if around.guard and around.guard != include_guard(around.path):
            header["guard"] = around.guard
        if around.includes:
            header["includes"] = list(around.includes)
        header |= export
        document: Document = {"abigen": 1, "api": around.name}
        document |= {"doc": api.doc} if api.doc else {}
        document |= version_keys(self._api.version, self._around)
        if "version" not in document and self._said:
            document |= {"version": str(max(self._said)), "version_macros": []}
        document["header"] = header
        document |= {"uses": list(around.uses)} if around.uses else {}
        document |= self._conventions()
        if holds_reserved_names({"header": dict(header), **sections}):
            header["reserved_names"] = True
        document |= {name: items for name, items in sections.items() if items}
        order = self._in_order()
        document |= {"order": order} if len(order) > 1 else {}
        return Imported(document, tuple(self._gaps), tuple(self._remarks))

    def _in_order(self) -> list[str]:
        """Return all names in the order of the header; a type declared inside a struct comes before the struct."""
        ordered: dict[str, None] = {}
        keys = {name: key for key, name in self._written_as.items()}

        def add(name: str) -> None:
            for each in (*self._made_of(keys.get(name, "")), *self._opaque_in(keys.get(name, ""))):
                if each not in ordered:
                    add(each)
            ordered.setdefault(name)

        for _, name in sorted(self._order):
            add(name)
        return list(ordered)

    def _made_of(self, key: str) -> Iterator[str]:
        """Yield the names of the structs, unions and enumerations that members of a struct are."""
        struct = self._api.structs.get(key)
        for member in struct.fields or () if struct is not None else ():
            type = self._api.element_of(member.type)
            if isinstance(type, (RecordType, EnumType)):
                written = self._written_as.get(type.key)
                yield from (written,) if written else self._made_of(type.key)

    def _opaque_in(self, key: str) -> Iterator[str]:
        """Yield the names of opaque structs in a declaration: the header may name them by their tags before."""
        for type in self._types_in(key):
            struct = self._api.structs.get(type.key) if isinstance(type, RecordType) else None
            if struct is not None and struct.in_api and struct.fields is None:
                name = self._written_as.get(struct.name) or self._handles_of.get(struct.tag, "")
                yield from (name,) if name else ()

    def _types_in(self, key: str) -> Iterator[CType]:
        struct = self._api.structs.get(key)
        for member in (struct.fields or ()) if struct is not None else ():
            yield from types_in(member.type)
            if isinstance(member.type, RecordType) and member.type.key in self._inside:
                yield from self._types_in(member.type.key)
        for declared in (self._api.functions.get(key), self._api.typedefs.get(key)):
            if declared is not None and struct is None and not isinstance(declared, Handle):
                yield from types_in(declared.type)

    def _export(self) -> Document:
        """Return the macro that stands before functions which are exported, and whether `extern` does."""
        functions = [*self._api_entities(self._api.functions)]
        self._exporter, self._exported, is_extern = exporting_macro(functions, self._api, self._around)
        for each in functions:
            if each.exported and each.name not in self._exported and each.implemented_by is not Party.PLUGIN:
                self._gap(each, f"function {each.name}: that it is exported")
        if not self._exporter:
            return {}
        return {"export": self._exporter} | ({"extern": True} if is_extern else {})

    def _conventions(self) -> Document:
        found: Document = {}
        if self._sized.leading:
            found["leading_fields"] = [spell(each.type, each.name, self._api) for each in self._sized.leading]
        if self._sized.leading and (name := self._sized.offset_of_end()):
            found["offset_of_end"] = name
        if pattern := self._sized.size_pattern():
            found["size_macro"] = pattern
        if (form := self._sized.size_form()) != "macro":
            found["size_form"] = form
        if self._around.filled_by:
            found["filled_by"] = dict(self._around.filled_by)
        return {"conventions": found} if found else {}

    def _macros(self) -> Iterator[Document]:
        for each in self._api_entities(self._api.macros):
            if self._sized.leading and each.name == self._sized.offset_of_end():
                continue  # the spec makes one of this name
            if self._has_namesake(each) or self._is_given(each, each.body):
                continue
            body = self._cases(each, each.body)
            yield self._finished(each, {"name": each.name, "parameters": list(each.parameters), "body": body})

    def _has_namesake(self, macro: Entity) -> bool:
        """True if something of the header has a macro's name; then the macro is listed as lost."""
        kind = self._namesakes.get(macro.name, "")
        if kind:
            self._gap(macro, f"macro {macro.name}: {kind} has this name, and a spec has one entity of a name")
        return bool(kind)

    def _is_given(self, macro: Entity, text: str) -> bool:
        """True for a macro that a used spec defines; the macro is listed as lost where it stands for something else."""
        given = self._around.given.get(macro.name)
        if given is None or macro.name in self._around.guarded:
            return False
        cases = self._around.cases.get(macro.name)
        known = [_compact(each) for _, each in given]
        if [*cases] != [*given] if cases else _compact(text) not in known:
            self._gap(
                macro, f"macro {macro.name}: an included header defines it differently, and that definition counts"
            )
        return True

    def _cases(self, macro: Entity, here: object) -> object:
        """Return the definition of a macro: one for each case where the header has several, else the one used here."""
        if cases := self._around.cases.get(macro.name):
            return [{"if": condition, "text": text} if condition else {"text": text} for condition, text in cases]
        if macro.name in self._around.conditional:
            self._gap(macro, f"macro {macro.name}: it depends on a condition; the spec has the result for this machine")
        return here

    def _constants(self) -> Iterator[Document]:
        own = {name for name in self._sized.sizes().values() if name}
        mine = (each.name for each in self._api.constants.values() if each.in_api)
        known = {
            *mine,
            *self._api.enumerators,
            *self._api.typedefs,
            *self._api.structs,
            *C_KEYWORDS,
            *self._around.known,
            "offsetof",
        }
        for each in self._api_entities(self._api.constants):
            if each.name in self._version_names or each.name in own or each.name == self._around.guard:
                continue
            if self._has_namesake(each) or self._is_given(each, each.text):
                continue
            if each.is_object and each.text.startswith("{"):
                self._gap(each, f"object {each.name}: it is a list")
                continue
            if each.is_object:
                self._gap(each, f"constant {each.name}: it is an object in the header, and a macro in the spec")
            item: Document = {"name": each.name, "value": self._cases(each, value_of(each, known))}
            is_early = each.name in self._around.before_includes and not isinstance(item["value"], list)
            yield self._finished(each, item | ({"before_includes": True} if is_early else {}))
        for size in self._api_entities(self._api.size_constants):
            if size.name not in own:
                self._gap(
                    size, f"size constant {size.name}: it is a constant in the spec, which does not change by itself"
                )
                yield self._finished(size, {"name": size.name, "value": f"({spell_expression(size.expression)})"})
            elif size.form != self._sized.size_form():
                form = {"macro": "a macro", "enumerator": "an enumerator"}[self._sized.size_form()]
                self._gap(size, f"{size.form} {size.name}: it becomes {form}")
        said = self._api.version
        if said is not None and not self._version_names:
            for (name, span), value in zip(said.macros, said.texts, strict=True):
                if span is not None and span.file not in self._api.files:
                    continue
                text = f"version macro {name}: it is a constant in the spec, to be changed along with `version`"
                self._remarks.append(Diagnostic(span, text, severity="note"))
                macro = Entity(name=name, span=span)
                number = as_number(value)
                written = written_number(macro, number, self._around.lines) if isinstance(number, int) else None
                yield self._finished(macro, {"name": name, "value": number if written is None else written})

    def _typedefs(self) -> Iterator[Document]:
        for each in self._api_entities(self._api.typedefs):
            if isinstance(each, (Handle, Callback)) or is_name_of_its_type(each.name, each.type, self._api):
                continue
            if is_tag_of_another(each, self._api):
                self._gap(each, f"typedef {each.name}: its type has this name in another header; the spec has its tag")
                continue
            if self._is_other_name(each):
                continue
            if each.alignment is not None:
                self._gap(each, f"typedef {each.name}: its alignment")
            self._say_of_calls(each, f"typedef {each.name}")
            yield self._finished(each, {"name": each.name, "type": self._type(each.type)})

    def _is_other_name(self, typedef: Typedef) -> bool:
        """True for a typedef that has the tag of its struct or enumeration, which has another name in the spec."""
        type = typedef.type
        entity = self._tagged(type)
        is_own = entity is not None and entity.in_api and entity.name in self._api.typedefs
        return entity is not None and is_own and entity.tag == typedef.name != entity.name

    def _tagged(self, type: CType) -> Struct | Enum | None:
        if isinstance(type, EnumType):
            return self._api.enums.get(type.key)
        struct = self._api.structs.get(type.key) if isinstance(type, RecordType) else None
        return struct if struct is not None and struct.fields is not None else None

    def _also(self, entity: Struct | Enum) -> Document:
        """Return the other typedefs of a struct or enumeration that a spec cannot have by themselves."""
        found = self._api.typedefs.get(entity.tag)
        is_own = found is not None and found.in_api and self._tagged(found.type) is entity
        return {"also": [found.name]} if found is not None and is_own and self._is_other_name(found) else {}

    def _handles(self) -> Iterator[Document]:
        for each in self._api_entities(self._api.typedefs):
            if isinstance(each, Handle):
                yield self._handle(each)
        named = {each.tag for each in self._api.typedefs.values() if isinstance(each, Handle)}
        for struct in self._api_entities(self._api.structs):
            is_named = struct.tag and struct.tag not in named and not struct.typedef_names
            if struct.fields is None and is_named and not is_unknown(struct):
                yield self._finished(struct, {"name": struct.tag, "typedef": False})

    def _handle(self, handle: Handle) -> Document:
        item: Document = {"name": handle.name}
        usual = f"{handle.name}_st" if handle.by_pointer else handle.name
        if handle.tag != usual:
            item["tag"] = handle.tag
        item |= {} if handle.by_pointer else {"by_pointer": False}
        return self._finished(handle, item)

    def _callbacks(self) -> Iterator[Document]:
        for each in self._api_entities(self._api.typedefs):
            if isinstance(each, Callback):
                self._say_of_calls(each, f"callback {each.name}")
                yield self._finished(each, {"name": each.name, "type": self._type(each.type)})

    def _enums(self) -> Iterator[Document]:
        for each in self._api_entities(self._api.enums):
            is_nameless = each.anonymous and each.name not in self._invented
            item: Document = {} if is_nameless else {"name": self._invented.get(each.name, each.name)} | tag_key(each)
            item |= self._also(each)
            if each.underlying and is_nameless:
                self._gap(each, f"enum {each.name}: its type")
            elif not (each.anonymous or each.typedef_names or each.underlying or "tag" in item):
                item["typedef"] = False
            elif each.underlying:
                item["underlying"] = spell(each.underlying, api=self._api)
            if each.cpp_underlying:
                item["cpp_underlying"] = spell(each.cpp_underlying, api=self._api)
            values = list(self._enumerators(each))
            if each.packed:
                self._gap(each, f"enum {each.name}: that it is packed")
            if values:
                entity = self._documented(each)
                yield self._finished(entity, item, {"enumerators": values}, name=str(values[0]["name"]))

    def _enumerators(self, enum: Enum) -> Iterator[Document]:
        """Yield the enumerators without those that are sizes of structs, for which the spec has other words."""
        is_moved = False
        for each in enum.enumerators or ():
            if enum.anonymous and each.name in self._api.size_constants:
                is_moved = True
                continue
            item: Document = {"name": each.name}
            if each.expression is not None or is_moved:
                written = written_number(each, each.value, self._around.lines) if each.expression is not None else None
                number = each.value if each.expression is None else number_of(each.expression)
                item["value"] = number if written is None else written
            is_moved = False
            yield self._with_contract(each, item, f"{enum.name}.{each.name}")

    def _structs(self) -> Iterator[Document]:
        for each in self._api_entities(self._api.structs):
            if each.fields is not None and each.name not in self._inside:
                yield self._struct(each)

    def _struct(self, struct: Struct) -> Document:
        members = list(struct.fields or ())
        leading = self._sized.leading_of(struct)
        item: Document = {"name": self._invented.get(struct.name, struct.name)}
        item |= tag_key(struct) | self._also(struct)
        item |= {"kind": "union"} if struct.is_union else {}
        extension, next_extension = self._sized.extension_of(struct), self._sized.next_of(struct)
        if extension:
            item["extension"] = extension
        elif self._sized.leading and not leading:
            item["versioned"] = False
        elif len(leading) < len(self._sized.leading):
            item["leading"] = [each.name for each in leading]
        item |= {"next_extension": next_extension} if next_extension else {}
        if leading or extension:
            pattern, macro = self._sized.size_pattern(), self._sized.sizes().get(struct.name)
            if not pattern or macro != by_pattern(pattern, struct.name):
                item["size_macro"] = macro or False
        item |= {"packed": True} if struct.packed or struct.pack == 1 else {}
        if struct.pack not in (None, 1):
            self._gap(struct, f"struct {struct.name}: members are aligned to {struct.pack} bytes at most")
        item |= {"filled_by": struct.contract.set_by.value} if struct.contract.set_by else {}
        item |= self._alignment(struct.alignment, struct)
        if struct.anonymous:
            self._gap(struct, f"{struct.kind} in {struct.name}: it gets a name, {item['name']}")
        elif not struct.typedef_names and "tag" not in item:
            item["typedef"] = False
        elif not struct.typedef_names:
            self._gap(struct, f"{struct.kind} {struct.tag}: it gets a typedef")
        return self._finished(
            self._documented(struct), item, {"fields": self._members(struct, members[len(leading) :])}
        )

    def _documented(self, entity: Struct | Enum) -> Struct | Enum:
        """Return a struct or enumeration; where nothing is said of it, with what stands at the typedef of its name."""
        typedef = self._api.typedefs.get(entity.name)
        if typedef is None or entity.doc or not is_name_of_its_type(typedef.name, typedef.type, self._api):
            return entity
        contract = replace(entity.contract, lifecycle=typedef.contract.lifecycle)
        return replace(entity, doc=typedef.doc, contract=contract)

    def _members(self, struct: Struct, members: Sequence[Field]) -> list[Document]:
        return [item for item in (self._member(struct, each) for each in members) if item]

    def _member(self, struct: Struct, member: Field) -> Document:
        name = member.name
        if not name and not isinstance(member.type, RecordType):
            self._gap(member, f"bit-field in {struct.name}: it has no name, so it is left out")
            return {}
        inner = self._api.structs[member.type.key] if isinstance(member.type, RecordType) else None
        inner = inner if inner is not None and inner.name in self._inside else None
        if isinstance(member.type, RecordType) and not name and inner is None:
            name = self._invented[member.type.key].rpartition("_")[2]
            self._gap(
                member, f"member of {struct.name}: it gets the name {name}, which is a part of the path to its members"
            )
        elif name and (reason := reserved_word(name, to_implementation=False)):
            name = f"{name.strip('_').replace('__', '_')}_"
            self._gap(member, f"member {struct.name}.{member.name}: it becomes {name}, since its name {reason}")
        item: Document = {"name": name} if name else {}
        if inner is None:
            item["type"] = self._type(unlike_its_name(member, self._api))
        else:
            item |= {"kind": "union"} if inner.is_union else {}
        if member.bit_width is not None:
            item["bits"] = member.bit_width if isinstance(member.bit_width, int) else number_of(member.bit_width)
        item |= self._alignment(member.alignment, member)
        if name:
            self._say_of_calls(member, f"member {struct.name}.{name}")
        item |= {"group": member.group} if member.group else {}
        item = self._with_contract(member, item, f"{struct.name}.{name}" if name or inner is None else inner.name)
        if inner is not None:
            item["fields"] = self._members(inner, inner.fields or ())
        for key in lost_keys(item, struct, member):
            self._gap(member, f"member {struct.name}.{name}: its {key}")
        is_appended = "since" in item and not struct.anonymous and not struct.is_union
        if is_appended and not says_what_zero_means(member, struct, self._api):
            item["zero"] = "no-op" if isinstance(self._api.resolve(member.type), Pointer) else "meaningful"
            text = f"member {struct.name}.{name}: it was appended, and no comment states the meaning of 0; assumed:"
            self._gap(member, f"{text} {item['zero']}")
        return item

    def _alignment(self, said: Expression | int | None, entity: Entity) -> Document:
        value = said.value if isinstance(said, Literal) else said
        if value is None:
            return {}
        if isinstance(value, int) and value:
            return {"alignment": value}
        self._gap(entity, f"{entity.name}: its alignment is not a plain number")
        return {}

    def _functions(self) -> Iterator[Document]:
        for each in self._api_entities(self._api.functions):
            if each.static:
                self._gap(each, f"function {each.name}: a spec has no inline functions")
                continue
            for flag in (*each.flags, *([f'asm("{each.symbol}")'] if each.symbol else [])):
                self._gap(each, f"function {each.name}: its attribute {flag}")
            self._say_of_calls(each, f"function {each.name}")
            item: Document = {"name": each.name, "type": self._type(each.type)}
            item |= {"implemented_by": each.implemented_by.value} if each.implemented_by else {}
            item |= {"entry_point": True} if each.entry_point else {}
            is_plugins = each.implemented_by is Party.PLUGIN  # what plugins implement is exported without a word
            is_exported = each.exported if is_plugins else not self._exporter or each.name in self._exported
            item |= {} if is_exported else {"export": False}
            yield self._finished(each, item)

    def _say_of_calls(self, entity: Entity, what: str) -> None:
        """Note the macros in a declaration that a spec loses, and that say how something is called.

        The macro that exports stays where it was.
        """
        for macro in macros_of_calls(entity, self._around):
            if macro != self._exporter or entity.name not in self._exported:
                text = f"{macro} is in its declaration, and states the calling convention in C++ or on some systems"
                self._gap(entity, f"{what}: {text}")

    def _type(self, type: CType) -> str:
        """Return a type as C writes it, without a name; what has no name in the header goes by its new one."""

        def named(node: Node) -> Node:
            if isinstance(node, (RecordType, EnumType)) and node.key in self._invented:
                return NamedType(self._invented[node.key])
            if isinstance(node, Parameter):
                return replace(node, type=cast(CType, named(node.type)))
            return rebuilt(node, named)

        return spell(self._foreign.without(cast(CType, named(type))), "", self._api)

    def _finished(self, entity: Entity, item: Document, more: Document | None = None, name: str = "") -> Document:
        """Return an item with its place in the order of declarations, its documentation and its contract.

        What has no name goes by `name`.
        """
        outer = entity
        if entity.name in self._invented:  # it stands in another one, in front of which it is declared now
            outer = self._api.structs.get(entity.name.partition(".")[0], entity)
        is_forward = isinstance(entity, Struct) and entity.fields is None  # it may be used before it is declared
        way = way_to(outer.span, self._api) if outer.span and not is_forward else ()
        name = str(item.get("name") or name)
        self._order.append(((way, -entity.name.count(".")), name))
        self._written_as[entity.name] = name
        return self._with_contract(entity, item, str(item.get("name") or entity.name)) | (more or {})

    def _with_contract(self, entity: Entity, item: Document, key: str) -> Document:
        item = item | ({"doc": entity.doc} if entity.doc else {})
        if entity.name in self._around.guarded and {"value", "body"} & set(item):
            item["guarded"] = True
        since, life = self._since(entity, key), entity.contract.lifecycle
        stated = self._api.version.version if self._api.version and not self._around.releases else None
        if since and stated and since > stated:
            self._gap(entity, f"{entity.name}: since {since}, which is later than the header's version, {stated}")
            since = None
        use = life.replaced_by
        if use and use not in self._names:
            self._gap(entity, f"{entity.name}: {use}, to be used instead, does not exist")
            use = ""
        gone = (self._around.deprecated.get(key) or life.deprecated_since) if life.deprecated else None
        self._said += filter(None, (since, gone))
        life = replace(life, since=since, deprecated_since=gone, replaced_by=use)
        return item | keys_of(replace(entity, contract=replace(entity.contract, lifecycle=life)))

    def _since(self, entity: Entity, key: str) -> Version | None:
        """Return the release that brought an entity; a function is not older than the types that it takes."""
        own = self._around.since.get(key) or entity.contract.lifecycle.since
        if not isinstance(entity, Function):
            return own
        named = {getattr(each, "name", getattr(each, "key", "")) for each in types_in(entity.type)}
        groups = (self._api.typedefs, self._api.structs, self._api.enums)
        types = [group[name] for group in groups for name in named if name in group and group[name].in_api]
        newest = max(filter(None, (self._since(each, each.name) for each in types)), default=None)
        return newest if newest and (not own or newest > own) else own

    def _api_entities(self, entities: Mapping[str, _E]) -> Iterable[_E]:
        """Return the declarations of the API itself that a spec may name."""
        found = [each for each in entities.values() if each.in_api]
        kept = [each for each in found if "." in each.name or not reserved_word(each.name, to_implementation=False)]
        for each in found:
            if each not in kept:
                reason = reserved_word(each.name, to_implementation=False)
                self._gap(each, f"entity {each.name}: its name {reason}; it is left out")
        return kept

    def _gap(self, entity: Entity, message: str) -> None:
        self._gaps.append(Diagnostic(entity.span, message, severity="note"))
