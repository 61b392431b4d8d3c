"""Names that are declared twice and not as the same thing (C 6.2.3, 6.7 paragraphs 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from abigen.model.api import Api
from abigen.model.canonical import canonical
from abigen.model.ctype import Array, CType, EnumType, FunctionType, Pointer, Qualified
from abigen.model.span import Diagnostic, Span
from abigen.model.spelling import spell
from abigen.model.target import Target

_MOST_LEVELS = 100


@dataclass(frozen=True)
class Redeclaration:
    """That a name is declared again: what it was, what it is now, and both places."""

    kind: str
    """`typedef`, `function` or `variable`."""
    name: str
    first: CType
    second: CType
    first_span: Span | None
    second_span: Span | None


def find_conflicts(redeclarations: Iterable[Redeclaration], api: Api, target: Target) -> list[Diagnostic]:
    """Find the redeclarations whose types are not compatible.

    Args:
        redeclarations: all that there are.
        api: where the types that they mention are.
        target: for which types are compared.
    """
    errors: list[Diagnostic] = []
    for each in redeclarations:
        first, second = canonical(each.first, api, target), canonical(each.second, api, target)
        same = first == second if each.kind == "typedef" else _are_compatible(first, second, 0)
        if not same:
            was = spell(each.first, each.name)
            message = f"'{each.name}' is declared again with another type; it was '{was}' at {each.first_span}"
            errors.append(Diagnostic(each.second_span, message))
    return errors


def _are_compatible(first: CType, second: CType, level: int) -> bool:
    """C 6.2.7, as far as redeclarations need it."""
    if first == second or level > _MOST_LEVELS:
        return True
    if isinstance(first, EnumType) != isinstance(second, EnumType):
        # An enumeration is compatible with an integer type that the compiler chooses.
        return not any(isinstance(each, (Pointer, Array, FunctionType)) for each in (first, second))
    if isinstance(first, Qualified) and isinstance(second, Qualified) and first.qualifiers == second.qualifiers:
        return _are_compatible(first.type, second.type, level + 1)
    if isinstance(first, Pointer) and isinstance(second, Pointer):
        return _are_compatible(first.target, second.target, level + 1)
    if isinstance(first, Array) and isinstance(second, Array):
        known = isinstance(first.length, int) and isinstance(second.length, int)
        same_length = not known or first.length == second.length
        return same_length and _are_compatible(first.element, second.element, level + 1)
    if isinstance(first, FunctionType) and isinstance(second, FunctionType):
        if not _are_compatible(first.result, second.result, level + 1):
            return False
        if not (first.prototyped and second.prototyped):
            return True
        return (
            len(first.parameters) == len(second.parameters)
            and first.variadic == second.variadic
            and all(
                _are_compatible(a.type, b.type, level + 1)
                for a, b in zip(first.parameters, second.parameters, strict=True)
            )
        )
    return False
