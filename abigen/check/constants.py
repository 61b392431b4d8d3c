"""What an object-like macro stands for, so that two bodies can be compared by meaning and not by spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from abigen.model.api import Api
from abigen.model.ctype import NamedType, Pointer
from abigen.model.entities import Constant, Entity, Macro
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import spell

NUMBER, TEXT, ATTRIBUTE, CODE, EMPTY = "number", "text", "attribute", "code", "empty"

_STRING = r'(?:u8|([uUL]))?"((?:[^"\\]|\\.)*)"'
_NULL = r"NULL|nullptr|\(\s*(?:const\s+)?void\s*\*\s*\)\s*\(?\s*0\s*\)?"
_FLOAT = r"[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?[fFlL]?"
_CAST = r"\(((?:[\w\s*,]|\([\w\s*,]*\))*)\)\s*"
_NUMERAL = r"0[xX][0-9a-fA-F]{1,16}|0[0-7]{0,22}|[1-9]\d{0,19}"
_ADDRESS = rf"(?P<type>{_CAST})(?:{_CAST})*\(?\s*(?P<sign>[-+~]?)\s*(?P<value>{_NUMERAL})[uUlL]*\s*\)?"
"""A number that is cast to a pointer: `((void (*)(void*))-1)`."""
_SPECIFIERS = (
    r'\bextern\s*"C(?:\+\+)?"|[{}]'
    r"|\b(?:inline|static|extern|restrict|register|_Noreturn|noreturn|__extension__|__inline__|__inline|__restrict__"
    r"|__restrict|__forceinline|__thread|_Thread_local|thread_local"
    r"|__cdecl|__stdcall|__fastcall|__thiscall|__vectorcall|__pascal|WINAPI|APIENTRY)\b"
)
_WITH_ARGUMENTS = r"\b(?:__attribute__|__attribute|__declspec|__pragma|_Pragma|alignas|_Alignas|__asm__|__asm)\s*\("
_EFFECT = (
    r"\b_*(?:cdecl|stdcall|fastcall|thiscall|vectorcall|pascal|WINAPI|APIENTRY|ms_abi|sysv_abi|regparm|pcs|target"
    r"|aligned|alignas|_Alignas|align|packed|mode|vector_size|ms_struct|gcc_struct|section|weak|alias)_*\b"
    r"\s*(?:\((?:[^()]|\([^()]*\))*\))?"
)
_GUARD = r"(?:_H|_HH|_HPP|_INC|_INCLUDED)_*$"
_IDENTIFIER = r"[A-Za-z_]\w*"
_DEPTH = 8
_VERSION_TEXT = r'"v?\d+(?:\.\d+)+[^"]*"'
_NUMBER = r"_?(?:API_?)?(?:VERSION_?)?(?:MAJOR|MINOR|PATCH|REVISION|MICRO)?(?:_?VERSION)?$"
_WHOLE = r"_?(?:API_?|LIB_?)?VERSION(?:_?(?:STRING|STR|NUMBER|NUM|HEX|INT|CODE|FULL|TEXT))?"


class Meaning(NamedTuple):
    """What a macro's body is: its kind and, for comparing, its value."""

    kind: str
    """`number`, `text` (string or floating number), `attribute` (of declarations), `code` (anything else), `empty`."""
    value: int | float | str
    """What two bodies of the same meaning have in common."""

    @property
    def is_value(self) -> bool:
        """Whether it is compiled into both sides as a value."""
        return self.kind in (NUMBER, TEXT)

    def __str__(self) -> str:
        """The value as findings show it."""
        return f"{self.value}"


def meaning_of(constant: Constant, layouts: Layouts) -> Meaning:
    """Say what an object-like macro stands for on a target.

    Args:
        constant: of `layouts.api`.
        layouts: they know the enumerators and sizes that an expression may name.
    """
    if not constant.text.strip():
        return Meaning(EMPTY, "")
    if constant.expression is not None:
        try:
            return Meaning(NUMBER, layouts.evaluate(constant.expression))
        except AbigenError:
            pass  # A sizeof of an incomplete type, a division by zero: then its text is all there is.
    return _by_text(constant.literal or constant.text, layouts, _DEPTH)


def effects(constant: Constant, layouts: Layouts) -> list[str]:
    """What a macro for attributes does to the code of those who write it: calls and layouts become others, in words."""
    return sorted(
        re.sub(r"[\s_]", "", each[0]) for each in re.finditer(_EFFECT, _expanded(constant.text, layouts, _DEPTH))
    )


def is_guard(entity: Entity) -> bool:
    """Whether a macro keeps a file from being read twice: it is empty, and called as such macros or as the file are."""
    if not isinstance(entity, Constant) or entity.text or entity.span is None:
        return False
    words = re.findall(r"[A-Z0-9]+", re.split(r"[\\/]", entity.span.file)[-1].upper())
    return bool(re.search(_GUARD, entity.name)) or "".join(words) in entity.name.upper().replace("_", "")


def identifiers(text: str) -> frozenset[str]:
    """The names in a macro's body."""
    return frozenset(re.findall(_IDENTIFIER, re.sub(_STRING, " ", text)))


def follows_from_api(text: str, api: Api) -> bool:
    """Whether a macro's body names something of the API's own, from which a value that differs may follow."""
    own = (api.constants, api.size_constants, api.structs, api.typedefs, api.enums, api.variables)
    enumerators = {each.name for enum in api.enums.values() if enum.in_api for each in enum.enumerators or ()}
    return any(
        name in enumerators
        or states_version(name, api)
        or any(name in entities and entities[name].in_api for entities in own)
        for name in identifiers(text)
    )


def states_version(name: str, api: Api) -> bool:
    """Whether a macro says which version the API has: a version macro, or the same version as a string or one number.

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
    return name in names or re.fullmatch(re.sub(_NUMBER, "", names[0]) + _WHOLE, name) is not None


def _by_text(text: str, layouts: Layouts, depth: int) -> Meaning:
    """The meaning of a body that is no integer constant expression; other macros in it are followed."""
    bare = _unwrapped(text)
    if bare and not re.sub(_STRING, "", bare).strip():
        parts = re.findall(_STRING, bare)
        wide = next((prefix for prefix, _ in parts if prefix), "")  # one makes all of them wide (C 6.4.5 paragraph 5)
        return Meaning(TEXT, f'{wide}"' + "".join(text for _, text in parts) + '"')
    if re.fullmatch(_NULL, bare):
        return Meaning(NUMBER, 0)
    if re.fullmatch(_FLOAT, bare):
        return Meaning(TEXT, float(bare.rstrip("fFlL")))
    address = re.fullmatch(_ADDRESS, bare)
    type = NamedType(address["type"].strip("() ")) if address else None
    if address and type and ("*" in type.name or isinstance(layouts.api.resolve(type), Pointer)):
        value = int(address["value"], 0 if re.match("0[xX]|[1-9]", address["value"]) else 8)
        return Meaning(NUMBER, {"-": -value, "~": ~value}.get(address["sign"], value))
    if re.fullmatch(_IDENTIFIER, bare) and bare in layouts.api.constants and depth:
        inner = layouts.api.constants[bare]
        return meaning_of(inner, layouts) if inner.expression is not None else _by_text(inner.text, layouts, depth - 1)
    if not _without_attributes(_expanded(bare, layouts, depth)).strip():
        return Meaning(ATTRIBUTE if bare else EMPTY, bare)
    return Meaning(CODE, bare)


def _expanded(text: str, layouts: Layouts, depth: int) -> str:
    """A body with the macros in it replaced by theirs."""
    constants = layouts.api.constants
    for _ in range(depth):
        if not any(name in constants for name in re.findall(_IDENTIFIER, text)):
            return text
        text = re.sub(_IDENTIFIER, lambda match: _body(match[0], constants), text)
        if len(text) > _LONGEST:
            return text
    return text


_LONGEST = 2_000
"""Macros that name each other can grow without bounds; no attribute is this long, in characters."""


def _body(name: str, constants: Mapping[str, Constant]) -> str:
    """What a name stands for, if it is a macro that may be one of an attribute."""
    text = constants[name].text if name in constants else name
    return text if len(text) <= _LONGEST else name


def _unwrapped(text: str) -> str:
    """A body without the parentheses around all of it."""
    partners = _partners(text)
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    while partners.get(begin) == end - 1:
        begin, end = begin + 1, end - 1
        inner = text[begin:end]
        begin, end = end - len(inner.lstrip()), begin + len(inner.rstrip())
    return text[begin:end]


def _partners(text: str) -> dict[int, int]:
    """Where each parenthesis that opens is closed."""
    partners: dict[int, int] = {}
    open_places: list[int] = []
    for match in re.finditer(r"[()]", text):
        if match[0] == "(":
            open_places.append(match.start())
        elif open_places:
            partners[open_places.pop()] = match.start()
    return partners


def _without_attributes(text: str) -> str:
    """What remains of a body when attributes and specifiers of declarations are taken away."""
    while match := re.search(_WITH_ARGUMENTS, text):
        end = _partners(text).get(match.end() - 1, len(text) - 1)
        text = text[: match.start()] + " " + text[end + 1 :]
    while (start := text.find("[[")) >= 0 and (end := text.find("]]", start)) > start:
        text = text[:start] + " " + text[end + 2 :]
    return re.sub(_SPECIFIERS, " ", text)


def value_of(name: str, layouts: Layouts) -> int | None:
    """The value of an enumerator or of an object-like macro on a target; None when there is neither, or no number."""
    found = layouts.enumerator(name)
    if found is not None:
        return found[0]
    constant = layouts.api.constants.get(name)
    if constant is None or constant.expression is None:
        return None
    try:
        return layouts.evaluate(constant.expression)
    except AbigenError:
        return None


_CALLED_VERSION = (
    r"(?:^|_)(?:SO_?)?(?:VERSION|REVISION|VER|VERNUM)(?:_RELEASE)?(?:_(?:NUMBER|NUM|COMPLETE|CODE|HEX|INT|FULL|STRING|STR|TEXT|CURRENT|LATEST))?"
    r"(?:_M)?_*$"
)
_CAMEL_VERSION = r"(?:[a-z0-9_]|API|ABI)Version$"
_PART_WORD = (
    r"MAJOR|MINOR|PATCH|PATCH_?LEVEL|MICRO|NANO|TWEAK|REVISION|HOTFIX|BUGFIX|PRE_?RELEASE|RC|BUILD"
    r"|(?:RELEASE_|BUILD_)?DATE"
)
_PART_OF_VERSION = re.compile(
    rf"(?P<stem>\w*?)_?(?:(?:SO|LIB|API|ABI)?_?(?:VERSION|VER|RELEASE)_(?:{_PART_WORD}|EXTRA|SUFFIX|PRE|POST|BETA|ALPHA"
    r"|STATUS|STAGE|TAG|LABEL|QUALIFIER|METADATA|NUMBER|NUM|STRING|STR|TEXT|HEX|DEC|INT|CODE|FULL|LONG|SHORT|DOTTED|NAME"
    r"|YEAR|MONTH|DAY|TIMESTAMP|LEVEL|SERIAL|COMMIT|HASH|SHA)"
    rf"|(?:API_|ABI_)?(?:{_PART_WORD}|SO_?VERSION|SO_?NUM)(?:_(?:VERSION|VER|NUMBER|NUM|STRING|STR))?)_*"
)
"""What the parts of a version are called: `X_VERSION_EXTRA`, `X_NANO`, `X_RELEASE_DATE`."""
_OF_TEXTS, _TEXT_OR_DATE = r"(?<!VERSION)_(?:DATE|RC)_*$", r'"|(?:19|20)\d\d'
"""A date is one, and a candidate for a release is called so; other numbers of these names are something else."""
_PACKAGE = r"(?:\w+_)?PACKAGE_(?:STRING|VERSION)"
_KEY = r"\(*\s*0[xX]0*[1-9a-fA-F][0-9a-fA-F]{2}"
"""A number beyond a byte, as those by which a version is asked for: `X_CONTEXT_VERSION_MAJOR 0x2002`."""
_DATED = r'"\W*(?:\w*Date\w*\W*)?(?:19|20)\d\d-?[01]\d-?[0-3]\d'
_DIGEST = r'"[0-9a-fA-F]{16,}"'


def tells_versions_apart(name: str, old: Meaning, new: Meaning) -> bool:
    """Whether a constant is there to change: a number that rises and is called a version, a date, or a checksum.

    Args:
        name: the constant's.
        old: what OLD says.
        new: what NEW says.
    """
    if old.kind != new.kind:
        return False
    if old.kind == NUMBER:
        return _is_of_version(name) and int(new.value) > int(old.value)
    if old.kind != TEXT or not (isinstance(old.value, str) and isinstance(new.value, str)):
        return False
    if _is_of_version(name):
        return True
    return any(re.match(pattern, old.value) and re.match(pattern, new.value) for pattern in (_DATED, _DIGEST))


def part_of_version(constant: Constant, api: Api) -> Literal["", "own", "other"]:
    """Whether a constant is a part of a version, or the same one in other words, by its name and those beside it.

    Args:
        constant: of `api`.
        api: where it stands.

    Returns:
        `own` for the version that the API states; `other` where a major and a minor number stand beside it, or its file
        is named after the version; empty for none.
    """
    match = _PART_OF_VERSION.fullmatch(_words(constant.name))
    if match is None or (re.search(_OF_TEXTS, match[0]) and not re.search(_TEXT_OR_DATE, constant.text)):
        return "other" if re.fullmatch(_PACKAGE, constant.name) else ""
    stating = [_words(name) for name, _ in api.version.macros] if api.version else []
    if any(re.sub(_NUMBER, "", each).strip("_") == match["stem"].strip("_") for each in stating):
        return "own"
    found = [_PART_OF_VERSION.fullmatch(_words(each)) for each in api.constants]
    others = " ".join(each[0] for each in found if each and each["stem"] == match["stem"])
    file = re.split(r"[/\\:]", constant.span.file)[-1] if constant.span else ""
    is_beside = ("MAJOR" in others and "MINOR" in others) or "version" in file.lower()
    return "other" if is_beside and not re.match(_KEY, constant.text) else ""


def _words(name: str) -> str:
    """A name as macros are written: `FOO_VERSION_MAJOR` of `kFooVersionMajor`."""
    if "_" in name.strip("_") or name.isupper():
        return name.upper()
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"^k(?=[A-Z])", "", name)).upper()


def _is_of_version(name: str) -> bool:
    """Whether a name says that it is of a version."""
    return bool(re.search(_CALLED_VERSION, name, re.IGNORECASE) or re.search(_CAMEL_VERSION, name))


def ends_a_list(name: str, old: Meaning, new: Meaning, old_layouts: Layouts, new_layouts: Layouts) -> bool:
    """Whether a constant is the end of a list of others (`X_MAX`, `X_COUNT`), and grew because new ones came.

    Args:
        name: the constant's.
        old: its value in OLD.
        new: its value in NEW.
        old_layouts: OLD's.
        new_layouts: NEW's.

    Returns:
        True when one that OLD lacks, whose name begins alike, has the last value, or the one before it.
    """
    if not (old.kind == new.kind == NUMBER) or int(new.value) <= int(old.value):
        return False
    api, known = new_layouts.api, old_layouts
    pattern = next((each for each in api.conventions.sentinels if fnmatchcase(name, each)), "")
    stem = name[: len(name) - len(pattern.lstrip("*"))]
    if not pattern or not stem:
        return False
    added = {each for each in api.constants if each != name and each not in known.api.constants}
    for enum in api.enums.values():
        added |= {each.name for each in enum.enumerators or () if known.enumerator(each.name) is None}
    values = (value_of(each, new_layouts) for each in added if each.startswith(f"{stem}_"))
    return any(value in (int(new.value), int(new.value) - 1) for value in values)


def normal_form(body: str, parameters: Sequence[str] = ()) -> str:
    """The body of a macro without what its users cannot see: names of parameters, white space."""
    names = {name: f"\0{place}" for place, name in enumerate(parameters)}
    body = re.sub(_IDENTIFIER, lambda match: names.get(match[0], match[0]), body)
    return re.sub(r"\s*([^\w\s\0])\s*", r"\1", " ".join(body.split()))


_ENTRY = r"(?<![\w\s])(?<!\w\*)(?<!\w\*\*)(?P<before>(?P<table>[A-Za-z_]\w*)\)*)(?P<by>\[|\+)(?P<index>\w+)(?=[\]\)]|$)"
"""An element of a named array or pointer, in normal form; in a declaration, a type stands before the name."""
_INDEX = r"(0|[1-9]\d{0,9}|0[xX][0-9a-fA-F]{1,8})[uUlL]*"


class Entries(NamedTuple):
    """The entries of tables that a macro stands for: `FooAPI[3]`, `*(FooAPI + 3)`."""

    text: str
    """The macro's body in normal form, without the numbers of the entries."""
    places: tuple[tuple[str, int | None], ...]
    """Table and number of each; None where the number has no value."""

    def moved(self, now: Entries) -> list[tuple[str, int, int]] | None:
        """The tables whose entry is another one now, with both numbers; None where more than that differs."""
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
        """The type that the only entry is cast to, parentheses included, and the text without it; empty for none."""
        tables = {table for table, _ in self.places}
        at = min((each.start() for table in tables for each in re.finditer(rf"\b{table}\b", self.text)), default=0)
        head = self.text[:at].rstrip("*&(") if len(self.places) == 1 else ""
        opened = next((first for first, last in _partners(self.text).items() if last == len(head) - 1), None)
        return ("", "") if opened is None else (head[opened:], head[:opened] + self.text[len(head) :])


def taken_otherwise(old: Entries, new: Entries, old_layouts: Layouts, new_layouts: Layouts) -> tuple[str, str] | None:
    """The types that the same entry of a table is taken as on both sides, where they are not the same one."""
    (was, text), (now, new_text) = old.taken(), new.taken()
    is_same_entry = bool(was and now) and text == new_text and old.places == new.places
    return (
        (was[1:-1], now[1:-1]) if is_same_entry and _words_of(was, old_layouts) != _words_of(now, new_layouts) else None
    )


def _words_of(cast: str, layouts: Layouts) -> list[str]:
    """A type as words, by which equal ones are known: without names of parameters and qualifiers, typedefs followed."""
    text = re.sub(r"(?<=[\w*\]] |.\*)(?!(?:int|char|long|short|double|float|unsigned|signed)\b)\w+(?=[,)])", "", cast)
    text = re.sub(
        r"\b(?:const|volatile|restrict|struct|union|enum|(?<=unsigned )int|(?<=long )int|(?<=short )int)\b", "", text
    )
    found = re.findall(r"\w+|[^\w\s]", text)
    return [spell(layouts.api.resolve(NamedType(each))) if each in layouts.api.typedefs else each for each in found]


def entries_of(macro: Macro | Constant, layouts: Layouts) -> Entries:
    """The entries of tables that a macro stands for on a target; what its parameters name are no tables."""
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
