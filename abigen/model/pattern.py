"""Patterns of texts: as much of regular expressions as every engine reads alike, and a few lines of C can follow."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.model.span import AbigenError, Span

_LITERAL = frozenset(map(chr, range(0x20, 0x7F))) - frozenset("\\[](){}*+?.^$|")
_IN_CLASS = frozenset(map(chr, range(0x20, 0x7F))) - frozenset("\\[]^-")
_ESCAPABLE = frozenset(each for each in map(chr, range(0x21, 0x7F)) if not each.isalnum())
_ANY = frozenset(range(1, 256))


@dataclass(frozen=True)
class PatternStep:
    """A step of a pattern: some byte out of several."""

    bytes: frozenset[int]
    """What it takes; never 0, which ends texts."""
    optional: bool = False
    """Whether it need not take any."""
    repeated: bool = False
    """Whether it may take more than one; then it is optional, too."""

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


@dataclass(frozen=True)
class Pattern:
    """What a whole text has to look like."""

    text: str
    """As it was written."""
    steps: tuple[PatternStep, ...]

    def matches(self, text: str) -> bool:
        """Whether a text is what the pattern asks for, all of it and byte by byte in UTF-8.

        Args:
            text: any; surrogates that stand for bytes count as those.
        """
        # Not by `re`, which may take exponential time for what stands in a spec.
        reached = self._skip({0})
        for byte in text.encode(errors="surrogateescape"):
            taken = {at for at in reached if at < len(self.steps) and byte in self.steps[at].bytes}
            reached = self._skip({at if self.steps[at].repeated else at + 1 for at in taken})
        return len(self.steps) in reached

    def _skip(self, reached: set[int]) -> set[int]:
        """Where else one stands, because a step takes nothing."""
        for at, step in enumerate(self.steps):
            if at in reached and step.optional:
                reached.add(at + 1)
        return reached


def parse_pattern(text: str, place: Span | None = None) -> Pattern:
    r"""Read a pattern.

    A pattern is a sequence of characters of ASCII, `\` before one that has a meaning, `.` for any character, and
    classes such as `[A-Z_]` and `[^/]`, each with `?`, `*` or `+` behind it where it may be missing or occur more than
    once. That is a regular expression to Python, to JSON Schema and to POSIX alike.

    Args:
        text: `[A-Z][A-Z_]*`.
        place: to blame.

    Returns:
        The pattern; `+` has become two steps.

    Raises:
        AbigenError: it is none of these.
    """
    reader = _PatternReader(text, place)
    steps: list[PatternStep] = []
    while not reader.at_end:
        taken = reader.atom()
        sign = reader.take("?*+")
        if sign in ("", "+"):
            steps.append(PatternStep(taken))
        if sign:
            steps.append(PatternStep(taken, optional=True, repeated=sign != "?"))
    if not steps:
        raise AbigenError.at(place, "a pattern has to ask for something", _HINT)
    return Pattern(text, tuple(steps))


_HINT = r"a pattern is characters, '\' before those that mean something, '.', and [classes], each with ?, * or + behind"


class _PatternReader:
    """A cursor in a pattern."""

    def __init__(self, text: str, place: Span | None) -> None:
        self._text = text
        self._at = 0
        self._place = place

    @property
    def at_end(self) -> bool:
        return self._at == len(self._text)

    def take(self, wanted: str) -> str:
        """The next character if it is one of these, else nothing."""
        if self.at_end or self._text[self._at] not in wanted:
            return ""
        self._at += 1
        return self._text[self._at - 1]

    def atom(self) -> frozenset[int]:
        if self.take("."):
            return _ANY
        if self.take("["):
            return self._class()
        return frozenset({ord(self._character(_LITERAL))})

    def _class(self) -> frozenset[int]:
        others = bool(self.take("^"))
        found: set[int] = set()
        while not self.take("]"):
            first = last = self._character(_IN_CLASS)
            if self.take("-"):
                last = self._character(_IN_CLASS)
            if last < first:
                self._fail(f"'{first}-{last}' is empty: '{last}' stands before '{first}' in ASCII")
            found.update(range(ord(first), ord(last) + 1))
        if not found:
            self._fail("a class has to name a character")
        return _ANY - found if others else frozenset(found)

    def _character(self, plain: frozenset[str]) -> str:
        escaped = bool(self.take("\\"))
        allowed = _ESCAPABLE if escaped else plain
        if self.at_end:
            self._fail("it ends too soon")
        character = self._text[self._at]
        if character not in allowed:
            self._fail(f"'{character}' cannot stand {'behind a backslash' if escaped else 'there'}")
        self._at += 1
        return character

    def _fail(self, why: str) -> None:
        raise AbigenError.at(self._place, f"'{self._text}' is no pattern: {why}", _HINT)
