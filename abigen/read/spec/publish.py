"""How a spec publishes its API as a header: everything that follows from `header`, `prefix` and `version`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, NamedType, types_in
from abigen.model.entities import Macro, VersionDeclaration
from abigen.model.naming import include_guard
from abigen.model.span import Span
from abigen.model.standard import ALSO_DECLARED, STANDARD_TYPES
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.names import Declared, Names
from abigen.read.spec.plan import StructPlan

_EXPORTING = ('visibility("default")', "dllexport", "dllimport")
_PARTS = ("MAJOR", "MINOR", "PATCH")


@dataclass(frozen=True)
class Publication:
    """Names that the header has beyond those of its entities."""

    path: str
    guard: str
    guard_span: Span
    prefix: str
    version_macros: tuple[tuple[str, Span], ...]
    offset_of_end: str
    """Empty when no size macro needs it."""
    offset_of_end_span: Span
    adds_offset_of_end: bool
    """Whether neither this spec nor a used one declares the macro, so that the header has to."""

    @property
    def generated(self) -> dict[str, Declared]:
        """The macros that the spec does not list."""
        found = {name: Declared("version macro", span) for name, span in self.version_macros}
        found[self.guard] = Declared("include guard", self.guard_span)
        if self.adds_offset_of_end:
            found[self.offset_of_end] = Declared("macro", self.offset_of_end_span)
        return found


def plan_publication(root: Item, plans: Sequence[StructPlan], used: Names, report: Report) -> Publication:
    """Decide what the header is called and which macros it defines of its own.

    Args:
        root: the spec.
        plans: its structs.
        used: the names of the specs that this one uses.
        report: receives what is wrong.
    """
    header = root.item("header")
    api = root.text("api", "api")
    path = header.text("path", f"{api}.h") if header else f"{api}.h"
    prefix = root.text("prefix", api.upper())
    conventions = root.item("conventions")
    offset_of_end = ""
    if any(plan.size_macro for plan in plans):
        default = f"{prefix}_OFFSET_OF_END"
        offset_of_end = conventions.text("offset_of_end", default) if conventions else default
    own = {item.name: item for item in root.items("macros")}
    _check_export(root, used, report)
    if offset_of_end in own and len(own[offset_of_end].scalars("parameters")) != 2:
        message = f"'{offset_of_end}' computes where a member ends, so it takes a type and a member"
        report.error(own[offset_of_end].span("parameters"), message)
    return Publication(
        path=path,
        guard=header.text("guard", include_guard(path)) if header else include_guard(path),
        guard_span=_first_span((header, "guard"), (header, "path"), (root, "api")),
        prefix=prefix,
        version_macros=_version_macros(root, prefix, report),
        offset_of_end=offset_of_end,
        offset_of_end_span=_first_span((conventions, "offset_of_end"), (root, "prefix"), (root, "api")),
        adds_offset_of_end=bool(offset_of_end) and offset_of_end not in own and offset_of_end not in used.ordinary,
    )


def _first_span(*keys: tuple[Item | None, str]) -> Span:
    """The place of the first key that is there, of what a name follows from."""
    for item, key in keys:
        if item is not None and item.has(key):
            return item.span(key)
    item = keys[-1][0]
    assert item is not None
    return item.node.span


def _check_export(root: Item, used: Names, report: Report) -> None:
    """A macro before each function has to come from somewhere."""
    header = root.item("header")
    if header is None or not header.has("export"):
        return
    name = header.text("export")
    known = [item.name for item in root.items("constants")]
    known += [each for each, declared in used.ordinary.items() if declared.kind == "constant"]
    included = any(scalar.text.startswith('"') for scalar in header.scalars("includes"))
    if name not in known and not included:
        hint = did_you_mean(name, known) or "declare it among the constants, or include the header that does"
        report.error(header.span("export"), f"the macro '{name}' is not declared", hint)


def _version_macros(root: Item, prefix: str, report: Report) -> tuple[tuple[str, Span], ...]:
    stated = root.scalars("version_macros")
    if not root.has("version"):
        if stated:
            report.error(stated[0].span, "there is no version for this macro to state", "add 'version: 1.0.0'")
        return ()
    if root.has("version_macros"):
        return tuple((scalar.text, scalar.span) for scalar in stated)
    span = _first_span((root, "prefix"), (root, "version"))
    return tuple((f"{prefix}_{part}", span) for part in _PARTS)


def version_declaration(root: Item, publication: Publication) -> VersionDeclaration | None:
    """The version that the API states of itself."""
    version = root.version("version")
    if version is None:
        return None
    stated = root.has("version_macros")
    macros = tuple((name, span if stated else root.span("version")) for name, span in publication.version_macros)
    return VersionDeclaration(version=version, macros=macros, parts=len(macros) or 3)


def offset_of_end_macro(publication: Publication) -> Macro:
    """The macro that size macros are made with, where the spec leaves it to abigen."""
    return Macro(
        name=publication.offset_of_end,
        parameters=("TYPE", "MEMBER"),
        body="(offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))",
        doc="The offset of the first byte behind MEMBER of TYPE, in bytes.",
    )


def exports(api: Api) -> Api:
    """Mark the functions that `header.export` makes visible, as far as what the macro stands for is known.

    Args:
        api: an API with its header.
    """
    header = api.header
    macro = api.constants.get(header.export) if header else None
    if header is None or macro is None or not any(word in macro.text for word in _EXPORTING):
        return api
    functions = {
        name: replace(each, exported=True)
        if each.in_api and each.implemented_by != "plugin" and name not in header.unexported
        else each
        for name, each in api.functions.items()
    }
    return replace(api, functions=functions)


def all_includes(
    root: Item, publication: Publication, types: Iterable[CType], used_headers: Sequence[str], provided: frozenset[str]
) -> tuple[str, ...]:
    """What the header includes: what the spec lists, what its types need, and the headers of used specs.

    Args:
        root: the spec.
        publication: tells whether `offsetof` is needed.
        types: all types in the API.
        used_headers: headers of the specs in `uses`, in order.
        provided: everything that those include in turn.
    """
    header = root.item("header")
    stated = [scalar.text for scalar in header.scalars("includes")] if header else []
    present = {*stated, *provided}
    needed = {STANDARD_TYPES[name] for each in types for name in _standard_names(each)}
    if publication.offset_of_end:
        needed.add("<stddef.h>")
    missing = [each for each in sorted(needed) if not present & {each, *ALSO_DECLARED.get(each, ())}]
    used = [f'"{path}"' for path in used_headers]
    return tuple(dict.fromkeys([*missing, *stated, *used]))


def _standard_names(type: CType) -> Iterable[str]:
    for each in types_in(type):
        if isinstance(each, NamedType) and each.name in STANDARD_TYPES:
            yield each.name
        elif isinstance(each, Basic) and each.name in ("_Bool", "__builtin_va_list"):
            yield "bool" if each.name == "_Bool" else "va_list"
