"""The meanings of object-like macros: numbers, strings, attributes and code, so that spelling does not count."""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Mapping, Sequence
from math import isfinite

import msgspec
from msgspec.structs import replace
from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from abigen.model import evaluate
from abigen.model.ctype import NamedType, Pointer
from abigen.model.entities import Constant
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

STRING = r'(?:u8|([uUL]))?"((?:[^"\\]|\\.)*)"'
_PLAIN_STRING = r'"(?:[^"\\]|\\(?:[abfnrtv\\\'"]|x[0-9a-fA-F]{2}(?![0-9a-fA-F])|[0-7]{1,3}))*"'
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
IDENTIFIER = r"[A-Za-z_]\w*"
_DEPTH = 8


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


def bound_value(constant: Constant, layouts: Sequence[Layouts]) -> int | float | bytes | None:
    """Return the value that a constant has for code in another language: a number, or the bytes of a string.

    Args:
        constant: any.
        layouts: the targets, at least one.

    Returns:
        None for pointers, wide strings, attributes, types and code, and where the targets differ.
    """
    if constant.expression is not None:
        return agreed_value(layouts, constant.expression)
    meanings = {meaning_of(constant, each) for each in layouts}
    meaning = meanings.pop()
    if meanings or meaning.kind != TEXT:
        return None
    if isinstance(meaning.value, str):
        return _bytes_of(meaning.value)
    return meaning.value if isfinite(meaning.value) else None


def _bytes_of(literal: str) -> bytes | None:
    """Return the bytes of a string literal in UTF-8; None for a wide one, and for escapes that Python does not have."""
    if not re.fullmatch(_PLAIN_STRING, literal):
        return None
    text: str = ast.literal_eval(literal.encode().decode("latin-1"))
    return text.encode("latin-1")


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


def _by_text(text: str, layouts: Layouts, depth: int) -> Meaning:
    """Return the meaning of a body that is no integer constant expression; other macros in it are followed."""
    bare = _unwrapped(text)
    if bare and not re.sub(STRING, "", bare).strip():
        parts = re.findall(STRING, bare)
        wide = next((prefix for prefix, _ in parts if prefix), "")  # one makes all of them wide (C 6.4.5 paragraph 5)
        return Meaning(TEXT, f'{wide}"' + "".join(text for _, text in parts) + '"')
    if re.fullmatch(_NULL, bare):
        return Meaning(NUMBER, 0)
    number = float_of(expanded(bare, layouts, depth))
    if number is not None:
        return Meaning(TEXT, number)
    address = re.fullmatch(_ADDRESS, bare)
    type = NamedType(address["type"].strip("() ")) if address else None
    if address and type and ("*" in type.name or isinstance(layouts.api.resolve(type), Pointer)):
        value = int(address["value"], 0 if re.match("0[xX]|[1-9]", address["value"]) else 8)
        return Meaning(NUMBER, {"-": -value, "~": ~value}.get(address["sign"], value))
    if re.fullmatch(IDENTIFIER, bare) and bare in layouts.api.constants and depth:
        inner = layouts.api.constants[bare]
        return meaning_of(inner, layouts) if inner.expression is not None else _by_text(inner.text, layouts, depth - 1)
    if not _without_attributes(expanded(bare, layouts, depth)).strip():
        return Meaning(ATTRIBUTE if bare else EMPTY, bare)
    return Meaning(CODE, bare)


def expanded(text: str, layouts: Layouts, depth: int = _DEPTH) -> str:
    """Return a body with the macros in it replaced by theirs."""
    constants = layouts.api.constants
    for _ in range(depth):
        if not any(name in constants for name in re.findall(IDENTIFIER, text)):
            return text
        text = re.sub(IDENTIFIER, lambda match: _body(match[0], constants), text)
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
    partners = closing_parentheses(text)
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    while partners.get(begin) == end - 1:
        begin, end = begin + 1, end - 1
        inner = text[begin:end]
        begin, end = end - len(inner.lstrip()), begin + len(inner.rstrip())
    return text[begin:end]


def closing_parentheses(text: str) -> dict[int, int]:
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
        end = closing_parentheses(text).get(match.end() - 1, len(text) - 1)
        text = text[: match.start()] + " " + text[end + 1 :]
    while (start := text.find("[[")) >= 0 and (end := text.find("]]", start)) > start:
        text = text[:start] + " " + text[end + 2 :]
    return re.sub(_SPECIFIERS, " ", text)
