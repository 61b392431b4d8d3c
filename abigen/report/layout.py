"""Layouts of structs, as text that looks like the declaration with offsets beside it, and as records for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from abigen.model.ctype import Array, CType
from abigen.model.entities import SizeConstant, Struct
from abigen.model.layout import FieldLayout, Layout, Layouts
from abigen.model.printable import printable, without_commands
from abigen.model.span import AbigenError
from abigen.model.spelling import spell
from abigen.report.wording import count

if TYPE_CHECKING:
    from abigen.report.documents import TargetLayout

_INDENT = "    "
_COMMENT_COLUMN = 52
_DIM = "\x1b[2m"
_YELLOW = "\x1b[33m"
_RED = "\x1b[31m"
_GREEN = "\x1b[32m"
_RESET = "\x1b[0m"


def layout_text(layouts: Layouts, keys: Sequence[str], *, colour: bool = False, places: bool = True) -> str:
    """Print structs in the manner of pahole.

    Args:
        layouts: the API and the target.
        keys: which structs, by their keys in the API, in this order.
        colour: whether to use the colours of a terminal.
        places: whether to say where each struct is declared.

    Returns:
        One declaration per struct. Behind each member stand its offset and size in bytes, for a bit-field the offset as
        byte:bit; holes, padding, totals and the size constants that name the struct follow as comments.

    Raises:
        AbigenError: a struct has no layout on this target.
    """
    printer = _Printer(layouts, colour=colour, places=places)
    return without_commands("\n".join("".join(f"{line}\n" for line in printer.struct(key)) for key in keys))


def layout_document(layouts: Layouts, keys: Sequence[str]) -> TargetLayout:
    """The same for programs.

    Args:
        layouts: the API and the target.
        keys: which structs, by their keys in the API, in this order.

    Raises:
        AbigenError: a struct has no layout on this target.
    """
    from abigen.report.documents import Member, StructLayout, TargetLayout

    def laid_out(layout: Layout) -> StructLayout:
        members = tuple(
            Member(
                name=each.name,
                offset=each.offset,
                size=each.size,
                bit_offset=each.bit_offset,
                type=spell(each.field.type, api=layouts.api),
            )
            for each in layout.fields
        )
        return StructLayout(
            size=layout.size, align=layout.alignment, unpadded_size=layout.unpadded_size, fields=members
        )

    return TargetLayout(abi=layouts.target.name, structs={key: laid_out(layouts.of(key)) for key in keys})


class _Printer:
    """Writes the structs of one API on one target."""

    def __init__(self, layouts: Layouts, *, colour: bool, places: bool) -> None:
        self._layouts = layouts
        self._places = places
        self._api = layouts.api
        self._colour = colour

    def struct(self, key: str) -> Iterator[str]:
        """The lines of one struct."""
        struct = self._api.structs[key]
        layout = self._layouts.of(key)
        place = f"{struct.span}, " if struct.span and self._places else ""
        yield f"{struct.kind} {key} {{{self._paint(f'  /* {place}{self._layouts.target.name} */', _DIM)}"
        yield from self._members(struct, layout, 0, 1)
        yield ""
        yield from self._totals(struct, layout)
        for constant in self._api.size_constants.values():
            if constant.struct == key:
                yield self._constant(constant, layout)
        yield "};"

    def _members(self, struct: Struct, layout: Layout, base: int, depth: int) -> Iterator[str]:
        """The members of a struct that starts at `base` bytes, with the holes between them."""
        holes = {each.offset: each.size for each in layout.holes}
        end = end_bit = 0
        for each in layout.fields:
            if not struct.is_union:
                start_bit = each.offset * 8 if each.bit_offset is None else each.bit_offset
                # What is left of the last byte of a run of bit-fields, or skipped inside of it.
                bits = min(start_bit, -(-end_bit // 8) * 8) - end_bit
                if bits > 0:
                    yield self._note(depth, f"hole of {count(bits, 'bit')}", _YELLOW)
                if end in holes:
                    yield self._note(depth, f"hole of {count(holes[end], 'byte')}", _YELLOW)
                end = each.offset + each.size
                end_bit = end * 8 if each.bit_offset is None else each.bit_offset + (each.bit_width or 0)
            yield from self._member(each, base, depth)

    def _member(self, member: FieldLayout, base: int, depth: int) -> Iterator[str]:
        offset = str(base + member.offset)
        size = member.size
        bits = ""
        if member.bit_offset is not None:
            offset = f"{offset}:{member.bit_offset % 8}"
            size = self._layouts.size_of(member.field.type)
            bits = f" : {member.bit_width}"
        numbers = self._paint(f"/* {offset:>6} {size:>5} */", _DIM)
        inner = self._api.unnamed_struct(member.field.type)
        if inner is None:
            text = f"{_INDENT * depth}{spell(member.field.type, member.name, self._api)}{bits};"
        else:
            yield f"{_INDENT * depth}{inner.kind} {{"
            yield from self._members(inner, self._layouts.of(inner.name), base + member.offset, depth + 1)
            text = f"{_INDENT * depth}}}{_declarator(member.field.type, member.name)};"
        yield f"{printable(text):<{_COMMENT_COLUMN}} {numbers}"

    def _totals(self, struct: Struct, layout: Layout) -> Iterator[str]:
        yield self._note(1, f"size: {layout.size}, alignment: {layout.alignment}, members: {len(layout.fields)}")
        if layout.holes:
            total = count(sum(each.size for each in layout.holes), "byte")
            yield self._note(1, f"holes: {len(layout.holes)}, {total} in all", _YELLOW)
        padding = f", then {count(layout.tail_padding, 'byte')} of padding" if layout.tail_padding else ""
        yield self._note(1, f"unpadded size: {layout.unpadded_size}{padding}")
        words = {
            f"packed({struct.pack})": struct.pack,
            "packed": struct.packed,
            "aligned": struct.alignment is not None,
        }
        attributes = ", ".join(word for word, is_said in words.items() if is_said)
        if attributes:
            yield self._note(1, f"attributes: {attributes}")

    def _constant(self, constant: SizeConstant, layout: Layout) -> str:
        """What a size constant says, and whether that is the size of the struct."""
        try:
            value = self._layouts.evaluate(constant.expression, constant.span)
        except AbigenError as error:
            return self._note(1, f"{constant.name}: {error.diagnostics[0].message}", _RED)
        said, colour = "right", _GREEN
        if not constant.last_member and layout.tail_padding:
            said, colour = f"sizeof, counts {count(layout.tail_padding, 'byte')} of padding", _YELLOW
        elif constant.last_member and value != layout.unpadded_size:
            last = f", the last member is {layout.fields[-1].name}" if layout.fields and layout.fields[-1].name else ""
            said = f"wrong, should be {layout.unpadded_size} (ends at {constant.last_member}{last})"
            colour = _RED
        return self._note(1, f"{constant.name} = {value}: {said}", colour)

    def _note(self, depth: int, text: str, colour: str = "") -> str:
        return f"{_INDENT * depth}{self._paint(f'/* {printable(text)} */', colour)}"

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour and colour else text


def _declarator(type: CType, name: str) -> str:
    """What stands behind the closing brace of a type that is written in place."""
    lengths = ""
    while isinstance(type, Array):
        lengths += "[]" if type.length is None else f"[{type.length if isinstance(type.length, int) else '...'}]"
        type = type.element
    return f" {name}{lengths}" if name else ""
