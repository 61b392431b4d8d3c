"""What a header defines for the headers that it includes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abigen.emit.imported.keys import way_to
from abigen.model.api import Api, ApiSet
from abigen.model.span import Span

_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b((?:[^\n\\]|\\\n|\\)*)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


def defined_before(file: str, read: ApiSet, text: str, guards: Iterable[str]) -> tuple[str, ...]:
    """Find the macros by which a header configures one that it includes.

    Args:
        file: the included header, as spans call it.
        read: the header that includes it, itself or through others.
        text: of the included header.
        guards: the include guards of the headers that include it.

    Returns:
        The macros that conditions of the included header ask for, and that are defined in front of its `#include`, as
        `-D` takes them: `NAME=VALUE`.
    """
    api = read.groups[0].api
    asked = {word for condition in _CONDITION.findall(text) for word in _WORD.findall(condition)}
    start = way_to(Span(file, 0, 0), api)
    configured = tuple(
        definition
        for name, definition, span in _definitions(api)
        if name in asked and span is not None and span.file != file and way_to(span, api) < start
    )
    return (*configured, *(f"{guard}=" for guard in sorted(asked & {*guards})))


def _definitions(api: Api) -> Iterator[tuple[str, str, Span | None]]:
    """The macros that are defined at the end: name, definition and place."""
    for each in api.constants.values():
        if not each.is_object:
            yield each.name, f"{each.name}={each.text}", each.span
    for macro in api.macros.values():
        yield macro.name, f"{macro.name}({','.join(macro.parameters)})={macro.body}", macro.span
    said = api.version
    if said is not None:
        for (name, span), text in zip(said.macros, said.texts, strict=True):
            yield name, f"{name}={text}", span
