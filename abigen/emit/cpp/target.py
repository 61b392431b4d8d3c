"""Target `cpp`: a C++17 header per API, `api.hpp` beside the path of its header in C.

It is made of the spec alone and uses nothing but the API in C: classes for handles, methods for functions, statuses
that cannot be ignored, spans, and structs of functions that are filled from a class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from abigen.emit.c.prose import cleaned, comment
from abigen.emit.c.wrapping import wrap_declaration
from abigen.emit.cpp.header import header_of
from abigen.emit.publication import Output, Publication
from abigen.emit.templates import Templates

TEMPLATE = "cpp/header.hpp.j2"


def outputs(publication: Publication, templates: Templates) -> Iterator[Output]:
    """Write the C++ header of an API; nothing for one that has neither handles, functions nor tables of functions.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: two things would have one name in C++, or a template is wrong.
    """
    view = header_of(publication)
    if not view.is_empty:
        yield Output(view.path, templates.render(TEMPLATE, _FILTERS, header=view))


def _statement(line: str) -> str:
    """A statement of a function's body, broken where it is too long."""
    indent = 2 + len(line) - len(line.lstrip())
    text, end = (line.strip()[:-1], ";") if line.endswith(";") else (line.strip(), "")
    return " " * indent + wrap_declaration(text, indent, end)


def _literal(text: str) -> str:
    """Text as a string literal."""
    return '"' + " ".join(cleaned(text).split()).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _heading(text: str) -> str:
    """Text on one line."""
    return " ".join(cleaned(text).split())


def _indented(text: str) -> str:
    """Code in a comment."""
    return "\n".join(f"//   {line}" for line in text.splitlines())


def _nested(text: str) -> str:
    """A comment within what stands below code in a comment."""
    return "\n".join(f"//       {line.removeprefix('//').lstrip()}".rstrip() for line in text.splitlines())


_FILTERS: Mapping[str, Callable[..., str]] = {
    "comment": comment,
    "declaration": wrap_declaration,
    "heading": _heading,
    "indented": _indented,
    "literal": _literal,
    "nested": _nested,
    "statement": _statement,
}
