"""Pairing entities by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from abigen.model.entities import Entity

Named = TypeVar("Named", bound=Entity)


@dataclass(frozen=True)
class NamedPairs(Generic[Named]):
    """Entities of one kind: those of both sides, those that went and those that came.

    Only what is part of the API on at least one side is here. What moved between the API's own file and an included
    one is still there for whoever includes the header, so it is in `both`.
    """

    both: tuple[tuple[Named, Named], ...]
    removed: tuple[Named, ...]
    added: tuple[Named, ...]

    @cached_property
    def changed(self) -> tuple[tuple[Named, Named], ...]:
        """Those of `both` that differ in anything but their place."""
        return tuple((old, new) for old, new in self.both if old != new)


def pair_names(old: Mapping[str, Named], new: Mapping[str, Named]) -> NamedPairs[Named]:
    """Pair two mappings by key.

    Returns:
        Pairs and removals in OLD's order, additions in NEW's.
    """
    both = [(entity, new[name]) for name, entity in old.items() if name in new]
    return NamedPairs(
        both=tuple(pair for pair in both if pair[0].in_api or pair[1].in_api),
        removed=tuple(entity for name, entity in old.items() if entity.in_api and name not in new),
        added=tuple(entity for name, entity in new.items() if entity.in_api and name not in old),
    )
