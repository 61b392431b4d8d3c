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
_TYPE_WORDS = frozenset((*v.SIMPLE_TYPES, *v.TAG_WORDS, v.TYPE_NAME, v.TAG_BODY, "typeof"))
_BESIDE_A_TYPE = v.STORAGE | v.FUNCTION_SPECIFIERS | v.QUALIFIERS
_BEGINS = _TYPE_WORDS | _BESIDE_A_TYPE
_ENDS = frozenset((v.PLAIN_NAME, ")", "]", v.INTEGER, v.TAG_BODY))
_AT_SPECIFIERS = ("Invalid declaration", "Invalid multiple types", "Invalid specifier", "Missing type")
"""Failures that pycparser places at the first word, however far behind it the mistake is."""
WHAT = {"declaration": "a declaration", "member": "a member", "expression": "an expression", "type": "a type"}
"""How messages call what was parsed as something."""
BASIC_NAMES = ("int", "char", "double", "float", "unsigned", "void", "long")
"""Keywords that may be meant by an unknown name of a type."""


class SyntaxFailure(msgspec.Struct, frozen=True):
    """That a text is not C: the position of the word where that shows, and pycparser's message."""

    position: int
    message: str


class SyntaxExplanation(msgspec.Struct, frozen=True):
    """What is wrong, and the position of the word where the next declaration begins, when the text goes on with one."""

    errors: tuple[Diagnostic, ...]
    resume: int | None = None


def explain(mode: str, flat: Flat, failure: SyntaxFailure, names: KnownNames) -> SyntaxExplanation:
    """Say what is wrong with a text that pycparser refuses.

    Args:
        mode: what it was parsed as.
        flat: the text.
        failure: where and why.
        names: who makes suggestions for names.

    Returns:
        At least one error, each at a token of the user's file.
    """
    found = _stray(flat) or _cpp(mode, flat) or (_member_of_cpp(flat) if mode == "member" else None)
    if found is not None:
        return found
    unknown = [
        Diagnostic(flat.token(each).span, f"{UNKNOWN_TYPE} '{flat.token(each).text}'", _type_hint(flat, each, names))
        for each in _unknown_types(mode, flat)
    ]
    if unknown:
        return SyntaxExplanation(tuple(unknown))
    if mode in ("declaration", "member") and (resume := _next_declaration(flat)) is not None:
        origin = flat.origins[resume - 1] if flat.words[resume - 1] == v.TAG_BODY else -1
        body = next((each for each in flat.bodies.values() if each.start == origin), None)
        before = flat.token(resume - 1) if body is None else body.stream.tokens[body.end]
        return SyntaxExplanation((Diagnostic(before.span, f"expected ';' after '{before.text}'"),), resume)
    return SyntaxExplanation((_generic(mode, flat, failure),))


def suggest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for a name that is close to a known one, else nothing."""
    return did_you_mean(name, known, shown="'{}'".format, cutoff=0.7)


def _stray(flat: Flat) -> SyntaxExplanation | None:
    """Characters that are no token of C."""
    for position, word in enumerate(flat.words):
        token = flat.token(position)
        if word == "#" and token.kind in ("other", "punct"):
            return SyntaxExplanation((Diagnostic(token.span, f"stray '{token.text}'"),))
        if word == v.PLAIN_NAME and token.text == "offsetof":
            return SyntaxExplanation((Diagnostic(token.span, "'offsetof' is not declared", "include <stddef.h>"),))
    return None


def _cpp(mode: str, flat: Flat) -> SyntaxExplanation | None:
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
            return SyntaxExplanation((Diagnostic(token.span, what, "use a pointer"),))
        if word in ("(", "["):
            stack.append(word)
        elif word in (")", "]") and stack:
            stack.pop()
    return None


def _member_of_cpp(flat: Flat) -> SyntaxExplanation | None:
    """Members that only a class of C++ has."""
    words = flat.words
    first = flat.token(0)
    if first.text in _ACCESS:
        resume = 2 if words[1:2] == [":"] and len(words) > 2 else None
        error = Diagnostic(first.span, f"'{first.text}' is C++, a C compiler cannot read it", _CPP_HINT)
        return SyntaxExplanation((error,), resume)
    if first.text in _CPP_MEMBERS and len(words) > 1 and words[1] not in (";", ":"):
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


def _is_cpp(token: Token, message: str) -> SyntaxExplanation:
    """An explanation with the usual hint."""
    return SyntaxExplanation((Diagnostic(token.span, message, _CPP_HINT),))


def _unknown_types(mode: str, flat: Flat) -> Iterator[int]:
    """Positions of names that stand where a type must, and are none."""
    words = flat.words
    stack: list[str] = []
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
        if word in ("(", "["):
            stack.append(word)
        elif word in (")", "]") and stack:
            stack.pop()
        if word in ("(", ","):
            starts = bool(stack) and "[" not in stack and mode != "expression"
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


def _next_declaration(flat: Flat) -> int | None:
    """Where another declaration begins although the one before has no semicolon."""
    words = flat.words
    level = 0
    typed = False
    for position, word in enumerate(words):
        if position and level == 0 and typed and words[position - 1] in _ENDS:
            is_tag_name = position > 1 and words[position - 2] in v.TAG_WORDS
            on_a_new_line = flat.token(position).line > flat.token(position - 1).line
            begins = word in _BEGINS and not (word in v.QUALIFIERS and words[position - 1] == ")" and not on_a_new_line)
            if (begins and not is_tag_name) or (word == v.PLAIN_NAME and on_a_new_line and not is_tag_name):
                return position
        level += (word in ("(", "[")) - (word in (")", "]"))
        typed = typed or word in _TYPE_WORDS
    return None


def _generic(mode: str, flat: Flat, failure: SyntaxFailure) -> Diagnostic:
    """What can be said about a failure of no known kind."""
    words = flat.words
    position = min(failure.position, len(words))
    if failure.message == "nested too deeply":
        return Diagnostic(flat.token(0).span, f"{WHAT[mode]} nested too deeply")
    if failure.message.startswith(_AT_SPECIFIERS):
        position = _behind_specifiers(mode, words)
    if failure.message.startswith((*_AT_SPECIFIERS, "Invalid declarator")):
        while position < len(words) and (words[position] == "*" or words[position] in v.QUALIFIERS):
            position += 1
    if position >= len(words):
        if not words:
            place = flat.stream.tokens[max(0, flat.start - 1)]
            return Diagnostic(place.span, f"expected {WHAT[mode]} after '{place.text}'")
        last = flat.token(len(words) - 1)
        what = "an operand" if mode == "expression" else "a type" if words[-1] in v.QUALIFIERS else "a name"
        if words[-1] in v.TAG_WORDS:
            what = f"a name or '{{' for the {words[-1]}"
        return Diagnostic(last.span, f"expected {what} after '{last.text}'")
    token = flat.token(position)
    before = "}" if position and words[position - 1] == v.TAG_BODY else flat.token(max(0, position - 1)).text
    behind = f" behind '{before}'" if position else ""
    hint = "it is a keyword" if words[position] == token.text and token.kind == "id" and position else ""
    if mode == "type" and position and not hint:
        hint = "a type stands here without the name that it is the type of"
    return Diagnostic(token.span, f"unexpected '{token.text}'{behind}", hint)


def _behind_specifiers(mode: str, words: list[str]) -> int:
    """The first word that cannot belong to the specifiers of a declaration: a second type, or no type at all."""
    position = 0
    typed = ""
    while position < len(words):
        word = words[position]
        if word in v.TAG_WORDS:
            if typed:
                return position
            typed = word
            position += 2
            continue
        if word in _TYPE_WORDS:
            if typed and not (typed in v.SIMPLE_TYPES and word in v.SIMPLE_TYPES and word != typed):
                return position
            typed = word
        elif word not in _BESIDE_A_TYPE or (mode == "member" and word in v.STORAGE):
            return position
        position += 1
    return position
