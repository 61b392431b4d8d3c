"""Names: each one declared once, and none that C or C++ would refuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from abigen.model.span import Span
from abigen.model.standard import STANDARD_TYPES
from abigen.model.words import reserved_word
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report
from abigen.read.spec.plan import StructPlan

KINDS = {
    "macros": "macro",
    "constants": "constant",
    "typedefs": "typedef",
    "handles": "handle",
    "enums": "enum",
    "callbacks": "callback",
    "structs": "struct",
    "functions": "function",
}
"""Key of the spec to the kind of its entries, in the order in which a header declares them unless it says otherwise."""


@dataclass(frozen=True)
class Declared:
    """Something that has a name of its own in the header: what it is, and where the spec states its name."""

    kind: str
    span: Span | None
    origin: str = ""
    """The used spec that declares it; empty for this one."""


@dataclass
class Names:
    """All names of a spec, by C's name spaces; macros share the one of functions, types and enumerators."""

    ordinary: dict[str, Declared] = field(default_factory=dict)
    tags: dict[str, Declared] = field(default_factory=dict)

    def declared_by(self, origin: str) -> Names:
        """The same names as a spec that uses this one sees them."""

        def outside(names: Mapping[str, Declared]) -> dict[str, Declared]:
            return {name: replace(each, origin=each.origin or origin) for name, each in names.items()}

        return Names(outside(self.ordinary), outside(self.tags))


def collect_names(
    root: Item, plans: Iterable[StructPlan], generated: Mapping[str, Declared], used: Names, report: Report
) -> Names:
    """Declare everything that a spec names.

    Args:
        root: the spec.
        plans: its structs.
        generated: macros that the spec does not list but the header has (version macros, guard, helpers).
        used: the names of the specs that this one uses.
        report: receives clashes and names that C or C++ reserves.
    """
    names = Names(dict(used.ordinary), dict(used.tags))
    collector = _Collector(names, report)
    stated: list[tuple[Span, str, Item]] = []
    for key, kind in KINDS.items():
        for item in root.items(key):
            stated.append((item.name_span, kind, item))
            stated += [(each.name_span, "enumerator", each) for each in item.items("enumerators")]
    for span, kind, item in sorted(stated, key=lambda each: each[0]):
        collector.declare(item.name, kind, span, replaces=item.flag("guarded"))
    for plan in plans:
        if plan.size_macro:
            hint = (
                "" if plan.item.has("size_macro") else "name it otherwise with size_macro, or state size_macro: false"
            )
            collector.declare(plan.size_macro, "size macro", plan.size_macro_span, hint=hint)
    for name, declared in generated.items():
        collector.declare(name, declared.kind, declared.span)
    for key, kind in (("handles", "handle"), ("enums", "enum"), ("structs", "struct")):
        for item in root.items(key):
            collector.tag(item, kind)
    macros = {name for name, each in names.ordinary.items() if each.kind in ("constant", "size macro", "version macro")}
    for plan in plans:
        _check_members(plan, macros, report)
    return names


def tag_of(item: Item, kind: str) -> str:
    """The tag of a handle, enumeration or struct; empty when it has none.

    Args:
        item: the entity.
        kind: `handle`, `enum` or `struct`.
    """
    pointer = kind == "handle" and item.flag("by_pointer", default=True)
    default = f"{item.name}_st" if pointer else item.name
    return item.text("tag", default) if item.name else item.text("tag")


class _Collector:
    """Enters names one by one."""

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report

    def declare(self, name: str, kind: str, span: Span | None, *, hint: str = "", replaces: bool = False) -> None:
        """Enter a name in the space that all of C's entities but tags and members share.

        A macro that is only defined where nothing has defined it before `replaces` that of a used spec.
        """
        if not name:
            return
        reason = reserved_word(name) or (f"is declared by {STANDARD_TYPES[name]}" if name in STANDARD_TYPES else "")
        if reason:
            self.report.error(span, f"'{name}' {reason}", hint)
        first = self.names.ordinary.get(name)
        if first is not None and not (replaces and first.origin and first.kind == kind):
            self.report.error(span, f"'{name}' is declared twice: {_already(first, kind)}", hint)
            return
        self.names.ordinary[name] = Declared(kind, span)

    def tag(self, item: Item, kind: str) -> None:
        """Enter a tag; C++ keeps tags and types in one space (ISO/IEC 14882, [class.name])."""
        tag = tag_of(item, kind)
        if not tag:
            return
        span = item.span("tag") if item.has("tag") else item.name_span
        if tag != item.name and (reason := reserved_word(tag)):
            self.report.error(span, f"the tag '{tag}' {reason}")
        if kind == "handle" and tag == item.name and item.flag("by_pointer", default=True):
            hint = "leave 'tag' out, or state by_pointer: false if the name stands for the struct itself"
            self.report.error(span, f"'{tag}' cannot be the tag too: C++ takes both for the same type", hint)
            return
        other = self.names.tags.get(tag)
        ordinary = self.names.ordinary.get(tag)
        if other is not None and other.kind == kind == "handle":
            return
        if other is not None:
            self.report.error(span, f"the tag '{tag}' is used twice: {_already(other, kind)}")
        elif ordinary is not None and tag != item.name:
            self.report.error(span, f"the tag '{tag}' is also the name of something else: {_already(ordinary, kind)}")
        else:
            self.names.tags[tag] = Declared(kind, span)


def _already(first: Declared, kind: str) -> str:
    what = "" if first.kind == kind else f" as {'an' if first.kind[0] in 'aeiou' else 'a'} {first.kind}"
    if first.origin:
        return f"{first.origin} declares it{what}"
    return f"it stands at line {first.span.line}{what}" if first.span else f"the header has it{what}"


def _check_members(plan: StructPlan, macros: set[str], report: Report) -> None:
    leading = {each.name: each.span for each in plan.leading}
    seen = dict(leading)
    for field_item in plan.item.items("fields"):
        name, span = field_item.name, field_item.name_span
        if not name:
            continue
        if name in seen:
            if name not in leading:
                message = f"'{plan.item.name}' has a member '{name}' already, at line {seen[name].line}"
                report.error(span, message)
            continue
        seen[name] = span
        if reason := reserved_word(name, file_scope=False):
            report.error(span, f"'{name}' {reason}")
        elif name in macros:
            report.error(span, f"'{name}' is a macro of this header, which would replace the member's name")
