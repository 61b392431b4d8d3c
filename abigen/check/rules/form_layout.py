"""Rules of form about bytes: alignment, padding, and types that are not the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.form import Form
from abigen.check.rule import Report, form_rule
from abigen.check.wording import count
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Enum, Struct
from abigen.model.finding import Bump, Detail
from abigen.model.span import Span
from abigen.model.spelling import spell

_SHOWN = 6

_WIDTHS = {
    "long": "it has 64 bits on Linux and macOS, 32 on Windows and on 32-bit targets",
    "unsigned long": "it has 64 bits on Linux and macOS, 32 on Windows and on 32-bit targets",
    "long double": "it has 80 bits in 16 bytes, 128 bits or 64 bits, by target",
    "wchar_t": "it has 32 bits on Linux and macOS, 16 on Windows",
    "time_t": "it has 64 or 32 bits, by target and by how the C library was built",
    "off_t": "it has 64 or 32 bits, by target and by how the C library was built",
}
"""Types whose size differs between supported targets, and how."""


@form_rule("ABI809")
def alignment_over_limit(form: Form) -> Iterator[Report]:
    """A member of a versioned struct wants a larger alignment than the conventions allow.

    What it means: on some target the member is aligned to more than 8 bytes (or what the spec says): `long double`,
    `__int128`, vectors, `_Alignas`.

    What happens: memory that the other side provides may be aligned to 8 only, and access to the member then traps or
    tears. On other targets the same member needs less, so layouts differ.

    Instead: hold it by pointer, or as an array of smaller integers.

    Source: VS, "Limitations".
    """
    limit = form.api.conventions.max_alignment
    for struct in form.versioned:
        reported: set[str] = set()
        for target in form.targets:
            for each in form.layouts(target).of(struct.name).fields:
                inner = form.api.struct_of(each.field.type)
                if each.alignment <= limit or each.name in reported or (inner is not None and inner in form.versioned):
                    continue
                reported.add(each.name)
                yield Report(
                    entity=f"{struct.name}.{each.name}",
                    bump=Bump.NONE,
                    message=f"{struct.name}.{each.name} is aligned to {each.alignment} bytes; the limit is {limit}",
                    help="hold it by pointer, or as an array of smaller integers",
                    new=each.field.span or struct.span,
                    caret=f"aligned to {each.alignment} on {target}",
                    numbers={"new_alignment": each.alignment},
                    level="error",
                )


@form_rule("ABI811")
def nonportable_type(form: Form) -> Iterator[Report]:
    """A type whose size or sign differs between targets crosses the boundary.

    What it means: `long`, `long double`, `wchar_t` and the like, a plain `char` that holds a number, a bit-field, or an
    enumeration by value whose type the compiler chooses. Each enumeration is named once.

    What happens: nothing between binaries of one compiler and target. Elsewhere layouts differ, and files, messages and
    bindings that were written for one target are wrong on another.

    Instead: fixed-width integers (`int64_t`); for an enumeration, an integer member and named constants, or a type
    behind the colon (C23).

    Source: C 5.2.4.2.1, 6.2.5, 6.7.2.1 p11 and 6.7.2.2 p4 leave these to the implementation.
    """
    enums: dict[str, list[tuple[str, Span | None]]] = {}
    for entity, verb, type, place in _values(form):
        core = _core(type, form)
        if isinstance(core, EnumType):
            enums.setdefault(core.key, []).append((entity, place))
            continue
        name = core.name if isinstance(core, Basic | NamedType) else ""
        if name in _WIDTHS:
            yield _nonportable(entity, f"{entity} {verb} `{spell(type)}`: {_WIDTHS[name]}", place, "warning")
        elif name == "char" and not isinstance(form.api.resolve(type), Array):
            words = f"{entity} {verb} a plain `char`: as a number it has a sign on some targets and none on others"
            yield _nonportable(entity, words, place, "note")
    for struct in form.structs:
        bits = [each for each in struct.fields or () if each.bit_width is not None]
        if bits:
            named = ", ".join(each.name for each in bits if each.name) or "unnamed ones"
            words = f"{struct.name} has bit-fields ({named}): which bits they take is up to each compiler"
            yield _nonportable(struct.name, words, bits[0].span or struct.span, "warning")
    for key, uses in enums.items():
        enum = form.api.enums[key]
        if enum.in_api and not _has_fixed_type(enum):
            found = ", ".join(name for name, _ in uses[:_SHOWN])
            rest = f" and {len(uses) - _SHOWN} more" if len(uses) > _SHOWN else ""
            places = count(len(uses), "place")
            words = f"{key} is passed by value in {places}: its size is the compiler's choice"
            yield Report(
                entity=key,
                bump=Bump.NONE,
                message=words,
                help="pass it as a fixed-width integer",
                details=(Detail("used", found + rest),),
                new=enum.span or uses[0][1],
            )


def _nonportable(entity: str, message: str, place: Span | None, level: str) -> Report:
    """The report about one use."""
    return Report(
        entity=entity,
        bump=Bump.NONE,
        message=message,
        help="use a fixed-width integer type",
        new=place,
        level=level,
    )


@form_rule("ABI812")
def layout_differs(form: Form) -> Iterator[Report]:
    """A struct is laid out differently on 64-bit targets.

    What it means: an offset or the size of the same struct is not the same on all 64-bit targets that were asked for.

    What happens: nothing between binaries of one target; bindings, dumps and documentation that were made on one are
    wrong on another.

    Instead: fixed-width integers, no bit-fields, no members under `#ifdef`.

    Source: rulebook section 4.
    """
    wide = [target for target in form.whole.targets if form.layouts(target).size_of(_POINTER) == _WIDE]
    if form.targets[0] != form.whole.targets[0] or not wide:
        return
    for struct in form.structs:
        reference = _layout(struct.name, wide[0], form)
        for other in wide[1:]:
            layout = _layout(struct.name, other, form)
            if reference is None or layout is None or layout == reference:
                continue
            yield Report(
                entity=struct.name,
                bump=Bump.NONE,
                message=f"{struct.name} is laid out differently on {wide[0]} and {other}: "
                + _first_difference(reference, layout),
                help="use fixed-width types, and the same members everywhere",
                new=struct.span,
                level="warning",
            )
            break


_POINTER = Pointer(Basic("void"))
_WIDE = 8
"""Size of a pointer on 64-bit targets, in bytes."""


def _layout(key: str, target: str, form: Form) -> tuple[tuple[str, str], ...] | None:
    """Offsets by name in order, then the size, in words; None where the struct does not exist."""
    layouts = form.layouts(target)
    struct = layouts.api.structs.get(key)
    if struct is None or struct.fields is None:
        return None
    layout = layouts.of(key)
    offsets = tuple(
        (each.name, str(each.offset) if each.bit_offset is None else f"bit {each.bit_offset}") for each in layout.fields
    )
    return (*offsets, ("", str(layout.size)))


def _first_difference(left: tuple[tuple[str, str], ...], right: tuple[tuple[str, str], ...]) -> str:
    """The first member that lies elsewhere, in words; the last entry of each list is the size."""
    for (name, offset), (other_name, other_offset) in zip(left, right, strict=False):
        if name != other_name:
            return f"they do not have the same members ({name or 'the end'} against {other_name or 'the end'})"
        if offset != other_offset:
            return f"{name} is at {offset} and {other_offset}" if name else f"it has {offset} and {other_offset} bytes"
    return "one of them has more members"


@form_rule("ABI813")
def implicit_padding(form: Form) -> Iterator[Report]:
    """A versioned struct has a hole between its members.

    What it means: the compiler leaves bytes unused so that the next member is aligned. Padding behind the last member
    is not meant: the unpadded size leaves it out.

    What happens: nothing, until somebody puts a new member there, which no size can tell; or compares structs by bytes.

    Instead: order members by alignment before the first release, or name the padding (`uint32_t reserved0;`).

    Source: C 6.7.2.1 p15; rulebook section 4 (a note; an error under the policy `strict`).
    """
    for struct in form.versioned:
        layout = form.layouts().of(struct.name)
        for hole in layout.holes:
            behind = next((each for each in layout.fields if each.offset >= hole.offset + hole.size), None)
            if behind is None:
                continue
            yield Report(
                entity=f"{struct.name}.{behind.name}",
                bump=Bump.NONE,
                message=f"{struct.name} has {count(hole.size, 'unused byte')} at {hole.offset}, before {behind.name}",
                help="order members by alignment, or name the padding, before the first release",
                new=behind.field.span or struct.span,
                caret=f"{count(hole.size, 'byte')} of padding before it",
                numbers={"new_offset": hole.offset, "new_size": hole.size},
                level="error" if form.options.strict_padding else "note",
            )


def _values(form: Form) -> Iterator[tuple[str, str, CType, Span | None]]:
    """Everything that crosses the boundary: members, parameters, results, what they point to.

    Returns:
        Entity, `is` or `returns`, type, and place of each.
    """
    for struct in form.structs:
        for field in struct.fields or ():
            if field.bit_width is None and field.name:
                yield from _parts(_member(struct, field.name), field.type, field.span, form)
    for function in form.functions:
        yield from _parts(function.name, function.type, function.span, form)
    for variable in form.api.variables.values():
        if variable.in_api:
            yield from _parts(variable.name, variable.type, variable.span, form)
    for typedef in form.api.typedefs.values():
        if typedef.in_api and not isinstance(typedef.type, RecordType | EnumType):
            yield from _parts(typedef.name, typedef.type, typedef.span, form)


def _member(struct: Struct, name: str) -> str:
    """What findings call a member."""
    return f"{struct.name}.{name}"


def _parts(entity: str, type: CType, place: Span | None, form: Form) -> Iterator[tuple[str, str, CType, Span | None]]:
    """The values of a type that may be a function; typedefs of the API are visited themselves."""
    core = type
    while isinstance(core, Pointer | Qualified | Array):
        core = core.element if isinstance(core, Array) else core.target if isinstance(core, Pointer) else core.type
    if isinstance(core, FunctionType):
        yield entity, "returns", core.result, place
        for position, parameter in enumerate(core.parameters, 1):
            name = f"{entity}.{parameter.name or f'parameter {position}'}"
            yield from _parts(name, parameter.type, parameter.span or place, form)
    elif isinstance(core, EnumType) or not _is_own_typedef(core, form):
        yield entity, "is", type, place


def _is_own_typedef(type: CType, form: Form) -> bool:
    """Whether a type is a typedef of the API, which is judged itself, unless it stands for an enumeration."""
    if not isinstance(type, NamedType):
        return False
    typedef = form.api.typedefs.get(type.name)
    return typedef is not None and typedef.in_api and not isinstance(form.api.resolve(type), EnumType)


def _core(type: CType, form: Form) -> CType:
    """What is passed: a type behind qualifiers, arrays and typedefs; behind pointers only what has no fixed width."""
    while True:
        if isinstance(type, Qualified):
            type = type.type
        elif isinstance(type, Array):
            type = type.element
        elif isinstance(type, NamedType) and type.name in form.api.typedefs and type.name not in _WIDTHS:
            if not form.api.typedefs[type.name].in_api:
                return form.api.resolve(type) if isinstance(form.api.resolve(type), EnumType) else type
            type = form.api.typedefs[type.name].type
        elif isinstance(type, Pointer):
            inner = _core(type.target, form)
            is_wide = isinstance(inner, Basic | NamedType) and inner.name in _WIDTHS
            return inner if is_wide else type
        else:
            return type


def _has_fixed_type(enum: Enum) -> bool:
    """Whether the source says how many bytes an enumeration takes."""
    return enum.underlying is not None or enum.packed
