"""Which programs can show what a finding says: what crosses between the sides that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from abigen.model.api import Api
from abigen.model.ctype import Array, CType, FunctionType, NamedType, RecordType, types_in
from abigen.model.finding import Axis, Finding
from abigen.model.layout import Layouts
from abigen.skew.crossings import Crossing, Pair, call_crossing, struct_crossing, value_crossing
from abigen.skew.slots import slots_of, type_name

_VALUES = {"constant-changed", "size-macro-changed", "enumerator-value-changed", "enumerator-inserted"}
"""Rules about values that both sides have compiled into their code, whatever their findings say of binaries."""
_OF_NAMES = ("removed", "added", "linkage-changed", "enumerator-appended")
"""Ends of the names of rules about what one side has no name for, or does not find by its name."""
_MOST_HOLDERS = 6

Maker = Callable[[int], Crossing | None]


def is_about_bytes(finding: Finding) -> bool:
    """Whether a finding says that a binary may meet other bytes than it expects."""
    is_member = finding.code.startswith("ABI1")
    if finding.rule.endswith(_OF_NAMES) and not is_member:
        return False
    axes = (finding.axes.old_plugin, finding.axes.new_plugin)
    return finding.rule in _VALUES or axes != (Axis.OK, Axis.OK)


def makers_for(finding: Finding, layouts: Pair, renamed: Mapping[str, str]) -> Iterator[Maker]:
    """What makes the crossings that a finding is about, once it is told their numbers.

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
            yield partial(_call, finding.entity, (callbacks[0], callbacks[1]), layouts)
            return
        for key in (name, *_holders(name, old, new)):
            yield partial(_struct, (key, renamed.get(key, key)), layouts)
        yield from _measures(layouts, keys)
    elif name in old.functions and name in new.functions:
        yield partial(_call, name, (old.functions[name].type, new.functions[name].type), layouts)
    elif name in old.typedefs and name in new.typedefs:
        yield from _of_typedef(name, layouts)
    elif name in old.enums and name in new.enums:
        yield from _of_enum(name, old, new)
    elif finding.rule in _VALUES:
        yield partial(_value, name)


def _of_typedef(name: str, layouts: Pair) -> Iterator[Maker]:
    """A function type is called; what else a typedef stands for is measured, and the structs that use it cross."""
    types = [each.api.callback(NamedType(name)) or each.api.resolve(NamedType(name)) for each in layouts]
    if isinstance(types[0], FunctionType) and isinstance(types[1], FunctionType):
        yield partial(_call, name, (types[0], types[1]), layouts)
        return
    yield partial(_value, f"sizeof({name})")
    old, new = (each.api for each in layouts)
    users = [key for key, struct in old.structs.items() if key in new.structs and _mentions(name, old, key)]
    for key in users[:_MOST_HOLDERS]:
        yield partial(_struct, (key, key), layouts)


def _of_enum(name: str, old: Api, new: Api) -> Iterator[Maker]:
    """The values of all names that both sides have, and the size."""
    enums = old.enums[name], new.enums[name]
    known = {each.name for each in enums[1].enumerators or ()}
    for each in enums[0].enumerators or ():
        if each.name in known:
            yield partial(_value, each.name)
    if all(each.tag or each.typedef_names for each in enums):
        spelled = [each.typedef_names[0] if each.typedef_names else f"enum {each.tag}" for each in enums]
        yield partial(_value_of_sides, f"sizeof({name})", (f"sizeof({spelled[0]})", f"sizeof({spelled[1]})"))


def _measures(layouts: Pair, keys: tuple[str, str]) -> Iterator[Maker]:
    """The size and the alignment of a struct that has one size."""
    structs = [each.api.structs[key] for each, key in zip(layouts, keys, strict=True)]
    if all(each.fields and type_name(each) and not each.size_field for each in structs):
        for operator in ("sizeof", "_Alignof"):
            old, new = (f"{operator}({type_name(each)})" for each in structs)
            yield partial(_value_of_sides, f"{operator}({keys[0]})", (old, new))


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


def _struct(keys: tuple[str, str], layouts: Pair, number: int) -> Crossing | None:
    return struct_crossing(number, keys, layouts)


def _call(name: str, types: tuple[FunctionType, FunctionType], layouts: Pair, number: int) -> Crossing | None:
    return call_crossing(number, name, types, layouts)


def _value(expression: str, number: int) -> Crossing:
    return value_crossing(number, expression, (expression, expression))


def _value_of_sides(name: str, expressions: tuple[str, str], number: int) -> Crossing:
    return value_crossing(number, name, expressions)


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
