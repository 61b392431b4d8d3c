"""Collecting what is wrong with a document, and guessing what was meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from abigen.model.span import AbigenError, Diagnostic, Span, did_you_mean

MAX_PROBLEMS = 200
"""How many errors are looked for; a file with more is broken in a way that more would not explain."""

_MOST_CANDIDATES = 2000


class Problems:
    """Everything that is wrong so far. Reading goes on, so that users see all errors at once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._diagnostics: dict[Diagnostic, None] = {}

    def __bool__(self) -> bool:
        """Whether anything is wrong."""
        return bool(self._diagnostics)

    def error(self, place: Span | None, message: str, hint: str = "") -> None:
        """Note an error; the same one twice counts once, since a YAML alias brings one text to several places."""
        self.add([Diagnostic(place, message, hint)])

    def unknown(self, place: Span | None, message: str, word: str, known: Iterable[str], otherwise: str = "") -> None:
        """Note that a word names nothing, with the known word that is closest to it as hint.

        Args:
            place: where the word stands.
            message: what is wrong.
            word: what was written.
            known: what could have been meant.
            otherwise: the hint when nothing known is close.
        """
        self.error(place, message, similar_word(word, known) or otherwise)

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Note what another part found.

        Raises:
            AbigenError: there are so many that looking for more is a waste; untrusted input may hold any number.
        """
        self._diagnostics.update(dict.fromkeys(diagnostics))
        if len(self._diagnostics) >= MAX_PROBLEMS:
            self.raise_errors()

    def raise_errors(self) -> None:
        """Stop here if anything is wrong.

        Raises:
            AbigenError: with everything that was noted, in the order of the text.
        """
        if not self._diagnostics:
            return
        found = sorted(self._diagnostics, key=lambda each: (each.place is not None, each.place or Span("", 0, 0)))
        if len(found) >= MAX_PROBLEMS:
            last = Diagnostic(None, f"too many errors; only the first {MAX_PROBLEMS} are shown")
            found = [*found[:MAX_PROBLEMS], last]
        raise AbigenError(found)


def similar_word(word: str, known: Iterable[str]) -> str:
    """The hint for a misspelled word; empty when nothing known is close to it.

    Args:
        word: what was written.
        known: what could have been meant.
    """
    word = word.lower()[:255]
    slack = 2 + len(word) // 3
    near = (each for each in known if abs(len(each) - len(word)) <= slack)
    lowered = {each.lower(): each for each in islice(near, _MOST_CANDIDATES)}
    return did_you_mean(word, lowered, shown=lambda each: f"'{lowered[each]}'")
