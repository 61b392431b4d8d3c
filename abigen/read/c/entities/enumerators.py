"""Values of enumerators that depend on the target."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from abigen.model.api import Api
from abigen.model.ctype import Expression, Literal, Name
from abigen.model.entities import Enum, Enumerator
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.target import Target


def with_values(api: Api, unvalued: Set[str], target: Target) -> tuple[Api, list[Diagnostic]]:
    """Compute the values that depend on the target.

    Args:
        api: an API in which such enumerators have no value yet.
        unvalued: their names.
        target: whose sizes count.

    Returns:
        The API with all values, and an error for each that cannot be computed.
    """
    pending = [enum for enum in api.enums.values() if any(each.name in unvalued for each in enum.enumerators or ())]
    if not pending:
        return api, []
    errors: list[Diagnostic] = []
    known: dict[str, int] = {}
    enums = dict(api.enums)
    for enum in pending:
        enums[enum.name] = replace(enum, enumerators=tuple(e for e in enum.enumerators or () if e.name not in unvalued))
    layouts = Layouts(replace(api, enums=enums), target)
    for enum in pending:
        enums[enum.name] = replace(enum, enumerators=tuple(_valued(enum, unvalued, layouts, known, errors)))
    return replace(api, enums=enums), errors


def _valued(
    enum: Enum, unvalued: Set[str], layouts: Layouts, known: dict[str, int], errors: list[Diagnostic]
) -> list[Enumerator]:
    """The enumerators of one enumeration, with values."""
    result: list[Enumerator] = []
    previous = -1
    for each in enum.enumerators or ():
        value = each.value
        if each.name in unvalued and each.expression is not None:
            try:
                value = layouts.evaluate(_substituted(each.expression, known))
            except AbigenError as error:
                errors += [
                    Diagnostic(found.place or each.span, found.message, found.hint) for found in error.diagnostics
                ]
                value = 0
        elif each.name in unvalued:
            value = previous + 1
        known[each.name] = previous = value
        result.append(replace(each, value=value))
    return result


def _substituted(expression: Expression, known: Mapping[str, int]) -> Expression:
    """The expression with the enumerators whose values are known replaced by them."""
    if isinstance(expression, Name):
        return Literal(known[expression.name]) if expression.name in known else expression
    changes: dict[str, Any] = {}
    for name, value in vars(expression).items():
        if isinstance(value, Expression):
            changed = _substituted(value, known)
            if changed is not value:
                changes[name] = changed
    return replace(expression, **changes) if changes else expression  # type: ignore[type-var]
