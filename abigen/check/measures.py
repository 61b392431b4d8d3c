"""Size constants: which struct each one measures, and which members it leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abigen.model.entities import SizeConstant, Struct
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


def measures(layouts: Layouts) -> Iterator[Measure]:
    """All size constants of the API itself that can be computed."""
    for constant in layouts.api.size_constants.values():
        if constant.in_api and (found := measure(constant, layouts)):
            yield found
