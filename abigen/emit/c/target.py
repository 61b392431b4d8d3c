"""Target `c`: one header per API, at the path that the spec says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from abigen.emit.c.prose import cleaned, comment
from abigen.emit.c.view import header_of
from abigen.emit.c.wrapping import wrap_declaration, wrap_macro
from abigen.emit.publication import Output, Publication
from abigen.emit.templates import Templates

TEMPLATE = "c/header.h.j2"


def outputs(publication: Publication, templates: Templates) -> Iterator[Output]:
    """Write the header of an API.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: the header cannot be written as C, or a template is wrong.
    """
    view = header_of(publication.api, publication.banner)
    yield Output(view.path, templates.render(TEMPLATE, _FILTERS, header=view))


def _heading(text: str) -> str:
    """Text that may stand in a block comment of one line."""
    return " ".join(cleaned(text).split()).replace("*/", "* /").replace("/*", "/ *")


_FILTERS: Mapping[str, Callable[..., str]] = {
    "comment": comment,
    "declaration": wrap_declaration,
    "define": wrap_macro,
    "heading": _heading,
}
