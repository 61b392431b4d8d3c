"""Which files a text asks for, without preprocessing it: every `#include` in it, whatever `#if` stands around it."""

from __future__ import annotations

import re
from typing import NamedTuple

_DIRECTIVE = re.compile(
    r'^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(?:"(?P<near>[^"\n]+)"|<(?P<far>[^>\n]+)>|(?P<macro>\w+))'
    r'|__has_include(?:_next)?[ \t]*\([ \t]*(?:"(?P<near_test>[^"\n]+)"|<(?P<far_test>[^>\n]+)>)',
    re.MULTILINE,
)


class Mention(NamedTuple):
    """An `#include` or a `__has_include`."""

    name: str
    """As it stands between the quotes or brackets; empty when it comes out of a macro."""
    near: bool
    """Whether the folder of the including file is searched first (C 6.10.2, paragraph 3)."""


def mentions(text: str) -> list[Mention]:
    """All files that a header's text asks for, in order, repetitions left out.

    Args:
        text: of a C header.
    """
    found: dict[Mention, None] = {}
    for match in _DIRECTIVE.finditer(text):
        near = match["near"] or match["near_test"]
        name = near or match["far"] or match["far_test"] or ""
        found[Mention(name, bool(near or match["macro"]))] = None
    return list(found)
