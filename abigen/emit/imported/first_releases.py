"""When each entity of an API came, and when it was marked as deprecated, from the header of every release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from abigen.model.api import Api
from abigen.model.ctype import NamedType, types_in
from abigen.model.entities import Entity, Function, Typedef
from abigen.model.span import Diagnostic
from abigen.model.version import Version

_GROUPS = ("typedefs", "functions", "constants", "macros", "structs", "enums")
_FIRST = Version(0, 0, 0)
"""Older than what has a release."""


class FirstReleases(msgspec.Struct, frozen=True):
    """What a history says of the entities of its last release, by name or `Struct.member`."""

    since: Mapping[str, Version]
    """What is absent is as old as the first release."""
    deprecated: Mapping[str, Version]
    removed: tuple[Diagnostic, ...]
    """What existed once and does not any more, and what was inserted: a spec has no place for it."""


def first_releases(releases: Sequence[tuple[Version, Api]]) -> FirstReleases:
    """Find out since when everything is there.

    Args:
        releases: each release with its API, the oldest first. An entity that was away for a while came when it came
            for the last time.
    """
    since: dict[str, Version] = {}
    deprecated: dict[str, Version] = {}
    removed: list[Diagnostic] = []
    before: dict[str, Entity] = {}
    for number, (version, api) in enumerate(releases):
        now = dict(_entities(api))
        for key, entity in now.items():
            if number and key not in before and not _came_with_its_struct(key, since, version, before):
                since[key] = version
            if entity.contract.lifecycle.deprecated:
                deprecated.setdefault(key, version)
        for key, entity in before.items():
            if key not in now and key.partition(".")[0] in (key, *now):
                text = f"{key}: {version} has it no more, and no spec can say when something ended"
                removed.append(Diagnostic(entity.span, text, severity="note"))
        since = {key: each for key, each in since.items() if key in now}
        before = now
    newest = releases[-1][1]
    found = [*_inserted(newest, since)]
    for key, _ in found:
        del since[key]
    while later := dict(_younger_types(newest, since)):
        found += later.items()
        since = {key: each for key, each in since.items() if key not in later}
    for key, entity in found:
        text = f"{key}: it came later than what stands behind it or is made of it; the spec has it as old as that"
        removed.append(Diagnostic(entity.span, text, severity="note"))
    return FirstReleases(since, deprecated, tuple(removed))


def _inserted(api: Api, since: Mapping[str, Version]) -> Iterator[tuple[str, Entity]]:
    """Members that came later than one that stands behind them, which moved it."""
    for struct in api.structs.values():
        behind: Version | None = None
        for member in () if struct.is_union else reversed(struct.fields or ()):
            key = f"{struct.name}.{member.name}"
            if behind is not None and key in since and since[key] > behind:
                yield key, member
            else:
                behind = since.get(key, _FIRST)


def _younger_types(api: Api, since: Mapping[str, Version]) -> Iterator[tuple[str, Entity]]:
    """Types that came later than what is made of them, which had another type then."""
    others: list[Typedef | Function] = [*api.typedefs.values(), *api.functions.values()]
    users = [(each.name, each.name, each.type) for each in others]
    for struct in api.structs.values():
        users += [(f"{struct.name}.{each.name}", struct.name, each.type) for each in struct.fields or ()]
    types: dict[str, Entity] = {**api.typedefs, **api.structs, **api.enums}
    for key, owner, type in users:
        age = since.get(key) or since.get(owner) or _FIRST
        for each in types_in(type):
            name = each.name if isinstance(each, NamedType) else getattr(each, "key", "")
            if name != key and name in types and since.get(name, _FIRST) > age:
                yield name, types[name]


def _came_with_its_struct(
    key: str, since: Mapping[str, Version], version: Version, before: Mapping[str, Entity]
) -> bool:
    """Whether a member is as old as the struct or enumeration that it is in, which says it for both."""
    owner, dot, _ = key.partition(".")
    return bool(dot) and (since.get(owner) == version or owner not in before)


def _entities(api: Api) -> Iterator[tuple[str, Entity]]:
    for group in _GROUPS:
        entities: Mapping[str, Entity] = getattr(api, group)
        yield from ((each.name, each) for each in entities.values() if each.in_api)
    for struct in api.structs.values():
        if struct.in_api:
            yield from ((f"{struct.name}.{each.name}", each) for each in struct.fields or ())
    for enum in api.enums.values():
        if enum.in_api:
            yield from ((f"{enum.name}.{each.name}", each) for each in enum.enumerators or ())
