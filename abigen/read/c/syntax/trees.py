"""What stands between tokens and types: declarations that have been taken apart but not yet understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from abigen.model.span import Span
from abigen.read.c.syntax.vocabulary import ATTRIBUTE
from abigen.read.c.unit import Token


@dataclass(frozen=True)
class Attribute:
    """An attribute of GNU C, Microsoft's or C23: its name without the decorating underscores, and its arguments.

    `vendor` is `gnu`, `declspec`, `standard`, or the prefix in `[[vendor::name]]`.
    """

    name: str
    arguments: tuple[Token, ...]
    span: Span
    vendor: str = "gnu"


@dataclass(frozen=True)
class AttributeUse:
    """A run of attributes and where in the declaration it stands.

    `place` is `specifier`, `pointer` (behind a `*`), `function` (between `(` and `*`) or `trailing` (behind the
    declarator).
    """

    attributes: tuple[Attribute, ...]
    place: str


@dataclass
class Segment:
    """What pycparser's grammar has no place for, per declarator."""

    attributes: list[Attribute] = field(default_factory=list)
    symbol: str = ""
    initializer: tuple[int, int] | None = None
    """Range of the stream's tokens behind `=`."""


class Stream:
    """Tokens whose brackets are balanced, with the index of the partner of every bracket (-1: not a bracket)."""

    def __init__(self, tokens: Sequence[Token], partners: Sequence[int]) -> None:
        """Put tokens and partners together; they are of one length."""
        self.tokens = tokens
        self.partners = partners


@dataclass
class Flat:
    """A declaration, type name or expression without bodies, attributes and initialisers: what pycparser parses.

    `words` are terminals of the grammar (`vocabulary.TERMINALS`); `origins` tells for each the index of the token in
    `stream` that it stands for.
    """

    stream: Stream
    start: int
    end: int
    words: list[str] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    tags: dict[int, TagBody] = field(default_factory=dict)
    """Struct, union and enum specifiers with a body, by the position of their word."""
    uses: list[AttributeUse] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    nodes: tuple[Any, ...] | None = None
    """The trees that pycparser makes of it; None until it has been parsed, empty when it cannot be."""
    facts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """What is known about the trees, which all declarations of this shape share, by the identity of the tree."""

    @property
    def trees(self) -> tuple[Any, ...]:
        """The trees, none when there are none yet."""
        return self.nodes or ()

    def token(self, position: int) -> Token:
        """The token that a word stands for; behind the last word the declaration's last token."""
        origins = self.origins
        return self.stream.tokens[origins[position] if position < len(origins) else max(self.start, self.end - 1)]

    def part(self, first: int, last: int) -> Flat:
        """The declaration that the words from `first` up to `last` make, when a semicolon is missing behind them."""
        behind = self.origins[last] if last < len(self.origins) else self.end
        return Flat(
            self.stream,
            self.origins[first],
            behind,
            self.words[first:last],
            self.origins[first:last],
            {position - first: body for position, body in self.tags.items() if first <= position < last},
            self.uses,
            [Segment()],
        )


@dataclass
class TagBody:
    """A struct, union or enum specifier with a body."""

    kind: str
    name: Token | None
    keyword: Token
    attributes: list[Attribute]
    start: int
    """Index of the keyword in the stream, and of the closing brace."""
    end: int
    stream: Stream
    members: list[Member] = field(default_factory=list)
    enumerators: list[EnumeratorSyntax] = field(default_factory=list)
    underlying: Flat | None = None
    is_complete: bool = True
    """Whether there are braces; not so for `enum E : int;`."""
    pack: int | None = None
    bitfield_rule: str = ""
    refused: list[TagBody] = field(default_factory=list)
    """Further definitions of the same, which are errors."""


@dataclass
class Member:
    """A declaration in a struct's body, or a static assertion there.

    A member of a plain type shares its `flat` with all that differ from it in the name only; `name_at` is then the
    index of its own name in the stream, else 0. `start` is the index of its first token.
    """

    flat: Flat
    start: int
    is_assertion: bool = False
    name_at: int = 0


@dataclass
class EnumeratorSyntax:
    """`NAME attributes = expression`."""

    name: Token
    attributes: list[Attribute]
    value: Flat | None
    start: int
    end: int


@dataclass
class Chunk:
    """A top-level declaration: its tokens from `start` up to `end` (the semicolon or closing brace excluded).

    `kind` is `declaration`, `function` (a definition; its body is dropped), `assertion`, or `pragma`.
    """

    stream: Stream
    start: int
    end: int
    kind: str


def split_words(flat: Flat, words: Iterable[str]) -> tuple[list[str], list[AttributeUse]]:
    """Tell the qualifiers of a tree from the attributes that were disguised as such.

    Args:
        flat: the declaration that the tree is part of.
        words: its qualifiers as pycparser has them.
    """
    quals: list[str] = []
    uses: list[AttributeUse] = []
    for word in words:
        if word[0] == ATTRIBUTE:
            uses.append(flat.uses[int(word[1:])])
        else:
            quals.append(word)
    return quals, uses
