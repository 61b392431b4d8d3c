"""Places in source text, the error class that users meet, and text that is safe to print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import attrgetter
from typing import ClassVar, Self, TypeAlias, TypeVar
from unicodedata import category

import msgspec
from msgspec import Meta, UnsetType
from msgspec.structs import replace

T = TypeVar("T")
OrAbsent: TypeAlias = T | UnsetType
"""The type of a key that need not be there."""


def one_of(*choices: str) -> Meta:
    """Return the schema of a text that has one of these values, in the order in which messages name them."""
    return Meta(extra_json_schema={"enum": list(choices)})


def matching(pattern: str, message: str) -> Meta:
    """Return the schema of a text that matches a pattern, with the message for other texts."""
    return Meta(extra_json_schema={"pattern": pattern, "patternErrorMessage": message})


class Compared(msgspec.Struct, frozen=True, eq=False):
    """A record that comparing looks at in part: where something stands, say, is not part of what it is."""

    NOT_COMPARED: ClassVar[frozenset[str]] = frozenset()
    """The names of the fields that comparing leaves out. At least two others have to remain."""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        compared = _compared(self.__class__)
        return other.__class__ is self.__class__ and compared(self) == compared(other)

    def __ne__(self, other: object) -> bool:  # which `msgspec.Struct` has otherwise, and Python would find there
        return not self == other

    def __hash__(self) -> int:
        return hash((self.__class__, _compared(self.__class__)(self)))


@cache
def _compared(kind: type[Compared]) -> Callable[[Compared], object]:
    """Return a function that returns the fields of a record that comparisons use."""
    return attrgetter(*(name for name in kind.__struct_fields__ if name not in kind.NOT_COMPARED))


_SPACES = frozenset("\xa0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
"""Spaces besides the usual one: they stand in French and Chinese prose, and only take up room."""

_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
"""The text that GitHub's runner takes for a command if `::` follows: it skips space at the start of a line."""


def printable(text: str) -> str:
    r"""Escape untrusted text for one line: invisible characters become escapes, as `\x1b`, `\n`, `\u202e` or `\udcff`.

    That is control and format characters (marks of direction among them), line ends, undecodable bytes, and characters
    that are not assigned or private. Letters, signs and spaces of all languages stay. Done twice, it is as done once.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """Return the same for a text of several lines, whose line ends and tabs stay; none of them is a command."""
    lines = ("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
    return without_commands("\n".join(lines))


def without_commands(text: str) -> str:
    """Return text of several lines with an escape in what GitHub Actions would take for a command in the log of a run.

    Source: actions/runner, src/Runner.Common/ActionCommand.cs: a line that begins with `::`, behind any white space, or
    that has `##[` anywhere.
    """
    return _COMMAND.sub(r"\1\\x3a", text).replace("##[", r"#\x23[")


def _shown(character: str) -> str:
    if character.isprintable() or character in _SPACES:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode()


_LONGEST_TEXT = 1000


class Span(msgspec.Struct, frozen=True, order=True, gc=False, array_like=True):
    """A run of characters on one line of one file.

    `line` and `column` count from 1, in characters (not bytes). `length` is at least 1 and never reaches past the
    end of the line; it is what a caret underlines.
    """

    file: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{printable(self.file)}:{self.line}:{self.column}"


class IncludedFile(msgspec.Struct, frozen=True):
    """A file that an API's own files include, or those that they include."""

    name: str
    """The spelling of the first `#include` of it, with brackets or quotes."""
    file: str
    """The name of the file in spans."""
    place: Span | None
    """Of that `#include`; None where a system header has it."""
    is_system: bool
    by: tuple[str, ...] = ()
    """The names in spans of the user's files that include it."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The folders of its name, and the file: `lib`, `tree.h`."""
        return tuple(part for part in self.name[1:-1].replace("\\", "/").split("/") if part not in ("", ".", ".."))


class HiddenPart(msgspec.Struct, frozen=True):
    """Text of a file that is read for no target, because of a condition."""

    place: Span
    """Of the condition."""
    condition: str
    """The condition as it is written: `#ifdef X`, `#else of #ifdef X`."""
    tokens: str
    """A digest of what stands below it, without comments and white space."""
    declares: bool
    """True if something is declared there, and more than macros and `extern "C"`."""

    @property
    def is_for_c(self) -> bool:
        """True if C declares something there."""
        return self.declares and not self.is_for_cpp

    @property
    def is_for_cpp(self) -> bool:
        """True if the condition asks for C++."""
        return "__cplusplus" in self.condition


class Diagnostic(msgspec.Struct, frozen=True):
    """An error in the input: its place, the message, and the remedy."""

    place: Span | None
    message: str
    hint: str = ""
    severity: str = "error"
    """`error`, `warning` for what abigen could not understand but could read on without, or `note` for a remark about
    what was read."""

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        hint = f"\n  hint: {printable(_clipped(self.hint))}" if self.hint else ""
        return f"{place}{self.severity}: {printable(_clipped(self.message))}{hint}"


def _clipped(text: str) -> str:
    """Return a text that may quote a monstrous number or name, cut to what a person reads."""
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} ... {text[-half:]}"


class AbigenError(Exception):
    """The input cannot be used; carries every reason that was found, in the order of the source.

    Raised by readers, emitters and the host; the command line prints it and exits 2. Anything else that is raised is a
    bug in abigen and is not caught.
    """

    exit_code = 2
    """The exit code of a command that ends with it."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(each) for each in self.diagnostics))

    def placed(self, span: Span | None) -> AbigenError:
        """Return the same error, with a place for those of its diagnostics that have none."""
        return AbigenError([replace(each, place=each.place or span) for each in self.diagnostics])

    @classmethod
    def at(cls, place: Span | None, message: str, hint: str = "") -> Self:
        """Make an error with one diagnostic.

        Args:
            place: where it stands, None when it concerns no place in a file.
            message: what is wrong, one line, no full stop.
            hint: what to do about it, one line; empty when there is nothing to suggest.
        """
        return cls([Diagnostic(place, message, hint)])


def did_you_mean(
    name: str,
    known: Iterable[str],
    otherwise: str = "",
    *,
    shown: Callable[[str], str] = str,
    most: int = 1,
    cutoff: float = 0.6,
) -> str:
    """Return the hint for a name that means nothing.

    Args:
        name: what was written.
        known: what could have been written.
        otherwise: the hint when nothing known is close.
        shown: how the hint shows one of them.
        most: how many names are offered.
        cutoff: how close they have to be, from 0 to 1.
    """
    from difflib import get_close_matches  # which no run needs that finds what it is asked for

    close = " or ".join(map(shown, get_close_matches(name, dict.fromkeys(known), most, cutoff)))
    return f"did you mean {close}?" if close else otherwise


def similar_names(name: str, candidates: Iterable[str], prefix: str = "") -> str:
    """Return a hint that offers what may have been meant; empty when nothing is close.

    Args:
        name: what was asked for.
        candidates: what exists.
        prefix: what to write before each of them: the directory that they are in.
    """
    return did_you_mean(name, candidates, shown=lambda each: f"`{prefix}{each}`", most=2, cutoff=0.7)


def words_of_command(command: str, what: str) -> tuple[str, ...]:
    """Return the words of a command, split as a shell splits them.

    Args:
        command: the program and its arguments.
        what: how the message names it.

    Raises:
        AbigenError: a quote is not closed, or a backslash is the last character.
    """
    from shlex import split  # which only commands with a program need

    try:
        return tuple(split(command))
    except ValueError as error:
        reason = str(error)[:1].lower() + str(error)[1:]
        message = f"{what} cannot be split into words: {reason}"
        raise AbigenError.at(None, message, "close each quote, and write a backslash twice") from None


def refuse_control_characters(operand: str) -> None:
    """Refuse a header whose name has characters that no spec can have.

    Args:
        operand: names the header.

    Raises:
        AbigenError: its name has control characters, or bytes that are not UTF-8.
    """
    if any(category(character) in ("Cc", "Cs") for character in operand):
        message = f"{printable(operand)} has control characters in its name, which a spec cannot contain"
        raise AbigenError.at(None, message, "rename the file, or import a copy with another name")
