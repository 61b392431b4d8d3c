"""Rules of form about names and files: prefixes, reserved words, extern "C", include guards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from abigen.check.form import Form
from abigen.check.rule import Report, form_rule
from abigen.check.sides import CORE
from abigen.model.ctype import Array, CType, FunctionType, Parameter, Pointer, Qualified
from abigen.model.finding import Bump, Detail
from abigen.model.identifiers import C_KEYWORDS, CPP_KEYWORDS, reserved_word
from abigen.model.span import Span

_SHOWN = 6


@form_rule("ABI810")
def owner_prefix(form: Form) -> Iterator[Report]:
    """A name does not say by its prefix who fills or implements it.

    What it means: the structs of this header begin with prefixes that say which side fills them (by default `SE_` the
    core, `SP_` the plugin; a spec may name others), and this one does not; or an enumeration or a function does not
    have the core's. A header that has neither both prefixes nor one of them at most of its structs has no such
    convention.

    What happens: readers cannot tell who produces a struct, and abigen cannot tell who breaks.

    Instead: name it by the convention before the first release; in a spec, say who sets it.

    Source: RFC, "Implementation Conventions".
    """
    filled_by = form.api.conventions.filled_by
    structs = [each for each in form.structs if not each.anonymous and "." not in each.name]
    used = Counter(prefix for each in structs for prefix in filled_by if each.name.startswith(prefix))
    is_complete = len(used) == len(filled_by) and 2 * used.total() >= len(structs)
    is_common = used.total() > 1 and 2 * used.total() > len(structs)
    if not (is_complete or is_common):
        return
    prefixes = tuple(filled_by)
    for struct in structs:
        if not struct.name.startswith(prefixes) and not struct.contract.set_by:
            yield _unprefixed(struct.name, "who fills it", prefixes, struct.span)
    core = tuple(prefix for prefix, side in filled_by.items() if side == CORE)
    enums = [each for each in form.api.enums.values() if each.in_api and not each.anonymous and "." not in each.name]
    for entity in (*enums, *(each for each in form.functions if not each.static)):
        if not entity.name.startswith(core):
            yield _unprefixed(entity.name, "that it belongs to the API", core, entity.span)


def _unprefixed(name: str, what: str, prefixes: tuple[str, ...], place: Span | None) -> Report:
    """The report about one name."""
    wanted = " or ".join(f"`{prefix}`" for prefix in prefixes)
    return Report(
        entity=name,
        bump=Bump.NONE,
        message=f"{name} does not begin with {wanted}, which would say {what}",
        new=place,
        level="warning",
    )


@form_rule("ABI814")
def reserved_name(form: Form) -> Iterator[Report]:
    """A name that no API may use: a keyword, or one that belongs to the implementation.

    What it means: a member, parameter, type, function, enumerator or macro is called as a keyword of C or C++ (`class`,
    `new`, `default`), as a macro that compilers define (`linux`), or as C and C++ reserve for themselves (`__x`, `_X`,
    anything with two underscores in a row).

    What happens: a C++ compiler does not read the header; or a later compiler or library takes the name.

    Instead: another name, before the first release.

    Source: C 7.1.3; ISO/IEC 14882, [lex.name].
    """
    seen: set[str] = set()
    for entity, name, place, file_scope in _names(form):
        reason = reserved_word(name, file_scope=file_scope)
        if reason and entity not in seen:
            seen.add(entity)
            is_keyword = name in CPP_KEYWORDS or name in C_KEYWORDS
            yield Report(
                entity=entity,
                bump=Bump.NONE,
                message=f"`{name}` {reason}" + ("" if entity == name else f" (in {entity})"),
                help="choose another name",
                new=place,
                level="error" if is_keyword else "warning",
            )


@form_rule("ABI815")
def missing_extern_c(form: Form) -> Iterator[Report]:
    """Functions stand outside `extern "C"`.

    What it means: the header declares functions without `extern "C"` around them. They are reported once for each file.

    What happens: a C++ compiler gives them another symbol than a C compiler, so that a plugin in C++ does not link, or
    exports an entry point that nobody finds.

    Instead: `#ifdef __cplusplus`, `extern "C" {`, `#endif` before the declarations, and the same with `}` behind them.

    Source: ISO/IEC 14882, [dcl.link].
    """
    files: dict[str, list[tuple[str, Span]]] = {}
    for function in form.functions:
        if function.linkage != "C" and not function.static and function.span is not None:
            files.setdefault(function.span.file, []).append((function.name, function.span))
    for functions in files.values():
        name, place = functions[0]
        others = [each for each, _ in functions[1:]]
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        yield Report(
            entity=name,
            bump=Bump.NONE,
            message=f'{name} is declared outside `extern "C"`' + (f", and so are {len(others)} more" if others else ""),
            help='put `extern "C" { }` around the declarations, for C++ only',
            details=(Detail("also", ", ".join(others[:_SHOWN]) + more),) if others else (),
            new=place,
            level="warning",
        )


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b", re.MULTILINE)
_GUARD = re.compile(
    r"\s*#[ \t]*(?:ifndef[ \t]+(?P<name>\w+)|if[ \t]+!\s*defined\s*\(?\s*(?P<other>\w+)\s*\)?)[ \t]*\n"
    r"\s*#[ \t]*define[ \t]+(?P<defined>\w+)\b"
)


@form_rule("ABI816")
def missing_guard(form: Form) -> Iterator[Report]:
    """A header has no include guard.

    What it means: neither `#ifndef NAME`, `#define NAME` stand before everything else, nor does `#pragma once`
    anywhere.

    What happens: a program that includes it twice, by two other headers, does not compile.

    Instead: add a guard whose name follows from the file's path.

    Source: C 6.10.2 (inclusion is textual).
    """
    if form.is_specified or form.targets[0] != form.whole.targets[0]:
        return
    for name, text in form.text.items():
        code = _COMMENT.sub(" ", text.removeprefix("\ufeff")).replace("\r\n", "\n").replace("\\\n", " ")
        guard = _GUARD.match(code)
        is_guarded = guard is not None and guard["defined"] in (guard["name"], guard["other"])
        if code.strip() and not is_guarded and not _ONCE.search(code):
            yield Report(
                entity=re.split(r"[/\\:]", name)[-1],
                bump=Bump.NONE,
                message="the header has no include guard",
                help="begin it with `#ifndef NAME` and `#define NAME`, and end it with `#endif`",
                new=Span(name, 1, 1),
                level="warning",
            )


def _names(form: Form) -> Iterator[tuple[str, str, Span | None, bool]]:
    """Every name that the API gives: entity, name, place, whether it is declared at file scope."""
    api = form.api
    for struct in form.structs:
        if not struct.anonymous and "." not in struct.name:
            yield from ((each, each, struct.span, True) for each in dict.fromkeys((struct.name, struct.tag)) if each)
        for field in struct.fields or ():
            if field.name:
                yield f"{struct.name}.{field.name}", field.name, field.span, False
            yield from _parameters(f"{struct.name}.{field.name}", field.type, field.span)
    for struct in api.structs.values():
        if struct.in_api and struct.fields is None and not struct.anonymous:
            yield from ((each, each, struct.span, True) for each in dict.fromkeys((struct.name, struct.tag)) if each)
    for enum in api.enums.values():
        if enum.in_api:
            if not enum.anonymous and "." not in enum.name:
                yield enum.name, enum.name, enum.span, True
            yield from ((each.name, each.name, each.span, True) for each in enum.enumerators or ())
    for function in form.functions:
        yield function.name, function.name, function.span, True
        yield from _parameters(function.name, function.type, function.span)
    for typedef in api.typedefs.values():
        if typedef.in_api:
            yield typedef.name, typedef.name, typedef.span, True
            yield from _parameters(typedef.name, typedef.type, typedef.span)
    for entities in (api.variables, api.constants, api.macros):
        yield from ((each.name, each.name, each.span, True) for each in entities.values() if each.in_api)


def _parameters(entity: str, type: CType, place: Span | None) -> Iterator[tuple[str, str, Span | None, bool]]:
    """The names of a function's parameters, those of its own callbacks too."""
    while isinstance(type, Pointer | Qualified | Array):
        type = type.element if isinstance(type, Array) else type.target if isinstance(type, Pointer) else type.type
    if isinstance(type, FunctionType):
        for parameter in type.parameters:
            if parameter.name:
                yield f"{entity}.{parameter.name}", parameter.name, _place(parameter, place), False
            yield from _parameters(entity, parameter.type, _place(parameter, place))


def _place(parameter: Parameter, otherwise: Span | None) -> Span | None:
    """Where a parameter stands, as far as anyone knows."""
    return parameter.span or otherwise
