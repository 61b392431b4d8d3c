"""What goes wrong while a header is preprocessed: everything is collected, and the work is bounded."""

from __future__ import annotations

from collections.abc import Mapping

from abigen.model.span import AbigenError, Diagnostic, Span

MAX_WORK = 1_000_000
"""Steps that one header may take besides those that its text allows. A step is a token, or a simple directive; what
costs more counts more."""
_STEPS_A_CHARACTER = 1
"""Steps that each character of a file allows when it is read for the first time: twice as many as usual text takes."""

MAX_ERRORS = 50
"""Errors in one header after which reading stops."""

_CHARACTERS_A_STEP = 8


class ExhaustedError(AbigenError):
    """Reading takes more work than any header is worth; there is no going on."""


class Budget:
    """What is left of the work that reading may take."""

    def __init__(self, work: int = MAX_WORK) -> None:
        """Begin with so many steps."""
        self.left = work
        self._all = work

    def allow(self, characters: int) -> None:
        """Allow more work for a file that is read for the first time, in proportion to its length in characters."""
        self.left += characters * _STEPS_A_CHARACTER
        self._all += characters * _STEPS_A_CHARACTER

    def spend(self, steps: int, what: str, place: Span | None, *, characters: int = 0) -> None:
        """Count work before it is done.

        Args:
            steps: how many.
            what: what they are spent on, the subject of the message.
            place: where it stands.
            characters: the length of text that is made besides.

        Raises:
            ExhaustedError: nothing is left.
        """
        self.left -= steps + characters // _CHARACTERS_A_STEP
        if self.left < 0:
            message = f"{what} takes more than {self._all:,} steps to preprocess"
            raise ExhaustedError.at(place, message, "is it a header that is meant to be read?")


def _position(diagnostic: Diagnostic, order: Mapping[str, int]) -> tuple[int, int, int]:
    place = diagnostic.place
    return (order[place.file], place.line, place.column) if place else (-1, 0, 0)


class Report:
    """What is wrong so far. Errors are collected, so that the user learns of all of them at once."""

    def __init__(self, most: int = MAX_ERRORS) -> None:
        """Begin with nothing wrong; with so many errors it is over."""
        self._most = most
        self.diagnostics: list[Diagnostic] = []
        self._errors = 0

    def error(self, place: Span | None, message: str, hint: str = "") -> None:
        """Note an error.

        Raises:
            AbigenError: there are too many.
        """
        self.diagnostics.append(Diagnostic(place, message, hint))
        self._errors += 1
        if self._errors >= self._most:
            self.raise_errors()

    def errors_of(self, error: AbigenError) -> None:
        """Note the errors that something has raised.

        Raises:
            AbigenError: there are too many, or there is no going on.
        """
        for each in error.diagnostics:
            self.error(each.place, each.message, each.hint)
        if isinstance(error, ExhaustedError):
            self.raise_errors()

    def warning(self, place: Span | None, message: str, hint: str = "") -> None:
        """Note something that can be read on without."""
        self.diagnostics.append(Diagnostic(place, message, hint, "warning"))

    def raise_errors(self) -> None:
        """Raise the errors that have been noted, if there are any."""
        if self._errors:
            raise AbigenError(self.errors())

    def errors(self) -> list[Diagnostic]:
        """The errors that have been noted, each once, file by file."""
        errors = dict.fromkeys(each for each in self.diagnostics if each.severity == "error")
        files = dict.fromkeys(each.place.file for each in errors if each.place)
        order = {file: number for number, file in enumerate(files)}
        return sorted(errors, key=lambda each: _position(each, order))

    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is not an error, each once."""
        return tuple(dict.fromkeys(each for each in self.diagnostics if each.severity != "error"))
