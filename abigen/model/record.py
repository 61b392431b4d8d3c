"""What records of the model have in common, besides that they are `msgspec.Struct`s that cannot be changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import ClassVar

import msgspec


class Compared(msgspec.Struct, frozen=True, eq=False):
    """A record that comparing looks at in part: where something stands, say, is not part of what it is."""

    NOT_COMPARED: ClassVar[frozenset[str]] = frozenset()
    """The names of the fields that comparing leaves out. At least two others have to remain."""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        compared = _compared(self.__class__)
        return other.__class__ is self.__class__ and compared(self) == compared(other)

    def __ne__(self, other: object) -> bool:  # which `msgspec.Struct` has otherwise, and Python would find there
        return not self == other

    def __hash__(self) -> int:
        return hash((self.__class__, _compared(self.__class__)(self)))


@cache
def _compared(kind: type[Compared]) -> Callable[[Compared], object]:
    """What gives the fields of a record that comparing looks at."""
    return attrgetter(*(name for name in kind.__struct_fields__ if name not in kind.NOT_COMPARED))
