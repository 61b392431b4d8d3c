"""What becomes of a function's arguments and results: which are outputs, and whose they are afterwards."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypedDict

from abigen.model.ctype import FunctionType, Pointer
from abigen.model.entities import ObjectCallbacks
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.nodes import Scalar

RETURN = "return"
"""What stands for the result that is returned; no parameter can have this name."""


class Roles(TypedDict):
    """What a function has beside its type."""

    outputs: tuple[str, ...]
    gives: tuple[str, ...]
    takes: tuple[str, ...]
    object: ObjectCallbacks | None


def roles(item: Item, type: FunctionType, report: Report) -> Roles:
    """Read what a spec says of a function's parameters.

    Args:
        item: the function.
        type: its type.
        report: receives names of what is no parameter, and of outputs that are no pointers.

    Returns:
        The parameters by name. What a function gives through a parameter is an output, whether or not it is listed so.
    """
    pointers = [each.name for each in type.parameters if each.name and isinstance(each.type, Pointer)]
    known = [each.name for each in type.parameters if each.name]
    for key in ("outputs", "gives", "takes"):
        for scalar in item.scalars(key):
            _check(scalar, pointers if key == "outputs" else known, report, returns=key == "gives")
    gives = tuple(scalar.text for scalar in item.scalars("gives"))
    outputs = [scalar.text for scalar in item.scalars("outputs")]
    return {
        "outputs": tuple(dict.fromkeys([*outputs, *(each for each in gives if each != RETURN)])),
        "gives": gives,
        "takes": tuple(scalar.text for scalar in item.scalars("takes")),
        "object": _object(item.item("object"), type, report),
    }


def _check(scalar: Scalar, known: Collection[str], report: Report, *, returns: bool = False) -> None:
    if scalar.text not in known and not (returns and scalar.text == RETURN):
        report.error(scalar.span, f"there is no parameter '{scalar.text}'", did_you_mean(scalar.text, known))


def _object(item: Item | None, type: FunctionType, report: Report) -> ObjectCallbacks | None:
    if item is None:
        return None
    known = [each.name for each in type.parameters if each.name]
    for scalar in (item.scalar("create"), *item.scalars("methods"), item.scalar("destroy")):
        if scalar is not None:
            _check(scalar, known, report)
    return ObjectCallbacks(
        item.text("create"), tuple(scalar.text for scalar in item.scalars("methods")), item.text("destroy")
    )
