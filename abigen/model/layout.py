"""Layout of types on a target: sizes, alignments, offsets, holes, unpadded sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from abigen.model.api import Api
from abigen.model.ctype import (
    Array,
    Basic,
    BitInt,
    CType,
    EnumType,
    Expression,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    Vector,
)
from abigen.model.entities import Enum, Field, Struct, Typedef
from abigen.model.evaluate import Value, convert, evaluate, fits
from abigen.model.placement import Aggregate, Member, Placement, place_sysv
from abigen.model.placement_microsoft import place_microsoft, place_ms_struct_clang, place_ms_struct_gcc
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.target import Target

_MAX_NESTING = 60
_Placer: TypeAlias = Callable[[list[Member], Aggregate, Target], Placement]


class Hole(NamedTuple):
    """Bytes between two members that belong to neither; offset and size in bytes."""

    offset: int
    size: int


class FieldLayout(NamedTuple):
    """Where a member stands.

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


class Layout(NamedTuple):
    """How a struct or union stands in memory; all numbers in bytes."""

    size: int
    alignment: int
    unpadded_size: int
    """Where the last member ends; for a flexible array where it starts."""
    fields: tuple[FieldLayout, ...]
    """The members in order of declaration. Unnamed bit-fields are padding, not members (C 6.7.2.1 paragraph 12)."""
    holes: tuple[Hole, ...]
    tail_padding: int
    """From the end of the last member to the end of the struct; for a union from the end of its largest member."""

    def named(self, name: str) -> FieldLayout | None:
        """The member of that name; None when there is none. Members of anonymous members are not searched."""
        for each in self.fields:
            if each.name == name:
                return each
        return None


class _Info(NamedTuple):
    """Size and alignment of a type in bytes; `required` is what attributes on the type ask for, 0 for nothing."""

    size: int
    alignment: int
    required: int


class Layouts:
    """The layouts of all types of an API on one target. Each is computed once, when it is asked for."""

    def __init__(self, api: Api, target: Target) -> None:
        """Prepare the layouts of `api` on `target`; nothing is computed yet."""
        self.api = api
        self.target = target
        self._limit = min(1 << 62, (1 << (target.pointer[0] * 8 - 1)) - 1)
        self._layouts: dict[str, Layout] = {}
        self._records: dict[str, _Info] = {}
        self._pointer = _Info(*target.pointer, 0)
        self._basic = {name: _Info(*numbers, 0) for name, numbers in target.types.items()}
        self._named: dict[str, _Info] = {}
        self._enums: dict[str, tuple[str, Mapping[str, Value]]] = {}
        self._owners: dict[str, str] | None = None
        self._pending: set[str] = set()
        self._nesting = 0

    def of(self, key: str) -> Layout:
        """Lay out a struct or union.

        Args:
            key: its key in `Api.structs`.

        Returns:
            The layout; the same object each time.

        Raises:
            AbigenError: there is no such struct, it is never defined, it contains itself by value, or a member has no
                size: the place is that of the member.
        """
        layout = self._layouts.get(key)
        return layout if layout is not None else self._lay_out(key)

    def size_of(self, type: CType) -> int:
        """Size of a type in bytes, as sizeof gives it; 1 for `void` and functions (GNU C).

        Raises:
            AbigenError: the type is incomplete, too large, or unknown on this target.
        """
        return self._info(type).size

    def alignment_of(self, type: CType) -> int:
        """Alignment of a type in bytes, as `_Alignof` gives it; raises as `size_of` does."""
        if isinstance(type, Array) and type.length is None:
            return self._info(type.element).alignment
        return self._info(type).alignment

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
            raise _placed(error, span) from None

    def resolve(self, type: CType) -> CType:
        """The type without typedefs and qualifiers at its top; the standard library's names are resolved for the target."""
        while True:
            if isinstance(type, Qualified):
                type = type.type
            elif isinstance(type, NamedType):
                standard = self._standard(type.name)
                if standard is not None:
                    return Basic(standard)
                typedef = self.api.typedefs.get(type.name)
                if typedef is None:
                    return type
                type = typedef.type
            else:
                return type

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Find a member by its path, through anonymous members too.

        Args:
            type: the struct or union that the path starts from.
            path: names of members and indices of array elements.

        Returns:
            Offset in bytes from the start of `type`, and the member's type.

        Raises:
            AbigenError: there is no such member, or it is a bit-field.
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

    def underlying_type(self, key: str) -> str:
        """The canonical name of the basic type that an enumeration has on this target.

        Raises:
            AbigenError: the enumeration is never defined, or a value is too large for any type.
        """
        return self._enum(key)[0]

    def enumerators(self, key: str) -> dict[str, int]:
        """The values of an enumeration's enumerators on this target, by name, in order; empty when it is never defined.

        Raises:
            AbigenError: a value cannot be computed.
        """
        return {name: value for name, (value, _) in self._enum(key)[1].items()}

    def enumerator(self, name: str) -> Value | None:
        """The value and the type of an enumerator on this target; None when the API has none of that name."""
        if self._owners is None:
            self._owners = {
                each.name: key for key, enum in self.api.enums.items() if enum.enumerators for each in enum.enumerators
            }
        key = self._owners.get(name)
        return None if key is None else self._enum(key)[1].get(name)

    def _find(self, key: str, name: str) -> tuple[int, FieldLayout] | None:
        """Offset from the start of the struct and layout of a member, searching anonymous members."""
        for each in self.of(key).fields:
            if each.name == name:
                return each.offset, each
            if not each.name:
                inner = self.resolve(each.field.type)
                found = self._find(inner.key, name) if isinstance(inner, RecordType) else None
                if found:
                    return each.offset + found[0], found[1]
        return None

    def _standard(self, name: str) -> str | None:
        """The basic type behind a name of the standard library, unless the API itself gives the name another meaning."""
        standard = self.target.typedefs.get(name)
        if standard is None:
            return None
        own = self.api.typedefs.get(name)
        return standard if own is None or not own.in_api else None

    def _info(self, type: CType) -> _Info:
        kind = type.__class__
        if kind is Pointer:
            return self._pointer
        if kind is NamedType:
            known = self._named.get(type.name)  # type: ignore[attr-defined]
            return known if known is not None else self._named_info(type)  # type: ignore[arg-type]
        if kind is Basic:
            known = self._basic.get(type.name)  # type: ignore[attr-defined]
            if known is None:
                raise AbigenError.at(None, f"{self.target.name} has no type '{type.name}'")  # type: ignore[attr-defined]
            return known
        if kind is RecordType:
            key = type.key  # type: ignore[attr-defined]
            known = self._records.get(key)
            if known is None:
                self._lay_out(key)
                known = self._records[key]
            return known
        return self._other_info(type)

    def _other_info(self, type: CType) -> _Info:
        if isinstance(type, Qualified):
            return self._atomic_info(type.type) if "_Atomic" in type.qualifiers else self._info(type.type)
        if isinstance(type, Array):
            return self._array_info(type)
        if isinstance(type, EnumType):
            return self._basic[self._enum(type.key)[0]]
        if isinstance(type, FunctionType):
            return _Info(1, 1, 0)
        if isinstance(type, Vector):
            size = 1 << (type.size - 1).bit_length()
            return _Info(size, min(size, self.target.vector_limit), 0)
        if isinstance(type, BitInt):
            return self._bit_int_info(type)
        raise AbigenError.at(None, "the size of this type is unknown")

    def _named_info(self, type: NamedType) -> _Info:
        standard = self._standard(type.name)
        if standard is not None:
            info = self._basic[standard]
        else:
            # A loop, not recursion: chains of typedefs can be long.
            chain: list[Typedef] = []
            current: CType = type
            while (
                isinstance(current, NamedType)
                and current.name not in self._named
                and self._standard(current.name) is None
            ):
                typedef = self.api.typedefs.get(current.name)
                if typedef is None:
                    raise AbigenError.at(None, f"unknown type '{current.name}'")
                if len(chain) > len(self.api.typedefs):
                    raise AbigenError.at(typedef.span, f"typedef '{current.name}' stands for itself")
                chain.append(typedef)
                current = typedef.type
            info = self._info(current)
            for typedef in reversed(chain):
                if typedef.alignment is not None:
                    alignment = self._alignment(typedef.alignment, typedef.span)
                    info = _Info(info.size, alignment, alignment)
                self._named[typedef.name] = info
        self._named[type.name] = info
        return info

    def _array_info(self, type: Array) -> _Info:
        self._nest()
        element = self._info(type.element)
        self._nesting -= 1
        if type.length is None:
            raise AbigenError.at(None, "an array without a length has no size")
        length = self.evaluate(type.length)
        if length < 0:
            raise AbigenError.at(None, f"the array has a negative length ({length})")
        if length * element.size > self._limit:
            raise AbigenError.at(None, f"the array is too large for {self.target.name} ({length} elements)")
        return _Info(length * element.size, element.alignment, element.required)

    def _atomic_info(self, type: CType) -> _Info:
        """Atomic types are aligned to their size where that is a power of two; clang also rounds the size up to one."""
        info = self._info(type)
        size, limit = info.size, self.target.atomic_limit
        if self.target.compiler == "gcc":
            if size in (1, 2, 4, 8, 16):
                return _Info(size, max(info.alignment, min(size, self.target.biggest_alignment)), info.required)
        elif 0 < size <= limit:
            size = 1 << (size - 1).bit_length()
            return _Info(size, max(info.alignment, size), info.required)
        return info

    def _bit_int_info(self, type: BitInt) -> _Info:
        """C23 leaves it to the psABI: aligned as the integer that holds it, or in words of the largest one."""
        limit = self.target.types["long long"][1]
        if self.target.architecture == "aarch64" and type.width > 64:
            limit = 16
        size = (type.width + 7) // 8
        alignment = min(1 << (size - 1).bit_length(), limit)
        return _Info(-(-size // alignment) * alignment, alignment, 0)

    def _nest(self) -> None:
        self._nesting += 1
        if self._nesting > 2 * _MAX_NESTING:
            self._nesting = 0
            raise AbigenError.at(None, "the type is too deeply nested")

    def _alignment(self, expression: Expression | int, span: Span | None) -> int:
        """An alignment that an attribute asks for, in bytes; 0 stands for the largest useful one."""
        alignment = self.evaluate(expression, span)
        if alignment == 0:
            return self.target.biggest_alignment
        if alignment < 0 or alignment & (alignment - 1) or alignment > 1 << 32:
            raise AbigenError.at(span, f"an alignment is a positive power of two, not {alignment}")
        return alignment

    def _enum(self, key: str) -> tuple[str, Mapping[str, Value]]:
        known = self._enums.get(key)
        if known is None:
            enum = self.api.enums.get(key)
            if enum is None or (enum.enumerators is None and enum.underlying is None):
                raise AbigenError.at(enum.span if enum else None, f"enum '{key}' is never defined")
            known = self._enums[key] = self._evaluate_enum(enum)
        return known

    def _evaluate_enum(self, enum: Enum) -> tuple[str, Mapping[str, Value]]:
        """Choose the underlying type (C 6.7.2.2) and compute the values, which may depend on the target."""
        values: dict[str, int] = {}
        # Enumerators may refer to earlier ones of the same enumeration, before its type is known.
        partial: dict[str, Value] = {}
        self._enums[enum.name] = ("int", partial)
        previous = -1
        try:
            for each in enum.enumerators or ():
                previous = previous + 1 if each.expression is None else evaluate(each.expression, self)
                values[each.name] = previous
                partial[each.name] = (previous, self._type_of_value(previous))
        except AbigenError as error:
            raise _placed(error, each.span) from None
        finally:
            del self._enums[enum.name]
        try:
            name = self._enum_type(enum, values.values())
        except AbigenError as error:
            raise _placed(error, enum.span) from None
        if enum.underlying is not None:
            return name, {key: (convert(value, name, self.target), name) for key, value in values.items()}
        if self.target.enum_rule == "int":
            return name, {key: (convert(value, "int", self.target), "int") for key, value in values.items()}
        types = ("int", name)
        return name, {key: (value, types[not fits(value, "int", self.target)]) for key, value in values.items()}

    def _type_of_value(self, value: int) -> str:
        for name in ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"):
            if fits(value, name, self.target):
                return name
        raise AbigenError.at(None, f"the value {value} is too large for any integer type")

    def _enum_type(self, enum: Enum, values: object) -> str:
        if enum.underlying is not None:
            resolved = self.resolve(enum.underlying)
            if not isinstance(resolved, Basic) or resolved.name not in self._basic:
                raise AbigenError.at(None, "the underlying type of an enumeration is an integer type")
            return resolved.name
        if self.target.enum_rule == "int":
            return "int"
        extremes = list(values)  # type: ignore[call-overload]
        low, high = min(extremes, default=0), max(extremes, default=0)
        short = enum.packed or self.target.enum_rule == "short"
        for name in (("signed char", "short") if short else ()) + ("int", "long", "long long"):
            candidate = name if low < 0 else "unsigned " + name.removeprefix("signed ")
            if fits(low, candidate, self.target) and fits(high, candidate, self.target):
                return candidate
        raise AbigenError.at(None, "the values are too large for any integer type")

    def _lay_out(self, key: str) -> Layout:
        struct = self.api.structs.get(key)
        if struct is None:
            raise AbigenError.at(None, f"unknown struct '{key}'")
        if struct.fields is None:
            raise AbigenError.at(None, f"{struct.kind} '{key}' is never defined, its size is unknown")
        if key in self._pending:
            raise AbigenError.at(None, f"{struct.kind} '{key}' contains itself by value")
        if len(self._pending) >= _MAX_NESTING:
            raise AbigenError.at(None, "the type is too deeply nested")
        self._pending.add(key)
        try:
            layout = self._plain(struct) or self._general(struct)
        finally:
            self._pending.discard(key)
        self._layouts[key] = layout
        return layout

    def _plain(self, struct: Struct) -> Layout | None:
        """Lay out a struct without bit-fields and attributes, on which all rules agree; None when it is not one."""
        if struct.packed or struct.pack is not None or struct.alignment is not None or struct.bitfield_rule:
            return None
        if struct.is_union or not struct.fields:
            return None
        placed: list[FieldLayout] = []
        holes: list[Hole] = []
        end = 0
        whole_alignment = 1
        for field in struct.fields:
            if field.bit_width is not None or field.alignment is not None or field.packed:
                return None
            try:
                size, alignment, required = self._info(field.type)
            except AbigenError as error:
                if isinstance(self.resolve(field.type), Array) and field is struct.fields[-1]:
                    return None
                raise _member_error(error, field) from None
            if required:
                return None
            offset = (end + alignment - 1) & -alignment
            if offset != end:
                holes.append(Hole(end, offset - end))
            if alignment > whole_alignment:
                whole_alignment = alignment
            placed.append(FieldLayout(field.name, offset, size, alignment, None, None, field))
            end = offset + size
        size = (end + whole_alignment - 1) & -whole_alignment
        if size > self._limit or (size == 0 and self.target.compiler == "msvc"):
            return None
        self._records[struct.name] = _Info(size, whole_alignment, 0)
        return Layout(size, whole_alignment, end, tuple(placed), tuple(holes), size - end)

    def _general(self, struct: Struct) -> Layout:
        """Lay out any struct or union by the target's rules."""
        fields = struct.fields or ()
        place = self._place(struct)
        members = [self._member(field, struct, place, last=field is fields[-1]) for field in fields]
        explicit = 0 if struct.alignment is None else self._alignment(struct.alignment, struct.span) * 8
        aggregate = Aggregate(struct.is_union, struct.packed, (struct.pack or 0) * 8, explicit)
        placement = place(members, aggregate, self.target)
        if placement.size // 8 > self._limit:
            raise AbigenError.at(struct.span, f"{struct.kind} '{struct.name}' is too large for {self.target.name}")
        required = placement.required // 8
        if explicit and self.target.compiler == "msvc":
            required = max(required, placement.alignment // 8)
        self._records[struct.name] = _Info(placement.size // 8, placement.alignment // 8, required)
        return _assemble(struct, members, placement)

    def _place(self, struct: Struct) -> _Placer:
        """The rules that a struct follows: the target's, unless an attribute asks for the other ones."""
        compiler = self.target.compiler
        rule = self.target.bitfield_rule
        if compiler == "msvc":
            return place_microsoft
        if struct.bitfield_rule and (compiler == "clang" or self.target.architecture in ("x86_64", "x32", "i686")):
            rule = struct.bitfield_rule
        if rule != "ms":
            return place_sysv
        return place_ms_struct_gcc if compiler == "gcc" else place_ms_struct_clang

    def _member(self, field: Field, struct: Struct, place: _Placer, *, last: bool) -> Member:
        type = self.resolve(field.type)
        try:
            if isinstance(type, Array) and type.length is None:
                if not last and not struct.is_union:
                    raise AbigenError.at(None, "an array without a length can only be the last member")
                element = self._info(type.element)
                info = _Info(0, element.alignment, element.required)
            else:
                info = self._info(field.type)
            width = None if field.bit_width is None else self._bit_width(field, type, info)
        except AbigenError as error:
            raise _member_error(error, field) from None
        explicit = 0 if field.alignment is None else self._alignment(field.alignment, field.span)
        alignment = info.alignment
        if self.target.compiler == "msvc" and info.required:
            # Microsoft's rules need the alignment of the type behind a typedef that asks for another one.
            alignment = self._natural_alignment(field.type)
        natural = self._natural_size(field.type) * 8 if place is place_ms_struct_clang else 0
        named = bool(field.name) or width is None
        sizes = (info.size * 8, alignment * 8, info.required * 8)
        return Member(*sizes, width, explicit * 8, field.packed, named, natural)

    def _natural_size(self, type: CType) -> int:
        """Size of the basic type that a type is, or is an array of; 0 when it is something else."""
        while True:
            if isinstance(type, Array):
                type = type.element
            elif isinstance(type, Qualified) and "_Atomic" in type.qualifiers:
                return 0
            elif isinstance(type, Qualified):
                type = type.type
            elif isinstance(type, NamedType) and type.name in self.api.typedefs:
                type = self.api.typedefs[type.name].type
            else:
                type = self.resolve(type)
                return self.size_of(type) if isinstance(type, Basic) and "_Complex" not in type.name else 0

    def _natural_alignment(self, type: CType) -> int:
        resolved = self.resolve(type)
        return self.alignment_of(resolved)

    def _bit_width(self, field: Field, type: CType, info: _Info) -> int:
        """Width of a bit-field in bits (C 6.7.2.1 paragraph 4)."""
        width = self.evaluate(field.bit_width or 0)
        limit = info.size * 8
        if isinstance(type, Basic) and type.name == "_Bool":
            limit = 1
        if isinstance(type, BitInt):
            limit = type.width
        if width < 0 or width > limit:
            raise AbigenError.at(None, f"a bit-field of this type has 0 to {limit} bits, not {width}")
        if width == 0 and field.name:
            raise AbigenError.at(None, "only an unnamed bit-field can have no bits")
        return width


def _assemble(struct: Struct, members: list[Member], placement: Placement) -> Layout:
    """Turn bits into bytes, and find the holes."""
    placed: list[FieldLayout] = []
    holes: list[Hole] = []
    end = largest = 0
    for field, member, (start, alignment) in zip(struct.fields or (), members, placement.members, strict=True):
        if not member.named:
            continue
        offset = start // 8
        if member.width is None:
            layout = FieldLayout(field.name, offset, member.size // 8, max(alignment // 8, 1), None, None, field)
        else:
            size = -(-(start + member.width) // 8) - offset
            layout = FieldLayout(field.name, offset, size, 1, start, member.width, field)
        if offset > end and not struct.is_union:
            holes.append(Hole(end, offset - end))
        end = offset + layout.size
        largest = max(largest, end)
        placed.append(layout)
    unpadded = largest if struct.is_union else end
    size = placement.size // 8
    return Layout(size, placement.alignment // 8, unpadded, tuple(placed), tuple(holes), size - unpadded)


def _placed(error: AbigenError, span: Span | None) -> AbigenError:
    """The same error, with a place for those of its diagnostics that have none."""
    return AbigenError(
        [Diagnostic(each.place or span, each.message, each.hint, each.severity) for each in error.diagnostics]
    )


def _member_error(error: AbigenError, field: Field) -> AbigenError:
    """An error about a member's type, told as one about the member."""
    name = f"member '{field.name}'" if field.name else "unnamed member"
    return AbigenError(
        [
            each if each.place else Diagnostic(field.span, f"{name}: {each.message}", each.hint, each.severity)
            for each in error.diagnostics
        ]
    )
