"""What system headers declare: found by name, and read only when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

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

    def knows(self, name: str) -> bool:
        """Whether a system header may declare a name (`struct tm` for a tag)."""
        return name in self._index()

    def take(self, name: str) -> list[Chunk]:
        """The declarations that may declare a name, in order, each at most once ever.

        Args:
            name: an identifier, or keyword and tag (`struct tm`).
        """
        chunks: list[Chunk] = []
        for number in self._index().pop(name, ()):
            piece = self._pieces[number]
            if piece is not None:
                self._pieces[number] = None
                file, line, text = piece
                stream, _ = balance(lex(text, file, line))
                chunks += split(stream)[0]
        return chunks

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
