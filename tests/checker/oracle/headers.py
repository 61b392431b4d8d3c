"""Random C headers as data: declarations that edits can change, and their printing as text."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec
from msgspec.structs import replace

PREAMBLE = """\
typedef __SIZE_TYPE__ size_t;
typedef int vec8 __attribute__((vector_size(8)));
typedef float vec16 __attribute__((vector_size(16)));
typedef int tight __attribute__((aligned(16)));
typedef double loose __attribute__((aligned(1)));
typedef unsigned int word;
#if defined(__SIZEOF_INT128__) && !defined(_WIN32)
typedef __int128 widest;
#else
typedef long long widest;
#endif
"""
INTEGERS: tuple[str, ...] = ("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int")
INTEGERS += ("long", "unsigned long", "long long", "unsigned long long")
SCALARS: tuple[str, ...] = (*INTEGERS, *INTEGERS, "_Bool", "float", "double", "double", "long double", "void*")
SCALARS += ("double _Complex", "const char*", "size_t", "word", "vec8", "vec8", "vec16", "tight", "loose", "widest")
SHAPES = ("{type} {name}", "{type} {name}", "{type} {name}[{count}]", "{type} {name}[{count}][2]")
CALLBACKS = ("void (*{name})(void)", "int (*{name})(int code, const char* text)", "void* (*{name}[2])(void*)")


class Record(msgspec.Struct, frozen=True):
    """A struct or union: one that is declared by itself, or one without a tag inside another."""

    name: str
    """The tag; empty without one."""
    kind: str
    members: tuple[Member, ...]
    before: str = ""
    """Attributes before the tag."""
    after: str = ""
    """Attributes behind the closing brace."""
    pack: int | None = None
    """The `#pragma pack` around it."""

    @property
    def is_versioned(self) -> bool:
        """True if the first member says how large the struct is."""
        return self.kind == "struct" and bool(self.members) and self.members[0].shape == "size_t struct_size"

    @property
    def named(self) -> Iterator[Member]:
        """Members that have a name and are no record themselves, those of records inside included."""
        for each in self.members:
            if each.record is not None:
                yield from each.record.named
            elif each.name:
                yield each


class Member(msgspec.Struct, frozen=True):
    """A member: of a type that has a name, or of a record that is defined in place."""

    name: str
    """Empty for an unnamed bit-field, and for the members of an anonymous record."""
    shape: str = ""
    """The text before the bits and attributes, including the name."""
    width: int | None = None
    alignas: str = ""
    """Stands before the type."""
    attribute: str = ""
    """Stands behind all."""
    record: Record | None = None


class Enumeration(msgspec.Struct, frozen=True):
    """An enumeration with a tag."""

    name: str
    values: tuple[tuple[str, int | None], ...]
    attribute: str = ""


class Alias(msgspec.Struct, frozen=True):
    """A typedef that members are declared with."""

    name: str
    shape: str
    """With `{name}` for its name."""
    attribute: str = ""


class Header(msgspec.Struct, frozen=True):
    """Declarations in order; what each uses stands before it."""

    aliases: tuple[Alias, ...]
    enumerations: tuple[Enumeration, ...]
    records: tuple[Record, ...]
    by_value: frozenset[str] = frozenset()
    """Records that a function takes by value."""

    def with_record(self, place: int, record: Record) -> Header:
        """Return the same with one record replaced."""
        return replace(self, records=(*self.records[:place], record, *self.records[place + 1 :]))

    def lines(self) -> Iterator[str]:
        """Yield the header's text, without what all share."""
        for alias in self.aliases:
            yield f"typedef {alias.shape.format(name=alias.name)}{_spaced(alias.attribute)};"
        for enum in self.enumerations:
            values = ", ".join(name if value is None else f"{name} = {value}" for name, value in enum.values)
            yield f"enum {enum.attribute} {enum.name} {{ {values} }};"
        for record in self.records:
            yield from ([f"#pragma pack(push, {record.pack})"] if record.pack else [])
            yield from _record_lines(record, "")
            yield from (["#pragma pack(pop)"] if record.pack else [])
            if record.is_versioned:
                yield f"#define {record.name.upper()}_STRUCT_SIZE ({_unpadded(record)})"
            yield f"void use_{record.name}(const {record.kind} {record.name}* it);"
            if record.name in self.by_value:
                yield f"void pass_{record.name}({record.kind} {record.name} it);"


def _unpadded(record: Record) -> str:
    """Return the size without padding after the last member, in C; the whole size where that member has none."""
    type, last = f"struct {record.name}", record.members[-1]
    if last.name and last.width is None and can_be_held(record):
        return f"offsetof({type}, {last.name}) + sizeof((({type}*)0)->{last.name})"
    return f"sizeof({type})"


def _spaced(text: str) -> str:
    return f" {text}" if text else ""


def _record_lines(record: Record, indent: str, name: str = "") -> Iterator[str]:
    yield f"{indent}{record.kind}{_spaced(record.before)}{_spaced(record.name)} {{"
    for member in record.members:
        inner = indent + "  "
        if member.record is not None:
            yield from _record_lines(member.record, inner, member.name)
            continue
        width = "" if member.width is None else f" : {member.width}"
        yield f"{inner}{member.alignas}{_spaced(member.shape).strip()}{width}{_spaced(member.attribute)};"
    yield f"{indent}}}{_spaced(record.after)}{_spaced(name)};"


class Writer:
    """Makes random declarations; every name it gives is another."""

    def __init__(self, random: Random, prefix: str) -> None:
        self.random = random
        self.prefix = prefix
        self._count = 0

    def name(self, letter: str) -> str:
        """Return a name that nothing else has."""
        self._count += 1
        return f"{self.prefix}{letter}{self._count}"

    def chance(self, percent: int) -> bool:
        """True if a die falls so."""
        return self.random.randrange(100) < percent

    def header(self) -> Header:
        """Return a few aliases and enumerations, and structs that may hold the ones before them."""
        pick = self.random.choice
        aliases = tuple(
            Alias(self.name("a"), f"{pick(INTEGERS)} {{name}}{pick(('', '', '[2]'))}", self.aligned(20))
            for _ in range(self.random.randrange(2))
        )
        enumerations = tuple(self.enumeration() for _ in range(self.random.randrange(2)))
        header = Header(aliases, enumerations, ())
        for _ in range(self.random.choice((1, 1, 2, 3))):
            header = replace(header, records=(*header.records, self.record(header)))
        by_value = (each.name for each in header.records if not each.is_versioned and self.chance(25))
        return replace(header, by_value=frozenset(by_value))

    def enumeration(self) -> Enumeration:
        """Return an enumeration whose values need one size or another."""
        values = [None, None, self.random.choice((None, -1, 200, 70000)), None]
        packed = "__attribute__((packed))" if self.chance(25) else ""
        return Enumeration(self.name("e"), tuple((self.name("E"), each) for each in values), packed)

    def record(self, header: Header) -> Record:
        """Return a struct or union that is declared by itself."""
        kind = "union" if self.chance(15) else "struct"
        is_versioned = kind == "struct" and self.chance(50)
        first = (Member("struct_size", "size_t struct_size"),) if is_versioned else ()
        members = first + tuple(self.member(header, 0) for _ in range(self.random.randint(1, 5)))
        if kind == "struct" and self.chance(5):
            name = self.name("m")
            members += (Member(name, f"{self.random.choice(INTEGERS)} {name}[]"),)
        pack = self.random.choice((1, 2, 4, 8)) if self.chance(12) else None
        return Record(self.name("S"), kind, members, self.attributes(12), self.attributes(8), pack)

    def inline(self, header: Header, depth: int) -> Record:
        """Return a struct or union without a tag."""
        members = tuple(self.member(header, depth) for _ in range(self.random.randint(1, 3)))
        named = any(each.name or each.record for each in members)
        members += () if named else (self.plain(header),)
        return Record("", self.random.choice(("struct", "union")), members, "", self.attributes(15))

    def member(self, header: Header, depth: int) -> Member:
        """Return a member of any kind."""
        if self.chance(25):
            return self.bits()
        if depth < 2 and self.chance(20):
            name = self.name("r") if self.chance(30) else ""
            return Member(name, record=self.inline(header, depth + 1))
        return self.plain(header)

    def bits(self) -> Member:
        """Return a bit-field, perhaps one without a name or without bits."""
        type = self.random.choice((*INTEGERS, "_Bool", "unsigned int", "unsigned int", "int"))
        limit = {"char": 8, "short": 16, "_Bool": 1}.get(type.split()[-1], 32)
        if self.chance(12):
            return Member("", type, 0)
        width = self.random.randint(1, limit)
        if self.chance(10):
            return Member("", type, width)
        name = self.name("b")
        return Member(name, f"{type} {name}", width, attribute=self.attributes(6))

    def plain(self, header: Header) -> Member:
        """Return an ordinary member."""
        name = self.name("m")
        shape = self.shape(header, name)
        if self.chance(6):
            return Member(name, shape, alignas=f"_Alignas({self.random.choice((16, 32))}) ")
        return Member(name, shape, attribute=self.attributes(8))

    def shape(self, header: Header, name: str) -> str:
        """Return a declarator of any type that is known."""
        if self.chance(8):
            return self.random.choice(CALLBACKS).format(name=name)
        types = [self.random.choice(SCALARS)] * 4
        types += [each.name for each in header.aliases] + [f"enum {each.name}" for each in header.enumerations]
        types += [f"{each.kind} {each.name}" for each in header.records if can_be_held(each)]
        type, shape, count = self.random.choice(types), self.random.choice(SHAPES), self.random.randint(1, 4)
        # GCC refuses arrays of what is aligned to more than its size, which an alias may be some day.
        is_single = type == "tight" or any(each.name == type for each in header.aliases)
        return (SHAPES[0] if is_single else shape).format(type=type, name=name, count=count)

    def attributes(self, percent: int) -> str:
        """Attributes that change a layout, or none."""
        if not self.chance(percent):
            return ""
        return "__attribute__((packed))" if self.chance(50) else self.aligned(100)

    def aligned(self, percent: int) -> str:
        """Return an alignment, or none."""
        return f"__attribute__((aligned({self.random.choice((2, 4, 8, 16))})))" if self.chance(percent) else ""


def can_be_held(record: Record) -> bool:
    """True if other structs may have a member of this type: it has no array without a length."""
    return not any(each.shape.endswith("[]") for each in record.members)
