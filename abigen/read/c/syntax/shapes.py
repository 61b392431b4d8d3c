"""Shapes of declarations: each is parsed once, however often it occurs, and remembered for the next run."""

from __future__ import annotations

from dataclasses import dataclass, field

from abigen.read.c.syntax.nodes import Node
from abigen.read.cache import Cache, identity
from abigen.read.evidence import digest

_MOST_KNOWN = 20_000
_MOST_KEPT = 512
_LONGEST_KEPT = 64
"""Of so many words at most are the shapes that are kept: longer ones hardly come again."""


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
        self._kept: list[Key] = []
        self._is_recalled = False

    def find(self, key: Key) -> Shape | SyntaxFailure | None:
        """What is known of a shape."""
        return self._known.get(key)

    def add(self, key: Key, shape: Shape | SyntaxFailure) -> None:
        """Take note of a shape."""
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[key] = shape

    def recall(self, cache: Cache) -> None:
        """Make known what earlier runs have kept, the first time that this is asked."""
        entry = None if self._is_recalled else cache.get(_cache_key())
        self._is_recalled = True
        if entry is None:
            return
        import pickle

        kept: dict[Key, Shape | SyntaxFailure] = {
            key: Shape(known) if isinstance(known, tuple) else known for key, known in pickle.loads(entry[0])
        }
        self._kept = list(kept)
        self._known = kept | self._known

    def keep(self, cache: Cache) -> None:
        """Keep what is known for later runs; when it is too much, what was learned last."""
        old = set(self._kept)
        fresh = [key for key in self._known if key not in old and len(key[1]) <= _LONGEST_KEPT]
        if not fresh:
            return
        import pickle

        self._kept = [*reversed(fresh), *self._kept][:_MOST_KEPT]
        known = [(key, self._known[key]) for key in self._kept if key in self._known]
        shapes = [(key, each.nodes if isinstance(each, Shape) else each) for key, each in known]
        cache.put(_cache_key(), pickle.dumps(shapes, pickle.HIGHEST_PROTOCOL), {})


def _cache_key() -> str:
    """The name of the entry in the cache; it rests on nothing but abigen itself."""
    return digest((b"shapes", identity().encode()))


SHAPES = Shapes()
"""Those of this process."""
