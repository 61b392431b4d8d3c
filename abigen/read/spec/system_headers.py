"""What the system's headers declare that a spec includes: `time_t`, `FILE`, `struct timeval`, `O_APPEND`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from abigen.files import Files
from abigen.model.api import Api, ApiGroup
from abigen.model.entities import Constant, Entity, Struct, Typedef
from abigen.model.identifiers import STANDARD_TYPES
from abigen.model.target import find_target
from abigen.read.c.preprocessor.environment import STAND_INS, stand_in_folders
from abigen.read.c.reader import read_headers
from abigen.read.options import ReadOptions, SourceFile
from abigen.read.spec.header_plan import named_in

_KNOWN_WITHOUT = frozenset({"<stddef.h>", "<stdint.h>", "<stdbool.h>", "<stdarg.h>", "<inttypes.h>", "<limits.h>"})
"""Headers of whose types all readers of specs know as much as there is to know."""
_LIMIT = re.compile(
    r"\b(?:U?(?:CHAR|SHRT|INT|LONG|LLONG|INT\w*)|[A-Z_]*CHAR|SIZE|PTRDIFF|SIG_ATOMIC|WINT)_(?:MAX|MIN)\b"
)
"""A macro of those headers that says how large numbers can be."""
_FALLBACK = "x86_64-linux-gnu"
"""Whose types those are that a target has no header for."""
_UNLIKE = ("x86_64-linux-gnu", "i686-linux-gnu", "x86_64-windows-msvc", "x86_64-apple-darwin")
"""Targets on which types have different sizes, and systems different constants."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_E = TypeVar("_E", bound=Entity)


class SystemTypes(msgspec.Struct, frozen=True):
    """The types and macros that system headers declare for some targets."""

    targets: tuple[str, ...]
    types: Api
    """Typedefs, structs and enumerations that the spec names, and those that these are made of; and its macros."""


def system_types(
    includes: Iterable[str], text: str, options: ReadOptions, defined: Mapping[str, str] | None = None
) -> tuple[SystemTypes, ...]:
    """Read the system headers that a spec includes, abigen's own versions of them.

    Args:
        includes: `<time.h>`; those that abigen has no version of are passed over.
        text: the spec, which says what types and macros are wanted.
        options: the targets.
        defined: what the spec defines before it includes the headers.

    Returns:
        For groups of targets, together all of them, what is declared there.
    """
    words, has_limits = _words_of(text)
    known = frozenset() if has_limits else _KNOWN_WITHOUT
    wanted = sorted(each for each in set(includes) - known if each[0] == "<")
    if not wanted:
        return (SystemTypes(options.targets, Api(name="")),)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for target in dict.fromkeys((*options.targets, _FALLBACK)):
        folders = stand_in_folders(find_target(target))
        paths = (f"{folder}/{each[1:-1]}" for each in wanted for folder in folders)
        kinds.setdefault(tuple(each for each in paths if options.files.is_file(each)), []).append(target)
    lines = "".join(f"#define {name} {each}\n" for name, each in (defined or {}).items())
    found: list[SystemTypes] = []
    for files, targets in kinds.items():
        groups = _groups(files, tuple(targets), lines)
        found += [SystemTypes(each.targets, _named(each.api, words)) for each in groups]
    return tuple(found)


@lru_cache(maxsize=16)
def _words_of(text: str) -> tuple[frozenset[str], bool]:
    """Return the names in a spec or header, and whether macros are among them that say how large numbers can be."""
    return frozenset(_WORD.findall(text)) - STANDARD_TYPES.keys(), _LIMIT.search(text) is not None


@lru_cache(maxsize=256)
def _groups(files: tuple[str, ...], targets: tuple[str, ...], lines: str) -> tuple[ApiGroup, ...]:
    """Read abigen's own versions of system headers. They stay the same while the program runs.

    Args:
        files: the headers.
        targets: those that have these headers.
        lines: what stands before the headers.
    """
    if not files:
        return (ApiGroup(targets, Api(name="")),)
    lines += "".join(f'#include "{each}"\n' for each in files)
    reading = ReadOptions(targets=targets, own=(f"{STAND_INS}/*",), cc="none", files=Files())
    return read_headers([SourceFile("<system headers>", f"{os.devnull}/system.h", lines)], reading).groups


def system_names(includes: Iterable[str], text: str, options: ReadOptions) -> tuple[list[Api], set[str]]:
    """Return what system headers declare, and the macros that do not have the same value everywhere: `SIZE_MAX`.

    Args:
        includes: as for `system_types`.
        text: says what types and macros are wanted.
        options: how to read; other targets count for macros, too.
    """
    found = system_types(includes, text, replace(options, targets=tuple(dict.fromkeys((*options.targets, *_UNLIKE)))))
    shared = set[str].intersection(*({*each.types.constants} for each in found))
    varying = {name for name in shared if len({each.types.constants[name].expression for each in found}) > 1}
    asked = {*options.targets, _FALLBACK}
    return [each.types for each in found if not asked.isdisjoint(each.targets)], varying


def with_system_types(context: Api, system: Iterable[SystemTypes]) -> Api:
    """An API with the types of system headers beside its own; what several of them declare is as the last has it.

    So are the macros that have a value. The others stay out: a spec that writes `stdin` keeps the word.
    """
    for each in system:
        context = replace(
            context,
            typedefs={**context.typedefs, **each.types.typedefs},
            structs={**context.structs, **each.types.structs},
            enums={**context.enums, **each.types.enums},
            constants={
                **context.constants,
                **{name: one for name, one in each.types.constants.items() if one.expression is not None},
            },
        )
    return context


def _named(api: Api, words: Collection[str]) -> Api:
    """The types and macros that are named, and those that they are made of."""
    types: Mapping[str, Entity] = {**api.constants, **api.enums, **api.structs, **api.typedefs}
    found: set[str] = set()
    left = [name for name in types if name in words]
    while left:
        name = left.pop()
        if name in types and name not in found:
            found.add(name)
            left += _uses(types[name])

    def outside(entities: Mapping[str, _E]) -> dict[str, _E]:
        return {name: _outside(each) for name, each in entities.items() if name in found}

    typedefs = {name: Typedef(name=name, span=each.span, type=each.type) for name, each in api.typedefs.items()}
    return Api(
        name="",
        typedefs=outside(typedefs),
        structs=outside(api.structs),
        enums=outside(api.enums),
        constants=outside(api.constants),
    )


def _outside(entity: _E) -> _E:
    """An entity as what a system header declares: its place is `<sys/types.h>`."""
    if entity.span is None:
        return replace(entity, in_api=False)
    name = entity.span.file.rpartition("/preprocessor/include/")[2].partition("/")[2]
    return replace(entity, in_api=False, span=replace(entity.span, file=f"<{name}>"))


def _uses(entity: Entity) -> Iterator[str]:
    """The types, or the macros, that one is made of."""
    if isinstance(entity, Constant):
        yield from _WORD.findall(entity.text)
    if isinstance(entity, Typedef):
        yield from named_in(entity.type)
    for each in (entity.fields or ()) if isinstance(entity, Struct) else ():
        yield from named_in(each.type)
