"""Reading a spec: from its text, and those of the specs that it uses, to the API that it describes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from abigen.headers.conventions import USUAL_CONVENTIONS
from abigen.headers.entities.declarations import with_values
from abigen.headers.facts import with_facts
from abigen.model.api import Api, ApiGroup, ApiSet, Conventions, Header
from abigen.model.contract import Requirement
from abigen.model.entities import Typedef
from abigen.model.releases import at_release
from abigen.model.span import AbigenError
from abigen.model.spelling import BUILT_IN
from abigen.model.target import find_target
from abigen.model.version import Version
from abigen.specs.c_types import TypeReader, check_errors, read_errors
from abigen.specs.checks import (
    LifecycleChecker,
    check_entities,
    check_layouts,
    check_older_plugins_stay_valid,
    check_parameters,
    check_references,
    check_replacements,
    check_types_are_older,
    sentinels,
    verify_samples,
)
from abigen.specs.entity_builder import Builder, Entities, types_of
from abigen.specs.header_plan import (
    SystemTypes,
    all_includes,
    named_in,
    offset_of_end_macro,
    order_declarations,
    plan_header,
    publish,
    system_types,
    with_system_types,
)
from abigen.specs.spec_names import (
    GROUPS,
    KINDS,
    Choice,
    SpecNames,
    choose_cases,
    collect_names,
    leading_fields,
    plan_struct,
)
from abigen.workspace.document.json_schema import check_structure, load_schema
from abigen.workspace.document.tree import Item, ListNode, Node, Problems, Scalar, decode, read_yaml, without_mark
from abigen.workspace.files import is_below, root_of
from abigen.workspace.options import ReadOptions, SourceFile

SCHEMA_FILE = Path(__file__).with_name("schema.json")
"""The JSON Schema of specs, as it is published."""
_SUFFIXES = (".yaml", ".yml")
_MAX_CHAIN = 40
"""The number of specs that may use one another in a chain."""


def read_spec(source: SourceFile, options: ReadOptions, at: Version | None = None) -> ApiSet:
    """Read a spec.

    Args:
        source: the file.
        options: the targets that the API is for.
        at: read the API as it was at this release; as it is when left out.

    Returns:
        One API for all targets, or several where constants have cases that depend on the target, each with
        `Api.header` filled; what the specs in `uses` declare is context.

    Raises:
        AbigenError: with everything that is wrong with the spec and with those that it uses, or because it has no such
            release.
    """
    loader = _Loader(options)
    groups = [ApiGroup(each.targets, _api_at(each, at)) for each in loader.load(source, ())]
    return ApiSet(tuple(groups), loader.sources, tuple(loader.dependencies))


def _api_at(loaded: _Loaded, release: Version | None) -> Api:
    """Return the API as it was at a release: one of its own, or an older one when the first is not stated."""
    api, releases = loaded.api, loaded.header.releases
    if release is None:
        return api
    is_older = bool(releases) and release < releases[0]
    if release not in releases and not (is_older and not loaded.lists_releases):
        known = ", ".join(str(each) for each in releases)
        hint = f"its releases: {known}" if known else "it states no version"
        raise AbigenError.at(None, f"{api.name} has no release {release}", hint)
    return at_release(api, release)


class _Loaded(msgspec.Struct, frozen=True):
    """A spec that has been read, with the facts that specs which use it need."""

    targets: tuple[str, ...]
    """The targets on which the spec declares this."""
    api: Api
    header: Header
    names: SpecNames
    provided: frozenset[str]
    """Its header, and all that it includes, in turn as well."""
    lists_releases: bool
    """True if it says which was its first release; what has no `since` is as old as that."""


class _Loader:
    """Reads a spec and those that it uses, each once."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.sources: dict[str, str] = {}
        self.dependencies: list[str] = []
        self._schema = load_schema(SCHEMA_FILE)
        self._loaded: dict[str, _Loaded | None] = {}

    def load(self, source: SourceFile, chain: tuple[str, ...]) -> list[_Loaded]:
        """Read one spec, once per group of targets; `chain` holds the files that led to it."""
        self.sources[source.name] = without_mark(source.text)
        self.dependencies.append(source.path)
        problems = Problems()
        document = read_yaml(source, problems)
        root = check_structure(document, self._schema, problems)
        if not isinstance(root, Item):
            problems.raise_errors()
            raise AbigenError.at(document.span, "this is no spec")
        if isinstance(document, Item) and "version" in document.values and not root.has("version"):
            problems.raise_errors()  # each `since` would be refused because of the version
        used = self._used(root, source, (*chain, self.options.files.real(source.path)), problems)
        context, outside = _together(used, problems)
        # What is missing may be what was refused, or what a spec declares that could not be read.
        is_whole = len(used) == len(root.scalars("uses"))
        forgiven = _names_in(document) - _names_in(root) if is_whole else None
        check_replacements(root, problems)
        included = frozenset(root.item("header").texts("includes")).union(*(each.provided for _, each in used))
        early = [each for each in root.items("constants") if each.flag("before_includes")]
        system = system_types(included, source.text, self.options, {each.name: each.text("value") for each in early})
        context = with_system_types(context, reversed(system))
        choices: list[tuple[Choice, SystemTypes]] = []
        for declared in system:
            targets = tuple(each for each in self.options.targets if each in declared.targets)
            found: tuple[Choice, ...] = (Choice(targets),)
            if not chain:
                options = replace(self.options, targets=targets)
                found = choose_cases(root, declared.types.constants, _headers(used), options, problems)
            choices += [(each, declared) for each in found if each.targets]
        loaded: list[_Loaded] = []
        for choice, declared in choices:
            types = TypeReader(root, with_system_types(context, [declared]), choice, problems, forgiven)
            loaded.append(_interpret(root, types, outside, [each for _, each in used], problems))
        for each in loaded if not problems else ():
            check_layouts(each.api, each.targets, problems)
        problems.raise_errors()
        return loaded

    def _used(
        self, root: Item, source: SourceFile, chain: tuple[str, ...], problems: Problems
    ) -> list[tuple[Scalar, _Loaded]]:
        """Return the specs that entries of `uses` name, those that can be read."""
        used: list[tuple[Scalar, _Loaded]] = []
        for scalar, file in _find_uses(root, source, self.options, problems):
            path = self.options.files.real(file.path)
            if path in chain:
                cycle = [Path(each).name for each in (*chain[chain.index(path) :], path)]
                problems.error(scalar.span, f"specs cannot use one another in a circle: {' -> '.join(cycle)}")
                continue
            if len(chain) > _MAX_CHAIN:
                problems.error(scalar.span, f"more than {_MAX_CHAIN} specs use one another in a chain")
                continue
            if path not in self._loaded:
                self._loaded[path] = None
                try:
                    self._loaded[path] = self.load(file, chain)[0]
                except AbigenError as error:
                    problems.add(error.diagnostics)
            if loaded := self._loaded[path]:
                used.append((scalar, loaded))
        return used


def _find_uses(
    root: Item, source: SourceFile, options: ReadOptions, problems: Problems
) -> list[tuple[Scalar, SourceFile]]:
    """Read the files that `uses` names.

    Args:
        root: the spec.
        source: the spec's own file; the paths are relative to its directory.
        options: say how files are called in messages, and read them.
        problems: receives what cannot be read.

    Returns:
        Entries of `uses` with the file that each means, those that can be read, in order.
    """
    files, directory = options.files, Path(source.path).parent
    roots = (root_of(source.path, files), *options.include_dirs, *(folder for folder, _ in options.aliases))
    found: list[tuple[Scalar, SourceFile]] = []
    allowed = [files.real(each) for each in roots]
    for scalar in root.scalars("uses"):
        paths = [os.path.normpath(directory / (scalar.text + suffix)) for suffix in _SUFFIXES]
        path = next((each for each in paths if files.is_file(each)), None)
        if not any(is_below(files.real(path or paths[0]), each) for each in allowed):
            hint = "run abigen in a directory that both specs are below, if that is meant"
            problems.error(scalar.span, f"'{scalar.text}' is outside of the directories that may be read", hint)
            continue
        if path is None:
            try:
                names = [Path(each) for each in files.names((directory / scalar.text).parent)]
            except OSError:
                names = []
            known = [each.stem for each in names if each.suffix in _SUFFIXES][:1000]
            word = Path(scalar.text.removesuffix(".yaml").removesuffix(".yml")).name
            problems.unknown(scalar.span, f"there is no spec '{scalar.text}' beside this one", word, known)
            continue
        try:
            name = options.display_name(path)
            found.append((scalar, SourceFile(name, path, decode(name, files.read(path)))))
        except OSError as error:
            problems.error(scalar.span, f"the spec '{scalar.text}' cannot be read: {error.strerror}")
        except AbigenError as error:
            problems.add(error.diagnostics)
    return found


def _together(used: Sequence[tuple[Scalar, _Loaded]], problems: Problems) -> tuple[Api, SpecNames]:
    """Return the declarations of used specs, directly or not, outside of the API; and an error for each difference.

    Args:
        used: entries of `uses` with the specs that they name.
        problems: receives names that stand for different things.
    """
    merged = Api(name="")
    names = SpecNames()
    for scalar, loaded in used:
        groups: dict[str, Any] = {}
        for group in GROUPS:
            groups[group] = dict(getattr(merged, group))
            for name, entity in getattr(loaded.api, group).items():
                outside = replace(entity, in_api=False)
                if groups[group].setdefault(name, outside) != outside:
                    origin = names.ordinary[name].origin if name in names.ordinary else "another spec"
                    problems.error(scalar.span, f"'{scalar.text}' and {origin} declare '{name}' differently")
        own = dict.fromkeys(loaded.api.files, (loaded.header, loaded.api.conventions))
        merged = replace(merged, **groups, used={**merged.used, **loaded.api.used, **own})
        names.ordinary.update(loaded.names.ordinary)
        names.tags.update(loaded.names.tags)
    return merged, names


def _headers(used: Sequence[tuple[Scalar, _Loaded]]) -> Iterator[tuple[Api, Header]]:
    """Yield the headers of used specs, each with an API that has its macros, and after those that it includes."""
    for _, loaded in used:
        yield from ((loaded.api, header) for header, _ in loaded.api.used.values())
        yield loaded.api, loaded.header


def _interpret(
    root: Item, types: TypeReader, outside: SpecNames, used: Sequence[_Loaded], problems: Problems
) -> _Loaded:
    """From items to an API; what is wrong is reported, and the rest is read on."""
    file = root.source.file
    leading = leading_fields(root, problems)
    pattern = root.item("conventions").text("size_macro")
    plans = [plan_struct(item, leading, pattern, problems) for item in root.items("structs")]
    header, generated = plan_header(root, plans, outside, problems)
    names = collect_names(root, plans, generated, outside, problems)
    check_references(root, plans, names, problems)
    LifecycleChecker(root, names, problems).check()
    builder = Builder(root, plans, types, problems)
    entities = builder.build()
    order = order_declarations(root, builder.declarations, problems)
    if builder.declarations and not order:
        problems.raise_errors()  # what is made of itself: whoever followed it would come to no end
    if header.offset_of_end in generated:
        entities["macros"][header.offset_of_end] = offset_of_end_macro(header.offset_of_end)
    api = _assemble(types.context, entities, [name for _, name in order])
    conventions = _conventions(root, [each.name for each in leading], types.context, types)
    api = replace(api, name=file, conventions=conventions, doc=root.text("doc").strip(), files=(file,))
    check_entities(root, api, problems)
    check_parameters(builder.parameters, api, problems)
    api = replace(api, samples=verify_samples(root, api, problems))
    check_errors(root.item("conventions").item("errors"), conventions, api, problems)
    provided = frozenset[str]().union(*(each.provided for each in used))
    includes = all_includes(root, header, types_of(entities), [each.header.path for each in used], provided)
    api, header = publish(
        api, root, replace(header, includes=includes, order=order), generated, exports=types.choice.exports
    )
    api = with_facts(api, frozen={plan.item.name for plan in plans if not plan.versioned})
    check_types_are_older(api, problems)
    check_older_plugins_stay_valid(api, problems)
    if builder.unvalued and not problems:
        api = _with_values(api, builder.unvalued, types.choice.targets, problems)
    declared = names.declared_by(root.text("api", file))
    is_listed = bool(root.nodes("releases"))
    return _Loaded(types.choice.targets, api, header, declared, provided | {f'"{header.path}"', *includes}, is_listed)


def _with_values(api: Api, unvalued: Set[str], targets: Sequence[str], problems: Problems) -> Api:
    """Return an API with the values of enumerators that depend on type sizes, which all targets have to share.

    Args:
        api: as it was read.
        unvalued: names of enumerators that have no value yet.
        targets: those that see the API so.
        problems: receives what cannot be computed, and what differs.
    """
    found = {name: with_values(api, unvalued, find_target(name)) for name in targets}
    first, errors = found[targets[0]]
    problems.add(errors)
    for key, enum in first.enums.items() if not errors else ():
        for place, each in enumerate(enum.enumerators or ()):
            others = {name: (other.enums[key].enumerators or ())[place].value for name, (other, _) in found.items()}
            name = next((name for name, value in others.items() if value != each.value), "")
            if each.name in unvalued and name and each.span is not None:
                message = f"'{each.name}' is {each.value} on {targets[0]}, {others[name]} on {name}"
                problems.error(each.span, message, "give it a number, or make it a constant whose value has cases")
                break  # those that follow differ, too
    return first


def _assemble(context: Api, entities: Entities, order: Sequence[str]) -> Api:
    """Return an API of a spec's entities, in the order of declaration, behind those of its context.

    What is not declared by itself comes last; a size constant stands where its struct does.
    """
    places = {name: position for position, name in enumerate(order)}
    places |= {each.name: places.get(each.struct, len(places)) for each in entities["size_constants"].values()}
    named = {name for type in types_of(entities) for name in named_in(type)}
    built_in = {name: Typedef(name=name, type=type, in_api=False) for name, type in BUILT_IN.items() if name in named}
    context = replace(context, typedefs={**context.typedefs, **built_in})
    groups: dict[str, Any] = {}
    for group, own in entities.items():
        ordered = sorted(own, key=lambda name: places.get(name, len(places)))
        groups[group] = {**getattr(context, group), **{name: own[name] for name in ordered}}
    return replace(context, **groups)


def _conventions(root: Item, leading: Sequence[str], context: Api, types: TypeReader) -> Conventions:
    """Return the conventions of the spec, with those about errors of the first used spec that has some."""
    usual = USUAL_CONVENTIONS
    item = root.item("conventions")
    errors, returned = read_errors(root, context, types)
    return Conventions(
        size_field=leading[0] if leading else usual.size_field,
        extension_field=leading[1] if len(leading) > 1 else usual.extension_field,
        filled_by=item.item("filled_by").table() if item.has("filled_by") else usual.filled_by,
        size_macro=item.text("size_macro"),
        mask_member=item.texts("mask_member"),
        max_alignment=item.number("max_alignment") or usual.max_alignment,
        sentinels=sentinels(root),
        errors=errors,
        returned=returned,
        first_call=item.text("first_call"),
        last_call=item.text("last_call"),
        unmarked=Requirement(item.text("unmarked")),
        cpp_namespace=item.item("cpp").text("namespace"),
        cpp_names=item.item("cpp").item("names").table(),
        python_package=root.item("python").text("package"),
    )


def _names_in(node: Node) -> frozenset[str]:
    """Return all that stands behind `name` in the entities of a document, valid or not."""
    lists = [node.values.get(key) for key in KINDS] if isinstance(node, Item) else []
    items = [each for list in lists if isinstance(list, ListNode) for each in list.items]
    return frozenset(each.name for each in items if isinstance(each, Item))
