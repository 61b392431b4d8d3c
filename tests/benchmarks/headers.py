"""Headers to measure with: large, regular, and the same for the same seed."""

from __future__ import annotations

import random

_TYPES = ("int32_t", "uint64_t", "double", "void*", "const char*", "uint8_t", "size_t", "float", "int16_t")
_PARAMETERS = ("int32_t code", "void* context", "uint64_t size", "const char* text")


def header(structs: int, fields: int, *, seed: int = 1, version: int = 1) -> str:
    """Return a header of versioned structs, some of which hold function pointers, pointers to each other, and arrays.

    Args:
        structs: how many.
        fields: of each, besides `struct_size` and `ext`.
        seed: the same seed gives the same structs in every version.
        version: 2 changes what a release changes: members appended, one retyped, one inserted, a struct added.
    """
    chance = random.Random(seed)
    bodies = [_struct(number, fields, chance) for number in range(structs)]
    if version > 1:
        _change(bodies, random.Random(seed + 1))
        bodies.append(_struct(structs, fields, chance))
    lines = ["#ifndef BENCH_H_", "#define BENCH_H_", "#include <stddef.h>", "#include <stdint.h>", ""]
    lines += [f"#define BENCH_MAJOR 1\n#define BENCH_MINOR {version}\n#define BENCH_PATCH 0\n"]
    lines += ['#ifdef __cplusplus\nextern "C" {\n#endif\n']
    lines += ["#define BENCH_END(T, m) (offsetof(T, m) + sizeof(((T *)0)->m))\n"]
    lines += [f"typedef struct B{number} B{number};" for number in range(len(bodies))]
    for number, body in enumerate(bodies):
        lines += [f"\n// What part {number} is made of.", f"struct B{number} {{"]
        lines += [f"  {declaration};  // {text}" for _, declaration, text in body]
        lines += ["};", f"#define B{number}_STRUCT_SIZE BENCH_END(B{number}, {body[-1][0]})"]
    lines += [f"void B_Use{number}(B{number}* part, int32_t* status);" for number in range(0, len(bodies), 10)]
    lines += ["\n#ifdef __cplusplus\n}\n#endif", "#endif", ""]
    return "\n".join(lines)


def _struct(number: int, fields: int, chance: random.Random) -> list[tuple[str, str, str]]:
    """Name, declaration and comment of each member of one struct."""
    body = [("struct_size", "size_t struct_size", "As its producer knows it."), ("ext", "void* ext", "Reserved.")]
    for index in range(fields):
        name = f"member_{index}"
        kind = chance.random()
        if kind < 0.25:
            parameters = ", ".join(chance.sample(_PARAMETERS, chance.randint(1, 3)))
            declaration = f"void (*{name})({parameters})"
        elif kind < 0.35:
            declaration = f"B{chance.randint(0, number)}* {name}"
        elif kind < 0.4:
            declaration = f"uint32_t {name}[{chance.randint(2, 16)}]"
        else:
            declaration = f"{chance.choice(_TYPES)} {name}"
        body.append((name, declaration, chance.choice(("0 is no-op.", "NULL is no-op.", "Optional.", "What it is."))))
    return body


def _change(bodies: list[list[tuple[str, str, str]]], chance: random.Random) -> None:
    """Change a few structs as a careless release would."""
    for body in chance.sample(bodies, max(1, len(bodies) // 60)):
        body.append(("appended", "int64_t appended", "0 is no-op."))
    for body in chance.sample(bodies, max(1, len(bodies) // 150)):
        body[-1] = (body[-1][0], f"float {body[-1][0]}", body[-1][2])
    chance.choice(bodies).insert(3, ("inserted", "int64_t inserted", "0 is no-op."))
