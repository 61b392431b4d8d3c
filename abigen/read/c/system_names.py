"""What system headers declare: found by name, and read only when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abigen.read.c.lexer import lex
from abigen.read.c.syntax.chunks import balance, split
from abigen.read.c.syntax.trees import Chunk
from abigen.read.c.unit import SystemText

_BOUNDARY = re.compile(r"""[;{}]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_ENUM = re.compile(r"\benum\b[^;(){}]*\Z")
_TAG = re.compile(r"\b(struct|union|enum)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?([A-Za-z_]\w*)\s*\{")


class SystemContext:
    """The declarations in the texts of system headers, by the names that occur in them."""

    def __init__(self, texts: Sequence[SystemText]) -> None:
        """Keep the texts; they are looked into when a name is first asked for."""
        self._texts = texts
        self._pieces: list[tuple[str, int, str] | None] = []
        self._by_name: dict[str, list[int]] | None = None
        self._reading: int | None = None
        """The number of the piece that is being read."""
        self._postponed: dict[str, None] = {}
        """Names that have been asked for and occur behind what was being read then."""

    def knows(self, name: str) -> bool:
        """Whether a system header may declare a name (`struct tm` for a tag)."""
        return name in self._index()

    def take(self, name: str) -> Iterator[list[Chunk]]:
        """The declarations that may declare a name, in order, each at most once ever.

        What one of them needs itself stands before it in C, and is to be asked for while it is being read: then only
        what stands before it is handed out. The rest is kept until the outermost request, which hands out that too.

        Args:
            name: an identifier, or keyword and tag (`struct tm`).

        Yields:
            A declaration; the next one is looked for when it has been read.
        """
        limit = self._reading
        names = [name]
        while names:
            yield from self._take(names.pop(), limit)
            if limit is None:
                names += self._postponed
                self._postponed.clear()

    def _take(self, name: str, limit: int | None) -> Iterator[list[Chunk]]:
        """The declarations that mention a name and stand before a limit."""
        numbers = self._index().pop(name, [])
        later = [] if limit is None else [each for each in numbers if each >= limit]
        if later:
            self._index()[name] = later
            self._postponed[name] = None
        for number in numbers[: len(numbers) - len(later)]:
            piece = self._pieces[number]
            if piece is not None:
                self._pieces[number] = None
                self._reading = number
                file, line, text = piece
                stream, _ = balance(lex(text, file, line))
                yield split(stream)[0]
                self._reading = limit

    def _index(self) -> dict[str, list[int]]:
        """Names to numbers of pieces; made when first asked for."""
        if self._by_name is None:
            self._by_name = {}
            for text in self._texts:
                self._split(text)
        return self._by_name

    def _split(self, source: SystemText) -> None:
        """Cut a text in top-level declarations and note the names outside of struct and function bodies."""
        text, line = source.text, source.line
        index = self._by_name
        assert index is not None
        start = depth = outside_from = 0
        outside: list[str] = []
        in_enum = False
        for match in _BOUNDARY.finditer(text):
            mark = match.group()
            if mark == "{":
                if depth == 0:
                    outside.append(text[outside_from : match.start()])
                    in_enum = _ENUM.search(outside[-1]) is not None
                    outside_from = match.end()
                depth += 1
            elif mark == "}":
                depth -= 1
                if depth == 0:
                    if in_enum:
                        outside.append(text[outside_from : match.start()])
                    outside_from = match.end()
                    ends = not in_enum and outside[-1].rstrip().endswith(")") and "typedef" not in outside[0]
                    if not ends:
                        continue
                    mark = ";"
                depth = max(depth, 0)
            if mark != ";" or depth:
                continue
            end = match.end()
            outside.append(text[outside_from:end])
            piece = text[start:end]
            number = len(self._pieces)
            self._pieces.append((source.file, line, piece))
            for word in {word for part in outside for word in _WORD.findall(part)}:
                index.setdefault(word, []).append(number)
            for tag in _TAG.finditer(piece):
                index.setdefault(f"{tag[1]} {tag[2]}", []).append(number)
            line += piece.count("\n")
            start = outside_from = end
            outside = []
