"""Whether what was taken over from an earlier reading is still true in the later one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from abigen.model.api import Api, ApiSet
from abigen.model.ctype import RecordType, types_in
from abigen.model.span import Span
from abigen.read.c.rereading.known import named_types, types_of
from abigen.read.c.rereading.plan import Plan


def is_confirmed(plan: Plan, previous: ApiSet, api_set: ApiSet) -> bool:
    """Whether the types that are named in what was taken over turned out to mean what they meant before.

    Args:
        plan: what was taken over.
        previous: from what.
        api_set: what was read with it.
    """
    return plan.known.is_complete and all(_agree(plan, old, new) for old, new in _pairs(previous, api_set))


def _pairs(previous: ApiSet, api_set: ApiSet) -> Iterator[tuple[Api, Api]]:
    """What the same targets saw and see, each pair once."""
    seen: set[tuple[int, int]] = set()
    for group in api_set.groups:
        for old in map(previous.for_target, group.targets):
            if (id(old), id(group.api)) not in seen:
                seen.add((id(old), id(group.api)))
                yield old, group.api


def _agree(plan: Plan, old: Api, new: Api) -> bool:
    """Whether two APIs agree about all types that are named."""
    named = [frozenset(each.types) for each in plan.reused]
    asked = {part for each in plan.known.expressions.values() for type in types_of(each) for part in types_in(type)}
    names = {name for each in named for name in each} | {name for type in asked for name in named_types(type)}
    if any(_meaning(name, old) != _meaning(name, new) for name in names):
        return False
    keys = {type.key for type in asked if isinstance(type, RecordType)}
    if any(_names(key, old) != _names(key, new) for key in keys):
        return False
    files = {each.file for each in plan.reused}
    places = {name: (_places(name, old, files), _places(name, new, files)) for name in names}
    own = {name for name, spans in places.items() if any(spans)}
    return all(
        _above(places[name][0], each.file, each.old.line) == _above(places[name][1], each.file, each.new.line)
        for each, types in zip(plan.reused, named, strict=True)
        for name in own & types
    )


def _names(key: str, api: Api) -> object:
    """By what names a struct goes."""
    struct = api.structs.get(key)
    return None if struct is None else (struct.kind, struct.tag, struct.typedef_names)


def _meaning(name: str, api: Api) -> object:
    """What a typedef stands for, as far as a member of that type can tell."""
    typedef = api.typedefs.get(name)
    if typedef is None:
        return None
    record = api.struct_of(typedef.type)
    return type(typedef), typedef.type, typedef.alignment, record and (record.name, record.kind, record.fields is None)


def _places(name: str, api: Api, files: Set[str]) -> Sequence[Span]:
    """Where in some files a typedef, and the struct that it stands for, are declared."""
    typedef = api.typedefs.get(name)
    if typedef is None:
        return []
    spans = [each.span for each in (typedef, api.struct_of(typedef.type)) if each is not None]
    return [span for span in spans if span is not None and span.file in files]


def _above(places: Sequence[Span], file: str, line: int) -> Sequence[bool]:
    """Which of several places come before a line of a file, or stand in another one."""
    return [place.file != file or place.line < line for place in places]
