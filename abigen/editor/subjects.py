"""Finds the declaration that a place in a text names, and describes it for the pointer: layout, value, release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from abigen.checker.report.wording import count
from abigen.editor.analysis import Examination
from abigen.model.ctype import RecordType
from abigen.model.entities import Entity, Enum, Enumerator, Field, Function, Struct, Typedef, Variable
from abigen.model.layout import FieldLayout, Layout, Layouts
from abigen.model.span import AbigenError, Span, printable_lines
from abigen.model.spelling import spell

_WORD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


class NamedEntity(msgspec.Struct, frozen=True):
    """A declaration of an API."""

    entity: Entity
    owner: Struct | None = None
    """The struct or union of a member."""

    @property
    def key(self) -> str:
        """Its name as findings have it: `Struct.member`, or the name."""
        return f"{self.owner.name}.{self.entity.name}" if self.owner is not None else self.entity.name


class NameInText(msgspec.Struct, frozen=True):
    """A name in a text."""

    text: str
    """The name, or a name with dots as `Struct.member`."""
    line: int
    """Counted from 1."""
    column: int
    """The column of its first character, counted from 1."""
    around: str
    """The line that it is in."""


def word_at(text: str, line: int, column: int) -> NameInText | None:
    """Return the name at a place; None if there is none.

    Args:
        text: the whole text.
        line: counted from 1.
        column: counted from 1; the place behind the last character of a name belongs to it.
    """
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return None
    for match in _WORD.finditer(lines[line - 1]):
        if match.start() < column <= match.end() + 1:
            return NameInText(match[0], line, match.start() + 1, lines[line - 1])
    return None


def subject_at(examined: Examination, word: NameInText) -> NamedEntity | None:
    """Return the declaration that a word names.

    A declaration at the very place goes first; then a type, function or constant of that name; then a member, if only
    one struct has a member of that name. A line of a header has to name that struct, too: the name may be that of a
    parameter.

    Args:
        examined: the API; its text may be older than the one that the word is in.
        word: the name.
    """
    named: list[NamedEntity] = []
    members: list[NamedEntity] = []
    for each in subjects(examined):
        span, name = each.entity.span, each.entity.name
        if span is not None and (span.file, span.line, span.column, name) == (
            examined.name,
            word.line,
            word.column,
            word.text,
        ):
            return each
        if each.owner is not None and each.key == word.text:
            return each
        if name == word.text or (isinstance(each.entity, Struct) and word.text in each.entity.typedef_names):
            (members if each.owner is not None else named).append(each)
    is_alone = len(members) == 1 and (examined.first.header is not None or _names_owner(members[0], word))
    here = [each for each in members if each.entity.span and each.entity.span.line == word.line]
    found = here or named or (members if is_alone else [])
    return found[0] if found else None


def _names_owner(subject: NamedEntity, word: NameInText) -> bool:
    """True if the line of a word names the struct of a member, too."""
    owner = subject.owner
    names = {owner.name, owner.tag, *owner.typedef_names} if owner is not None else set()
    return not names.isdisjoint(re.findall(r"\w+", word.around))


def subjects(examined: Examination) -> Iterator[NamedEntity]:
    """Yield the declarations of an API, the members and enumerators after their types."""
    api = examined.first
    for struct in api.structs.values():
        if not struct.anonymous:
            yield NamedEntity(struct)
        yield from (NamedEntity(each, struct) for each in struct.fields or () if each.name)
    kinds: tuple[Mapping[str, Entity], ...] = (api.enums, api.enumerators, api.typedefs, api.functions, api.variables)
    for kind in (*kinds, api.size_constants, api.constants, api.macros):
        yield from (NamedEntity(each) for each in kind.values())


def described(subject: NamedEntity, examined: Examination, releases: Mapping[str, str]) -> str:
    """Return the description of a declaration in Markdown.

    Args:
        subject: the declaration.
        examined: its API.
        releases: the first release of each declaration by its key, where git's tags tell it; empty if it is not known.
    """
    entity = subject.entity
    heading, tables = f"**{subject.key}**", []
    if isinstance(entity, Struct):
        heading = f"**{entity.kind} {entity.name}**"
        tables = _grouped([_of_struct(entity, each) for each in examined.layouts], examined)
    elif isinstance(entity, Field) and subject.owner is not None:
        spelled = " ".join(spell(entity.type, subject.key, examined.first).split())
        heading = f"```c\n{spelled};\n```"
        tables = _grouped([_of_member(entity, subject.owner, each) for each in examined.layouts], examined)
    elif isinstance(entity, (Function, Variable, Typedef)):
        heading = f"```c\n{' '.join(spell(entity.type, entity.name, examined.first).split())};\n```"
    elif isinstance(entity, Enum):
        heading = f"**enum {entity.name}**"
    elif isinstance(entity, Enumerator):
        heading = f"**{entity.name}**"
        tables = _grouped([_of_enumerator(entity, each) for each in examined.layouts], examined)
    elif entity.name in examined.first.size_constants:
        tables = _grouped([_of_constant(entity.name, each) for each in examined.layouts], examined)
    parts = [heading, *tables, _release(subject, releases), _quoted(entity.doc)]
    return "\n\n".join(each for each in parts if each)


def _quoted(doc: str) -> str:
    """Return documentation as a block of text: its Markdown may be an untrusted one, with images from elsewhere."""
    if not doc:
        return ""
    fence = "`" * max(3, 1 + max((len(each) for each in re.findall("`+", doc)), default=0))
    return f"{fence}text\n{printable_lines(doc)}\n{fence}"


def _release(subject: NamedEntity, releases: Mapping[str, str]) -> str:
    """Return the release that brought a declaration, and the one that deprecated it, in words."""
    entity = subject.entity
    life = entity.contract.lifecycle
    since = str(life.since) if life.since is not None else releases.get(subject.key, "")
    words = [f"Since {since}."] if since else ["In no release yet."] if releases else []
    if life.deprecated:
        by = f" Use {life.replaced_by}." if life.replaced_by else ""
        words.append(f"Deprecated{f' since {life.deprecated_since}' if life.deprecated_since else ''}.{by}")
    return " ".join(words)


def _grouped(texts: Sequence[str], examined: Examination) -> list[str]:
    """Return the texts of the targets, with the names of those that have the same one."""
    groups: dict[str, list[str]] = {}
    for layouts, text in zip(examined.layouts, texts, strict=True):
        groups.setdefault(text, []).append(layouts.target.name)
    return [f"{text} ({', '.join(names)})" for text, names in groups.items() if text]


def _of_struct(struct: Struct, layouts: Layouts) -> str:
    """Return size, alignment and padding of a struct."""
    if struct.fields is None:
        return "opaque"
    try:
        layout = layouts.of(struct.name)
    except AbigenError as error:
        return f"no layout: {error.diagnostics[0].message}"
    holes = [f"{count(each.size, 'byte')} at offset {each.offset}" for each in layout.holes]
    holes += [f"{count(layout.tail_padding, 'byte')} at the end"] if layout.tail_padding else []
    padding = f"padding {', '.join(holes)}" if holes else "no padding"
    return f"size {count(layout.size, 'byte')}, alignment {layout.alignment}, {padding}"


def _of_member(field: Field, struct: Struct, layouts: Layouts) -> str:
    """Return offset, size and the padding around a member."""
    try:
        layout, base = layouts.of(struct.name), _base_of(struct, layouts)
    except AbigenError as error:
        return f"no layout: {error.diagnostics[0].message}"
    placed = layout.named(field.name)
    if placed is None:
        return ""
    if placed.bit_offset is not None:
        words = f"offset {base + placed.offset}, bit {placed.bit_offset % 8}, {count(placed.bit_width or 0, 'bit')}"
    else:
        words = f"offset {base + placed.offset}, size {count(placed.size, 'byte')}"
    return words + _padding_around(placed, layout, is_union=struct.is_union)


def _padding_around(placed: FieldLayout, layout: Layout, *, is_union: bool) -> str:
    """Return the padding before and behind a member, in words."""
    if is_union:
        return ""
    before = next((each.size for each in layout.holes if each.offset + each.size == placed.offset), 0)
    behind = next((each.size for each in layout.holes if each.offset == placed.offset + placed.size), 0)
    if placed.name == layout.fields[-1].name:
        behind = layout.tail_padding
    sizes = ((before, "before"), (behind, "after"))
    words = [f"{count(size, 'byte')} of padding {where}" for size, where in sizes if size]
    return f", {' and '.join(words)}" if words else ""


def _base_of(struct: Struct, layouts: Layouts) -> int:
    """Return the offset, in bytes, of a struct without a name in the named one around it; 0 for a named one."""
    if not struct.anonymous:
        return 0
    for outer in layouts.api.structs.values():
        for each in outer.fields or ():
            inner = layouts.resolve(each.type)
            if isinstance(inner, RecordType) and inner.key == struct.name:
                placed = next(one for one in layouts.of(outer.name).fields if one.field is each)
                return placed.offset + _base_of(outer, layouts)
    return 0


def _of_enumerator(enumerator: Enumerator, layouts: Layouts) -> str:
    """Return the value of an enumerator."""
    value = layouts.enumerator(enumerator.name)
    return f"value {value[0]}" if value is not None else ""


def _of_constant(name: str, layouts: Layouts) -> str:
    """Return the value of a size constant, and the member that it ends at."""
    constant = layouts.api.size_constants.get(name)
    if constant is None:
        return ""
    try:
        value = layouts.evaluate(constant.expression, constant.span)
    except AbigenError:
        return ""
    end = f", the end of {constant.struct}.{constant.last_member}" if constant.last_member else ""
    return f"{count(value, 'byte')}{end}"


def place_of(examined: Examination, name: str) -> Span | None:
    """Return the place of a declaration by its name, or of the struct of a member that is not there.

    Args:
        examined: the API.
        name: as findings have it.
    """
    api = examined.first
    owner, _, member = name.rpartition(".")
    struct = api.structs.get(owner) or api.structs.get(name)
    if struct is not None:
        field = struct.member(member) if owner else None
        return field.span if field is not None else struct.span
    found = (kind.get(name) for kind in (api.enums, api.enumerators, api.typedefs, api.functions, api.size_constants))
    return next((each.span for each in found if each is not None), None)
