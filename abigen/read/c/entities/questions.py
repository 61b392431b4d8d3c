"""What can only be checked once the sizes of types are known: assertions, lengths, alignments, widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abigen.model.api import Api
from abigen.model.ctype import CType, Expression
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.target import Target


@dataclass(frozen=True)
class Question:
    """An expression, and what its value must not be.

    `kind` is `length` (of an array), `assertion`, `alignment` (in bytes, as an attribute asks for it), or `alignas`,
    which may not ask for less than the type needs.
    """

    kind: str
    expression: Expression | int
    span: Span
    subject: str
    """The array's or the member's name; for an assertion its message."""
    type: CType | None = None


def answer(questions: Sequence[Question], api: Api, target: Target) -> list[Diagnostic]:
    """Evaluate every question on a target.

    Args:
        questions: what to evaluate.
        api: where the types are.
        target: whose sizes count.

    Returns:
        An error for each that cannot be evaluated or has a forbidden value.
    """
    if not questions:
        return []
    errors: list[Diagnostic] = []
    layouts = Layouts(api, target)
    for each in questions:
        try:
            value = each.expression if isinstance(each.expression, int) else layouts.evaluate(each.expression)
        except AbigenError as error:
            errors += [found if found.place else replace(found, place=each.span) for found in error.diagnostics]
            continue
        if each.kind == "length" and value < 0:
            errors.append(Diagnostic(each.span, f"the length of the array '{each.subject}' is negative ({value})"))
        elif each.kind == "assertion" and not value:
            said = f": {each.subject}" if each.subject else ""
            errors.append(Diagnostic(each.span, f"static assertion failed on {target.name}{said}"))
        elif each.kind in ("alignment", "alignas") and (value < 0 or value & (value - 1)):
            message = f"the alignment of '{each.subject}' is {value}, which is not a power of two"
            errors.append(Diagnostic(each.span, message))
        elif each.kind == "alignas" and each.type is not None and 0 < value < layouts.alignment_of(each.type):
            needed = layouts.alignment_of(each.type)
            message = f"_Alignas asks for an alignment of {value} for '{each.subject}', whose type needs {needed}"
            errors.append(Diagnostic(each.span, message))
    return errors
