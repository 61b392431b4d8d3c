"""Text of somebody else's as it may be shown: it moves no cursor, hides nothing, and is no command in a log."""

from __future__ import annotations

import re

_SPACES = frozenset("\xa0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
"""Spaces besides the usual one: they stand in French and Chinese prose, and only take up room."""

_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
"""What the runner of GitHub takes for a command, if `::` follows later: it passes over space at the start of a line."""


def printable(text: str) -> str:
    r"""Somebody's text on one line: what cannot be seen becomes an escape, as `\x1b`, `\n`, `\u202e` or `\udcff`.

    That is control and format characters (marks of direction among them), line ends, undecodable bytes, and characters
    that are not assigned or private. Letters, signs and spaces of all languages stay. Done twice, it is as done once.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """The same for a text of several lines, whose line ends and tabs stay; none of them is a command."""
    lines = ("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
    return without_commands("\n".join(lines))


def without_commands(text: str) -> str:
    """Text of several lines with an escape in what GitHub Actions would take for a command in the log of a run.

    Source: actions/runner, src/Runner.Common/ActionCommand.cs: a line that begins with `::`, behind any white space, or
    that has `##[` anywhere.
    """
    return _COMMAND.sub(r"\1\\x3a", text).replace("##[", r"#\x23[")


def _shown(character: str) -> str:
    if character.isprintable() or character in _SPACES:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode()
