"""Helpers for `abigen import`: context that the declarations do not give, and the value of each key of a spec."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TypeGuard, TypeVar, cast

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.attributes import inner_keys_of
from abigen.model.ctype import (
    Basic,
    CType,
    EnumType,
    Expression,
    NamedType,
    Node,
    Parameter,
    Pointer,
    RecordType,
    rebuilt,
    types_in,
)
from abigen.model.entities import Constant, Entity, Enum, Field, Function, Struct, Typedef, VersionDeclaration
from abigen.model.roles import kind_member
from abigen.model.span import Diagnostic, Span
from abigen.model.spelling import (
    BUILT_IN,
    C_KEYWORDS,
    PLACES,
    STANDARD_TYPES,
    USUAL_SIZE_MACRO,
    by_pattern,
    reserved_word,
    spell,
    spell_expression,
    words_of,
)
from abigen.model.version import Version

_GROUPS = ("typedefs", "functions", "constants", "macros", "structs", "enums")
_FIRST = Version(0, 0, 0)
"""Older than what has a release."""


class FirstReleases(msgspec.Struct, frozen=True):
    """The first releases of the entities of the last release of a history, by name or `Struct.member`."""

    since: Mapping[str, Version]
    """The releases by name; an absent entity is as old as the first release."""
    deprecated: Mapping[str, Version]
    removed: tuple[Diagnostic, ...]
    """The entities that were removed or inserted, for which a spec has no key."""


def first_releases(releases: Sequence[tuple[Version, Api]]) -> FirstReleases:
    """Find out since when everything is there.

    Args:
        releases: each release with its API, the oldest first. An entity that was away for a while came when it came
            for the last time.
    """
    since: dict[str, Version] = {}
    deprecated: dict[str, Version] = {}
    removed: list[Diagnostic] = []
    before: dict[str, Entity] = {}
    for number, (version, api) in enumerate(releases):
        now = dict(_entities(api))
        for key, entity in now.items():
            if number and key not in before and not _came_with_its_struct(key, since, version, before):
                since[key] = version
            if entity.contract.lifecycle.deprecated:
                deprecated.setdefault(key, version)
        for key, entity in before.items():
            if key not in now and key.partition(".")[0] in (key, *now):
                text = f"{key}: {version} does not have it, and a spec cannot state when an entity was removed"
                removed.append(Diagnostic(entity.span, text, severity="note"))
        since = {key: each for key, each in since.items() if key in now}
        before = now
    newest = releases[-1][1]
    found = [*_inserted(newest, since)]
    for key, _ in found:
        del since[key]
    while later := dict(_younger_types(newest, since)):
        found += later.items()
        since = {key: each for key, each in since.items() if key not in later}
    for key, entity in found:
        text = f"{key}: it is newer than later entities, or than entities that use it; the spec states their age for it"
        removed.append(Diagnostic(entity.span, text, severity="note"))
    return FirstReleases(since, deprecated, tuple(removed))


def _inserted(api: Api, since: Mapping[str, Version]) -> Iterator[tuple[str, Entity]]:
    """Yield members that came later than one that stands behind them, which moved it."""
    for struct in api.structs.values():
        behind: Version | None = None
        for member in () if struct.is_union else reversed(struct.fields or ()):
            key = f"{struct.name}.{member.name}"
            if behind is not None and key in since and since[key] > behind:
                yield key, member
            else:
                behind = since.get(key, _FIRST)


def _younger_types(api: Api, since: Mapping[str, Version]) -> Iterator[tuple[str, Entity]]:
    """Yield types that came later than what is made of them, which had another type then."""
    others: list[Typedef | Function] = [*api.typedefs.values(), *api.functions.values()]
    users = [(each.name, each.name, each.type) for each in others]
    for struct in api.structs.values():
        users += [(f"{struct.name}.{each.name}", struct.name, each.type) for each in struct.fields or ()]
    types: dict[str, Entity] = {**api.typedefs, **api.structs, **api.enums}
    for key, owner, type in users:
        age = since.get(key) or since.get(owner) or _FIRST
        for each in types_in(type):
            name = each.name if isinstance(each, NamedType) else getattr(each, "key", "")
            if name != key and name in types and since.get(name, _FIRST) > age:
                yield name, types[name]


def _came_with_its_struct(
    key: str, since: Mapping[str, Version], version: Version, before: Mapping[str, Entity]
) -> bool:
    """True if a member is as old as the struct or enumeration that it is in, which says it for both."""
    owner, dot, _ = key.partition(".")
    return bool(dot) and (since.get(owner) == version or owner not in before)


def _entities(api: Api) -> Iterator[tuple[str, Entity]]:
    for group in _GROUPS:
        entities: Mapping[str, Entity] = getattr(api, group)
        yield from ((each.name, each) for each in entities.values() if each.in_api)
    for struct in api.structs.values():
        if struct.in_api:
            yield from ((f"{struct.name}.{each.name}", each) for each in struct.fields or ())
    for enum in api.enums.values():
        if enum.in_api:
            yield from ((f"{enum.name}.{each.name}", each) for each in enum.enumerators or ())


Document = dict[str, object]
"""A mapping of a spec, in the order in which it shall stand."""


class HeaderContext(msgspec.Struct, frozen=True):
    """The context of the declarations of a header: its text, and the options of the user."""

    name: str
    """Of the API, an identifier."""
    path: str
    """By which users include the header."""
    lines: Mapping[str, Sequence[str]] = msgspec.field(default_factory=dict)
    """Of the header, and of those that are part of it."""
    guard: str = ""
    includes: tuple[str, ...] = ()
    """`<stddef.h>` or `"other.h"`, without the headers of `uses`."""
    uses: tuple[str, ...] = ()
    """Specs whose types it uses."""
    conditional: frozenset[str] = frozenset()
    """Macros that are defined below a condition."""
    cases: Mapping[str, Sequence[tuple[str, str]]] = msgspec.field(default_factory=dict)
    """Macro to what it stands for under each condition, which is empty for the last one."""
    guarded: frozenset[str] = frozenset()
    """Macros that are defined only where nothing has defined them before."""
    calling: frozenset[str] = frozenset()
    """Macros, also those of `uses`, that say in C++ or on some system how what they stand beside is called."""
    filled_by: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Prefix of a struct's name to the side that fills it."""
    since: Mapping[str, Version] = msgspec.field(default_factory=dict)
    """Entity, or `Struct.member`, to the release that brought it; what is absent is as old as the API."""
    deprecated: Mapping[str, Version] = msgspec.field(default_factory=dict)
    """Entity, or `Struct.member`, to the release that marked it."""
    releases: tuple[Version, ...] = ()
    stated: frozenset[str] = frozenset()
    """Macros in which specs of `uses` state their versions."""
    given: Mapping[str, Sequence[tuple[str, str]]] = msgspec.field(default_factory=dict)
    """Macros of `uses`, with what each stands for under each condition."""
    before_includes: frozenset[str] = frozenset()
    """Macros that the header defines before it includes others, which ask for them."""
    known: frozenset[str] = frozenset()
    """Types and tags of included headers that the spec can name."""


class Imported(msgspec.Struct, frozen=True):
    """A spec, what of the header is not in it, and what else there is to say."""

    document: Document
    gaps: tuple[Diagnostic, ...]
    remarks: tuple[Diagnostic, ...] = ()
    """The remarks for the owners of the spec."""


_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})")


_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_WRITTEN = re.compile(
    r"(?P<name>[A-Za-z_]\w*)\s*[=\s(]\s*(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|0[0-7]*[uUlL]*|[1-9]\d*[uUlL]*)"
    r"\s*\)?\s*(?:[,}]|/[/*]|$)"
)
"""A macro or enumerator with one number behind its name; a comment may follow."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_MOST_LINES = 8
"""The number of lines of a declaration that may precede the line with its name, plus that line."""
_ENDS = re.compile(r"[;{}]\s*(?:/[/*].*)?$|\*/\s*$|^\s*(?:#|//|\*)")
"""A line that is no part of the declaration behind it."""
_CALLING = re.compile(r"\b(?:_{0,2}(?:cdecl|stdcall|fastcall|vectorcall|thiscall)|noexcept|throw)\b")
"""The words that state the calling convention of a function."""
_AROUND = re.compile(r"(\w+)\s*\([^()]*\)\s*$")
"""A macro around the type that a function returns."""
_LAST_WORD = re.compile(r"(\w+)\s*$")
EXPORTING = re.compile(r"visibility|dllexport|dllimport")
"""An attribute that exports."""
_OF_THE_LANGUAGE = re.compile(r"_(?:Bool|Complex|Imaginary|Atomic|BitInt|Float\w+)|__(?:attribute|builtin|int128)\w*")


def holds_reserved_names(part: object, key: str = "") -> bool:
    """True if names in a part of a spec belong to the implementation."""
    if isinstance(part, Mapping):
        return any(holds_reserved_names(value, name) for name, value in part.items())
    if isinstance(part, list):
        return any(holds_reserved_names(each, key) for each in part)
    if key not in ("name", "tag", "guard", "parameters", "type"):
        return False
    words = (each for each in _WORD.findall(str(part)) if not _OF_THE_LANGUAGE.fullmatch(each))
    return any(reserved_word(each, file_scope=key != "type") for each in words if each not in C_KEYWORDS)


def way_to(span: Span, api: Api) -> tuple[tuple[int, int], ...]:
    """Line and column of a place, behind those of the #includes that lead to it from the header."""
    included = {each.file: each.place for each in reversed(api.included) if each.place}
    way, file = [(span.line, span.column)], span.file
    while file != next(iter(api.files), file) and file in included:
        place = included.pop(file)
        way.insert(0, (place.line, place.column))
        file = place.file
    return tuple(way)


def text_before(entity: Entity, lines: Mapping[str, Sequence[str]]) -> str:
    """Return the text before the name of an entity in its declaration.

    Args:
        entity: what is declared.
        lines: of each file; nothing is known of what stands in others.
    """
    if entity.span is None or entity.span.file not in lines:
        return ""
    own = lines[entity.span.file]
    number = entity.span.line
    found = own[number - 1][: entity.span.column - 1]
    for line in reversed(own[max(0, number - _MOST_LINES) : number - 1]):
        if not line.strip() or _ENDS.search(line):
            break
        found = f"{line} {found}"
    return found.rpartition(";")[2]


def calling_macros(cases: Mapping[str, Sequence[tuple[str, str]]]) -> frozenset[str]:
    """Return the macros that say in C++, or on some system, how what they stand beside is called.

    Args:
        cases: macro to what it stands for under each condition, as in `HeaderContext`.
    """
    calling = {name for name, texts in cases.items() if any(_CALLING.search(text) for _, text in texts)}
    for name, texts in cases.items():
        if any(calling & set(_WORD.findall(text)) for _, text in texts):
            calling.add(name)
    return frozenset(calling)


def macros_of_calls(entity: Entity, around: HeaderContext) -> list[str]:
    """Return those of `around.calling` that the declaration of an entity contains.

    Args:
        entity: of the header: a function, a member, or a typedef.
        around: what the header says else.
    """
    words = _WORD.findall(f"{text_before(entity, around.lines)} {_text_behind(entity, around.lines)}")
    return [each for each in dict.fromkeys(words) if each in around.calling]


def _text_behind(entity: Entity, lines: Mapping[str, Sequence[str]]) -> str:
    """Return the text behind the name of an entity in its declaration."""
    if entity.span is None or entity.span.file not in lines:
        return ""
    first, *more = lines[entity.span.file][entity.span.line - 1 :][:_MOST_LINES]
    return re.split("[;{]", "\n".join((first[entity.span.column - 1 :], *more)))[0]


def exporting_macro(
    functions: Sequence[Function], api: Api, around: HeaderContext
) -> tuple[str, Collection[str], bool]:
    """Find the macro that stands before functions, or around the types that they return, and exports them.

    Args:
        functions: of the header.
        api: that they are in.
        around: what the header says else.

    Returns:
        The macro that most functions have, empty for none; the functions that any such macro stands before; and whether
        `extern` stands before functions.
    """
    around_types = {each.name for each in api.macros.values() if len(each.parameters) == 1}
    texts = {each.name: each.text for each in api.constants.values()}
    texts |= {name: api.macros[name].body for name in around_types}
    several = {**around.given, **around.cases}
    texts |= {name: " ".join(text for _, text in cases) for name, cases in several.items() if name in texts}
    exporting = {name for name, text in texts.items() if EXPORTING.search(text)}
    words = {name: set(_WORD.findall(text)) for name, text in texts.items()}
    while more := {name for name, found in words.items() if name not in exporting and exporting & found}:
        exporting |= more
    before_names = {each.name: text_before(each, around.lines) for each in functions}
    heads = {name: _WORD.findall(text) for name, text in before_names.items()}
    for name, text in before_names.items():
        enclosing = _enclosing(text, exporting, texts)
        heads[name] = [word for word in heads[name] if word not in around_types or word == enclosing]
    used = Counter(name for head in heads.values() for name in exporting if name in head)
    if not used:
        return "", (), False
    macro = used.most_common(1)[0][0]
    before = {name for name, head in heads.items() if exporting.intersection(head)}
    return macro, before, any("extern" in heads[name] for name in before)


def _enclosing(text: str, exporting: Collection[str], known: Collection[str]) -> str:
    """Return the exporting macro around the type that a function returns; empty for none.

    Args:
        text: before the function's name.
        exporting: macros that export.
        known: all macros; those of attributes may follow the type.
    """
    while match := _AROUND.search(text) or _LAST_WORD.search(text):
        if match[0].rstrip().endswith(")"):
            if match[1] in exporting:
                return match[1]
        elif match[1] not in known:
            break
        text = text[: match.start()]
    return ""


def names_of_version(said: VersionDeclaration | None) -> frozenset[str]:
    """Return the macros that a spec states its version in by itself."""
    if said is None or len(said.macros) < 3 or not all(each.isdigit() for each in said.texts):
        return frozenset()
    return frozenset(said.names)


def all_names(api: Api) -> frozenset[str]:
    """Return the names of all entities, members and enumerators."""
    groups = (api.functions, api.structs, api.enums, api.typedefs, api.constants, api.macros)
    members = (each.name for struct in api.structs.values() for each in struct.fields or ())
    return frozenset((*members, *api.enumerators, *(name for group in groups for name in group)))


def version_keys(said: VersionDeclaration | None, around: HeaderContext) -> Document:
    """Return the version of a header, and the macros that state it.

    Args:
        said: what the header says of it.
        around: the releases that are known, and the macros that another spec has.
    """
    if said is None and not around.releases:
        return {}
    found: Document = {}
    names = [name for name, _ in said.macros if name not in around.stated] if said else []
    prefix = names[0].rpartition("_")[0] if names else ""
    if prefix and prefix != around.name.upper():
        found["prefix"] = prefix
    newest = around.releases[-1] if around.releases else None
    stated = said.version if said else None
    found["version"] = str(max(each for each in (newest, stated) if each is not None))
    if around.releases:
        found["releases"] = [str(each) for each in around.releases]
        if str(around.releases[-1]) != found["version"]:
            found["releases"] = [*(str(each) for each in around.releases), str(found["version"])]
    if not names or not names_of_version(said):
        found["version_macros"] = []
    elif names != [f"{prefix}_{part}" for part in ("MAJOR", "MINOR", "PATCH")]:
        found["version_macros"] = names
    return found


def tag_key(entity: Struct | Enum) -> Document:
    """Return the tag of a struct or enumeration, where it is not its name."""
    return {"tag": entity.tag} if entity.tag != entity.name else {}


def value_of(constant: Constant, known: Container[str]) -> object:
    """Return the number or text that a constant stands for.

    Args:
        constant: of a header.
        known: names that a spec knows; what the text says by others, such as `UINT32_MAX`, is said by the value.
    """
    text = constant.text
    if constant.expression is not None and any(name not in known for name in _NAME.findall(_QUOTED.sub("", text))):
        text = spell_expression(constant.expression)
    return as_number(text)


def as_number(text: str) -> object:
    """Return a text that C writes as a plain number as a number; return other texts unchanged."""
    return int(text) if _NUMBER.fullmatch(text) else text


def number_of(expression: Expression) -> object:
    """Return an expression as a number if it is one, else as C writes it."""
    text = spell_expression(expression)
    return int(text) if _NUMBER.fullmatch(text) else text


def written_number(entity: Entity, value: int | None, lines: Mapping[str, Sequence[str]]) -> object:
    """Return the number that stands behind the name of a macro or enumerator, as the header writes it.

    Args:
        entity: the macro or enumerator.
        value: what the number has to be.
        lines: of each file.

    Returns:
        None where something else stands there.
    """
    if value is None or entity.span is None or entity.span.file not in lines:
        return None
    match = _WRITTEN.match(lines[entity.span.file][entity.span.line - 1][entity.span.column - 1 :])
    if match is None or match["name"] != entity.name:
        return None
    digits = match["number"].rstrip("uUlL").lower()
    base = 16 if digits.startswith("0x") else 8 if digits.startswith("0") and digits != "0" else 10
    number = int(digits, base)
    return as_number(match["number"]) if number == value else None


_OFFSET_OF_END = re.compile(r"^\(?\s*offsetof\s*\(.*\)\s*\+\s*sizeof\b")


class SizedStructs:
    """The structs of one API that carry their size."""

    def __init__(self, api: Api) -> None:
        """Look at one API."""
        self._api = api
        self.leading = self._common_members()
        """The members that they begin with."""

    def _common_members(self) -> list[Field]:
        """Return the members that versioned structs begin with: the size, and what stands behind it in most of them."""
        own = (each for each in self._api.structs.values() if each.in_api and each.is_versioned and each.fields)
        structs = [each for each in own if not self.extension_of(each)]
        firsts = Counter(self._declaration(each.fields[0]) for each in structs if each.fields)
        if not firsts:
            return []
        size = firsts.most_common(1)[0][0]
        begun = [each for each in structs if each.fields and self._declaration(each.fields[0]) == size]
        first = next(each.fields[0] for each in begun if each.fields)
        seconds = Counter(self._declaration(each.fields[1]) for each in begun if each.fields and len(each.fields) > 1)
        text, number = seconds.most_common(1)[0] if seconds else ("", 0)
        if number < 2 or number * 2 < len(begun):
            return [first]
        others = (each.fields[1] for each in begun if each.fields and len(each.fields) > 1)
        return [first, next(each for each in others if self._declaration(each) == text)]

    def next_of(self, struct: Struct) -> str:
        """Return the member that leads to the next extension, of a struct that extensions begin with; empty for others.

        Its name says that: others that lead to their like are lists of another sort.
        """
        first = next(iter(struct.fields or ()), None)
        if first is None or first.name != struct.size_field or kind_member(struct, self._api) is None:
            return ""
        if not {"extension", "ext"}.intersection(words_of(struct.name)):
            return ""
        pointees = {each.name: self._api.pointee(each.type) for each in struct.fields or ()}
        return next((name for name, found in pointees.items() if found is not None and found.name == struct.name), "")

    def extension_of(self, struct: Struct) -> str:
        """Return the enumerator by which a chain knows a struct: the one that is named after it; empty for none."""
        first = next(iter(struct.fields or ()), None)
        base = self._api.struct_of(first.type) if first is not None else None
        if first is None or base is None or not first.name or not self.next_of(base):
            return ""
        kind = kind_member(base, self._api)
        enum = self._api.enum_of(kind.type) if kind is not None else None
        enumerators = enum.enumerators or () if enum is not None else ()
        words = {each.name: frozenset(words_of(each.name)) for each in enumerators}
        common = frozenset[str].intersection(*words.values()) if len(words) > 1 else frozenset[str]()
        found = [name for name, own in words.items() if own - common == frozenset(words_of(struct.name)) - common]
        return found[0] if len(found) == 1 else ""

    def _declaration(self, member: Field) -> str:
        return spell(member.type, member.name, self._api)

    def leading_of(self, struct: Struct) -> list[Field]:
        """Return the number of common members that a struct begins with."""
        found: list[Field] = []
        for common, member in zip(self.leading, struct.fields or (), strict=False):
            if not struct.is_versioned or self._declaration(common) != self._declaration(member):
                break
            found.append(common)
        return found

    def sizes(self) -> Mapping[str, str]:
        """Struct to the name of the macro, or enumerator, that a spec makes for its size."""
        sizes: dict[str, str] = {}
        for each in self._api.size_constants.values():
            if not each.in_api:
                continue
            struct = self._api.structs.get(each.struct)
            last = struct.fields[-1].name if struct is not None and struct.fields else ""
            begins = struct is not None and (self.leading_of(struct) or self.extension_of(struct))
            if struct is not None and begins and last == each.last_member:
                sizes.setdefault(struct.name, each.name)
        return sizes

    def size_pattern(self) -> str:
        """Return the pattern of the names of size constants if they share one that is not the default; else empty."""
        found: set[str] = set()
        for number, (struct, name) in enumerate(self.sizes().items()):
            spelled = zip(PLACES, (by_pattern(each, struct) for each in PLACES), strict=True)
            patterns = {name.replace(word, place, 1) for place, word in spelled if word in name}
            found = found & patterns if number else patterns
        return "" if len(self.sizes()) < 2 or USUAL_SIZE_MACRO in found else min(found, default="")

    def size_form(self) -> str:
        """Return the form of most size constants that a spec generates: `macro` or `enumerator`."""
        names = frozenset(self.sizes().values())
        forms = Counter(each.form for each in self._api.size_constants.values() if each.in_api and each.name in names)
        return "enumerator" if forms["enumerator"] > forms["macro"] else "macro"

    def offset_of_end(self) -> str:
        """Return the macro that size constants are made with, when the header, or one that it uses, has one."""
        names = (each.name for each in self._api.macros.values() if _OFFSET_OF_END.search(each.body))
        return next(names, "")


_KEYS = frozenset(
    {"name", "type", "fields", "kind", "doc", "group", "deprecated", "zero", "reserved", "bits", "alignment", "count"}
)
"""The keys that the language of specs allows for members inside of such structs."""


def written_inside(api: Api) -> frozenset[str]:
    """Return the keys of the structs that one member of another has for a type, and nothing else."""
    found: set[str] = set()
    for struct in api.structs.values():
        used = Counter(each.type.key for each in struct.fields or () if isinstance(each.type, RecordType))
        found |= {key for key, number in used.items() if number == 1 and _is_plain(api.structs[key], struct)}
    return frozenset(found)


def _is_plain(inner: Struct, outer: Struct) -> bool:
    """True if there is nothing about a struct but its members that a spec would have to say."""
    same = (inner.packed or inner.pack == 1) == (outer.packed or outer.pack == 1) and inner.pack in (None, 1)
    plain = inner.alignment is None and not inner.bitfield_rule and not inner.transparent
    return inner.anonymous and inner.name.startswith(f"{outer.name}.") and same and plain


def new_names(nameless: Iterable[Struct | Enum], api: Api) -> Iterator[tuple[str, str]]:
    """Yield structs, unions and enumerations in others that need a name, by their keys, with the names that they get.

    Args:
        nameless: those that have none, among others.
        api: whose names they cannot have.
    """
    taken = {*api.typedefs, *api.functions, *api.structs, *api.enums, *api.macros, *api.constants}
    for each in nameless:
        if each.anonymous and "." in each.name:
            words = re.sub(r"\W+", "_", each.name.replace("<anonymous ", "unnamed")).strip("_")
            name = next(name for name in (words + "_" * number for number in count()) if name not in taken)
            taken.add(name)
            yield each.name, name


def is_name_of_its_type(name: str, type: CType, api: Api) -> bool:
    """True if a typedef is the one that the API's declaration of a struct or enumeration brings with it.

    Where another header declares that, the typedef is one of its own: `typedef struct dirent my_dirent;`.
    """
    if isinstance(type, RecordType):
        struct = api.structs.get(type.key)
        return struct is not None and struct.in_api and struct.fields is not None and struct.name == name
    return isinstance(type, EnumType) and type.key == name and api.enums[name].in_api


def is_tag_of_another(typedef: Typedef, api: Api) -> bool:
    """True if a typedef gives a type of another header its own tag as a name: `typedef struct base base;`."""
    type = typedef.type
    entity: Struct | Enum | None = None
    if isinstance(type, (RecordType, EnumType)):
        entity = api.enums.get(type.key) if isinstance(type, EnumType) else api.structs.get(type.key)
    return entity is not None and typedef.in_api and not entity.in_api and entity.tag == typedef.name


def lost_keys(item: Document, struct: Struct, member: Field) -> Iterator[str]:
    """Take from a member what a spec cannot say of it where it stands.

    Args:
        item: the member, as it is to stand in the spec.
        struct: what it is a member of.
        member: the member.

    Returns:
        The keys that were taken away.
    """
    allowed = _KEYS | ({"since"} if struct.is_union else set()) if struct.anonymous else None
    if "fields" in item:
        own = inner_keys_of(member.name)
        allowed = own if allowed is None else own & (allowed | {"since"} if struct.is_union else allowed)
    for key in [key for key in item if allowed is not None and key not in allowed]:
        del item[key]
        yield key


def unlike_its_name(member: Field, api: Api) -> CType:
    """Return a member's type; one that is called as the member is written out, since g++ refuses `Post* Post`."""
    type = member.type
    if isinstance(type, Pointer) and type.target == NamedType(member.name):
        return replace(type, target=api.resolve(type.target))
    return type


_E = TypeVar("_E", bound=Entity)


def is_unknown(struct: Struct) -> bool:
    """Tell whether a union is declared without its members, which a spec cannot do."""
    return struct.is_union and struct.fields is None


class ForeignTypes:
    """Writes types without those that a spec cannot name, and remembers which these were."""

    def __init__(self, api: Api, known: Collection[str]) -> None:
        """Begin without having met any.

        Args:
            api: what the header declares, with what it includes.
            known: the types and tags of included headers that the spec can name.
        """
        self._api = api
        self._known = known
        self._met: dict[str, Entity] = {}

    def without(self, type: CType) -> CType:
        """Return a type in which the names of others are replaced by what they stand for."""

        def known(node: Node) -> Node:
            if isinstance(node, Parameter):
                return replace(node, type=cast(CType, known(node.type)))
            typedef = self._api.typedefs.get(node.name) if isinstance(node, NamedType) else None
            if typedef is not None and is_tag_of_another(typedef, self._api):
                return known(typedef.type)
            if isinstance(node, NamedType) and self._is_foreign(self._api.typedefs.get(node.name)):
                self._met[node.name] = self._api.typedefs[node.name]
                return known(self._api.typedefs[node.name].type)
            if isinstance(node, (RecordType, EnumType)) and (tagged := self._by_tag(node)):
                return tagged
            struct = self._api.structs.get(node.key) if isinstance(node, RecordType) else None
            if isinstance(node, RecordType) and struct is not None and (self._is_foreign(struct) or is_unknown(struct)):
                self._met[f"{struct.kind} {node.key}"] = struct
                if struct.is_union:
                    return Basic("void")  # a spec declares no union without its members
                return RecordType(f"struct {struct.tag}") if struct.tag else node
            return rebuilt(node, known)

        return cast(CType, known(type))

    def tags(self) -> list[str]:
        """Return the tags of the structs that were met: they can be declared, and pointed to."""
        structs = [each for each in self._met.values() if isinstance(each, Struct)]
        return list(dict.fromkeys(each.tag for each in structs if each.tag and not each.is_union))

    def gaps(self) -> Iterator[Diagnostic]:
        """Yield a remark for each construct that the spec cannot express."""
        for each in self._met.values():
            kind, has = "type", "identifies it"
            if isinstance(each, Struct):
                kind, has = each.kind, "has void in its place" if each.is_union else "has it as a handle"
            known = "a header outside of the API declares it"
            where = "its members are not known" if each.in_api else known
            message = f"{kind} {each.name}: {where}; the spec {has}"
            yield Diagnostic(None, message, severity="note")

    def _by_tag(self, type: RecordType | EnumType) -> NamedType | None:
        """Return a type of another header by its tag, which the spec knows, if only the API's typedef names it."""
        enum = isinstance(type, EnumType)
        entity = self._api.enums.get(type.key) if enum else self._api.structs.get(type.key)
        typedef = self._api.typedefs.get(type.key)
        if entity is None or entity.in_api or typedef is None or not typedef.in_api or entity.tag not in self._known:
            return None
        return NamedType(f"{'enum' if isinstance(entity, Enum) else entity.kind} {entity.tag}")

    def _is_foreign(self, entity: _E | None) -> TypeGuard[_E]:
        if entity is None or entity.in_api or entity.name in BUILT_IN or entity.name in STANDARD_TYPES:
            return False
        return entity.name not in self._known
