"""Rules about headers that users include, and about those that an API no longer includes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from abigen.check.comparison import ApiComparison, change_rules
from abigen.check.constants import is_guard
from abigen.check.reasons import count, listed
from abigen.check.rule import AtRisk, RuleResult, Subject
from abigen.model.api import Api
from abigen.model.entities import Entity, Struct
from abigen.model.span import IncludedFile


@change_rules.whole("ABI509", None, "warning")
def include_removed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """An #include was removed, and nothing else declares the names of that header.

    What changed: OLD includes a header, directly or through others, and NEW does not. It breaks if names that the
    header declared are missing. For a system header, whose names cannot be listed, it is a risk.

    What happens: code that includes only this header, and uses names of the other one, no longer compiles. Binaries are
    not affected.

    Instead: keep the `#include`, at least until the next MAJOR release, and tell users to include the other header
    themselves.

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
    """A header was removed, and its declarations are in another header.

    What changed: all headers below a directory were compared, and NEW has none at that path. Removed
    declarations have findings of their own; this finding is about moved ones.

    What happens: code that includes the header no longer compiles. Binaries are not affected.

    Instead: keep a header at the old path that includes the new one.

    Source: rulebook section 2 (the axis `source`) and "No silence".
    """
    old, new = comparison.old, comparison.new
    if not (old.folder and new.folder):
        return
    before, after = _Headers(old), _Headers(new)
    for path, file in before.paths.items():
        own = [each for each in _entities(old) if each.in_api and each.span is not None and each.span.file == file]
        names = [each.name for each in own if not is_guard(each) and each.name in after.places]
        if path in after.paths or (own and not names):
            continue
        homes = after.homes(names)
        where = f"; its declarations are in {listed(homes)}" if homes else ""
        yield RuleResult(
            f"{path} was removed{where}",
            help="keep a header at the old path that includes the new one",
            source=f'code with `#include "{path}"` no longer compiles',
            about=Subject(path, own[0].span if own else None, after.places[names[0]] if names else None),
        )


@change_rules.whole("ABI511", None)
def declaration_moved(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A header no longer declares a name that another header of the API still declares.

    What changed: all headers below a directory were compared. A declaration was moved to another header, or an
    #include of the header with the declaration was removed.

    What happens: code that includes only this header no longer compiles. Binaries are not affected. If one header of
    the API only includes all others, it is a remark: users include that one.

    Instead: include the header with the declaration where it was.

    Source: rulebook section 2 (the axis `source`) and "No silence".
    """
    old, new = comparison.old, comparison.new
    if not (old.folder and new.folder):
        return
    before, after = _Headers(old), _Headers(new)
    lost = {
        path: before.names(path) & after.places.keys() - after.names(path, new.named_in)
        for path in before.paths
        if path in after.paths
    }
    for path, names in lost.items():
        by_others = {name for each in after.includes[path] for name in lost.get(each, ())}
        if moved := [name for name in after.places if name in names - by_others]:
            yield _moved(path, moved, after)


def _moved(path: str, names: Sequence[str], after: _Headers) -> RuleResult:
    """What is said of what a header no longer brings."""
    verb, homes = "is" if len(names) == 1 else "are", after.homes(names)
    code = f'code that gets {listed(names)} from `#include "{path}"`'
    return RuleResult(
        f"{path} no longer declares {listed(names)}, which {verb} now in {listed(homes)}",
        help=f"include {listed(homes)} in {path}",
        source=AtRisk(f"{code} alone does not compile") if after.umbrella else f"{code} alone no longer compiles",
        level="note" if after.umbrella else "",
        about=Subject(path, None, after.places[names[0]]),
    )


class _Headers:
    """The headers of an API, by their paths in its folder, and what each of them brings."""

    def __init__(self, api: Api) -> None:
        self._folder = api.folder
        self.paths = {self._path(file): file for file in api.files}
        self.places = {each.name: each.span for each in _entities(api) if each.in_api and each.span is not None}
        """Where each name of the API is declared."""
        self.includes: dict[str, list[str]] = {path: [] for path in self.paths}
        """The headers of the API that each of them includes itself."""
        for each in api.included:
            for file in each.by if each.file in api.files else ():
                if file in api.files:
                    self.includes[self._path(file)].append(self._path(each.file))
        self.own_names: dict[str, set[str]] = {file: set() for file in api.files}
        """What each of them declares itself, by its name in places."""
        for entity in _entities(api):
            if entity.in_api and entity.span is not None and not is_guard(entity):
                self.own_names.setdefault(entity.span.file, set()).add(entity.name)
        self.umbrella = any(
            len(self._reached(path)) == len(self.paths) and not self.own_names[file]
            for path, file in self.paths.items()
        )
        """Whether one of them brings all of them, and has nothing else."""

    def homes(self, names: Iterable[str]) -> list[str]:
        """The headers in which names are declared."""
        return list(dict.fromkeys(self._path(self.places[name].file) for name in names))

    def names(self, path: str, used: Mapping[str, Iterable[str]] = MappingProxyType({})) -> set[str]:
        """What code gets that includes only this header.

        Args:
            path: of the header.
            used: names that files use, which count as well: such a header does not compile without their declarations.
        """
        files = [self.paths[each] for each in self._reached(path)]
        return {name for each in files for name in (*self.own_names[each], *used.get(each, ()))}

    def _path(self, file: str) -> str:
        return file[len(self._folder) :]

    def _reached(self, path: str) -> dict[str, None]:
        """A header, and what it includes, in turn as well."""
        reached, waiting = {path: None}, [path]
        while waiting:
            fresh = [each for each in self.includes[waiting.pop()] if each not in reached]
            reached.update(dict.fromkeys(fresh))
            waiting += fresh
        return reached


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
    several = f"{count(len(names), 'name')} that no other header declares"
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
