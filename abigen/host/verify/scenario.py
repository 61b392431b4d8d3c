"""Which core is played: one release of the API or another, or one that could come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from abigen.model.api import Api
from abigen.model.contract import Party
from abigen.model.ctype import Array, Basic, Pointer
from abigen.model.entities import Field, Struct
from abigen.model.releases import at_release, releases_of
from abigen.model.version import Version

_EXTRA = Field(name="members of a later release", type=Array(Basic("char"), 64))


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A core as a plugin meets it."""

    name: str
    """`a core of release 0.1.0`."""
    api: Api
    """What it knows."""
    version: Version
    """What it says of itself."""
    imagined: bool = False
    """No such core has been released."""
    shorter: bool = False
    """Its structs end earlier than those of any core that has been released."""
    pages: bool = False
    """Behind each struct comes a page that nobody may touch, instead of bytes that tell who wrote there."""


def version_of(api: Api) -> Version:
    """The API's version; 0.0.0 when it states none."""
    return api.version.version if api.version is not None else Version(0, 0, 0)


def equal(api: Api) -> Iterator[Scenario]:
    """The core that was asked for."""
    version = version_of(api)
    name = f"a core of release {version}" if api.version is not None else "core"
    yield Scenario(name=name, api=api, version=version)


def equal_with_pages(api: Api) -> Iterator[Scenario]:
    """The core that was asked for, and those before it, with pages that nobody may touch behind their structs."""
    for each in (*equal(api), *older(api)):
        yield replace(each, pages=True)


def older(api: Api) -> Iterator[Scenario]:
    """The releases before it with the same MAJOR, the latest first."""
    version = version_of(api)
    for release in reversed(releases_of(api)):
        if release < version and release.major == version.major:
            yield Scenario(name=f"an older core, of release {release}", api=at_release(api, release), version=release)


def shortened(api: Api) -> Iterator[Scenario]:
    """A core whose structs end one member earlier, as if the last ones had come with this release.

    None where that cannot be: the API says of its members how old they are, or promises that it has not changed
    without a new version, which nobody does while MAJOR is 0 (Semantic Versioning 2.0.0, clause 4).
    """
    own = [struct for struct in api.structs.values() if struct.in_api]
    ages = [each.contract.lifecycle.since for struct in own for each in (struct, *(struct.fields or ()))]
    if version_of(api).major > 0 or any(ages):
        return
    structs = {key: _without_last(struct, api) for key, struct in api.structs.items()}
    if structs != dict(api.structs):
        name, known = "an older core, whose structs end one member earlier", replace(api, structs=structs)
        yield Scenario(name=name, api=known, version=version_of(api), imagined=True, shorter=True)


def newer(api: Api) -> Iterator[Scenario]:
    """A core of the next MINOR, with members that no plugin knows yet."""
    version = version_of(api)
    later = Version(version.major, version.minor + 1, 0)
    structs = {
        key: replace(struct, fields=(*(struct.fields or ()), _EXTRA)) if struct.is_versioned else struct
        for key, struct in api.structs.items()
    }
    name = f"a newer core, of release {later}"
    yield Scenario(name=name, api=replace(api, structs=structs), version=later, imagined=True)


def foreign(api: Api) -> Iterator[Scenario]:
    """Cores of the next MAJOR and of the one before."""
    version = version_of(api)
    for major in (version.major + 1, version.major - 1):
        if major >= 0:
            other = Version(major, 0, 0)
            yield Scenario(name=f"a core of another MAJOR, {other}", api=api, version=other, imagined=True)


def _without_last(struct: Struct, api: Api) -> Struct:
    """The struct without its last member, if that is one that the plugin fills and that others do not follow."""
    if not struct.is_versioned or not struct.in_api or not struct.fields:
        return struct
    *rest, last = struct.fields
    leading = (struct.size_member, api.conventions.extension_field)
    is_object = bool(last.allocated_by) and isinstance(api.resolve(last.type), Pointer)
    if last.filler is not Party.PLUGIN or is_object or all(each.name in leading for each in rest):
        return struct
    return replace(struct, fields=tuple(rest))
