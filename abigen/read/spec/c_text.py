"""C that stands in a spec's scalars: its tokens, each with its place in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from abigen.read.c.lexer import lex
from abigen.read.c.unit import Token
from abigen.read.spec.nodes import Scalar

MAX_STEPS = 20_000
"""Most tokens that are looked at to expand the constants in one piece of C."""

Hidden: TypeAlias = "tuple[str, Hidden] | None"
"""The constants that a token came out of, the innermost first."""


def tokens_of(scalar: Scalar) -> list[Token]:
    """Split a scalar's text into tokens of C.

    Args:
        scalar: plain, quoted or a block.

    Returns:
        The tokens, each where the file has it.
    """
    offsets = _offsets(scalar)
    flat = scalar.text.replace("\n", " ").replace("\r", " ")
    tokens = []
    for token in lex(flat, scalar.source.file):
        first = token.column - 1
        span = scalar.source.span(offsets[first], offsets[first + len(token.text) - 1] + 1)
        width = 0 if span.length == len(token.text) else span.length
        tokens.append(token._replace(line=span.line, column=span.column, width=width))
    return tokens


def expand(tokens: list[Token], constants: Mapping[str, list[Token]]) -> list[Token]:
    """Replace the names of constants by what they stand for, as the preprocessor would (C 6.10.3.4).

    Args:
        tokens: a piece of C.
        constants: name to the tokens of the replacement.

    Returns:
        The tokens; those of a replacement have the place of the name that they replace.

    Raises:
        OverflowError: constants that stand for constants, until it is too much.
    """
    result: list[Token] = []
    # A stack instead of recursion: the chain of constants is as long as the author of the spec likes.
    pending: list[tuple[Token, Hidden]] = [(token, None) for token in reversed(tokens)]
    steps = 0
    while pending:
        token, hidden = pending.pop()
        steps += 1
        if steps > MAX_STEPS or len(pending) > MAX_STEPS:
            raise OverflowError
        if token.kind != "id" or token.text not in constants or _hides(hidden, token.text):
            result.append(token)
            continue
        width = token.width or len(token.text)
        for each in reversed(constants[token.text]):
            moved = each._replace(
                file=token.file, line=token.line, column=token.column, macro=token.macro or token.text, width=width
            )
            pending.append((moved, (token.text, hidden)))
    return result


def _hides(hidden: Hidden, name: str) -> bool:
    """Whether a token came out of this very constant, which the preprocessor does not expand again."""
    while hidden is not None:
        if hidden[0] == name:
            return True
        hidden = hidden[1]
    return False


def _offsets(scalar: Scalar) -> list[int]:
    """For each character of the scalar's text, where the file has it."""
    source, text = scalar.source.text, scalar.text
    first = scalar.start if scalar.plain else scalar.start + 1
    if source.startswith(text, first):
        return list(range(first, first + len(text) + 1))
    # Folding and escapes only change white space, quotes and backslashes: everything else stands there in this order.
    offsets: list[int] = []
    position = first
    for character in text:
        found = position
        if not character.isspace():
            found = source.find(character, position, scalar.end)
            found = position if found < 0 else found
        offsets.append(min(found, scalar.end))
        position = found + 1 if not character.isspace() else position
    return [*offsets, scalar.end]
