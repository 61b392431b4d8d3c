"""Rules about the library that ships with a header: exported symbols, their versions, layouts, signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from os.path import commonprefix

from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, LintContext, change_rules, lint_rules, whole
from abigen.checker.equality import representation
from abigen.checker.rule import RuleResult, Subject, count, listed
from abigen.checker.struct_members import FlattenedMember, members_of
from abigen.model.api import Api
from abigen.model.compiled_library import CompiledLibrary, CompiledMember, CompiledStruct, CompiledValue
from abigen.model.contract import Party
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, Pointer, RecordType
from abigen.model.entities import Function, Struct, Variable
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Span

_SHOWN = 6
"""The number of symbols and members that a finding names."""
_FEWEST = 3
"""The number of letters that the names of an API have in common, if its exports are told by them."""


def _library(context: LintContext) -> CompiledLibrary | None:
    """Return the library, to the group of targets that has the one that it is compiled for."""
    return next(iter(_parts(context)), None)


def _parts(context: LintContext) -> list[CompiledLibrary]:
    """Return the parts of the library that are compiled for targets of a group: several of a file for macOS."""
    library = context.library
    parts = () if library is None else (library, *library.others)
    return [each for each in parts if each.target in context.targets]


@lint_rules.whole("ABI830", level="error")
def symbol_not_exported(context: LintContext) -> Iterator[RuleResult]:
    """The header declares a function or an object that the library does not export."""
    if (library := _library(context)) is None:
        return
    parts = _parts(context)
    objects = [each for each in context.api.variables.values() if each.in_api and each.exported is not False]
    symbols: list[Function | Variable] = [*_declared(context), *objects]
    for each in symbols:
        symbol = each.symbol or each.name
        versions = library.versions.get(symbol)
        lacking = [part.target for part in parts if symbol not in part.exports]
        if lacking:
            where = f" for {listed(lacking)}" if context.library is not None and context.library.others else ""
            yield RuleResult(
                f"{each.name} is declared, and not exported by {library.name}{where}",
                help="export it, or remove the declaration from the header",
                details=_earlier(symbol, context.earlier),
                about=whole(each),
            )
        elif versions is not None and not versions.is_linkable:
            names = listed([f"{symbol}@{version}" for version in versions.others])
            yield RuleResult(
                f"{each.name} is declared, and {library.name} exports it only for programs linked earlier, as {names}",
                help=f"give it a default version ({symbol}@@VERSION), or remove the declaration from the header",
                details=_earlier(symbol, context.earlier),
                about=whole(each),
            )


def _earlier(symbol: str, earlier: CompiledLibrary | None) -> Iterator[Detail]:
    """Yield the version with which OLD's library exports a symbol."""
    if earlier is not None and symbol in earlier.exports:
        yield Detail("was", f"exported by {earlier.name} as {earlier.versioned(symbol)}")


@change_rules.whole("ABI835", Bump.MAJOR, level="error")
def symbol_version_removed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """The library no longer exports a symbol with a version that programs were linked with."""
    if comparison.libraries is None:
        return
    old, new = comparison.libraries
    if old.soname != new.soname and old.soname and new.soname:
        return  # programs that were linked with OLD do not load NEW
    for symbol, versions in sorted(old.versions.items()):
        before, after = _declaration(symbol, comparison.old), _declaration(symbol, comparison.new)
        is_declared = before is not None and before.in_api
        removed = [each for each in versions.all if _is_removed(symbol, each, new)]
        if not removed or (symbol not in new.exports and versions.is_linkable):
            continue  # the removed function, or the missing symbol, is a finding already
        if not is_declared and versions.is_linkable:
            continue  # no program can have been linked by means of the header
        place = Span(comparison.new.files[0], 1, 1)
        now = f"it exports {new.versioned(symbol)}" if symbol in new.exports else f"it does not export {symbol}"
        names = listed([f"{symbol}@{each}" for each in removed])
        yield RuleResult(
            f"{new.name} no longer exports {names}: {now}",
            help="keep the old version beside the new one (`.symver`, version script), or change the soname",
            plugins=(f"it refers to {names}, so it does not load with {new.name}", ""),
            about=Subject(symbol, before.span if before else None, after.span if after else place),
        )


def _declaration(symbol: str, api: Api) -> Function | Variable | None:
    """Return the function or object of an API with a symbol."""
    declared: list[Function | Variable] = [*api.functions.values(), *api.variables.values()]
    return next((each for each in declared if (each.symbol or each.name) == symbol), None)


def _is_removed(symbol: str, version: str, library: CompiledLibrary) -> bool:
    """True if a program that refers to a version of a symbol does not find it in a library.

    Source: glibc, elf/dl-version.c and elf/dl-lookup.c. A library without any version is accepted, with a warning, and
    so is a symbol without a version if the library defines the version for other symbols.
    """
    if not library.defined_versions or "PRIVATE" in version.upper():
        return False
    versions = library.versions.get(symbol)
    if symbol in library.exports and (versions is None or versions.is_plain):
        return version not in library.defined_versions
    return versions is None or version not in versions.all


def _declared(context: LintContext) -> list[Function]:
    """Return the functions that the library of the API has to export."""
    return [
        each
        for each in context.functions
        if not (each.static or each.body or each.implemented_by is Party.PLUGIN or each.exported is False)
        and not {"inline", "gnu_inline", "weak"} & set(each.flags)
    ]


@lint_rules.whole("ABI831")
def symbol_undeclared(context: LintContext) -> Iterator[RuleResult]:
    """The library exports a symbol with the names of the API that no header declares."""
    if (library := _library(context)) is None:
        return
    api = context.api
    own = [each.name for each in context.functions]
    prefix = commonprefix(own) if len(own) > 1 else ""  # noqa: RUF071 - characters are what counts here
    known = {*api.functions, *api.variables, *(each.symbol for each in context.functions)}
    extra = sorted(
        each
        for each in library.exports
        if each.startswith(prefix) and each not in known and _is_linkable(each, library)
    )
    if extra:  # a condition may exclude the declaration
        written = {word for text in context.whole.sources.values() for word in re.findall(r"\w+", text)}
        extra = [each for each in extra if each not in written]
    if len(prefix) >= _FEWEST and extra:
        yield RuleResult(
            f"the header does not declare {listed(extra[:_SHOWN], len(extra))}, exported by {library.name}",
            help="declare such symbols, or hide them (`-fvisibility=hidden`)",
            about=Subject(prefix, None, Span(api.files[0], 1, 1)),
        )


def _is_linkable(symbol: str, library: CompiledLibrary) -> bool:
    versions = library.versions.get(symbol)
    return versions is None or versions.is_linkable


@lint_rules.whole("ABI832", level="error")
def compiled_layout_differs(context: LintContext) -> Iterator[RuleResult]:
    """The library was compiled with another layout of a struct than the header has."""
    if (library := _library(context)) is None:
        return
    for struct in context.structs:
        names = (struct.name, struct.tag, *struct.typedef_names)
        compiled = next((library.structs[each] for each in names if each in library.structs), None)
        if compiled is not None:
            yield from _layout_differences(struct, compiled, library, context.layouts(library.target))


def _layout_differences(
    struct: Struct, compiled: CompiledStruct, library: CompiledLibrary, layouts: Layouts
) -> Iterator[RuleResult]:
    """Yield one result for a struct whose size, or the place of a member, differs."""
    try:
        layout = layouts.of(struct.name)
    except AbigenError:
        return
    members = members_of(struct, layouts)
    here = {each.name: _place(each) for each in members}
    moved = [
        f"{name} at {compiled.members[name]}, in the header at {place}"
        for name, place in here.items()
        if name in compiled.members and replace(compiled.members[name], alignment=None) != place
    ]
    missing = [f"{name} is only in the header" for name in here if name not in compiled.members]
    missing += [f"{name} is only in the library" for name in compiled.members if name not in here]
    aligned = list(_alignment_differences(struct, layout.alignment, compiled, members))
    if compiled.size == layout.size and not moved and not missing and not aligned:
        return
    sizes = f"has {compiled.size} bytes in {library.name} and {layout.size} in the header"
    differs = sizes if compiled.size != layout.size else f"has another layout in {library.name} than in the header"
    yield RuleResult(
        f"{struct.name} {differs}",
        help="install the header that the library was built with, or build both with the same options",
        details=[Detail("compiled", each) for each in (*moved, *missing, *aligned)[:_SHOWN]],
        about=whole(struct),
    )


def _alignment_differences(
    struct: Struct, alignment: int, compiled: CompiledStruct, members: Sequence[FlattenedMember]
) -> Iterator[str]:
    """Yield the alignments that the debugging information states and that the header does not have."""
    if compiled.alignment is not None and compiled.alignment != alignment:
        yield f"{struct.name} is aligned to {compiled.alignment} bytes, in the header to {alignment}"
    for each in members:
        there = compiled.members[each.name].alignment if each.name in compiled.members else None
        if there is not None and each.field.alignment is not None and there != each.alignment:
            yield f"{each.name} is aligned to {there} bytes, in the header to {each.alignment}"


def _place(member: FlattenedMember) -> CompiledMember:
    """Return the place that the header has for a member."""
    if member.bit_width is None:
        return CompiledMember(member.place, 8 * member.size)
    return CompiledMember(member.place, member.bit_width, is_bit_field=True)


@lint_rules.whole("ABI833", level="error")
def compiled_value_differs(context: LintContext) -> Iterator[RuleResult]:
    """The library was compiled with another value of an enumerator than the header has."""
    if (library := _library(context)) is None:
        return
    for enum in context.api.enums.values():
        for each in enum.enumerators or () if enum.in_api else ():
            compiled = library.enumerators.get(each.name)
            if compiled is not None and (compiled - each.value) % (1 << 64):
                yield RuleResult(
                    f"{each.name} is {compiled} in {library.name} and {each.value} in the header",
                    help="install the header that the library was built with",
                    about=Subject(each.name, None, each.span),
                )


@lint_rules.whole("ABI834", level="error")
def compiled_signature_differs(context: LintContext) -> Iterator[RuleResult]:
    """The library defines a function with other parameters or another result than the header declares."""
    if (library := _library(context)) is None:
        return
    for function in _declared(context):
        compiled = library.functions.get(function.symbol or function.name)
        if compiled is None:
            continue
        layouts = context.layouts(library.target)
        declared = [_value(each.type, layouts) for each in function.type.parameters]
        words = []
        if function.type.variadic != compiled.is_variadic:
            words.append(f"only {library.name if compiled.is_variadic else 'the header'} has `...`")
        if len(declared) != len(compiled.parameters):
            words.append(f"it has {count(len(compiled.parameters), 'parameter')}, in the header {len(declared)}")
        else:
            both = enumerate(zip(compiled.parameters, declared, strict=True), start=1)
            words += [
                f"parameter {number} is {there}, in the header {here}"
                for number, (there, here) in both
                if here is not None and there.kind != "other" and there != here
            ]
        result = _value(function.type.result, layouts)
        if compiled.result is not None and result is not None and compiled.result.kind != "other":
            words += [f"the result is {compiled.result}, in the header {result}"] if compiled.result != result else []
        if words:
            yield RuleResult(
                f"{function.name} has another signature in {library.name} than in the header: {words[0]}",
                help="install the header that the library was built with",
                details=[Detail("compiled", each) for each in words[1:]],
                about=whole(function),
            )


def _value(type: CType, layouts: Layouts) -> CompiledValue | None:
    """Return a declared parameter or result as it is passed; None for `void`, `va_list`, and types of unknown size."""
    resolved = layouts.resolve(type)
    if isinstance(resolved, (Array, FunctionType, Pointer)):  # as a parameter, an array is a pointer (C 6.7.6.3 p7)
        return CompiledValue("pointer", layouts.size_of(Pointer(Basic("void"))))
    if resolved == Basic("__builtin_va_list"):
        return None  # a pointer, a struct, or an array of one struct, by target
    try:
        size = layouts.size_of(type)
    except AbigenError:
        return None
    if isinstance(resolved, RecordType):
        return CompiledValue("struct", size)
    kind = representation(type, layouts)
    if isinstance(resolved, EnumType) or kind in ("signed", "unsigned", "bool"):
        return CompiledValue("integer", size)
    return CompiledValue("floating", size) if kind == "floating" else None
