"""What stands around the declarations of a header: its include guard, what it includes, and its macros' conditions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from abigen.read.c.preprocessor.lexemes import scan, without_comments

_GUARD = re.compile(r"\s*([A-Za-z_]\w*)\s*$")
_INCLUDED = re.compile(r'\s*(<[^>\n]+>|"[^"\n]+")')
_DEFINED = re.compile(r"\s*([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Outline:
    """What directives of a header say."""

    guard: str = ""
    """The macro that is asked for before everything else and defined then; empty for none."""
    includes: tuple[str, ...] = ()
    """`<stddef.h>` or `"other.h"`, those that stand below no condition but the guard, in order."""
    conditional: frozenset[str] = frozenset()
    """Macros that are defined below a condition."""
    guarded: frozenset[str] = frozenset()
    """Macros that are defined only where nothing has defined them before."""


def outline_of(text: str) -> Outline:
    """Look at the directives of a header.

    Args:
        text: of the header.
    """
    found = scan(text)
    guard = ""
    includes: dict[str, None] = {}
    conditional, guarded = set(), set()
    stack: list[str] = []
    for directive in found.directives:
        rest = without_comments(found.text[directive.rest : directive.end])
        if directive.name in ("if", "ifdef", "ifndef"):
            asked = _GUARD.match(rest) if directive.name == "ifndef" else None
            stack.append(asked[1] if asked else "")
        elif directive.name == "endif" and stack:
            stack.pop()
        elif directive.name in ("else", "elif", "elifdef", "elifndef") and stack:
            stack[-1] = ""
        elif directive.name == "define" and (defined := _DEFINED.match(rest)):
            if len(stack) == 1 and stack[0] == defined[1] and not guard and not includes:
                guard = stack[0]
            elif stack[-1:] == [defined[1]]:
                guarded.add(defined[1])
            elif [each for each in stack if each != guard]:
                conditional.add(defined[1])
        elif directive.name == "include" and not [each for each in stack if not guard or each != guard]:
            name = _INCLUDED.match(rest)
            includes |= {name[1]: None} if name else {}
    return Outline(guard, tuple(includes), frozenset(conditional), frozenset(guarded))
