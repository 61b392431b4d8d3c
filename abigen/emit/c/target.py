"""Target `c`: the header of each API, at the path that the spec says, and one of helpers beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from abigen.emit.c.helpers import helpers_of
from abigen.emit.c.lines import comment, heading, wrap_declaration, wrap_macro
from abigen.emit.c.view import lay_out, parts_of
from abigen.emit.publication import GeneratedFile, Publication
from abigen.emit.templates import Templates
from abigen.model.cases import directives

_FILTERS: Mapping[str, Callable[..., object]] = {
    "comment": comment,
    "declaration": wrap_declaration,
    "define": wrap_macro,
    "directives": directives,
    "heading": heading,
    "lay_out": lay_out,
}


def outputs(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Write the header of an API, unless it is its vendor's, and one of helpers where it has versioned structs.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: the header cannot be written as C, or a template is wrong.
    """
    header = publication.header
    if not header.vendor:
        parts = parts_of(publication)
        text = templates.render("c/header.h.j2", _FILTERS, publication=publication, header=header, parts=parts)
        yield GeneratedFile(header.path, text)
    helpers = helpers_of(publication)
    if helpers is not None:
        yield GeneratedFile(helpers.path, templates.render("c/helpers.h.j2", _FILTERS, helpers=helpers))
