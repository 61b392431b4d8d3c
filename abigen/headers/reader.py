"""Reading C headers: from files to the API that they declare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

import msgspec
from msgspec.structs import replace

from abigen.headers.conventions import USUAL_CONVENTIONS
from abigen.headers.documentation import Commentary
from abigen.headers.entities.constants import (
    MacroReader,
    find_size_constants,
    find_version,
    may_state_version,
    states_parts,
)
from abigen.headers.entities.declarations import ConstantObject, EntityBuilder, answer, find_conflicts, with_values
from abigen.headers.entities.unit_context import CppEnums, Linkage, Question, UnitContext
from abigen.headers.facts import with_facts
from abigen.headers.preprocessor.preprocess import hidden_on_all
from abigen.headers.symbols import Symbols, SystemContext
from abigen.headers.syntax.trees import KnownNames, balance, split
from abigen.headers.targets import (
    declares_the_same,
    parts_of,
    preprocess_for_targets,
    read_apart,
    takes_from_system,
)
from abigen.headers.types import TypeBuilder
from abigen.headers.unit import HiddenText, Unit
from abigen.model.api import Api, ApiGroup, ApiSet, UnreadTarget
from abigen.model.ctype import Expression, Literal
from abigen.model.entities import Constant, SizeConstant, VersionDeclaration
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.target import Target, find_target
from abigen.workspace.files import absolute, is_below
from abigen.workspace.options import ReadOptions, SourceFile

_FIRST = Span("", 0, 0)
_LONGEST_MESSAGE = 400


def read_headers(sources: Sequence[SourceFile], options: ReadOptions) -> ApiSet:
    """Read headers as the API that they declare.

    Args:
        sources: the files whose declarations are the API's own, in the order in which they are included.
        options: how to preprocess them, and for which targets.

    Returns:
        One API for all targets when no header asks what the target is, else one per group of targets that agree.

    Raises:
        AbigenError: with every error found, each at a place in the user's files.
    """
    try:
        units, refused = preprocess_for_targets(sources, options)
        parts, remarks = parts_of(sources, [unit for unit, _ in units], options)
        if parts:
            units, refused = preprocess_for_targets([*sources, *parts], options)
    except AbigenError as error:
        raise AbigenError(_sorted(error.diagnostics)) from None
    texts = {source.name: source.text for source in (*sources, *parts)}
    groups: list[ApiGroup] = []
    known: list[tuple[Unit, _Declarations]] = []
    for unit, targets in units:
        try:
            same = ((other, each) for other, each in known if declares_the_same(other, unit))
            declared = next((each for other, each in same if _is_for_all(each, (other, unit), targets)), None)
            if declared is None:
                declared = _declarations(unit, options, texts, targets[0])
                known.append((unit, declared))
            reading = _reading(declared, unit, options, texts, targets[0], _version_files(sources, unit, options))
            apart = [each for each in targets[1:] if takes_from_system(reading.api, unit, each)]
            for target, other in read_apart([*sources, *parts], options, apart):
                targets.remove(target)
                units.append((other, [target]))
        except RecursionError:
            raise AbigenError.at(None, f"{sources[0].name} is nested too deeply") from None
        except AbigenError as error:
            if not groups:
                raise
            refused += [_unread(each.name, error.diagnostics[0], unit) for each in targets]
            continue
        for target in targets:
            _add_group(groups, target, _for_target(reading, target, is_first=not groups))
    warnings = (*map(_not_read, refused), *remarks)
    if warnings:
        first = replace(groups[0].api, warnings=groups[0].api.warnings + warnings)
        groups[0] = replace(groups[0], api=first)
    dependencies = dict.fromkeys(path for unit, _ in units for path in unit.dependencies)
    read = frozenset[HiddenText]().union(*(declared.read for _, declared in known))
    hidden = hidden_on_all([unit for unit, _ in units], read)
    return ApiSet(tuple(groups), texts, tuple(dependencies), hidden, tuple(refused))


def _unread(name: str, reason: Diagnostic, unit: Unit) -> UnreadTarget:
    """Return a target that is left out, with what its reading has warned of before."""
    warned = [each for each in unit.diagnostics if each.severity == "warning"]
    starts = {f"'{each}' not found": each for each in unit.missing}
    missing: dict[str, Diagnostic] = {}
    for each in warned:
        header = starts.get(each.message.partition(",")[0])
        if header is not None:
            missing.setdefault(header, each)
    others = tuple(each for each in warned if each.message.partition(",")[0] not in starts)
    return UnreadTarget(name, reason, tuple(missing.values()), others)


def _not_read(target: UnreadTarget) -> Diagnostic:
    """Return the warning that a target is left out, for want of a file or because of an error."""
    for each in target.missing[:1]:
        message = f"not read for {target.name}: {each.message.partition(',')[0]}"
        return Diagnostic(each.place, message, each.hint, severity="warning")
    first = target.reason
    return Diagnostic(first.place, f"not read for {target.name}: {first.message}", first.hint, severity="warning")


def _add_group(groups: list[ApiGroup], target: Target, api: Api) -> None:
    """Put a target in the group of those that see the same API."""
    for index, group in enumerate(groups):
        if group.api is api or group.api == api:
            groups[index] = replace(group, targets=(*group.targets, target.name))
            return
    groups.append(ApiGroup((target.name,), api))


class _Declarations(msgspec.Struct, frozen=True):
    """The declarations of a unit, which may be those of another target's too."""

    entities: EntityBuilder
    types: TypeBuilder
    commentary: Commentary
    starts: frozenset[Span]
    """The places where declarations begin."""
    questions: tuple[Question, ...]
    """The checks to make on each target."""
    diagnostics: list[Diagnostic]
    read: frozenset[HiddenText]
    """The texts that conditions hide, and that were read nevertheless."""


class _Reading(msgspec.Struct, frozen=True):
    """A unit that has been read, but for what depends on the target."""

    api: Api
    unvalued: frozenset[str]
    """Enumerators whose values are still missing."""
    questions: tuple[Question, ...]


def _declarations(unit: Unit, options: ReadOptions, texts: Mapping[str, str], target: Target) -> _Declarations:
    """Read the declarations of a preprocessed unit; errors in what they mean are not raised yet.

    Raises:
        AbigenError: with every declaration that is not C.
    """
    diagnostics: list[Diagnostic] = list(unit.diagnostics)
    report = diagnostics.append
    symbols = Symbols(options.std, SystemContext(unit.system_tokens), report)
    stream, errors = balance(unit.tokens)
    chunks, more = split(stream)
    diagnostics += [*errors, *more]
    symbols.declare(chunks)
    _raise_errors(diagnostics)
    symbols.tags.assign_keys()
    types, commentary = TypeBuilder(symbols, report), Commentary(unit.comments, texts)
    linkage = Linkage(texts, {each.name: each for each in unit.macros})
    cpp_enums = CppEnums(unit.hidden, texts)
    context = UnitContext(symbols, types, commentary, linkage, target, frozenset(unit.own_files), report, cpp_enums)
    entities = EntityBuilder(context)
    entities.build()
    starts = frozenset(stream.tokens[chunk.start].span for chunk in chunks)
    questions = entities.questions()
    return _Declarations(entities, types, commentary, starts, questions, diagnostics, frozenset(cpp_enums.read))


def _is_for_all(declared: _Declarations, units: Sequence[Unit], targets: Sequence[Target]) -> bool:
    """True if what declarations take from system headers is known for each target without reading these.

    Args:
        declared: as they were read.
        units: the one that they were read of, and the one that declares the same; each has system headers of its own.
        targets: of the second one.
    """
    entities, system = declared.entities, frozenset(file for unit in units for file in unit.system_files)
    taken = {**entities.typedefs, **entities.records.structs, **entities.records.enums, **entities.functions}
    names = {
        name
        for name, each in taken.items()
        if each.span is not None and (each.span.file[:1] == "<" or each.span.file in system)
    }
    names &= {token.text for token in units[0].tokens}  # the others serve only these
    return all(names <= target.typedefs.keys() for target in targets)


_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_OF_VERSIONS = re.compile(r"version|ver(?:num)?\.|config|release|build_?info|patchlevel", re.IGNORECASE)
"""The words in the name of a file that states the version for the headers around it."""


def _version_files(sources: Sequence[SourceFile], unit: Unit, options: ReadOptions) -> frozenset[str]:
    """Return the included files that may state the version, beside, below or above the headers, as spans name them."""
    folders = [str(Path(absolute(source.path)).parent) for source in sources if not source.is_part]
    system = frozenset(unit.system_files)
    named = [each for each in unit.dependencies if each not in system and _OF_VERSIONS.search(Path(each).name)]
    found = {each for each in named for folder in folders if is_below(folder, str(Path(absolute(each)).parent))}
    found |= {each for each in named if any(is_below(absolute(each), folder) for folder in folders)}
    return frozenset(map(options.display_name, found)) - set(unit.own_files)


def _reading(
    declared: _Declarations,
    unit: Unit,
    options: ReadOptions,
    texts: Mapping[str, str],
    target: Target,
    version_files: Set[str],
) -> _Reading:
    """Read the macros of a preprocessed unit, and put all together.

    Raises:
        AbigenError: with every error in it that does not depend on the target.
    """
    entities, commentary = declared.entities, declared.commentary
    system = frozenset(unit.system_files)
    context = {options.display_name(each) for each in unit.dependencies if each not in system}
    macro_reader = MacroReader(unit, declared.types, commentary)
    macros = macro_reader.read(texts, context.__contains__)
    entities.build()
    first_file = unit.own_files[0]
    spans = [*declared.starts, *(each.span for each in (*macros.constants.values(), *macros.macros.values()))]
    api = Api(
        name=first_file,
        conventions=USUAL_CONVENTIONS,
        structs=entities.records.structs,
        enums=dict(entities.records.enums),
        typedefs=dict(entities.typedefs),
        functions=dict(entities.functions),
        variables=dict(entities.variables),
        constants=macros.constants,
        macros=macros.macros,
        files=unit.own_files,
        included=unit.included,
        doc=commentary.of_file(
            first_file, {each.line for each in spans if each is not None and each.file == first_file}
        ),
        warnings=tuple(each for each in (*declared.diagnostics, *macros.warnings) if each.severity != "error"),
    )
    _raise_errors([*declared.diagnostics, *find_conflicts(entities.redeclarations, api, target)])
    objects = [_with_value(each, macro_reader) for each in entities.constant_objects]
    private = {each.constant.name for each in entities.constant_objects if each.is_static}
    own = [texts[each] for each in unit.own_files if each in texts]
    api = _with_roles(api, declared.types.names, objects, private, own, macros.broken_sizes, options)
    if api.version is None:
        api = _with_included_version(api, declared.types.names, version_files, options)
    api = replace(with_facts(api), named_in=_named_in(unit, texts, api))
    return _Reading(api, frozenset(entities.records.unvalued), declared.questions)


def _named_in(unit: Unit, texts: Mapping[str, str], api: Api) -> dict[str, tuple[str, ...]]:
    """Return the names of the API that each of several files contains; macros are found by their definitions only."""
    if len(unit.own_files) < 2:
        return {}
    kinds = (api.typedefs, api.functions, api.variables, api.constants, api.macros, api.size_constants)
    names = {name for kind in kinds for name in kind}
    names |= {each.name for types in (api.structs, api.enums) for each in types.values()}
    names |= api.enumerators.keys()
    found = {file: set(_DEFINED.findall(texts.get(file, ""))) for file in unit.own_files}
    for token in unit.tokens:
        if token.file in found:
            found[token.file].add(token.text)
    return {file: tuple(sorted(names & has)) for file, has in found.items()}


def _for_target(reading: _Reading, target: Target, *, is_first: bool) -> Api:
    """Return the API as one target sees it.

    Raises:
        AbigenError: it makes no sense on this target; on another one than the first that is a warning.
    """
    api, errors = with_values(reading.api, reading.unvalued, target)
    errors += answer(reading.questions, api, target)
    if is_first:
        _raise_errors(errors)
    warnings = tuple(replace(each, severity="warning") for each in errors)
    return replace(api, warnings=api.warnings + warnings) if warnings else api


def _with_value(each: ConstantObject, reader: MacroReader) -> Constant:
    """Return a constant object with its value.

    Its text is empty when nobody else compiles it in, and the initialiser is a list or nothing constant.
    """
    expression = reader.expression(each.value)
    is_plain = all(token.kind in ("string", "number", "char", "punct") for token in each.value)
    is_value = expression is not None or each.is_static or (is_plain and each.value[0].text != "{")
    text = " ".join(token.text for token in each.value) if is_value else ""
    return replace(each.constant, text=text, expression=expression)


def _with_roles(
    api: Api,
    names: KnownNames,
    objects: Sequence[Constant],
    private: Set[str],
    texts: Sequence[str],
    broken_sizes: Sequence[SizeConstant],
    options: ReadOptions,
) -> Api:
    """Tell size constants and the version from other constants, enumerators, and objects that are const.

    Objects that are `private` (static, so everyone has a copy of the value compiled in) are constants like macros.
    """
    sizes = find_size_constants(api, objects, broken_sizes)
    enums = [each for each in api.enums.values() if each.in_api and each.anonymous]
    enums = [each for each in enums if states_parts(one.name for one in each.enumerators or ())]
    enumerators = [
        Constant(
            name=one.name,
            span=one.span,
            doc=one.doc,
            text="",
            expression=one.expression or Literal(one.value),
        )
        for each in enums
        for one in each.enumerators or ()
    ]
    own = [each for each in (*api.constants.values(), *objects, *enumerators) if each.in_api]
    version = find_version(
        own, _values(own, names, api, options.version), texts, api, options.version, options.version_split
    )
    stating = _stating(version)
    values_only = [each for each in objects if each.name in private and each.text]
    taken = {each.name for each in enums if any(one.name in stating for one in each.enumerators or ())}
    return replace(
        api,
        constants={
            name: each
            for name, each in ({each.name: each for each in values_only} | dict(api.constants)).items()
            if name not in sizes and name not in stating
        },
        variables={name: each for name, each in api.variables.items() if name not in sizes and name not in stating},
        enums={name: each for name, each in api.enums.items() if name not in taken} if taken else api.enums,
        size_constants=sizes,
        version=version,
    )


def _stating(version: VersionDeclaration | None) -> set[str]:
    """Return the macros that state a version, or may state it; they are no constants of the API."""
    return {name for each in (version, *version.others) for name in each.names} if version is not None else set()


def _values(constants: Iterable[Constant], names: KnownNames, api: Api, versions: Sequence[str]) -> dict[str, int]:
    """Return the values of those constants that have one; of those that may state a version, the names are known."""
    values: dict[str, int] = {}
    for constant in constants:
        value = names.fold(constant.expression) if constant.expression is not None else None
        if isinstance(value, Expression) and (constant.name in versions or may_state_version(constant.name)):
            value = _on_usual_target(value, api)
        if isinstance(value, int):
            values[constant.name] = value
    return values


def _with_included_version(api: Api, names: KnownNames, files: Set[str], options: ReadOptions) -> Api:
    """Return an API that states no version itself, with the one that an included file states for it."""
    stating = [each for each in api.constants.values() if each.span is not None and each.span.file in files]
    values = _values(stating, names, api, options.version)
    version = find_version(stating, values, api=api, names=options.version, split=options.version_split)
    taken = _stating(version)
    constants = {name: each for name, each in api.constants.items() if name not in taken}
    return replace(api, version=version, constants=constants)


def _on_usual_target(expression: Expression, api: Api) -> int | None:
    """Return the value of an expression that depends on type sizes (`1UL`); versions are the same on all targets."""
    from abigen.model.layout import Layouts, agreed_value

    return agreed_value([Layouts(api, find_target("x86_64-linux-gnu"))], expression)


def _raise_errors(diagnostics: Sequence[Diagnostic]) -> None:
    """Raise what is an error, in the order of the source."""
    errors = [each for each in diagnostics if each.severity == "error"]
    if errors:
        raise AbigenError(_sorted(errors))


def _sorted(errors: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Errors in the order of the source, each once."""
    return [_clipped(each) for each in sorted(dict.fromkeys(errors), key=lambda each: each.place or _FIRST)]


def _clipped(diagnostic: Diagnostic) -> Diagnostic:
    """Return a message that quotes a monstrous token, cut to what a person reads."""
    if len(diagnostic.message) <= _LONGEST_MESSAGE:
        return diagnostic
    half = _LONGEST_MESSAGE // 2
    return replace(diagnostic, message=f"{diagnostic.message[:half]} ... {diagnostic.message[-half:]}")
