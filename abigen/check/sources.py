"""The source axis: what C and C++ compilers reject."""

from __future__ import annotations

from abigen.check.comparison import Comparison
from abigen.check.signature import SignatureChange
from abigen.model.ctype import Basic, CType, NamedType, Pointer, Qualified
from abigen.model.finding import Bump


def source_bump(comparison: Comparison, *, is_broken: bool) -> Bump:
    """What a change needs that binaries do not notice.

    Args:
        comparison: its options say whether source breaks count.
        is_broken: whether code that compiled no longer does.
    """
    return Bump.MAJOR if is_broken and comparison.options.source_counts else Bump.PATCH


def breaks_callers(change: SignatureChange, comparison: Comparison, *, is_defined_by_users: bool) -> str:
    """Why code that uses a function no longer compiles.

    Args:
        change: of its signature.
        comparison: for resolving types.
        is_defined_by_users: those who include the header define the function, so that their definition has to agree.

    Returns:
        A clause; empty when calls still compile: numbers convert (C 6.5.2.2 paragraph 7), and a pointer may gain
        qualifiers on what it points to (C 6.5.16.1).
    """
    if is_defined_by_users:
        return "a definition in the old form no longer agrees with the declaration"
    for each in change.parameters:
        if each.kind not in ("retyped", "qualified"):
            return f"calls in the old form no longer compile: {each}"
        if each.old and each.new and not _accepts(each.new.type, each.old.type, comparison, comparison):
            return f"arguments in the old form are no longer accepted: {each}"
    if change.result and not _accepts(change.result[0], change.result[1], comparison, comparison):
        return "the result can no longer be used as before"
    return ""


def _accepts(to: CType, value: CType, to_side: Comparison, value_side: Comparison) -> bool:
    """Whether a value converts to another type without a cast, in C and in C++."""
    to, value = _plain(to, to_side), _plain(value, value_side)
    if _is_number(to) and _is_number(value):
        return True
    if not (isinstance(to, Pointer) and isinstance(value, Pointer)):
        return isinstance(to, Basic) and to.name == "void"
    wanted, given = _qualifiers(to.target), _qualifiers(value.target)
    same_target = to_side.same_type(_unqualified(to.target), _unqualified(value.target)) or to_side.same_type(
        _unqualified(value.target), _unqualified(to.target)
    )
    return same_target and given <= wanted


def _plain(type: CType, comparison: Comparison) -> CType:
    """A type without typedefs and qualifiers at its top, on whichever side knows it."""
    resolved = comparison.old.resolve(type)
    return comparison.new.resolve(resolved) if isinstance(resolved, NamedType) else resolved


def _is_number(type: CType) -> bool:
    """Whether a type is arithmetic, as far as conversions without a cast go in both languages."""
    if isinstance(type, NamedType):
        return type.name.endswith("_t")
    return isinstance(type, Basic) and type.name not in ("void", "__builtin_va_list")


def _qualifiers(type: CType) -> frozenset[str]:
    """The qualifiers at the top of a type."""
    return frozenset(type.qualifiers) if isinstance(type, Qualified) else frozenset()


def _unqualified(type: CType) -> CType:
    """A type without the qualifiers at its top."""
    return type.type if isinstance(type, Qualified) else type


