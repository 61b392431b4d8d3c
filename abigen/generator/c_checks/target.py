"""Target `c-checks`: what the core's side of an API checks, so that nobody writes it by hand.

Per API, beside the path of its header:

- `api_asserts_1_0_0.h`, one for each release of the present major version: `static_assert`s of every size, alignment
  and offset that the release promised, for each kind of platform. It depends on nothing but what the API was at that
  release, so a later spec makes the same bytes; a spec that would change a number in it is refused. `api_asserts.h`
  includes all of them.
- `api_checks.h` and `api_checks.c`: a validator for each struct that a plugin fills, and a loader for each entry point.
  They hold tables of structs and members; `abigen/checks_v1.c`, which all APIs share, checks objects by these tables.

The checks are a pair of files, not a header alone: opening a library takes <windows.h> or <dlfcn.h>, whose macros and
names no header of an API should bring into every file of a core; and one object file holds the tables once. The asserts
are headers alone, because they are for every file, of the core and of plugins, and make no code.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from abigen.generator.c.lines import Speller, comment, file_beside, refuse_clashes, wrap_declaration
from abigen.generator.c_checks.validators import ChainCheck, Loader, Validator, Validators, loader_of
from abigen.generator.publication import BANNER, GeneratedFile, Publication
from abigen.generator.templates import Templates
from abigen.model.api import Api
from abigen.model.ctype import RecordType
from abigen.model.entities import Struct
from abigen.model.layout import FieldLayout, Layout, Layouts
from abigen.model.pattern import Pattern, parse_pattern
from abigen.model.releases import at_release, compatible_releases
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.spelling import include_guard
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
    """The name in C."""
    layouts: tuple[Layout, ...]
    """The offsets, one per group of platforms."""
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
    """The assertions of one release."""

    publication: Publication
    """The API as it was then."""
    release: Version | None
    """The release; None for an API without version."""
    path: str
    groups: tuple[tuple[str, ...], ...]
    """Families and single targets that lay out all structs alike."""
    layouts: tuple[Layouts, ...]
    """The layouts, one per group of platforms."""
    structs: tuple[StructAsserts, ...]


def asserts_file(header: str, release: Version | None) -> str:
    """Return the path of the asserts of a release; of all of them when it is None."""
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
    """Yield the places of members; members of structs that are declared inside have paths as names."""
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
    """Return the difference between two descriptions of a member, on the first platform where they differ."""
    if not new:
        return "was removed"
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


_SHARED = ("Finding", "FindingFn")
_PLAIN = string.ascii_letters.encode() + string.digits.encode() + b" !#$%&'()*+,-./:;<=>@[]^_`{|}~"


class Checks(msgspec.Struct, frozen=True, kw_only=True):
    """Validators and loaders of an API."""

    publication: Publication
    path: str
    """Of the header."""
    asserts: str
    """The header of all asserts; empty where nothing has a layout."""
    validators: tuple[Validator, ...]
    chains: tuple[ChainCheck, ...]
    patterns: Mapping[str, Pattern]
    """By how they are written."""
    loaders: tuple[Loader, ...]


def outputs(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Write the checks of an API; nothing for one that has no structs and no entry point.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: the API has a name that a check would have, or a template is wrong.
    """
    asserts = list(_asserts(publication, templates))
    yield from asserts
    checks = _checks(publication, asserts[-1].path if asserts else "")
    if checks.validators or checks.loaders:
        yield GeneratedFile(checks.path, templates.render("c-checks/checks.h.j2", _FILTERS, checks=checks))
        source = file_beside(publication.header.path, "_checks.c")
        yield GeneratedFile(source, templates.render("c-checks/checks.c.j2", _FILTERS, checks=checks))
        for path, text in templates.runtime("c-checks").items():
            banner = comment(f"{BANNER} its template runtime/c-checks/{path}; do not edit.")
            yield GeneratedFile(path, f"{banner}\n\n{text}", shared=True)


def contradictions(publication: Publication, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Find what past releases have promised and the spec would change.

    Args:
        publication: the API.
        old: path to text of the files that are there.
        new: path to text of those that are to take their place.
    """
    header, structs = publication.header, publication.api.structs
    told: set[str] = set()
    for release in compatible_releases(header.releases)[:-1]:
        path = asserts_file(header.path, release)
        hint = "append a member instead, or raise MAJOR, which ends the compatibility with older releases"
        if release.major == 0:
            hint = f"append a member instead; if no program relies on {release}, delete the file with its asserts"
        for type, member, text in broken_promises(old.get(path, ""), new.get(path, "")):
            if type not in told:
                told.add(type)
                struct = structs.get(type.rpartition(" ")[2])
                entity = (struct.member(member) or struct) if struct else None
                name = f"{type}.{member}" if member else type
                message = f"'{name}' {text}, but the layout of release {release} never changes"
                yield Diagnostic(entity.span if entity else None, message, hint)


def _asserts(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Yield the asserts of each release, and behind them the header that includes them."""
    header = publication.header
    files: list[str] = []
    numbers: list[int] = []
    for release in compatible_releases(header.releases) or (None,):
        asserts = release_asserts(publication, release)
        if asserts is not None:
            files.append(asserts.path)
            numbers.append(header.hidden_below(release))
            yield GeneratedFile(asserts.path, templates.render("c-checks/release.h.j2", _FILTERS, asserts=asserts))
    path = asserts_file(header.path, None)
    if files and header.releases:
        view: Mapping[str, object] = {"publication": publication, "path": path, "files": files, "numbers": numbers}
        yield GeneratedFile(path, templates.render("c-checks/asserts.h.j2", _FILTERS, **view))


def _checks(publication: Publication, asserts: str) -> Checks:
    api, header = publication.api, publication.header
    validators = Validators(publication)
    entries = [each for each in api.functions.values() if each.in_api and each.entry_point]
    loaders = tuple(loader_of(each, publication, validators) for each in entries)
    made = [each.function for each in validators.all]
    for each in loaders:
        made += [each.library, each.function, each.prepare, each.load, each.load_handle, each.load_entry, each.unload]
    made += [each.check_core for each in loaders if each.check_core]
    if made:
        made += [f"{header.prefix}_{each}" for each in _SHARED]
        refuse_clashes(dict.fromkeys(made, "is a name that target c-checks uses itself"), api, "rename it")
    patterns = (member.field.pattern for each in validators.all for member in each.members)
    return Checks(
        publication=publication,
        path=file_beside(header.path, "_checks.h"),
        asserts=asserts,
        validators=validators.all,
        chains=validators.chains,
        patterns={each: parse_pattern(each) for each in patterns if each},
        loaders=loaders,
    )


def _condition(directive: str, condition: str) -> str:
    """Return a conditional directive, broken at `||` with a backslash at the end of each line but the last."""
    return directive + " || \\\n    ".join(condition.split(" || ")) if len(condition) > 70 else directive + condition


def _quoted(text: Iterable[int]) -> str:
    """Return a C string literal of bytes; quotes, trigraphs and bytes beyond ASCII are escaped."""
    spelled = (chr(each) if each in _PLAIN else f"\\{each:03o}" for each in text)
    return f'"{"".join(spelled)}"'


_FILTERS: Mapping[str, Callable[..., object]] = {
    "comment": comment,
    "condition": _condition,
    "declaration": wrap_declaration,
    "guard": include_guard,
    "quoted": _quoted,
}
