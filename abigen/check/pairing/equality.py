"""Whether a type of OLD and a type of NEW are the same type on one target."""

from __future__ import annotations

from functools import cached_property

from abigen.check.pairing.types import TypePairs
from abigen.model.ctype import (
    Array,
    Basic,
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
from abigen.model.layout import Layouts

NO_QUALIFIERS: frozenset[str] = frozenset()


class Equality:
    """Compares types across two APIs, in which records and enumerations have been paired.

    Two types are the same when they differ in spelling only: through typedefs, in parameters' names, `()` against
    `(void)`. A typedef that the API itself declares counts as the same wherever it is named, even when its target
    changed: that is a finding about the typedef, not about everything that uses it.
    """

    def __init__(self, types: TypePairs, old_layouts: Layouts, new_layouts: Layouts) -> None:
        """Prepare to compare types of the two APIs that the layouts are of.

        Args:
            types: which records and enumerations of OLD are which of NEW.
            old_layouts: OLD's, on the target.
            new_layouts: NEW's, on the same target.
        """
        self.old, self.new = old_layouts.api, new_layouts.api
        self.old_layouts, self.new_layouts = old_layouts, new_layouts
        self.records, self.enums = types.records, types.enums

    @cached_property
    def _shifting(self) -> frozenset[str]:
        """Names of included typedefs that stand for something else now; nothing is reported about them themselves."""
        new = self.new.typedefs
        return frozenset(
            name
            for name, before in self.old.typedefs.items()
            if (after := new.get(name)) is not None
            and not (before.in_api or after.in_api)
            and (before.type, before.alignment) != (after.type, after.alignment)
        )

    @cached_property
    def _resized(self) -> frozenset[str]:
        """OLD's keys of included enumerations whose values are not stored alike any more."""
        found = set()
        for key, before in self.old.enums.items():
            after = self.new.enums.get(self.enums.get(key, ""))
            if after is None or before.in_api or after.in_api or before == after:
                continue
            if before.enumerators is None or after.enumerators is None:
                continue
            old, new = self.old_layouts.underlying_type(key), self.new_layouts.underlying_type(after.name)
            has_sign = any(each.value < 0 for each in (*before.enumerators, *after.enumerators))
            if old != new and (
                has_sign or self.old_layouts.size_of(Basic(old)) != self.new_layouts.size_of(Basic(new))
            ):
                found.add(key)
        return frozenset(found)

    @cached_property
    def names_are_enough(self) -> bool:
        """Whether equal spelling means the same type: no included typedef or enumeration was changed."""
        return not self._shifting and not self._resized

    def same(self, old: CType, new: CType) -> bool:
        """Whether both are the same type."""
        if old == new and self.names_are_enough:
            return True
        if self.is_reported_typedef(old, new):
            return True
        old_qualifiers, old_core = peel(old, self.old_layouts)
        new_qualifiers, new_core = peel(new, self.new_layouts)
        return old_qualifiers == new_qualifiers and self._same_core(old_core, new_core)

    def is_reported_typedef(self, old: CType, new: CType) -> bool:
        """Whether both name the same typedef of the API itself, so that a difference belongs to the typedef."""
        if not (isinstance(old, NamedType) and isinstance(new, NamedType) and old.name == new.name):
            return False
        before, after = self.old.typedefs.get(old.name), self.new.typedefs.get(new.name)
        if before is None or after is None:
            return before is after
        return before.in_api or after.in_api

    def same_length(self, old: Expression | int | None, new: Expression | int | None) -> bool:
        """Whether two array bounds are the same number on this target."""
        return self.length(self.old_layouts, old) == self.length(self.new_layouts, new)

    def length(self, layouts: Layouts, length: Expression | int | None) -> int | None:
        """An array bound (or a bit-field's width) as a number; None for no bound."""
        return layouts.evaluate(length) if isinstance(length, Expression) else length

    def _same_core(self, old: CType, new: CType) -> bool:
        """`same`, for two types without typedefs and qualifiers at their top."""
        if isinstance(old, Pointer) and isinstance(new, Pointer):
            return self.same(old.target, new.target)
        if isinstance(old, RecordType) and isinstance(new, RecordType):
            return self.records.get(old.key, old.key) == new.key
        if isinstance(old, EnumType) and isinstance(new, EnumType):
            return self.enums.get(old.key, old.key) == new.key and old.key not in self._resized
        if isinstance(old, FunctionType) and isinstance(new, FunctionType):
            return self.same_function(old, new)
        if isinstance(old, Array) and isinstance(new, Array):
            return self.same(old.element, new.element) and self.same_length(old.length, new.length)
        if isinstance(old, Vector) and isinstance(new, Vector):
            return old.size == new.size and self.same(old.element, new.element)
        return old == new

    def same_function(self, old: FunctionType, new: FunctionType) -> bool:
        """Whether two functions are called alike; `()` and `(void)` are."""
        return (
            len(old.parameters) == len(new.parameters)
            and old.variadic == new.variadic
            and self.same_convention(old, new)
            and self.same(old.result, new.result)
            and all(
                self.same_parameter(before.type, after.type)
                for before, after in zip(old.parameters, new.parameters, strict=True)
            )
        )

    def same_convention(self, old: FunctionType, new: FunctionType) -> bool:
        """Whether two functions have one calling convention on this target."""
        target = self.new_layouts.target
        before, after = old.calling_convention, new.calling_convention
        return before == after or target.convention(before) == target.convention(after)

    def same_parameter(self, old: CType, new: CType) -> bool:
        """Whether two parameters are passed alike; qualifiers of the parameter itself do not count (C 6.7.6.3 p15)."""
        return self.same(unqualified(old), unqualified(new))


def peel(type: CType, layouts: Layouts) -> tuple[frozenset[str], CType]:
    """Follow typedefs at the top of a type, the standard library's too, and collect the qualifiers that are met.

    Returns:
        The qualifiers, and a type that is neither qualified nor a typedef that anyone knows. An array's qualifiers are
        its element's (C 6.7.3 p9), and are handed down to it.
    """
    qualifiers = NO_QUALIFIERS
    while True:
        if isinstance(type, Qualified):
            qualifiers |= frozenset(type.qualifiers)
            type = type.type
        elif isinstance(type, NamedType):
            resolved = _target_of(type.name, layouts)
            if resolved is None:
                return qualifiers, type
            type = resolved
        elif isinstance(type, Array) and qualifiers:
            return NO_QUALIFIERS, Array(_qualified(type.element, qualifiers), type.length)
        else:
            return qualifiers, type


def _target_of(name: str, layouts: Layouts) -> CType | None:
    """What a typedef stands for; the standard library's names are the target's unless the API declares its own."""
    typedef = layouts.api.typedefs.get(name)
    standard = layouts.target.typedefs.get(name)
    if standard is not None and (typedef is None or not typedef.in_api):
        return Basic(standard)
    return typedef.type if typedef else None


def unqualified(type: CType) -> CType:
    """A type without the qualifiers at its top."""
    return type.type if isinstance(type, Qualified) else type


def _qualified(type: CType, qualifiers: frozenset[str]) -> Qualified:
    """A type with further qualifiers."""
    if isinstance(type, Qualified):
        return Qualified(type.type, tuple(sorted(qualifiers | set(type.qualifiers))))
    return Qualified(type, tuple(sorted(qualifiers)))
