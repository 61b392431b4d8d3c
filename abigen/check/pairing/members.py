"""The members that a struct has for its users: those of anonymous members are its own (C 6.7.2.1 p13)."""

from __future__ import annotations

from typing import NamedTuple

from abigen.model.ctype import Array
from abigen.model.entities import Field, Struct
from abigen.model.layout import Layouts


class Member(NamedTuple):
    """A named member where it lies on one target; offsets and sizes in bytes from the start of the outermost struct."""

    field: Field
    name: str
    """The field's."""
    offset: int
    size: int
    alignment: int
    bit_offset: int | None
    """From the start of the outermost struct, in bits; None when it is no bit-field."""
    bit_width: int | None
    overlay: tuple[str, ...]
    """Keys of the unions that it shares its place in, outermost first; empty when it has its place for itself."""
    alternative: str = ""
    """Key of the struct without a name by which it is in the innermost of those unions; empty when it is so itself."""
    prefix: str = ""
    """The path to the member whose struct it is in, with a dot at the end; empty for a member of the struct itself."""

    @property
    def path(self) -> str:
        """The name as users of the struct write it."""
        return self.prefix + self.name

    @property
    def behind(self) -> int:
        """The first bit behind it."""
        return self.end * 8 if self.bit_offset is None or self.bit_width is None else self.bit_offset + self.bit_width

    @property
    def room(self) -> int:
        """How many bits it takes."""
        return self.behind - self.place

    def overlaps(self, other: Member) -> bool:
        """Whether two members, of one side or of both, have bits in common."""
        return self.place < other.behind and other.place < self.behind

    def within(self, holder: Member) -> Member:
        """The same member, seen from the struct that has `holder` as a member."""
        return self._replace(
            offset=holder.offset + self.offset,
            bit_offset=None if self.bit_offset is None else holder.offset * 8 + self.bit_offset,
            overlay=(*holder.overlay, *self.overlay),
            prefix=f"{holder.path}.{self.prefix}",
        )

    @property
    def is_flexible(self) -> bool:
        """Whether it is a flexible array."""
        return isinstance(self.field.type, Array) and self.field.type.length is None

    @property
    def end(self) -> int:
        """Offset of the first byte behind it."""
        return self.offset + self.size

    @property
    def where(self) -> str:
        """Where it starts, in words: `at 24`, `at bit 67`."""
        return f"at {self.offset}" if self.bit_offset is None else f"at bit {self.bit_offset}"

    @property
    def place(self) -> int:
        """Where it starts, in bits."""
        return self.offset * 8 if self.bit_offset is None else self.bit_offset


def members_of(struct: Struct, layouts: Layouts) -> tuple[Member, ...]:
    """All named members of a defined struct or union, in the order of declaration.

    Args:
        struct: one of the API that `layouts` was made for.
        layouts: of one target.
    """
    return tuple(_members(struct, layouts, 0, (struct.name,) if struct.is_union else ()))


def _members(
    struct: Struct, layouts: Layouts, base: int, overlay: tuple[str, ...], alternative: str = ""
) -> list[Member]:
    """`members_of` for a struct that lies at `base` of the outermost one."""
    found: list[Member] = []
    for place in layouts.of(struct.name).fields:
        inner = None if place.name else layouts.api.struct_of(place.field.type)
        if inner is not None:
            if inner.is_union:
                found += _members(inner, layouts, base + place.offset, (*overlay, inner.name))
            else:
                holder = alternative or (inner.name if overlay else "")
                found += _members(inner, layouts, base + place.offset, overlay, holder)
        elif place.name:
            bit_offset = None if place.bit_offset is None else base * 8 + place.bit_offset
            found.append(
                Member(
                    field=place.field,
                    name=place.name,
                    offset=base + place.offset,
                    size=place.size,
                    alignment=place.alignment,
                    bit_offset=bit_offset,
                    bit_width=place.bit_width,
                    overlay=overlay,
                    alternative=alternative,
                )
            )
    return found
