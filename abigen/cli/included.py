"""The headers that become specs, and the files that they include and that belong to their API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from abigen.files import Files, absolute
from abigen.links import is_below
from abigen.model.api import Api, ApiSet
from abigen.read.options import ReadOptions

_CONDITIONS = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b(.*)$", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


class ImportedHeader(msgspec.Struct, frozen=True):
    """One header that becomes a spec."""

    name: str
    operand: str
    path: str
    """By which users include it."""
    read: ApiSet
    uses: tuple[str, ...]
    """Names of the specs of what it includes."""
    inner: tuple[str, ...]
    """By which it includes these."""
    options: ReadOptions
    """How it was read: what another header includes, as that one has configured it."""


def following(read: ApiSet) -> Iterator[str]:
    """The files that a header includes behind its first declaration: they need what it declares, and are part of it.

    What it includes below a condition, or from the system, is none of them.
    """
    from abigen.emit.imported.keys import way_to
    from abigen.read.c.preprocessor.lexemes import outline_of

    api = read.groups[0].api
    written = {one for text in read.sources.values() for one in outline_of(text).includes}
    groups = (api.typedefs, api.structs, api.enums, api.functions)
    places = [way_to(each.span, api) for group in groups for each in group.values() if each.in_api and each.span]
    for each in api.included:
        if each.place is None or each.is_system or each.place.file not in api.files or each.file in api.files:
            continue
        if each.name in written and each.name[0] == '"' and places and min(places) < way_to(each.place, api):
            yield each.file


def companions(read: ApiSet, include_dirs: Sequence[str], files: Files) -> list[str]:
    """The files of one's own that a header includes in quotes, or takes types or macros from: below its folder or -I.

    What the system has is none of them, also where -I names a folder of the system's, as for compilers.
    """
    api = read.groups[0].api
    own = {*api.files, *(each.file for each in api.included if each.is_system)}
    words = set(_WORD.findall("\n".join(read.sources.values())))
    folders = [*include_dirs, *(str(Path(each).parent) for each in api.files if files.is_file(each))]
    roots = [*map(files.real, folders), *map(absolute, folders)]  # what is included may lie behind a link
    groups = (api.typedefs, api.structs, api.enums, api.macros, api.constants)
    named = [each.span.file for group in groups for each in group.values() if each.span and each.name in words]
    found = []
    quoted = [each for each in api.included if each.name[:1] == '"' and not {*each.by}.isdisjoint(api.files)]
    beside = {each.file for each in quoted if ".." in each.name.strip('"').split("/")}
    for file in dict.fromkeys((*named, *(each.file for each in quoted))):
        is_reached = any(is_below(place, root) for root in roots for place in (files.real(file), absolute(file)))
        if file not in own and files.is_file(file) and (is_reached or file in beside):
            found.append(file)
    return found


def including_itself(read: ApiSet, operand: str, roots: Sequence[str]) -> Iterator[str]:
    """Yield the names by which a header includes itself and those that are part of it."""
    from abigen.read.c.preprocessor.lexemes import outline_of

    own = {absolute(each) for each in (operand.rpartition(":")[2], *read.sources, *read.groups[0].api.files)}
    for file, text in read.sources.items():
        for each in outline_of(text).includes:
            beside = [str(Path(file).parent)] if each[0] == '"' else []
            folders = [folder or "." for folder in (*beside, *roots)]
            if any(absolute(Path(folder, each[1:-1])) in own for folder in folders):
                yield each[1:-1]


def path_in(path: str, include_dirs: Iterable[str]) -> str:
    """What stands between the quotes where a header is included: no name that a header of the system's has."""
    from abigen.read.spec.header_plan import SYSTEM_HEADERS

    whole, folders = Path(absolute(path)), [Path(absolute(each)) for each in include_dirs]
    found = [whole.relative_to(each).as_posix() for each in folders if whole.is_relative_to(each)]
    found = found or [PurePosixPath(path).name]
    return next((each for each in found if not SYSTEM_HEADERS.fullmatch(each)), found[0])


def declaring(files: Iterable[str], api: Api) -> list[str]:
    """Those of some files that declare anything."""
    groups = (api.functions, api.structs, api.enums, api.typedefs, api.constants, api.macros, api.variables)
    found = {absolute(each.span.file) for group in groups for each in group.values() if each.span}
    return [each for each in files if absolute(each) in found]


def completes(api: Api, used: Api) -> bool:
    """Whether an API declares the members of a struct that another one, which it uses, has declared without any."""
    opaque = {each.tag for each in used.structs.values() if each.in_api and each.fields is None}
    return any(each.in_api and each.fields is not None and each.tag in opaque for each in api.structs.values())


def asked(text: str) -> Iterator[str]:
    """Yield the words in the conditions of a header."""
    for line in _CONDITIONS.findall(text):
        yield from _WORD.findall(line)


def begins(api: Api, prefix: str) -> bool:
    """True if a struct of an API has this prefix."""
    return any(each.in_api and each.name.startswith(prefix) for each in api.structs.values())
