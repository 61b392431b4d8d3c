"""Data exchanged between OLD and NEW: structs, calls and values, as scalars with offset and size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from abigen.checker.struct_members import is_reserved_name
from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, Pointer, RecordType, types_in, unqualified
from abigen.model.entities import Struct
from abigen.model.layout import FieldLayout, Layouts
from abigen.model.spelling import spell

_MOST = 2000
"""Scalars of one struct that are looked at: a struct of ten thousand numbers shows no more than its first ones."""


class Alternative(msgspec.Struct, frozen=True):
    """An alternative of a union: a producer fills alternative `index` when the number of the trial selects it."""

    divisor: int
    count: int
    index: int


class ScalarMember(msgspec.Struct, frozen=True):
    """A scalar somewhere inside a struct."""

    path: str
    """The C expression after `object.`: `stream`, `base.struct_size`, `rows[1].width`."""
    offset: int
    """In bytes."""
    bit_offset: int | None
    """In bits from the start of the struct; None for what is no bit-field."""
    end: int
    """The byte behind it."""
    is_pointer: bool
    is_const: bool
    choices: tuple[Alternative, ...] = ()
    """The alternatives of unions that it lies in, the outermost first."""
    argument: str = ""
    """Of a call, what it is a part of: `argument1`, `result`; empty elsewhere."""

    @property
    def place(self) -> int:
        """The offset in bits."""
        return self.offset * 8 if self.bit_offset is None else self.bit_offset

    @property
    def whole(self) -> str:
        """The path of the array that it is an element of, or its own."""
        return re.sub(r"(\[\d+\])+$", "", self.path)

    @property
    def is_free(self) -> bool:
        """True if it is kept free by its name: whoever fills a struct leaves it zero, and nobody reads it."""
        name, bracket, _ = self.path.rpartition(".")[2].partition("[")
        return is_reserved_name(name, is_array=bool(bracket), is_data=True)

    @property
    def variants(self) -> int:
        """The number of trials that cover all alternatives of the unions around it."""
        return max((each.divisor * each.count for each in self.choices), default=1)


def scalars_of(layouts: Layouts, key: str) -> tuple[ScalarMember, ...]:
    """Return the scalars of a struct or union, with members of anonymous members under their own names.

    Of an array the first and the last element stand for all of them.
    """
    struct = layouts.api.structs[key]
    found: list[ScalarMember] = []
    for scalar in _of_struct(layouts, struct, _Enclosing()):
        if len(found) == _MOST:
            break
        found.append(scalar)
    return tuple(found)


class _Enclosing(msgspec.Struct, frozen=True):
    """The enclosing structs, unions and arrays of a member."""

    prefix: str = ""
    offset: int = 0
    choices: tuple[Alternative, ...] = ()
    is_const: bool = False


def _of_struct(layouts: Layouts, struct: Struct, around: _Enclosing) -> Iterator[ScalarMember]:
    fields = [each for each in layouts.of(struct.name).fields if each.size or each.bit_width]
    divisor = around.choices[-1].divisor * around.choices[-1].count if around.choices else 1
    for index, place in enumerate(fields):
        is_choice = struct.is_union and len(fields) > 1
        choices = (*around.choices, Alternative(divisor, len(fields), index)) if is_choice else around.choices
        yield from _of_member(layouts, place, replace(around, choices=choices))


def _of_member(layouts: Layouts, place: FieldLayout, around: _Enclosing) -> Iterator[ScalarMember]:
    api, type = layouts.api, place.field.type
    is_const = around.is_const or api.is_const(type)
    paths = [(around.prefix + place.name, around.offset + place.offset)]
    resolved = layouts.resolve(type)
    while isinstance(resolved, Array):
        element = layouts.size_of(resolved.element)
        count = layouts.size_of(resolved) // element if element else 0
        picked = sorted({0, count - 1}) if count else []
        paths = [(f"{path}[{index}]", offset + index * element) for path, offset in paths for index in picked]
        is_const = is_const or api.is_const(resolved.element)
        resolved = layouts.resolve(resolved.element)
    inner = api.struct_of(resolved)
    size = place.size if place.bit_width is not None else layouts.size_of(resolved) if paths else 0
    for path, offset in paths:
        if inner is not None and inner.fields:
            prefix = path + "." if place.name else around.prefix
            yield from _of_struct(layouts, inner, replace(around, prefix=prefix, offset=offset, is_const=is_const))
        elif place.name and is_scalar(resolved):
            bit = None if place.bit_offset is None else around.offset * 8 + place.bit_offset
            is_pointer = isinstance(resolved, Pointer)
            yield ScalarMember(path, offset, bit, offset + size, is_pointer, is_const, around.choices)


def is_scalar(type: CType) -> bool:
    """True if a resolved type is a number that a long double holds, or a pointer."""
    wide = isinstance(type, Basic) and ("_Complex" in type.name or "128" in type.name or type.name == "void")
    return isinstance(type, (Pointer, EnumType)) or (isinstance(type, Basic) and not wide and type.name[:2] != "__")


def size_scalar(found: Sequence[ScalarMember], struct: Struct) -> ScalarMember | None:
    """Return the scalar that tells a reader how much of the struct is there; None for a struct of one size.

    A side that counts versions of the struct counts with its sizes here: they grow with each version, too.
    """
    stating = struct.size_field or struct.version_field
    return next((scalar for scalar in found if stating and scalar.path == stating), None)


def size_of(api: Api, struct: Struct) -> str:
    """C for what goes into the size member: the API's own constant if it names a member that is there, else sizeof."""
    members = {each.name for each in struct.fields or ()}
    for constant in api.size_constants.values():
        if constant.struct == struct.name and constant.last_member in {"", *members} and not constant.offset_struct:
            return constant.name
    return f"sizeof({type_name(struct)})"


def type_name(struct: Struct) -> str:
    """Return the name of a struct in C; empty for one that C cannot name."""
    if struct.name in struct.typedef_names:
        return struct.name
    return struct.typedef_names[0] if struct.typedef_names else f"{struct.kind} {struct.tag}" if struct.tag else ""


SIDES = ("old", "new")
Pair = tuple[Layouts, Layouts]


class Access(msgspec.Struct, frozen=True):
    """The way in which a side writes or reads a scalar; `scalars.j2` writes it in C."""

    scalar: ScalarMember
    number: int
    """By which main.c knows it."""
    choices: tuple[Alternative, ...]
    """The alternatives of unions that a trial has to fill for it."""


class StructOfSide(msgspec.Struct, frozen=True, kw_only=True):
    """A struct as one side writes and reads it."""

    type: str
    """The name in C."""
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
    """The declarations of `argument1`, `argument2` and so on."""
    writes: tuple[Access, ...]
    pointer: str
    """Declares `function_`."""
    result_reads: tuple[Access, ...]


class ValueOfSide(msgspec.Struct, frozen=True):
    """A number that each side compiles into its own code."""

    expression: str


OfSide = StructOfSide | CallOfSide | ValueOfSide


class DataExchange(msgspec.Struct, frozen=True, kw_only=True):
    """Data that is exchanged, as main.c knows it, and as OLD and NEW handle it."""

    name: str
    old: OfSide
    new: OfSide
    scalars: int = 1
    variants: int = 1
    elements: int = 1
    """2 where two of them stand side by side, as in an array: that is what the size of a frozen struct decides."""


def struct_exchange(keys: tuple[str, str], layouts: Pair) -> DataExchange | None:
    """Return the exchange of a struct.

    Args:
        keys: of the struct in OLD and in NEW.
        layouts: of OLD and of NEW.

    Returns:
        None when C cannot name it, or it holds nothing.
    """
    structs = [each.api.structs[key] for each, key in zip(layouts, keys, strict=True)]
    if not all(each.fields and type_name(each) for each in structs):
        return None
    found = [scalars_of(each, key) for each, key in zip(layouts, keys, strict=True)]
    if not all(found):
        return None
    numbers = _numbers(found)
    sides = []
    for at, (struct, own, other) in enumerate(zip(structs, found, reversed(found), strict=True)):
        size = size_scalar(own, struct)
        writes = [Access(scalar, numbers[scalar.path], scalar.choices) for scalar in own if scalar is not size]
        reads = [_read(scalar, source, numbers) for scalar, source in _sources(own, other, size)]
        of_side = StructOfSide(
            type=type_name(struct),
            size=size_of(layouts[at].api, struct),
            size_member=size.path if size else "",
            writes=tuple(writes),
            reads=tuple(reads),
        )
        sides.append(of_side)
    return DataExchange(
        name=structs[0].name,
        old=sides[0],
        new=sides[1],
        scalars=len(numbers),
        variants=max(scalar.variants for own in found for scalar in own),
        elements=1 if all(each.may_grow for each in structs) else 2,
    )


def call_exchange(name: str, types: tuple[FunctionType, FunctionType], layouts: Pair) -> DataExchange | None:
    """Return the exchange of a call; None when C cannot write one of its types down.

    Args:
        name: of the function, or of the callback's member or typedef.
        types: of the function in OLD and in NEW.
        layouts: of OLD and of NEW.
    """
    found = [_scalars_of_call(type, each) for type, each in zip(types, layouts, strict=True)]
    if any(scalars is None for scalars in found):
        return None
    known = [scalars or () for scalars in found]
    numbers = _numbers(known)
    sides = []
    for own, other, type, each in zip(known, reversed(known), types, layouts, strict=True):
        sides.append(_call_of_side(type, each, own, other, numbers))
    return DataExchange(name=name, old=sides[0], new=sides[1], scalars=max(1, len(numbers)))


def value_exchange(name: str, expressions: tuple[str, str]) -> DataExchange:
    """Return the exchange of a constant.

    Args:
        name: of the constant, or of what the expressions compute.
        expressions: C of OLD and of NEW.
    """
    old, new = map(ValueOfSide, expressions)
    return DataExchange(name=name, old=old, new=new)


def _numbers(found: Sequence[Sequence[ScalarMember]]) -> dict[str, int]:
    """Return each path of either side to the number that both know it by."""
    paths = dict.fromkeys(scalar.path for scalars in found for scalar in scalars)
    return {path: number for number, path in enumerate(paths)}


def _sources(
    own: Sequence[ScalarMember], other: Sequence[ScalarMember], size: ScalarMember | None
) -> Iterable[tuple[ScalarMember, ScalarMember | None]]:
    """Yield the scalars that a consumer reads, each with the producer's scalar that it should hold; None for none.

    A scalar that the producer does not know is the one that `_pairs` finds; the element of an array for what was no
    array, or the reverse; or the one in its place that the consumer does not know: it was renamed.
    """

    def place(scalar: ScalarMember) -> tuple[object, ...]:
        return scalar.argument, scalar.place, tuple(each.index for each in scalar.choices)

    def siblings(scalar: ScalarMember) -> tuple[object, ...]:
        return scalar.path.rpartition(".")[0], scalar.choices

    pairs = _pairs(own, other)
    neighbours = {siblings(each) for each in own if each.path in pairs}
    gone = set(other) - set(pairs.values())
    renamed = {place(each): each for each in other if each in gone and not each.is_free}
    reshaped = {each.whole: each for each in other if each in gone}
    for scalar in own:
        source = pairs.get(scalar.path)
        became = None if source else reshaped.get(scalar.whole)
        if became and scalar.path.endswith("]") != became.path.endswith("]"):
            source = became
        source = source or renamed.get(place(scalar))
        # A new alternative of a union is nothing that the producer could have filled.
        if (
            scalar is not size
            and not scalar.is_free
            and (source or not scalar.choices or siblings(scalar) in neighbours)
        ):
            yield scalar, source


def _pairs(own: Sequence[ScalarMember], other: Sequence[ScalarMember]) -> Mapping[str, ScalarMember]:
    """Return the producer's scalars by the consumer's paths.

    Those of one path, then what stands in another group only, then what is called alike anywhere, then what lies at the
    same place of the same member; only where there is one of each.
    """
    paths = {each.path for each in own}
    found = {each.path: each for each in other if each.path in paths}
    for is_alike in (_is_regrouped, _has_same_name, _has_same_place):
        scalars, sources = [each for each in own if each.path not in found], set(other) - set(found.values())
        matches = {scalar: [each for each in sources if is_alike(scalar, each)] for scalar in scalars}
        times = Counter(each for matching in matches.values() for each in matching)
        found |= {scalar.path: each[0] for scalar, each in matches.items() if len(each) == 1 == times[each[0]]}
    return found


def _has_same_name(scalar: ScalarMember, other: ScalarMember) -> bool:
    """True if two scalars are called alike inside the members that hold them, and are parts of the same elements."""

    def tail(path: str) -> list[str]:
        before, _, name = path.rpartition(".")
        return [name, *re.findall(r"\[\d+\]", before)]

    return scalar.argument == other.argument and tail(scalar.path) == tail(other.path)


def _has_same_place(scalar: ScalarMember, other: ScalarMember) -> bool:
    """True if two scalars are the same bytes of what holds them: one is the other with another name."""
    parents = [each.path.rpartition(".")[0] for each in (scalar, other)]
    places = [(each.argument, each.place, each.end) for each in (scalar, other)]
    return parents[0] == parents[1] and places[0] == places[1] and not other.is_free


def _is_regrouped(scalar: ScalarMember, other: ScalarMember) -> bool:
    """True if one path is the other with members put in: `m6[0].m4` and `m6[0].m17.m4`."""
    shorter, longer = sorted((scalar.path.split("."), other.path.split(".")), key=len)
    rest = iter(longer)
    return _has_same_name(scalar, other) and all(name in rest for name in shorter)


def _read(scalar: ScalarMember, source: ScalarMember | None, numbers: Mapping[str, int]) -> Access:
    """Return the read access to a scalar that should hold the value written to `source`, or nothing."""
    return Access(scalar, numbers[(source or scalar).path], (source or scalar).choices)


def _scalars_of_call(type: FunctionType, layouts: Layouts) -> tuple[ScalarMember, ...] | None:
    """Return the scalars that a call passes and returns, under names that do not depend on the parameters' own."""
    values = [(f"argument{at}", each.type) for at, each in enumerate(type.parameters, 1)]
    if layouts.resolve(type.result) != Basic("void"):
        values.append(("result", type.result))
    found: list[ScalarMember] = []
    for name, each in values:
        resolved = layouts.resolve(each)
        if any(_is_nameless(part, layouts) for part in types_in(each)):
            return None
        struct = layouts.api.struct_of(resolved)
        if struct is not None and struct.fields:
            inner = scalars_of(layouts, struct.name)
            found += [
                replace(scalar, path=f"{name}.{scalar.path}", argument=name) for scalar in inner if not scalar.choices
            ]
        elif is_scalar(resolved):
            size = layouts.size_of(resolved)
            is_pointer = not isinstance(resolved, (Basic, EnumType))
            found.append(ScalarMember(name, 0, None, size, is_pointer, False, argument=name))
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
    own: Sequence[ScalarMember],
    other: Sequence[ScalarMember],
    numbers: dict[str, int],
) -> CallOfSide:
    """Return one side's end of a call: `own` are its scalars, `other` those of the other side."""
    parameters = tuple(
        replace(each, name=f"argument{at}", type=unqualified(each.type)) for at, each in enumerate(type.parameters, 1)
    )
    plain = replace(type, parameters=parameters)
    api, has_result = layouts.api, layouts.resolve(type.result) != Basic("void")
    result = spell(unqualified(type.result), "result", api) if has_result else ""
    writes = [Access(scalar, numbers[scalar.path], ()) for scalar in own]
    sources = dict(_sources(own, other, None))
    reads = [_read(scalar, source, numbers) for scalar, source in sources.items()]

    def about(accesses: Sequence[Access], *, result: bool) -> tuple[Access, ...]:
        return tuple(each for each in accesses if (each.scalar.argument == "result") == result)

    return CallOfSide(
        definition=spell(plain, "@", api),
        reads=about(reads, result=False),
        result=result,
        results=about(writes, result=True),
        arguments=tuple(spell(each.type, each.name or "", api) for each in parameters),
        writes=about(writes, result=False),
        pointer=spell(Pointer(plain), "function_", api),
        result_reads=tuple(each for each in about(reads, result=True) if sources[each.scalar]),
    )
