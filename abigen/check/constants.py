"""Values of object-like macros, so that two bodies are compared by meaning and not by spelling."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace
from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from abigen.model import evaluate
from abigen.model.api import Api
from abigen.model.ctype import Basic, NamedType, Pointer
from abigen.model.entities import Constant, Entity, Macro
from abigen.model.layout import Layouts, agreed_value
from abigen.model.span import AbigenError
from abigen.model.spelling import spell

_ARITHMETIC = re.compile(r"[\w\s.()*/+-]+")
_LONGEST_LITERAL = 400
"""The number of characters of an expression that are read; constants are shorter."""
_RANKS = {"float": 1, "double": 2, "long double": 2}


class _Number(msgspec.Struct, frozen=True):
    """A number of a C type; `rank` is 0 for integers, 1 for `float`, 2 for `double` and `long double`."""

    value: int | float
    rank: int


class _NoValueError(Exception):
    """The text is no such expression, or it has no value."""


def float_of(text: str) -> float | None:
    """Return the value of a floating constant expression; None where it is none, or has no value.

    Arithmetic in `float` is rounded to `float`; a `long double` counts as a `double`.

    Args:
        text: numbers, `+ - * /`, parentheses and casts to floating types; macros are expanded already.
    """
    if len(text) > _LONGEST_LITERAL or not _ARITHMETIC.fullmatch(text):
        return None
    try:
        (declaration,) = CParser().parse(f"double value = {text};").ext
        number = _number(declaration.init)
    except (ParseError, _NoValueError, ZeroDivisionError, OverflowError, RecursionError):
        return None
    return float(number.value) if number.rank else None


def _number(node: c_ast.Node) -> _Number:
    """Evaluate an expression (C 6.5.3 to 6.5.6).

    Raises:
        _NoValueError: it has other operands than numbers, or other operators than `+ - * /` and casts.
    """
    if isinstance(node, c_ast.Constant):
        return _constant(node.value)
    if isinstance(node, c_ast.UnaryOp) and node.op in ("+", "-"):
        number = _number(node.expr)
        return replace(number, value=-number.value) if node.op == "-" else number
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-", "*", "/"):
        return _combined(node.op, _number(node.left), _number(node.right))
    if isinstance(node, c_ast.Cast) and isinstance(node.to_type.type, c_ast.TypeDecl):
        rank = _RANKS.get(" ".join(getattr(node.to_type.type.type, "names", ())))
        if rank:
            return _rounded(_number(node.expr).value, rank)
    raise _NoValueError


def _constant(text: str) -> _Number:
    """Return the value of one constant (C 6.4.4.1, 6.4.4.2)."""
    is_hexadecimal = text[:2].lower() == "0x"
    if re.search("[pP]" if is_hexadecimal else "[.eE]", text):
        digits = text.rstrip("fFlL")
        value = float.fromhex(digits) if is_hexadecimal else float(digits)
        return _rounded(value, 1 if text[-1] in "fF" else 2)
    digits = text.rstrip("uUlL")
    try:
        return _Number(int(digits, 8 if digits.startswith("0") and digits.isdigit() else 0), 0)
    except ValueError:  # `09` is no number of C
        raise _NoValueError from None


def _combined(mark: str, left: _Number, right: _Number) -> _Number:
    """Return the sum, difference, product or quotient of two numbers, in the type that both have in common."""
    rank = max(left.rank, right.rank)
    if mark == "+":
        return _rounded(left.value + right.value, rank)
    if mark == "-":
        return _rounded(left.value - right.value, rank)
    if mark == "*":
        return _rounded(left.value * right.value, rank)
    if rank:
        return _rounded(left.value / right.value, rank)
    quotient = abs(int(left.value)) // abs(int(right.value))  # C truncates towards 0
    return _Number(quotient if (left.value < 0) == (right.value < 0) else -quotient, 0)


def _rounded(value: float, rank: int) -> _Number:
    """Return a number as its type holds it."""
    if rank == 1:
        return _Number(struct.unpack("f", struct.pack("f", value))[0], 1)
    return _Number(float(value) if rank else value, rank)


NUMBER, TEXT, ATTRIBUTE, CODE, EMPTY = "number", "text", "attribute", "code", "empty"

_STRING = r'(?:u8|([uUL]))?"((?:[^"\\]|\\.)*)"'
_NULL = r"NULL|nullptr|\(\s*(?:const\s+)?void\s*\*\s*\)\s*\(?\s*0\s*\)?"
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
PART_OF_NUMBER = r"_?(?:API_?)?(?:VERSION_?)?(?:MAJOR|MINOR|PATCH|REVISION|MICRO)?(?:_?VERSION)?$"
"""The suffixes of the names of version macros, behind their common stem."""
_WHOLE = r"_?(?:API_?|LIB_?)?VERSION(?:_?(?:STRING|STR|NUMBER|NUM|HEX|INT|CODE|FULL|TEXT))?"


class Meaning(msgspec.Struct, frozen=True):
    """The meaning of a macro's body: its kind and, for comparing, its value."""

    kind: str
    """`number`, `text` (string or floating number), `attribute` (of declarations), `code` (anything else), `empty`."""
    value: int | float | str
    """The value that bodies of the same meaning share."""

    @property
    def is_value(self) -> bool:
        """True if it is compiled into both sides as a value."""
        return self.kind in (NUMBER, TEXT)

    def __str__(self) -> str:
        """Return the value as findings show it."""
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
        value = agreed_value([layouts], constant.expression)
        if value is not None:  # else, as for the size of an incomplete type, its text is all there is
            return Meaning(NUMBER, value)
    return _by_text(constant.literal or constant.text, layouts, _DEPTH)


def type_of(constant: Constant, layouts: Layouts) -> str:
    """Return the C type of an object-like macro's value on a target; empty where that is not known.

    Args:
        constant: of `layouts.api`.
        layouts: they know the enumerators and sizes that an expression may name.

    Source: C 6.4.4.1 p5 and 6.4.4.2 p4 (types of constants).
    """
    if constant.expression is not None:
        try:
            return evaluate.type_of(constant.expression, layouts)
        except AbigenError:
            return ""
    bare = _unwrapped(constant.literal or constant.text).strip()
    if re.fullmatch(_NULL, bare):
        return "void *"
    address = re.fullmatch(_ADDRESS, bare)
    if address is not None:
        type = NamedType(address["type"].strip("() "))
        if "*" in type.name:
            return " ".join(type.name.replace("*", " *").split())
        pointer = layouts.api.resolve(type)
        return spell(pointer, api=layouts.api) if isinstance(pointer, Pointer) else ""
    number = re.fullmatch(r"[-+]?\s*(?:0[xX][\da-fA-F.]+[pP][-+]?\d+|[\d.]+(?:[eE][-+]?\d+)?)([fFlL]?)", bare)
    if number is None or float_of(bare) is None:
        return ""
    return {"f": "float", "l": "long double"}.get(number[1].lower(), "double")


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
    return sorted(
        re.sub(r"[\s_]", "", each[0]) for each in re.finditer(_EFFECT, _expanded(constant.text, layouts, _DEPTH))
    )


def is_guard(entity: Entity) -> bool:
    """True if a macro keeps a file from being read twice: it is empty, and called as such macros or as the file are."""
    if not isinstance(entity, Constant) or entity.text or entity.span is None:
        return False
    words = re.findall(r"[A-Z0-9]+", re.split(r"[\\/]", entity.span.file)[-1].upper())
    return bool(re.search(_GUARD, entity.name)) or "".join(words) in entity.name.upper().replace("_", "")


def identifiers(text: str) -> frozenset[str]:
    """Return the names in a macro's body."""
    return frozenset(re.findall(_IDENTIFIER, re.sub(_STRING, " ", text)))


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


def _by_text(text: str, layouts: Layouts, depth: int) -> Meaning:
    """Return the meaning of a body that is no integer constant expression; other macros in it are followed."""
    bare = _unwrapped(text)
    if bare and not re.sub(_STRING, "", bare).strip():
        parts = re.findall(_STRING, bare)
        wide = next((prefix for prefix, _ in parts if prefix), "")  # one makes all of them wide (C 6.4.5 paragraph 5)
        return Meaning(TEXT, f'{wide}"' + "".join(text for _, text in parts) + '"')
    if re.fullmatch(_NULL, bare):
        return Meaning(NUMBER, 0)
    number = float_of(_expanded(bare, layouts, depth))
    if number is not None:
        return Meaning(TEXT, number)
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
    """Return a body with the macros in it replaced by theirs."""
    constants = layouts.api.constants
    for _ in range(depth):
        if not any(name in constants for name in re.findall(_IDENTIFIER, text)):
            return text
        text = re.sub(_IDENTIFIER, lambda match: _body(match[0], constants), text)
        if len(text) > _LONGEST_TEXT:
            return text
    return text


_LONGEST_TEXT = 2_000
"""Macros that name each other can grow without bounds; no attribute is this long, in characters."""


def _body(name: str, constants: Mapping[str, Constant]) -> str:
    """Return the body of a name, if it is a macro that may be one of an attribute."""
    text = constants[name].text if name in constants else name
    return text if len(text) <= _LONGEST_TEXT else name


def _unwrapped(text: str) -> str:
    """Return a body without the parentheses around all of it."""
    partners = _partners(text)
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    while partners.get(begin) == end - 1:
        begin, end = begin + 1, end - 1
        inner = text[begin:end]
        begin, end = end - len(inner.lstrip()), begin + len(inner.rstrip())
    return text[begin:end]


def _partners(text: str) -> dict[int, int]:
    """Return the position of the closing parenthesis for each opening one."""
    partners: dict[int, int] = {}
    open_places: list[int] = []
    for match in re.finditer(r"[()]", text):
        if match[0] == "(":
            open_places.append(match.start())
        elif open_places:
            partners[open_places.pop()] = match.start()
    return partners


def _without_attributes(text: str) -> str:
    """Return a body without attributes and specifiers of declarations."""
    while match := re.search(_WITH_ARGUMENTS, text):
        end = _partners(text).get(match.end() - 1, len(text) - 1)
        text = text[: match.start()] + " " + text[end + 1 :]
    while (start := text.find("[[")) >= 0 and (end := text.find("]]", start)) > start:
        text = text[:start] + " " + text[end + 2 :]
    return re.sub(_SPECIFIERS, " ", text)


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
    body = re.sub(_IDENTIFIER, lambda match: names.get(match[0], match[0]), body)
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
        opened = next((first for first, last in _partners(self.text).items() if last == len(head) - 1), None)
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
