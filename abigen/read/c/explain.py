"""From pycparser's complaint to words that tell the user what is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from abigen.model.span import Diagnostic
from abigen.read.c.grammar import SyntaxFailure
from abigen.read.c.syntax import Flat
from abigen.read.c.vocabulary import PLAIN_NAME


class Suggestions(Protocol):
    """Who knows what the user may have meant."""

    def suggest_type(self, name: str) -> str:
        """A hint for a name that should be a type; empty when there is none."""


def explain(mode: str, flat: Flat, failure: SyntaxFailure, names: Suggestions) -> list[Diagnostic]:
    """Say what is wrong with a declaration that pycparser refuses.

    Args:
        mode: what it was parsed as.
        flat: the declaration.
        failure: where and why.
        names: the names that are known.

    Returns:
        At least one error, at a token of the user's file.
    """
    words = flat.words
    position = min(failure.position, len(words))
    unknown = _unknown_type(flat, position)
    if unknown is not None:
        token = flat.token(unknown)
        return [Diagnostic(token.span, f"unknown type name '{token.text}'", names.suggest_type(token.text))]
    token = flat.token(position)
    if position >= len(words):
        return [Diagnostic(token.span, f"the declaration is not complete behind '{token.text}'")]
    if position > 0:
        previous = flat.token(position - 1)
        return [Diagnostic(token.span, f"unexpected '{token.text}' behind '{previous.text}'")]
    return [Diagnostic(token.span, f"unexpected '{token.text}'")]


def _unknown_type(flat: Flat, position: int) -> int | None:
    """The position of a name that stands where a type must and is none."""
    words = flat.words
    for index in range(min(position, len(words) - 1), -1, -1):
        if words[index] != PLAIN_NAME:
            continue
        before = words[index - 1] if index else ""
        after = words[index + 1] if index + 1 < len(words) else ""
        if before in ("", "(", ",", "const", "typedef:", "extern", "static") and after in (PLAIN_NAME, "*"):
            return index
    return None


def suggest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for a name that is close to a known one, else nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f"did you mean '{close[0]}'?" if close else ""
