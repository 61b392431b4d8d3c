"""A spec with three releases, and changes to it that break something."""

from __future__ import annotations

TOY = """\
abigen: 1
api: toy
prefix: TB
version: 1.2.0
header: {path: toy.h}
conventions:
  leading_fields: [size_t struct_size, void* ext]
  filled_by: {TB_: core, TP_: plugin}
handles:
  - {name: TP_Toy, tag: TP_Toy_st, defined_by: plugin, since: 1.0.0}
enums:
  - name: TB_Mood
    since: 1.0.0
    enumerators: [{name: TB_SAD}, {name: TB_GLAD}, {name: TB_SILLY, since: 1.2.0}]
structs:
  - name: TB_Point
    versioned: false
    since: 1.0.0
    fields: [{name: x, type: double}, {name: y, type: float}]
  - name: TP_Shape
    since: 1.0.0
    fields:
      - {name: sides, type: uint8_t}
      - {name: name, type: const char*}
      - {name: colour, since: 1.1.0, zero: no-op, type: int32_t}
  - name: TP_ToyFns
    since: 1.0.0
    fields:
      - {name: make, required: true, type: "TP_Toy (*)(const char* name, TB_Mood mood)"}
      - {name: shape, required: true, type: "void (*)(TP_Toy toy, TP_Shape* shape)"}
      - {name: move, required: true, type: "float (*)(TP_Toy toy, const TB_Point* by, TB_Point value, bool far)"}
      - {name: sizes, type: const int16_t*, count: num_sizes}
      - {name: num_sizes, type: size_t}
      - {name: play, since: 1.2.0, optional: true, zero: no-op, type: "void (*)(TP_Toy toy, int32_t times)"}
functions:
  - {name: TB_Log, since: 1.0.0, type: "int (const char* text, const double* numbers, size_t num_numbers)"}
  - {name: TB_Ask, since: 1.1.0, type: "int64_t (void (*answer)(void* context, int32_t number), void* context)"}
  - name: TB_InitPlugin
    since: 1.0.0
    implemented_by: plugin
    entry_point: true
    type: int (TP_ToyFns* fns)
"""
"""Three releases in which nothing is wrong: 1.0.0, 1.1.0, 1.2.0."""


def changed(old: str, new: str) -> str:
    """Return the spec with a text in another's place."""
    assert old in TOY
    return TOY.replace(old, new)


PAUSE = '      - {name: pause, required: true, type: "void (*)(TP_Toy toy)"}\n'
SHAPE = '      - {name: shape, required: true, type: "void (*)(TP_Toy toy, TP_Shape* shape)"}\n'
LOG = '  - {name: TB_Log, since: 1.0.0, type: "int (const char* text, const double* numbers, size_t num_numbers)"}\n'
GROWN = changed("{name: y, type: float}", "{name: y, type: float}, {name: z, type: int16_t, since: 1.1.0, zero: no-op}")
"""A struct that is passed by value grows: within one spec, a break."""

BREAKS = {
    "a member inserted": (
        changed(SHAPE, PAUSE + SHAPE),
        "TP_ToyFns.shape at bytes 24 to 31 and finds an address, which was written as TP_ToyFns.pause",
    ),
    "a member removed": (changed(SHAPE, ""), "the core reads TP_ToyFns.shape at bytes 24 to 31 and finds an address"),
    "a parameter retyped": (changed("int32_t times", "int64_t times"), "reads TP_ToyFns.play#2 and finds"),
    "a parameter added": (
        changed("TP_Toy toy, int32_t times", "TP_Toy toy, int32_t times, bool loud"),
        "TP_ToyFns.play#3: the other side has no such parameter",
    ),
    "a result that goes": (changed("float (*)(TP", "void (*)(TP"), "TP_ToyFns.move: the other side returns nothing"),
    "a member retyped": (changed("sides, type: uint8_t", "sides, type: uint16_t"), "reads TP_Shape.sides at byte"),
    "an element retyped": (changed("const int16_t*", "const int32_t*"), "reads TP_ToyFns.sizes"),
    "an enumerator that has another value": (
        changed("{name: TB_SAD}, {name: TB_GLAD}", "{name: TB_SAD}, {name: TB_SOSO}, {name: TB_GLAD}"),
        "TB_GLAD: it is",
    ),
    "a frozen struct that grows": (
        changed("{name: x, type: double}", "{name: w, type: double}, {name: x, type: double}"),
        "reads TB_Point.",
    ),
    "a function that goes": (
        changed(LOG, ""),
        "TB_Log(): core has no such function any more",
    ),
    "another number of members before the size": (
        changed("leading_fields: [size_t struct_size, void* ext]", "leading_fields: [size_t struct_size]"),
        "",
    ),
    "what has to be understood": (
        changed("colour, since: 1.1.0, zero: no-op,", "colour, since: 1.1.0, zero: no-op, must_be_understood: true,"),
        "TP_Shape.colour: it has to be understood, and the other side does not know it",
    ),
}
"""Name to the spec after a change, and words of what is said about it."""

COMPATIBLE = {
    "nothing": TOY,
    "a member renamed in its place": changed("name: sides", "name: edges"),
    "a parameter renamed": changed("int32_t times", "int32_t count"),
    "a member appended": changed(
        "type: int32_t}\n  - name: TP_ToyFns",
        "type: int32_t}\n      - {name: depth, since: 1.2.0, zero: no-op, type: int64_t}\n  - name: TP_ToyFns",
    ),
    "an enumerator appended": changed("since: 1.2.0}]", "since: 1.2.0}, {name: TB_WILD, since: 1.2.0}]"),
    "a type spelled otherwise": changed("int32_t times", "int times"),
}
"""Name to the spec after a change that no binary notices."""
