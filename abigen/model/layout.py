"""Layout of structs and unions on a target: offsets, holes, padding, unpadded sizes."""

from __future__ import annotations

from typing import NamedTuple

from abigen.model.api import Api
from abigen.model.ctype import Array, CType, Expression, Pointer, RecordType, Vector
from abigen.model.entities import Field, Struct
from abigen.model.sizes import Sizes, TypeSize
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.target import Target


class Hole(NamedTuple):
    """Bytes between two members that belong to neither; offset and size in bytes."""

    offset: int
    size: int


class FieldLayout(NamedTuple):
    """Where a member stands.

    For a bit-field `offset` is the byte that holds its first bit and `size` the number of bytes that its bits touch, so
    that `offset + size` is the end of any member.
    """

    name: str
    """Empty for an anonymous struct or union."""
    offset: int
    """In bytes, from the start of the struct."""
    size: int
    """In bytes; 0 for a flexible array member."""
    alignment: int
    """In bytes: what the member is aligned to here, packing and attributes taken into account; 1 for a bit-field."""
    bit_offset: int | None
    """In bits from the start of the struct, in the order of allocation (from the least significant bit on little-endian
    targets, from the most significant one on big-endian targets); None for a member that is no bit-field."""
    bit_width: int | None
    """In bits; None for a member that is no bit-field."""
    field: Field


class Layout(NamedTuple):
    """How a struct or union stands in memory; all numbers in bytes."""

    size: int
    alignment: int
    unpadded_size: int
    """Where the last member ends; for a flexible array where it starts; for a union where the largest member ends."""
    fields: tuple[FieldLayout, ...]
    """The members in order of declaration. Unnamed bit-fields are padding, not members (C 6.7.2.1 paragraph 12)."""
    holes: tuple[Hole, ...]
    """Whole bytes of padding between members, in order."""
    tail_padding: int
    """From the unpadded size to the size."""

    def named(self, name: str) -> FieldLayout | None:
        """The member of that name; None when there is none. Members of anonymous members are not searched."""
        for each in self.fields:
            if each.name == name:
                return each
        return None


class Layouts(Sizes):
    """The layouts of all types of an API on one target. Each is computed once, when it is asked for."""

    def __init__(self, api: Api, target: Target) -> None:
        """Prepare the layouts of `api` on `target`; nothing is computed yet."""
        super().__init__(api, target)
        self._layouts: dict[str, Layout] = {}
        self._pending: set[str] = set()
        self._failures: dict[str, AbigenError] = {}

    def of(self, key: str) -> Layout:
        """Lay out a struct or union.

        Args:
            key: its key in `Api.structs`.

        Returns:
            The layout; the same object each time.

        Raises:
            AbigenError: there is no such struct, it is never defined, it contains itself by value, or a member has no
                size; the place is that of the member.
        """
        layout = self._layouts.get(key)
        if layout is not None:
            return layout
        try:
            return self._lay_out(key)
        except RecursionError:
            return self._lay_out_in_order(key)

    def record_info(self, key: str) -> TypeSize:
        """Size and alignment of a struct or union; raises as `of` does."""
        if key not in self._records:
            self._lay_out(key)
        return self._records[key]

    def member_of(self, type: CType, path: tuple[str | Expression, ...]) -> tuple[int, CType]:
        """Find a member by its path, through anonymous members too.

        Args:
            type: the struct or union that the path starts from.
            path: names of members and indices of array elements.

        Returns:
            Offset in bytes from the start of `type`, and the member's type.

        Raises:
            AbigenError: there is no such member, or it is a bit-field. It carries no place.
        """
        offset = 0
        for step in path:
            resolved = self.resolve(type)
            if isinstance(step, str):
                found = self._find(resolved.key, step) if isinstance(resolved, RecordType) else None
                if found is None:
                    raise AbigenError.at(None, f"there is no member '{step}'")
                if found[1].bit_offset is not None:
                    raise AbigenError.at(None, f"'{step}' is a bit-field and has no offset in bytes")
                offset += found[0]
                type = found[1].field.type
            elif isinstance(resolved, Array):
                type = resolved.element
                offset += self.evaluate(step) * self.size_of(type)
            else:
                raise AbigenError.at(None, "an index needs an array")
        return offset, type

    def _find(self, key: str, name: str) -> tuple[int, FieldLayout] | None:
        """Offset from the start of the struct and layout of a member, searching anonymous members."""
        for each in self.of(key).fields:
            if each.name == name:
                return each.offset, each
            if not each.name:
                inner = self.resolve(each.field.type)
                found = self._find(inner.key, name) if isinstance(inner, RecordType) else None
                if found:
                    return each.offset + found[0], found[1]
        return None

    def _lay_out(self, key: str) -> Layout:
        struct = self.api.structs.get(key)
        if struct is None:
            raise AbigenError.at(None, f"unknown struct '{key}'")
        if struct.fields is None:
            raise AbigenError.at(None, f"{struct.kind} '{key}' is never defined, its size is unknown")
        if key in self._pending:
            raise AbigenError.at(None, f"{struct.kind} '{key}' contains itself by value")
        if key in self._failures:
            raise self._failures[key]
        self._pending.add(key)
        try:
            layout = self._plain(struct)
            if layout is None:
                from abigen.model.records import lay_out_record

                layout, required = lay_out_record(struct, self)
            else:
                required = 0
        except AbigenError as error:
            self._failures[key] = error  # two ways are tried for each, so that a chain of them would take 2^n tries
            raise
        finally:
            self._pending.discard(key)
        alignment = layout.alignment
        if alignment == layout.size == 8 and not required and self.target.aligns_words_by_mode:
            alignment = self._alignment_by_mode(struct, layout)
        self._records[key] = TypeSize(layout.size, alignment, required)
        self._layouts[key] = layout
        return layout

    def _lay_out_in_order(self, key: str) -> Layout:
        """Lay out what is declared first before what embeds it, for structs nested deeper than Python's stack is."""
        try:
            for other, struct in self.api.structs.items():
                if struct.fields is not None and other not in self._layouts:
                    self._lay_out(other)
            return self._layouts[key]
        except RecursionError:
            raise AbigenError.at(None, f"struct '{key}' is too deeply nested") from None

    def _alignment_by_mode(self, struct: Struct, layout: Layout) -> int:
        """GCC on i386 aligns to 4 bytes what it can treat as an 8-byte integer, even a struct that holds an atomic."""
        whole = None if struct.is_union else next((each for each in layout.fields if each.size == 8), None)
        if whole is None:
            return 4
        type = self.resolve(whole.field.type)
        return 8 if isinstance(type, Vector) else self.info(type).alignment if isinstance(type, RecordType) else 4

    def _plain(self, struct: Struct) -> Layout | None:
        """Lay out a struct without bit-fields and attributes, on which all rules agree; None when it is not one."""
        if struct.packed or struct.pack is not None or struct.alignment is not None or struct.bitfield_rule:
            return None
        if struct.is_union or not struct.fields:
            return None
        placed: list[FieldLayout] = []
        holes: list[Hole] = []
        end = 0
        whole_alignment = 1
        pointer, info = self._pointer, self.info
        # This loop runs for every member of every struct on every target; tuple.__new__ is twice as fast as the class.
        new = tuple.__new__
        for field in struct.fields:
            if field.bit_width is not None or field.alignment is not None or field.packed:
                return None
            type = field.type
            try:
                size, alignment, required = pointer if type.__class__ is Pointer else info(type)
            except AbigenError as error:
                if field is struct.fields[-1] and isinstance(self.resolve(type), Array):
                    return None
                raise member_error(error, field) from None
            if required:
                return None
            offset = (end + alignment - 1) & -alignment
            if offset != end:
                holes.append(new(Hole, (end, offset - end)))
            if alignment > whole_alignment:
                whole_alignment = alignment
            placed.append(new(FieldLayout, (field.name, offset, size, alignment, None, None, field)))
            end = offset + size
        size = (end + whole_alignment - 1) & -whole_alignment
        if size > self.limit or (size == 0 and self.target.compiler == "msvc"):
            return None
        return Layout(size, whole_alignment, end, tuple(placed), tuple(holes), size - end)


def member_error(error: AbigenError, field: Field) -> AbigenError:
    """An error about a member's type, told as one about the member, at its place."""
    name = f"member '{field.name}'" if field.name else "unnamed member"
    return AbigenError(
        [
            each if each.place else Diagnostic(field.span, f"{name}: {each.message}", each.hint, each.severity)
            for each in error.diagnostics
        ]
    )
