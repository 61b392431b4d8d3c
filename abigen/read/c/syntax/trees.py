"""What stands between tokens and types: declarations that have been taken apart but not yet understood.

`KnownNames` says what names stand for, as far as understanding declarations, types and expressions needs it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from pycparser.c_ast import ArrayDecl, Enum, Enumerator, FuncDecl, IdentifierType, Node, PtrDecl, TypeDecl

from abigen.model.ctype import CType, Expression
from abigen.model.evaluate import fold
from abigen.model.span import Span
from abigen.read.c.unit import Token


class Attribute(msgspec.Struct, frozen=True):
    """An attribute of GNU C, Microsoft's or C23: its name without the decorating underscores, and its arguments.

    `vendor` is `gnu`, `declspec`, `standard`, or the prefix in `[[vendor::name]]`.
    """

    name: str
    arguments: tuple[Token, ...]
    span: Span
    vendor: str = "gnu"


class Segment(msgspec.Struct, gc=False):
    """What pycparser's grammar has no place for, per declarator, parameter or enumerator."""

    start: int = -1
    """Index of the token that its declaration begins with."""
    attributes: tuple[Attribute, ...] = ()
    specifiers: tuple[Attribute, ...] = ()
    """Attributes among the specifiers, which all declarators of a declaration share."""
    symbol: str = ""
    initializer: tuple[int, int] | None = None
    """Range of the stream's tokens behind `=`."""


class Stream:
    """Tokens whose brackets are balanced, with the index of the partner of every bracket (-1: not a bracket).

    `misplaced` are the indices of tokens that may not stand in their brackets, unless these are in a function's body.
    """

    def __init__(self, tokens: Sequence[Token], partners: Sequence[int], misplaced: Sequence[int] = ()) -> None:
        """Put tokens and partners together; they are of one length."""
        self.tokens = tokens
        self.partners = partners
        self.misplaced = misplaced

    def misplaced_in(self, start: int, end: int) -> Sequence[Token]:
        """The misplaced tokens of a range."""
        first, last = bisect_left(self.misplaced, start), bisect_left(self.misplaced, end)
        return [self.tokens[index] for index in self.misplaced[first:last]]

    def after(self, index: int) -> int:
        """The index behind a token, or behind the partner of the bracket that it opens."""
        partner = self.partners[index]
        return partner + 1 if partner > index else index + 1

    def find(self, start: int, end: int, texts: Collection[str]) -> int:
        """Where the first of some tokens stands, brackets and what they enclose left out; `end` when there is none."""
        index = start
        while index < end and self.tokens[index].text not in texts:
            index = self.after(index)
        return min(index, end)


class Flat(msgspec.Struct):
    """A declaration, type name or expression without attributes and initialisers: what pycparser parses.

    `words` are those that `abigen.read.c.syntax.parser` knows; `origins` tells for each the index of the token in
    `stream` that it stands for. All else is found by these indices, so that words may be added and taken away.
    """

    stream: Stream
    start: int
    end: int
    words: list[str] = msgspec.field(default_factory=list)
    origins: list[int] = msgspec.field(default_factory=list)
    bodies: dict[int, TagBody] = msgspec.field(default_factory=dict)
    """Struct, union and enum specifiers that define something, by the token that pycparser places them at."""
    of_pointers: dict[int, list[Attribute]] = msgspec.field(default_factory=dict)
    """Attributes behind a `*`, by its token."""
    blocks: set[int] = msgspec.field(default_factory=set)
    """The tokens of each `^` that declares a block; its word is a `*`, which the grammar places alike."""
    segments: dict[int, Segment] = msgspec.field(default_factory=dict)
    """What is kept beside, by the token of each word."""
    nodes: tuple[Node, ...] = ()
    """The trees that pycparser makes of it; none when it cannot be parsed."""

    def part(self, start: int, end: int) -> Flat:
        """Return a text of no words yet between these tokens, with all that is kept beside the words of this one."""
        beside = self.bodies, self.of_pointers, self.blocks, self.segments
        return Flat(self.stream, start, end, [], [], *beside)

    def take(self, words: Sequence[str], origins: Sequence[int]) -> None:
        """Append words with their origins."""
        self.words += words
        self.origins += origins

    def token(self, position: int) -> Token:
        """The token that a word stands for; behind the last word the declaration's last token."""
        origins = self.origins
        return self.stream.tokens[origins[position] if position < len(origins) else max(self.start, self.end - 1)]

    def token_of(self, node: Node) -> Token:
        """The token that a tree begins with; the declaration's first where pycparser does not say."""
        return self.token(0 if node is None or node.coord is None else node.coord.line)

    def names_between_brackets(self, node: Node) -> str:
        """What stands in the brackets around an expression, with the names of macros instead of their bodies.

        Empty where no name stands there, or a macro with arguments.
        """
        tokens, first = self.stream.tokens, self.origins[node.coord.line]
        at = first
        while at > self.start and (tokens[at].text != "[" or self.stream.partners[at] < first):
            at -= 1
        inside = tokens[at + 1 : self.stream.partners[at]]
        has_names = any(each.kind == "id" or each.macro for each in inside)
        if not has_names or any(each.macro and not each.width for each in inside):
            return ""
        words = {(each.line, each.column): each.macro or each.text for each in inside}
        return " ".join(words.values()).replace("( ", "(").replace(" )", ")")

    def name_of(self, node: Node) -> tuple[Token, Segment]:
        """The name of a declaration or parameter, its first specifier when it has none; and what is kept beside it."""
        origin = self.origins[_name_position(node)]
        body = self.bodies.get(origin) if node.name is None else None
        return self.stream.tokens[origin] if body is None else body.keyword, self.segments[origin]

    def body_of(self, node: Node) -> TagBody | None:
        """What a struct, union or enum specifier defines; None when it only mentions it."""
        return self.bodies.get(self.origins[node.coord.line])

    def tag_of(self, node: Node) -> Token:
        """The tag of a struct, union or enum specifier that has one."""
        return self.token(node.coord.line + isinstance(node, Enum))


class TagBody(msgspec.Struct):
    """A struct, union or enum specifier with a body, or `enum E : int` without one."""

    kind: str
    name: Token | None
    keyword: Token
    attributes: Sequence[Attribute]
    flat: Flat
    start: int
    """Index of the keyword in the stream."""
    opening: int
    """Indices of the braces; both that of the last token where there are none."""
    end: int
    parent: TagBody | None
    """What it stands in."""
    pack: int | None = None
    bitfield_rule: str = ""
    refused: tuple[TagBody, ...] = ()
    """Further definitions of the same, which are errors."""
    node: Node = None
    """The tree of an enum; None when it cannot be parsed."""
    parts: list[Flat] = msgspec.field(default_factory=list)
    """The members of a struct, each as the text that declares it, which may declare several; none of an enum."""

    @property
    def stream(self) -> Stream:
        """The tokens."""
        return self.flat.stream

    @property
    def is_complete(self) -> bool:
        """Whether there are braces."""
        return self.opening < self.end

    @property
    def members(self) -> Iterator[tuple[Flat, Node]]:
        """The members of a struct, or the enumerators, with the text that each is in; none when it cannot be parsed."""
        if self.kind == "enum" and self.node is not None and self.is_complete:
            yield from ((self.flat, each) for each in self.node.values.enumerators)
        yield from ((part, node) for part in self.parts for node in part.nodes)


class Chunk(msgspec.Struct):
    """A top-level declaration: its tokens from `start` up to `end` (the semicolon or closing brace excluded).

    `kind` is `declaration`, `function` (a definition; its body is dropped), `assertion`, or `pragma`.
    """

    stream: Stream
    start: int
    end: int
    kind: str


def _name_position(node: Node) -> int:
    """Where the name of a declaration, parameter or enumerator stands among its words."""
    if isinstance(node, Enumerator):
        return int(node.coord.line)
    inner = node.type
    is_plain = True
    while isinstance(inner, (PtrDecl, ArrayDecl, FuncDecl)):
        is_plain = is_plain and isinstance(inner, PtrDecl)
        inner = inner.type
    base = inner.type if isinstance(inner, TypeDecl) else inner
    if base is not inner and inner.declname is not None:
        place = inner.coord or node.coord
    else:
        is_plain = is_plain and isinstance(base, IdentifierType)
        place = (is_plain and base.coord) or node.coord or inner.coord or base.coord
    return int(place.line) if place else 0


class KnownNames:
    """The names that a text may use. None is known here; headers and specs fill in what they know."""

    is_c23 = False
    """Whether `()` is a prototype, and `true` and `false` are literals."""
    values: Mapping[str, int] = {}
    """Enumerators whose value is the same on all targets."""

    def may_be_type(self, name: str) -> bool:
        """Whether a name is a typedef's, or may turn out to be."""
        return self.is_type(name)

    def is_type(self, name: str) -> bool:
        """Whether a name is a typedef's."""
        return False

    def is_refused(self, name: str) -> bool:
        """Whether a declaration that has been refused may declare a name."""
        return False

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined."""

    def declare_enumerator(self, token: Token) -> None:
        """Take note of an enumerator."""

    def ordinary(self, name: str) -> str:
        """What another identifier stands for: `enumerator`, `function`, `variable`; empty when it is unknown."""
        return ""

    def type_of_typedef(self, name: str) -> CType | None:
        """The type that a typedef stands for; None when it is not known."""
        return None

    def type_of_object(self, name: str) -> CType | None:
        """The type of a variable or function; None when it is not known."""
        return None

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """The type of a struct's member; None when there is none."""
        return None

    def key_of_reference(self, kind: str, token: Token) -> str:
        """The key of the struct, union or enum with a tag."""
        return token.text

    def key_of_body(self, body: TagBody) -> str:
        """The key of what a body defines."""
        return body.name.text if body.name else ""

    def fold(self, expression: Expression) -> Expression | int:
        """The value of an expression when it is the same on all targets, else the expression."""
        value = fold(expression, self.values)
        return expression if value is None else value

    def suggest_value(self, name: str) -> str:
        """A hint for an identifier that is not declared; empty when there is none."""
        return ""

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type; empty when there is none."""
        return ""
