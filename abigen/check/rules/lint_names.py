"""Lint rules about names, files, and what is said of an entity: prefixes, guards, replacements, versions, zero."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from abigen.check.lint_context import LintContext, lint_rules, member, whole
from abigen.check.reasons import listed
from abigen.check.rule import RuleResult, Subject
from abigen.model.api import Api
from abigen.model.contract import Party
from abigen.model.ctype import CType, FunctionType, innermost
from abigen.model.entities import Entity, Enum, Field, Function, Struct, Typedef
from abigen.model.finding import Detail
from abigen.model.identifiers import C_KEYWORDS, CPP_KEYWORDS, reserved_word
from abigen.model.roles import says_what_zero_means
from abigen.model.span import Span, did_you_mean

_MOST_PREFIXES = 3
"""How many prefixes a message names."""


@lint_rules.whole("ABI810", level="warning")
def owner_prefix(context: LintContext) -> Iterator[RuleResult]:
    """The prefix of a name does not show which side sets or implements it.

    What it means: the structs of this header have prefixes that show which side sets them (by default `SE_` for the
    core, `SP_` for the plugin; a spec may name others), and this one has none; or an enumeration or a function does not
    have the prefix of the core. The rule applies only if most structs have such a prefix.

    What happens: readers cannot see which side sets the struct, and abigen cannot name the side that breaks.

    Instead: name it by the convention before the first release; in a spec, state `set_by`.

    Source: RFC, "Implementation Conventions".
    """
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
    stated = f"{header.prefix}_" if header and header.prefix else ""  # the spec's own prefix says as much as core's
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
    """A name is a keyword, or is reserved for the implementation.

    What it means: a member, parameter, type, function, enumerator or macro has the name of a keyword of C or C++
    (`class`, `new`, `default`), of a macro that compilers define (`linux`), or a name that C and C++ reserve (`__x`,
    `_X`, any name with two underscores in a row).

    What happens: a C++ compiler rejects the header; or a later compiler or library defines the name, and the header no
    longer compiles.

    Instead: choose another name before the first release.

    Source: C 7.1.3; ISO/IEC 14882, [lex.name].
    """
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
    """Functions are declared outside `extern "C"`.

    What it means: the header declares functions without `extern "C"` around them. They are reported once for each file.

    What happens: a C++ compiler uses another symbol than a C compiler. A plugin in C++ does not link, or the core does
    not find its entry point.

    Instead: write `#ifdef __cplusplus`, `extern "C" {`, `#endif` before the declarations, and the same with `}` after
    them.

    Source: ISO/IEC 14882, [dcl.link].
    """
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
"""What may stand twice: the frame of `extern "C"`, also as a macro (`BEGIN_DECLS`)."""


@lint_rules.whole("ABI816", level="warning")
def missing_guard(context: LintContext) -> Iterator[RuleResult]:
    """A header has no include guard.

    What it means: declarations are outside `#ifndef NAME`, `#define NAME`, and there is no `#pragma once`. Macros,
    `extern "C" {` and directives may be before the guard, because a compiler may read them twice.

    What happens: a program that includes the header twice, through two other headers, does not compile.

    Instead: add a guard whose name follows from the file's path.

    Source: C 6.10.2 (inclusion is textual).
    """
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
    """Whether all that is no directive stands where a macro has been asked for and then defined.

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
    """Every name that the API gives: what it is of, the name, whether it is declared at file scope."""
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
    """The names of a function's parameters, those of its own callbacks too."""
    function = innermost(type)
    if isinstance(function, FunctionType):
        for parameter in function.parameters:
            place = parameter.span or about.new
            if parameter.name:
                yield Subject(f"{about.entity}.{parameter.name}", None, place), parameter.name, False
            yield from _parameters(replace(about, new=place), parameter.type)


@lint_rules.whole("ABI817", level="warning")
def dangling_replacement(context: LintContext) -> Iterator[RuleResult]:
    """A comment or key names a replacement that does not exist.

    What it means: `Use x.` is written at a deprecated entity, or `Replaces x.` at any entity, and the API has no `x`.

    What happens: users find no replacement, and abigen reports a removal instead of an accepted rename.

    Instead: correct the name.

    Source: VS, "Deprecation with Extension".
    """
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
    """The `since` of a member is lower than that of a member before it.

    What it means: members are only appended, so `since` can only rise from the first member to the last.

    What happens: abigen computes wrong struct sizes for older releases from it, so generated checks of `struct_size`
    accept a struct that is too short, or reject a valid one.

    Instead: correct the version, or move the member.

    Source: VS, "Conventions" (members cannot be reordered); rulebook section 4.
    """
    for struct in context.structs:
        newest, before = struct.contract.lifecycle.since, ""
        for field in () if struct.is_union else struct.fields or ():
            since = field.contract.lifecycle.since or struct.contract.lifecycle.since
            if before and newest is not None and (since is None or since < newest):
                age = f"there since {since}" if since else "there since the first version"
                yield RuleResult(
                    f"{struct.name}.{field.name} is {age}, but {before} before it is there since {newest}",
                    help="append new members after all older ones",
                    about=member(struct, field),
                )
            elif since is not None and (newest is None or since > newest):
                newest, before = since, field.name


@lint_rules.whole("ABI819", level="warning")
def zero_unspecified(context: LintContext) -> Iterator[RuleResult]:
    """The meaning of zero is not stated for an appended member.

    What it means: the member is newer than its struct, and neither `0 is no-op.` (`NULL is no-op.`) nor another meaning
    is stated. `Required when x is set.` is enough if `x` is not older than the member. Alternatives of a union are not
    reported.

    What happens: an older producer does not set the member, and a newer one that does not use it leaves it zero.
    Readers cannot tell this zero from a value.

    Instead: write `0 is no-op.`, or `zero: no-op` in a spec.

    Source: VS, "Conventions" (such fields must be explicitly marked by comments).
    """
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
    """All entities of the API, and what a finding about each says."""
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
    """Every name that a replacement may have."""
    kinds = (api.functions, api.typedefs, api.variables, api.constants, api.macros, api.size_constants)
    found = {name for entities in kinds for name in entities}
    for struct in api.structs.values():
        found.update((struct.name, struct.tag, *(field.name for field in struct.fields or ())))
    for enum in api.enums.values():
        found.update((enum.name, enum.tag, *(each.name for each in enum.enumerators or ())))
    return frozenset(found)
