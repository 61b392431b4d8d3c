"""Size constants: which struct each one measures, and which members it leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abigen.model.api import Api
from abigen.model.ctype import Array, Expression, OffsetOf, SizeOfMember, parts
from abigen.model.entities import Field, SizeConstant, Struct
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError


class Measure(NamedTuple):
    """A size constant with its value on one target, and the struct that it names."""

    constant: SizeConstant
    struct: Struct
    value: int
    """In bytes."""
    unpadded_size: int
    """The end of the struct's last member, in bytes."""
    size: int
    """`sizeof`, in bytes."""
    left_out: tuple[str, ...]
    """Members that do not end before the constant's end, in order; a flexible array has no size and is not one."""

    @property
    def is_stale(self) -> bool:
        """Whether it stops before the last member's end."""
        return bool(self.left_out)

    @property
    def names_one_struct(self) -> bool:
        """Whether offsetof and sizeof name the same struct and member."""
        constant = self.constant
        return (constant.offset_struct or constant.struct, constant.offset_member or constant.last_member) == (
            constant.struct,
            constant.last_member,
        )


def measure(constant: SizeConstant, layouts: Layouts) -> Measure | None:
    """Compute a size constant.

    Args:
        constant: of `layouts.api`.
        layouts: on one target.

    Returns:
        None when the struct is not known or not defined, or the expression cannot be computed.
    """
    struct = layouts.api.structs.get(constant.offset_struct or constant.struct)
    if struct is None or struct.fields is None:
        return None
    try:
        layout = layouts.of(struct.name)
        value = layouts.evaluate(constant.expression)
    except AbigenError:
        return None
    left_out = tuple(
        each.name or f"unnamed member {place}"
        for place, each in enumerate(layout.fields, 1)
        if min(each.offset + each.size, layout.unpadded_size) > value and (each.name or each.bit_width is None)
    )
    return Measure(constant, struct, value, layout.unpadded_size, layout.size, left_out)


def missing_entity(constant: SizeConstant, api: Api) -> str:
    """What a size constant names that does not exist: a struct or a member; empty when all of it does.

    A struct that is declared and not defined exists: another header may define it.

    Args:
        constant: of `api`.
        api: all that is declared.
    """
    for key in dict.fromkeys((constant.offset_struct or constant.struct, constant.struct)):
        if key not in api.structs:
            return key
    pending: list[Expression] = [constant.expression]
    while pending:
        each = pending.pop()
        if isinstance(each, OffsetOf | SizeOfMember) and (member := _missing_member(each, api)):
            return member
        pending += reversed([part for part in parts(each) if isinstance(part, Expression)])
    return ""


def repair_of(constant: SizeConstant, api: Api) -> str:
    """What a size constant that names what does not exist should be instead, as advice."""
    struct = api.structs.get(constant.struct)
    last = next((each.name for each in reversed(struct.fields or ()) if each.name), "") if struct else ""
    return (
        f"let {constant.name} end at {last}" if last else f"let {constant.name} name a struct that exists, or drop it"
    )


def _missing_member(expression: OffsetOf | SizeOfMember, api: Api) -> str:
    """The first member on a path that does not exist, as `Struct.member`; empty when all of them do."""
    type = expression.type
    for step in expression.path:
        struct, resolved = api.struct_of(type), api.resolve(type)
        if isinstance(step, str):
            if struct is None or struct.fields is None:
                return ""
            field = _find_member(struct, step, api)
            if field is None:
                return f"{struct.name}.{step}"
            type = field.type
        elif isinstance(resolved, Array):
            type = resolved.element
    return ""


def _find_member(struct: Struct, name: str, api: Api) -> Field | None:
    """A member of a struct, or of an anonymous struct or union in it."""
    for field in struct.fields or ():
        if field.name == name:
            return field
        inner = None if field.name else api.struct_of(field.type)
        if inner is not None and (found := _find_member(inner, name, api)):
            return found
    return None


def measures(layouts: Layouts) -> Iterator[Measure]:
    """All size constants of the API itself that can be computed."""
    for constant in layouts.api.size_constants.values():
        if constant.in_api and (found := measure(constant, layouts)):
            yield found
