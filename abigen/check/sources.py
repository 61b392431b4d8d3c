"""The source axis: which uses of a function C and C++ compilers no longer accept."""

from __future__ import annotations

from abigen.check.comparison import Comparison
from abigen.check.pairing.equality import unqualified
from abigen.check.signature import SignatureChange
from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, NamedType, Pointer, Qualified
from abigen.model.finding import Bump


def source_bump(comparison: Comparison, *, is_broken: bool) -> Bump:
    """What a change needs that binaries do not notice.

    Args:
        comparison: its options say whether source breaks count.
        is_broken: whether code that compiled no longer does.
    """
    return Bump.MAJOR if is_broken and comparison.options.source_counts else Bump.PATCH


def broken_use(change: SignatureChange, comparison: Comparison, *, is_defined_by_users: bool) -> str:
    """Why code that uses a function no longer compiles.

    Args:
        change: of its signature.
        comparison: OLD and NEW, for resolving types.
        is_defined_by_users: those who include the header define the function, so that their definition has to agree.

    Returns:
        A clause; empty when calls still compile: numbers convert (C 6.5.2.2 paragraph 7), and a pointer may gain
        qualifiers on what it points to (C 6.5.16.1).
    """
    if is_defined_by_users:
        return "a definition in the old form no longer agrees with the declaration"
    for each in change.parameters:
        if each.old is None or each.new is None or each.kind == "moved":
            return f"calls in the old form no longer compile: {each}"
        if not _converts(each.old.type, each.new.type, comparison, value_is_old=True):
            return f"arguments in the old form are no longer accepted: {each}"
    if change.result and not _converts(change.result[1], change.result[0], comparison, value_is_old=False):
        return "the result can no longer be used as before"
    return ""


def _converts(value: CType, to: CType, comparison: Comparison, *, value_is_old: bool) -> bool:
    """Whether a value of one side's type converts to the other side's type without a cast, in C and in C++."""
    apis = (comparison.old, comparison.new) if value_is_old else (comparison.new, comparison.old)
    value, to = apis[0].resolve(value), apis[1].resolve(to)
    if _is_number(value) and _is_number(to):
        return True
    if not (isinstance(value, Pointer) and isinstance(to, Pointer)):
        return isinstance(to, Basic) and to.name == "void"
    old, new = (value.target, to.target) if value_is_old else (to.target, value.target)
    same = comparison.same_type(unqualified(old), unqualified(new))
    return same and _qualifiers(value.target, apis[0]) <= _qualifiers(to.target, apis[1])


def _is_number(type: CType) -> bool:
    """Whether a type is arithmetic; what no typedef explains is the standard library's (`int32_t`)."""
    if isinstance(type, NamedType):
        return type.name.endswith("_t")
    return isinstance(type, Basic) and type.name not in ("void", "__builtin_va_list")


def _qualifiers(type: CType, api: Api) -> frozenset[str]:
    """The qualifiers at the top of a type, those of typedefs too."""
    found: set[str] = set()
    while isinstance(type, Qualified | NamedType):
        if isinstance(type, Qualified):
            found.update(type.qualifiers)
            type = type.type
        elif type.name in api.typedefs:
            type = api.typedefs[type.name].type
        else:
            break
    return frozenset(found)
