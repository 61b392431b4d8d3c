"""Macros whose value depends on the place of use: `__LINE__`, `__FILE__` and their like (C 6.10.8.1)."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.model.span import Span
from abigen.read.c.preprocessor.macros import Macro, MacroTable
from abigen.read.c.preprocessor.scan import Piece

_DATES = {
    "__DATE__": "Jan  1 1970",
    "__TIME__": "00:00:00",
    "__TIMESTAMP__": "Thu Jan  1 00:00:00 1970",
}
"""One moment for all: what a header says of its API must not change from day to day."""

_NAMES = (*_DATES, "__LINE__", "__FILE__", "__COUNTER__", "__INCLUDE_LEVEL__", "__FILE_NAME__", "__BASE_FILE__")


def define_builtins(macros: MacroTable) -> None:
    """Put the definitions of these macros in force."""
    for name in _NAMES:
        macro = Macro(name, None, "")
        macro.builtin = True
        macros[name] = macro


def builtin_value(name: str, place: Span, counter: Iterator[int], depth: int) -> Piece:
    """The value of one of these macros.

    Args:
        name: its name.
        place: where it is used.
        counter: gives the next number for `__COUNTER__`.
        depth: how many files are open.
    """
    if name == "__LINE__":
        return Piece("number", str(place.line))
    if name == "__COUNTER__":
        return Piece("number", str(next(counter)))
    if name == "__INCLUDE_LEVEL__":
        return Piece("number", str(depth - 1))
    text = _DATES.get(name)
    if text is None:
        text = place.file.rpartition("/")[2] if name == "__FILE_NAME__" else place.file
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return Piece("string", f'"{quoted}"')
