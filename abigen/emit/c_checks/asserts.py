"""What a release asserts of its layout: sizes, alignments and offsets, on each platform."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from abigen.emit.c.types import Speller
from abigen.emit.c_checks.platforms import FAMILIES, Platform
from abigen.emit.publication import Publication
from abigen.model.api import Api, Header
from abigen.model.ctype import Array, RecordType
from abigen.model.entities import Struct
from abigen.model.layout import Layout, Layouts
from abigen.model.releases import at_release
from abigen.model.span import AbigenError
from abigen.model.target import find_target
from abigen.model.version import Version


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """A number of bytes, one per group of platforms."""

    values: tuple[int, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.values))


@dataclass(frozen=True, kw_only=True)
class MemberAsserts:
    """A member that must stay where it is; `size` is None for an array without length."""

    name: str
    offset: Numbers
    size: Numbers | None


@dataclass(frozen=True, kw_only=True)
class StructAsserts:
    """A struct whose members must stay where they are."""

    type: str
    """As C names it."""
    grows: bool
    """Whether later releases may append to it: its size and alignment hold for this release only."""
    size: Numbers
    alignment: Numbers
    members: tuple[MemberAsserts, ...]


@dataclass(frozen=True, kw_only=True)
class ReleaseAsserts:
    """All that one release asserts."""

    path: str
    include: str
    banner: tuple[str, ...]
    guard: str
    prefix: str
    """What its macros begin with; they are gone at the end of the file."""
    release: str
    """`1.0.0`; empty for an API without version."""
    is_current: str
    """What the preprocessor asks to know that the header is of this very release; empty when it cannot know."""
    conditions: tuple[str, ...]
    """One per group of platforms."""
    structs: tuple[StructAsserts, ...]


def release_asserts(publication: Publication, release: Version | None, path: str, guard: str) -> ReleaseAsserts | None:
    """Make the asserts of one release: of nothing but what the API was then, so that they never change again.

    Args:
        publication: the API, of this release or of a later one.
        release: one of its releases; None for an API without any.
        path: of the file.
        guard: its include guard.

    Returns:
        None when the API had no structs then.

    Raises:
        AbigenError: a struct has no layout on some platform.
    """
    api = at_release(publication.api, release) if release else publication.api
    header = api.header
    assert header is not None, "only specs say how they are published"
    structs = [struct for struct in api.structs.values() if struct.in_api and struct.fields and _has_name(struct)]
    if not structs:
        return None
    groups = _groups(api, structs)
    speller = Speller(api)
    number = f"_{release.major}_{release.minor}_{release.patch}" if release else ""
    return ReleaseAsserts(
        path=path,
        include=header.path,
        banner=publication.banner,
        guard=guard,
        prefix=f"{header.prefix}{number}",
        release=str(release or ""),
        is_current=_is_current(header, release),
        conditions=tuple(condition for condition, _ in groups),
        structs=tuple(_of_struct(struct, [each for _, each in groups], header, speller) for struct in structs),
    )


def _has_name(struct: Struct) -> bool:
    return bool(struct.tag or struct.typedef_names)


def _is_current(header: Header, release: Version | None) -> str:
    if release is None or len(header.version_macros) != 3:
        return ""
    numbers = (release.major, release.minor, release.patch)
    return " && ".join(f"{name} == {number}" for name, number in zip(header.version_macros, numbers, strict=True))


def _groups(api: Api, structs: Iterable[Struct]) -> list[tuple[str, Layouts]]:
    """Platforms on which all structs have equal layouts: what tells them from others, and the layouts.

    A platform that lacks some type of the API is none that the API is for.
    """
    keys = [struct.name for struct in structs]
    found: dict[Hashable, tuple[list[str], Layouts]] = {}
    refusal: AbigenError | None = None
    for family in FAMILIES:
        alike: dict[Hashable, tuple[list[Platform], Layouts]] = {}
        for platform in family.members:
            layouts = Layouts(api, find_target(platform.target))
            try:
                numbers = tuple(_numbers_of(layouts.of(key)) for key in keys)
            except AbigenError as error:
                refusal = error
                continue
            alike.setdefault(numbers, ([], layouts))[0].append(platform)
        for shape, (platforms, layouts) in alike.items():
            whole = len(platforms) == len(family.members)
            conditions = [family.condition] if whole else [each.condition for each in platforms]
            found.setdefault(shape, ([], layouts))[0].extend(conditions)
    if not found and refusal is not None:
        raise refusal
    return [(_any(conditions), layouts) for conditions, layouts in found.values()]


def _numbers_of(layout: Layout) -> Hashable:
    return layout.size, layout.alignment, tuple((each.offset, each.size) for each in layout.fields)


def _any(conditions: list[str]) -> str:
    if len(conditions) == 1:
        return conditions[0]
    return " || ".join(f"({each})" if "&&" in each and "||" not in each else each for each in conditions)


def _of_struct(struct: Struct, groups: list[Layouts], header: Header, speller: Speller) -> StructAsserts:
    layouts = [each.of(struct.name) for each in groups]
    return StructAsserts(
        type=speller.declare(RecordType(struct.name)),
        grows=struct.name in header.size_macros,
        size=_numbers(each.size for each in layouts),
        alignment=_numbers(each.alignment for each in layouts),
        members=tuple(_members(layouts)),
    )


def _members(layouts: list[Layout]) -> Iterator[MemberAsserts]:
    """The members that C can ask about: neither bit-fields nor those without a name."""
    for places in zip(*(each.fields for each in layouts), strict=True):
        member = places[0].field
        if not member.name or member.bit_width is not None:
            continue
        endless = isinstance(member.type, Array) and member.type.length is None
        size = None if endless else _numbers(each.size for each in places)
        yield MemberAsserts(name=member.name, offset=_numbers(each.offset for each in places), size=size)


def _numbers(values: Iterable[int]) -> Numbers:
    return Numbers(values=tuple(values))
