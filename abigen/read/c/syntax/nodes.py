"""pycparser's syntax trees, copied: what keeps them until the next run need not load pycparser to have them back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pycparser.c_ast import Node as Original


class Node:
    """A node of a tree, with the attributes that pycparser's has.

    `kind` is the name of its class there, `position` the word at which it begins (None where pycparser does not say).
    """

    kind: str
    position: int | None

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def copy_trees(trees: Iterable[Original]) -> tuple[Node, ...]:
    """Copy trees of pycparser's; what they share stays shared.

    Args:
        trees: their roots; the line of a coordinate is the position of a word.
    """
    from pycparser.c_ast import Node as Original

    roots = list(trees)
    copies: dict[int, Node] = {}
    # Sums lean to the left as deep as they are long: no recursion.
    pending: list[Original] = list(roots)

    def copied(value: object) -> object:
        if isinstance(value, list):
            return [copied(each) for each in value]
        if not isinstance(value, Original):
            return value
        if id(value) not in copies:
            copies[id(value)] = Node()
            pending.append(value)
        return copies[id(value)]

    for root in roots:
        copies[id(root)] = Node()
    while pending:
        original = pending.pop()
        node = copies[id(original)]
        node.kind = type(original).__name__
        node.position = None if original.coord is None else original.coord.line
        for name in original.__slots__:
            if name not in ("coord", "__weakref__"):
                setattr(node, name, copied(getattr(original, name)))
    return tuple(copies[id(root)] for root in roots)
