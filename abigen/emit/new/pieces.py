"""Where a function stands in a text that a template has printed, whatever the language: between two marks.

The marks are control characters, which no documentation of a spec keeps; they are gone before anybody sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PIECE = re.compile(r"\x02([^\x02\x03]+)\x1f([^\x02\x03]*)\x03\n?(.*?)\x02/\1\x03\n?", re.DOTALL)


@dataclass(frozen=True)
class Piece:
    """A part of a text."""

    name: str
    """What the text calls it."""
    text: str


def piece_begin(key: str, name: str) -> str:
    """The mark before what belongs to a key, and has a name there."""
    return f"\x02{key}\x1f{name}\x03"


def piece_end(key: str) -> str:
    """The mark behind what belongs to a key."""
    return f"\x02/{key}\x03"


def pieces_of(text: str) -> tuple[str, Mapping[str, Piece]]:
    """Take the marks out of a text.

    Args:
        text: with marks around some of its parts, none within another.

    Returns:
        The text without marks, and its marked parts by their keys.
    """
    pieces = {match[1]: Piece(match[2], match[3]) for match in _PIECE.finditer(text)}
    return _PIECE.sub(lambda match: match[3], text), pieces
