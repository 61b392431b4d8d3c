"""Names that must differ from one another: those of a class, or of a namespace."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from abigen.model.api import Api
from abigen.model.entities import Entity
from abigen.model.span import AbigenError, Diagnostic, Span


class Space:
    """The names of one class or namespace."""

    def __init__(self, avoided: Collection[str] = ()) -> None:
        """Begin without names.

        Args:
            avoided: names that would hide something else.
        """
        self._avoided = avoided
        self._taken: dict[str, str] = {}

    def choose(self, candidates: Sequence[str], what: str, span: Span | None, *, along: Sequence[str] = ()) -> str:
        """Give a name to something.

        Args:
            candidates: from the best one on; one that would hide something gets an underscore behind it.
            what: what is to be named, for messages.
            span: where it stands.
            along: endings of other names that it takes with its own.

        Returns:
            The first candidate that is free.

        Raises:
            AbigenError: all of them are taken.
        """
        for candidate in candidates:
            name = f"{candidate}_" if candidate in self._avoided else candidate
            names = [name, *(name + ending for ending in along)]
            if not any(each in self._taken for each in names):
                self._taken |= dict.fromkeys(names, what)
                return name
        other = next(self._taken[name] for name in (*candidates, f"{candidates[0]}_") if name in self._taken)
        message = f"{what} and {other} would both be `{candidates[0]}` in C++"
        raise AbigenError((Diagnostic(span, message, "name one of them in conventions.cpp.names"),))


def types_in(api: Api, file: str | None = None) -> frozenset[str]:
    """Names of types, tags and values in C, which a name in C++ would hide.

    Args:
        api: the API.
        file: only what this spec declares; None for all.
    """
    return frozenset(name for name, each in _entities(api) if file is None or (each.span and each.span.file == file))


def _entities(api: Api) -> Iterator[tuple[str, Entity]]:
    for struct in api.structs.values():
        yield from ((struct.name, struct), (struct.tag, struct))
    for each in api.enums.values():
        yield from ((each.name, each), (each.tag, each))
    yield from api.typedefs.items()
    yield from api.constants.items()
    for enum in api.enums.values():
        yield from ((each.name, each) for each in enum.enumerators or ())
