"""Reading a spec: from its text to the API that it describes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from abigen.model.api import Api, ApiGroup, ApiSet, Conventions, Errors
from abigen.model.entities import Typedef
from abigen.model.header import Header
from abigen.model.releases import at_release, releases_of
from abigen.model.span import AbigenError
from abigen.model.standard import BUILT_IN
from abigen.model.version import Version
from abigen.read.c.preprocessor.scan import folded
from abigen.read.facts import with_facts
from abigen.read.options import ReadOptions, SourceFile
from abigen.read.spec.ages import AgeChecker, check_type_ages, sentinels
from abigen.read.spec.build import Builder
from abigen.read.spec.cases import Choice, choose_cases
from abigen.read.spec.context import Context, merge_context
from abigen.read.spec.contracts import check_contracts, check_replacements
from abigen.read.spec.entities import Entities
from abigen.read.spec.item import Item, parse_version
from abigen.read.spec.layouts import check_layouts
from abigen.read.spec.messages import Report
from abigen.read.spec.names import KINDS, Names, collect_names
from abigen.read.spec.needs import named_in
from abigen.read.spec.nodes import Mapping, Node, Scalar, Sequence
from abigen.read.spec.order import order_declarations
from abigen.read.spec.plan import StructPlan, leading_fields, plan_struct
from abigen.read.spec.publish import (
    Publication,
    all_includes,
    exports,
    offset_of_end_macro,
    plan_publication,
    version_declaration,
)
from abigen.read.spec.scope import make_reader
from abigen.read.spec.structure import Schema, check_structure, load_schema
from abigen.read.spec.uses import find_uses
from abigen.read.spec.yaml_source import read_yaml, without_mark

MAX_CHAIN = 40
"""How many specs may use one another in a chain."""


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
    groups = [ApiGroup(each.targets, _at(each, at)) for each in loader.load(source, ())]
    return ApiSet(tuple(groups), loader.sources, tuple(loader.dependencies))


def _at(loaded: _Loaded, release: Version | None) -> Api:
    """The API as it was at a release: one of its own, or an older one when it does not say which was the first."""
    api = loaded.api
    if release is None:
        return api
    releases = api.header.releases if api.header else ()
    is_older = bool(releases) and release < releases[0]
    if release not in releases and not (is_older and not loaded.lists_releases):
        known = ", ".join(str(each) for each in releases)
        hint = f"its releases: {known}" if known else "it states no version"
        raise AbigenError.at(None, f"{api.name} has no release {release}", hint)
    return at_release(api, release)


@dataclass(frozen=True)
class _Loaded:
    """A spec that has been read, with what others that use it have to know."""

    targets: tuple[str, ...]
    """Those that see it so."""
    api: Api
    names: Names
    provided: frozenset[str]
    """All that its header includes, in turn as well."""
    lists_releases: bool
    """Whether it says which was its first release; what has no `since` is as old as that."""


class _Loader:
    """Reads a spec and those that it uses, each once."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.sources: dict[str, str] = {}
        self.dependencies: list[str] = []
        self._schema: Schema = load_schema()
        self._loaded: dict[str, _Loaded | None] = {}

    def load(self, source: SourceFile, chain: tuple[str, ...]) -> list[_Loaded]:
        """Read one spec, once per group of targets; `chain` holds the files that led to it."""
        self.sources[source.name] = without_mark(source.text)
        self.dependencies.append(source.path)
        root_node, diagnostics = read_yaml(source)
        report = Report(diagnostics)
        checked, diagnostics = check_structure(root_node, self._schema)
        report.add(diagnostics)
        if not isinstance(checked, Mapping):
            report.raise_errors()
            raise AbigenError.at(root_node.span, "this is no spec")
        root = Item(checked)
        context = self._context(root, source, (*chain, _identity(source.path)), report)
        forgiven = _names_in(root_node) - _names_in(checked)
        check_replacements(root, report)
        choices = choose_cases(root, self.options, report) if len(chain) == 0 else (Choice(self.options.targets),)
        loaded = [_interpret(root, source, context, choice, report, forgiven) for choice in choices]
        for each in loaded if not report else ():
            check_layouts(each.api, each.targets, report)
        report.raise_errors()
        return loaded

    def _context(self, root: Item, source: SourceFile, chain: tuple[str, ...], report: Report) -> Context:
        """What the specs in `uses` declare."""
        uses = find_uses(root, source, self.options, report)
        parts: list[tuple[Scalar, Api, Names, frozenset[str]]] = []
        for use in uses:
            path = _identity(use.source.path)
            if path in chain:
                cycle = [Path(each).name for each in (*chain[chain.index(path) :], path)]
                report.error(use.scalar.span, f"specs cannot use one another in a circle: {' -> '.join(cycle)}")
                continue
            if len(chain) > MAX_CHAIN:
                report.error(use.scalar.span, f"more than {MAX_CHAIN} specs use one another in a chain")
                continue
            if path not in self._loaded:
                self._loaded[path] = None
                try:
                    self._loaded[path] = self.load(use.source, chain)[0]
                except AbigenError as error:
                    report.add(error.diagnostics)
            loaded = self._loaded[path]
            if loaded is not None:
                parts.append((use.scalar, loaded.api, loaded.names, loaded.provided))
        return merge_context(parts, report, incomplete=len(parts) < len(root.scalars("uses")))


def _interpret(
    root: Item, source: SourceFile, context: Context, choice: Choice, report: Report, forgiven: frozenset[str]
) -> _Loaded:
    """From items to an API; what is wrong is reported, and the rest is read on."""
    leading = leading_fields(root.item("conventions"), report)
    plans = [plan_struct(item, leading, report) for item in root.items("structs")]
    publication = plan_publication(root, plans, context.names, report)
    names = collect_names(root, plans, publication.generated, context.names, report)
    check_contracts(root, plans, names, report)
    AgeChecker(root, names, report).check()
    types = make_reader(root, context.api, choice, report, forgiven, incomplete=context.incomplete)
    entities = Builder(root, plans, types, choice, report).build()
    order = order_declarations(root, entities.declarations, report)
    if publication.adds_offset_of_end:
        entities.macros[publication.offset_of_end] = offset_of_end_macro(publication)
    api = _assemble(root, source, context.api, entities, order)
    includes = all_includes(root, publication, entities.types(), context.headers, context.provided)
    header = _header(root, source, plans, publication, includes, order)
    api = replace(api, header=header, version=version_declaration(root, publication))
    stated = {parse_version(scalar.text) for scalar in root.scalars("releases")}
    header = replace(header, releases=tuple(sorted(stated | set(releases_of(api)))))
    api = exports(replace(api, header=header))
    api = with_facts(api, frozen={plan.item.name for plan in plans if not plan.versioned})
    check_type_ages(api, report)
    provided = context.provided | {f'"{publication.path}"', *includes}
    declared = names.declared_by(root.text("api", source.name))
    return _Loaded(choice.targets, api, declared, provided, lists_releases=bool(stated))


def _assemble(
    root: Item, source: SourceFile, context: Api, entities: Entities, order: tuple[tuple[str, str], ...]
) -> Api:
    """The API, its entities in the order of declaration behind those of its context."""
    entities.sort([name for _, name in order])
    named = {name for type in entities.types() for name in named_in(type)}
    built_in = {name: Typedef(name=name, type=type, in_api=False) for name, type in BUILT_IN.items() if name in named}
    return replace(
        context,
        name=source.name,
        structs={**context.structs, **entities.structs},
        enums={**context.enums, **entities.enums},
        typedefs={**context.typedefs, **built_in, **entities.typedefs},
        functions={**context.functions, **entities.functions},
        constants={**context.constants, **entities.constants},
        macros={**context.macros, **entities.macros},
        size_constants={**context.size_constants, **entities.size_constants},
        conventions=_conventions(root, source, context),
        doc=root.text("doc").strip(),
        files=(source.name,),
    )


def _conventions(root: Item, source: SourceFile, context: Api) -> Conventions:
    """What the spec says, and of errors what the first used spec says that does."""
    inherited = next((each.errors for _, each in context.used.values() if each.errors), None)
    usual = Conventions(errors=inherited)
    item = root.item("conventions")
    if item is None:
        return usual
    cpp = item.item("cpp")
    names = cpp.item("names") if cpp else None
    leading = leading_fields(item, Report())
    filled_by = item.item("filled_by")
    return Conventions(
        size_field=leading[0].name if leading else usual.size_field,
        extension_field=leading[1].name if len(leading) > 1 else usual.extension_field,
        filled_by=_texts(filled_by) if filled_by else usual.filled_by,
        max_alignment=item.number("max_alignment") or usual.max_alignment,
        sentinels=sentinels(root),
        errors=_errors(item.item("errors"), source) or inherited,
        cpp_namespace=cpp.text("namespace") if cpp else "",
        cpp_names=_texts(names) if names else {},
    )


def _texts(item: Item) -> dict[str, str]:
    """A mapping of texts."""
    return {entry.key.text: entry.value.text for entry in item.node if isinstance(entry.value, Scalar)}


def _errors(item: Item | None, source: SourceFile) -> Errors | None:
    codes = item.item("codes") if item else None
    if item is None or codes is None:
        return None
    return Errors(
        status=item.text("status"),
        set=item.text("set"),
        code=item.text("code"),
        message=item.text("message"),
        codes=_texts(codes),
        file=source.name,
    )


def _header(
    root: Item,
    source: SourceFile,
    plans: list[StructPlan],
    publication: Publication,
    includes: tuple[str, ...],
    order: tuple[tuple[str, str], ...],
) -> Header:
    item = root.item("header")
    guarded = [each.name for key in ("macros", "constants") for each in root.items(key) if each.flag("guarded")]
    if publication.adds_offset_of_end:
        guarded.append(publication.offset_of_end)
    functions = root.items("functions")
    return Header(
        path=publication.path,
        includes=includes,
        guard=publication.guard,
        prefix=publication.prefix,
        export=item.text("export") if item else "",
        extern=item.flag("extern") if item else False,
        cases={
            each.name: tuple((case.text("if"), folded(case.text("text"))) for case in each.items("value"))
            for each in root.items("constants")
            if each.items("value")
        },
        version_macros=tuple(name for name, _ in publication.version_macros),
        size_macros={plan.item.name: plan.size_macro for plan in plans if plan.size_macro},
        offset_of_end=publication.offset_of_end,
        guarded=tuple(guarded),
        unexported=tuple(each.name for each in functions if not each.flag("export", default=True)),
        uses=tuple(scalar.text for scalar in root.scalars("uses")),
        order=order,
        banner=Path(source.name).name,
    )


def _names_in(node: Node) -> frozenset[str]:
    """All that stands behind `name` in the entities of a document, valid or not."""
    if not isinstance(node, Mapping):
        return frozenset()
    found: set[str] = set()
    for key in KINDS:
        value = node.get(key)
        for each in value.items if isinstance(value, Sequence) else ():
            name = each.get("name") if isinstance(each, Mapping) else None
            if isinstance(name, Scalar):
                found.add(name.text)
    return frozenset(found)


def _identity(path: str) -> str:
    """One spelling per file."""
    return str(Path(path).resolve())
