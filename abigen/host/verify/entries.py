"""Where core begins: the entry points of an API."""

from __future__ import annotations

from abigen.model.api import Api
from abigen.model.ctype import Basic, NamedType, Parameter, Pointer
from abigen.model.entities import Function
from abigen.model.span import AbigenError


def entry_points(api: Api) -> tuple[Function, ...]:
    """The functions of an API's own by which core begins."""
    return tuple(each for each in api.functions.values() if each.entry_point and each.in_api)


def entry_point(api: Api) -> Function:
    """The function of an API by which core begins.

    Raises:
        AbigenError: there is none, or nobody knows what core gives it.
    """
    found = entry_points(api)
    if not found:
        hint = "mark it `entry_point: true`"
        raise AbigenError.at(None, f"{api.name} has no entry point, so core cannot begin", hint)
    for parameter in found[0].type.parameters:
        resolved = api.resolve(parameter.type)
        target = resolved.target if isinstance(resolved, Pointer) else None
        errors = api.conventions.errors
        is_status = isinstance(target, NamedType) and errors is not None and target.name == errors.status
        struct = api.struct_of(target) if target is not None else None
        if not is_status and (struct is None or struct.fields is None) and version_part(parameter) is None:
            name = parameter.name or "a parameter"
            message = f"{found[0].name} takes {name}, and the spec does not say what core gives it"
            hint = "it can be a struct, a status object, or a number with major, minor or patch in its name"
            raise AbigenError.at(parameter.span or found[0].span, message, hint)
    return found[0]


def version_part(parameter: Parameter) -> str | None:
    """The part of core's version that a parameter of an entry point states by its name: `major`, `minor`, `patch`."""
    words = (parameter.name or "").lower().split("_")
    is_number = isinstance(parameter.type, Basic | NamedType)
    return next((part for part in ("major", "minor", "patch") if is_number and part in words), None)
