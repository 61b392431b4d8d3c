"""The bridge to pycparser: flattened declarations in, its syntax trees out, and what to do when it refuses.

pycparser is handed words, not text, through `CParser(lexer=...)`. The line number of each word is its position in the
declaration, so a tree's coordinate leads back to the token in the user's file. Names and numbers are blanked out, and
what consists of the same words is parsed once: for all targets, and for both sides of a comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import msgspec
from pycparser.c_ast import Enum, Node, Struct, TypeDecl, Union
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
    TAG_BODY,
    TYPE_NAME,
    TYPEDEF,
    basic_type,
)
from abigen.read.c.syntax.trees import Flat, KnownNames, TagBody

_GRAMMAR_WORDS = {
    TYPEDEF: "STATIC",  # `typedef int T;`: names of types are told apart before, so pycparser shall keep no list
    TYPE_NAME: "INT",  # `size_t n`: the name of a typedef
    TAG_BODY: "INT",  # `struct S { ... } s;` where something is wrong: a specifier whose members are parsed one by one
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
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_MOST_RECOVERIES = 20
"""How many semicolons may be missing in one declaration before the rest of it is given up."""


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


_Words = list[tuple[str, int]]
"""Words, each with the index of the token that it stands for."""


class Parser(msgspec.Struct, frozen=True):
    """Parses with recovery: what compilers take with a warning is taken, and one mistake does not hide the next."""

    names: KnownNames
    report: Callable[[Diagnostic], None]
    """Where errors and warnings go."""

    def parse(self, mode: str, flat: Flat, *, is_definition: bool = False) -> None:
        """Parse a text; its trees are then its `nodes`, and those of the bodies in it are theirs.

        Args:
            mode: `declaration` (without its semicolon), `member` (of a struct), `expression` or `type` (a type name).
            flat: the text. What cannot be parsed is reported, and taken out of it.
            is_definition: it is the head of a function's definition.
        """
        found = _parse(mode, tuple(flat.words))
        if isinstance(found, SyntaxFailure):
            kept = self._repaired(mode, flat, 0, len(flat.words), is_definition=is_definition)
            flat.words, flat.origins = [word for word, _ in kept], [origin for _, origin in kept]
            found = _parse(mode, tuple(flat.words)) if kept else ()
        flat.nodes = () if isinstance(found, SyntaxFailure) else found
        pending: list[Node] = list(flat.nodes)
        missing = len(flat.bodies)
        while pending and missing:
            node = pending.pop()
            if isinstance(node, (Struct, Union, Enum)) and (body := flat.body_of(node)) is not None:
                missing -= body.node is None
                body.node = node
            pending.extend(node)

    def _repaired(self, mode: str, flat: Flat, first: int, last: int, *, is_definition: bool = False) -> _Words:
        """Report what is wrong with some words of a text; what is left of them can be parsed.

        The bodies in them are looked at apart, each member on its own, so that every mistake is found.
        """
        ends = mode in ("declaration", "member")
        if ends and flat.words[first : first + 1] == ["_Static_assert"]:
            condition = _items(flat.words, first + 2, last - 1, ",")[:1] or [(min(first + 2, last),) * 2]
            words = list(zip(flat.words[first:last], flat.origins[first:last], strict=True))
            is_right = self._repaired("expression", flat, *condition[0])
            return [*words, (";", words[-1][1])] if is_right else []
        starts = {body.start: body for body in flat.bodies.values()}
        start = flat.origins[first] if first < last else flat.origins[first - 1] + 1 if first else flat.start
        whole = Flat(flat.stream, start, flat.origins[last] if last < len(flat.words) else flat.end)
        whole.bodies = flat.bodies
        inner: dict[int, _Words] = {}
        position = first
        while position < last:
            origin = flat.origins[position]
            body = starts.get(origin)
            whole.words.append(flat.words[position] if body is None else TAG_BODY)
            whole.origins.append(origin)
            behind = position + 1
            if body is not None:
                behind = flat.origins.index(body.end, position) + 1
                inner[origin] = self._repaired_body(flat, body, position, behind)
            position = behind
        kept: _Words = []
        for part in self._recover(mode, whole, is_definition=is_definition):
            is_good = bool(part.nodes) and self._ends_its_bodies(part)
            for word, origin in zip(part.words, part.origins, strict=True):
                if word == TAG_BODY and (is_good or ends):
                    kept += inner[origin] if is_good else [*inner[origin], (";", origin)]
                elif is_good:
                    kept.append((word, origin))
            if is_good and ends:
                kept.append((";", part.origins[-1]))
        return kept

    def _repaired_body(self, flat: Flat, body: TagBody, first: int, last: int) -> _Words:
        """What `_repaired` does, for a struct, union or enum specifier."""
        words = list(zip(flat.words, flat.origins, strict=True))
        begin = flat.origins.index(body.opening, first) if body.is_complete else last
        colon = next((each for each in range(first, begin) if flat.words[each] == ":"), begin)
        kept = words[first:colon]
        if colon < begin and (underlying := self._repaired("type", flat, colon + 1, begin)):
            kept += [words[colon], *underlying]
        if not body.is_complete:
            return kept
        kept.append(words[begin])
        is_enum = body.kind == "enum"
        for start, end in _items(flat.words, begin + 1, last - 1, "," if is_enum else ";"):
            if is_enum:
                value = self._repaired("expression", flat, start + 2, end) if end > start + 1 else []
                kept += [words[start], *([words[start + 1], *value] if value else []), (",", words[end][1])]
            else:
                kept += self._repaired("member", flat, start, end)
        return [*kept, words[last - 1]]

    def _recover(self, mode: str, flat: Flat, *, is_definition: bool) -> list[Flat]:
        """Parse a text whose bodies are left out; several declarations when semicolons are missing in it.

        What cannot be parsed has no trees.
        """
        parts: list[Flat] = []
        while True:
            found = _parse(mode, tuple(flat.words))
            if isinstance(found, SyntaxFailure) and mode == "declaration":
                if not is_definition and self._is_only_a_type(flat):
                    return [*parts, flat]
                found = self._with_implicit_int(flat) or found
            rest = None
            if isinstance(found, SyntaxFailure):
                explanation = explain(mode, flat, found, self.names)
                for each in explanation.errors:
                    self.report(each)
                if explanation.resume is not None and len(parts) < _MOST_RECOVERIES:
                    rest = _part(flat, explanation.resume, len(flat.words))
                    flat = _part(flat, 0, explanation.resume)
                    found = _parse(mode, tuple(flat.words))
            flat.nodes = () if isinstance(found, SyntaxFailure) else found
            parts.append(flat)
            if rest is None:
                return parts
            flat = rest

    def _is_only_a_type(self, flat: Flat) -> bool:
        """Whether a declaration is a type and nothing else; compilers warn of it unless it defines the type."""
        words = tuple(word for word in flat.words if word not in STORAGE)
        types = [word for word in words if word in SIMPLE_TYPES or word == TAG_BODY]
        if not flat.words or (types and types != [TAG_BODY] and basic_type(types) is None):
            return False
        if not all(word in types or word in QUALIFIERS for word in words):
            found = _parse("type", words)
            if isinstance(found, SyntaxFailure) or not isinstance(found[0].type, TypeDecl):
                return False
        elif TAG_BODY in types:
            return True
        hint = "a name is missing before the ';'"
        self.report(Diagnostic(flat.token(0).span, "this declaration declares nothing", hint, severity="warning"))
        return True

    def _ends_its_bodies(self, flat: Flat) -> bool:
        """Whether no other type stands beside a specifier with a body: then a semicolon is missing behind that."""
        words = flat.words
        for position in (position for position, word in enumerate(words) if word == TAG_BODY):
            if any(word in SIMPLE_TYPES or word == TYPE_NAME for word in words[position + 1 : position + 2]):
                body = next(each for each in flat.bodies.values() if each.start == flat.origins[position])
                place = flat.stream.tokens[body.end].span
                hint = f"the {body.kind} ends with '}};'"
                self.report(Diagnostic(place, "expected ';' after this '}'", hint))
                return False
        return True

    def _with_implicit_int(self, flat: Flat) -> tuple[Node, ...] | None:
        """The trees of a declaration that names no type, as C90 had it and compilers still take it; else None."""
        words = flat.words
        at = 0
        while at < len(words) and (words[at] in STORAGE or words[at] in QUALIFIERS):
            at += 1
        if at == len(words) or words[at] not in (PLAIN_NAME, "*", "("):
            return None
        found = _parse("declaration", (*words[:at], "int", *words[at:]))
        if isinstance(found, SyntaxFailure):
            return None
        token = flat.token(at)
        words.insert(at, "int")
        flat.origins.insert(at, flat.origins[at])
        message = f"the declaration of '{token.text}' names no type; compilers take it as int, later ones refuse it"
        self.report(Diagnostic(token.span, message, "write the type, or define the macro", severity="warning"))
        return found


def _part(flat: Flat, first: int, last: int) -> Flat:
    """The declaration that some words of another make, when a semicolon is missing behind them."""
    behind = flat.origins[last] if last < len(flat.origins) else flat.end
    words, origins = flat.words[first:last], flat.origins[first:last]
    return Flat(flat.stream, flat.origins[first], behind, words, origins, flat.bodies)


def _items(words: list[str], first: int, last: int, separator: str) -> list[tuple[int, int]]:
    """Where each item of a list begins and ends, brackets and what they enclose left out; none that is empty."""
    items = []
    depth, start = 0, first
    for position in range(first, last):
        depth += (words[position] in _OPENING) - (words[position] in _CLOSING)
        if depth == 0 and words[position] == separator:
            items.append((start, position))
            start = position + 1
    return [(start, end) for start, end in [*items, (start, last)] if start < end]
