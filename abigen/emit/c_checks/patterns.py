"""What texts have to look like, as tables of C."""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import dataclass

from abigen.model.pattern import parse_pattern


@dataclass(frozen=True, kw_only=True)
class PieceTable:
    """A step of a pattern."""

    ranges: str
    """Pairs of the first and the last byte of each run that it takes, as a string of C."""
    optional: bool
    repeated: bool


@dataclass(frozen=True, kw_only=True)
class PatternTable:
    """A pattern that some text of the API has to match."""

    number: int
    """Tells it from the others of the API, from 1 on."""
    text: str
    """As it was written, as a string of C."""
    pieces: tuple[PieceTable, ...]


def pattern_tables(patterns: Iterable[str]) -> dict[str, PatternTable]:
    """Make the tables of patterns.

    Args:
        patterns: as specs write them; each gets one table.

    Returns:
        Tables by pattern, in the order in which they came.
    """
    return {
        text: PatternTable(
            number=number,
            text=quoted(text.encode()),
            pieces=tuple(
                PieceTable(
                    ranges=quoted(bytes(byte for both in piece.ranges for byte in both)),
                    optional=piece.optional,
                    repeated=piece.repeated,
                )
                for piece in parse_pattern(text).pieces
            ),
        )
        for number, text in enumerate(dict.fromkeys(patterns), 1)
    }


def quoted(text: bytes) -> str:
    """Spell bytes as a string of C, with escapes for whatever could be misread: quotes, trigraphs, bytes beyond ASCII.

    Args:
        text: any bytes.
    """
    plain = string.ascii_letters.encode() + string.digits.encode() + b" !#$%&'()*+,-./:;<=>@[]^_`{|}~"
    spelled = (chr(each) if each in plain else f"\\{each:03o}" for each in text)
    return f'"{"".join(spelled)}"'
