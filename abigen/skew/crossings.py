"""What the programs see of that which crosses between OLD and NEW: structs, calls and values, slot by slot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, Pointer, RecordType, types_in, unqualified
from abigen.model.layout import Layouts
from abigen.model.spelling import spell
from abigen.skew.slots import Alternative, Slot, is_scalar, size_of, size_slot, slots_of, type_name

SIDES = ("old", "new")
Pair = tuple[Layouts, Layouts]


class Access(msgspec.Struct, frozen=True):
    """How a side writes or reads a slot; `slots.j2` writes it in C."""

    slot: Slot
    number: int
    """By which main.c knows it."""
    choices: tuple[Alternative, ...]
    """The alternatives of unions that a trial has to fill for it."""


class StructOfSide(msgspec.Struct, frozen=True, kw_only=True):
    """A struct as one side writes and reads it."""

    type: str
    """How C names it."""
    size: str
    """C for the size that this side says it has."""
    size_member: str
    """Empty for a struct of one size."""
    writes: tuple[Access, ...]
    reads: tuple[Access, ...]


class CallOfSide(msgspec.Struct, frozen=True, kw_only=True):
    """A function as one side calls it, and as it implements it."""

    definition: str
    """Of a function that is named `@`."""
    reads: tuple[Access, ...]
    """Of the parameters, by the function."""
    result: str
    """Declares the result; empty for none."""
    results: tuple[Access, ...]
    arguments: tuple[str, ...]
    """What declares `argument1`, `argument2` and so on."""
    writes: tuple[Access, ...]
    pointer: str
    """Declares `function_`."""
    result_reads: tuple[Access, ...]


class ValueOfSide(msgspec.Struct, frozen=True):
    """A number that each side compiles into its own code."""

    expression: str


OfSide = StructOfSide | CallOfSide | ValueOfSide


class Crossing(msgspec.Struct, frozen=True, kw_only=True):
    """Something that crosses, as main.c knows it, and as OLD and NEW handle it."""

    name: str
    old: OfSide
    new: OfSide
    slots: int = 1
    variants: int = 1
    elements: int = 1
    """2 where two of them stand side by side, as in an array: that is what the size of a frozen struct decides."""


def struct_crossing(keys: tuple[str, str], layouts: Pair) -> Crossing | None:
    """How a struct crosses.

    Args:
        keys: of the struct in OLD and in NEW.
        layouts: of OLD and of NEW.

    Returns:
        None when C cannot name it, or it holds nothing.
    """
    structs = [each.api.structs[key] for each, key in zip(layouts, keys, strict=True)]
    if not all(each.fields and type_name(each) for each in structs):
        return None
    found = [slots_of(each, key) for each, key in zip(layouts, keys, strict=True)]
    if not all(found):
        return None
    numbers = _numbers(found)
    sides = []
    for at, (struct, own, other) in enumerate(zip(structs, found, reversed(found), strict=True)):
        size = size_slot(own, struct)
        writes = [Access(slot, numbers[slot.path], slot.choices) for slot in own if slot is not size]
        reads = [_read(slot, source, numbers) for slot, source in _sources(own, other, size)]
        of_side = StructOfSide(
            type=type_name(struct),
            size=size_of(layouts[at].api, struct),
            size_member=size.path if size else "",
            writes=tuple(writes),
            reads=tuple(reads),
        )
        sides.append(of_side)
    return Crossing(
        name=structs[0].name,
        old=sides[0],
        new=sides[1],
        slots=len(numbers),
        variants=max(slot.variants for own in found for slot in own),
        elements=1 if all(each.may_grow for each in structs) else 2,
    )


def call_crossing(name: str, types: tuple[FunctionType, FunctionType], layouts: Pair) -> Crossing | None:
    """How a function is called; None when C cannot write one of its types down.

    Args:
        name: of the function, or of the callback's member or typedef.
        types: of the function in OLD and in NEW.
        layouts: of OLD and of NEW.
    """
    found = [_slots_of_call(type, each) for type, each in zip(types, layouts, strict=True)]
    if any(slots is None for slots in found):
        return None
    known = [slots or () for slots in found]
    numbers = _numbers(known)
    sides = []
    for own, other, type, each in zip(known, reversed(known), types, layouts, strict=True):
        sides.append(_call_of_side(type, each, own, other, numbers))
    return Crossing(name=name, old=sides[0], new=sides[1], slots=max(1, len(numbers)))


def value_crossing(name: str, expressions: tuple[str, str]) -> Crossing:
    """How a constant crosses.

    Args:
        name: of the constant, or of what the expressions compute.
        expressions: C of OLD and of NEW.
    """
    old, new = map(ValueOfSide, expressions)
    return Crossing(name=name, old=old, new=new)


def _numbers(found: Sequence[Sequence[Slot]]) -> dict[str, int]:
    """Each path of either side to the number that both know it by."""
    paths = dict.fromkeys(slot.path for slots in found for slot in slots)
    return {path: number for number, path in enumerate(paths)}


def _sources(own: Sequence[Slot], other: Sequence[Slot], size: Slot | None) -> Iterable[tuple[Slot, Slot | None]]:
    """The slots that a consumer reads, each with the producer's slot that it should hold; None for none.

    A slot that the producer does not know is the one that `_pairs` finds; the element of an array for what was no
    array, or the reverse; or the one in its place that the consumer does not know: it was renamed.
    """

    def place(slot: Slot) -> tuple[object, ...]:
        return slot.argument, slot.place, tuple(each.index for each in slot.choices)

    def siblings(slot: Slot) -> tuple[object, ...]:
        return slot.path.rpartition(".")[0], slot.choices

    pairs = _pairs(own, other)
    neighbours = {siblings(each) for each in own if each.path in pairs}
    gone = set(other) - set(pairs.values())
    renamed = {place(each): each for each in other if each in gone and not each.is_free}
    reshaped = {each.whole: each for each in other if each in gone}
    for slot in own:
        source = pairs.get(slot.path)
        became = None if source else reshaped.get(slot.whole)
        if became and slot.path.endswith("]") != became.path.endswith("]"):
            source = became
        source = source or renamed.get(place(slot))
        # A new alternative of a union is nothing that the producer could have filled.
        if slot is not size and not slot.is_free and (source or not slot.choices or siblings(slot) in neighbours):
            yield slot, source


def _pairs(own: Sequence[Slot], other: Sequence[Slot]) -> Mapping[str, Slot]:
    """The producer's slots by the consumer's paths.

    Those of one path, then what stands in another group only, then what is called alike anywhere, then what lies at the
    same place of the same member; only where there is one of each.
    """
    paths = {each.path for each in own}
    found = {each.path: each for each in other if each.path in paths}
    for is_alike in (_is_regrouped, _has_same_name, _has_same_place):
        slots, sources = [each for each in own if each.path not in found], set(other) - set(found.values())
        matches = {slot: [each for each in sources if is_alike(slot, each)] for slot in slots}
        times = Counter(each for matching in matches.values() for each in matching)
        found |= {slot.path: each[0] for slot, each in matches.items() if len(each) == 1 == times[each[0]]}
    return found


def _has_same_name(slot: Slot, other: Slot) -> bool:
    """Whether two slots are called alike inside the members that hold them, and are parts of the same elements."""

    def tail(path: str) -> list[str]:
        before, _, name = path.rpartition(".")
        return [name, *re.findall(r"\[\d+\]", before)]

    return slot.argument == other.argument and tail(slot.path) == tail(other.path)


def _has_same_place(slot: Slot, other: Slot) -> bool:
    """Whether two slots are the same bytes of what holds them: one is the other with another name."""
    parents = [each.path.rpartition(".")[0] for each in (slot, other)]
    places = [(each.argument, each.place, each.end) for each in (slot, other)]
    return parents[0] == parents[1] and places[0] == places[1] and not other.is_free


def _is_regrouped(slot: Slot, other: Slot) -> bool:
    """Whether one path is the other with members put in: `m6[0].m4` and `m6[0].m17.m4`."""
    shorter, longer = sorted((slot.path.split("."), other.path.split(".")), key=len)
    rest = iter(longer)
    return _has_same_name(slot, other) and all(name in rest for name in shorter)


def _read(slot: Slot, source: Slot | None, numbers: Mapping[str, int]) -> Access:
    """How a slot is read that should hold what was written to `source`, or nothing."""
    return Access(slot, numbers[(source or slot).path], (source or slot).choices)


def _slots_of_call(type: FunctionType, layouts: Layouts) -> tuple[Slot, ...] | None:
    """The scalars that a call passes and returns, under names that do not depend on the parameters' own."""
    values = [(f"argument{at}", each.type) for at, each in enumerate(type.parameters, 1)]
    if layouts.resolve(type.result) != Basic("void"):
        values.append(("result", type.result))
    found: list[Slot] = []
    for name, each in values:
        resolved = layouts.resolve(each)
        if any(_is_nameless(part, layouts) for part in types_in(each)):
            return None
        struct = layouts.api.struct_of(resolved)
        if struct is not None and struct.fields:
            inner = slots_of(layouts, struct.name)
            found += [replace(slot, path=f"{name}.{slot.path}", argument=name) for slot in inner if not slot.choices]
        elif is_scalar(resolved):
            size = layouts.size_of(resolved)
            is_pointer = not isinstance(resolved, (Basic, EnumType))
            found.append(Slot(name, 0, None, size, is_pointer, False, argument=name))
        else:
            return None
    return tuple(found)


def _is_nameless(part: CType, layouts: Layouts) -> bool:
    if isinstance(part, RecordType):
        return part.key in layouts.api.structs and not type_name(layouts.api.structs[part.key])
    if isinstance(part, EnumType):
        enum = layouts.api.enums.get(part.key)
        return enum is not None and not (enum.tag or enum.typedef_names)
    return isinstance(part, Array) and part.length is None


def _call_of_side(
    type: FunctionType,
    layouts: Layouts,
    own: Sequence[Slot],
    other: Sequence[Slot],
    numbers: dict[str, int],
) -> CallOfSide:
    """How one side makes and takes a call: `own` are its slots, `other` those of the other side."""
    parameters = tuple(
        replace(each, name=f"argument{at}", type=unqualified(each.type)) for at, each in enumerate(type.parameters, 1)
    )
    plain = replace(type, parameters=parameters)
    api, has_result = layouts.api, layouts.resolve(type.result) != Basic("void")
    result = spell(unqualified(type.result), "result", api) if has_result else ""
    writes = [Access(slot, numbers[slot.path], ()) for slot in own]
    sources = dict(_sources(own, other, None))
    reads = [_read(slot, source, numbers) for slot, source in sources.items()]

    def about(accesses: Sequence[Access], *, result: bool) -> tuple[Access, ...]:
        return tuple(each for each in accesses if (each.slot.argument == "result") == result)

    return CallOfSide(
        definition=spell(plain, "@", api),
        reads=about(reads, result=False),
        result=result,
        results=about(writes, result=True),
        arguments=tuple(spell(each.type, each.name or "", api) for each in parameters),
        writes=about(writes, result=False),
        pointer=spell(Pointer(plain), "function_", api),
        result_reads=tuple(each for each in about(reads, result=True) if sources[each.slot]),
    )
