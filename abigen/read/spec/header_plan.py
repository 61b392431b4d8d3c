"""How a spec publishes its API as a header: everything that follows from `header`, `prefix` and `version`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from abigen.model.api import Api, Header
from abigen.model.contract import Party
from abigen.model.ctype import Basic, CType, NamedType, types_in
from abigen.model.entities import Function, Macro, VersionDeclaration
from abigen.model.identifiers import ALSO_DECLARED, STANDARD_TYPES, include_guard
from abigen.model.releases import releases_of
from abigen.model.span import Span
from abigen.read.c.preprocessor.lexemes import folded
from abigen.read.document.problems import Problems
from abigen.read.document.tree import Item, parse_version
from abigen.read.spec.leading_fields import StructPlan
from abigen.read.spec.spec_names import DeclaredName, SpecNames

_EXPORTING = ('visibility("default")', "dllexport", "dllimport")
_PARTS = ("MAJOR", "MINOR", "PATCH")


def plan_header(
    root: Item, plans: Sequence[StructPlan], used: SpecNames, problems: Problems
) -> tuple[Header, dict[str, DeclaredName]]:
    """Decide what the header is called and which macros it defines of its own.

    Args:
        root: the spec.
        plans: its structs.
        used: the names of the specs that this one uses.
        problems: receives what is wrong.

    Returns:
        The header without what follows from types, and the macros in it that the spec does not list.
    """
    item, conventions = root.item("header"), root.item("conventions")
    api = root.text("api", "api")
    path = item.text("path", f"{api}.h")
    guard = item.text("guard", include_guard(path))
    prefix = root.text("prefix", api.upper())
    guarded = [each.name for key in ("macros", "constants") for each in root.items(key) if each.flag("guarded")]
    version_macros = _version_macros(root, prefix, problems)
    generated = {name: DeclaredName("version macro", span) for name, span in version_macros.items()}
    generated[guard] = DeclaredName("include guard", _first_span((item, "guard"), (item, "path"), (root, "api")))
    offset_of_end = ""
    if any(plan.size_macro for plan in plans):
        offset_of_end = conventions.text("offset_of_end", f"{prefix}_OFFSET_OF_END")
        own = next((each for each in root.items("macros") if each.name == offset_of_end), None)
        if own is None and offset_of_end not in used.ordinary:
            span = _first_span((conventions, "offset_of_end"), (root, "prefix"), (root, "api"))
            generated[offset_of_end] = DeclaredName("macro", span)
            guarded.append(offset_of_end)
        elif own and len(own.scalars("parameters")) != 2:
            message = f"'{offset_of_end}' computes where a member ends, so it takes a type and a member"
            problems.error(own.place("parameters"), message)
    _check_export(root, used, problems)
    header = Header(
        path=path,
        guard=guard,
        prefix=prefix,
        export=item.text("export"),
        extern=item.flag("extern"),
        cases={
            each.name: tuple((case.text("if"), folded(case.text("text"))) for case in each.items("value"))
            for each in root.items("constants")
            if each.items("value")
        },
        version_macros=tuple(version_macros),
        size_macros={plan.item.name: plan.size_macro for plan in plans if plan.size_macro},
        offset_of_end=offset_of_end,
        guarded=tuple(guarded),
        unexported=tuple(each.name for each in root.items("functions") if not each.flag("export", default=True)),
        uses=root.texts("uses"),
        banner=Path(root.source.file).name,
    )
    return header, generated


def publish(api: Api, root: Item, header: Header, generated: Mapping[str, DeclaredName]) -> Api:
    """Add the version and the header to an API, and mark the functions that the header exports.

    Args:
        api: the API with all its entities.
        root: the spec.
        header: the header.
        generated: the macros in it that the spec does not list.
    """
    version = root.version("version")
    if version is not None:
        stated = root.has("version_macros")
        spans = [(name, generated[name].span if stated else root.place("version")) for name in header.version_macros]
        declaration = VersionDeclaration(version=version, macros=tuple(spans), parts=len(spans) or 3)
        api = replace(api, version=declaration)
    releases = {*map(parse_version, root.texts("releases")), *releases_of(api)}
    header = replace(header, releases=tuple(sorted(releases)))
    return replace(api, header=header, functions=_exported(api, header))


def _first_span(*keys: tuple[Item, str]) -> Span:
    """The place of the first key that is there, of what a name follows from."""
    return next((item.place(key) for item, key in keys if item.has(key)), keys[-1][0].span)


def _check_export(root: Item, used: SpecNames, problems: Problems) -> None:
    """A macro before each function has to come from somewhere."""
    header = root.item("header")
    name = header.text("export")
    known = [*(item.name for item in root.items("constants")), *used.of_kinds("constant")]
    if name and name not in known and not any(each.startswith('"') for each in header.texts("includes")):
        otherwise = "declare it among the constants, or include the header that does"
        problems.unknown(header.place("export"), f"the macro '{name}' is not declared", name, known, otherwise)


def _version_macros(root: Item, prefix: str, problems: Problems) -> dict[str, Span]:
    stated = root.scalars("version_macros")
    if not root.has("version"):
        if stated:
            problems.error(stated[0].span, "there is no version for this macro to state", "add 'version: 1.0.0'")
        return {}
    if root.has("version_macros"):
        return {scalar.text: scalar.span for scalar in stated}
    return dict.fromkeys((f"{prefix}_{part}" for part in _PARTS), _first_span((root, "prefix"), (root, "version")))


def offset_of_end_macro(name: str) -> Macro:
    """The macro that size macros are made with, where the spec leaves it to abigen."""
    return Macro(
        name=name,
        parameters=("TYPE", "MEMBER"),
        body="(offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))",
        doc="The offset of the first byte behind MEMBER of TYPE, in bytes.",
    )


def _exported(api: Api, header: Header) -> dict[str, Function]:
    """The functions; those that `header.export` makes visible are marked, if it is known what the macro stands for."""
    macro = api.constants.get(header.export)
    if macro is None or not any(word in macro.text for word in _EXPORTING):
        return dict(api.functions)
    return {
        name: replace(each, exported=True)
        if each.in_api and each.implemented_by is not Party.PLUGIN and name not in header.unexported
        else each
        for name, each in api.functions.items()
    }


def all_includes(
    root: Item, header: Header, types: Iterable[CType], used_headers: Sequence[str], provided: frozenset[str]
) -> tuple[str, ...]:
    """What the header includes: what the spec lists, what its types need, and the headers of used specs.

    Args:
        root: the spec.
        header: tells whether `offsetof` is needed.
        types: all types in the API.
        used_headers: headers of the specs in `uses`, in order.
        provided: everything that those include in turn.
    """
    stated = root.item("header").texts("includes")
    present = {*stated, *provided}
    needed = {STANDARD_TYPES[name] for each in types for name in _standard_names(each)}
    if header.offset_of_end:
        needed.add("<stddef.h>")
    missing = [each for each in sorted(needed) if not present & {each, *ALSO_DECLARED.get(each, ())}]
    return tuple(dict.fromkeys([*missing, *stated, *(f'"{path}"' for path in used_headers)]))


def _standard_names(type: CType) -> Iterable[str]:
    for each in types_in(type):
        if isinstance(each, NamedType) and each.name in STANDARD_TYPES:
            yield each.name
        elif isinstance(each, Basic) and each.name in ("_Bool", "__builtin_va_list"):
            yield "bool" if each.name == "_Bool" else "va_list"
