"""Which programs can show what a finding says: what crosses between the sides that it is about, and their files.

A program includes the headers of either side where they stand, or copies from git.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from abigen.model.api import Api, ApiSet
from abigen.model.ctype import Array, CType, FunctionType, NamedType, RecordType, types_in
from abigen.model.finding import Axis, Finding
from abigen.model.layout import Layouts
from abigen.model.printable import printable
from abigen.model.span import AbigenError
from abigen.read.git import open_revision
from abigen.read.operand import parse_operand
from abigen.read.options import ReadOptions
from abigen.shipped import fill_in
from abigen.skew.crossings import (
    SIDES,
    CallOfSide,
    Crossing,
    Pair,
    StructOfSide,
    ValueOfSide,
    call_crossing,
    struct_crossing,
    value_crossing,
)
from abigen.skew.slots import slots_of, type_name

_VALUES = {"constant-changed", "size-macro-changed", "enumerator-value-changed", "enumerator-inserted"}
"""Rules about values that both sides have compiled into their code, whatever their findings say of binaries."""
_OF_NAMES = ("removed", "added", "linkage-changed", "enumerator-appended")
"""Ends of the names of rules about what one side has no name for, or does not find by its name."""
_MOST_HOLDERS = 6


def is_about_bytes(finding: Finding) -> bool:
    """Whether a finding says that a binary may meet other bytes than it expects."""
    is_member = finding.code.startswith("ABI1")
    if finding.rule.endswith(_OF_NAMES) and not is_member:
        return False
    axes = (finding.axes.old_plugin, finding.axes.new_plugin)
    return finding.rule in _VALUES or axes != (Axis.OK, Axis.OK)


def crossings_for(finding: Finding, layouts: Pair, renamed: Mapping[str, str]) -> Iterator[Crossing | None]:
    """The crossings that a finding is about; None for each that C cannot write down.

    Args:
        finding: that speaks of bytes.
        layouts: of OLD and of NEW.
        renamed: OLD's names of structs to NEW's, where they differ.
    """
    old, new = (each.api for each in layouts)
    name, _, member = finding.entity.partition(".")
    keys = name, renamed.get(name, name)
    if keys[0] in old.structs and keys[1] in new.structs:
        callbacks = [_callback(each, key, member) for each, key in zip(layouts, keys, strict=True)]
        if callbacks[0] and callbacks[1] and finding.rule == "callback-signature-changed":
            yield call_crossing(finding.entity, (callbacks[0], callbacks[1]), layouts)
            return
        for key in (name, *_holders(name, old, new)):
            yield struct_crossing((key, renamed.get(key, key)), layouts)
        yield from _measures(layouts, keys)
    elif name in old.functions and name in new.functions:
        yield call_crossing(name, (old.functions[name].type, new.functions[name].type), layouts)
    elif name in old.typedefs and name in new.typedefs:
        yield from _of_typedef(name, layouts)
    elif name in old.enums and name in new.enums:
        yield from _of_enum(name, old, new)
    elif finding.rule in _VALUES:
        yield _value(name)


def _of_typedef(name: str, layouts: Pair) -> Iterator[Crossing | None]:
    """A function type is called; what else a typedef stands for is measured, and the structs that use it cross."""
    types = [each.api.callback(NamedType(name)) or each.api.resolve(NamedType(name)) for each in layouts]
    if isinstance(types[0], FunctionType) and isinstance(types[1], FunctionType):
        yield call_crossing(name, (types[0], types[1]), layouts)
        return
    yield _value(f"sizeof({name})")
    old, new = (each.api for each in layouts)
    users = [key for key, struct in old.structs.items() if key in new.structs and _mentions(name, old, key)]
    for key in users[:_MOST_HOLDERS]:
        yield struct_crossing((key, key), layouts)


def _of_enum(name: str, old: Api, new: Api) -> Iterator[Crossing]:
    """The values of all names that both sides have, and the size."""
    enums = old.enums[name], new.enums[name]
    known = {each.name for each in enums[1].enumerators or ()}
    for each in enums[0].enumerators or ():
        if each.name in known:
            yield _value(each.name)
    if all(each.tag or each.typedef_names for each in enums):
        spelled = [each.typedef_names[0] if each.typedef_names else f"enum {each.tag}" for each in enums]
        yield value_crossing(f"sizeof({name})", (f"sizeof({spelled[0]})", f"sizeof({spelled[1]})"))


def _measures(layouts: Pair, keys: tuple[str, str]) -> Iterator[Crossing]:
    """The size and the alignment of a struct that has one size."""
    structs = [each.api.structs[key] for each, key in zip(layouts, keys, strict=True)]
    if all(each.fields and type_name(each) and not each.may_grow for each in structs):
        for operator in ("sizeof", "_Alignof"):
            old, new = (f"{operator}({type_name(each)})" for each in structs)
            yield value_crossing(f"{operator}({keys[0]})", (old, new))


def _holders(name: str, old: Api, new: Api) -> list[str]:
    """The structs of both sides that hold a struct by value, directly or not; nearest first."""
    found: list[str] = []
    waiting = [name]
    while waiting and len(found) < _MOST_HOLDERS:
        held = waiting.pop(0)
        for key, struct in old.structs.items():
            holds = any(_stored(old, each.type) == RecordType(held) for each in struct.fields or ())
            if holds and key not in (name, *found):
                found.append(key)
                waiting.append(key)
    return [key for key in found if key in new.structs]


def _stored(api: Api, type: CType) -> CType:
    """What a member stores, by itself or as elements of an array."""
    resolved = api.resolve(type)
    while isinstance(resolved, Array):
        resolved = api.resolve(resolved.element)
    return resolved


def _mentions(name: str, api: Api, key: str) -> bool:
    """Whether a member of a struct is written with a typedef."""
    fields = api.structs[key].fields or ()
    return any(part == NamedType(name) for each in fields for part in types_in(each.type))


def _callback(layouts: Layouts, key: str, member: str) -> FunctionType | None:
    """The function that a member of a struct points to."""
    field = layouts.api.structs[key].member(member)
    return layouts.api.callback(field.type) if field else None


def _value(expression: str) -> Crossing:
    return value_crossing(expression, (expression, expression))


def places_of(layouts: Pair, keys: tuple[str, str]) -> Mapping[str, str]:
    """Where the members of a struct lie on each side, in words: `bytes 8 to 11 in OLD, 12 to 15 in NEW`."""
    sides: list[dict[str, str]] = []
    for each, key in zip(layouts, keys, strict=True):
        slots = slots_of(each, key)
        sides.append(
            {slot.path: f"{slot.offset}{f' to {slot.end - 1}' * (slot.end - 1 > slot.offset)}" for slot in slots}
        )
    old, new = sides
    found = {path: f"bytes {place} in OLD, {new[path]} in NEW" for path, place in old.items() if path in new}
    found |= {path: f"bytes {place} in both" for path, place in old.items() if new.get(path) == place}
    found |= {path: f"bytes {place}, only in OLD" for path, place in old.items() if path not in new}
    return found | {path: f"bytes {place}, only in NEW" for path, place in new.items() if path not in old}


class Headers(msgspec.Struct, frozen=True):
    """How a side of the programs finds its headers."""

    includes: tuple[str, ...]
    """What to include, absolute or from the folder of the programs' headers."""
    options: tuple[str, ...]
    """For the compiler: `-I`, `-D` and the like."""
    files: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    """Copies to write beside the programs, by their path from there."""


def headers_of(operand: str, side: str, options: ReadOptions, read: ApiSet) -> Headers:
    """Find out what a side includes.

    Args:
        operand: as the user wrote it.
        side: `old` or `new`, which names the folder of copies.
        options: how it was read.
        read: what it declares.

    Raises:
        AbigenError: it is a spec, or what it names has gone meanwhile.
    """
    wanted = parse_operand(operand, options.files)
    switches = [*(f"-D{each}" for each in options.defines), *(f"-U{each}" for each in options.undefines)]
    switches.append(f"-std={options.std}")
    before = (str(Path(each).absolute()) if options.files.exists(each) else each for each in options.preincludes)
    switches += [part for each in before for part in ("-include", each)]
    own = read.groups[0].api.files
    if wanted.is_spec:
        hint = "write its header with `abigen build`, and name that; two specs can be run with each other as they are"
        raise AbigenError.at(None, f"{printable(operand)} is a spec, and the other side is a header", hint)
    if wanted.revision:
        return _of_revision(wanted.revision, side, options, read, switches)
    folders = [f"-I{Path(each).absolute()}" for each in options.include_dirs]
    if wanted.path == "-":
        text = read.sources[own[0]].encode()
        return Headers((f"{side}/input.h",), (*switches, *folders, f"-I{Path.cwd()}"), {f"{side}/input.h": text})
    if options.files.is_dir(wanted.path):
        folders.append(f"-I{Path(wanted.path).absolute()}")
    return Headers(tuple(str(Path(each).absolute()) for each in own), (*switches, *folders))


def _of_revision(revision: str, side: str, options: ReadOptions, read: ApiSet, switches: Sequence[str]) -> Headers:
    """Copies of the files that were read at a revision of git, at the same places from the top."""
    with closing(open_revision(revision, options.files)) as tree:
        top = f"{os.devnull}/{tree.tree}/"
        paths = [each.removeprefix(top) for each in read.dependencies if each.startswith(top)]
        files = {f"{side}/{path}": tree.read(path) for path in paths}
        folders = []
        for each in options.include_dirs:
            inside = tree.inside(each)
            is_there = inside is not None and tree.kind_of(inside) == "directory"
            folders.append(f"-I{side}/{inside}".rstrip("/") if is_there else f"-I{Path(each).absolute()}")
        name = f"{tree.name}:"
    own = [each.removeprefix(name) for each in read.groups[0].api.files]
    includes = tuple(f"{side}/{each}" for each in own)
    if missing := [each for each in includes if each not in files]:
        raise AbigenError.at(None, f"{missing[0].removeprefix(side + '/')} was not read at {revision}")
    return Headers(includes, (*switches, *folders, f"-I{side}"), files)


def program_files(
    crossings: Sequence[Crossing], headers: tuple[Sequence[str], Sequence[str]], notes: Sequence[str]
) -> Mapping[str, str]:
    """The files of one program, by name.

    Args:
        crossings: what crosses; the programs know each by its position.
        headers: what each side includes.
        notes: what the top of `main.c` says of it, in lines.
    """
    files = {"crossing.h": fill_in("skew/crossing.h")}
    kinds = {"structs": StructOfSide, "calls": CallOfSide, "values": ValueOfSide}
    numbered = {
        name: [(number, each) for number, each in enumerate(crossings) if isinstance(each.old, kind)]
        for name, kind in kinds.items()
    }
    for side, included in zip(SIDES, headers, strict=True):
        files[f"{side}.c"] = fill_in("skew/side.c.j2", side=side, headers=included, **numbered)
    slots = max(each.slots for each in crossings)
    files["main.c"] = fill_in("skew/main.c.j2", notes=notes, slots=slots, **numbered)
    return files
