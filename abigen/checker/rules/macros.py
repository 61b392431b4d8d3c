"""Rules about macros that both sides compiled in, and about included headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, change_rules
from abigen.checker.constants import (
    cause_in_api,
    effects,
    entries_of,
    followers,
    is_guard,
    normal_form,
    same_bits,
    states_version,
    taken_otherwise,
    value_of,
)
from abigen.checker.pairs import Added, ApisOnTarget, Changed, Removed, is_macro, is_named
from abigen.checker.rule import AtRisk, RuleResult, Subject, count, gone, listed, where_they_differ
from abigen.checker.sentinels import grown_by, part_of_version, rises, role_of, tells_versions_apart
from abigen.model.api import Api
from abigen.model.entities import Constant, Entity, Function, Macro, SizeConstant, Struct
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.meaning import ATTRIBUTE, CODE, EMPTY, meaning_of, type_of
from abigen.model.span import IncludedFile
from abigen.model.spelling import C_KEYWORDS


@change_rules.whole("ABI509", None, "warning")
def include_removed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """An #include was removed, and nothing else declares the names of that header."""
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
    """A header was removed, and its declarations are in another header."""
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
    """A header no longer declares a name that another header of the API still declares."""
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
            yield _names_moved(path, moved, after)


def _names_moved(path: str, names: Sequence[str], after: _Headers) -> RuleResult:
    """Return results about names that a header no longer brings."""
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
        """The place of each declaration of the API."""
        self.includes: dict[str, list[str]] = {path: [] for path in self.paths}
        """The headers of the API that each of them includes itself."""
        for each in api.included:
            for file in each.by if each.file in api.files else ():
                if file in api.files:
                    self.includes[self._path(file)].append(self._path(each.file))
        self.own_names: dict[str, set[str]] = {file: set() for file in api.files}
        """The declarations of each of them, by its name in places."""
        for entity in _entities(api):
            if entity.in_api and entity.span is not None and not is_guard(entity):
                self.own_names.setdefault(entity.span.file, set()).add(entity.name)
        self.umbrella = any(
            len(self._reached(path)) == len(self.paths) and not self.own_names[file]
            for path, file in self.paths.items()
        )
        """True if one of them includes all others, and declares nothing else."""

    def homes(self, names: Iterable[str]) -> list[str]:
        """Return the headers in which names are declared."""
        return list(dict.fromkeys(self._path(self.places[name].file) for name in names))

    def names(self, path: str, used: Mapping[str, Iterable[str]] = MappingProxyType({})) -> set[str]:
        """Return the names that code gets which includes only this header.

        Args:
            path: of the header.
            used: names that files use, which count as well: such a header does not compile without their declarations.
        """
        files = [self.paths[each] for each in self._reached(path)]
        return {name for each in files for name in (*self.own_names[each], *used.get(each, ()))}

    def _path(self, file: str) -> str:
        return file[len(self._folder) :]

    def _reached(self, path: str) -> dict[str, None]:
        """Return a header, and what it includes, in turn as well."""
        reached, waiting = {path: None}, [path]
        while waiting:
            fresh = [each for each in self.includes[waiting.pop()] if each not in reached]
            reached.update(dict.fromkeys(fresh))
            waiting += fresh
        return reached


def _removed(header: IncludedFile, names: Sequence[str]) -> RuleResult:
    """Return the result about one header."""
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
    """True if NEW includes a header of that name, from whichever folder the name begins in."""
    ways = kept.get(header.parts[-1:], ())
    return any(each[-len(header.parts) :] == header.parts[-len(each) :] for each in ways)


def _declared(header: IncludedFile, lost: Sequence[IncludedFile], api: Api) -> list[Entity]:
    """Return the names that users get by a header, and by lost headers that come with it."""
    files = {header.file}
    for each in lost:  # in the order of inclusion
        if each.place is not None and each.place.file in files:
            files.add(each.file)
    found = {each.name: each for each in _entities(api) if each.span is not None and each.span.file in files}
    return [each for each in found.values() if not (each.in_api or is_guard(each))]


def _entities(api: Api) -> Iterator[Entity]:
    """Yield the entities with names that code can use."""
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
    """True if NEW has nothing of a name, or another header only says that there is such a struct."""
    now = known.get(entity.name)
    if isinstance(entity, Struct) and isinstance(now, Struct) and not now.in_api:
        return entity.fields is not None and now.fields is None
    return now is None


_LONGEST_TEXT = 200
"""The number of characters of a macro's text that are shown on each side."""
_REVIEW = "compare both texts: if the effect differs, use a new name for it"


@change_rules.whole("ABI501", Bump.MAJOR)
def constant_changed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """The value of a macro changed."""
    old_layouts, new_layouts = comparison.old_layouts, comparison.new_layouts
    changed: list[tuple[Constant, Constant, RuleResult]] = []
    counting = {each.version_constant for each in (*comparison.old.structs.values(), *comparison.new.structs.values())}
    for old, new in comparison.pair.constants.both:
        before, after = meaning_of(old, old_layouts), meaning_of(new, new_layouts)
        if _is_special(old.name, comparison) or not before.is_value or before == after:
            continue
        if same_bits(before, after, _types(old, new, comparison), new_layouts):
            continue
        about = Subject(old.name, old.span, new.span)
        if cause := grown_by(old.name, before, after, old_layouts, new_layouts):
            yield _value_moved(about, f"{role_of(old.name)}, grew with {cause}: it", str(before), str(after))
            continue
        parts = {part_of_version(old, comparison.old), part_of_version(new, comparison.new)}
        if parts == {"own"}:
            continue
        is_version = old.name in counting and rises(before, after)
        if "" not in parts or is_version or tells_versions_apart(old.name, before, after):
            yield _value_moved(about, "changes with each release,", str(before), str(after))
        else:
            changed.append((old, new, _changed(about, str(before), str(after) if after.is_value else f"`{new.text}`")))
    following = [each for each in changed if each[0].text == each[1].text]
    causes = {each[0].name: cause_in_api(each[1].text, old_layouts, new_layouts) for each in following}
    pairs = [(before, after) for before, after, _ in following if causes[before.name]]
    for old, new, result in changed:
        cause = causes.get(old.name, "")
        moved = followers(old.name, pairs, old_layouts, new_layouts)
        details = [Detail("moves", ", ".join(moved))] if moved else []
        if not cause:
            yield replace(result, details=details)
        elif _has_size(cause, comparison.new):
            before, after = meaning_of(old, old_layouts), meaning_of(new, new_layouts)
            what = f"follows from the size of {cause},"
            told = _value_moved(Subject(old.name, old.span, new.span), what, str(before), str(after))
            yield replace(told, details=details)
    for old in comparison.pair.constants.removed:
        value, before = value_of(old.name, new_layouts), meaning_of(old, old_layouts)
        if value is not None and before.is_value and before.value != value and not _is_special(old.name, comparison):
            yield _changed(Subject(old.name, old.span), str(before), str(value))


def _has_size(name: str, api: Api) -> bool:
    """True if a name is that of a type, with or without a tag."""
    return name in api.typedefs or any(name in (each.name, each.tag) for each in api.structs.values())


def _changed(about: Subject, was: str, now: str) -> RuleResult:
    """Return the result about one constant."""
    name = about.entity
    reason = f"{name} is {was} in OLD and {now} in NEW, and each side is compiled with its own value"
    return RuleResult(
        f"{name} was {was}, is {now}",
        help=f"leave {name} as it is and add a constant with another name",
        caret=f"was {was}",
        plugins=(reason, reason),
        contract=reason,
        about=replace(about, numbers={"old_value": was, "new_value": now}),
    )


def _value_moved(about: Subject, what: str, was: str, now: str) -> RuleResult:
    """Return the result about a constant that is meant to change; `what` follows its name."""
    return RuleResult(
        f"{about.entity}, which {what} was {was}, is {now}",
        Bump.NONE,
        caret=f"was {was}",
        contract=AtRisk("a side that requires an equal value refuses the other side"),
        about=replace(about, numbers={"old_value": was, "new_value": now}),
    )


@change_rules.each(
    "ABI502", lambda comparison: comparison.removed(comparison.pair.constants, comparison.renamed_constants), Bump.MAJOR
)
def constant_removed(removed: Removed[Constant]) -> Iterator[RuleResult]:
    """A constant was removed or renamed."""
    old, new, apis = removed.old, removed.successor, removed.apis
    meaning = meaning_of(old, apis.old_layouts)
    if meaning.is_value and not (is_named(old.name, apis.new) or _is_special(old.name, apis)):
        yield RuleResult(
            f"{old.name} (value {meaning}) " + (f"was renamed to {new.name}" if new else "was removed"),
            help=f"keep it: #define {old.name} {new.name if new else old.text}",
            caret=f"was {old.name}" if new else "",
            source=gone(old.name),
            numbers={"old_value": str(meaning), "new_value": None},
        )


@change_rules.also("ABI502", lambda comparison: comparison.removed(comparison.pair.constants))
def _became_enumerator(removed: Removed[Constant]) -> Iterator[RuleResult]:
    """A macro that became an enumerator: the preprocessor does not know enumerators."""
    old, apis = removed.old, removed.apis
    found = apis.new.enumerators.get(old.name)
    if found is not None and meaning_of(old, apis.old_layouts).value == value_of(old.name, apis.new_layouts):
        name = old.name
        yield RuleResult(
            f"{name} was a macro, is an enumerator",
            Bump.PATCH,
            help=f"add `#define {name} {name}` beside it",
            source=AtRisk(f"`#ifdef {name}` becomes false, and `#if {name}` reads it as 0, without a diagnostic"),
            about=Subject(name, old.span, found.span),
        )


@change_rules.also("ABI502", lambda comparison: _version_macros(comparison, comparison.old, comparison.new))
def _version_macro_removed(removed: Added[Entity]) -> Iterator[RuleResult]:
    """A macro that stated the version, while another one still does."""
    name, now = removed.new.name, removed.apis.new.version
    if now is not None:
        place = now.macros[0][1] if now.macros else None
        yield RuleResult(
            f"{name}, which stated the version, was removed",
            help=f"keep {name}",
            source=gone(name),
            about=Subject(name, removed.new.span, place),
        )


@change_rules.each(
    "ABI503", lambda comparison: comparison.added(comparison.pair.constants, comparison.renamed_constants), Bump.MINOR
)
def constant_added(added: Added[Constant]) -> Iterator[RuleResult]:
    """A constant was added."""
    name, meaning = added.new.name, meaning_of(added.new, added.apis.new_layouts)
    stated_it = added.apis.old.version is not None and name in dict(added.apis.old.version.macros)
    is_other = is_named(name, added.apis.old) or name in added.apis.new.size_constants
    if meaning.is_value and not stated_it and not is_other:
        yield RuleResult(f"{name} = {meaning} was added", numbers={"old_value": None, "new_value": str(meaning)})


@change_rules.also("ABI503", lambda comparison: _version_macros(comparison, comparison.new, comparison.old))
def _version_macro_added(added: Added[Entity]) -> Iterator[RuleResult]:
    """A macro that states the version."""
    yield RuleResult(f"{added.new.name}, which states the version, was added")


def _version_macros(comparison: ApiComparison, api: Api, other: Api) -> Iterator[Added[Entity]]:
    """Yield macros that state one side's version, and do not exist on the other side."""
    theirs = {name for name, _ in other.version.macros} if other.version else set()
    for name, place in api.version.macros if api.version else ():
        if name not in theirs and not is_macro(name, other):
            yield Added(comparison, Entity(name=name, span=place))


@change_rules.also("ABI503", lambda comparison: comparison.added(comparison.pair.size_constants))
def _size_constant_added(added: Added[SizeConstant]) -> Iterator[RuleResult]:
    """A size constant for a struct that had none; that of a new struct comes with it."""
    size, apis = added.new, added.apis
    old_structs = {new: old for old, new in apis.pair.types.records.items()}
    had_one = {each.struct for each in apis.old.size_constants.values()}
    old_struct = old_structs.get(size.struct)
    if old_struct is not None and old_struct not in had_one and size.name not in apis.old.constants:
        yield RuleResult(f"{size.name}, the size of {size.struct}, was added")


def _types(old: Constant, new: Constant, apis: ApisOnTarget) -> tuple[str, str]:
    """Return the C types of a macro's value on both sides; empty where they are not known."""
    return type_of(old, apis.old_layouts), type_of(new, apis.new_layouts)


@change_rules.each("ABI512", lambda comparison: comparison.changed(comparison.pair.constants), level="note")
def constant_retyped(constant: Changed[Constant]) -> Iterator[RuleResult]:
    """The type of a macro changed; its value is the same."""
    old, new, apis = constant.old, constant.new, constant.apis
    before, after = meaning_of(old, apis.old_layouts), meaning_of(new, apis.new_layouts)
    types = _types(old, new, apis)
    if not all(types) or types[0] == types[1] or _is_special(old.name, apis):
        return
    is_pointer = ["*" in each for each in types]
    is_plain_null = before.value == 0 and re.fullmatch(r"[\s()]*0[\s()]*", old.text) is not None
    if before == after and before.is_value and is_pointer[0] != is_pointer[1] and not is_plain_null:
        yield RuleResult(
            f"{old.name} was of type `{types[0]}`, is of type `{types[1]}`",
            Bump.MAJOR if apis.options.source_counts else Bump.PATCH,
            help=f"leave {old.name} as it is and add a constant with another name",
            source=f"code that stores {old.name} as `{types[0]}` no longer compiles",
            level="error" if apis.options.source_counts else "note",
        )
    elif before.is_value and (before == after or same_bits(before, after, types, apis.new_layouts)):
        values = f": {before} is {after}, the same bits" if before != after else ""
        yield RuleResult(
            f"{old.name} was of type `{types[0]}`, is of type `{types[1]}`{values}",
            source=AtRisk(
                "comparisons, shifts and calls with `...` may give another result when they are compiled again"
            ),
        )


@change_rules.each("ABI504", lambda comparison: comparison.changed(comparison.pair.macros), None)
def macro_body_changed(macro: Changed[Macro]) -> Iterator[RuleResult]:
    """The body of a macro changed; a person must judge the effect."""
    old, new = macro.old, macro.new
    if len(old.parameters) != len(new.parameters):
        yield RuleResult(
            f"{old.name} had {count(len(old.parameters), 'parameter')}, has {len(new.parameters)}",
            help=_REVIEW,
            source=f"code that uses {old.name} with the old number of arguments no longer compiles",
            details=_was_and_is(old.body, new.body),
        )
    elif normal_form(old.body, old.parameters) != normal_form(new.body, new.parameters):
        yield from _body_changed(macro, old.body, new.body)


@change_rules.also("ABI504", lambda comparison: comparison.changed(comparison.pair.constants))
def _code_changed(constant: Changed[Constant]) -> Iterator[RuleResult]:
    """A macro without parameters that stands for a type, for code or for attributes."""
    old, new, apis = constant.old, constant.new, constant.apis
    before, after = meaning_of(old, apis.old_layouts), meaning_of(new, apis.new_layouts)
    differs = before.kind == CODE and before != after
    if _is_attribute(old, apis.old_layouts):
        differs = not _is_attribute(new, apis.new_layouts) or (
            effects(old, apis.old_layouts) != effects(new, apis.new_layouts)
        )
    if before.kind == CODE and old.is_object and new.is_object and old.text != new.text:
        yield _to_review(f"the contents of {old.name} changed, and users compile them", apis)
    elif differs and not is_guard(old):
        yield from _body_changed(constant, constant.old.text, constant.new.text)


def _other_forms(comparison: ApiComparison) -> Iterator[Changed[Macro | Constant]]:
    """Yield macros that take arguments on one side only, but for names of functions, which are called alike."""
    old, new = comparison.old, comparison.new
    for name, constant in old.constants.items():
        if name in new.macros and _is_code(constant, comparison.old_layouts):
            yield Changed(comparison, constant, new.macros[name])
    for name, macro in old.macros.items():
        if macro.in_api and name in new.constants and _is_code(new.constants[name], comparison.new_layouts):
            yield Changed(comparison, macro, new.constants[name])


def _is_code(constant: Constant, layouts: Layouts) -> bool:
    """True if a macro of the API stands for more than a name; that of a type is more."""
    text = constant.text.strip()
    is_name = text.isidentifier() and text not in C_KEYWORDS and text not in layouts.api.typedefs
    return constant.in_api and not is_name and meaning_of(constant, layouts).kind in (CODE, ATTRIBUTE, EMPTY)


def _is_attribute(constant: Constant, layouts: Layouts) -> bool:
    """True if a macro stands for attributes of declarations, or for none."""
    return meaning_of(constant, layouts).kind in (ATTRIBUTE, EMPTY)


@change_rules.also("ABI504", _other_forms)
def _form_changed(macro: Changed[Macro | Constant]) -> Iterator[RuleResult]:
    """A macro that got parameters, or lost them."""
    takes, took = ("has some", "had no parameters") if isinstance(macro.new, Macro) else ("has none", "had parameters")
    texts = (each.body if isinstance(each, Macro) else each.text for each in (macro.old, macro.new))
    yield RuleResult(
        f"{macro.name} {took}, {takes}",
        help="give the new macro another name, and keep the old one",
        source=f"code that uses {macro.name} as in OLD no longer compiles",
        details=_was_and_is(*texts),
    )


@change_rules.each("ABI407", lambda comparison: comparison.changed(comparison.pair.functions), None)
def inline_function_changed(function: Changed[Function]) -> Iterator[RuleResult]:
    """The body of a static function in the header changed."""
    if function.old.body and function.new.body and function.old.body != function.new.body:
        yield _to_review(f"the body of {function.name} changed, and users compile it", function.apis)


def _was_and_is(was: str, now: str) -> tuple[Detail, ...]:
    """Return both texts of a macro, long ones from where they differ."""
    return tuple(map(Detail, ("was", "is"), where_they_differ(was, now, longest=_LONGEST_TEXT)))


def _to_review(message: str, apis: ApisOnTarget) -> RuleResult:
    """Return the result about text that users compile, and that only a person can judge."""
    at_risk = AtRisk("plugins built against OLD have the old text compiled in: compare the effects of both")
    return RuleResult(message, apis.options.macro_body_bump, help=_REVIEW, contract=at_risk)


def _body_changed(macro: Changed[Macro] | Changed[Constant], was: str, now: str) -> Iterator[RuleResult]:
    """Yield the result about one macro that expands to another text."""
    details = _was_and_is(was, now)
    both = macro.apis.old_layouts, macro.apis.new_layouts
    before, after = entries_of(macro.old, both[0]), entries_of(macro.new, both[1])
    moved, taken = before.moved(after), taken_otherwise(before, after, *both)
    if taken:
        reason = "it uses the entry as `{}`; a core built against {} has `{}` there"
        yield RuleResult(
            f"{macro.name} cast {before.places[0][0]}[{before.places[0][1]}] to `{taken[0]}`, casts it to `{taken[1]}`",
            Bump.MAJOR,
            help=f"leave {macro.name} as it is, and append a new entry after the last one",
            plugins=(reason.format(taken[0], "NEW", taken[1]), reason.format(taken[1], "OLD", taken[0])),
        )
    elif moved is None:
        yield replace(_to_review(f"the body of {macro.name} changed", macro.apis), details=details)
    for table, old, new in moved or ():
        compiled_in = "it calls entry {} of {}, where a core built against {} has another function"
        yield RuleResult(
            f"{macro.name} was entry {old} of {table}, is entry {new}",
            Bump.MAJOR,
            help=f"leave {macro.name} where it is, and append new entries after the last one of {table}",
            caret=f"was entry {old}",
            plugins=(compiled_in.format(old, table, "NEW"), compiled_in.format(new, table, "OLD") + " or none"),
            details=details,
        )


def _removed_macros(comparison: ApiComparison) -> Iterator[Removed[Macro] | Removed[Constant]]:
    """Function-like macros that went, and others that went and have no value."""
    new = comparison.new
    for macro in comparison.removed(comparison.pair.macros):
        now = new.constants.get(macro.old.name)
        if now is None or meaning_of(now, comparison.new_layouts).kind != CODE:
            yield macro
    for constant in comparison.removed(comparison.pair.constants):
        kind = meaning_of(constant.old, comparison.old_layouts).kind
        if kind in (CODE, ATTRIBUTE, EMPTY) and not (constant.old.name in new.macros or is_guard(constant.old)):
            yield constant


@change_rules.each("ABI505", _removed_macros, None)
def macro_removed(removed: Removed[Macro] | Removed[Constant]) -> Iterator[RuleResult]:
    """A function-like macro, or a macro for a type, code, attributes or nothing, was removed."""
    old, apis = removed.old, removed.apis
    source = f"code that uses {old.name} no longer compiles"
    if isinstance(old, Constant) and _is_attribute(old, apis.old_layouts):
        source = AtRisk(f"{source}; mostly only the header uses it")
    if not is_named(old.name, apis.new):
        yield RuleResult(f"the macro {old.name} was removed", help=f"keep {old.name}", source=source)


def _added_macros(comparison: ApiComparison) -> Iterator[Added[Macro] | Added[Constant]]:
    """Function-like macros that came, and others that came and stand for a type or for code."""
    yield from comparison.added(comparison.pair.macros)
    for each in comparison.added(comparison.pair.constants):
        if meaning_of(each.new, comparison.new_layouts).kind == CODE:
            yield each


@change_rules.each("ABI506", _added_macros, Bump.MINOR)
def macro_added(added: Added[Macro] | Added[Constant]) -> Iterator[RuleResult]:
    """A function-like macro, or a macro for a type or code, was added."""
    name, old = added.new.name, added.apis.old
    if not (is_named(name, old) or is_macro(name, old)):
        yield RuleResult(f"the macro {name} was added")


def _is_special(name: str, apis: ApisOnTarget) -> bool:
    """True if other rules judge a constant of OLD: it tells a size or the version, on either side."""
    return any(name in api.size_constants or states_version(name, api) for api in (apis.old, apis.new))
