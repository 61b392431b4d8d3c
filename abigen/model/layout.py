"""Layout of structs and unions on a target: sizes, offsets, holes, padding, unpadded sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, BitInt, CType, Expression, NamedType, Qualified, RecordType, Vector
from abigen.model.entities import Enum, Field, Struct, Typedef
from abigen.model.evaluate import Value, convert, evaluate, fits
from abigen.model.span import AbigenError, Span
from abigen.model.target import (
    Aggregate,
    Placeable,
    Placement,
    PlacementRules,
    Target,
    place_ms_struct_clang,
    place_msvc,
    round_up,
    rules_of,
)

_ENUMERATOR_TYPES = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")


class TypeSize(NamedTuple):
    """Size and alignment of a type in bytes; `required` is what attributes on the type ask for, 0 for nothing."""

    size: int
    alignment: int
    required: int = 0


class _EnumValues(msgspec.Struct, frozen=True):
    """An enumeration on a target."""

    type: str
    """Canonical name of the basic type that it has."""
    values: Mapping[str, Value]
    """Name to value and type of the enumerators, in order of declaration."""


class Sizes:
    """The sizes of an API's types on one target. How structs are laid out is left to `Layouts`."""

    def __init__(self, api: Api, target: Target) -> None:
        """Prepare the sizes of `api` on `target`; nothing is computed yet."""
        self.api = api
        self.target = target
        self.limit = min(1 << 62, (1 << (target.pointer[0] * 8 - 1)) - 1)
        """The largest size of an object, in bytes."""
        self._named: dict[str, TypeSize] = {}
        self._enums: dict[str, _EnumValues] = {}

    def size_of(self, type: CType) -> int:
        """Return size of a type in bytes, as sizeof gives it; 1 for `void` and functions (GNU C).

        Raises:
            AbigenError: the type is incomplete, too large, or unknown on this target. It carries no place.
        """
        return self.info(type).size

    def alignment_of(self, type: CType) -> int:
        """Return alignment of a type in bytes, as `_Alignof` gives it; raises as `size_of` does."""
        while isinstance(type, ctype.Array):
            type = type.element
        return self.info(type).alignment

    def preferred_alignment_of(self, type: CType) -> int:
        """Return alignment of a type in bytes, as GNU's `__alignof__` gives it; raises as `size_of` does.

        Source: `__alignof__` of gcc and clang, which is 8 for numbers of 8 bytes (and complex numbers of two such)
        where members of these types are aligned to 4 bytes only: the i386 psABI, and Apple's 32-bit ARM.
        """
        while isinstance(type, ctype.Array):
            type = type.element
        info, base = self.info(type), self.resolve(type)
        is_number = isinstance(base, ctype.EnumType) or (isinstance(base, ctype.Basic) and base.name != "long double")
        size = 16 if isinstance(base, ctype.Basic) and base.name == "double _Complex" else 8
        return 8 if is_number and (info.size, info.alignment) == (size, 4) else info.alignment

    def evaluate(self, expression: Expression | int, span: Span | None = None) -> int:
        """Evaluate an integer constant expression on this target.

        Args:
            expression: the expression; a plain number is its own value.
            span: the place that an error names.

        Raises:
            AbigenError: it has no value; see `abigen.model.evaluate.evaluate`.
        """
        if isinstance(expression, int):
            return expression
        try:
            return evaluate(expression, self)
        except AbigenError as error:
            raise error.placed(span) from None

    def resolve(self, type: CType) -> CType:
        """Return the type without typedefs and qualifiers at its top.

        The standard library's names are resolved for the target, whatever the system headers of this machine say.
        """
        while True:
            if isinstance(type, ctype.Qualified):
                type = type.type
            elif isinstance(type, ctype.NamedType):
                standard = self._standard(type.name)
                typedef = self.api.typedefs.get(type.name)
                if standard is not None:
                    return ctype.Basic(standard)
                if typedef is None:
                    return type
                type = typedef.type
            else:
                return type

    def underlying_type(self, key: str) -> str:
        """Return the canonical name of the basic type that an enumeration has on this target.

        Raises:
            AbigenError: the enumeration is never defined, or a value is too large for any type.
        """
        return self._enum(key).type

    def enumerators(self, key: str) -> dict[str, int]:
        """Return the values of an enumeration's enumerators on this target, by name, in order of declaration.

        Raises:
            AbigenError: the enumeration is never defined, or a value cannot be computed.
        """
        return {name: value for name, (value, _) in self._enum(key).values.items()}

    def enumerator(self, name: str) -> Value | None:
        """Return the value and the type of an enumerator on this target; None when the API has none of that name."""
        enum = self.api.enums_of_enumerators.get(name)
        return None if enum is None else self._enum(enum.name).values.get(name)

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Return offset in bytes and type of the member at the end of a path."""
        raise NotImplementedError

    def record_info(self, key: str) -> TypeSize:
        """Return size and alignment of a struct or union."""
        raise NotImplementedError

    def info(self, type: CType) -> TypeSize:
        """Return size and alignment of any type; raises as `size_of` does."""
        try:
            return self._info(type)
        except RecursionError:
            raise AbigenError.at(None, "the type is too deeply nested") from None

    def alignment(self, expression: Expression | int, span: Span | None, *, of_record: bool = False) -> int:
        """Return an alignment that attributes ask for, in bytes; 0 stands for the largest useful one.

        Of several the largest counts; of those of a struct or union the last one to GCC.

        Raises:
            AbigenError: it is no power of two.
        """
        if isinstance(expression, ctype.Alignments):
            asked = [self.alignment(each, span) for each in expression.operands]
            return asked[-1] if of_record and self.target.compiler == "gcc" else max(asked)
        alignment = self.evaluate(expression, span)
        if alignment == 0:
            return self.target.biggest_alignment
        if alignment < 0 or alignment & (alignment - 1) or alignment > 1 << 32:
            raise AbigenError.at(span, f"an alignment is a power of two, not {alignment}")
        return alignment

    def _standard(self, name: str) -> str | None:
        """Return the basic type behind a name of the standard library, unless the API itself declares the name."""
        own = self.api.typedefs.get(name)
        return self.target.typedefs.get(name) if own is None or not own.in_api else None

    def _info(self, type: CType) -> TypeSize:
        if isinstance(type, ctype.Pointer):
            return TypeSize(*self.target.pointer)
        if isinstance(type, ctype.NamedType):
            return self._named.get(type.name) or self._named_info(type)
        if isinstance(type, ctype.Basic):
            return self._basic_info(type.name)
        if isinstance(type, ctype.RecordType):
            return self.record_info(type.key)
        if isinstance(type, ctype.Qualified):
            return self._atomic_info(type.type) if "_Atomic" in type.qualifiers else self.info(type.type)
        if isinstance(type, ctype.Array):
            return self._array_info(type)
        if isinstance(type, ctype.EnumType):
            return self._basic_info(self.underlying_type(type.key))
        if isinstance(type, ctype.FunctionType):
            return TypeSize(1, 1)
        if isinstance(type, ctype.Vector):
            size = 1 << (self.evaluate(type.size) - 1).bit_length()
            return TypeSize(size, min(size, self.target.vector_limit))
        if isinstance(type, ctype.BitInt):
            return self._bit_int_info(type)
        raise AbigenError.at(None, "the size of this type is unknown")

    def _basic_info(self, name: str) -> TypeSize:
        if name not in self.target.types:
            raise AbigenError.at(None, f"{self.target.name} has no type '{name}'")
        return TypeSize(*self.target.types[name])

    def _named_info(self, type: ctype.NamedType) -> TypeSize:
        # A loop, not recursion: chains of typedefs can be long.
        chain: list[Typedef] = []
        current: CType = type
        while isinstance(current, ctype.NamedType) and current.name not in self._named:
            standard = self._standard(current.name)
            typedef = self.api.typedefs.get(current.name)
            if standard is not None:
                self._named[current.name] = self._basic_info(standard)
                break
            if typedef is None:
                raise AbigenError.at(None, f"unknown type '{current.name}'")
            if len(chain) > len(self.api.typedefs):
                raise AbigenError.at(typedef.span, f"typedef '{current.name}' is defined as itself")
            chain.append(typedef)
            current = typedef.type
        info = self.info(current)
        for typedef in reversed(chain):
            if typedef.alignment is not None:
                alignment = self.alignment(typedef.alignment, typedef.span)
                info = TypeSize(info.size, alignment, alignment)
            self._named[typedef.name] = info
        return info

    def _array_info(self, type: ctype.Array) -> TypeSize:
        size = 1
        element: CType = type
        while isinstance(element, ctype.Array):
            if element.length is None:
                raise AbigenError.at(None, "an array without a length has no size")
            length = self.evaluate(element.length)
            if length < 0:
                raise AbigenError.at(None, f"the array has a negative length ({length})")
            size *= length
            element = element.element
        info = self.info(element)
        size *= info.size
        if size > self.limit:
            raise AbigenError.at(None, f"the array is too large for {self.target.name} ({size} bytes)")
        return TypeSize(size, info.alignment, info.required)

    def _atomic_info(self, type: CType) -> TypeSize:
        """Atomic types are aligned to their size if that is a power of two; clang also rounds the size up to one."""
        info = self.info(type)
        size, limit = info.size, self.target.atomic_limit
        if self.target.compiler == "gcc":
            if size in (1, 2, 4, 8, 16):
                return TypeSize(size, max(info.alignment, min(size, self.target.biggest_alignment)), info.required)
        elif 0 < size <= limit:
            size = 1 << (size - 1).bit_length()
            return TypeSize(size, max(info.alignment, size), info.required)
        return info

    def _bit_int_info(self, type: ctype.BitInt) -> TypeSize:
        """C23 leaves it to the psABI: aligned as the integer that holds it, or in words of the largest one."""
        limit = self.target.types["long long"][1]
        if self.target.architecture == "aarch64" and type.width > 64:
            limit = 16
        size = (type.width + 7) // 8
        alignment = min(1 << (size - 1).bit_length(), limit)
        return TypeSize(-(-size // alignment) * alignment, alignment)

    def _enum(self, key: str) -> _EnumValues:
        """Return an enumeration by its key in `Api.enums`, evaluated once."""
        if key not in self._enums:
            enum = self.api.enums.get(key)
            if enum is None or (enum.enumerators is None and enum.underlying is None):
                raise AbigenError.at(None, f"enum '{key}' is never defined, its size is unknown")
            self._enums[key] = self._evaluate_enum(key, enum)
        return self._enums[key]

    def _evaluate_enum(self, key: str, enum: Enum) -> _EnumValues:
        """Compute the values, which may depend on the target, and choose the type (C 6.7.2.2)."""
        # Enumerators may refer to earlier ones of the same enumeration, before its type is known.
        partial: dict[str, Value] = {}
        self._enums[key] = _EnumValues("int", partial)
        value = -1
        place = enum.span
        try:
            for each in enum.enumerators or ():
                place = each.span
                value = value + 1 if each.expression is None else evaluate(each.expression, self)
                partial[each.name] = (value, self._first_that_holds([value], _ENUMERATOR_TYPES, f"the value {value}"))
            place = enum.span
            return self._typed_enum(enum, {name: value for name, (value, _) in partial.items()})
        except AbigenError as error:
            raise error.placed(place) from None
        finally:
            del self._enums[key]

    def _typed_enum(self, enum: Enum, values: Mapping[str, int]) -> _EnumValues:
        target = self.target
        if enum.underlying is None and target.enum_rule != "int":
            name = self._chosen_type(values.values(), short=enum.packed or target.enum_rule == "short")
            types = ("int", name)
            typed = {key: (value, types[not fits(value, "int", target)]) for key, value in values.items()}
            return _EnumValues(name, typed)
        # Where the type is fixed, values are converted to it.
        fixed = ctype.Basic("int") if enum.underlying is None else self.resolve(enum.underlying)
        if not isinstance(fixed, ctype.Basic) or fixed.name not in target.types:
            raise AbigenError.at(None, "the type of an enumeration must be an integer type")
        typed = {key: (convert(value, fixed.name, target), fixed.name) for key, value in values.items()}
        return _EnumValues(fixed.name, typed)

    def _chosen_type(self, values: Collection[int], *, short: bool) -> str:
        """Return the first type that holds all values: unsigned unless one is negative, as GCC and clang choose."""
        names = (("signed char", "short") if short else ()) + ("int", "long", "long long")
        if min(values, default=0) >= 0:
            names = tuple(f"unsigned {name.removeprefix('signed ')}" for name in names)
        return self._first_that_holds(values, names, "all values of the enumeration")

    def _first_that_holds(self, values: Collection[int], names: Sequence[str], what: str) -> str:
        low, high = min(values, default=0), max(values, default=0)
        for name in names:
            if fits(low, name, self.target) and fits(high, name, self.target):
                return name
        raise AbigenError.at(None, f"no integer type holds {what}")


class Hole(msgspec.Struct, frozen=True):
    """Bytes between two members that belong to neither; offset and size in bytes."""

    offset: int
    size: int


class FieldLayout(NamedTuple):
    """The place of a member.

    For a bit-field `offset` is the byte that holds its first bit and `size` the number of bytes that its bits touch, so
    that `offset + size` is the end of any member.
    """

    name: str
    """Empty for an anonymous struct or union."""
    offset: int
    """In bytes, from the start of the struct."""
    size: int
    """In bytes; 0 for a flexible array member."""
    alignment: int
    """In bytes: what the member is aligned to here, packing and attributes taken into account; 1 for a bit-field."""
    bit_offset: int | None
    """In bits from the start of the struct, in the order of allocation (from the least significant bit on little-endian
    targets, from the most significant one on big-endian targets); None for a member that is no bit-field."""
    bit_width: int | None
    """In bits; None for a member that is no bit-field."""
    field: Field


class Layout(msgspec.Struct, frozen=True):
    """The layout of a struct or union; all numbers in bytes."""

    size: int
    alignment: int
    unpadded_size: int
    """The end of the last member; for a flexible array its start; for a union the end of the largest member."""
    fields: tuple[FieldLayout, ...]
    """The members in order of declaration. Unnamed bit-fields are padding, not members (C 6.7.2.1 paragraph 12)."""
    holes: tuple[Hole, ...]
    """Whole bytes of padding between members, in order."""
    tail_padding: int
    """From the unpadded size to the size."""

    def named(self, name: str) -> FieldLayout | None:
        """Return the member of that name; None when there is none. Members of anonymous members are not searched."""
        return next((each for each in self.fields if each.name == name), None)


_WORDS = (1, 2, 4, 8)
"""Sizes of integers in bytes."""


class Layouts(Sizes):
    """The layouts of all types of an API on one target. Each is computed once, when it is asked for."""

    def __init__(self, api: Api, target: Target) -> None:
        """Prepare the layouts of `api` on `target`; nothing is computed yet."""
        super().__init__(api, target)
        self._layouts: dict[str, Layout] = {}
        self._records: dict[str, TypeSize] = {}
        self._pending: set[str] = set()
        self._refused: dict[str, AbigenError] = {}

    def of(self, key: str) -> Layout:
        """Lay out a struct or union.

        Args:
            key: its key in `Api.structs`.

        Returns:
            The layout; the same object each time.

        Raises:
            AbigenError: there is no such struct, it is never defined, it contains itself by value, or a member has no
                size; the place is that of the member.
        """
        layout = self._layouts.get(key)
        if layout is not None:
            return layout
        try:
            return self._lay_out(key)
        except RecursionError:
            return self._lay_out_in_order(key)

    def record_info(self, key: str) -> TypeSize:
        """Return size and alignment of a struct or union; raises as `of` does."""
        if key not in self._records:
            self._lay_out(key)
        return self._records[key]

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Find a member by its path, through anonymous members too.

        Args:
            type: the struct or union that the path starts from.
            path: names of members and indices of array elements.

        Returns:
            Offset in bytes from the start of `type`, and the member's type.

        Raises:
            AbigenError: there is no such member, or it is a bit-field. It carries no place.
        """
        offset = 0
        for step in path:
            resolved = self.resolve(type)
            if isinstance(step, str):
                found = self._find(resolved.key, step) if isinstance(resolved, RecordType) else None
                if found is None:
                    raise AbigenError.at(None, f"there is no member '{step}'")
                if found[1].bit_offset is not None:
                    raise AbigenError.at(None, f"'{step}' is a bit-field and has no offset in bytes")
                offset += found[0]
                type = found[1].field.type
            elif isinstance(resolved, Array):
                type = resolved.element
                offset += self.evaluate(step) * self.size_of(type)
            else:
                raise AbigenError.at(None, "an index needs an array")
        return offset, type

    def _find(self, key: str, name: str) -> tuple[int, FieldLayout] | None:
        """Return offset from the start of the struct and layout of a member, searching anonymous members."""
        for each in self.of(key).fields:
            if each.name == name:
                return each.offset, each
            if not each.name:
                inner = self.resolve(each.field.type)
                found = self._find(inner.key, name) if isinstance(inner, RecordType) else None
                if found:
                    return each.offset + found[0], found[1]
        return None

    def _lay_out(self, key: str) -> Layout:
        struct = self.api.structs.get(key)
        if struct is None:
            raise AbigenError.at(None, f"unknown struct '{key}'")
        if struct.fields is None:
            raise AbigenError.at(None, f"{struct.kind} '{key}' is never defined, its size is unknown")
        if key in self._pending:
            raise AbigenError.at(None, f"{struct.kind} '{key}' contains itself by value")
        if key in self._refused:  # structs inside each other are asked about again and again
            raise AbigenError(self._refused[key].diagnostics)
        self._pending.add(key)
        try:
            plain = self._plain(struct)
            layout, required = (plain, 0) if plain else lay_out_record(struct, self)
        except AbigenError as error:
            self._refused[key] = error
            raise
        finally:
            self._pending.discard(key)
        alignment = layout.alignment
        if alignment == layout.size == 8 and not required and self.target.aligns_words_by_mode:
            alignment = self._alignment_by_mode(struct, layout)
        self._records[key] = TypeSize(layout.size, alignment, required)
        self._layouts[key] = layout
        return layout

    def _lay_out_in_order(self, key: str) -> Layout:
        """Lay out what is declared first before what embeds it, for structs nested deeper than Python's stack is."""
        try:
            for other, struct in self.api.structs.items():
                if struct.fields is not None and other not in self._layouts:
                    self._lay_out(other)
            return self._layouts[key]
        except RecursionError:
            raise AbigenError.at(None, f"struct '{key}' is too deeply nested") from None

    def _plain(self, struct: Struct) -> Layout | None:
        """Lay out a struct without bit-fields and attributes, on which all rules agree; None when it is not one.

        Nearly all structs are, and this takes a fifth of the time.
        """
        fields = struct.fields or ()
        last = self.resolve(fields[-1].type) if fields else None
        special = struct.packed or struct.pack is not None or struct.alignment is not None or struct.bitfield_rule
        has_no_length = isinstance(last, Array) and last.length is None
        if special or has_no_length or struct.is_union or any(map(_is_special, fields)):
            return None
        try:
            infos = [self.info(each.type) for each in fields]
        except AbigenError:
            return None  # the general way says which member it is about
        if any(each.required for each in infos):
            return None
        placed: list[FieldLayout] = []
        end = 0
        for field, (size, alignment, _) in zip(fields, infos, strict=True):
            offset = round_up(end, alignment)
            placed.append(FieldLayout(field.name, offset, size, alignment, None, None, field))
            end = offset + size
        whole_alignment = max((each.alignment for each in infos), default=1)
        size = round_up(end, whole_alignment)
        return _with_holes(struct, placed, size, whole_alignment) if 0 < size <= self.limit else None

    def _alignment_by_mode(self, struct: Struct, layout: Layout) -> int:
        """GCC on i386 aligns to 4 bytes what it can treat as an 8-byte integer, even a struct that holds an atomic."""
        if self._is_block(struct, layout):
            return layout.alignment
        whole = None if struct.is_union else next((each for each in layout.fields if each.size == 8), None)
        if whole is None:
            return 4
        type = self.api.element_of(whole.field.type)
        is_no_integer = isinstance(type, Vector) or (isinstance(type, Basic) and "_Complex" in type.name)
        return 8 if is_no_integer else self.info(type).alignment if isinstance(type, RecordType) else 4

    def _is_block(self, struct: Struct, layout: Layout) -> bool:
        """True if GCC takes a struct for bytes in memory only: of odd size, or with a member that is such."""
        fields = (each for each in layout.fields if each.size and each.bit_width is None)
        return layout.size not in _WORDS or any(self._is_block_type(each.field.type) for each in fields)

    def _is_block_type(self, type: CType) -> bool:
        """`_is_block` of any type that is not empty: no register holds two floats on i386."""
        type = self.resolve(type)
        if isinstance(type, Array):
            size = self.size_of(type)
            return self._is_block_type(type.element) or size not in (*_WORDS, self.size_of(type.element))
        if isinstance(type, Vector):
            element = self.resolve(type.element)
            return isinstance(element, Basic) and element.name in ("float", "double")
        struct = self.api.struct_of(type)
        return struct is not None and self._is_block(struct, self.of(struct.name))


def _is_special(field: Field) -> bool:
    return field.bit_width is not None or field.alignment is not None or field.packed


def lay_out_record(struct: Struct, sizes: Sizes) -> tuple[Layout, int]:
    """Lay out any struct or union by the target's rules.

    Args:
        struct: what to lay out; it is defined.
        sizes: sizes of the types of its members.

    Returns:
        The layout, and the alignment in bytes that attributes on it or in it ask for (on Windows a packed struct that
        embeds it still honours that); 0 for none.

    Raises:
        AbigenError: a member has no size, or a bit-field a width that its type does not have.
    """
    target = sizes.target
    rules = rules_of(struct.bitfield_rule, target)
    fields = struct.fields or ()
    members = [_member(field, struct, sizes, rules, last=field is fields[-1]) for field in fields]
    explicit = 0 if struct.alignment is None else sizes.alignment(struct.alignment, struct.span, of_record=True) * 8
    aggregate = Aggregate(struct.is_union, struct.packed, (struct.pack or 0) * 8, explicit)
    placement = rules(members, aggregate, target)
    if placement.size // 8 > sizes.limit:
        raise AbigenError.at(struct.span, f"{struct.kind} '{struct.name}' is too large for {target.name}")
    if target.compiler != "msvc":
        required = max([explicit, *(max(each.explicit, each.required) for each in members)])
    elif explicit:
        required = max(placement.required, placement.alignment)
    else:
        required = placement.required
    return _assemble(struct, members, placement), required // 8


def _member(field: Field, struct: Struct, sizes: Sizes, rules: PlacementRules, *, last: bool) -> Placeable:
    """Reduce a member to numbers."""
    type = sizes.resolve(field.type)
    try:
        if isinstance(type, Array) and type.length is None:
            if not last and not struct.is_union:
                raise AbigenError.at(None, "an array without a length can only be the last member")
            info = sizes.info(type.element)._replace(size=0)
        else:
            info = sizes.info(field.type)
        width = None if field.bit_width is None else _bit_width(field, type, info, sizes)
    except AbigenError as error:
        name = f"member '{field.name}'" if field.name else "unnamed member"
        found = error.diagnostics
        told = [each if each.place else replace(each, message=f"{name}: {each.message}") for each in found]
        raise AbigenError(told).placed(field.span) from None
    alignment = info.alignment
    if info.required and rules is place_msvc:
        # Microsoft's rules ask for the alignment of the type behind a typedef, too.
        alignment = sizes.alignment_of(type)
    return Placeable(
        size=info.size * 8,
        alignment=alignment * 8,
        required=info.required * 8,
        width=width,
        explicit=0 if field.alignment is None else sizes.alignment(field.alignment, field.span) * 8,
        packed=field.packed,
        named=bool(field.name) or width is None,
        natural=_natural_size(field.type, sizes) * 8 if rules is place_ms_struct_clang else 0,
    )


def _bit_width(field: Field, type: CType, info: TypeSize, sizes: Sizes) -> int:
    """Return width of a bit-field in bits (C 6.7.2.1 paragraph 4)."""
    width = sizes.evaluate(field.bit_width or 0)
    limit = info.size * 8
    if isinstance(type, Basic) and type.name == "_Bool":
        limit = 1
    if isinstance(type, BitInt):
        limit = type.width
    if not 0 <= width <= limit:
        raise AbigenError.at(None, f"a bit-field of this type has at most {limit} bits, not {width}")
    if width == 0 and field.name:
        raise AbigenError.at(None, "a bit-field without bits cannot have a name")
    return width


def _natural_size(type: CType, sizes: Sizes) -> int:
    """Return size in bytes of the basic type that a type is, or is an array of; 0 when it is something else."""
    while True:
        if isinstance(type, Array):
            type = type.element
        elif isinstance(type, Qualified):
            if "_Atomic" in type.qualifiers:
                return 0
            type = type.type
        elif isinstance(type, NamedType) and type.name in sizes.api.typedefs:
            type = sizes.api.typedefs[type.name].type
        else:
            type = sizes.resolve(type)
            return sizes.size_of(type) if isinstance(type, Basic) and "_Complex" not in type.name else 0


def _assemble(struct: Struct, members: list[Placeable], placement: Placement) -> Layout:
    """Turn bits into bytes."""
    placed: list[FieldLayout] = []
    for field, member, (start, alignment) in zip(struct.fields or (), members, placement.members, strict=True):
        if not member.named:
            continue
        offset = start // 8
        if member.width is None:
            alignment = max(alignment // 8, 1)
            placed.append(FieldLayout(field.name, offset, member.size // 8, alignment, None, None, field))
        else:
            size = -(-(start + member.width) // 8) - offset
            placed.append(FieldLayout(field.name, offset, size, 1, start, member.width, field))
    return _with_holes(struct, placed, placement.size // 8, placement.alignment // 8)


def _with_holes(struct: Struct, placed: list[FieldLayout], size: int, alignment: int) -> Layout:
    """Return the layout of members that have been placed, with the bytes between them."""
    ends = [each.offset + each.size for each in placed] or [0]
    if struct.is_union:
        return Layout(size, alignment, max(ends), tuple(placed), (), size - max(ends))
    gaps = zip([0, *ends], placed, strict=False)
    holes = tuple(Hole(end, each.offset - end) for end, each in gaps if each.offset > end)
    return Layout(size, alignment, ends[-1], tuple(placed), holes, size - ends[-1])


def agreed_value(layouts: Iterable[Layouts], expression: Expression | int) -> int | None:
    """Return the value that an integer constant expression has on all of some targets.

    Args:
        layouts: the targets, at least one.
        expression: the expression; a plain number is its own value.

    Returns:
        None where the targets differ, or where the expression has no value on one of them.
    """
    try:
        values = {each.evaluate(expression) for each in layouts}
    except AbigenError:
        return None
    return values.pop() if len(values) == 1 else None
