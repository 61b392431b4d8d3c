"""Sizes and alignments of types on a target, in bytes, and the values of enumerators there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from abigen.model import ctype
from abigen.model.api import Api
from abigen.model.ctype import CType, Expression
from abigen.model.entities import Enum, Typedef
from abigen.model.evaluate import Value, convert, evaluate, fits
from abigen.model.span import AbigenError, Span
from abigen.model.target import Target

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
        self._owners: dict[str, str] | None = None

    def size_of(self, type: CType) -> int:
        """Size of a type in bytes, as sizeof gives it; 1 for `void` and functions (GNU C).

        Raises:
            AbigenError: the type is incomplete, too large, or unknown on this target. It carries no place.
        """
        return self.info(type).size

    def alignment_of(self, type: CType) -> int:
        """Alignment of a type in bytes, as `_Alignof` gives it; raises as `size_of` does."""
        while isinstance(type, ctype.Array):
            type = type.element
        return self.info(type).alignment

    def preferred_alignment_of(self, type: CType) -> int:
        """Alignment of a type in bytes, as GNU's `__alignof__` gives it; raises as `size_of` does.

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
        """The type without typedefs and qualifiers at its top.

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
        """The canonical name of the basic type that an enumeration has on this target.

        Raises:
            AbigenError: the enumeration is never defined, or a value is too large for any type.
        """
        return self._enum(key).type

    def enumerators(self, key: str) -> dict[str, int]:
        """The values of an enumeration's enumerators on this target, by name, in order of declaration.

        Raises:
            AbigenError: the enumeration is never defined, or a value cannot be computed.
        """
        return {name: value for name, (value, _) in self._enum(key).values.items()}

    def enumerator(self, name: str) -> Value | None:
        """The value and the type of an enumerator on this target; None when the API has none of that name."""
        if self._owners is None:
            enums = self.api.enums.items()
            self._owners = {each.name: key for key, enum in enums for each in enum.enumerators or ()}
        key = self._owners.get(name)
        return None if key is None else self._enum(key).values.get(name)

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Offset in bytes and type of the member at the end of a path."""
        raise NotImplementedError

    def record_info(self, key: str) -> TypeSize:
        """Size and alignment of a struct or union."""
        raise NotImplementedError

    def info(self, type: CType) -> TypeSize:
        """Size and alignment of any type; raises as `size_of` does."""
        try:
            return self._info(type)
        except RecursionError:
            raise AbigenError.at(None, "the type is too deeply nested") from None

    def alignment(self, expression: Expression | int, span: Span | None, *, of_record: bool = False) -> int:
        """An alignment that attributes ask for, in bytes; 0 stands for the largest useful one.

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
        """The basic type behind a name of the standard library, unless the API itself declares the name."""
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
                raise AbigenError.at(typedef.span, f"typedef '{current.name}' stands for itself")
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
        """An enumeration by its key in `Api.enums`, evaluated once."""
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
        """The first type that holds all values: unsigned unless one is negative, as GCC and clang choose."""
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
