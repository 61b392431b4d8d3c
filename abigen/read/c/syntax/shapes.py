"""Shapes of declarations: each is parsed once, however often it occurs."""

from __future__ import annotations

from dataclasses import dataclass, field

from abigen.read.c.syntax.nodes import Node

_MOST_KNOWN = 20_000


@dataclass(frozen=True)
class Shape:
    """The syntax trees of a fragment: its declarations, or one expression or type name. Shared: never to be changed."""

    nodes: tuple[Node, ...]
    facts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """See `Flat.facts`."""


@dataclass(frozen=True)
class SyntaxFailure:
    """That a fragment is not C: the position of the word where that shows, and pycparser's words for it."""

    position: int
    message: str


Key = tuple[str, tuple[str, ...]]
"""The mode of a fragment and its words (`abigen.read.c.syntax.grammar.parse_shape`)."""


class Shapes:
    """The shapes that are known in this process."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: dict[Key, Shape | SyntaxFailure] = {}

    def find(self, key: Key) -> Shape | SyntaxFailure | None:
        """What is known of a shape."""
        return self._known.get(key)

    def add(self, key: Key, shape: Shape | SyntaxFailure) -> None:
        """Take note of a shape."""
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[key] = shape


SHAPES = Shapes()
"""Those of this process."""
