"""Target `cpp`: a C++17 header per API, `api.hpp` beside the path of its header in C, and one that all groups share.

It is made of the spec alone and uses nothing but the API in C: classes for handles, methods for functions, statuses
that cannot be ignored, spans, and structs of functions that are filled from a class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from abigen.generator.c.lines import WIDTH, cleaned, comment, free_name, wrap_declaration
from abigen.generator.cpp.header import SUPPORT, header_of
from abigen.generator.publication import BANNER, GeneratedFile, Publication
from abigen.generator.templates import Templates
from abigen.model.spelling import include_guard

TEMPLATE = "cpp/header.hpp.j2"

_CODE = "//   "
"""Before code in a comment."""


def outputs(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Write the C++ header of an API; nothing for one that has nothing for C++ to improve on.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: two things would have one name in C++, or a template is wrong.
    """
    view = header_of(publication)
    if not view.is_empty:
        yield GeneratedFile(view.path, templates.render(TEMPLATE, FILTERS, header=view, support=SUPPORT))
        for path, text in templates.runtime("cpp").items():
            banner = comment(f"{BANNER} its template runtime/cpp/{path}; do not edit.")
            yield GeneratedFile(path, f"{banner}\n\n{text}", shared=True)


def _statement(line: str) -> str:
    """Return a statement of a function's body, broken where it is too long."""
    indent = 2 + len(line) - len(line.lstrip())
    text, end = (line.strip()[:-1], ";") if line.endswith(";") else (line.strip(), "")
    return " " * indent + wrap_declaration(text, indent, end)


def _literal(text: str) -> str:
    """Return text as a string literal."""
    return '"' + " ".join(cleaned(text).split()).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _heading(text: str) -> str:
    """Return text on one line."""
    return " ".join(cleaned(text).split())


def _definition(result: str, rest: str) -> str:
    """Return the head of a function's definition; the type is on a line of its own where both do not fit on one."""
    head = wrap_declaration(f"{result} {rest}", 0, " {")
    return head if len(head.splitlines()[0]) <= WIDTH else f"{result}\n{wrap_declaration(rest, 0, ' {')}"


def _example(text: str) -> str:
    """Return a declaration in a comment."""
    first, *others = wrap_declaration(text, len(_CODE)).splitlines()
    return "\n".join([_CODE + first, *(f"//{line[2:]}" for line in others)])


def _nested(text: str) -> str:
    """Documentation below a declaration in a comment; empty when there is none."""
    lines = comment(text, len(_CODE) + 1).splitlines() if text.strip() else []
    return "\n".join(f"{_CODE}    {line.strip().removeprefix('//').strip()}".rstrip() for line in lines)


def _code_only(text: str) -> str:
    """Return code without string literals and comments."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|#[^\n]*', "", text)


FILTERS: Mapping[str, Callable[..., str]] = {
    "code_only": _code_only,
    "comment": comment,
    "declaration": wrap_declaration,
    "free_name": free_name,
    "guard": include_guard,
    "heading": _heading,
    "definition": _definition,
    "literal": _literal,
    "nested": _nested,
    "statement": _statement,
    "example": _example,
}
