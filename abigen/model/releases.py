"""The API through time: what it was at each release, computed from what each entity says of its own age."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from abigen.model.api import Api, Header
from abigen.model.ctype import Binary, CType, Expression, NamedType, OffsetOf, RecordType, SizeOfMember
from abigen.model.entities import Entity, Enum, Enumerator, SizeConstant, Struct
from abigen.model.version import Version

AnyEntity = TypeVar("AnyEntity", bound=Entity)
_OTHERS = ("typedefs", "functions", "variables", "constants", "macros")
"""The mappings of `Api` whose entities have no parts of an age of their own."""


class SizeStep(msgspec.Struct, frozen=True):
    """From a release on, a struct reaches up to the end of this member; None stands for the beginning."""

    since: Version | None
    last_member: str


def releases_of(api: Api) -> tuple[Version, ...]:
    """Return all releases that the spec lists or that the API's own entities name, and the current one.

    Args:
        api: any API.

    Returns:
        In rising order; empty when nothing states a version.
    """
    found: set[Version] = {api.version.version} if api.version else set()
    found.update(api.header.releases if api.header else ())
    for entity in _own_entities(api):
        if entity.contract.lifecycle.since:
            found.add(entity.contract.lifecycle.since)
        if entity.contract.lifecycle.deprecated_since:
            found.add(entity.contract.lifecycle.deprecated_since)
    return tuple(sorted(found))


def size_steps(struct: Struct) -> tuple[SizeStep, ...]:
    """Return the growth of a struct: the smallest valid size of each release is the end of that release's last member.

    Args:
        struct: a struct with members in the order of their age.

    Returns:
        One step per release that appended to it, the oldest first; empty without members. A release between two steps
        has the size of the earlier one.
    """
    steps: list[SizeStep] = []
    for member in struct.fields or ():
        since = member.contract.lifecycle.since
        if steps and (since is None or since == steps[-1].since or since == struct.contract.lifecycle.since):
            since = steps.pop().since
        elif not steps:
            since = since or struct.contract.lifecycle.since
        steps.append(SizeStep(since, member.name))
    return tuple(steps)


def compatible_releases(releases: tuple[Version, ...]) -> tuple[Version, ...]:
    """Return the releases with the major version that an API has now: what older ones promised holds no longer.

    Args:
        releases: of the API, in rising order; none for an API without version.
    """
    return tuple(each for each in releases if each.major == releases[-1].major)


def end_of_member(struct: CType, member: str) -> Expression:
    """Return the unpadded size of a struct that ends with a member: `offsetof(T, m) + sizeof(((T*)0)->m)`, in bytes.

    Args:
        struct: the type T.
        member: the name of its last member.
    """
    return Binary("+", OffsetOf(struct, (member,)), SizeOfMember(struct, (member,)))


def struct_forms(struct: Struct, api: Api) -> list[tuple[int, Struct, Api]]:
    """Return the forms of a struct: each value of the release macro from which on it ends with a certain member.

    Args:
        struct: a struct of the API.
        api: the API; has a header.

    Returns:
        The value, with the struct and the API as they were then, the newest first; today's only without such a macro.
    """
    assert api.header
    forms = [(0, struct, api)]
    for release in reversed(api.header.releases if api.header.release_macro and struct.fields else ()):
        then = at_release(api, release)
        past = then.structs.get(struct.name)
        if past and past.fields and struct.fields:
            is_same = past.fields[-1].name == (forms[-1][1].fields or struct.fields)[-1].name
            forms[-1 if is_same else len(forms) :] = [(release.number, past, then)]
    return forms


def at_release(api: Api, release: Version) -> Api:
    """Return the API as it was at a release.

    What is newer is absent, deprecations that came later are not marked yet, size constants end at the member that was
    last then, and the version is the release's. Entities of other APIs stay as they are.

    Args:
        api: the API today.
        release: one of its releases.
    """
    structs = {key: _struct_then(each, release) for key, each in _existing(api.structs, release).items()}
    enums = {key: _enum_then(each, release) for key, each in _existing(api.enums, release).items()}
    sizes = {
        key: _size_then(each, structs[each.struct])
        for key, each in _existing(api.size_constants, release).items()
        if each.struct in structs
    }
    others: dict[str, Any] = {kind: _existing(getattr(api, kind), release) for kind in _OTHERS}
    names = {name for group in (structs, enums, sizes, *others.values()) for name in group}
    return replace(
        api,
        structs=structs,
        enums=enums,
        size_constants=sizes,
        version=replace(api.version, version=release) if api.version else None,
        header=_header_then(api.header, release, names) if api.header else None,
        **others,
    )


def _own_entities(api: Api) -> Iterable[Entity]:
    for struct in api.structs.values():
        if struct.in_api:
            yield struct
            yield from struct.fields or ()
    for enum in api.enums.values():
        if enum.in_api:
            yield enum
            yield from enum.enumerators or ()
    for kind in _OTHERS:
        yield from (each for each in getattr(api, kind).values() if each.in_api)


def _is_there(entity: Entity, release: Version) -> bool:
    return not entity.in_api or entity.contract.lifecycle.since is None or entity.contract.lifecycle.since <= release


def _existing(entities: Mapping[str, AnyEntity], release: Version) -> dict[str, AnyEntity]:
    return {key: _marked_then(each, release) for key, each in entities.items() if _is_there(each, release)}


def _marked_then(entity: AnyEntity, release: Version) -> AnyEntity:
    """Return the entity without a deprecation that came later."""
    lifecycle = entity.contract.lifecycle
    if not entity.in_api or lifecycle.deprecated_since is None or lifecycle.deprecated_since <= release:
        return entity
    lifecycle = replace(lifecycle, deprecated=False, deprecated_since=None, replaced_by="")
    return replace(entity, contract=replace(entity.contract, lifecycle=lifecycle))


def _struct_then(struct: Struct, release: Version) -> Struct:
    if struct.fields is None or not struct.in_api:
        return struct
    return replace(
        struct, fields=tuple(_marked_then(each, release) for each in struct.fields if _is_there(each, release))
    )


def _enum_then(enum: Enum, release: Version) -> Enum:
    if enum.enumerators is None or not enum.in_api:
        return enum
    kept: list[Enumerator] = []
    for each in enum.enumerators:
        if _is_there(each, release):
            implicit = kept[-1].value + 1 if kept else 0
            value = each.value if each.expression is not None else implicit
            kept.append(_marked_then(replace(each, value=value), release))
    return replace(enum, enumerators=tuple(kept))


def _size_then(size: SizeConstant, struct: Struct) -> SizeConstant:
    if not size.last_member or not struct.fields or not size.in_api:
        return size
    last = struct.fields[-1].name
    name = NamedType(struct.typedef_names[0]) if struct.typedef_names else RecordType(size.struct)
    return replace(size, last_member=last, expression=end_of_member(name, last))


def _header_then(header: Header, release: Version, names: set[str]) -> Header:
    return replace(
        header,
        cases={name: cases for name, cases in header.cases.items() if name in names},
        size_macros={struct: macro for struct, macro in header.size_macros.items() if struct in names},
        guarded=tuple(name for name in header.guarded if name in names),
        unexported=tuple(name for name in header.unexported if name in names),
        releases=tuple(each for each in header.releases if each <= release),
        order=tuple(entry for entry in header.order if entry[1] in names),
    )
