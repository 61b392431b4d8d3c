"""Edits of headers that remove findings: a function for each rule that has one right edit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from abigen.checker.enumerator_fixes import restored_enumerator, restored_values
from abigen.checker.header_text import FixContext, HeaderText, marked_as_deprecated
from abigen.checker.sentinels import NAMES_OF_ENDS
from abigen.model.api import Api, ApiSet
from abigen.model.entities import Enumerator, Field, Struct
from abigen.model.finding import Bump, Finding, Fix
from abigen.model.span import AbigenError
from abigen.model.spelling import include_guard

FixMaker: TypeAlias = Callable[[Finding, FixContext], Fix | None]
_MAKERS: dict[str, FixMaker] = {}
_BUMP = "bump-missing"
"""The rule whose fix waits until no other one is left: what the others mend needs no higher version."""


def fixes(rule: str) -> Callable[[FixMaker], FixMaker]:
    """Register the function that makes the fix of a rule's findings."""

    def register(maker: FixMaker) -> FixMaker:
        _MAKERS[rule] = maker
        return maker

    return register


def fixable_rules() -> frozenset[str]:
    """Return the names of the rules whose findings may have a fix."""
    return frozenset(_MAKERS)


def with_fixes(
    findings: Sequence[Finding], new: ApiSet, old: ApiSet | None = None, demanded: Bump = Bump.NONE
) -> tuple[Finding, ...]:
    """Return findings with the edits of NEW that remove them.

    Args:
        findings: those of a comparison or an inspection.
        new: the API that is edited.
        old: the older side; None for an inspection.
        demanded: the bump that the findings require together.
    """
    context = FixContext(new, old, demanded)
    made = [maker(each, context) if (maker := _MAKERS.get(each.rule)) else None for each in findings]
    is_alone = not any(each.rule != _BUMP for each, fix in zip(findings, made, strict=True) if fix is not None)
    return tuple(
        replace(each, fix=fix if is_alone or each.rule != _BUMP else None)
        for each, fix in zip(findings, made, strict=True)
    )


@fixes("size-macro-stale")
def _end_at_the_last_member(finding: Finding, context: FixContext) -> Fix | None:
    """Let a size constant end at the last member of its struct."""
    constant = context.api.size_constants.get(finding.entity)
    struct = context.api.structs.get(constant.struct) if constant is not None else None
    source = context.text(constant.span if constant is not None else None)
    if constant is None or struct is None or source is None or constant.span is None or not struct.fields:
        return None
    last, old = struct.fields[-1].name, constant.last_member
    if not (last and old and "." not in old):
        return None
    begin = source.offset(constant.span)
    is_call = not source.code.startswith(constant.name, begin)  # of a macro that defines the constant
    begin += constant.span.length
    end = _end_of_constant(source, begin, "macro" if is_call else constant.form)
    names = [match.span() for match in re.finditer(rf"\b{re.escape(old)}\b", source.code[begin:end])]
    if not names:
        return None
    edits = tuple(source.edit(begin + first, begin + after, last) for first, after in names)
    return Fix(f"let {constant.name} end at {last}", edits)


def _end_of_constant(source: HeaderText, begin: int, form: str) -> int:
    """Return the index behind the expression of a size constant."""
    if form != "macro":
        return min(place for mark in ",};" if (place := source.code.find(mark, begin)) >= 0)
    end = source.line_end(begin)
    while source.text.endswith(("\\", "\\\n"), begin, end) and end < len(source.text):
        end = source.line_end(end)
    return end


@fixes("field-inserted")
def _move_behind_the_last_member(finding: Finding, context: FixContext) -> Fix | None:
    """Move an inserted member after the last one, in structs that may grow."""
    struct, field = _member(finding.entity, context.api, context)
    source = context.text(field.span if field is not None else None)
    if struct is None or field is None or source is None or field.span is None or struct.is_union:
        return None
    if not finding.help.startswith("append "):  # the advice for a struct that must not grow is another one
        return None
    if _has_room_behind(struct.name, context):  # an appended member would be in bytes that OLD counts already
        return None
    place = source.offset(field.span)
    lines, body = source.lines_of(place, ";"), source.body_around(place)
    last = source.code.rfind(";", 0, body[1]) if body is not None else -1
    target = source.line_end(last)
    if lines is None or source.code[last + 1 : target].strip():
        lines, target = source.declaration_in_line(place), last + 1
    if lines is None or last < lines[1] or source.has_directive(lines[1], last):
        return None
    moved = source.text[lines[0] : lines[1]]
    return Fix(
        f"move {field.name} after the last member",
        (source.edit(*lines, ""), source.edit(target, target, moved)),
    )


def _has_room_behind(name: str, context: FixContext) -> bool:
    """True if OLD's struct ends with padding, and no size constant leaves that out."""
    layouts = context.old_layouts
    if layouts is None or context.old_api is None or name not in context.old_api.structs:
        return True
    if name in context.old_measured:
        return False
    try:
        layout = layouts.of(name)
    except AbigenError:
        return True
    return layout.unpadded_size < layout.size


def _member(entity: str, api: Api, context: FixContext) -> tuple[Struct | None, Field | None]:
    """Return the struct and the member that a finding is about."""
    owner, _, name = entity.rpartition(".")
    struct = api.structs.get(owner)
    place = context.places(struct).get(name) if struct is not None else None
    return struct, (struct.fields or ())[place] if struct is not None and place is not None else None


@fixes("field-removed")
def _keep_as_deprecated(finding: Finding, context: FixContext) -> Fix | None:
    """Restore a removed member in its place, marked as deprecated."""
    if (
        context.old is None
        or context.old_api is None
        or "in place and mark it `Deprecated.`; remove" not in finding.help
    ):
        return None
    old_struct, field = _member(finding.entity, context.old_api, context)
    struct = context.api.structs.get(finding.entity.rpartition(".")[0])
    if old_struct is None or field is None or field.span is None or struct is None or old_struct.is_union:
        return None
    before = context.old_text(field.span)
    lines = before.lines_of(before.offset(field.span), ";") if before.text else None
    place = context.places(old_struct)[field.name]
    name_before = (old_struct.fields or ())[place - 1].name if place else ""
    place_before = context.places(struct).get(name_before, -1) if name_before else -1
    previous = (struct.fields or ())[place_before] if place_before >= 0 else None
    source = context.text(previous.span if previous is not None else None)
    if lines is None or source is None or previous is None or previous.span is None:
        return None
    above = source.lines_of(source.offset(previous.span), ";")
    if above is None:
        return None
    restored = before.text[lines[0] : lines[1]].rstrip("\n")
    if "eprecated" not in restored:
        restored = marked_as_deprecated(
            restored, before.code[lines[0] : lines[1]].rstrip("\n"), uses_lines="//" in source.text
        )
    return Fix(
        f"restore {field.name}, marked as deprecated",
        (source.edit(above[1], above[1], restored + "\n"),),
        is_safe=False,
    )


@fixes("enumerator-inserted")
def _move_behind_the_last_enumerator(finding: Finding, context: FixContext) -> Fix | None:
    """Move an inserted enumerator after the last one, or before the sentinel."""
    name = finding.entity.rpartition(".")[2]
    enum, enumerator = context.api.enums_of_enumerators.get(name), context.api.enumerators.get(name)
    source = context.text(enumerator.span if enumerator is not None else None)
    if enum is None or enumerator is None or enumerator.span is None or source is None:
        return None
    listed = context.listed(enum)
    place, anchor = listed.places[name], listed.enumerators[-1]
    behind = len(listed.enumerators) - place - 1
    if not behind or listed.last_stated >= place:
        return None
    ends = NAMES_OF_ENDS.search(anchor.name) is not None
    if anchor.span is None or (ends and behind < 2):
        return None
    lines = source.lines_of(source.offset(enumerator.span), ",")
    around = source.lines_of(source.offset(anchor.span), ",")
    if lines is None or around is None:
        return None if ends else _with_pinned_values(enumerator, listed.enumerators[place + 1], source, context)
    if source.has_directive(lines[1], around[0]):
        return None
    moved = source.text[lines[0] : lines[1]]
    if ends:
        return Fix(
            f"move {name} before {anchor.name}",
            (source.edit(*lines, ""), source.edit(around[0], around[0], moved)),
        )
    edits = [source.edit(*lines, "")]
    place = source.offset(anchor.span) + len(anchor.name)
    if "," not in source.code[place : around[1]]:
        edits.append(source.edit(place - len(anchor.name), place, f"{anchor.name},"))
        comma = source.code.index(",", source.offset(enumerator.span), lines[1]) - lines[0]
        moved = moved[:comma] + moved[comma + 1 :]
    return Fix(f"move {name} after {anchor.name}", (*edits, source.edit(around[1], around[1], moved)))


def _with_pinned_values(inserted: Enumerator, first: Enumerator, source: HeaderText, context: FixContext) -> Fix | None:
    """Return the edit that gives an inserted enumerator an unused value, and the one behind it the old value.

    Args:
        inserted: the new enumerator.
        first: the one behind it, from which all others count.
        source: the header of both.
        context: both sides.
    """
    old = context.old_api.enumerators.get(first.name) if context.old_api is not None else None
    enum = context.api.enums_of_enumerators[inserted.name]
    if old is None or first.span is None or inserted.span is None or first.span.file != inserted.span.file:
        return None
    unused = context.listed(enum).highest + 1
    places = [(inserted, unused, inserted.span), (first, old.value, first.span)]
    edits = []
    for each, value, span in places:
        place = source.offset(span) + len(each.name)
        edits.append(source.edit(place, place, f" = {value}"))
    return Fix(f"pin {first.name} = {old.value}, and give {inserted.name} the unused value {unused}", tuple(edits))


@fixes("enumerator-removed")
def _restore_a_removed_enumerator(finding: Finding, context: FixContext) -> Fix | None:
    """Restore a removed enumerator in its place, marked as deprecated."""
    return restored_enumerator(finding, context)


@fixes("enumerator-value-changed")
def _restore_a_changed_value(finding: Finding, context: FixContext) -> Fix | None:
    """Give an enumerator the value that it has in OLD."""
    return restored_values(finding, context)


@fixes(_BUMP)
def _raise_the_version(_: Finding, context: FixContext) -> Fix | None:
    """Raise the macros that state the version, where each states one number."""
    old = context.old_api.version if context.old_api is not None else None
    new = context.api.version
    if old is None or new is None or new.number is not None or len(new.macros) != new.parts:
        return None
    place = min(context.demanded.place, new.parts - 1)
    raised = old.version.raised(place)
    numbers = (raised.major, raised.minor, raised.patch)
    edits = []
    for (name, span), number in zip(new.macros, numbers, strict=False):
        source = context.text(span)
        if source is None or span is None:
            return None
        begin = source.offset(span) + len(name)
        numeral = re.match(r"[ \t]*\(?[ \t]*(\d+)", source.code[begin : source.line_end(begin)])
        if numeral is None:
            return None
        if int(numeral[1]) != number:
            edits.append(source.edit(begin + numeral.start(1), begin + numeral.end(1), str(number)))
    title = f"raise the version to {'.'.join(map(str, numbers[: new.parts]))}"
    return Fix(title, tuple(edits), is_safe=context.demanded is not Bump.MAJOR) if edits else None


@fixes("missing-guard")
def _add_an_include_guard(finding: Finding, context: FixContext) -> Fix | None:
    """Put an include guard around a header."""
    source = context.text(finding.new)
    if source is None:
        return None
    guard = include_guard(re.split(r"[/\\:]", source.name)[-1])
    begin = source.line_begin(len(source.code) - len(source.code.lstrip()))
    end = len(source.text)
    is_apart = source.text[:begin].strip() == "" or source.text[:begin].endswith("\n\n")
    head = f"{'' if is_apart else chr(10)}#ifndef {guard}\n#define {guard}\n\n"
    tail = f"{'' if source.text.endswith(chr(10)) else chr(10)}\n#endif\n"
    return Fix(f"add the include guard {guard}", (source.edit(begin, begin, head), source.edit(end, end, tail)))


@fixes("missing-extern-c")
def _add_extern_c(finding: Finding, context: FixContext) -> Fix | None:
    """Put `extern "C"` around the functions of a header, for C++ only."""
    source = context.text(finding.new)
    if source is None:
        return None
    functions = (each.span for each in context.api.functions.values() if each.in_api)
    places = sorted(source.offset(span) for span in functions if span is not None and span.file == source.name)
    if not places or source.body_around(places[0]) is not None:
        return None
    first = max((source.code.rfind(mark, 0, places[0]) for mark in ";}"), default=-1) + 1
    directives = [match.end() + 1 for match in re.finditer(r"(?m)^[ \t]*#.*$", source.code[first : places[0]])]
    first = first + max(directives, default=0)
    first += len(source.code[first : places[0]]) - len(source.code[first : places[0]].lstrip())
    begin = source.line_begin(first)
    while (
        begin
        and (above := source.text[source.line_begin(begin - 1) : begin]).strip()
        and not (source.code[source.line_begin(begin - 1) : begin].strip())
    ):
        begin -= len(above)
    last = source.code.find(";", places[-1])
    end = source.line_end(last) if last >= 0 else -1
    if end < 0 or source.code[last + 1 : end].strip() or not _is_balanced(source.code[begin:end]):
        return None
    opened = '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
    closed = f"{'' if source.text[:end].endswith(chr(10)) else chr(10)}\n#ifdef __cplusplus\n}}\n#endif\n"
    title = 'put `extern "C"` around the functions, for C++ only'
    return Fix(title, (source.edit(begin, begin, opened), source.edit(end, end, closed)))


def _is_balanced(code: str) -> bool:
    """True if each brace and each `#if` in a piece of code is closed in it, and none of a part before it is."""
    depth = conditions = 0
    for mark in re.findall(r"[{}]|(?m:^[ \t]*#[ \t]*(?:if|endif|el))", code):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        conditions += 1 if mark.endswith("if") and not mark.endswith("endif") else -1 if mark.endswith("endif") else 0
        if depth < 0 or conditions < 0 or (mark.endswith("el") and not conditions):
            return False
    return depth == conditions == 0
