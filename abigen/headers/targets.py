"""Groups the targets for which a header has the same text, and finds the included files that belong to the API.

What several targets see alike need not be read for each. A header that declares nothing itself stands for what it
includes from its own folder; `--own` says otherwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from posixpath import dirname, join

from msgspec.structs import replace

from abigen.headers.preprocessor.environment import asks_target
from abigen.headers.preprocessor.lexemes import lexemes_of, scan
from abigen.headers.preprocessor.preprocess import preprocess
from abigen.headers.unit import MacroDefinition, Token, Unit
from abigen.model.api import Api, ApiSet, UnreadTarget
from abigen.model.ctype import Array, NamedType, Qualified, RecordType, types_in
from abigen.model.entities import Entity
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.spelling import BUILT_IN
from abigen.model.target import Target, find_target
from abigen.workspace.files import absolute, is_below
from abigen.workspace.operand import decode, fits
from abigen.workspace.options import ReadOptions, SourceFile

_MOST_NAMED = 40
_ASSERTIONS = ("_Static_assert", "static_assert")
_LINKAGE = ("extern", '"C"', "{", "}", ";")


def parts_of(
    sources: Sequence[SourceFile], units: Sequence[Unit], options: ReadOptions
) -> tuple[list[SourceFile], list[Diagnostic]]:
    """Return the included files whose declarations are the API's own.

    Args:
        sources: the files that the operand names.
        units: these, preprocessed.
        options: say which files are meant, and show them.

    Returns:
        The files, to be read where they are included, and what the report says of them.

    Raises:
        AbigenError: one cannot be read.
    """
    if not options.own and (any(map(_declares, units)) or any(map(_is_of_macros, units))):
        return [], []
    included = dict.fromkeys(absolute(path) for unit in units for path in unit.dependencies)
    system = {absolute(path) for unit in units for path in unit.system_files}
    for source in sources:
        included.pop(absolute(source.path), None)
    folder = os.path.commonpath([_folder(source) for source in sources])
    own = [each for each in included if fits(each, options.own) or (not options.own and is_below(each, folder))]
    own = [each for each in own if not fits(os.path.relpath(each, folder), options.exclude)]
    from_top = [each for each in options.own if each.startswith("/")]  # the only way to mean a file of the system's
    parts = [_part(each, sources[0], options) for each in own if each not in system or fits(each, from_top)]
    others = [_name(each, sources[0], options) for each in included if each not in system]
    if parts:
        because = "" if options.own else " declares nothing itself, and"
        remark = f"{sources[0].name}{because} is judged together with {some_names([part.name for part in parts])}"
    elif others and not all(only_includes(source.text) for source in sources):
        skipped = f"not judged: {some_names(others)}; --own GLOB judges them"
        remark = f"{sources[0].name} declares no types or functions; {skipped}"
    else:
        return [], []
    return parts, [Diagnostic(Span(sources[0].name, 1, 1), remark, severity="note")]


def only_includes(text: str) -> bool:
    """True if a header consists of its guard and of #include lines, whatever its conditions are.

    A header with declarations below a condition that does not hold is none: it may lack a definition.
    """
    found = scan(text)
    at = 0
    for each in found.directives:
        if each.name == "define" and len(lexemes_of(found.text, each.rest, each.end)) > 1:
            return False
        if any(one.text not in _LINKAGE for one in lexemes_of(found.text, at, each.sign)):
            return False
        at = each.end
    has_includes = any(each.name == "include" for each in found.directives)
    return has_includes and all(one.text in _LINKAGE for one in lexemes_of(found.text, at))


def wrapped(read: ApiSet) -> list[str]:
    """Return the files that headers without anything else include, as `#include` names them.

    Returns:
        The names; none if a header has anything else, or if one includes a file by a path from its own folder, as
        "../core/types.h". Such a file is most likely a part of the API.
    """
    if not all(map(only_includes, read.sources.values())):
        return []
    names: list[str] = []
    for api in (group.api for group in read.groups):
        for each in api.included:
            if each.place is None or each.place.file not in api.files:
                continue
            if each.name.startswith('"../'):
                return []
            names.append("/".join(each.parts))
    return list(dict.fromkeys(names))


def some_names(names: Sequence[str]) -> str:
    """Return names, as many as one reads."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _declares(unit: Unit) -> bool:
    """True if files of the API's own declare anything: assertions, and brackets for C++, declare nothing."""
    own = frozenset(unit.own_files)
    return any(
        token.kind != "pragma" and token.text not in _LINKAGE
        for token in _without_assertions(unit.tokens)
        if token.file in own
    )


def _is_of_macros(unit: Unit) -> bool:
    """True if the API's own files define twice as many constants and macros with arguments as they include files.

    Such a header is an API of macros. Version numbers, guards and macros for attributes are what umbrella headers have.
    """
    own = frozenset(unit.own_files)
    values = [each for each in unit.macros if each.file in own and _VALUE.search(each.body)]
    values = [each for each in values if not _ABOUT_THE_WHOLE.search(each.name)]
    included = {each.name for each in unit.included if each.place is not None and each.place.file in own}
    return len(values) >= max(_FEWEST_MACROS, 2 * len(included))


_FEWEST_MACROS = 3
_VALUE = re.compile(r"\d|[\"(]")
_ABOUT_THE_WHOLE = re.compile(
    r"VERSION|MAJOR|MINOR|PATCH|RELEASE|EXPORT|IMPORT|DECL|VISIB|DEPRECAT|CALL|API$|API_|_H_*$", re.IGNORECASE
)
"""Names of macros that an umbrella header has about the whole of an API."""


def _without_assertions(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens outside of static assertions."""
    depth = 0
    asserts = False
    for token in tokens:
        if not asserts and token.text in _ASSERTIONS:
            asserts = True
        elif asserts:
            depth += (token.text == "(") - (token.text == ")")
            asserts = depth > 0
        else:
            yield token


def _folder(source: SourceFile) -> str:
    """Return the folder that a source is in; what stands in no file is where abigen runs."""
    folder = dirname(source.path)
    return absolute(os.curdir) if folder == os.devnull else folder


def _part(path: str, source: SourceFile, options: ReadOptions) -> SourceFile:
    """Return an included file as a source that is read only where it is included."""
    name = _name(path, source, options)
    try:
        return SourceFile(name, path, decode(options.files.read(path), name), is_part=True)
    except OSError as error:
        raise AbigenError.at(None, f"{name} cannot be read: {error.strerror}") from None


def _name(path: str, source: SourceFile, options: ReadOptions) -> str:
    """Return the name of a file in messages, as the user has named the source that includes it."""
    name = options.display_name(path)
    if name != path:
        return name
    return os.path.normpath(join(dirname(source.name), os.path.relpath(path, _folder(source))))


_WORD = re.compile(r"[A-Za-z_$]\w*")
_PIECE = re.compile(r"\w+|\S")
_ATTRIBUTES = {
    tuple(text.split()): word
    for text, word in {
        '__attribute__ ( ( visibility ( "default" ) ) )': "exported",
        "__declspec ( dllexport )": "exported",
        "__declspec ( dllimport )": "exported",
        "__attribute__ ( ( unused ) )": "",
    }.items()
}
"""Attributes that compilers spell differently, to a word for what they mean; none for those that mean nothing here."""


def preprocess_for_targets(
    sources: Sequence[SourceFile], options: ReadOptions
) -> tuple[list[tuple[Unit, list[Target]]], list[UnreadTarget]]:
    """Preprocess headers as often as they ask what the target is.

    Returns:
        Units with the targets that each is good for, and the targets other than the first for which there is none.

    Raises:
        AbigenError: for the first target.
    """
    first = find_target(options.targets[0])
    units = [(preprocess(sources, options, first), [first])]
    refused: list[UnreadTarget] = []
    for name in options.targets[1:]:
        target = find_target(name)
        same = next((targets for unit, targets in units if not asks_target(unit, (targets[0].name, name))), None)
        if same is None:
            try:
                unit = preprocess(sources, options, target)
            except AbigenError as error:
                refused.append(UnreadTarget(name, error.diagnostics[0]))
                continue
            same = next((targets for known, targets in units if means_the_same(known, unit)), None)
        if same is None:
            units.append((unit, [target]))
        else:
            same.append(target)
    return units, refused


def takes_from_system(api: Api, unit: Unit, target: Target) -> bool:
    """True if an API holds values of types that system headers declare, and may declare otherwise for a target.

    Args:
        api: as it was read for another target.
        unit: what it was read of.
        target: whose `size_t` and the like are known.
    """
    system = frozenset(unit.system_files)
    records = {key for key, each in api.structs.items() if _is_from(each, system)}
    names = {name for name, each in api.typedefs.items() if _is_from(each, system)}
    names -= target.typedefs.keys() | BUILT_IN.keys()
    if names:
        names &= {token.text for token in unit.tokens}  # most serve only other typedefs of the system
    if not records and not names:
        return False
    structs = [each for each in api.structs.values() if each.in_api]
    held = [member.type for each in structs for member in each.fields or ()]
    named = [each.type for group in (api.functions, api.typedefs) for each in group.values() if each.in_api]
    for type in (*held, *named):
        record = api.resolve(type)
        while isinstance(record, (Array, Qualified)):
            record = api.resolve(record.element if isinstance(record, Array) else record.type)
        if isinstance(record, RecordType) and record.key in records:
            return True
        for each in types_in(type):
            if isinstance(each, NamedType) and each.name in names and not isinstance(api.resolve(each), RecordType):
                return True
    return False


def _is_from(entity: Entity | None, files: Collection[str]) -> bool:
    return entity is not None and (entity.of_system or (entity.span is not None and entity.span.file in files))


def read_apart(
    sources: Sequence[SourceFile], options: ReadOptions, targets: Sequence[Target]
) -> Iterator[tuple[Target, Unit]]:
    """Preprocess headers for each of some targets, those for which that can be done."""
    for target in targets:
        try:
            yield target, preprocess(sources, options, target)
        except AbigenError:
            continue  # it lacks a header that others have, which says nothing of the API


def means_the_same(first: Unit, second: Unit) -> bool:
    """True if two readings of the same files, for different targets, give the same declarations and macros.

    System headers are left out of account: what they declare is known for each target apart.
    """
    return _is_alike(first, second) and first.tokens == second.tokens and _macros(first) == _macros(second)


def declares_the_same(first: Unit, second: Unit) -> bool:
    """True if they give the same declarations, whatever the macros are and by whatever attribute symbols are exported.

    Macros that stand for nothing count: they may stand for `extern "C"` in C++.
    """
    empty, other = ({each.name for each in _own_macros(unit) if not each.body} for unit in (first, second))
    tokens = _with_plain_attributes(first.tokens)
    return _is_alike(first, second) and empty == other and tokens == _with_plain_attributes(second.tokens)


def _is_alike(first: Unit, second: Unit) -> bool:
    return first.comments == second.comments and first.diagnostics == second.diagnostics


def _with_plain_attributes(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens, with attributes that compilers spell differently in one spelling."""
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        token, step, word = tokens[index], 1, tokens[index].text
        if word in ("__attribute__", "__declspec"):
            texts = tuple(each.text for each in tokens[index : index + max(map(len, _ATTRIBUTES))])
            step, word = next(
                ((len(key), _ATTRIBUTES[key]) for key in _ATTRIBUTES if texts[: len(key)] == key), (1, word)
            )
        if word:
            result.append(token if step == 1 else replace(token, text=word))
        index += step
    return result


def _own_macros(unit: Unit) -> list[MacroDefinition]:
    """Return the macros that no system header and no compiler defines."""
    from_system = frozenset(unit.system_files)
    return [each for each in unit.macros if not each.file.startswith("<") and each.file not in from_system]


def _macros(unit: Unit) -> dict[str, tuple[int | None, tuple[str, ...]]]:
    """Return the macros of the user's files, and those of the system that they are made of."""
    table: dict[str, MacroDefinition] = {each.name: each for each in unit.macros}
    pending = _own_macros(unit)
    found: dict[str, tuple[int | None, tuple[str, ...]]] = {}
    while pending:
        macro = pending.pop()
        if macro.name in found:
            continue
        found[macro.name] = _meaning(macro)
        pending += [table[word] for word in _WORD.findall(macro.body) if word in table]
    return found


def _meaning(macro: MacroDefinition) -> tuple[int | None, tuple[str, ...]]:
    """Return the number of parameters of a macro, and its body, without names of parameters and spaces.

    Systems spell `offsetof` each in their own way. What a file of the user's says is the same text on all targets.
    """
    has_literals = '"' in macro.body or "'" in macro.body  # in which spaces count
    pieces = [macro.body] if has_literals else _PIECE.findall(macro.body)
    if macro.parameters is None:
        return None, tuple(pieces)
    places = {name: f"\N{SECTION SIGN}{index}" for index, name in enumerate(macro.parameters)}
    return len(macro.parameters), tuple(places.get(each, each) for each in pieces)
