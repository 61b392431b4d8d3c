"""From pycparser's refusal to words that tell the user what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from abigen.model.span import Diagnostic, did_you_mean
from abigen.read.c.syntax import specifiers as v
from abigen.read.c.syntax.trees import Flat, KnownNames
from abigen.read.c.unit import Token

UNKNOWN_TYPE = "unknown type name"
"""What an error about a type that is not declared begins with."""
MISSING_INCLUDE = "include <"
"""A hint that says which standard header is missing begins so."""
_CPP_HINT = "put it inside #ifdef __cplusplus, or write it as C"
_ACCESS = frozenset(("public", "private", "protected"))
_CPP_MEMBERS = frozenset(("virtual", "friend", "explicit", "template", "using", "operator", "mutable"))
_TYPE_WORDS = frozenset((*v.SIMPLE_TYPES, *v.TAG_WORDS, v.TYPE_NAME, "typeof"))
_BEGINS = _TYPE_WORDS | v.STORAGE | v.FUNCTION_SPECIFIERS | v.QUALIFIERS
_ENDS_A_MEMBER = frozenset(("{", "}", ";"))
WHAT = {"declaration": "a declaration", "member": "a member", "expression": "an expression", "type": "a type"}
"""How messages call what was parsed as something."""
BASIC_NAMES = ("int", "char", "double", "float", "unsigned", "void", "long")
"""Keywords that may be meant by an unknown name of a type."""


class SyntaxFailure(msgspec.Struct, frozen=True):
    """That a text is not C: the position of the word where that shows, and pycparser's message."""

    position: int
    message: str


def explain(mode: str, flat: Flat, failure: SyntaxFailure, names: KnownNames) -> list[Diagnostic]:
    """Say what is wrong with a text that pycparser refuses.

    Args:
        mode: what it was parsed as.
        flat: the text.
        failure: where and why.
        names: who makes suggestions for names.

    Returns:
        The types in it that are not known, each at a token of the user's file, or else the first mistake; none when
        those types may be declared by declarations that have been refused themselves.
    """
    part_mode, part, place = _member_at(mode, flat, failure)
    found = _stray(part) or _cpp(part_mode, part) or (_member_of_cpp(part) if part_mode == "member" else None)
    unknown = list(_unknown_types(mode, flat)) if found is None else []
    if not unknown:
        return [found or _generic(part_mode, part, place)]
    return [
        Diagnostic(flat.token(each).span, f"{UNKNOWN_TYPE} '{flat.token(each).text}'", _type_hint(flat, each, names))
        for each in unknown
        if not names.is_refused(flat.token(each).text)
    ]


def may_declare(flat: Flat) -> set[str]:
    """The names that a declaration may declare that is not C: all but those that stand where a type must."""
    words = enumerate(flat.words)
    unknown = {flat.token(position).text for position in _unknown_types("declaration", flat)}
    return {flat.token(position).text for position, word in words if word == v.PLAIN_NAME} - unknown


def suggest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for a name that is close to a known one, else nothing."""
    return did_you_mean(name, known, shown="'{}'".format, cutoff=0.7)


def _member_at(mode: str, flat: Flat, failure: SyntaxFailure) -> tuple[str, Flat, SyntaxFailure]:
    """The member or list of enumerators in which a declaration fails, as the text that fails; else what there was."""
    words = flat.words
    start = end = min(failure.position, len(words))
    while start and words[start - 1] not in _ENDS_A_MEMBER:
        start -= 1
    if words[start : start + 1] == ["_Static_assert"]:
        mode = "expression"
    if not start or words[start - 1] == "}":
        return mode, flat, failure
    while end < len(words) and words[end] not in _ENDS_A_MEMBER:
        end += 1
    behind = flat.origins[end] if end < len(words) else flat.end
    first = flat.origins[start] if start < len(words) else flat.end
    member = Flat(flat.stream, first, behind, words[start:end], flat.origins[start:end], flat.bodies)
    enums = [body.opening for body in flat.bodies.values() if body.kind == "enum"]
    mode = "expression" if mode == "expression" or flat.origins[start - 1] in enums else "member"
    return mode, member, SyntaxFailure(failure.position - start, failure.message)


def _stray(flat: Flat) -> Diagnostic | None:
    """Characters that are no token of C, and a macro of <stddef.h> that is not defined."""
    for position, word in enumerate(flat.words):
        token = flat.token(position)
        if word == "#" and token.kind in ("other", "punct"):
            return Diagnostic(token.span, f"stray '{token.text}'")
        if word == v.PLAIN_NAME and token.text == "offsetof":
            return Diagnostic(token.span, "'offsetof' is not declared", "include <stddef.h>")
    return None


def _cpp(mode: str, flat: Flat) -> Diagnostic | None:
    """Constructs that only C++ has."""
    words = flat.words
    stack: list[str] = []
    for position, word in enumerate(words):
        token = flat.token(position)
        before = words[position - 1] if position else ""
        if word == "::":
            return _is_cpp(token, "'::' is C++, a C compiler cannot read it")
        if word == v.PLAIN_NAME and before == "enum" and token.text in ("class", "struct"):
            return _is_cpp(token, f"'enum {token.text}' is C++, a C compiler cannot read it")
        if word in v.TAG_WORDS and before == "enum":
            return _is_cpp(token, f"'enum {word}' is C++, a C compiler cannot read it")
        behind_tag = position > 1 and before == v.PLAIN_NAME and words[position - 2] in ("struct", "union")
        if word == ":" and behind_tag and words[position + 1 : position + 2] != [v.INTEGER]:
            return _is_cpp(token, "base classes are C++, a C compiler cannot read them")
        if word in ("&", "&&") and mode != "expression" and (before in _TYPE_WORDS or stack[-1:] == ["("]):
            what = "references are C++, a C compiler cannot read them"
            return Diagnostic(token.span, what, "use a pointer")
        if word in ("(", "["):
            stack.append(word)
        elif word in (")", "]") and stack:
            stack.pop()
    return None


def _member_of_cpp(flat: Flat) -> Diagnostic | None:
    """Members that only a class of C++ has."""
    words = flat.words
    first = flat.token(0)
    if first.text in _ACCESS or (first.text in _CPP_MEMBERS and words[1:2] not in ([], [":"])):
        return _is_cpp(first, f"'{first.text}' is C++, a C compiler cannot read it")
    if words[:1] == ["~"] or (words[:2] == [v.PLAIN_NAME, "("] and words[2:3] != ["*"]):
        return _is_cpp(
            first, f"constructors and destructors are C++; '{first.text}' does not begin a member of a C struct"
        )
    for position, word in enumerate(words[:-1]):
        if word == ")" and words[position + 1] in ("const", v.PLAIN_NAME) and "(" in words:
            opening = words.index("(")
            name = flat.token(opening - 1) if opening else first
            message = f"'{name.text}' is a member function, which is C++; a C struct holds pointers to functions"
            return _is_cpp(name, message)
    return None


def _is_cpp(token: Token, message: str) -> Diagnostic:
    """An explanation with the usual hint."""
    return Diagnostic(token.span, message, _CPP_HINT)


def _unknown_types(mode: str, flat: Flat) -> Iterator[int]:
    """Positions of names that stand where a type must, and are none."""
    words = flat.words
    enums = {body.opening for body in flat.bodies.values() if body.kind == "enum"}
    stack: list[str] = []
    """The brackets that are open; `[` for those around values."""
    starts = mode != "expression"
    for position, word in enumerate(words):
        if starts and word == v.PLAIN_NAME:
            after = _significant(words, position + 1)
            following = words[after] if after < len(words) else ""
            if (
                following in (v.PLAIN_NAME, "*")
                or following in _BEGINS
                or (following == "(" and words[after + 1 : after + 2] == ["*"])
                or (mode == "type" and (position == 0 or not following))
            ):
                yield position
        if word in ("(", "[", "{"):
            has_values = flat.origins[position] in enums or words[position - 1] == "_Static_assert"
            stack.append("[" if has_values else word)
        elif word in (")", "]", "}") and stack:
            stack.pop()
        if word in ("(", "{", ",", ";"):
            starts = mode != "expression" and "[" not in stack and (word != "," or stack[-1:] == ["("])
        elif word not in v.QUALIFIERS and word not in v.STORAGE:
            starts = False


def _significant(words: list[str], position: int) -> int:
    """The next word that is no qualifier."""
    while position < len(words) and words[position] in v.QUALIFIERS:
        position += 1
    return position


def _type_hint(flat: Flat, position: int, names: KnownNames) -> str:
    """What the user may have meant by an unknown type."""
    hint = names.suggest_type(flat.token(position).text)
    after = _significant(flat.words, position + 1)
    if not hint and after < len(flat.words) and flat.words[after] in _BEGINS:
        return "is it a macro that no header defines?"
    return hint


def _generic(mode: str, flat: Flat, failure: SyntaxFailure) -> Diagnostic:
    """What can be said about a failure of no known kind."""
    words, position = flat.words, failure.position
    if failure.message == "nested too deeply":
        return Diagnostic(flat.token(0).span, f"{WHAT[mode]} nested too deeply")
    before = flat.token(position - 1) if position else flat.stream.tokens[max(0, flat.start - 1)]
    if position >= len(words):
        what = WHAT[mode] if not words else "an operand" if mode == "expression" else "a name"
        return Diagnostic(before.span, f"expected {what} after '{before.text}'")
    token = flat.token(position)
    nameless = "a type stands here without the name that it is the type of" if mode == "type" and position else ""
    if not failure.message.startswith("before: "):
        hint = "is a ';' missing behind it?" if mode in ("declaration", "member") else nameless
        return Diagnostic(token.span, f"this cannot be read as {WHAT[mode]}", hint)
    behind = f" behind '{before.text}'" if position else ""
    return Diagnostic(token.span, f"unexpected '{token.text}'{behind}", nameless)
