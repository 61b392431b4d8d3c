"""Which structs of an edited header mean what they meant before, and can keep their members.

A body whose text has not changed declares the same members if every name in it means the same. Here that is shown for
the plainest bodies only; whatever is not certain is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from abigen.model.api import Api, ApiSet
from abigen.model.ctype import Array, CType, EnumType, RecordType, types_in
from abigen.model.entities import Field, Struct
from abigen.read.c.rereading.known import Known, KnownBody, named_types
from abigen.read.c.rereading.macros import MacroMeanings, size_expressions
from abigen.read.c.rereading.moved import fields_moved
from abigen.read.c.rereading.outline import Body, Outline, are_plain, outline, without, words_of
from abigen.read.options import SourceFile


class Reuse(NamedTuple):
    """A struct that keeps its members."""

    file: str
    old: Body
    new: Body
    struct: Struct
    """As it was."""
    types: Sequence[str]
    """The typedefs that its members name, in the order of the text; macros may stand for some."""


class Plan(NamedTuple):
    """How to read edited headers again."""

    sources: Sequence[SourceFile]
    """The headers, without the bodies of structs that keep their members."""
    known: Known
    reused: Sequence[Reuse]


def plan(previous: ApiSet, sources: Sequence[SourceFile]) -> Plan | None:
    """Find what can be taken over from an earlier reading.

    Args:
        previous: what an earlier state of the headers was read as, with the same options, and with the same state of
            all files that they include.
        sources: the headers as they are now.

    Returns:
        None when there is nothing, or when the headers may be compiled under other conditions than before.
    """
    if list(previous.sources) != [source.name for source in sources]:
        return None
    apis = list({id(group.api): group.api for group in previous.groups}.values())
    texts = {source.name: (outline(previous.sources[source.name]), outline(source.text)) for source in sources}
    macros = MacroMeanings(texts, apis[0])
    for old, new in texts.values():
        if old.directives != new.directives or macros.expansion(words_of("\n".join(old.directives))) is None:
            return None
    unchanged = [
        each
        for name, (old, new) in texts.items()
        for each in _unchanged(name, old, new, apis)
        if _is_plain(each, macros)
    ]
    reused = _with_same_parts(unchanged, apis[0])
    if not reused:
        return None
    hollow = [
        replace(source, text=without(source.text, [each.new for each in reused if each.file == source.name]))
        for source in sources
    ]
    fields = {
        (each.file, each.new.line, each.new.column): KnownBody(
            fields_moved(each.struct.fields or (), each.new.first_line - each.old.first_line), each.types
        )
        for each in reused
    }
    return Plan(hollow, Known(fields, size_expressions(apis, macros)), reused)


def _unchanged(file: str, old: Outline, new: Outline, apis: Sequence[Api]) -> Iterator[Reuse]:
    """The structs of a file whose bodies are the same, and were declared the same for all targets."""
    bodies: dict[tuple[str, str, int], list[Body]] = {}
    for body in old.bodies:
        bodies.setdefault(body.key, []).append(body)
    declared = _declared_at(file, apis[0])
    warned = {each.place.line for api in apis for each in api.warnings if each.place and each.place.file == file}
    for body in new.bodies:
        known = bodies.get(body.key, [])
        if len(known) != 1:
            continue
        lines = range(known[0].first_line, known[0].last_line + 1)
        struct = next((declared[line] for line in lines if line in declared), None)
        if struct is not None and warned.isdisjoint(lines) and _is_certain(struct, file, lines, apis):
            types = dict.fromkeys(name for field in struct.fields or () for name in named_types(field.type))
            yield Reuse(file, known[0], body, struct, tuple(types))


def _is_plain(reuse: Reuse, macros: MacroMeanings) -> bool:
    """Whether what a body declares follows from its text, and its macros are what they were."""
    content = reuse.new.content
    if content is None or not macros.are_known(content.lengths):
        return False
    words = macros.expansion(content.words, reuse.file, reuse.old.line, reuse.new.line)
    return words is not None and are_plain(words)


def _declared_at(file: str, api: Api) -> Mapping[int, Struct]:
    """The structs of a file, by the line of their first member."""
    firsts = ((struct.fields[0].span, struct) for struct in api.structs.values() if struct.fields)
    return {span.line: struct for span, struct in firsts if span is not None and span.file == file}


def _is_certain(struct: Struct, file: str, lines: range, apis: Sequence[Api]) -> bool:
    """Whether all members of a struct stand on some lines, are plain, and are the same for all targets."""
    for field in struct.fields or ():
        place = field.span
        if place is None or place.file != file or place.line not in lines or _asks(field):
            return False
    return all(struct.name in api.structs and api.structs[struct.name].fields == struct.fields for api in apis)


def _asks(field: Field) -> bool:
    """Whether something about a member has to be asked of the target, or of tags that it mentions."""
    if field.alignment is not None or field.packed or not isinstance(field.bit_width, int | None):
        return True
    return any(
        isinstance(each, RecordType | EnumType) or (isinstance(each, Array) and not isinstance(each.length, int))
        for each in types_in(field.type)
    )


def _with_same_parts(reused: Sequence[Reuse], api: Api) -> Sequence[Reuse]:
    """Those that hold no struct by value which has to be read again."""
    while True:
        kept = {each.struct.name for each in reused}
        remaining = [each for each in reused if all(_is_kept(part, kept, api) for part in _parts(each.struct, api))]
        if len(remaining) == len(reused):
            return remaining
        reused = remaining


def _parts(struct: Struct, api: Api) -> Iterator[str]:
    """The keys of structs that a struct holds by value."""
    for field in struct.fields or ():
        type: CType = api.resolve(field.type)
        while isinstance(type, Array):
            type = api.resolve(type.element)
        if isinstance(type, RecordType):
            yield type.key


def _is_kept(key: str, kept: Set[str], api: Api) -> bool:
    """Whether a struct is the same as before: it keeps its members, or comes with an #include."""
    return key in kept or (key in api.structs and not api.structs[key].in_api)
