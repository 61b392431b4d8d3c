"""Rules about headers that users include, and about those that an API no longer includes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.constants import is_guard
from abigen.check.reasons import count, listed
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.model.api import Api
from abigen.model.entities import Entity, Struct
from abigen.model.span import IncludedFile


@change_rules.whole("ABI509", None, "warning")
def include_removed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A header is no longer included, and what it declared is not there otherwise.

    What changed: OLD includes a header, itself or by way of others, and NEW does not. It breaks where names are gone
    that the header declared; it is a risk where the header is one of the system's, whose names nobody can list.

    What happens: code that includes only this header, and uses what came with it, no longer compiles. Binaries do not
    notice.

    Instead: keep the `#include`, at least until the next MAJOR release, and say what code has to include itself.

    Source: rulebook section 2 (the axis `source`) and "No silence".
    """
    old, new = comparison.old, comparison.new
    kept = {each.parts[-1:]: set[tuple[str, ...]]() for each in new.included}
    for each in new.included:
        kept[each.parts[-1:]].add(each.parts)
    files = {each.file for each in new.included}
    lost = [each for each in old.included if each.file not in (*files, *old.files) and not _is_kept(each, kept)]
    lost_files = {each.file for each in lost}
    known = {each.name: each for each in _entities(new)}
    known |= {name: Entity(name=name) for name, _ in (new.version.macros if new.version else ())}
    for each in lost:
        if each.place is None or each.place.file in lost_files:
            continue  # one that is lost has brought it
        names = [entity.name for entity in _declared(each, lost, old) if _is_gone(entity, known)]
        if names or each.is_system:
            yield _removed(each, names)


@change_rules.whole("ABI510", None)
def header_removed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A header is not where it was, and what it declared is in another one.

    What changed: all headers below a directory were compared, and NEW has none at that path. What only this header
    declared is judged by itself; this is about what has moved.

    What happens: code that includes the header no longer compiles. Binaries do not notice.

    Instead: keep a header at the old path that includes the new one.

    Source: rulebook section 2 (the axis `source`) and "No silence".
    """
    old, new = comparison.old, comparison.new
    if not (old.folder and new.folder):
        return
    now = {file[len(new.folder) :] for file in new.files}
    places = {each.name: each.span for each in _entities(new) if each.in_api and each.span is not None}
    for file in old.files:
        path = file[len(old.folder) :]
        own = [each for each in _entities(old) if each.in_api and each.span is not None and each.span.file == file]
        names = [each.name for each in own if not is_guard(each) and each.name in places]
        if path in now or (own and not names):
            continue
        homes = dict.fromkeys(places[name].file[len(new.folder) :] for name in names)
        where = f"; what it declared stands in {listed(list(homes))}" if homes else ""
        yield RuleResult(
            f"{path} is gone{where}",
            help="keep a header at the old path that includes the new one",
            source=f'code with `#include "{path}"` no longer compiles',
            about=Subject(path, own[0].span if own else None, places[names[0]] if names else None),
        )


def _removed(header: IncludedFile, names: Sequence[str]) -> RuleResult:
    """What is said of one header."""
    about = Subject(header.name, header.place)
    if header.is_system:
        return RuleResult(
            f"{header.name} is no longer included",
            help=f"keep #include {header.name}, or tell users to include it themselves",
            source=AtRisk("code that uses it, and does not include it itself, no longer compiles"),
            level="note",
            about=about,
        )
    several = f"{count(len(names), 'name')} that nothing else declares"
    return RuleResult(
        f"{header.name} is no longer included, which declared {several}: {listed(names)}",
        help=f"keep #include {header.name}",
        source=f"code that does not include it itself and names {listed(names)} no longer compiles",
        about=about,
    )


def _is_kept(header: IncludedFile, kept: dict[tuple[str, ...], set[tuple[str, ...]]]) -> bool:
    """Whether NEW includes a header of that name, from whichever folder the name begins in."""
    ways = kept.get(header.parts[-1:], ())
    return any(each[-len(header.parts) :] == header.parts[-len(each) :] for each in ways)


def _declared(header: IncludedFile, lost: Sequence[IncludedFile], api: Api) -> list[Entity]:
    """What users get by a header, and by those that come with it and are lost as well."""
    files = {header.file}
    for each in lost:  # in the order of inclusion
        if each.place is not None and each.place.file in files:
            files.add(each.file)
    found = {each.name: each for each in _entities(api) if each.span is not None and each.span.file in files}
    return [each for each in found.values() if not (each.in_api or is_guard(each))]


def _entities(api: Api) -> Iterator[Entity]:
    """Everything that has a name which code can use."""
    for enum in api.enums.values():
        yield from enum.enumerators or ()
    kinds: Iterable[Iterable[Entity]] = (
        *(api.typedefs.values(), api.functions.values(), api.variables.values()),
        *(api.constants.values(), api.macros.values(), api.size_constants.values()),
    )
    for kind in kinds:
        yield from kind
    for types in (api.structs, api.enums):  # last: a typedef of the same name tells less
        yield from (each for each in types.values() if not each.anonymous)


def _is_gone(entity: Entity, known: dict[str, Entity]) -> bool:
    """Whether NEW has nothing of a name, or another header only says that there is such a struct."""
    now = known.get(entity.name)
    if isinstance(entity, Struct) and isinstance(now, Struct) and not now.in_api:
        return entity.fields is not None and now.fields is None
    return now is None
