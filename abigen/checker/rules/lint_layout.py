"""Lint rules about bytes, names and calls: alignment, padding, types that differ by target, reserved names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from abigen.checker.comparison import LintContext, lint_rules, member, whole
from abigen.checker.rule import RuleResult, Subject, count, listed
from abigen.model.api import Api
from abigen.model.contract import ENDS, KEEPING, PAIRS, QUESTIONS, Party
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
from abigen.model.entities import Entity, Enum, Field, Function, Struct, Typedef, Variable
from abigen.model.finding import Detail
from abigen.model.roles import is_of_plugin, retained, says_what_zero_means, scope
from abigen.model.span import Span, did_you_mean
from abigen.model.spelling import C_KEYWORDS, CPP_KEYWORDS, reserved_word, spell, words_of


class _Call(msgspec.Struct, frozen=True):
    """A function that one side calls: one of the API, or one that a member of a struct points to."""

    subject: Subject
    key: str
    type: FunctionType
    is_plugins: bool
    """The plugin implements it."""
    is_entry_point: bool = False


def _calls(context: LintContext) -> Iterator[_Call]:
    """Yield all functions of an API that a spec describes; none of a header."""
    if context.api.header is None or context.is_compared:
        return
    for each in context.functions:
        yield _Call(whole(each), each.name, each.type, each.implemented_by is Party.PLUGIN, each.entry_point)
    for struct in context.structs:
        for field in struct.fields or ():
            type = context.api.function_behind(field.type)
            if type is not None and field.name:
                is_plugins = is_of_plugin(field)
                yield _Call(member(struct, field), f"{struct.name}.{field.name}", type, is_plugins)


@lint_rules.whole("ABI821")
def failure_unsaid(context: LintContext) -> Iterator[RuleResult]:
    """A function of the plugin cannot report failure."""
    quiet = {*QUESTIONS, *ENDS, *PAIRS.values()}
    for call in _calls(context):
        api = context.api
        is_said = api.status_position(call.type, call.key) is not None or bool(
            api.outcome(call.type, call.key, entry_point=call.is_entry_point)
        )
        if not call.is_plugins or is_said or quiet & {*words_of(call.key.rpartition(".")[2])}:
            continue
        is_void = api.resolve(call.type.result) == Basic("void")
        what = (
            "it returns nothing and has no status"
            if is_void
            else "the spec does not state which of its results means failure"
        )
        yield RuleResult(
            f"{call.key} cannot report failure: {what}",
            help="state it in `conventions.errors`, or add a status",
            about=call.subject,
        )


@lint_rules.whole("ABI822")
def retention_unsaid(context: LintContext) -> Iterator[RuleResult]:
    """A function probably retains a callback, and the spec does not state for how long."""
    api = context.api
    for call in _calls(context):
        if not {*words_of(call.key.rpartition(".")[2])} & {*KEEPING}:
            continue
        for each in call.type.parameters:
            of_type = scope(api, each.type.name) if isinstance(each.type, NamedType) else ""
            if (
                api.function_behind(each.type)
                and each.name
                and not of_type
                and each.name not in retained(api, call.key)
            ):
                yield RuleResult(
                    f"the spec does not state how long {call.key} may call {each.name}",
                    help=f"state `retains: [{each.name}]` at {call.key}, or `scope` at the type of {each.name}",
                    about=call.subject,
                )


_MOST_PREFIXES = 3
"""The number of prefixes that a message names."""


@lint_rules.whole("ABI810", level="warning")
def owner_prefix(context: LintContext) -> Iterator[RuleResult]:
    """The prefix of a name does not show which side sets or implements it."""
    structs = [each for each in context.structs if not each.anonymous and "." not in each.name]
    filled_by = _namespaces(context.api.conventions.filled_by, [each.name for each in structs])
    used = Counter(prefix for each in structs for prefix in filled_by if each.name.startswith(prefix))
    is_complete = len(used) == len(filled_by) > 1 and 2 * used.total() >= len(structs)
    is_common = used.total() > 1 and 2 * used.total() > len(structs)
    if not (is_complete or is_common):
        return
    core = [prefix for prefix, side in filled_by.items() if side == Party.CORE]
    enums = (each for each in context.api.enums.values() if each.in_api and not each.anonymous and "." not in each.name)
    header = context.api.header
    stated = f"{header.prefix}_" if header and header.prefix else ""  # the spec's own prefix says as much as the core's
    own = [*enums, *(each for each in context.functions if not each.static)]
    own = [each for each in own if not stated or not each.name.startswith(stated)]
    judged: list[tuple[Entity, list[str], str]] = []
    judged += [(each, list(filled_by), "which side sets it") for each in structs if not each.contract.set_by]
    judged += [(each, core, "that it belongs to the API") for each in own if core]
    for entity, prefixes, what in judged:
        if not entity.name.startswith(tuple(prefixes)):
            wanted = " or ".join(f"`{prefix}`" for prefix in prefixes)
            if len(prefixes) > _MOST_PREFIXES:
                wanted = f"one of the {len(prefixes)} prefixes"
            message = f"{entity.name} does not begin with {wanted}, which would show {what}"
            yield RuleResult(message, about=whole(entity))


def _namespaces(filled_by: Mapping[str, str], structs: Collection[str]) -> dict[str, str]:
    """Return the prefixes that names can follow.

    Left out are those that single out structs of a shorter prefix (`SD_Host` beside `SD_`), and the names of structs
    with which no other begins.
    """
    found: dict[str, str] = {}
    for prefix, side in filled_by.items():
        is_part = any(prefix != each and prefix.startswith(each) for each in filled_by)
        is_name = [each for each in structs if each.startswith(prefix)] == [prefix]
        if not is_part and not is_name:
            found[prefix] = side
    return found


@lint_rules.whole("ABI814", level="warning")
def reserved_name(context: LintContext) -> Iterator[RuleResult]:
    """A name is a keyword, or is reserved for the implementation."""
    seen: set[str] = set()
    for about, name, file_scope in _names(context.api):
        reason = reserved_word(name, file_scope=file_scope)
        if reason and about.entity not in seen:
            seen.add(about.entity)
            yield RuleResult(
                f"`{name}` {reason}" + ("" if about.entity == name else f" (in {about.entity})"),
                help="choose another name, before it is released",
                level="error" if name in CPP_KEYWORDS or name in C_KEYWORDS else "",
                about=about,
            )


@lint_rules.whole("ABI815", level="warning")
def missing_extern_c(context: LintContext) -> Iterator[RuleResult]:
    """Functions are declared outside `extern "C"`."""
    files: dict[str, list[Entity]] = {}
    for function in context.functions:
        if function.linkage != "C" and not function.static and function.span is not None:
            files.setdefault(function.span.file, []).append(function)
    for first, *others in files.values():
        more = f", and so are {len(others)} more" if others else ""
        yield RuleResult(
            f'{first.name} is declared outside `extern "C"`{more}',
            help='put `extern "C" { }` around the declarations, for C++ only, before it is released',
            details=[Detail("also", listed([each.name for each in others]))] if others else (),
            about=whole(first),
        )


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b", re.MULTILINE)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)[ \t]*(.*)")
_UNDEFINED = re.compile(r"(?:^|&&)[\s(]*!\s*defined\b[\s(]*(\w+)")
_HARMLESS = re.compile(r'extern\s*"C(?:\+\+)?"|[{};\s]|^\s*[A-Z][A-Z0-9_]*\s*$')
"""The text that may occur twice: the frame of `extern "C"`, also as a macro (`BEGIN_DECLS`)."""


@lint_rules.whole("ABI816", level="warning")
def missing_guard(context: LintContext) -> Iterator[RuleResult]:
    """A header has no include guard."""
    if context.is_specified or not context.is_first:
        return
    for name, text in context.whole.sources.items():
        code = _COMMENT.sub(" ", text.removeprefix("\ufeff")).replace("\r\n", "\n").replace("\\\n", " ")
        if not _may_be_read_twice(code) and not _ONCE.search(code):
            yield RuleResult(
                "the header has no include guard",
                help="begin it with `#ifndef NAME` and `#define NAME`, and end it with `#endif`",
                about=Subject(re.split(r"[/\\:]", name)[-1], None, Span(name, 1, 1)),
            )


def _may_be_read_twice(code: str) -> bool:
    """True if all that is no directive stands where a macro has been asked for and then defined.

    Args:
        code: of a header, without comments.
    """
    asked: list[set[str]] = []
    guards = [False]
    for line in code.split("\n"):
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if not guards[-1] and _HARMLESS.sub("", line):
                return False
        elif directive[1] in ("if", "ifdef", "ifndef"):
            names = directive[2].split()[:1] if directive[1] == "ifndef" else _UNDEFINED.findall(directive[2])
            asked.append(set(names) if directive[1] != "ifdef" and "||" not in directive[2] else set())
            guards.append(guards[-1] or (directive[1] == "if" and directive[2].strip() == "0"))
        elif directive[1] == "define" and asked and asked[-1] & set(re.findall(r"^\w+", directive[2])):
            guards[-1] = True
        elif directive[1] in ("else", "elif", "endif") and asked:
            guards.pop()
            asked.pop()
            if directive[1] != "endif":
                asked.append(set())
                guards.append(guards[-1])
    return True


def _names(api: Api) -> Iterator[tuple[Subject, str, bool]]:
    """Yield every name that the API gives: what it is of, the name, whether it is declared at file scope."""
    for about, entity in _entities(api):
        is_file_scope = not isinstance(entity, Field)
        is_unnamed = "." in entity.name or (isinstance(entity, (Struct, Enum)) and entity.anonymous)
        if entity.name and not is_unnamed:
            yield whole(entity) if is_file_scope else about, entity.name, is_file_scope
        if isinstance(entity, Struct) and entity.tag:
            yield Subject(entity.tag, None, entity.span), entity.tag, True
        if isinstance(entity, (Field, Function, Typedef)):
            yield from _parameters(about, entity.type)


def _parameters(about: Subject, type: CType) -> Iterator[tuple[Subject, str, bool]]:
    """Yield the names of a function's parameters, those of its own callbacks too."""
    function = innermost(type)
    if isinstance(function, FunctionType):
        for parameter in function.parameters:
            place = parameter.span or about.new
            if parameter.name:
                yield Subject(f"{about.entity}.{parameter.name}", None, place), parameter.name, False
            yield from _parameters(replace(about, new=place), parameter.type)


@lint_rules.whole("ABI817", level="warning")
def dangling_replacement(context: LintContext) -> Iterator[RuleResult]:
    """A comment or key names a replacement that does not exist."""
    known = _all_names(context.api)
    for about, entity in _entities(context.api):
        struct = context.api.structs.get(entity.name)
        if isinstance(entity, Typedef) and struct is not None and struct.contract == entity.contract:
            continue  # What is said of the struct is said of its typedef.
        lifecycle = entity.contract.lifecycle
        for word, name in (("Use", lifecycle.replaced_by), ("Replaces", lifecycle.replaces)):
            if not name or name in known:
                continue
            *holders, last = re.split(r"\.|->|::", name)
            struct = context.api.structs.get(holders[-1]) if holders else None
            members = known if struct is None else {field.name for field in struct.fields or ()}
            if last not in members:
                yield RuleResult(
                    f"the comment of {about.entity} states `{word} {name}`, and there is no {name}",
                    help=did_you_mean(last, known, "correct the name"),
                    about=about,
                )


@lint_rules.whole("ABI818", level="error")
def since_not_monotonic(context: LintContext) -> Iterator[RuleResult]:
    """The `since` of a member is lower than that of a member before it."""
    for struct in context.structs:
        newest, before = struct.contract.lifecycle.since, ""
        for field in () if struct.is_union else struct.fields or ():
            since = field.contract.lifecycle.since or struct.contract.lifecycle.since
            if before and newest is not None and (since is None or since < newest):
                age = f"there since {since}" if since else "in the API since the first version"
                yield RuleResult(
                    f"{struct.name}.{field.name} is {age}, but {before} before it is there since {newest}",
                    help="append new members after all older ones",
                    about=member(struct, field),
                )
            elif since is not None and (newest is None or since > newest):
                newest, before = since, field.name


@lint_rules.whole("ABI819", level="warning")
def zero_unspecified(context: LintContext) -> Iterator[RuleResult]:
    """The meaning of zero is not stated for an appended member."""
    for struct in context.structs:
        for field in struct.fields or () if not struct.is_union else ():  # nothing is appended to a union
            since = field.contract.lifecycle.since
            appended = since is not None and (
                struct.contract.lifecycle.since is None or since > struct.contract.lifecycle.since
            )
            if appended and not says_what_zero_means(field, struct, context.api):
                yield RuleResult(
                    f"the meaning of zero is not stated for {struct.name}.{field.name}, appended in {since}",
                    help="write `0 is no-op.` (`NULL is no-op.`), or state the meaning of zero",
                    about=member(struct, field),
                )


def _entities(api: Api) -> Iterator[tuple[Subject, Entity]]:
    """Yield all entities of the API, and what a finding about each says."""
    for struct in api.structs.values():
        if struct.in_api:
            yield whole(struct), struct
            for field in struct.fields or ():
                yield Subject(f"{struct.name}.{field.name}", None, field.span), field
    for enum in api.enums.values():
        if enum.in_api:
            yield whole(enum), enum
            prefix = "" if enum.anonymous else f"{enum.name}."
            for enumerator in enum.enumerators or ():
                yield Subject(prefix + enumerator.name, None, enumerator.span), enumerator
    for entities in (api.functions, api.typedefs, api.variables, api.constants, api.macros):
        for entity in entities.values():
            if entity.in_api:
                yield whole(entity), entity


def _all_names(api: Api) -> frozenset[str]:
    """Return every name that a replacement may have."""
    kinds = (api.functions, api.typedefs, api.variables, api.constants, api.macros, api.size_constants)
    found = {name for entities in kinds for name in entities}
    for struct in api.structs.values():
        found.update((struct.name, struct.tag, *(field.name for field in struct.fields or ())))
    for enum in api.enums.values():
        found.update((enum.name, enum.tag, *(each.name for each in enum.enumerators or ())))
    return frozenset(found)


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
    """A member of a versioned struct needs a larger alignment than the conventions allow."""
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
    """A type whose size or sign differs between targets is exchanged between the core and the plugin."""
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
    """The layout of a struct differs between 64-bit targets."""
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
    """Return the first member that lies elsewhere, in words; the last entry of each list is the size."""
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
    """A versioned struct has padding between its members."""
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
    """Yield the values that cross the boundary: members, parameters, results, and their pointees.

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
    """Yield the values of a type that may be a function; typedefs of the API are visited themselves."""
    core = innermost(type)
    if isinstance(core, FunctionType):
        yield about, "returns", core.result
        for position, parameter in enumerate(core.parameters, 1):
            name = f"{about.entity}.{parameter.name or f'parameter {position}'}"
            yield from _parts(Subject(name, None, parameter.span or about.new), parameter.type, context)
    elif isinstance(core, EnumType) or not _is_own_typedef(core, context):
        yield about, "is", type


def _is_own_typedef(type: CType, context: LintContext) -> bool:
    """True if a type is a typedef of the API, which is judged itself, unless it stands for an enumeration."""
    typedef = context.api.typedefs.get(type.name) if isinstance(type, NamedType) else None
    return typedef is not None and typedef.in_api and context.api.enum_of(type) is None


def _core(type: CType, context: LintContext) -> CType:
    """Return the passed type without qualifiers, arrays and typedefs; pointers are followed only to varying widths."""
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
