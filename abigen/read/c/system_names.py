"""What system headers declare: found by name, and read only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from abigen.model.span import Diagnostic
from abigen.read.c.syntax.chunks import balance, split
from abigen.read.c.syntax.specifiers import TAG_WORDS, PragmaState, take_attributes
from abigen.read.c.syntax.trees import Chunk
from abigen.read.c.unit import Token


class SystemContext:
    """The declarations of system headers, by the names that occur in them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        """Keep the tokens; they are looked into when a name is first asked for."""
        self._tokens = tokens
        self._declarations: list[tuple[Chunk, int | None] | None] = []
        """Each with the limit of `#pragma pack` in force; None once it has been handed out."""
        self._reading: int | None = None
        """The number of the declaration that is being read."""
        self._postponed: dict[str, None] = {}
        """Names that have been asked for and occur behind what was being read then."""

    def knows(self, name: str) -> bool:
        """Whether a system header may declare a name (`struct tm` for a tag)."""
        return name in self._index

    def take(self, name: str) -> Iterator[tuple[Chunk, int | None]]:
        """The declarations that may declare a name, in order, each at most once ever.

        What one of them needs itself stands before it in C, and is to be asked for while it is being read: then only
        what stands before it is handed out. The rest is kept until the outermost request, which hands out that too.

        Args:
            name: an identifier, or keyword and tag (`struct tm`).

        Yields:
            A declaration, and the limit of `#pragma pack` for it; the next one is looked for when it has been read.
        """
        limit = self._reading
        names = [name]
        while names:
            yield from self._take(names.pop(), limit)
            if limit is None:
                names += self._postponed
                self._postponed.clear()

    def _take(self, name: str, limit: int | None) -> Iterator[tuple[Chunk, int | None]]:
        """The declarations that mention a name and stand before a limit."""
        numbers = self._index.pop(name, [])
        later = [] if limit is None else [each for each in numbers if each >= limit]
        if later:
            self._index[name] = later
            self._postponed[name] = None
        for number in numbers[: len(numbers) - len(later)]:
            declaration = self._declarations[number]
            if declaration is not None:
                self._declarations[number] = None
                self._reading = number
                yield declaration
                self._reading = limit

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        """Names to numbers of declarations; made when first asked for."""
        index: dict[str, list[int]] = {}
        pragmas = PragmaState(_ignore)
        stream, _ = balance(self._tokens)
        for chunk in split(stream)[0]:
            if chunk.kind == "pragma":
                pragmas.apply(stream.tokens[chunk.start])
                continue
            for name in _names(chunk):
                index.setdefault(name, []).append(len(self._declarations))
            self._declarations.append((chunk, pragmas.pack))
        return index


def _names(chunk: Chunk) -> set[str]:
    """The names outside of the bodies of structs and functions, with those of enumerators; and all tags with a body."""
    names: set[str] = set()
    tokens, partners = chunk.stream.tokens, chunk.stream.partners
    body_end = chunk.start
    tag = ""
    for index in range(chunk.start, chunk.end):
        kind, text = tokens[index].kind, tokens[index].text
        if kind == "id" and index >= body_end:
            names.add(text)
        if text in TAG_WORDS:
            tag = text
            _, after = take_attributes(chunk.stream, index + 1, chunk.end, _ignore)
            if after + 1 < chunk.end and tokens[after + 1].text == "{":
                names.add(f"{tag} {tokens[after].text}")
        elif text == "{" and tag != "enum":
            body_end = max(body_end, partners[index])
        elif text in ("(", "}"):
            tag = ""
    return names


def _ignore(diagnostic: Diagnostic) -> None:
    """What is wrong with system headers is not the user's affair."""
