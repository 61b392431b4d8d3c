"""Random APIs for the layout tests: Hypothesis strategies, and their printing as C source."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from hypothesis import strategies as st

from abigen.model.api import Api
from abigen.model.ctype import (
    Array,
    Basic,
    CType,
    EnumType,
    FunctionType,
    Literal,
    NamedType,
    Parameter,
    Pointer,
    Qualified,
    RecordType,
    Vector,
)
from abigen.model.entities import Enum, Enumerator, Field, Struct, Typedef
from abigen.model.spelling import spell
from abigen.model.target import Target

INTEGERS = ["char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long"]
INTEGERS += ["unsigned long", "long long", "unsigned long long"]
FLOATS = ["float", "double", "long double", "double _Complex"]


class Choices(msgspec.Struct, frozen=True):
    """The constructs that random structs may contain; those that a compiler refuses on a target are left out."""

    int128: bool
    packing: bool = True
    alignment: bool = True
    ms_struct: bool = False
    atomic: bool = True
    vectors: bool = True
    large_enums: bool = True
    bitfield_attributes: bool = True
    int_bits: int = 32


ENUMS = {
    "small": Enum(name="small", tag="small", enumerators=(Enumerator(name="small_a", value=0),)),
    "negative": Enum(
        name="negative", tag="negative", enumerators=(Enumerator(name="negative_a", value=-1, expression=Literal(-1)),)
    ),
    "packed": Enum(
        name="packed",
        tag="packed",
        packed=True,
        enumerators=(Enumerator(name="packed_a", value=200, expression=Literal(200)),),
    ),
    "large": Enum(
        name="large",
        tag="large",
        enumerators=(Enumerator(name="large_a", value=1 << 33, expression=Literal(1 << 33, "long long")),),
    ),
}


def world(choices: Choices, count: int) -> st.SearchStrategy[Api]:
    """Return an API of `count` structs, some of which embed earlier ones."""

    @st.composite
    def build(draw: Callable[..., object]) -> Api:
        structs: dict[str, Struct] = {}
        enums = {key: each for key, each in ENUMS.items() if key != "large" or choices.large_enums}
        typedefs: dict[str, Typedef] = {}
        if choices.alignment:
            for bits, base in ((1, "int"), (3, "char"), (4, "short"), (5, "double")):
                name = f"aligned_{1 << bits}"
                typedefs[name] = Typedef(name=name, type=Basic(base), alignment=1 << bits)
        for index in range(count):
            _draw_struct(draw, f"S{index}", structs, enums, typedefs, choices, 0)
        return Api(name="random", structs=structs, enums=enums, typedefs=typedefs)

    return build()


def _draw_struct(draw, name, structs, enums, typedefs, choices, depth, pack=None) -> Struct:  # type: ignore[no-untyped-def]
    anonymous = depth > 0
    if pack is None and not anonymous and choices.packing and draw(st.integers(0, 5)) == 0:
        pack = draw(st.sampled_from([1, 2, 4, 8, 16]))
    is_union = draw(st.integers(0, 4)) == 0
    fields: list[Field] = []
    for index in range(draw(st.integers(0 if depth == 0 else 1, 6))):
        field_name = f"{name.lower()}_{index}".replace(".", "_")
        fields += _draw_field(draw, field_name, name, structs, enums, typedefs, choices, depth, pack)
    if (
        fields
        and not is_union
        and depth == 0
        and draw(st.integers(0, 9)) == 0
        and len([f for f in fields if f.name]) > 0
    ):
        element = draw(st.sampled_from(INTEGERS))
        fields.append(Field(name=f"{name.lower()}_tail", type=Array(Basic(element), None)))
    struct = Struct(
        name=name,
        tag="" if anonymous else name,
        kind="union" if is_union else "struct",
        fields=tuple(fields),
        anonymous=anonymous,
        packed=choices.packing and draw(st.integers(0, 6)) == 0,
        pack=pack,
        alignment=draw(st.sampled_from([1, 2, 4, 8, 16, 32, 0]))
        if choices.alignment and draw(st.integers(0, 7)) == 0
        else None,
        bitfield_rule=draw(st.sampled_from(["", "", "ms", "sysv"])) if choices.ms_struct else "",
    )
    structs[name] = struct
    return struct


def _draw_field(draw, name, owner, structs, enums, typedefs, choices, depth, pack) -> list[Field]:  # type: ignore[no-untyped-def]
    kind = draw(st.integers(0, 11))
    packed = choices.packing and draw(st.integers(0, 9)) == 0
    alignment = None
    if choices.alignment and draw(st.integers(0, 9)) == 0:
        alignment = draw(st.sampled_from([1, 2, 4, 8, 16, 0]))
    if kind < 4:
        return [_draw_bitfield(draw, name, enums, typedefs, choices, packed, alignment)]
    if kind == 4 and depth < 2:
        inner = _draw_struct(draw, f"{owner}.{name}", structs, enums, typedefs, choices, depth + 1, pack)
        return [Field(name="", type=RecordType(inner.name))]
    type = _draw_type(draw, structs, enums, typedefs, choices)
    return [Field(name=name, type=type, packed=packed, alignment=alignment)]


def _draw_bitfield(draw, name, enums, typedefs, choices, packed, alignment) -> Field:  # type: ignore[no-untyped-def]
    if not choices.bitfield_attributes:
        packed, alignment = False, None
    kind = draw(st.integers(0, 9))
    type: CType
    if kind == 0:
        type, limit = Basic("_Bool"), 1
    elif kind == 1:
        key = draw(st.sampled_from(sorted(enums)))
        type, limit = EnumType(key), 64 if key == "large" else 8
    elif kind == 2 and typedefs:
        key = draw(st.sampled_from(["aligned_2", "aligned_8", "aligned_16"]))
        type, limit = NamedType(key), 8 if key == "aligned_8" else 16
    else:
        basic = draw(st.sampled_from(INTEGERS))
        limit = {"char": 8, "short": 16, "int": 16}.get(basic.split()[-1], 32)
        if basic.endswith("int"):
            limit = draw(st.sampled_from([16, choices.int_bits]))
        if basic.endswith("long long"):
            limit = 64
        type = Basic(basic)
    shape = draw(st.integers(0, 9))
    if shape == 0:
        return Field(name="", type=type, bit_width=0, alignment=None, packed=False)
    width = draw(st.integers(1, limit))
    return Field(name="" if shape == 1 else name, type=type, bit_width=width, packed=packed, alignment=alignment)


def _draw_type(draw, structs, enums, typedefs, choices) -> CType:  # type: ignore[no-untyped-def]
    kind = draw(st.integers(0, 13))
    named = [key for key, each in structs.items() if not each.anonymous and not _is_flexible(each)]
    if kind < 5:
        return Basic(draw(st.sampled_from([*INTEGERS, "_Bool"])))
    if kind == 5:
        return Basic(draw(st.sampled_from(FLOATS + (["__int128"] if choices.int128 else []))))
    if kind == 6:
        return draw(
            st.sampled_from(
                [Pointer(Basic("void")), Pointer(FunctionType(Basic("void"), (Parameter(None, Basic("int")),)))]
            )
        )
    if kind == 7:
        return EnumType(draw(st.sampled_from(sorted(enums))))
    if kind == 8 and typedefs:
        return NamedType(draw(st.sampled_from(sorted(typedefs))))
    if kind == 9 and choices.atomic:
        return Qualified(Basic(draw(st.sampled_from(INTEGERS))), ("_Atomic",))
    if kind == 10 and choices.vectors:
        return Vector(Basic(draw(st.sampled_from(["char", "float"]))), draw(st.sampled_from([4, 8, 16, 32])))
    if kind == 11:
        element = Basic(draw(st.sampled_from(INTEGERS)))
        array = Array(element, draw(st.integers(0, 4)))
        return Array(array, 2) if draw(st.booleans()) else array
    if named:
        type = RecordType(draw(st.sampled_from(named)))
        return Array(type, draw(st.integers(0, 3))) if kind == 12 else type
    return Basic("int")


def _is_flexible(struct: Struct) -> bool:
    last = struct.fields[-1].type if struct.fields else None
    return isinstance(last, Array) and last.length is None


def to_c(api: Api) -> str:
    """Return the API as C source: every struct that has a tag, with a typedef of the same name."""
    lines = []
    for enum in api.enums.values():
        packed = " __attribute__((packed))" if enum.packed else ""
        values = ", ".join(f"{each.name} = {each.value}" for each in enum.enumerators or ())
        lines.append(f"enum{packed} {enum.tag} {{ {values} }}; typedef enum {enum.tag} {enum.tag};")
    for typedef in api.typedefs.values():
        lines.append(f"typedef {spell(typedef.type, typedef.name)} __attribute__((aligned({typedef.alignment})));")
    for struct in api.structs.values():
        if struct.tag:
            lines.append(_define(struct, api))
    return "\n".join(lines) + "\n"


def _define(struct: Struct, api: Api) -> str:
    text = f"{_body(struct, api)};\ntypedef {struct.kind} {struct.tag} {struct.tag};"
    if struct.pack:
        text = f"#pragma pack(push, {struct.pack})\n{text}\n#pragma pack(pop)"
    return text


def _attributes(**attributes: str | None) -> str:
    present = [name if value == "" else f"{name}({value})" for name, value in attributes.items() if value is not None]
    return f" __attribute__(({', '.join(present)}))" if present else ""


def _body(struct: Struct, api: Api) -> str:
    fields = "".join(f"  {_member(each, api)};\n" for each in struct.fields or ())
    attributes = _attributes(
        packed="" if struct.packed else None,
        aligned=None if struct.alignment is None else "" if struct.alignment == 0 else str(struct.alignment),
        ms_struct="" if struct.bitfield_rule == "ms" else None,
        gcc_struct="" if struct.bitfield_rule == "sysv" else None,
    )
    tag = f" {struct.tag}" if struct.tag else ""
    # Before the braces: clang dumps a record where they close, without the attributes that follow.
    return f"{struct.kind}{attributes}{tag} {{\n{fields}}}"


def _member(field: Field, api: Api) -> str:
    attributes = _attributes(
        packed="" if field.packed else None,
        aligned=None if field.alignment is None else "" if field.alignment == 0 else str(field.alignment),
    )
    if isinstance(field.type, RecordType) and not field.name:
        return _body(api.structs[field.type.key], api)
    if isinstance(field.type, Vector):
        declared = f"{spell(field.type.element, field.name)} __attribute__((vector_size({field.type.size})))"
    else:
        declared = spell(field.type, field.name)
    if field.bit_width is not None:
        declared += f" : {field.bit_width}"
    return declared + attributes


def choices_for(target: Target) -> Choices:
    """Return the constructs that a target's compilers accept."""
    return Choices(
        int128="__int128" in target.types, large_enums=target.enum_rule != "int", int_bits=target.width_of("int")
    )
