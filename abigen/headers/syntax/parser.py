"""Parses declarations with pycparser, and explains text that is not C.

pycparser receives words, not text, through `CParser(lexer=...)`. The line number of each word is its position in the
declaration, so a tree's coordinate leads back to the token in the user's file. Names and numbers are blanked out, and
each member of a struct is parsed by itself. Equal words are parsed once, for all targets and for both sides of a
comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

import msgspec
from pycparser.c_ast import Enum, Node, TypeDecl
from pycparser.c_lexer import CLexer
from pycparser.c_lexer import Token as GrammarToken
from pycparser.c_parser import CParser, ParseError

from abigen.headers.syntax import specifiers as v
from abigen.headers.syntax.specifiers import (
    INTEGER,
    OTHER_TYPES,
    PLAIN_NAME,
    QUALIFIERS,
    SIMPLE_TYPES,
    STORAGE,
    TYPE_NAME,
    TYPEDEF,
    basic_type,
)
from abigen.headers.syntax.trees import Flat, KnownNames, TagBody
from abigen.headers.unit import Token
from abigen.model.span import Diagnostic, did_you_mean

UNKNOWN_TYPE = "unknown type name"
"""The beginning of an error about a type that is not declared."""
MISSING_INCLUDE = "include <"
"""A hint that says which standard header is missing begins so."""
_CPP_HINT = "put it inside #ifdef __cplusplus, or write it as C"
_ACCESS = frozenset(("public", "private", "protected"))
_CPP_MEMBERS = frozenset(("virtual", "friend", "explicit", "template", "using", "operator", "mutable"))
_TYPE_WORDS = frozenset((*v.SIMPLE_TYPES, *v.TAG_WORDS, v.TYPE_NAME, "typeof"))
_BEGINS = _TYPE_WORDS | v.STORAGE | v.FUNCTION_SPECIFIERS | v.QUALIFIERS
_ENDS_A_MEMBER = frozenset(("{", "}", ";"))
WHAT = {"declaration": "a declaration", "member": "a member", "expression": "an expression", "type": "a type"}
"""The names in messages of the constructs that a text was parsed as."""
BASIC_NAMES = ("int", "char", "double", "float", "unsigned", "void", "long")
"""Keywords that may be meant by an unknown name of a type."""


class SyntaxFailure(msgspec.Struct, frozen=True):
    """A syntax error: the position of the word where it shows, and pycparser's message."""

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
    """Return the names that a declaration may declare that is not C: all but those that stand where a type must."""
    words = enumerate(flat.words)
    unknown = {flat.token(position).text for position in _unknown_types("declaration", flat)}
    return {flat.token(position).text for position, word in words if word == v.PLAIN_NAME} - unknown


def suggest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for a name that is close to a known one, else nothing."""
    return did_you_mean(name, known, shown="'{}'".format, cutoff=0.7)


def _member_at(mode: str, flat: Flat, failure: SyntaxFailure) -> tuple[str, Flat, SyntaxFailure]:
    """Return the member or list of enumerators that makes a declaration fail, as text; else the declaration."""
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
    """Return members that only a class of C++ has."""
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
    """Return an explanation with the usual hint."""
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
    """Return the next word that is no qualifier."""
    while position < len(words) and words[position] in v.QUALIFIERS:
        position += 1
    return position


def _type_hint(flat: Flat, position: int, names: KnownNames) -> str:
    """Return the types that the user may have meant by an unknown type."""
    hint = names.suggest_type(flat.token(position).text)
    after = _significant(flat.words, position + 1)
    if not hint and after < len(flat.words) and flat.words[after] in _BEGINS:
        return "is it a macro that no header defines?"
    return hint


def _generic(mode: str, flat: Flat, failure: SyntaxFailure) -> Diagnostic:
    """Return the message for a failure of no known kind."""
    words, position = flat.words, failure.position
    if failure.message == "nested too deeply":
        return Diagnostic(flat.token(0).span, f"{WHAT[mode]} nested too deeply")
    before = flat.token(position - 1) if position else flat.stream.tokens[max(0, flat.start - 1)]
    if position >= len(words):
        what = WHAT[mode] if not words else "an operand" if mode == "expression" else "a name"
        return Diagnostic(before.span, f"expected {what} after '{before.text}'")
    token = flat.token(position)
    nameless = "a type here has no name" if mode == "type" and position else ""
    if not failure.message.startswith("before: "):
        hint = "is a ';' missing behind it?" if mode in ("declaration", "member") else nameless
        return Diagnostic(token.span, f"this cannot be read as {WHAT[mode]}", hint)
    behind = f" behind '{before.text}'" if position else ""
    return Diagnostic(token.span, f"unexpected '{token.text}'{behind}", nameless)


_GRAMMAR_WORDS = {
    TYPEDEF: "STATIC",  # `typedef int T;`: names of types are told apart before, so pycparser shall keep no list
    TYPE_NAME: "INT",  # `size_t n`: the name of a typedef
    INTEGER: "INT_CONST_DEC",  # any number
    "#": "PPHASH",  # what is no token of C, so that it is refused
} | dict.fromkeys(OTHER_TYPES, "INT")  # `_Float16 x`: types of compilers that pycparser does not know
"""Words that pycparser takes for something else than they are, or does not know: each with what it takes them for.

Besides, any other name (`PLAIN_NAME`), the initialiser of a compound literal, and a statement expression are handed
over as identifiers; the `*` of `[*count]` becomes a `+`. Attributes, initialisers, assembler names, and bodies of
functions are left out.
"""

_FRAMES = {
    "declaration": ("", ";"),
    "member": ("struct {", "; } ;"),
    "expression": ("_Static_assert ( (", ") ) ;"),
    "type": ("_Static_assert ( _Alignof (", ") ) ;"),
}
"""The text around a fragment that makes it a translation unit."""
_MARKS = frozenset(("{", "}", ";"))


class _WordLexer:
    """A lexer for pycparser that returns tokens which exist already."""

    def __init__(self, error_func: object, *, dialect: str = "legacy") -> None:
        self.filename = ""
        self.reached = 0
        self._next: Iterator[GrammarToken] = iter(())

    def input(self, tokens: Iterator[GrammarToken], filename: str = "") -> None:
        """Take the tokens to hand out."""
        self._next = iter(tokens)

    def token(self) -> GrammarToken | None:
        """Return the next token, None at the end."""
        token = next(self._next, None)
        if token is not None:
            self.reached = token.lineno
        return token


@cache
def _parser() -> CParser:
    return CParser(lexer=_WordLexer, dialect="c23")


@cache
def _terminal(word: str) -> str:
    """Return the kind of token that a word is to pycparser's grammar."""
    if word in _GRAMMAR_WORDS:
        return _GRAMMAR_WORDS[word]
    lexer = CLexer(error_func=lambda *_: None, dialect="c23")
    lexer.input(word)
    token = lexer.token()
    return "PPHASH" if token is None else str(token.type)


@lru_cache(maxsize=20_000)
def _parse(mode: str, words: tuple[str, ...]) -> tuple[Node, ...] | SyntaxFailure:
    """Parse words; the trees are shared, never to be changed."""
    before, after = (each.split() for each in _FRAMES[mode])
    tokens = [GrammarToken(_terminal(word), word, -1, 1, "") for word in before]
    tokens += [GrammarToken(_terminal(word), word, position, 1, "") for position, word in enumerate(_in_grammar(words))]
    tokens += [GrammarToken(_terminal(word), word, len(words), 1, "") for word in after]
    parser = _parser()
    try:
        declarations = parser.parse(tokens, "").ext
    except ParseError as error:
        place, _, message = str(error).partition(": ")
        line = place.split(":")[1:2]
        reached = int(line[0]) if line else parser.clex.reached
        return SyntaxFailure(max(0, min(reached, len(words))), message)
    except RecursionError:
        return SyntaxFailure(0, "nested too deeply")
    if mode == "declaration":
        return tuple(declarations)
    if mode == "member":
        return tuple(declarations[0].type.decls)
    condition = declarations[0].cond
    return (condition if mode == "expression" else condition.expr,)


def _in_grammar(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words for the grammar: after `[`, pycparser knows `*` as `[*]` only (C 6.7.6.2 paragraph 4)."""
    before = ""
    for index, word in enumerate(words):
        is_length = (before, word) == ("[", "*") and words[index + 1 : index + 2] != ("]",)
        yield "+" if is_length else word
        if word not in QUALIFIERS:
            before = word


def parse(mode: str, flat: Flat) -> Node | None:
    """Parse an expression or a type name, without a word about what is wrong; None when it is none."""
    found = _parse(mode, tuple(flat.words))
    return None if isinstance(found, SyntaxFailure) else found[0]


class Parser(msgspec.Struct, frozen=True):
    """Parses, and says what is wrong; what compilers take with a warning is taken."""

    names: KnownNames
    report: Callable[[Diagnostic], None]
    """The receiver of errors and warnings."""

    def parse(self, mode: str, flat: Flat, *, is_definition: bool = False) -> bool:
        """Parse a text; its trees are then its `nodes`, and those of the bodies in it are theirs.

        Args:
            mode: `declaration` (without its semicolon), `expression` or `type` (a type name).
            flat: the text. What is wrong is reported when it cannot be parsed.
            is_definition: it is the head of a function's definition.

        Returns:
            Whether it can be parsed.
        """
        failure = _parse_in_parts(mode, flat)
        if failure is not None and mode == "declaration":
            if not is_definition and self._is_only_a_type(flat):
                return True
            failure = None if self._has_implicit_int(flat) else failure
        if failure is not None:
            for each in explain(mode, flat, failure, self.names):
                self.report(each)
        return failure is None

    def _is_only_a_type(self, flat: Flat) -> bool:
        """True if a declaration is a type and nothing else; compilers warn of it unless it defines the type."""
        words = tuple(word for word in flat.words if word not in STORAGE)
        types = [word for word in words if word in SIMPLE_TYPES]
        if flat.bodies or (types and basic_type(types) is None):
            return False
        if not all(word in types or word in QUALIFIERS for word in words):
            found = _parse("type", words)
            if isinstance(found, SyntaxFailure) or not isinstance(found[0].type, TypeDecl):
                return False
        hint = "a name is missing before the ';'"
        self.report(Diagnostic(flat.token(0).span, "this declaration declares no name", hint, severity="warning"))
        return True

    def _has_implicit_int(self, flat: Flat) -> bool:
        """True if a declaration names no type, as C90 had it and compilers still take it; `int` is then added to it."""
        words = flat.words
        at = 0
        while at < len(words) and (words[at] in STORAGE or words[at] in QUALIFIERS):
            at += 1
        if at == len(words) or words[at] not in (PLAIN_NAME, "*", "("):
            return False
        token = flat.token(at)
        words.insert(at, "int")
        flat.origins.insert(at, flat.origins[at])
        if _parse_in_parts("declaration", flat) is not None:
            del words[at], flat.origins[at]
            return False
        message = f"the declaration of '{token.text}' names no type; old compilers assume int, later ones refuse it"
        self.report(Diagnostic(token.span, message, "write the type, or define the macro", severity="warning"))
        return True


def _parse_in_parts(mode: str, flat: Flat) -> SyntaxFailure | None:
    """Parse a text, and each member of the structs in it by itself; return why it cannot be parsed.

    The trees become the `nodes` of the text, whose words are from then on those outside of structs, and the `parts` of
    the bodies in it. The text stays as it is if it cannot be parsed.
    """
    outside, members = _parts(flat) if flat.bodies else (flat, [])
    found = _parse(mode, tuple(outside.words))
    failure = found if isinstance(found, SyntaxFailure) else None
    for _, member in members:
        trees = _parse("member", tuple(member.words))
        if isinstance(trees, SyntaxFailure):
            failure = failure or trees
        else:
            member.nodes = trees
    if failure is not None or isinstance(found, SyntaxFailure):
        whole = _parse(mode, tuple(flat.words)) if members else failure  # whose message has the place in all of it
        return whole if isinstance(whole, SyntaxFailure) else failure
    for body, member in members:
        body.parts.append(member)
    flat.words, flat.origins, flat.nodes = outside.words, outside.origins, found
    if any(body.kind == "enum" for body in flat.bodies.values()):
        for part in (flat, *(member for _, member in members)):
            _find_enums(part)
    return None


def _parts(flat: Flat) -> tuple[Flat, list[tuple[TagBody, Flat]]]:
    """Cut a declaration in what is outside of the bodies of its structs, and the members of each, innermost first."""
    words, origins = flat.words, flat.origins
    structs = {body.opening: body for body in flat.bodies.values() if body.kind != "enum" and body.is_complete}
    members: list[tuple[TagBody, Flat]] = []
    outside = part = flat.part(flat.start, flat.end)
    open_bodies: list[tuple[TagBody | None, Flat]] = []
    """The owner of each open brace, None for an enum; and the text around it."""
    taken = 0
    for at in [position for position, word in enumerate(words) if word in _MARKS]:
        word, body = words[at], open_bodies[-1][0] if open_bodies else None
        if word == "{":
            opened = structs.get(origins[at])
            open_bodies.append((opened, part))
            if opened is not None:
                part.take(words[taken : at + 1], origins[taken : at + 1])
                part, taken = flat.part(opened.opening + 1, opened.end), at + 1
        elif word == ";" and body is not None:
            part.take(words[taken:at], origins[taken:at])
            part.end = origins[at]
            members.append((body, part))
            part, taken = flat.part(origins[at] + 1, body.end), at + 1
        elif word == "}" and open_bodies:
            _, around = open_bodies.pop()
            part, taken = (part, taken) if body is None else (around, at)
    part.take(words[taken:], origins[taken:])
    return outside, members


def _find_enums(part: Flat) -> None:
    """Give each enum that a text defines the tree of its body."""
    pending = list(part.nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, Enum) and (body := part.body_of(node)) is not None:
            body.node, body.flat = node, part
        pending.extend(node)
