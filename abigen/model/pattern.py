"""Patterns of texts: as much of regular expressions as every engine reads alike, and a few lines of C can follow."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

import msgspec

from abigen.model.span import AbigenError, Span

_LITERAL = frozenset(map(chr, range(0x20, 0x7F))) - frozenset("\\[](){}*+?.^$|")
_IN_CLASS = frozenset(map(chr, range(0x20, 0x7F))) - frozenset("\\[]^-")
_ESCAPABLE = frozenset(each for each in map(chr, range(0x21, 0x7F)) if not each.isalnum())
_ANY = frozenset(range(1, 256))
_MOST_STATES = 1000
"""The number of steps for which two patterns are compared; beyond that, the answer is unknown."""


class PatternStep(msgspec.Struct, frozen=True):
    """A step of a pattern: some byte out of several."""

    bytes: frozenset[int]
    """The bytes that it accepts; never 0, which ends texts."""
    optional: bool = False
    """True if it need not take any."""
    repeated: bool = False
    """True if it may take more than one; then it is optional, too."""

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The bytes as first and last of each run, rising."""
        found: list[tuple[int, int]] = []
        for byte in sorted(self.bytes):
            if found and found[-1][1] == byte - 1:
                found[-1] = (found[-1][0], byte)
            else:
                found.append((byte, byte))
        return tuple(found)


class Pattern(msgspec.Struct, frozen=True):
    """A pattern that a whole text has to match."""

    text: str
    """The text of the pattern."""
    steps: tuple[PatternStep, ...]

    def matches(self, text: str) -> bool:
        """True if a text is what the pattern asks for, all of it and byte by byte in UTF-8.

        Args:
            text: any; surrogates that stand for bytes count as those.
        """
        # Not by `re`, which may take exponential time for what stands in a spec.
        reached = self._skip({0})
        for byte in text.encode(errors="surrogateescape"):
            reached = self._after(reached, byte)
        return len(self.steps) in reached

    def allows(self, other: Pattern) -> bool:
        """True if it is known that every text that another pattern matches is matched by this one, too."""
        bytes = _told_apart((*self.steps, *other.steps))
        waiting = [(frozenset(other._skip({0})), frozenset(self._skip({0})))]
        seen = set(waiting)
        while waiting:
            theirs, own = waiting.pop()
            if len(seen) > _MOST_STATES or (len(other.steps) in theirs and len(self.steps) not in own):
                return False
            for byte in bytes:
                state = frozenset(other._after(theirs, byte)), frozenset(self._after(own, byte))
                if state[0] and state not in seen:
                    seen.add(state)
                    waiting.append(state)
        return True

    def example(self) -> str:
        """Return a text that it matches, of letters where it may be."""
        needed = (step.bytes for step in self.steps if not step.optional)
        return "".join(chr(min(each, key=lambda byte: (not chr(byte).isalnum(), byte))) for each in needed)

    def _after(self, reached: Set[int], byte: int) -> set[int]:
        """Return the positions after a byte."""
        taken = {at for at in reached if at < len(self.steps) and byte in self.steps[at].bytes}
        return self._skip({at if self.steps[at].repeated else at + 1 for at in taken})

    def _skip(self, reached: set[int]) -> set[int]:
        """Return the positions, with those that optional steps skip to."""
        for at, step in enumerate(self.steps):
            if at in reached and step.optional:
                reached.add(at + 1)
        return reached


def _told_apart(steps: Sequence[PatternStep]) -> list[int]:
    """Return one byte of each class of bytes that all steps treat alike."""
    sets = {step.bytes for step in steps}
    return list({tuple(byte in each for each in sets): byte for byte in _ANY}.values())


_SIGNS = ("?", "*", "+")
_HINT = r"a pattern has characters, '\' before special ones, '.', and [classes], each with or without ?, * or +"


def parse_pattern(text: str, place: Span | None = None) -> Pattern:
    r"""Read a pattern.

    A pattern is a sequence of characters of ASCII, `\` before one that has a meaning, `.` for any character, and
    classes such as `[A-Z_]`, `[^/]` and `[a-z-]`, each with `?`, `*` or `+` behind it where it may be missing or occur
    more than once. That is a regular expression to Python, to JSON Schema and to POSIX alike.

    Args:
        text: `[A-Z][A-Z_]*`.
        place: to blame.

    Returns:
        The pattern; `+` has become two steps.

    Raises:
        AbigenError: it is none of these.
    """
    characters = re.findall(r"\\?.|\\", text, re.DOTALL)[::-1]
    steps: list[PatternStep] = []
    try:
        while characters:
            taken = _taken_by(characters)
            sign = characters.pop() if characters and characters[-1] in _SIGNS else ""
            if sign in ("", "+"):
                steps.append(PatternStep(taken))
            if sign:
                steps.append(PatternStep(taken, optional=True, repeated=sign != "?"))
    except ValueError as error:
        raise AbigenError.at(place, f"'{text}' is not a pattern: {error}", _HINT) from None
    if not steps:
        raise AbigenError.at(place, "a pattern must not be empty", _HINT)
    return Pattern(text, tuple(steps))


def _taken_by(characters: list[str]) -> frozenset[int]:
    """Return the bytes that one step takes; its characters are removed from the end of the list, which is reversed."""
    if characters[-1] == ".":
        characters.pop()
        return _ANY
    if characters[-1] != "[":
        return frozenset({ord(_next(characters, _LITERAL))})
    characters.pop()
    others = characters[-1:] == ["^"] and characters.pop()
    found: set[int] = set()
    before = ""
    while characters[-1:] != ["]"]:
        # As the first or the last one in a class, '-' is itself in every dialect; `--` is not, which may subtract.
        is_plain = characters[-1:] == ["-"] and (not before or (characters[-2:-1] == ["]"] and before != "-"))
        before = first = last = characters.pop() if is_plain else _next(characters, _IN_CLASS)
        if characters[-1:] == ["-"] and characters[-2:-1] != ["]"] and not is_plain:
            characters.pop()
            last = _next(characters, _IN_CLASS)
        if last < first:
            raise ValueError(f"'{first}-{last}' is empty: '{last}' is before '{first}' in ASCII")
        found.update(range(ord(first), ord(last) + 1))
    characters.pop()
    if not found:
        raise ValueError("a class needs a character")
    return _ANY - found if others else frozenset(found)


def _next(characters: list[str], plain: frozenset[str]) -> str:
    """Take a character that stands for itself; `plain` are those that need no backslash."""
    character = characters.pop() if characters else "\\"
    if character == "\\":
        raise ValueError("it ends too early")
    escaped = len(character) == 2
    if character[-1] not in (_ESCAPABLE if escaped else plain):
        raise ValueError(f"'{character[-1]}' is not allowed {'after a backslash' if escaped else 'there'}")
    return character[-1]
