"""Sizes and alignments of types on a target, in bytes."""

from __future__ import annotations

from typing import NamedTuple

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
from abigen.model.entities import Typedef
from abigen.model.enumeration import Enumerations
from abigen.model.evaluate import Value, evaluate
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.target import Target


class TypeSize(NamedTuple):
    """Size and alignment of a type in bytes; `required` is what attributes on the type ask for, 0 for nothing."""

    size: int
    alignment: int
    required: int


_FUNCTION = TypeSize(1, 1, 0)


class Sizes:
    """The sizes of an API's types on one target. How structs are laid out is left to `Layouts`."""

    def __init__(self, api: Api, target: Target) -> None:
        """Prepare the sizes of `api` on `target`; nothing is computed yet."""
        self.api = api
        self.target = target
        self.limit = min(1 << 62, (1 << (target.pointer[0] * 8 - 1)) - 1)
        """The largest size of an object, in bytes."""
        self._records: dict[str, TypeSize] = {}
        self._pointer = TypeSize(*target.pointer, 0)
        self._basic = {name: TypeSize(*numbers, 0) for name, numbers in target.types.items()}
        self._named: dict[str, TypeSize] = {}
        self._enumerations = Enumerations(self)
        # By identity, because hashing a type walks all of it; the type is kept so that no other gets its id.
        self._others: dict[int, tuple[CType, TypeSize]] = {}

    def size_of(self, type: CType) -> int:
        """Size of a type in bytes, as sizeof gives it; 1 for `void` and functions (GNU C).

        Raises:
            AbigenError: the type is incomplete, too large, or unknown on this target. It carries no place.
        """
        return self.info(type).size

    def alignment_of(self, type: CType) -> int:
        """Alignment of a type in bytes, as `_Alignof` gives it; raises as `size_of` does."""
        while isinstance(type, Array):
            type = type.element
        return self.info(type).alignment

    def preferred_alignment_of(self, type: CType) -> int:
        """Alignment of a type in bytes, as GNU's `__alignof__` gives it; raises as `size_of` does.

        Source: `__alignof__` of gcc and clang, which is 8 for numbers of 8 bytes (and complex numbers of two such)
        where members of these types are aligned to 4 bytes only: the i386 psABI, and Apple's 32-bit ARM.
        """
        while isinstance(type, Array):
            type = type.element
        info, base = self.info(type), self.resolve(type)
        is_number = isinstance(base, EnumType) or (isinstance(base, Basic) and base.name != "long double")
        size = 16 if isinstance(base, Basic) and base.name == "double _Complex" else 8
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
            raise placed(error, span) from None

    def resolve(self, type: CType) -> CType:
        """The type without typedefs and qualifiers at its top.

        The standard library's names are resolved for the target, whatever the system headers of this machine say.
        """
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

    def underlying_type(self, key: str) -> str:
        """The canonical name of the basic type that an enumeration has on this target.

        Raises:
            AbigenError: the enumeration is never defined, or a value is too large for any type.
        """
        return self._enumerations.of(key).type

    def enumerators(self, key: str) -> dict[str, int]:
        """The values of an enumeration's enumerators on this target, by name, in order of declaration.

        Raises:
            AbigenError: the enumeration is never defined, or a value cannot be computed.
        """
        return {name: value for name, (value, _) in self._enumerations.of(key).values.items()}

    def enumerator(self, name: str) -> Value | None:
        """The value and the type of an enumerator on this target; None when the API has none of that name."""
        return self._enumerations.enumerator(name)

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Offset in bytes and type of the member at the end of a path."""
        raise NotImplementedError

    def record_info(self, key: str) -> TypeSize:
        """Size and alignment of a struct or union."""
        raise NotImplementedError

    def info(self, type: CType) -> TypeSize:
        """Size and alignment of any type; raises as `size_of` does."""
        kind = type.__class__
        if kind is Pointer:
            return self._pointer
        try:
            if kind is NamedType:
                return self._named.get(type.name) or self._named_info(type)  # type: ignore[attr-defined, arg-type]
            if kind is Basic:
                return self._basic.get(type.name) or self._unknown(type)  # type: ignore[attr-defined, arg-type]
            if kind is RecordType:
                return self._records.get(type.key) or self.record_info(type.key)  # type: ignore[attr-defined]
            known = self._others.get(id(type))
            if known is None:
                known = self._others[id(type)] = (type, self._other_info(type))
            return known[1]
        except RecursionError:
            raise AbigenError.at(None, "the type is too deeply nested") from None

    def alignment(self, expression: Expression | int, span: Span | None) -> int:
        """An alignment that an attribute asks for, in bytes; 0 stands for the largest useful one.

        Raises:
            AbigenError: it is no power of two.
        """
        alignment = self.evaluate(expression, span)
        if alignment == 0:
            return self.target.biggest_alignment
        if alignment < 0 or alignment & (alignment - 1) or alignment > 1 << 32:
            raise AbigenError.at(span, f"an alignment is a power of two, not {alignment}")
        return alignment

    def _standard(self, name: str) -> str | None:
        """The basic type behind a name of the standard library, unless the API itself declares the name."""
        standard = self.target.typedefs.get(name)
        if standard is None:
            return None
        own = self.api.typedefs.get(name)
        return standard if own is None or not own.in_api else None

    def _unknown(self, type: Basic) -> TypeSize:
        raise AbigenError.at(None, f"{self.target.name} has no type '{type.name}'")

    def _other_info(self, type: CType) -> TypeSize:
        if isinstance(type, Qualified):
            return self._atomic_info(type.type) if "_Atomic" in type.qualifiers else self.info(type.type)
        if isinstance(type, Array):
            return self._array_info(type)
        if isinstance(type, EnumType):
            return self._basic[self.underlying_type(type.key)]
        if isinstance(type, FunctionType):
            return _FUNCTION
        if isinstance(type, Vector):
            size = 1 << (type.size - 1).bit_length()
            return TypeSize(size, min(size, self.target.vector_limit), 0)
        if isinstance(type, BitInt):
            return self._bit_int_info(type)
        raise AbigenError.at(None, "the size of this type is unknown")

    def _named_info(self, type: NamedType) -> TypeSize:
        standard = self._standard(type.name)
        if standard is not None:
            info = self._named[type.name] = self._basic[standard]
            return info
        # A loop, not recursion: chains of typedefs can be long.
        chain: list[Typedef] = []
        current: CType = type
        while isinstance(current, NamedType) and current.name not in self._named:
            if self._standard(current.name) is not None:
                break
            typedef = self.api.typedefs.get(current.name)
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

    def _array_info(self, type: Array) -> TypeSize:
        size, element = 1, type
        while True:
            if element.length is None:
                raise AbigenError.at(None, "an array without a length has no size")
            length = self.evaluate(element.length)
            if length < 0:
                raise AbigenError.at(None, f"the array has a negative length ({length})")
            size *= length
            if not isinstance(element.element, Array):
                break
            element = element.element
        info = self.info(element.element)
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

    def _bit_int_info(self, type: BitInt) -> TypeSize:
        """C23 leaves it to the psABI: aligned as the integer that holds it, or in words of the largest one."""
        limit = self.target.types["long long"][1]
        if self.target.architecture == "aarch64" and type.width > 64:
            limit = 16
        size = (type.width + 7) // 8
        alignment = min(1 << (size - 1).bit_length(), limit)
        return TypeSize(-(-size // alignment) * alignment, alignment, 0)


def placed(error: AbigenError, span: Span | None) -> AbigenError:
    """The same error, with a place for those of its diagnostics that have none."""
    return AbigenError(
        [Diagnostic(each.place or span, each.message, each.hint, each.severity) for each in error.diagnostics]
    )
