"""Lint rules about bytes: alignment, padding, and types that are not the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.lint_context import LintContext, lint_rules, member, whole
from abigen.check.reasons import count, listed
from abigen.check.rule import RuleResult, Subject
from abigen.model.ctype import (
    Array,
    Basic,
    CType,
    EnumType,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    innermost,
)
from abigen.model.entities import Function, Variable
from abigen.model.finding import Detail
from abigen.model.spelling import spell

_WIDTHS = {
    "long": "it has 64 bits on Linux and macOS, 32 on Windows and on 32-bit targets",
    "unsigned long": "it has 64 bits on Linux and macOS, 32 on Windows and on 32-bit targets",
    "long double": "it has 80 bits in 16 bytes, 128 bits or 64 bits, by target",
    "wchar_t": "it has 32 bits on Linux and macOS, 16 on Windows",
    "time_t": "it has 64 or 32 bits, by target and by how the C library was built",
    "off_t": "it has 64 or 32 bits, by target and by how the C library was built",
}
"""Types whose size differs between supported targets, and how."""
_POINTER = Pointer(Basic("void"))
_WIDE = 8
"""Size of a pointer on 64-bit targets, in bytes."""


@lint_rules.whole("ABI809", level="error")
def alignment_over_limit(context: LintContext) -> Iterator[RuleResult]:
    """A member of a versioned struct needs a larger alignment than the conventions allow.

    What it means: on some target the member is aligned to more than 8 bytes (or the limit of the spec): `long
    double`, `__int128`, vectors, `_Alignas`.

    What happens: memory of the other side may be aligned to only 8 bytes, and an access to the member then crashes. On
    other targets the member needs less alignment, so layouts differ.

    Instead: hold it by pointer, or as an array of smaller integers.

    Source: VS, "Limitations".
    """
    limit = context.api.conventions.max_alignment
    for struct in context.versioned:
        reported: set[str] = set()
        for target in context.targets:
            for each in context.layouts(target).of(struct.name).fields:
                if each.alignment <= limit or each.name in reported:
                    continue
                inner = context.api.struct_of(each.field.type)
                if inner is not None and inner.in_api and inner.size_member:
                    continue
                reported.add(each.name)
                yield RuleResult(
                    f"{struct.name}.{each.name} is aligned to {each.alignment} bytes; the limit is {limit} bytes",
                    help="hold it by pointer, or as an array of smaller integers, before it is released",
                    caret=f"aligned to {each.alignment} on {target}",
                    about=member(struct, each.field),
                )


@lint_rules.whole("ABI811")
def nonportable_type(context: LintContext) -> Iterator[RuleResult]:
    """A type whose size or sign differs between targets is exchanged between core and plugin.

    What it means: `long`, `long double`, `wchar_t` and the like, a plain `char` that holds a number, a bit-field, or an
    enumeration whose integer type the compiler chooses. Each enumeration is reported once.

    What happens: nothing breaks between binaries of one compiler and target. Between targets layouts differ, so files,
    messages and bindings that were made on one target are misread on another.

    Instead: fixed-width integers (`int64_t`); for an enumeration, an integer member and named constants, or a type
    after the colon (C23).

    Source: C 5.2.4.2.1, 6.2.5, 6.7.2.1 p11 and 6.7.2.2 p4 leave these to the implementation.
    """
    advice = "use a fixed-width integer type, before it is released"
    enums: dict[str, list[Subject]] = {}
    for about, verb, type in _values(context):
        core = _core(type, context)
        name = core.name if isinstance(core, (Basic, NamedType)) else ""
        if isinstance(core, EnumType):
            enums.setdefault(core.key, []).append(about)
        elif name in _WIDTHS:
            words = f"{about.entity} {verb} `{spell(type)}`: {_WIDTHS[name]}"
            yield RuleResult(words, help=advice, level="warning", about=about)
        elif name == "char" and not isinstance(context.api.resolve(type), Array):
            words = "a plain `char`: as a number it is signed on some targets and unsigned on others"
            yield RuleResult(f"{about.entity} {verb} {words}", help=advice, level="note", about=about)
    for struct in context.structs:
        bits = [each for each in struct.fields or () if each.bit_width is not None]
        if bits:
            named = ", ".join(each.name for each in bits if each.name) or "unnamed ones"
            words = f"{struct.name} has bit-fields ({named}): each compiler chooses their bits"
            about = Subject(struct.name, None, bits[0].span or struct.span)
            yield RuleResult(words, help=advice, level="warning", about=about)
    for key, uses in enums.items():
        enum = context.api.enums[key]
        if enum.in_api and enum.underlying is None and not enum.packed:
            yield RuleResult(
                f"{key} is used in {count(len(uses), 'place')}, and each compiler chooses its size",
                help="use a fixed-width integer in its place, before it is released",
                details=[Detail("used", listed([use.entity for use in uses]))],
                about=Subject(key, None, enum.span or uses[0].new),
            )


@lint_rules.whole("ABI812", level="warning")
def layout_differs(context: LintContext) -> Iterator[RuleResult]:
    """The layout of a struct differs between 64-bit targets.

    What it means: an offset or the size of the struct is not the same on all 64-bit targets that were read.

    What happens: nothing breaks between binaries of one target. Bindings, dumps and documentation that were made on one
    target have wrong offsets on another.

    Instead: use fixed-width integers, no bit-fields, and no members inside `#ifdef`.

    Source: rulebook section 4.
    """
    wide = [target for target in context.whole.targets if context.layouts(target).size_of(_POINTER) == _WIDE]
    for struct in context.structs if context.is_first and wide else ():
        reference = _layout(struct.name, wide[0], context)
        others = ((target, _layout(struct.name, target, context)) for target in wide[1:])
        differing = ((target, layout) for target, layout in others if layout and reference and layout != reference)
        for other, layout in differing:
            difference = _first_difference(reference, layout)
            yield RuleResult(
                f"the layout of {struct.name} differs between {wide[0]} and {other}: {difference}",
                help="use fixed-width types, and the same members everywhere, before it is released",
                about=whole(struct),
            )
            break


def _layout(key: str, target: str, context: LintContext) -> list[tuple[str, str]]:
    """Offsets by name in order, then the size, in words; empty where the struct does not exist."""
    layouts = context.layouts(target)
    struct = layouts.api.structs.get(key)
    if struct is None or struct.fields is None:
        return []
    layout = layouts.of(key)
    offsets = [
        (each.name, str(each.offset) if each.bit_offset is None else f"bit {each.bit_offset}") for each in layout.fields
    ]
    return [*offsets, ("", str(layout.size))]


def _first_difference(left: list[tuple[str, str]], right: list[tuple[str, str]]) -> str:
    """The first member that lies elsewhere, in words; the last entry of each list is the size."""
    for (name, offset), (other_name, other_offset) in zip(left, right, strict=False):
        if name != other_name:
            return f"they do not have the same members ({name or 'the end'} against {other_name or 'the end'})"
        if offset != other_offset:
            return (
                f"{name} is at offset {offset} and {other_offset}"
                if name
                else f"it has {offset} and {other_offset} bytes"
            )
    return "one of them has more members"


@lint_rules.whole("ABI813")
def implicit_padding(context: LintContext) -> Iterator[RuleResult]:
    """A versioned struct has padding between its members.

    What it means: the compiler leaves bytes unused so that the next member is aligned. Padding after the last member is
    not reported: the unpadded size does not include it.

    What happens: nothing breaks now. If a later version puts a member there, no size shows whether it was set. Code
    that compares structs by bytes reads undefined bytes.

    Instead: order members by alignment before the first release, or name the padding (`uint32_t reserved0;`).

    Source: C 6.7.2.1 p15; rulebook section 4 (a note; an error under the policy `strict`).
    """
    for struct in context.versioned:
        layout = context.layouts().of(struct.name)
        for hole in layout.holes:
            behind = next((each for each in layout.fields if each.offset >= hole.offset + hole.size), None)
            if behind is not None:
                unused = count(hole.size, "unused byte")
                yield RuleResult(
                    f"{struct.name} has {unused} at offset {hole.offset}, before {behind.name or 'an unnamed member'}",
                    help="order members by alignment, or name the padding, before the first release",
                    caret=f"{count(hole.size, 'byte')} of padding before it",
                    level="error" if context.options.strict_padding else "note",
                    about=member(struct, behind.field),
                )


def _values(context: LintContext) -> Iterator[tuple[Subject, str, CType]]:
    """Everything that crosses the boundary: members, parameters, results, what they point to.

    Returns:
        What it is, `is` or `returns`, and the type of each.
    """
    for struct in context.structs:
        for field in struct.fields or ():
            if field.bit_width is None and field.name:
                yield from _parts(Subject(f"{struct.name}.{field.name}", None, field.span), field.type, context)
    symbols: tuple[Function | Variable, ...] = (*context.functions, *context.api.variables.values())
    for each in symbols:
        if each.in_api:
            yield from _parts(whole(each), each.type, context)
    for typedef in context.api.typedefs.values():
        if typedef.in_api and not isinstance(typedef.type, (RecordType, EnumType)):
            yield from _parts(whole(typedef), typedef.type, context)


def _parts(about: Subject, type: CType, context: LintContext) -> Iterator[tuple[Subject, str, CType]]:
    """The values of a type that may be a function; typedefs of the API are visited themselves."""
    core = innermost(type)
    if isinstance(core, FunctionType):
        yield about, "returns", core.result
        for position, parameter in enumerate(core.parameters, 1):
            name = f"{about.entity}.{parameter.name or f'parameter {position}'}"
            yield from _parts(Subject(name, None, parameter.span or about.new), parameter.type, context)
    elif isinstance(core, EnumType) or not _is_own_typedef(core, context):
        yield about, "is", type


def _is_own_typedef(type: CType, context: LintContext) -> bool:
    """Whether a type is a typedef of the API, which is judged itself, unless it stands for an enumeration."""
    typedef = context.api.typedefs.get(type.name) if isinstance(type, NamedType) else None
    return typedef is not None and typedef.in_api and context.api.enum_of(type) is None


def _core(type: CType, context: LintContext) -> CType:
    """What is passed: a type behind qualifiers, arrays and typedefs; behind pointers only what has no fixed width."""
    typedefs = context.api.typedefs
    while True:
        if isinstance(type, Qualified):
            type = type.type
        elif isinstance(type, Array):
            type = type.element
        elif isinstance(type, NamedType) and type.name in typedefs and type.name not in _WIDTHS:
            if not typedefs[type.name].in_api:
                resolved = context.api.resolve(type)
                return resolved if isinstance(resolved, EnumType) else type
            type = typedefs[type.name].type
        elif isinstance(type, Pointer):
            inner = _core(type.target, context)
            is_wide = isinstance(inner, (Basic, NamedType)) and inner.name in _WIDTHS
            return inner if is_wide else type
        else:
            return type
