"""What releases assert of their layout, on each platform: sizes, alignments and offsets that never change again."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from abigen.emit.c.names import Speller, file_beside
from abigen.emit.publication import Publication
from abigen.model.api import Api
from abigen.model.ctype import RecordType
from abigen.model.entities import Struct
from abigen.model.layout import FieldLayout, Layout, Layouts
from abigen.model.releases import at_release
from abigen.model.span import AbigenError
from abigen.model.target import find_target
from abigen.model.version import Version

_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "64 bits": (
        "x86_64-linux-gnu",
        "aarch64-linux-gnu",
        "aarch64-apple-darwin",
        "x86_64-windows-msvc",
        "x86_64-windows-gnu",
        "riscv64-linux-gnu",
        "powerpc64le-linux-gnu",
        "s390x-linux-gnu",
    ),
    "i386": ("i686-linux-gnu", "i386-apple-darwin"),
    "32 bits": ("i686-windows-msvc", "i686-windows-gnu", "armv7-linux-gnueabihf", "wasm32-wasi"),
}
"""Targets that lay out all but a few types alike. On i386 numbers of eight bytes are aligned to four.

The template knows how the preprocessor tells them apart. Where it knows no target, nothing is known of the layout and
nothing is asserted.
"""


class StructAsserts(msgspec.Struct, frozen=True, kw_only=True):
    """A struct whose members must stay where they are. Later releases may append to one that is versioned: its size
    and alignment hold for this release only."""

    struct: Struct
    type: str
    """As C names it."""
    layouts: tuple[Layout, ...]
    """One per group of platforms."""
    places: tuple[tuple[FieldLayout, ...], ...]
    """For each of those all members, those of structs that are written down in it by their paths."""

    @property
    def members(self) -> Iterator[tuple[FieldLayout, ...]]:
        """The members that C can ask about: neither bit-fields nor those without a name; for each group of platforms.

        The size of an array without length is asserted by nobody.
        """
        for places in zip(*self.places, strict=True):
            if places[0].name and places[0].field.bit_width is None:
                yield places


class ReleaseAsserts(msgspec.Struct, frozen=True, kw_only=True):
    """All that one release asserts."""

    publication: Publication
    """The API as it was then."""
    release: Version | None
    """None for an API without version."""
    path: str
    groups: tuple[tuple[str, ...], ...]
    """Families and single targets that lay out all structs alike."""
    layouts: tuple[Layouts, ...]
    """One per group of platforms."""
    structs: tuple[StructAsserts, ...]


def asserts_file(header: str, release: Version | None) -> str:
    """The path of the asserts of a release; of all of them when it is None."""
    number = f"_{release.major}_{release.minor}_{release.patch}" if release else ""
    return file_beside(header, f"_asserts{number}.h")


def release_asserts(publication: Publication, release: Version | None) -> ReleaseAsserts | None:
    """Make the asserts of one release: of nothing but what the API was then, so that they never change again.

    Args:
        publication: the API, of this release or of a later one.
        release: one of its releases; None for an API without any.

    Returns:
        None when the API had no structs then.

    Raises:
        AbigenError: a struct has no layout on some platform.
    """
    if release:
        publication = replace(publication, api=at_release(publication.api, release))
    api = publication.api
    own = [each for each in api.structs.values() if each.in_api and each.fields]
    own = [each for each in own if not api.is_of_system(RecordType(each.name))]  # others promise nothing
    structs = [each for each in own if not each.anonymous]
    if not structs:
        return None
    groups = _groups(api, [each.name for each in own])
    declare = Speller(api).declare
    return ReleaseAsserts(
        publication=publication,
        release=release,
        path=asserts_file(publication.header.path, release),
        groups=tuple(names for names, _ in groups),
        layouts=tuple(layouts for _, layouts in groups),
        structs=tuple(
            StructAsserts(
                struct=each,
                type=declare(RecordType(each.name)),
                layouts=tuple(layouts.of(each.name) for _, layouts in groups),
                places=tuple(tuple(_places(each.name, layouts)) for _, layouts in groups),
            )
            for each in structs
        ),
    )


def broken_promises(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """Find what a file of asserts would no longer promise, or promise otherwise.

    Args:
        old: the file that is there; empty for none.
        new: what is to take its place.

    Returns:
        Struct, member (empty for the struct as a whole), and how they differ, for what differs, in the order of `old`.
    """
    made = _promises(new)
    for (type, member), kinds in _promises(old).items():
        if text := _difference(kinds, made.get((type, member), {})):
            yield type, member, text


def _groups(api: Api, keys: list[str]) -> list[tuple[tuple[str, ...], Layouts]]:
    """Families and single targets on which all structs have equal layouts, and the layouts.

    A target that lacks some type of the API is none that the API is for.
    """
    found: dict[Hashable, tuple[list[str], Layouts]] = {}
    refusal: AbigenError | None = None
    for family, targets in _FAMILIES.items():
        alike: dict[Hashable, tuple[list[str], Layouts]] = {}
        for target in targets:
            layouts = Layouts(api, find_target(target))
            try:
                numbers = tuple(_numbers_of(key, layouts) for key in keys)
            except AbigenError as error:
                refusal = error
                continue
            alike.setdefault(numbers, ([], layouts))[0].append(target)
        for same, (names, layouts) in alike.items():
            found.setdefault(same, ([], layouts))[0].extend([family] if len(names) == len(targets) else names)
    if not found and refusal is not None:
        raise refusal
    return [(tuple(names), layouts) for names, layouts in found.values()]


def _numbers_of(key: str, layouts: Layouts) -> Hashable:
    layout = layouts.of(key)
    return (
        layout.size,
        layout.alignment,
        tuple((each.offset, each.size, each.bit_offset) for each in _places(key, layouts)),
    )


def _places(key: str, layouts: Layouts, path: str = "", offset: int = 0) -> Iterator[FieldLayout]:
    """Where members stand, those of structs that are written down in a struct by their paths."""
    for each in layouts.of(key).fields:
        name, place = f"{path}{each.name}", offset + each.offset
        yield each._replace(name=name if each.name else "", offset=place)
        inner = layouts.api.struct_of(each.field.type)
        if inner is not None and inner.anonymous:
            yield from _places(inner.name, layouts, f"{name}." if each.name else path, place)


_STATEMENT = re.compile(r"^\w+_(OFFSET|MEMBER_SIZE|SIZE|ALIGNMENT)\(([^;]*?),\s*\w+_PICK\(([^()]*)\)\);$", re.MULTILINE)
_CONDITION = re.compile(r"^#(?:el)?if (.*?)\n#define \w+_PICK\(", re.MULTILINE | re.DOTALL)
_KINDS = {"MEMBER_SIZE": "size", "OFFSET": "offset", "SIZE": "size", "ALIGNMENT": "alignment"}


def _difference(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> str:
    """How two descriptions of a member differ on the first platform where they do."""
    if not new:
        return "is no longer there"
    for condition in next(iter(old.values())):
        for kind in (each for each in _KINDS if each in old):
            was, now = old[kind].get(condition), new.get(kind, {}).get(condition)
            if was and now and was != now:
                return f"has another {_KINDS[kind]}, {was} before and {now} now"
    return ""


def _promises(text: str) -> dict[tuple[str, str], dict[str, dict[str, str]]]:
    """Struct and member to kind of number to condition to the number that holds under it."""
    conditions = [" ".join(each.replace("\\\n", " ").split()) for each in _CONDITION.findall(text)]
    found: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for kind, what, numbers in _STATEMENT.findall(text):
        type, _, member = " ".join(what.split()).partition(", ")
        values = (each.strip() for each in numbers.split(","))
        found.setdefault((type, member), {})[kind] = dict(zip(conditions, values, strict=False))
    return found
