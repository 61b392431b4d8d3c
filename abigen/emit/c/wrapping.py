"""C text on lines of at most 80 columns, broken where a careful person would break them."""

from __future__ import annotations

import re
import textwrap

WIDTH = 80
"""Columns of a line in generated C."""

_CONTINUATION = 4
"""Columns by which a line is indented that continues the one before, where nothing better aligns it."""

_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?")


def wrap_declaration(text: str, indent: int = 0, end: str = ";") -> str:
    """Break a declaration after the commas of its parameter list.

    Args:
        text: the declaration on one line, without its semicolon.
        indent: columns before it.
        end: what stands behind it.

    Returns:
        Lines joined by newlines, the first without its indentation. Parameters align with the first of them, or stand
        below the declaration when they do not fit there. What has no parameters is broken before its name.
    """
    return "\n".join(_wrap(text, indent, indent, end))


def wrap_macro(head: str, body: str) -> str:
    r"""Break a macro definition at spaces, with a backslash at the end of each line but the last.

    Args:
        head: `#define NAME(PARAMETERS)`.
        body: what it stands for; may be empty. Its string and character constants stay whole.

    Returns:
        Lines joined by newlines.
    """
    whole = f"{head} {body}".rstrip()
    if len(whole) <= WIDTH:
        return whole
    body = _QUOTED.sub(lambda found: found[0].replace(" ", "\0"), body)
    lines = textwrap.wrap(
        body,
        WIDTH - len(" \\"),
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return " \\\n".join((head, *lines)).replace("\0", " ")


def _wrap(text: str, column: int, indent: int, end: str) -> list[str]:
    """Lines for text that begins at a column of a line with this indentation; the first comes without padding."""
    if column + len(text) + len(end) <= WIDTH:
        return [text + end]
    below = indent + _CONTINUATION
    found = _parameters(text)
    if found is None:
        head, _, name = text.rpartition(" ")
        return [head, " " * below + name + end] if head else [text + end]
    opening, parameters = found
    head, closing = text[: opening + 1], text.rindex(")")
    pairs = [(parameter, ",") for parameter in parameters[:-1]] + [(parameters[-1], text[closing:] + end)]
    aligned = column + len(head)
    if all(aligned + len(parameter) + len(after) <= WIDTH for parameter, after in pairs):
        first, *rest = _fill(pairs, aligned)
        return [head + first, *(" " * aligned + line for line in rest)]
    return [head, *(" " * below + line for line in _fill(pairs, below))]


def _fill(pairs: list[tuple[str, str]], column: int) -> list[str]:
    """Parameters, each with what follows it, side by side from a column on; one that is too long is broken itself."""
    lines: list[str] = []
    broken = True
    for parameter, after in pairs:
        if not broken and column + len(lines[-1]) + 1 + len(parameter) + len(after) <= WIDTH:
            lines[-1] += f" {parameter}{after}"
        else:
            first, *rest = _wrap(parameter, column, column, after)
            lines += [first, *(line[column:] for line in rest)]
            broken = bool(rest)
    return lines


def _parameters(text: str) -> tuple[int, list[str]] | None:
    """Where the parenthesis that closes last was opened, and what stands in it; None when there is nothing."""
    end = text.rfind(")")
    depth, parameters = 0, list[str]()
    for at in range(end, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth == 0 or (depth == 1 and text[at] == ","):
            parameters.insert(0, text[at + 1 : end].strip())
            end = at
        if depth == 0:
            return (at, parameters) if parameters != [""] else None
    return None
