"""The header of helpers beside an API's own: sizes per release, HAS_FIELD, and initialisers that respect sizes.

The two sides of an API may know structs of different length. Reading a member that the other side does not have, and
writing a whole struct into an object that the other side allocated, are the two mistakes that this prevents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from abigen.emit.c.names import Speller, file_beside, refuse_clashes, with_suffix
from abigen.emit.publication import Publication
from abigen.model.api import Api, Header
from abigen.model.ctype import Array, Basic, BitInt, CType, NamedType, Pointer, RecordType, Vector
from abigen.model.entities import Field, Struct
from abigen.model.extensions import ExtensionKind, extension_kind
from abigen.model.identifiers import STANDARD_TYPES, include_guard, screaming_snake
from abigen.model.releases import size_steps, struct_forms
from abigen.model.span import AbigenError
from abigen.model.version import Version


class ReleaseSize(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest valid size of a struct as of a release: up to the end of `last_member`."""

    name: str
    last_member: str
    number: int
    """The value of the release macro from which on it is there; 0 where no value hides it."""


class ZeroValue(msgspec.Struct, frozen=True, kw_only=True):
    """The zero of a type, as C99 and C++11 both take it in a constant initialiser. One of the three is set."""

    name: str = ""
    """`0`, `NULL`, or what else stands for it."""
    cast: str = ""
    """The type to which 0 has to be cast."""
    elements: tuple[ZeroValue, ...] = ()
    """The values of an array or a struct."""


class StructForm(msgspec.Struct, frozen=True, kw_only=True):
    """What a value of the release macro makes of a struct; there is one of them without such a macro."""

    number: int
    """The value from which on it is so; 0 without such a macro."""
    last_member: str
    zero: ZeroValue | None
    """What the initializer stands for: the size, and zeros."""


class StructHelpers(msgspec.Struct, frozen=True, kw_only=True):
    """Helpers of one versioned struct."""

    struct: str
    size_field: str
    last_member: str
    number: int
    """The value of the release macro from which on it is there; 0 where no value hides it."""
    forms: tuple[StructForm, ...]
    """The newest first."""
    releases: tuple[ReleaseSize, ...]
    has_field: str
    """Name of the macro that tells whether an object has a member."""
    end_of: str
    """What the names of macros begin with that say where its members end."""
    ends: tuple[tuple[str, str], ...]
    """These members, each with the one that begins behind it if it is a bit-field, else empty; none where there are no
    bit-fields, for then a macro for all members can ask the compiler."""
    has: str
    """Name of the macro that tells whether it has one that is not zero."""
    init: str
    """Name of the function."""
    start: str
    """Name of the shared function that it calls."""
    kind: ExtensionKind | None
    """What it says of itself besides its size, if it is an extension."""
    initializer: str
    """Name of the macro; empty when the struct holds something that cannot be initialised by a constant."""


class StartFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function that begins an object whose size has a certain type; all headers of a prefix may define it."""

    name: str
    guard: str
    size_type: str


class Helpers(msgspec.Struct, frozen=True, kw_only=True):
    """The header of helpers, and what it shares with those of the other APIs of the same prefix."""

    path: str
    banner: tuple[str, ...]
    guard: str
    includes: tuple[str, ...]
    """The API's own header."""
    inline: str
    """Name of the macro that declares functions in headers."""
    checked: str
    """Name of the macro that takes pointers to one struct only."""
    starts: tuple[StartFunction, ...]
    offset_of_end: str
    release_macro: str
    """Name of the macro that hides what came later; empty for none."""
    structs: tuple[StructHelpers, ...]


def helpers_of(publication: Publication) -> Helpers | None:
    """Make the helpers of an API's versioned structs.

    Args:
        publication: the API.

    Returns:
        None when no struct of the API is versioned.

    Raises:
        AbigenError: the API has given the name of a helper to something else.
    """
    api, header = publication.api, publication.header
    structs = [struct for struct in api.structs.values() if struct.name in header.size_macros and struct.fields]
    if not structs:
        return None
    speller = Speller(api)
    size_types = {struct.name: speller.declare(size_type(struct, api)) for struct in structs}
    starts = {each: _start(header.prefix, each) for each in sorted(set(size_types.values()))}
    path = file_beside(header.path, "_helpers.h")
    helpers = Helpers(
        path=path,
        banner=publication.banner,
        guard=include_guard(path),
        includes=header.published,
        inline=f"{header.prefix}_INLINE",
        checked=f"{header.prefix}_POINTER_TO",
        starts=tuple(starts.values()),
        offset_of_end=header.offset_of_end,
        release_macro=header.release_macro,
        structs=tuple(_of_struct(struct, api, header, starts[size_types[struct.name]].name) for struct in structs),
    )
    _check_names(helpers, api)
    return helpers


def size_type(struct: Struct, api: Api) -> CType:
    """The type of the member in which a versioned struct carries its size: its first, or that of its first's first."""
    type = (struct.fields or ())[0].type
    while (base := api.struct_of(type)) is not None and base.fields:
        type = base.fields[0].type
    return type


def _start(prefix: str, size_type: str) -> StartFunction:
    suffix = "" if size_type == "size_t" else "_" + re.sub(r"\W+", "_", size_type)
    name = f"{prefix}_StartStruct{suffix}"
    return StartFunction(name=name, guard=f"{screaming_snake(name)}_DEFINED", size_type=size_type)


def _of_struct(struct: Struct, api: Api, header: Header, start: str) -> StructHelpers:
    assert struct.fields
    size_macro = header.size_macros[struct.name]
    stem = size_macro.removesuffix("_STRUCT_SIZE")
    if stem == size_macro:
        stem = screaming_snake(struct.name)
    ends = tuple(_ends(struct, api))
    forms = tuple(_form(number, then, past, size_macro) for number, then, past in struct_forms(struct, api))
    return StructHelpers(
        struct=Speller(api).declare(RecordType(struct.name)),
        size_field=struct.size_member,
        last_member=struct.fields[-1].name,
        number=header.hidden_below(struct.contract.lifecycle.since),
        forms=forms,
        releases=tuple(
            ReleaseSize(
                name=f"{size_macro}_{each.major}_{each.minor}_{each.patch}",
                last_member=last,
                number=header.hidden_below(each),
            )
            for each, last in release_sizes(struct, header.releases)
        ),
        has_field=f"{stem}_HAS_FIELD",
        end_of=f"{stem}_END_OF_",
        ends=ends if any(behind for _, behind in ends) else (),
        has=f"{stem}_HAS",
        init=with_suffix(struct.name, "Init"),
        start=start,
        kind=extension_kind(struct, api),
        initializer=f"{stem}_INITIALIZER" if all(each.zero for each in forms) else "",
    )


def _ends(struct: Struct, api: Api, behind: str = "") -> Iterator[tuple[str, str]]:
    """The members that a name reaches, each with the plain one behind it if it is a bit-field; see `StructHelpers`.

    Args:
        struct: the struct, or one that a member without a name is.
        api: the API.
        behind: the plain member that begins behind the struct.
    """
    found: list[tuple[str, str]] = []
    for each in reversed(struct.fields or ()):
        inner = api.struct_of(each.type) if not each.name else None
        if inner is not None:
            new = [*_ends(inner, api, behind)]
        else:
            new = [(each.name, behind if each.bit_width is not None else "")] if each.name else []
        found = [*new, *found]
        if not struct.is_union:  # alternatives lie in one place, and not behind each other
            behind = next((name for name, end in new if not end), behind)
    yield from found


def _form(number: int, struct: Struct, api: Api, size_macro: str) -> StructForm:
    assert struct.fields
    kind = extension_kind(struct, api)
    said = {struct.size_member: size_macro} | ({kind.member: kind.value} if kind else {})
    zeros = _zeros(struct.fields, api, said)
    zero = ZeroValue(elements=zeros) if zeros is not None else None
    return StructForm(number=number, last_member=struct.fields[-1].name, zero=zero)


def release_sizes(struct: Struct, releases: tuple[Version, ...]) -> list[tuple[Version, str]]:
    """The smallest valid sizes of a struct: each release that has it, with the last member that it has there.

    Args:
        struct: a versioned struct.
        releases: in rising order.
    """
    born = struct.contract.lifecycle.since
    there = [each for each in releases if born is None or born <= each]
    steps = size_steps(struct)
    reached = [[step for step in steps if step.since is None or step.since <= each] for each in there]
    return [(each, past[-1].last_member) for each, past in zip(there, reached, strict=True) if past]


def _zeros(
    members: tuple[Field, ...], api: Api, said: Mapping[str, str] = {}, path: str = ""
) -> tuple[ZeroValue, ...] | None:
    """The zeros of members that take a value; None when one has none that could be written (a `va_list`).

    Args:
        members: of one struct.
        api: the API.
        said: what the members at some paths are instead.
        path: what stands before the names of the members.
    """
    values = [
        ZeroValue(name=said[path + each.name])
        if path + each.name in said
        else _zero(each.type, api, said, f"{path}{each.name}." if each.name else path)
        for each in members
        if _is_initialised(each)
    ]
    known = tuple(each for each in values if each is not None)
    return known if len(known) == len(values) else None


def _is_initialised(member: Field) -> bool:
    """Unnamed bit-fields and flexible arrays take no value (C 6.7.9 paragraph 9, 6.7.2.1 paragraph 18)."""
    unnamed = member.bit_width is not None and not member.name
    return not unnamed and not (isinstance(member.type, Array) and member.type.length is None)


def _zero(type: CType, api: Api, said: Mapping[str, str] = {}, path: str = "") -> ZeroValue | None:
    resolved = api.resolve(type)
    if isinstance(resolved, Pointer):
        return ZeroValue(name="NULL")
    if isinstance(resolved, (Basic, BitInt)):
        return None if resolved == Basic("__builtin_va_list") else ZeroValue(name="0")
    if isinstance(resolved, NamedType):
        plain = resolved.name in STANDARD_TYPES and resolved.name != "va_list"
        return ZeroValue(name="0") if plain else None
    if isinstance(resolved, (Array, Vector)):
        element = _zero(resolved.element, api)
        return ZeroValue(elements=(element,)) if element else None
    enum = api.enum_of(resolved)
    if enum is not None:
        name = next((each.name for each in enum.enumerators or () if each.value == 0), "")
        return ZeroValue(name=name, cast="" if name else Speller(api).declare(resolved))
    record = api.struct_of(resolved)
    if record is None or not record.fields:
        return None
    members = tuple(each for each in record.fields if _is_initialised(each))
    values = _zeros(members[:1] if record.is_union else members, api, said, path)
    return ZeroValue(elements=values) if values else None


def _check_names(helpers: Helpers, api: Api) -> None:
    """Refuse names that the API uses itself, and names that two helpers would have."""
    made: dict[str, str] = {}
    for name, purpose in _made(helpers):
        if name in made:
            message = f"two helpers would be called `{name}`: {made[name]}, and {purpose}"
            raise AbigenError.at(None, message, "set size_macro on one of the structs")
        made[name] = purpose
    what = "is the name of a helper that the header defines"
    refuse_clashes({name: f"{what}: {purpose}" for name, purpose in made.items()}, api, "give it another name")


def _made(helpers: Helpers) -> Iterator[tuple[str, str]]:
    """Name and purpose of everything that the helpers define."""
    yield helpers.inline, "how functions in headers are declared"
    yield helpers.checked, "what takes pointers to one struct only"
    for start in helpers.starts:
        yield start.name, "what all initialisers share"
        yield start.guard, f"whether `{start.name}` has been defined"
    for each in helpers.structs:
        yield each.has_field, f"whether a `{each.struct}` has a member"
        for member, _ in each.ends:
            yield f"{each.end_of}{member}", f"where `{member}` of a `{each.struct}` ends"
        yield each.has, f"whether a member of a `{each.struct}` is set"
        yield each.init, f"the initialiser of `{each.struct}`"
        if each.initializer:
            yield each.initializer, f"the constant initialiser of `{each.struct}`"
        for release in each.releases:
            yield release.name, f"the smallest size of `{each.struct}` in a release"
