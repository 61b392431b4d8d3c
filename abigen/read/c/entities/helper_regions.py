"""Regions of a header that its author marks as helpers: convenience for users, not part of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from abigen.model.api import Api
from abigen.model.entities import Entity
from abigen.model.header import HELPERS_BEGIN, HELPERS_END
from abigen.read.c.unit import Comment

AnyEntity = TypeVar("AnyEntity", bound=Entity)

_Regions = list[tuple[str, int, int]]
"""File, first and last line; the comments' own lines included."""


def without_helpers(api: Api, comments: Sequence[Comment]) -> Api:
    """Make context of what stands between the line comments `abigen: helpers` and `abigen: end of helpers`.

    Args:
        api: as it was read.
        comments: of its own files, in order. A region that no comment ends reaches to the end of its file.

    Returns:
        The same API, where entities in such regions have `in_api` False.
    """
    regions = _regions(comments)
    if not regions:
        return api
    return replace(
        api,
        structs=_marked(api.structs, regions),
        enums=_marked(api.enums, regions),
        typedefs=_marked(api.typedefs, regions),
        functions=_marked(api.functions, regions),
        variables=_marked(api.variables, regions),
        constants=_marked(api.constants, regions),
        macros=_marked(api.macros, regions),
    )


def _regions(comments: Sequence[Comment]) -> _Regions:
    regions: _Regions = []
    begun: dict[str, int] = {}
    for comment in comments:
        text = comment.text.removeprefix("//").strip()
        if text == HELPERS_BEGIN:
            begun.setdefault(comment.span.file, comment.span.line)
        elif text == HELPERS_END and comment.span.file in begun:
            regions.append((comment.span.file, begun.pop(comment.span.file), comment.span.line))
    return regions + [(file, line, 1 << 30) for file, line in begun.items()]


def _marked(entities: Mapping[str, AnyEntity], regions: _Regions) -> dict[str, AnyEntity]:
    return {key: replace(each, in_api=False) if _is_in(each, regions) else each for key, each in entities.items()}


def _is_in(entity: Entity, regions: _Regions) -> bool:
    place = entity.span
    return place is not None and any(
        place.file == file and first <= place.line <= last for file, first, last in regions
    )
