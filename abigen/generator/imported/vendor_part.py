"""The part of a vendor's header that a plugin needs: entry points and their types, and the facts found about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import cast

import msgspec
from msgspec.structs import replace

from abigen.generator.imported.document import likely_entry_points
from abigen.generator.imported.keys import Document
from abigen.model.api import Api
from abigen.model.contract import ENDS, PAIRS
from abigen.model.ctype import (
    Basic,
    CType,
    EnumType,
    FunctionType,
    Literal,
    NamedType,
    Parameter,
    Pointer,
    RecordType,
    types_in,
)
from abigen.model.entities import Callback, Constant, Enum, Field, Struct, Typedef
from abigen.model.evaluate import number_of
from abigen.model.layout import Layouts, agreed_value
from abigen.model.span import AbigenError, did_you_mean
from abigen.model.spelling import spell, words_of
from abigen.model.target import find_target

NAME = "{name}"
"""The placeholder of the plugin's name in the name of an entry point."""
_DECLARED = re.compile(
    rf"(?P<before>.*?)(?P<name>(?:[A-Za-z_]\w*)?(?:{re.escape(NAME)})?\w*)\s*(?P<after>\(.*\))?", re.DOTALL
)
_BEGINS = re.compile(
    r"init|entry|descriptor|main|load|open|start|register|get.*(list|api|interface|table)", re.IGNORECASE
)
"""Words in the name of a type of functions that a core begins with."""
_LARGEST = (1 << 63) - 1
"""The largest number that needs no suffix."""
_TYPE_WORDS = frozenset({"fn", "func", "function", "proc", "callback", "cb", "t", "ptr", "type", "typedef", "f"})


_STARTS = (("init",), ("initialize",), ("load",), ("open",), ("start",))
"""The last word of the function by which a host begins, in a header that lists what plugins export."""
_TYPE_ENDING = re.compile(
    r"(_(?i:fn|func|function|proc|callback|cb|ptr|type|typedef|t|f)|(?<=[a-z])(Fn|Func|Function|Proc|Callback|Ptr|Type))+$"
)
"""The suffix that turns the name of a function into the name of its type."""


class EntryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A function or an object that a core looks up by name in each plugin."""

    name: str
    """In the spec."""
    symbol: str = ""
    """The name that a plugin exports, if it follows from the plugin's name: `sqlite3_{name}_init`."""
    type: str = ""
    """The declaration in C without the name, if the header does not declare it."""
    is_data: bool = False
    words: frozenset[str] = frozenset()
    """Names in the type."""


def entry_point(text: str, api: Api) -> EntryPoint:
    """Return the entry point that a user names.

    Args:
        text: a name, or a declaration as C writes it. `{name}` in the name stands for the plugin's name.
        api: of the header.

    Raises:
        AbigenError: it is neither, or nothing in the header says what type it has.
    """
    match = _DECLARED.fullmatch(text.strip().removesuffix(";").rstrip())
    if match is None or not match["name"]:
        hint = "name a function, or write its declaration: 'int my_init(const struct my_api* api)'"
        raise AbigenError.at(None, f"--entry: '{text}' is neither a name nor a declaration", hint)
    symbol = match["name"] if NAME in match["name"] else ""
    name = match["name"].replace(NAME, "plugin")
    type = f"{match['before'].strip()} {match['after'] or ''}".strip() if match["before"].strip() else ""
    if type:
        words = frozenset(re.findall(r"[A-Za-z_]\w*", type))
        return EntryPoint(name=name, symbol=symbol, type=type, is_data=match["after"] is None, words=words)
    if not symbol and (name in api.functions or name in api.variables):
        return EntryPoint(name=name, is_data=name in api.variables)
    found = _type_for(match["name"].replace(NAME, ""), api)
    if found is None:
        known = [*api.functions, *(each.name for each in api.variables.values())]
        message = f"--entry: the header declares no '{match['name']}', and no type of functions with such a name"
        raise AbigenError.at(
            None, message, did_you_mean(name, known, "write its whole declaration instead of its name")
        )
    return EntryPoint(name=name, symbol=symbol, type=spell(found.function, api=api), words=frozenset({found.name}))


def _type_for(name: str, api: Api) -> Callback | None:
    """Return the type of functions that is named after an entry point: `AdbcDriverInitFunc` for `AdbcDriverInit`."""
    wanted = words_of(name)
    for each in api.typedefs.values():
        if isinstance(each, Callback) and each.in_api:
            words = [word for word in words_of(each.name) if word not in _TYPE_WORDS]
            if tuple(words) == tuple(word for word in wanted if word not in _TYPE_WORDS):
                return each
    return None


def candidates(api: Api) -> list[str]:
    """Return what may be the entry points of a header, as `--entry` takes them.

    A type of functions that nothing uses is the type of an entry point, if its name says so. Otherwise these are the
    functions that hand over structs of functions. A header without such structs, whose functions are named alike,
    lists what each plugin exports.

    Args:
        api: of the header.
    """
    used = _members(api)
    types = [each for each in api.typedefs.values() if isinstance(each, Callback) and each.in_api]
    typed = [each.name for each in types if _BEGINS.search(each.name) and each.name not in used]
    if typed:
        functions = {words_of(each): each for each in api.functions}
        named = [_without_type_words(each) for each in typed]
        return list(dict.fromkeys(functions.get(words_of(each), each) for each in named))
    tables = {each.name for each in api.structs.values() if any(api.callback(one.type) for one in each.fields or ())}
    found = [each.name for each in likely_entry_points(api)]
    own = [each for each in api.functions.values() if each.in_api and not each.static]
    for each in own:
        parts = (each.type.result, *(one.type for one in each.type.parameters))
        hands = {struct.name for one in parts if (struct := table_behind(one, api))}
        if _BEGINS.search(each.name) and hands & tables:
            found.append(each.name)
    if not tables and len({words_of(each.name)[:1] for each in own}) == 1:
        first = [each.name for each in own if words_of(each.name)[-1:] in _STARTS]
        return list(dict.fromkeys((*first[:1], *(each.name for each in own)))) if first else []
    return list(dict.fromkeys(found))


def is_listed(api: Api) -> bool:
    """Tell whether a header lists the functions that each plugin exports, and has no struct of functions.

    Args:
        api: of the header.
    """
    own = {each.name for each in api.functions.values() if each.in_api and not each.static}
    return bool(own) and {*candidates(api)} == own


def _members(api: Api) -> frozenset[str]:
    """Return the names of the types that members of structs and parameters have."""
    types = [each.type for struct in api.structs.values() for each in struct.fields or ()]
    types += [parameter.type for each in api.functions.values() for parameter in each.type.parameters]
    return frozenset(type.name for each in types for type in types_in(each) if isinstance(type, NamedType))


def _without_type_words(name: str) -> str:
    """Return the name of a function after which a type is named."""
    shorter = _TYPE_ENDING.sub("", name)
    return shorter or name


def table_behind(type: CType, api: Api) -> Struct | None:
    """Return the struct that a type points to, directly or through another pointer; None for others.

    Args:
        type: of a result, a parameter or a variable.
        api: where it is.
    """
    resolved = api.resolve(type)
    steps = 0
    while isinstance(resolved, Pointer) and steps < 2:
        resolved, steps = api.resolve(resolved.target), steps + 1
    return api.structs.get(resolved.key) if isinstance(resolved, RecordType) else None


def part_of(api: Api, entries: Sequence[EntryPoint], target: str) -> Api:
    """Return the part of a header that a plugin needs: the entry points, the functions of the header, and their types.

    Constants are there with their numbers. Macros and inline functions are left out: they stay the header's.

    Args:
        api: what the header declares, with what is its own.
        entries: the entry points.
        target: by which constants are computed that depend on sizes.
    """
    members = {each.name for struct in api.structs.values() for each in struct.fields or ()}
    named = {each.name for each in entries}
    functions = {
        name: each
        for name, each in api.functions.items()
        if each.in_api and not each.static and (name in named or name not in members)
    }
    variables = {
        name: each
        for name, each in api.variables.items()
        if each.in_api and (name in named or api.callback(each.type) is not None)
    }
    kept = _Reached(api)
    for function in functions.values():
        kept.follow(function.type)
    for variable in variables.values():
        kept.follow(variable.type)
    for word in {word for each in entries for word in each.words}:
        kept.follow_name(word)
    # A struct of functions that nothing leads to is one that a plugin exports under a name of its own.
    for struct in api.structs.values():
        if (
            struct.in_api
            and struct.name not in kept.structs
            and any(api.callback(each.type) for each in struct.fields or ())
        ):
            kept.follow(RecordType(struct.name))
    enums = _named_by_values(each for name, each in api.enums.items() if each.in_api or name in kept.enums)
    names = {*kept.structs, *kept.typedefs, *enums, *functions, *variables}
    names |= {each.tag for each in api.structs.values() if each.name in kept.structs}
    names |= {value.name for each in enums.values() for value in each.enumerators or ()}
    constants = {each.name: each for each in _numbers(api, target) if each.name not in names}
    return replace(
        api,
        structs={
            name: _with_named_types(each, api)
            for name, each in api.structs.items()
            if name in kept.structs or not each.in_api
        },
        enums=enums,
        typedefs={name: each for name, each in api.typedefs.items() if name in kept.typedefs or not each.in_api},
        functions=functions,
        variables=variables,
        constants=constants,
        macros={},
        size_constants={},
        version=None,
    )


def _named_by_values(enums: Iterable[Enum]) -> dict[str, Enum]:
    """Return enumerations by their keys; one without a name is called after its first value, wherever it stands."""
    found = {}
    for each in enums:
        is_inner = each.anonymous and "." in each.name and each.enumerators
        name = f"<anonymous {(each.enumerators or ())[0].name}>" if is_inner else each.name
        found[name] = replace(each, name=name)
    return found


def _with_named_types(struct: Struct, api: Api) -> Struct:
    """Return a struct in which enumerations without a name are plain numbers: code cannot name their types."""

    def named(member: Field) -> Field:
        enum = api.enums[member.type.key] if isinstance(member.type, EnumType) else None
        is_nameless = enum is not None and enum.anonymous and not enum.typedef_names
        return replace(member, type=Basic("unsigned int")) if is_nameless else member

    return replace(struct, fields=tuple(map(named, struct.fields))) if struct.fields else struct


class _Reached:
    """Names of the types that others lead to."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.structs: set[str] = set()
        self.enums: set[str] = set()
        self.typedefs: set[str] = set()

    def follow(self, type: CType) -> None:
        """Add a type, and all types that it is made of."""
        waiting = [type]
        while waiting:
            for each in types_in(waiting.pop()):
                waiting += self._inside(each)

    def follow_name(self, name: str) -> None:
        """Add the type of a name or of a tag; nothing for another name."""
        if name in self._api.typedefs:
            self.follow(NamedType(name))
        else:
            for struct in self._api.structs.values():
                if name in (struct.name, struct.tag) and struct.in_api:
                    self.follow(RecordType(struct.name))

    def _inside(self, type: CType) -> Iterator[CType]:
        """Yield what stands behind the name of a type that was not met before."""
        if isinstance(type, NamedType) and type.name not in self.typedefs and type.name in self._api.typedefs:
            self.typedefs.add(type.name)
            yield self._api.typedefs[type.name].type
        elif isinstance(type, EnumType):
            self.enums.add(type.key)
        elif isinstance(type, RecordType) and type.key not in self.structs and type.key in self._api.structs:
            struct = self._api.structs[type.key]
            self.structs.add(type.key)
            self.typedefs.update(name for name in struct.typedef_names if name in self._api.typedefs)
            yield from (each.type for each in struct.fields or () if struct.in_api)


def _numbers(api: Api, target: str) -> Iterator[Constant]:
    """Yield the constants that are whole numbers or texts, each with its value."""
    layouts = Layouts(api, find_target(target))
    for each in api.constants.values():
        if not each.in_api or each.name.startswith("_"):
            continue
        if each.literal:
            yield replace(each, text=each.literal, expression=None, doc="")
        elif each.expression is not None:
            value = agreed_value([layouts], each.expression)
            if value is None:
                continue
            is_large = value > _LARGEST
            text = f"{value}u" if is_large else str(value)
            type = "unsigned long" if is_large else "int"
            yield replace(each, text=text, expression=Literal(value, type), doc="")
    yield from version_constants(api)


def version_constants(api: Api) -> Iterator[Constant]:
    """Yield the macros that state the version of a header, which are not among its constants.

    Args:
        api: of the header.
    """
    said = api.version
    for (name, span), text in zip(said.macros, said.texts, strict=False) if said is not None else ():
        number = number_of(text.strip("() "))
        if isinstance(number, int) and name not in api.constants:
            yield Constant(name=name, span=span, text=str(number), expression=Literal(number, "int"))


_INDEX = frozenset({"index", "idx", "i", "n", "number", "num", "which"})
_MAKES = frozenset({*PAIRS, "instantiate", "construct", "alloc", "allocate", "start", "connect"})
_ENDERS = frozenset({*PAIRS.values(), *ENDS, "cleanup", "destroy", "destruct", "free", "close", "deinit", "drop"})
_FIRST = ("set", "connect", "add", "configure", "prepare")
_LAST = ("deactivate", "stop", "suspend", "flush", "finish")
_THROUGH = re.compile(r"->\s*(\w+)")
_FEW = 3
"""The number of members of a table that macros have to use, so that the table counts as one that plugins call."""
_BYTES = ("void", "char", "signed char", "unsigned char")
_COUNTS = ("len", "length", "size", "n", "count", "nbytes", "bytes", "buflen", "num")
"""Names of numbers right behind a buffer that count its elements."""
_FINDS = re.compile(r"Get_?(Api|API|ProcAddress|Proc|Function|Symbol|Interface)$|[Ll]ookup$")
"""The suffix of a function that finds others by their names."""
_ALWAYS = re.compile(r"\b(?:always|must be|should be|set to|has to be) (?:set to )?([A-Z][A-Z0-9_]*)\b")
"""The constant that a member is said to hold."""
_NULL_FAILS = re.compile(
    r"\breturns? NULL (?:if|on|when|in case of)\b|\bNULL (?:on|in case of|if) (?:an? )?(?:error|failure)\b"
    r"|\b(?:must|should|shall) return NULL\b",
    re.IGNORECASE,
)
"""Words by which a header says that NULL is a failure."""
_OK = re.compile(r"(^|_)(OK|SUCCESS|NO_ERROR|NOERROR|NONE_ERROR)$")
_FAILED = (
    *("GENERAL_ERROR", "INTERNAL", "INTERNAL_ERROR", "FAILED", "FAILURE", "FAIL", "ERROR", "ERR", "GENERIC", "UNKNOWN"),
    *("INVALID_OPERATION", "OUT_OF_HOST_MEMORY"),
)
"""The suffixes of codes that stand for a failure, the most general first."""
_UNSUPPORTED = (
    *("FUNCTION_NOT_SUPPORTED", "NOT_IMPLEMENTED", "UNIMPLEMENTED", "NOT_SUPPORTED", "UNSUPPORTED", "NOTSUP", "ENOSYS"),
)
"""The suffixes of codes that stand for an unsupported operation."""


class Facts(msgspec.Struct, frozen=True):
    """The facts that were found about a vendor's API."""

    document: Document
    questions: tuple[str, ...]
    """The questions that only the header's text or its owner can answer, one line each."""


def with_facts(document: Document, api: Api, entries: Sequence[EntryPoint], whole: Api) -> Facts:
    """Write into a spec which functions plugins have, who fills what, and what functions do with objects.

    Args:
        document: of the part of the header that a plugin needs.
        api: that part.
        entries: its entry points.
        whole: the header, whose macros tell which functions a plugin calls.
    """
    return _Facts(document, api, entries, whole).result()


class _Facts:
    """A spec on its way to more facts."""

    def __init__(self, document: Document, api: Api, entries: Sequence[EntryPoint], whole: Api) -> None:
        self._document: dict[str, object] = dict(document)
        self._api = api
        self._entries = entries
        self._questions: list[str] = []
        texts = [*(each.body for each in whole.macros.values()), *(each.text for each in whole.constants.values())]
        self._called = {member for text in texts for member in _THROUGH.findall(text)}
        """Members that macros of the header call: `#define log api->log`."""

    def result(self) -> Facts:
        """Return the spec with all that follows."""
        self._state_functions()
        self._state_entries()
        for key in ("functions", "variables"):
            self._entries_first(key)
        self._state_fillers()
        self._state_values()
        self._state_counts()
        self._state_objects()
        self._state_errors()
        for key in ("functions", "variables", "structs"):
            if not self._document.get(key):
                self._document.pop(key, None)
        first = ("abigen", "api", "doc", "header", "conventions")
        ordered = {key: self._document[key] for key in first if key in self._document}
        ordered |= {key: each for key, each in self._document.items() if key not in (*first, "order")}
        return Facts(ordered, tuple(self._questions))

    def _items(self, key: str) -> list[dict[str, object]]:
        return cast(list[dict[str, object]], self._document.setdefault(key, []))

    def _item(self, key: str, name: str) -> dict[str, object] | None:
        return next((each for each in self._items(key) if each.get("name") == name), None)

    def _state_functions(self) -> None:
        """Say which side implements the functions of the header, and leave out those that a table has as well."""
        has_core_table = any(side == "core" for each in self._entries for _, side in self._handed(each))
        entries = {each.name for each in self._entries}
        kept = []
        for item in self._items("functions"):
            item.pop("export", None)
            if str(item["name"]) in entries:
                kept.append(item)
            elif not has_core_table:
                kept.append(item | {"implemented_by": "core"})
        kept += self._looked_up()
        self._document["functions"] = kept
        if len(entries) > 1:
            self._questions.append("which of these are optional for a plugin (`optional: true`)?")

    def _looked_up(self) -> Iterator[dict[str, object]]:
        """Yield the functions of the core for which the header has variables, which a plugin fills by their names."""
        own = [each for each in self._api.variables.values() if each.in_api]
        types = {each.name: self._api.callback(each.type) for each in own}
        finder = next((name for name, type in types.items() if type is not None and _FINDS.search(name)), "")
        for name, type in types.items() if finder else ():
            if type is not None:
                item: dict[str, object] = {"name": name, "type": spell(type, api=self._api), "implemented_by": "core"}
                yield item | ({"found_by": finder} if name != finder else {})

    def _state_entries(self) -> None:
        for each in self._entries:
            if each.is_data:
                item: dict[str, object] = self._item("variables", each.name) or {"name": each.name, "type": each.type}
                self._place("variables", each, item)
                continue
            found = self._item("functions", each.name)
            item = found or {"name": each.name, "type": each.type, "declared_by": "plugin"}
            self._place("functions", each, item)
            type = self._type_of(each)
            if type is None:
                continue
            index = next((one for one in type.parameters if self._is_index(one)), None)
            if index is not None and table_behind(type.result, self._api) is not None and index.name:
                item["listed_by"] = index.name
            outputs = [one.name for one in type.parameters if one.name and self._is_stored(one.type)]
            if outputs:
                item["outputs"] = outputs

    def _entries_first(self, key: str) -> None:
        """Put entry points in front, as the user has named them: core begins with the first."""
        places = {each.name: at for at, each in enumerate(self._entries)}
        self._items(key).sort(key=lambda item: places.get(str(item["name"]), len(places)))

    def _place(self, key: str, entry: EntryPoint, item: dict[str, object]) -> None:
        if entry.symbol:
            item["symbol"] = entry.symbol
        item |= {"implemented_by": "plugin", "entry_point": True}
        items = self._items(key)
        if item not in items:
            items.append(item)

    def _is_index(self, parameter: Parameter) -> bool:
        return self._api.is_integer(parameter.type) and bool(_INDEX & {*words_of(parameter.name or "")})

    def _is_stored(self, type: CType) -> bool:
        """True for a pointer to a pointer to a struct of functions."""
        resolved = self._api.resolve(type)
        inner = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        struct = table_behind(type, self._api) if isinstance(inner, Pointer) else None
        return struct is not None and any(self._api.callback(each.type) for each in struct.fields or ())

    def _type_of(self, entry: EntryPoint) -> FunctionType | None:
        if entry.name in self._api.functions:
            return self._api.functions[entry.name].type
        for word in entry.words:
            typedef = self._api.typedefs.get(word)
            function = self._api.function_behind(NamedType(word)) if typedef is not None else None
            if function is not None and len(entry.words) == 1:
                return function
        return None

    def _handed(self, entry: EntryPoint) -> Iterator[tuple[Struct, str]]:
        """Yield the structs of functions in the type of an entry point, each with the side that fills it."""
        type = self._type_of(entry)
        types: list[tuple[CType, bool]] = []
        if type is not None:
            types = [(type.result, True), *((each.type, False) for each in type.parameters)]
        elif entry.name in self._api.variables:
            types = [(self._api.variables[entry.name].type, True)]
        for each, is_result in types:
            struct = table_behind(each, self._api) or self._api.struct_of(each)
            if struct is not None and struct.fields:
                is_core = not is_result and (self._api.is_const_pointer(each) or self._is_called(struct))
                yield struct, "core" if is_core else "plugin"
        if type is None:
            yield from self._named_in(entry)

    def _is_called(self, struct: Struct) -> bool:
        """True for a table that a plugin calls: macros of the header reach for its members."""
        members = {each.name for each in struct.fields or () if self._api.callback(each.type) is not None}
        return len(members & self._called) >= _FEW

    def _named_in(self, entry: EntryPoint) -> Iterator[tuple[Struct, str]]:
        """Yield the same for a declaration that only the user knows."""
        for struct in self._api.structs.values():
            for name in {struct.name, struct.tag, *struct.typedef_names} - {""}:
                if name in entry.words and struct.fields:
                    result, _, parameters = entry.type.partition("(")
                    in_result = entry.is_data or re.search(rf"\b{name}\b", result) is not None
                    is_const = re.search(rf"\bconst\s+(?:struct\s+)?{name}\b", parameters) is not None
                    is_core = not in_result and (is_const or self._is_called(struct))
                    yield struct, "core" if is_core else "plugin"
                    break

    def _state_fillers(self) -> None:
        """Say who fills the structs that entry points hand over, and those that hang on them."""
        sides: dict[str, str] = {}
        waiting = [pair for each in self._entries for pair in self._handed(each)]
        while waiting:
            struct, side = waiting.pop(0)
            if struct.name in sides:
                continue
            sides[struct.name] = side
            for member in struct.fields or ():
                inner = self._api.pointee(member.type) or self._api.struct_of(member.type)
                if inner is not None and inner.fields and self._api.callback(member.type) is None:
                    waiting.append((inner, side))
        for name, side in sides.items():
            item = self._item("structs", name)
            if item is not None:
                item.setdefault("filled_by", side)

    def _state_values(self) -> None:
        """Say which constants members are set to, by their comments, or by their names: `frei0r_version`."""
        for item in self._items("structs"):
            struct = self._api.structs.get(str(item["name"]))
            fields = cast(list[dict[str, object]], item.get("fields", []))
            for field in fields if struct is not None and item.get("filled_by") == "plugin" else ():
                member = struct.member(str(field.get("name", ""))) if struct is not None else None
                if member is None or not self._api.is_integer(member.type):
                    continue
                said = next((name for name in _ALWAYS.findall(member.doc) if name in self._api.constants), "")
                value = said or self._version_constant(member.name)
                if value:
                    field["value"] = value

    def _state_counts(self) -> None:
        """Say which parameter counts a buffer, where it stands right behind it: `buf, len`."""
        items = [*self._items("callbacks"), *self._items("functions")]
        types = {str(item["name"]): self._api.function_behind(NamedType(str(item["name"]))) for item in items}
        types |= {name: each.type for name, each in self._api.functions.items()}
        for item in items:
            self._count_buffers(item, types.get(str(item["name"])))
        for struct_item in self._items("structs"):
            struct = self._api.structs.get(str(struct_item["name"]))
            for field in cast(list[dict[str, object]], struct_item.get("fields", [])):
                member = struct.member(str(field.get("name", ""))) if struct is not None else None
                type = self._api.callback(member.type) if member is not None else None
                if member is not None and not isinstance(member.type, NamedType):
                    self._count_buffers(field, type)

    def _count_buffers(self, item: dict[str, object], type: FunctionType | None) -> None:
        """Say of the buffers of one function which parameter counts them."""
        said: list[dict[str, object]] = []
        for buffer, count in pairwise(type.parameters if type is not None else ()):
            resolved = self._api.resolve(buffer.type)
            target = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else None
            is_buffer = isinstance(target, Basic) and target.name in _BYTES and bool(buffer.name)
            if is_buffer and self._api.is_integer(count.type) and (count.name or "").lower() in _COUNTS:
                said.append({"name": buffer.name, "count": count.name})
        if said:
            item.setdefault("parameters", said)

    def _version_constant(self, member: str) -> str:
        """Return the only constant whose name has all words of the name of a member that is a version."""
        words = {*words_of(member)}
        if "version" not in words or not words - {"version", "major", "minor", "patch", "micro"}:
            return ""
        found = [each for each in self._api.constants if words <= {*words_of(each)}]
        major = [each for each in found if "major" in words_of(each)]
        return found[0] if len(found) == 1 else major[0] if len(major) == 1 else ""

    def _functions_of(self, side: str) -> Iterator[tuple[str, FunctionType]]:
        """Yield the functions that plugins have: exported ones, and members of structs that plugins fill."""
        for item in self._items("structs"):
            struct = self._api.structs.get(str(item["name"]))
            for member in struct.fields or () if struct is not None and item.get("filled_by") == side else ():
                type = self._api.callback(member.type)
                if type is not None and struct is not None:
                    yield f"{struct.name}.{member.name}", type
        for item in self._items("functions"):
            function = self._api.functions.get(str(item["name"]))
            if function is not None and item.get("implemented_by") == side:
                yield function.name, function.type

    def _state_objects(self) -> None:
        """Say which function makes the objects behind handles, which destroys them, and what is called between."""
        functions = list(self._functions_of("plugin"))
        for typedef in self._api.typedefs.values():
            if not typedef.in_api or isinstance(self._api.callback(NamedType(typedef.name)), FunctionType):
                continue
            resolved = self._api.resolve(typedef.type)
            if not (isinstance(resolved, Pointer) and self._is_hidden(resolved)):
                continue
            makes = [key for key, type in functions if self._is(type.result, typedef)]
            takes = {
                key: type
                for key, type in functions
                if any(self._is(each.type, typedef) for each in type.parameters[:1])
            }
            ends = [key for key, type in takes.items() if len(type.parameters) == 1 and _ENDERS & _words(key)]
            named = [key for key in makes if _MAKES & _words(key)]
            maker = named[0] if named else makes[0] if len(makes) == 1 else ""
            if not maker or not takes:
                continue
            item = self._item("typedefs", typedef.name) or self._item("handles", typedef.name)
            if item is None:
                continue
            item |= {"defined_by": "plugin", "create": maker} | ({"destroy": ends[-1]} if ends else {})
            between = [key for key in takes if key not in ends[-1:]]
            if between:
                item["calls"] = sorted(between, key=_rank)
            if not ends:
                self._questions.append(f"which function destroys a {typedef.name} (`destroy`)?")

    def _is_hidden(self, pointer: Pointer) -> bool:
        target = self._api.resolve(pointer.target)
        struct = self._api.struct_of(pointer.target)
        return target == Basic("void") or (struct is not None and struct.fields is None)

    def _is(self, type: CType, typedef: Typedef) -> bool:
        return any(isinstance(each, NamedType) and each.name == typedef.name for each in self._api.unfolded(type))

    def _state_errors(self) -> None:
        """Say how functions report errors, where the names of constants tell."""
        results: dict[str, int] = {}
        functions = [*self._functions_of("plugin")]
        functions += [(each.name, type) for each in self._entries if (type := self._type_of(each)) is not None]
        for _, type in functions:
            for name in self._result_names(type.result):
                results[name] = results.get(name, 0) + 1
        for name in sorted(results, key=lambda each: -results[each]):
            codes = self._codes_of(name)
            ok = min((each for each in codes if _OK.search(each)), key=lambda each: each.count("_"), default="")
            failed = _ending(codes, _FAILED, ok)
            if not ok or not failed:
                continue
            result: dict[str, object] = {"type": name, "ok": ok, "failed": failed}
            unsupported = _ending(codes, _UNSUPPORTED, ok)
            result |= {"unsupported": unsupported} if unsupported else {}
            self._convention()["result"] = result
            return
        pointers = [type for _, type in functions if isinstance(self._api.resolve(type.result), Pointer)]
        if pointers and any(_NULL_FAILS.search(" ".join(text.split())) for text in self._texts()):
            self._convention()["null_fails"] = True
        elif pointers:
            self._questions.append("does NULL as a result mean failure (`conventions: {errors: {null_fails: true}}`)?")
        if any(self._api.is_integer(type.result) for _, type in functions):
            self._questions.append(
                "which number is a success, and which a failure (`conventions: {errors: {result: ...}}`)?"
            )

    def _texts(self) -> Iterator[str]:
        """Yield what the header says of functions."""
        yield from (each.doc for each in self._api.functions.values())
        yield from (each.doc for struct in self._api.structs.values() for each in struct.fields or ())
        yield from (each.doc for each in self._api.typedefs.values())

    def _convention(self) -> dict[str, object]:
        conventions = cast(dict[str, object], self._document.setdefault("conventions", {}))
        return cast(dict[str, object], conventions.setdefault("errors", {}))

    def _result_names(self, type: CType) -> Iterable[str]:
        """Return the first name of a type of results, if it is a whole number."""
        if not self._api.is_integer(type) and self._api.enum_of(type) is None:
            return ()
        return [
            each.name for each in self._api.unfolded(type) if isinstance(each, NamedType) and self._is_own(each.name)
        ][:1]

    def _is_own(self, name: str) -> bool:
        return name in self._api.typedefs and self._api.typedefs[name].in_api

    def _codes_of(self, name: str) -> Sequence[str]:
        """Return the names of the codes of a type of results: enumerators, or the constants that look like it."""
        enum = self._api.enum_of(NamedType(name))
        if enum is not None:
            return [each.name for each in enum.enumerators or ()]
        nameless = [each for each in self._api.enums.values() if each.anonymous]
        return [*self._api.constants, *(value.name for each in nameless for value in each.enumerators or ())]


def _ending(codes: Sequence[str], endings: Sequence[str], ok: str) -> str:
    """Return the code among those with the beginning of `ok` that ends with the first of some words."""
    beginning = ok.partition("_")[0]
    alike = [each for each in codes if each.startswith(beginning) and each != ok]
    whole = [f"{beginning}_{word}" for word in endings]
    found = [each for each in whole if each in alike]
    found += [each for word in endings for each in alike if each.endswith(f"_{word}")]
    return next(iter(found), "")


def _words(key: str) -> frozenset[str]:
    """Return the words in the name of a function or member."""
    return frozenset(words_of(key.rpartition(".")[2]))


def _rank(key: str) -> int:
    """Return the place of a function among the calls with an object, by what its name says."""
    words = words_of(key.rpartition(".")[2])
    if words and words[0] in _FIRST:
        return 0
    if words and words[0] in ("activate", "start", "begin", "resume"):
        return 1
    return 3 if words and words[0] in _LAST else 2
