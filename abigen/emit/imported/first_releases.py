"""When each entity of an API came, and when it was marked as deprecated, from the header of every release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from abigen.model.api import Api
from abigen.model.entities import Entity
from abigen.model.span import Diagnostic
from abigen.model.version import Version

_GROUPS = ("typedefs", "functions", "constants", "macros", "structs", "enums")


@dataclass(frozen=True)
class FirstReleases:
    """What a history says of the entities of its last release, by name or `Struct.member`."""

    since: Mapping[str, Version]
    """What is absent is as old as the first release."""
    deprecated: Mapping[str, Version]
    removed: tuple[Diagnostic, ...]
    """What existed once and does not any more: a spec has no place for it."""


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
    return FirstReleases(since, deprecated, tuple(removed))


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
