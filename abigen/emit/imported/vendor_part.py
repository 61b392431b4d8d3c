"""The part of a vendor's header that a plugin needs: its entry points, and all types that these lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from abigen.emit.imported.entry_points import likely_entry_points
from abigen.model.api import Api
from abigen.model.ctype import (
    Basic,
    CType,
    EnumType,
    Literal,
    NamedType,
    Pointer,
    RecordType,
    types_in,
)
from abigen.model.entities import Callback, Constant, Field, Struct
from abigen.model.evaluate import number_of
from abigen.model.identifiers import words_of
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, did_you_mean
from abigen.model.spelling import spell
from abigen.model.target import find_target

NAME = "{name}"
"""What stands for the plugin's name in the name of an entry point."""
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
"""How the name of a type of functions goes on behind the name of the function."""


class EntryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A function or an object that a core looks up by name in each plugin."""

    name: str
    """In the spec."""
    symbol: str = ""
    """What a plugin exports it as, if that follows from the plugin's name: `sqlite3_{name}_init`."""
    type: str = ""
    """As C writes it without the name, if the header does not declare it."""
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
    named_data = {each.name for each in entries}
    variables = {
        name: each
        for name, each in api.variables.items()
        if each.in_api and (name in named_data or api.callback(each.type) is not None)
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
    enums = {name: each for name, each in api.enums.items() if each.in_api or name in kept.enums}
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
            try:
                value = layouts.evaluate(each.expression)
            except AbigenError:
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
