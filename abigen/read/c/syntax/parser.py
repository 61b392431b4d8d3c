"""The bridge to pycparser: flattened declarations in, its syntax trees out, and what to do when it refuses.

pycparser is handed words, not text, through `CParser(lexer=...)`. The line number of each word is its position in the
declaration, so a tree's coordinate leads back to the token in the user's file. Names and numbers are blanked out, and
what consists of the same words is parsed once: for all targets, and for both sides of a comparison. Each member of a
struct is such a text of its own, because members are alike much more often than structs are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import msgspec
from pycparser.c_ast import Enum, Node, TypeDecl
from pycparser.c_lexer import CLexer
from pycparser.c_lexer import Token as GrammarToken
from pycparser.c_parser import CParser, ParseError

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.explain import SyntaxFailure, explain
from abigen.read.c.syntax.specifiers import (
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
from abigen.read.c.syntax.trees import Flat, KnownNames, TagBody

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
"""What is put around a fragment to make it a translation unit."""
_MARKS = frozenset(("{", "}", ";"))


class _WordLexer:
    """What pycparser calls a lexer: hands out tokens that are made already."""

    def __init__(self, error_func: object, *, dialect: str = "legacy") -> None:
        self.filename = ""
        self.reached = 0
        self._next: Iterator[GrammarToken] = iter(())

    def input(self, tokens: Iterator[GrammarToken], filename: str = "") -> None:
        """Take the tokens to hand out."""
        self._next = iter(tokens)

    def token(self) -> GrammarToken | None:
        """The next token, None at the end."""
        token = next(self._next, None)
        if token is not None:
            self.reached = token.lineno
        return token


@cache
def _parser() -> CParser:
    return CParser(lexer=_WordLexer, dialect="c23")


@cache
def _terminal(word: str) -> str:
    """The kind of token that a word is to pycparser's grammar."""
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
    """The words as the grammar takes them: behind `[`, pycparser knows `*` as `[*]` only (C 6.7.6.2 paragraph 4)."""
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
    """Where errors and warnings go."""

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
        """Whether a declaration is a type and nothing else; compilers warn of it unless it defines the type."""
        words = tuple(word for word in flat.words if word not in STORAGE)
        types = [word for word in words if word in SIMPLE_TYPES]
        if flat.bodies or (types and basic_type(types) is None):
            return False
        if not all(word in types or word in QUALIFIERS for word in words):
            found = _parse("type", words)
            if isinstance(found, SyntaxFailure) or not isinstance(found[0].type, TypeDecl):
                return False
        hint = "a name is missing before the ';'"
        self.report(Diagnostic(flat.token(0).span, "this declaration declares nothing", hint, severity="warning"))
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
        message = f"the declaration of '{token.text}' names no type; compilers take it as int, later ones refuse it"
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
    """What each brace that is open belongs to, None for an enum; and the text around it."""
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
