"""What crosses from one side to the other: every scalar that a struct holds by value, and where C finds it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from abigen.check.struct_members import is_reserved_name
from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, CType, EnumType, Pointer
from abigen.model.entities import Struct
from abigen.model.layout import FieldLayout, Layouts

_MOST = 2000
"""Slots of one struct that are looked at: a struct of ten thousand numbers shows no more than its first ones."""


class Alternative(msgspec.Struct, frozen=True):
    """One alternative of a union: a producer fills alternative `index` when the number of the trial says so."""

    divisor: int
    count: int
    index: int


class Slot(msgspec.Struct, frozen=True):
    """A scalar somewhere inside a struct."""

    path: str
    """What stands behind `object.` in C: `stream`, `base.struct_size`, `rows[1].width`."""
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
        """Where it begins, in bits."""
        return self.offset * 8 if self.bit_offset is None else self.bit_offset

    @property
    def whole(self) -> str:
        """The path of the array that it is an element of, or its own."""
        return re.sub(r"(\[\d+\])+$", "", self.path)

    @property
    def is_free(self) -> bool:
        """Whether it is kept free by its name: whoever fills a struct leaves it zero, and nobody reads it."""
        name, bracket, _ = self.path.rpartition(".")[2].partition("[")
        return is_reserved_name(name, is_array=bool(bracket), is_data=True)

    @property
    def variants(self) -> int:
        """How many trials try all alternatives of the unions around it."""
        return max((each.divisor * each.count for each in self.choices), default=1)


def slots_of(layouts: Layouts, key: str) -> tuple[Slot, ...]:
    """The scalars of a struct or union, with members of anonymous members under their own names.

    Of an array the first and the last element stand for all of them.
    """
    struct = layouts.api.structs[key]
    found: list[Slot] = []
    for slot in _of_struct(layouts, struct, _Around()):
        if len(found) == _MOST:
            break
        found.append(slot)
    return tuple(found)


class _Around(msgspec.Struct, frozen=True):
    """What is around a member."""

    prefix: str = ""
    offset: int = 0
    choices: tuple[Alternative, ...] = ()
    is_const: bool = False


def _of_struct(layouts: Layouts, struct: Struct, around: _Around) -> Iterator[Slot]:
    fields = [each for each in layouts.of(struct.name).fields if each.size or each.bit_width]
    divisor = around.choices[-1].divisor * around.choices[-1].count if around.choices else 1
    for index, place in enumerate(fields):
        is_choice = struct.is_union and len(fields) > 1
        choices = (*around.choices, Alternative(divisor, len(fields), index)) if is_choice else around.choices
        yield from _of_member(layouts, place, replace(around, choices=choices))


def _of_member(layouts: Layouts, place: FieldLayout, around: _Around) -> Iterator[Slot]:
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
            yield Slot(path, offset, bit, offset + size, is_pointer, is_const, around.choices)


def is_scalar(type: CType) -> bool:
    """Whether a resolved type is a number that a long double holds, or a pointer."""
    wide = isinstance(type, Basic) and ("_Complex" in type.name or "128" in type.name or type.name == "void")
    return isinstance(type, (Pointer, EnumType)) or (isinstance(type, Basic) and not wide and type.name[:2] != "__")


def size_slot(found: Sequence[Slot], struct: Struct) -> Slot | None:
    """The slot that tells a reader how much of the struct is there; None for a struct of one size.

    A side that counts versions of the struct counts with its sizes here: they grow with each version, too.
    """
    teller = struct.size_field or struct.version_field
    return next((slot for slot in found if teller and slot.path == teller), None)


def size_of(api: Api, struct: Struct) -> str:
    """C for what goes into the size member: the API's own constant if it names a member that is there, else sizeof."""
    members = {each.name for each in struct.fields or ()}
    for constant in api.size_constants.values():
        if constant.struct == struct.name and constant.last_member in {"", *members} and not constant.offset_struct:
            return constant.name
    return f"sizeof({type_name(struct)})"


def type_name(struct: Struct) -> str:
    """How C names a struct; empty for one that it cannot name."""
    if struct.name in struct.typedef_names:
        return struct.name
    return struct.typedef_names[0] if struct.typedef_names else f"{struct.kind} {struct.tag}" if struct.tag else ""
