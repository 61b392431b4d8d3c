"""Collecting what is wrong with a spec, and guessing what was meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from abigen.model.span import AbigenError, Diagnostic, Span

MAX_DIAGNOSTICS = 200
"""How many errors are looked for; a file with more is broken in a way that more would not explain."""

_MOST_CANDIDATES = 2000


class Report:
    """Everything that is wrong so far; reading goes on, so that all errors come at once."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        """Begin with what is known already."""
        self._diagnostics: dict[Diagnostic, None] = dict.fromkeys(diagnostics)

    def __bool__(self) -> bool:
        """Whether anything is wrong."""
        return bool(self._diagnostics)

    def __len__(self) -> int:
        """How much is wrong."""
        return len(self._diagnostics)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong, in the order in which it was found."""
        return list(self._diagnostics)

    def error(self, place: Span | None, message: str, hint: str = "") -> None:
        """Note an error; the same one twice counts once, since an alias brings the same text to several places."""
        self.add([Diagnostic(place, message, hint)])

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Note what another part found.

        Raises:
            AbigenError: there are so many that looking for more is a waste; untrusted input may hold any number.
        """
        self._diagnostics.update(dict.fromkeys(diagnostics))
        if len(self._diagnostics) >= MAX_DIAGNOSTICS:
            self.raise_errors()

    def raise_errors(self) -> None:
        """Stop here if anything is wrong.

        Raises:
            AbigenError: with everything that was noted, in the order of the text.
        """
        if not self._diagnostics:
            return
        found = sorted(self._diagnostics, key=lambda each: (each.place is not None, each.place or Span("", 0, 0)))
        if len(found) >= MAX_DIAGNOSTICS:
            found = [
                *found[:MAX_DIAGNOSTICS],
                Diagnostic(None, f"too many errors; only the first {MAX_DIAGNOSTICS} are shown"),
            ]
        raise AbigenError(found)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The hint for a misspelled word; empty when nothing known is close to it.

    Args:
        word: what was written.
        known: what could have been meant.
    """
    from difflib import get_close_matches

    word = word.lower()[:255]
    slack = 2 + len(word) // 3
    near = (each for each in known if abs(len(each) - len(word)) <= slack)
    lowered = {each.lower(): each for each in islice(near, _MOST_CANDIDATES)}
    close = get_close_matches(word, lowered, 1, 0.6)
    return f"did you mean '{lowered[close[0]]}'?" if close else ""
