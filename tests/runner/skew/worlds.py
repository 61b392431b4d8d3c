"""Random APIs as C text, which the verdicts of `abigen diff` are tried with.

Every name carries the number of its case, so that many cases are compiled as one program.
"""

from __future__ import annotations

import random

import msgspec

SCALARS = [
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "float",
    "double",
    "size_t",
    "long",
    "_Bool",
    "char",
    "int",
    "short",
]
BITS = {"unsigned int": 32, "int": 32, "uint8_t": 8, "int16_t": 16, "uint64_t": 64, "_Bool": 1}


class Member(msgspec.Struct):
    """A member of a struct: what it is, and what is said around it."""

    kind: str
    """`scalar`, `pointer`, `callback`, `bits`, `named` (a type of the case), `group` (a struct or union in braces)."""
    name: str
    type: str = ""
    lengths: list[str] = msgspec.field(default_factory=list)
    width: int = 0
    members: list[Member] = msgspec.field(default_factory=list)
    keyword: str = "struct"
    attributes: list[str] = msgspec.field(default_factory=list)
    is_const: bool = False

    def text(self, indent: str) -> str:
        """Return the declaration."""
        lengths = "".join(f"[{each}]" for each in self.lengths)
        attributes = "".join(f" __attribute__(({each}))" for each in self.attributes)
        const = "const " if self.is_const else ""
        if self.kind == "group":
            inner = "".join(each.text(indent + "  ") for each in self.members)
            return f"{indent}{self.keyword} {{\n{inner}{indent}}}{attributes} {self.name}{lengths};\n"
        if self.kind == "bits":
            return f"{indent}{self.type} {self.name}: {self.width};\n"
        if self.kind == "callback":
            return f"{indent}{self.type.replace('@', self.name)};\n"
        star = "*" if self.kind == "pointer" else ""
        return f"{indent}{const}{self.type} {star}{self.name}{lengths}{attributes};\n"


class Aggregate(msgspec.Struct):
    """A struct or union with a name."""

    name: str
    keyword: str
    members: list[Member]
    attributes: list[str] = msgspec.field(default_factory=list)
    pack: int = 0
    is_versioned: bool = False
    has_constant: bool = False

    def text(self) -> str:
        """Return the definition, with the constant for its size."""
        inner = "".join(each.text("  ") for each in self.members)
        attributes = "".join(f" __attribute__(({each}))" for each in self.attributes)
        text = f"typedef {self.keyword} {self.name} {{\n{inner}}}{attributes} {self.name};\n"
        if self.pack:
            text = f"#pragma pack(push, {self.pack})\n{text}#pragma pack(pop)\n"
        last = self.members[-1]
        if self.has_constant and last.name and last.kind != "bits":
            text += f"#define {self.name}_STRUCT_SIZE (offsetof({self.name}, {last.name}) + "
            text += f"sizeof((({self.name} *)0)->{last.name}))\n"
        return text


class World(msgspec.Struct):
    """The declarations of one case."""

    number: int
    lengths: dict[str, int]
    """Macros that lengths of arrays are written with."""
    typedefs: dict[str, str]
    enums: dict[str, list[tuple[str, int | None]]]
    aggregates: list[Aggregate]
    functions: dict[str, tuple[str, list[str]]]
    """Name to result and parameters."""
    packed: set[str] = msgspec.field(default_factory=set)
    """Enumerations that take as few bytes as they can."""
    names: int = 0

    def text(self) -> str:
        """Return the header."""
        parts = [f"#define {name} {value}\n" for name, value in self.lengths.items()]
        parts += [
            f"typedef {type.replace('@', name) if '@' in type else f'{type} {name}'};\n"
            for name, type in self.typedefs.items()
        ]
        for name, values in self.enums.items():
            inner = ", ".join(each if value is None else f"{each} = {value}" for each, value in values)
            packed = " __attribute__((packed))" if name in self.packed else ""
            parts.append(f"typedef enum {name} {{ {inner} }}{packed} {name};\n")
        parts += [each.text() for each in self.aggregates]
        for name, (result, parameters) in self.functions.items():
            shown = ", ".join(f"{type} p{at}" for at, type in enumerate(parameters)) or "void"
            parts.append(f"{result} {name}({shown});\n")
        return "".join(parts)

    def new_name(self) -> str:
        """Return a name of a member that nothing else has."""
        self.names += 1
        return f"m{self.names}"


class WorldMaker:
    """Draws worlds."""

    def __init__(self, seed: int) -> None:
        """Draw by a seed; what every fourth draws can be said in a spec."""
        self.random = random.Random(seed)
        self.is_plain = seed % 4 == 3

    def some(self, chance: float) -> bool:
        return self.random.random() < chance

    def world(self, number: int) -> World:
        """Return a random API."""
        tag = f"C{number}"
        world = World(number, {f"{tag}_LENGTH": self.random.randint(2, 5)}, {}, {}, [], {})
        for at in range(self.random.randint(0, 2)):
            world.typedefs[f"{tag}_word{at}"] = self.target()
        for at in range(self.random.randint(0, 2)):
            prefix = f"{tag}_E{at}"
            values = [
                (f"{prefix}_{index}", self.random.randint(index * 10, index * 10 + 9) if self.some(0.3) else None)
                for index in range(self.random.randint(2, 4))
            ]
            world.enums[prefix] = values
            world.packed |= {prefix} if not self.is_plain and self.some(0.2) else set()
        for at in range(self.random.randint(1, 3)):
            world.aggregates.append(self.aggregate(world, f"{self.random.choice(('SP', 'SE', 'XX'))}_{tag}_S{at}"))
        for at in range(self.random.randint(0, 1)):
            result = self.random.choice(["void", *self.by_value(world)])
            world.functions[f"{tag}_f{at}"] = result, [self.parameter(world) for _ in range(self.random.randint(0, 4))]
        return world

    def target(self) -> str:
        """Return the type that a typedef stands for; `@` is its name."""
        if self.is_plain or self.some(0.7):
            return self.random.choice(SCALARS)
        alignment = self.random.choice((2, 8, 16))
        scalar = self.random.choice(SCALARS)
        return self.random.choice(
            (f"{scalar} @[3]", f"{scalar} @ __attribute__((aligned({alignment})))", "int (*@)(int)")
        )

    def by_value(self, world: World) -> list[str]:
        """Return types that may be passed by value."""
        return [*SCALARS, *(name for name, type in world.typedefs.items() if "[" not in type), *world.enums]

    def storable(self, world: World) -> list[str]:
        """Return types of members, of which there may be arrays."""
        return [*SCALARS, *(name for name, type in world.typedefs.items() if "aligned" not in type), *world.enums]

    def parameter(self, world: World) -> str:
        structs = [each.name for each in world.aggregates]
        if self.some(0.3):
            return f"const {self.random.choice(structs)} *"
        frozen = [each.name for each in world.aggregates if not each.is_versioned and each.keyword == "struct"]
        return self.random.choice(frozen) if frozen and self.some(0.2) else self.random.choice(self.by_value(world))

    def aggregate(self, world: World, name: str) -> Aggregate:
        keyword = "union" if self.some(0.1) else "struct"
        members = [self.member(world, 0) for _ in range(self.random.randint(2, 7))]
        made = Aggregate(name, keyword, members)
        if keyword == "struct" and self.some(0.5):
            members.insert(0, Member("scalar", "struct_size", "size_t"))
            made.is_versioned = True
            made.has_constant = self.some(0.5)
        if self.is_plain:
            return made
        if self.some(0.12):
            made.attributes.append(self.random.choice(["packed", "aligned(16)", "aligned(4)", "packed, aligned(2)"]))
        if self.some(0.08):
            made.pack = self.random.choice([1, 2, 4])
        return made

    def member(self, world: World, depth: int) -> Member:
        kinds = ["scalar"] * 8 + ["pointer", "callback", "bits", "bits", "reserved", "group", "group", "named", "named"]
        kind = self.random.choice(kinds)
        name = world.new_name()
        if kind == "group" and depth < 2 and not self.is_plain:
            return self.group(world, [self.member(world, depth + 1) for _ in range(self.random.randint(1, 4))])
        if kind == "named" and world.aggregates:
            type = self.random.choice(world.aggregates).name
            return Member("named", name, type, self.lengths(world, 0.3))
        if kind == "bits":
            type = self.random.choice(sorted(BITS))
            return Member("bits", name, type, width=self.random.randint(1, BITS[type]))
        if kind == "callback":
            return Member("callback", name, self.callback(world))
        if kind == "pointer":
            return Member("pointer", name, self.random.choice(["char", "void", "int", *world.typedefs]))
        if kind == "reserved":
            return Member("scalar", f"reserved{world.names}", self.random.choice(SCALARS), self.lengths(world, 0.3))
        made = Member("scalar", name, self.random.choice(self.storable(world)), self.lengths(world, 0.2))
        if self.some(0.1):
            made.type, made.lengths = self.random.choice([*SCALARS, *world.typedefs]), []
        made.is_const = self.some(0.05)
        if self.some(0.06) and not self.is_plain:
            made.attributes.append(self.random.choice(["aligned(8)", "aligned(16)", "packed", "aligned(4)"]))
        return made

    def callback(self, world: World) -> str:
        parameters = [self.random.choice(self.by_value(world)) for _ in range(self.random.randint(0, 3))]
        return f"{self.random.choice(['void', 'int', 'double'])} (*@)({', '.join(parameters) or 'void'})"

    def group(self, world: World, members: list[Member]) -> Member:
        name = world.new_name() if self.some(0.4) else ""
        made = Member("group", name, members=members, keyword=self.random.choice(["struct", "struct", "union"]))
        if name:
            made.lengths = self.lengths(world, 0.2)
        if self.some(0.1):
            made.attributes.append(self.random.choice(["packed", "aligned(8)", "aligned(16)"]))
        return made

    def lengths(self, world: World, chance: float) -> list[str]:
        if not self.some(chance):
            return []
        made = [self.random.choice(list(world.lengths)) if self.some(0.4) else str(self.random.randint(1, 4))]
        return made + ([str(self.random.randint(1, 3))] if self.some(0.15) else [])
