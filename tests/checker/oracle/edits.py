"""Random edits of headers: what owners of APIs do to structs, and what they should not."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from tests.checker.oracle.headers import Header, Member, Record, Writer, can_be_held

Members = tuple[Member, ...]
Path = tuple[int, ...]
"""The place of a record inside another: the place of each member on the way."""


def edited(header: Header, writer: Writer) -> Header:
    """Return the header after one to three edits."""
    for _ in range(writer.random.choice((1, 1, 1, 2, 3))):
        header = writer.random.choice(EDITS)(header, writer)
    return header


def _in_a_record(change: Callable[[Record, Header, Writer], Record]) -> Callable[[Header, Writer], Header]:
    """Return an edit of the whole header from one of a record, which may be one inside another."""

    def edit(header: Header, writer: Writer) -> Header:
        place = writer.random.randrange(len(header.records))
        known = replace(header, records=header.records[:place])
        top = header.records[place]
        path = writer.random.choice(_paths(top))
        return header.with_record(place, _changed(top, path, lambda record: change(record, known, writer)))

    return edit


def _paths(record: Record) -> list[Path]:
    found: list[Path] = [()]
    for place, member in enumerate(record.members):
        if member.record is not None:
            found += [(place, *rest) for rest in _paths(member.record)]
    return found


def _changed(record: Record, path: Path, change: Callable[[Record], Record]) -> Record:
    if not path:
        return change(record)
    member = record.members[path[0]]
    assert member.record is not None
    inner = replace(member, record=_changed(member.record, path[1:], change))
    return replace(record, members=(*record.members[: path[0]], inner, *record.members[path[0] + 1 :]))


def _first(record: Record) -> int:
    """Return the first place that an edit may touch: what says the size stays in front."""
    return 1 if record.is_versioned else 0


def _last(record: Record) -> int:
    """Return the place behind the last that may be touched: an array without a length stays last."""
    return len(record.members) - (0 if can_be_held(record) else 1)


def _place(record: Record, writer: Writer) -> int | None:
    """Return a member that may be touched, unless there is none."""
    first, last = _first(record), _last(record)
    return writer.random.randrange(first, last) if first < last else None


def insert(record: Record, known: Header, writer: Writer) -> Record:
    place = writer.random.randint(_first(record), _last(record))
    return replace(record, members=(*record.members[:place], writer.member(known, 1), *record.members[place:]))


def append(record: Record, known: Header, writer: Writer) -> Record:
    place = _last(record)
    return replace(record, members=(*record.members[:place], writer.plain(known), *record.members[place:]))


def remove(record: Record, known: Header, writer: Writer) -> Record:
    place = _place(record, writer)
    if place is None or len(record.members) < 3:
        return record
    return replace(record, members=record.members[:place] + record.members[place + 1 :])


def move(record: Record, known: Header, writer: Writer) -> Record:
    source, target = _place(record, writer), _place(record, writer)
    if source is None or target is None:
        return record
    rest = record.members[:source] + record.members[source + 1 :]
    return replace(record, members=(*rest[:target], record.members[source], *rest[target:]))


def swap(record: Record, known: Header, writer: Writer) -> Record:
    place = _place(record, writer)
    if place is None or place + 1 >= _last(record):
        return record
    one, other = record.members[place : place + 2]
    return replace(record, members=(*record.members[:place], other, one, *record.members[place + 2 :]))


def _on_a_member(change: Callable[[Member, Header, Writer], Member]) -> Callable[[Record, Header, Writer], Record]:
    """Return an edit of a record from one of a member that is no record."""

    def edit(record: Record, known: Header, writer: Writer) -> Record:
        place = _place(record, writer)
        if place is None or record.members[place].record is not None:
            return record
        member = change(record.members[place], known, writer)
        return replace(record, members=(*record.members[:place], member, *record.members[place + 1 :]))

    return edit


def retype(member: Member, known: Header, writer: Writer) -> Member:
    if not member.name:
        return writer.bits()
    if member.width is not None:
        type = writer.random.choice(("int", "unsigned int", "short", "long long", "unsigned char"))
        width = min(member.width, 8)
        return replace(member, shape=f"{type} {member.name}", width=width)
    return replace(member, shape=writer.shape(known, member.name))


def respell(member: Member, known: Header, writer: Writer) -> Member:
    """Return another spelling of the same type."""
    for one, other in (("unsigned int ", "word "), ("int ", "signed "), ("long long ", "long long int ")):
        if member.shape.startswith(one):
            return replace(member, shape=other + member.shape.removeprefix(one))
    return member


def rename(member: Member, known: Header, writer: Writer) -> Member:
    if not member.name:
        return member
    name = writer.name("n")
    return replace(member, name=name, shape=member.shape.replace(member.name, name))


def set_length(member: Member, known: Header, writer: Writer) -> Member:
    head, bracket, rest = member.shape.partition("[")
    if not bracket or head.endswith(")"):
        return member
    return replace(member, shape=f"{head}[{writer.random.randint(1, 5)}]{rest.partition(']')[2]}")


def set_width(member: Member, known: Header, writer: Writer) -> Member:
    if member.width is None or "_Bool" in member.shape:
        return member
    return replace(member, width=writer.random.randint(1 if member.name else 0, 8))


def set_member_attribute(member: Member, known: Header, writer: Writer) -> Member:
    if not member.name:
        return member
    return replace(member, attribute=writer.attributes(70), alignas="")


def wrap(record: Record, known: Header, writer: Writer) -> Record:
    """Put members that follow each other into a struct or union, mostly one without a name."""
    first, last = _place(record, writer), _place(record, writer)
    if first is None or last is None or first > last:
        return record
    inner = record.members[first : last + 1]
    if not any(each.name for each in inner):
        return record
    kind = "struct" if writer.chance(60) else "union"
    wrapped = Record("", kind, inner, "", writer.attributes(10))
    name = writer.name("r") if writer.chance(15) else ""
    around = Member(name, record=wrapped)
    return replace(record, members=(*record.members[:first], around, *record.members[last + 1 :]))


def unwrap(record: Record, known: Header, writer: Writer) -> Record:
    """Put the members of an inner record in its place."""
    members: Members = ()
    for each in record.members:
        members += each.record.members if each.record is not None and not each.name else (each,)
    return replace(record, members=members)


def change_kind(record: Record, known: Header, writer: Writer) -> Record:
    if record.is_versioned or not can_be_held(record) or (record.name and writer.chance(70)):
        return record
    return replace(record, kind="struct" if record.kind == "union" else "union")


def set_attributes(record: Record, known: Header, writer: Writer) -> Record:
    if record.name and writer.chance(50):
        return replace(record, before=writer.attributes(70))
    return replace(record, after=writer.attributes(70))


def set_pack(record: Record, known: Header, writer: Writer) -> Record:
    return replace(record, pack=writer.random.choice((None, 1, 2, 4, 8, 16))) if record.name else record


def factor_out(header: Header, writer: Writer) -> Header:
    """Make a struct of its own of members that follow each other, and embed it under a name."""
    place = writer.random.randrange(len(header.records))
    record = header.records[place]
    first, last = _place(record, writer), _place(record, writer)
    if first is None or last is None or first > last:
        return header
    part = Record(writer.name("P"), "struct", record.members[first : last + 1])
    name = writer.name("m")
    held = Member(name, f"struct {part.name} {name}")
    around = replace(record, members=(*record.members[:first], held, *record.members[last + 1 :]))
    return replace(header, records=(*header.records[:place], part, around, *header.records[place + 1 :]))


def change_enumeration(header: Header, writer: Writer) -> Header:
    if not header.enumerations:
        return header
    enum, *others = header.enumerations
    values = list(enum.values)
    match writer.random.randrange(4):
        case 0:
            values.append((writer.name("E"), writer.random.choice((None, -1, 300, 1 << 20, 1 << 33))))
        case 1:
            values.insert(writer.random.randrange(len(values)), (writer.name("E"), None))
        case 2:
            del values[writer.random.randrange(len(values))]
        case _:
            packed = "" if enum.attribute else "__attribute__((packed))"
            return replace(header, enumerations=(replace(enum, attribute=packed), *others))
    return replace(header, enumerations=(replace(enum, values=tuple(values) or enum.values), *others))


def change_alias(header: Header, writer: Writer) -> Header:
    if not header.aliases:
        return header
    alias, *others = header.aliases
    fresh = writer.shape(replace(header, aliases=(), enumerations=(), records=()), "{name}")
    changed = replace(alias, shape=fresh) if writer.chance(60) else replace(alias, attribute=writer.aligned(70))
    return replace(header, aliases=(changed, *others))


ON_MEMBERS = (retype, retype, respell, rename, set_length, set_width, set_width, set_member_attribute)
ON_RECORDS = (insert, insert, append, append, remove, move, swap, wrap, wrap, wrap, unwrap, unwrap)
ON_FRAMES = (change_kind, change_kind, set_attributes, set_attributes, set_pack)
EDITS: tuple[Callable[[Header, Writer], Header], ...] = (
    *(_in_a_record(_on_a_member(each)) for each in ON_MEMBERS),
    *(_in_a_record(each) for each in (*ON_RECORDS, *ON_FRAMES)),
    factor_out,
    change_enumeration,
    change_alias,
)
