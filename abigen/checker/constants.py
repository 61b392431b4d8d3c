"""Macros of both sides: why a value changed, and which of them state versions, guard headers or name tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from abigen.model.api import Api
from abigen.model.ctype import Basic, NamedType
from abigen.model.entities import Constant, Entity, Macro
from abigen.model.layout import Layouts, agreed_value
from abigen.model.meaning import IDENTIFIER, NUMBER, STRING, Meaning, closing_parentheses, expanded, meaning_of
from abigen.model.span import AbigenError
from abigen.model.spelling import spell

_EFFECT = (
    r"\b_*(?:cdecl|stdcall|fastcall|thiscall|vectorcall|pascal|WINAPI|APIENTRY|ms_abi|sysv_abi|regparm|pcs|target"
    r"|aligned|alignas|_Alignas|align|packed|mode|vector_size|ms_struct|gcc_struct|section|weak|alias)_*\b"
    r"\s*(?:\((?:[^()]|\([^()]*\))*\))?"
)
_GUARD = r"(?:_H|_HH|_HPP|_INC|_INCLUDED)_*$"
_VERSION_TEXT = r'"v?\d+(?:\.\d+)+[^"]*"'
PART_OF_NUMBER = r"_?(?:API_?)?(?:VERSION_?)?(?:MAJOR|MINOR|PATCH|REVISION|MICRO)?(?:_?VERSION)?$"
"""The suffixes of the names of version macros, behind their common stem."""
_WHOLE = r"_?(?:API_?|LIB_?)?VERSION(?:_?(?:STRING|STR|NUMBER|NUM|HEX|INT|CODE|FULL|TEXT))?"


def same_bits(old: Meaning, new: Meaning, types: tuple[str, str], layouts: Layouts) -> bool:
    """True if two integers have one size and the same bits, as `34 << 26` and `34U << 26` have.

    Args:
        old: OLD's number.
        new: NEW's number.
        types: their types.
        layouts: of the target.
    """
    if not (old.kind == new.kind == NUMBER and all(each in layouts.target.types for each in types)):
        return False
    sizes = {layouts.size_of(Basic(each)) for each in types}
    return len(sizes) == 1 and (int(old.value) - int(new.value)) % (1 << 8 * sizes.pop()) == 0


def effects(constant: Constant, layouts: Layouts) -> list[str]:
    """Return the effects of a macro for attributes on the users' code: changes of calls and layouts, in words."""
    return sorted(re.sub(r"[\s_]", "", each[0]) for each in re.finditer(_EFFECT, expanded(constant.text, layouts)))


def is_guard(entity: Entity) -> bool:
    """True if a macro keeps a file from being read twice: it is empty, and called as such macros or as the file are."""
    if not isinstance(entity, Constant) or entity.text or entity.span is None:
        return False
    words = re.findall(r"[A-Z0-9]+", re.split(r"[\\/]", entity.span.file)[-1].upper())
    return bool(re.search(_GUARD, entity.name)) or "".join(words) in entity.name.upper().replace("_", "")


def identifiers(text: str) -> frozenset[str]:
    """Return the names in a macro's body."""
    return frozenset(re.findall(IDENTIFIER, re.sub(STRING, " ", text)))


def cause_in_api(text: str, old_layouts: Layouts, new_layouts: Layouts) -> str:
    """Return what a value that differs follows from, if it is of the API, differs as well and is reported itself.

    That is a constant, an enumerator or a version with another value, or a struct of another size. A struct that may
    grow is none: its growth breaks nobody, and the value that follows from it does.

    Args:
        text: of a constant, the same in OLD and NEW.
        old_layouts: OLD's.
        new_layouts: NEW's.
    """
    old, new = old_layouts.api, new_layouts.api
    values = [
        {name: api.enumerators[name].value for name, enum in api.enums_of_enumerators.items() if enum.in_api}
        for api in (old, new)
    ]
    for name in identifiers(text):
        if states_version(name, new):
            return name
        if name in values[1] and values[0].get(name) != values[1][name]:
            return name
        if name in new.constants and name in old.constants and new.constants[name].in_api:
            if meaning_of(old.constants[name], old_layouts) != meaning_of(new.constants[name], new_layouts):
                return name
        elif name in new.size_constants and new.size_constants[name].in_api:
            return name
        if _has_other_size(name, old_layouts, new_layouts):
            return name
    return ""


def _has_other_size(name: str, old_layouts: Layouts, new_layouts: Layouts) -> bool:
    """True if a type of that name has another size, and is no struct that may grow."""
    sizes = []
    for layouts in (old_layouts, new_layouts):
        tagged = (each for each in layouts.api.structs.values() if name in (each.name, each.tag))
        struct = layouts.api.struct_of(NamedType(name)) if name in layouts.api.typedefs else next(tagged, None)
        if struct is not None and (not struct.in_api or struct.may_grow):
            return False
        try:
            if struct is not None and struct.fields is not None:
                sizes.append(layouts.of(struct.name).size)
            elif name in layouts.api.typedefs:
                sizes.append(layouts.size_of(NamedType(name)))
        except AbigenError:
            return False
    return len(sizes) > 1 and sizes[0] != sizes[1]


def followers(
    name: str, constants: Iterable[tuple[Constant, Constant]], old_layouts: Layouts, new_layouts: Layouts
) -> list[str]:
    """Return the constants that name another one, and have other values only because that one has, with both values.

    Args:
        name: of a constant or an enumerator whose value changed.
        constants: of both sides.
        old_layouts: OLD's.
        new_layouts: NEW's.
    """
    found = []
    for old, new in constants:
        if name in old.text and old.text == new.text and name in identifiers(old.text):
            before, after = meaning_of(old, old_layouts), meaning_of(new, new_layouts)
            if before.is_value and before != after:
                found.append(f"{old.name} from {before} to {after}")
    return found


def states_version(name: str, api: Api) -> bool:
    """True if a macro says which version the API has: a version macro, or the same version as a string or one number.

    Args:
        name: of an object-like macro.
        api: where it stands.
    """
    constant = api.constants.get(name)
    if constant is not None and "VERSION" in name.upper() and re.fullmatch(_VERSION_TEXT, constant.text.strip("() ")):
        return True
    if api.version is None or not api.version.macros:
        return False
    names = [each for each, _ in api.version.macros]
    return name in names or re.fullmatch(re.sub(PART_OF_NUMBER, "", names[0]) + _WHOLE, name) is not None


def value_of(name: str, layouts: Layouts) -> int | None:
    """Return the value of an enumerator or object-like macro on a target; None when there is no number."""
    found = layouts.enumerator(name)
    if found is not None:
        return found[0]
    constant = layouts.api.constants.get(name)
    if constant is None or constant.expression is None:
        return None
    return agreed_value([layouts], constant.expression)


def normal_form(body: str, parameters: Sequence[str] = ()) -> str:
    """Return the body of a macro without what its users cannot see: names of parameters, white space."""
    names = {name: f"\0{place}" for place, name in enumerate(parameters)}
    body = re.sub(IDENTIFIER, lambda match: names.get(match[0], match[0]), body)
    return re.sub(r"\s*([^\w\s\0])\s*", r"\1", " ".join(body.split()))


_ENTRY = r"(?<![\w\s])(?<!\w\*)(?<!\w\*\*)(?P<before>(?P<table>[A-Za-z_]\w*)\)*)(?P<by>\[|\+)(?P<index>\w+)(?=[\]\)]|$)"
"""An element of a named array or pointer, in normal form; in a declaration, a type stands before the name."""
_INDEX = r"(0|[1-9]\d{0,9}|0[xX][0-9a-fA-F]{1,8})[uUlL]*"


class Entries(msgspec.Struct, frozen=True):
    """The entries of tables that a macro stands for: `FooAPI[3]`, `*(FooAPI + 3)`."""

    text: str
    """The macro's body in normal form, without the numbers of the entries."""
    places: tuple[tuple[str, int | None], ...]
    """Table and number of each; None where the number has no value."""

    def moved(self, now: Entries) -> list[tuple[str, int, int]] | None:
        """Return the tables whose entry is another one now, with both numbers; None where more than that differs."""
        if self.text != now.text or not self.places:
            return None
        found: dict[str, tuple[str, int, int]] = {}
        for (table, old), (_, new) in zip(self.places, now.places, strict=True):
            if old is None or new is None:
                return None
            if old != new:
                found.setdefault(table, (table, old, new))
        return list(found.values())

    def taken(self) -> tuple[str, str]:
        """Return the type that the only entry is cast to, with parentheses, and the text without it; empty for none."""
        tables = {table for table, _ in self.places}
        at = min((each.start() for table in tables for each in re.finditer(rf"\b{table}\b", self.text)), default=0)
        head = self.text[:at].rstrip("*&(") if len(self.places) == 1 else ""
        opened = next((first for first, last in closing_parentheses(self.text).items() if last == len(head) - 1), None)
        return ("", "") if opened is None else (head[opened:], head[:opened] + self.text[len(head) :])


def taken_otherwise(old: Entries, new: Entries, old_layouts: Layouts, new_layouts: Layouts) -> tuple[str, str] | None:
    """Return the types that the same entry of a table is taken as on both sides, where they are not the same one."""
    (was, text), (now, new_text) = old.taken(), new.taken()
    is_same_entry = bool(was and now) and text == new_text and old.places == new.places
    return (
        (was[1:-1], now[1:-1]) if is_same_entry and _words_of(was, old_layouts) != _words_of(now, new_layouts) else None
    )


def _words_of(cast: str, layouts: Layouts) -> list[str]:
    """Return a type as words to compare: without names of parameters and qualifiers, typedefs followed."""
    text = re.sub(r"(?<=[\w*\]] |.\*)(?!(?:int|char|long|short|double|float|unsigned|signed)\b)\w+(?=[,)])", "", cast)
    text = re.sub(
        r"\b(?:const|volatile|restrict|struct|union|enum|(?<=unsigned )int|(?<=long )int|(?<=short )int)\b", "", text
    )
    found = re.findall(r"\w+|[^\w\s]", text)
    return [spell(layouts.api.resolve(NamedType(each))) if each in layouts.api.typedefs else each for each in found]


def entries_of(macro: Macro | Constant, layouts: Layouts) -> Entries:
    """Return the entries of tables that a macro stands for on a target; what its parameters name are no tables."""
    places: list[tuple[str, int | None]] = []

    def noted(match: re.Match[str]) -> str:
        table, index = match["table"], match["index"]
        if match["by"] == "+" and table not in layouts.api.variables:
            return match[0]
        number = re.fullmatch(_INDEX, index)
        places.append((table, int(number[1], 0) if number else value_of(index, layouts)))
        return match["before"] + match["by"]

    body = normal_form(macro.body, macro.parameters) if isinstance(macro, Macro) else normal_form(macro.text)
    return Entries(re.sub(_ENTRY, noted, body), tuple(places))
