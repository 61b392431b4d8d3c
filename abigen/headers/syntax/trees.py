"""Syntax trees with places, and the chunks of tokens that become one external declaration each.

`KnownNames` states what names stand for, as far as declarations, types and expressions need it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec
from pycparser.c_ast import ArrayDecl, Enum, Enumerator, FuncDecl, IdentifierType, Node, PtrDecl, TypeDecl

from abigen.headers.unit import Token
from abigen.model.ctype import CType, Expression
from abigen.model.evaluate import fold
from abigen.model.span import Diagnostic, Span


class Attribute(msgspec.Struct, frozen=True):
    """An attribute of GNU C, Microsoft's or C23: its name without the decorating underscores, and its arguments.

    `vendor` is `gnu`, `declspec`, `standard`, or the prefix in `[[vendor::name]]`.
    """

    name: str
    arguments: tuple[Token, ...]
    span: Span
    vendor: str = "gnu"


class Segment(msgspec.Struct, gc=False):
    """The parts of a declarator, parameter or enumerator that pycparser's grammar has no place for."""

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
        """Return the misplaced tokens of a range."""
        first, last = bisect_left(self.misplaced, start), bisect_left(self.misplaced, end)
        return [self.tokens[index] for index in self.misplaced[first:last]]

    def after(self, index: int) -> int:
        """Return the index behind a token, or behind the partner of the bracket that it opens."""
        partner = self.partners[index]
        return partner + 1 if partner > index else index + 1

    def find(self, start: int, end: int, texts: Collection[str]) -> int:
        """Return the position of the first of some tokens outside of brackets; `end` when there is none."""
        index = start
        while index < end and self.tokens[index].text not in texts:
            index = self.after(index)
        return min(index, end)


class Flat(msgspec.Struct):
    """A declaration, type name or expression without attributes and initialisers: what pycparser parses.

    `words` are those that `abigen.headers.syntax.parser` knows; `origins` tells for each the index of the token in
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
    """The parts kept beside the tree, by the token of each word."""
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
        """Return the token that a word stands for; behind the last word the declaration's last token."""
        origins = self.origins
        return self.stream.tokens[origins[position] if position < len(origins) else max(self.start, self.end - 1)]

    def token_of(self, node: Node) -> Token:
        """Return the token that a tree begins with; the declaration's first where pycparser does not say."""
        return self.token(0 if node is None or node.coord is None else node.coord.line)

    def names_between_brackets(self, node: Node) -> str:
        """Return the tokens in the brackets around an expression, with the names of macros instead of their bodies.

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
        """Return the name of a declaration or parameter, or else its first specifier; and its segment."""
        origin = self.origins[_name_position(node)]
        body = self.bodies.get(origin) if node.name is None else None
        return self.stream.tokens[origin] if body is None else body.keyword, self.segments[origin]

    def body_of(self, node: Node) -> TagBody | None:
        """Return the definition in a struct, union or enum specifier; None when it only mentions the type."""
        return self.bodies.get(self.origins[node.coord.line])

    def tag_of(self, node: Node) -> Token:
        """Return the tag of a struct, union or enum specifier that has one."""
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
    """The enclosing construct."""
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
        """True if there are braces."""
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
    """Return the position of the name of a declaration, parameter or enumerator among its words."""
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
    """True if `()` is a prototype, and `true` and `false` are literals."""
    values: Mapping[str, int] = {}
    """Enumerators whose value is the same on all targets."""

    def may_be_type(self, name: str) -> bool:
        """True if a name is a typedef's, or may turn out to be."""
        return self.is_type(name)

    def is_type(self, name: str) -> bool:
        """True if a name is a typedef's."""
        return False

    def is_refused(self, name: str) -> bool:
        """True if a declaration that has been refused may declare a name."""
        return False

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Take note of a struct, union or enum, when it is mentioned or defined."""

    def declare_enumerator(self, token: Token) -> None:
        """Take note of an enumerator."""

    def ordinary(self, name: str) -> str:
        """Return the kind of another identifier: `enumerator`, `function`, `variable`; empty when it is unknown."""
        return ""

    def type_of_typedef(self, name: str) -> CType | None:
        """Return the type that a typedef stands for; None when it is not known."""
        return None

    def type_of_object(self, name: str) -> CType | None:
        """Return the type of a variable or function; None when it is not known."""
        return None

    def type_of_member(self, record: CType, name: str) -> CType | None:
        """Return the type of a struct's member; None when there is none."""
        return None

    def key_of_reference(self, kind: str, token: Token) -> str:
        """Return the key of the struct, union or enum with a tag."""
        return token.text

    def key_of_body(self, body: TagBody) -> str:
        """Return the key of what a body defines."""
        return body.name.text if body.name else ""

    def fold(self, expression: Expression) -> Expression | int:
        """Return the value of an expression when it is the same on all targets, else the expression."""
        value = fold(expression, self.values)
        return expression if value is None else value

    def suggest_value(self, name: str) -> str:
        """Return a hint for an identifier that is not declared; empty when there is none."""
        return ""

    def suggest_type(self, name: str) -> str:
        """Return a hint for a name that should be a type; empty when there is none."""
        return ""


_CLOSER = {"(": ")", "[": "]", "{": "}"}
_OPENER = {closer: opener for opener, closer in _CLOSER.items()}
_TAG_KEYWORDS = frozenset(("struct", "union", "enum", "class", "namespace"))
_NEVER_IN_VALUES = frozenset((";", "typedef", "extern"))
_MOST_LEVELS = 256  # as many as clang takes
CPP_STARTS = frozenset(
    ("namespace", "template", "using", "class", "friend", "public", "private", "protected", "concept")
)
"""Words that begin declarations in C++ and are nothing special in C."""


def balance(tokens: Sequence[Token]) -> tuple[Stream, list[Diagnostic]]:
    """Find the partner of each bracket.

    Args:
        tokens: a whole translation unit.

    Returns:
        The stream, without the parameters that are declared in advance; or an empty one and the first bracket that has
        no partner.
    """
    partners = [-1] * len(tokens)
    open_at: list[int] = []
    misplaced: list[int] = []
    for index, token in enumerate(tokens):
        text = token.text
        if text in _NEVER_IN_VALUES:
            if open_at and _encloses_values(tokens, open_at):
                misplaced.append(index)
        elif text in _CLOSER and token.kind == "punct":
            open_at.append(index)
            if len(open_at) > _MOST_LEVELS:
                return _unbalanced(token, f"brackets nested more than {_MOST_LEVELS} deep")
        elif text in _OPENER and token.kind == "punct":
            if not open_at or _CLOSER[tokens[open_at[-1]].text] != text:
                if _OPENER[text] not in (tokens[each].text for each in open_at):
                    return _unbalanced(token, f"'{text}' has no '{_OPENER[text]}' before it")
                return _never_closed(tokens[open_at[-1]], f" before '{text}'")
            start = open_at.pop()
            partners[start] = index
            partners[index] = start
    if open_at:
        return _never_closed(tokens[open_at[-1]])
    kept = _without_forward_parameters(tokens) if misplaced else tokens
    return (Stream(tokens, partners, misplaced), []) if len(kept) == len(tokens) else balance(kept)


def _encloses_values(tokens: Sequence[Token], open_at: Sequence[int]) -> bool:
    """True if the innermost bracket holds parameters or values, outside of statements in an expression."""
    start = open_at[-1]
    if tokens[start].text == "{" and tokens[start - 1].text != "=":
        return False
    return not any(tokens[each].text == "{" and tokens[each - 1].text == "(" for each in open_at)


def _never_closed(bracket: Token, where: str = "") -> tuple[Stream, list[Diagnostic]]:
    """Return the error about a bracket without a partner."""
    hint = f"add the missing '{_CLOSER[bracket.text]}'{where}"
    return _unbalanced(bracket, f"this '{bracket.text}' is never closed", hint)


def _unbalanced(token: Token, message: str, hint: str = "") -> tuple[Stream, list[Diagnostic]]:
    return Stream((), ()), [Diagnostic(token.span, message, hint)]


def _without_forward_parameters(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens without the parameters that GNU C lets one declare in advance: `int f(int n; int a[n], int n)`.

    They are such where their names stand behind the last semicolon of their parentheses again.
    """
    left_out: set[int] = set()
    open_at: list[tuple[int, int]] = []
    """Each parenthesis, and the last semicolon directly in it or -1."""
    for index, token in enumerate(tokens):
        if token.text in _CLOSER:
            open_at.append((index, -1))
        elif token.text == ";" and open_at:
            open_at[-1] = (open_at[-1][0], index)
        elif token.text in _OPENER and open_at:
            start, semicolon = open_at.pop()
            if token.text == ")" and semicolon > start and _are_declared_again(tokens, start, semicolon, index):
                left_out.update(range(start + 1, semicolon + 1))
    return [each for index, each in enumerate(tokens) if index not in left_out] if left_out else tokens


def _are_declared_again(tokens: Sequence[Token], start: int, semicolon: int, end: int) -> bool:
    """True if what is named between a parenthesis and a semicolon stands between that and the closing parenthesis."""
    names = {
        each.text
        for each, behind in pairwise(tokens[start : semicolon + 1])
        if each.kind == "id" and behind.text in (",", ";", "[")
    }
    return bool(names) and names <= {each.text for each in tokens[semicolon + 1 : end]}


def split(stream: Stream) -> tuple[list[Chunk], list[Diagnostic]]:
    """Split a balanced stream in top-level declarations.

    Returns:
        The chunks in order, and an error for what is no declaration of C at all (C++, a semicolon missing at the end).
    """
    tokens = stream.tokens
    chunks: list[Chunk] = []
    errors: list[Diagnostic] = []
    index, end = 0, len(tokens)
    while index < end:
        token = tokens[index]
        if token.text == ";":
            index += 1
        elif token.kind == "pragma":
            chunks.append(Chunk(stream, index, index + 1, "pragma"))
            index += 1
        elif token.text == "{" and token.kind == "punct":
            hint = 'if a macro before it should expand to extern "C", put the brace in the macro'
            errors.append(Diagnostic(token.span, "unexpected '{' outside of any declaration", hint))
            index += 1
        elif token.text == "}" and token.kind == "punct":
            index += 1
        elif (after := _linkage_block(stream, index)) > 0:
            errors.append(_bare_linkage(token))
            index = after
        elif token.text in CPP_STARTS and _is_cpp(stream, index):
            errors.append(
                Diagnostic(
                    token.span,
                    f"'{token.text}' is C++, a C compiler cannot read it",
                    "put it inside #ifdef __cplusplus",
                )
            )
            index = _skip_declaration(stream, index)
        else:
            chunk, index = _take(stream, index, errors)
            chunks.append(chunk)
    return chunks, errors


def _take(stream: Stream, start: int, errors: list[Diagnostic]) -> tuple[Chunk, int]:
    """Return the declaration that begins at a token, and the index behind it."""
    tokens, partners = stream.tokens, stream.partners
    kind = "assertion" if tokens[start].text in ("_Static_assert", "static_assert") else "declaration"
    index, end = start, len(tokens)
    initializing = False
    tag = -1
    while index < end:
        token = tokens[index]
        text = token.text
        if text == ";":
            body = _old_style_body(stream, start, index)
            if body:
                return Chunk(stream, start, _after_parameters(stream, start, index), "function"), body + 1
            return Chunk(stream, start, index, kind), index + 1
        if token.kind == "pragma":
            index += 1
            continue
        if text in _TAG_KEYWORDS and token.kind == "id":
            tag = index
        if text == "=":
            initializing = True
        if partners[index] > index:
            close = partners[index]
            if text == "{" and not initializing:
                if tag < 0 or not _opens_tag(stream, tag, index):
                    return Chunk(stream, start, index, "function"), close + 1
                tag = -1
            index = close + 1
            continue
        index += 1
    last = tokens[end - 1]
    errors.append(Diagnostic(last.span, f"expected ';' after '{last.text}' at the end of the file"))
    return Chunk(stream, start, end, kind), end


def _after_parameters(stream: Stream, start: int, end: int) -> int:
    """Behind the first parentheses that follow a name; `end` when there are none."""
    index = start + 1
    while index < end:
        if stream.tokens[index].text == "(" and stream.tokens[index - 1].kind == "id":
            return stream.after(index)
        index = stream.after(index)
    return end


def _old_style_body(stream: Stream, start: int, semicolon: int) -> int:
    """Return the closing brace of `int f(a) int a; { ... }` (C 6.9.1 paragraph 6); 0 for other definitions."""
    tokens, partners = stream.tokens, stream.partners
    after = _after_parameters(stream, start, semicolon)
    if after >= semicolon or tokens[after].kind != "id":
        return 0
    if any(each.kind != "id" and each.text != "," for each in tokens[partners[after - 1] + 1 : after - 1]):
        return 0
    index = semicolon
    while index < len(tokens):
        if tokens[index].text == "{":
            return partners[index] if tokens[index - 1].text == ";" else 0
        if tokens[index].text in ("}", "(") or (tokens[index].text == ";" and tokens[index - 1].text == ")"):
            return 0
        index += 1
    return 0


def _opens_tag(stream: Stream, tag: int, brace: int) -> bool:
    """True if a brace is the body of the struct, union or enum whose keyword stands at `tag`."""
    index = tag + 1
    names = 0
    while index < brace:
        token = stream.tokens[index]
        if token.text in ("__attribute__", "__attribute", "__declspec", "_Alignas", "alignas", "_declspec"):
            index = stream.after(index + 1) if index + 1 < brace else brace
            continue
        if token.text == "[":
            index = stream.after(index)
            continue
        if token.text == ":":
            return True
        if token.kind != "id":
            return False
        names += 1
        index += 1
    return names <= 2


def _linkage_block(stream: Stream, index: int) -> int:
    """Behind `extern "C"` and its brace when they stand at `index`, else 0."""
    tokens = stream.tokens
    if tokens[index].text == "extern" and index + 1 < len(tokens) and tokens[index + 1].kind == "string":
        return index + 3 if index + 2 < len(tokens) and tokens[index + 2].text == "{" else index + 2
    return 0


def _bare_linkage(token: Token) -> Diagnostic:
    """Return the error for extern "C" in text that a C compiler reads."""
    return Diagnostic(token.span, 'extern "C" is C++, a C compiler cannot read it', "put it inside #ifdef __cplusplus")


def _is_cpp(stream: Stream, index: int) -> bool:
    """True if the word at `index` is used as C++ would, and not as somebody's identifier."""
    following = stream.tokens[index + 1] if index + 1 < len(stream.tokens) else None
    return following is not None and (following.kind == "id" or following.text in ("<", ":", "{"))


def _skip_declaration(stream: Stream, index: int) -> int:
    """Behind the `;` or the `}` that ends whatever begins at `index`."""
    end = stream.find(index, len(stream.tokens), (";", "{"))
    return stream.after(end) if end < len(stream.tokens) else end
