"""Names: each one declared once, and none that C or C++ would refuse."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from abigen.model.identifiers import STANDARD_TYPES, reserved_word
from abigen.model.span import Span
from abigen.read.document.problems import Problems
from abigen.read.document.tree import Item
from abigen.read.spec.leading_fields import StructPlan

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


GROUPS = ("structs", "enums", "typedefs", "functions", "constants", "macros", "size_constants")
"""The groups of an API's entities that a spec can have."""


@dataclass(frozen=True)
class DeclaredName:
    """Something that has a name of its own in the header: what it is, and where the spec states its name."""

    kind: str
    span: Span
    origin: str = ""
    """The used spec that declares it; empty for this one."""


@dataclass
class SpecNames:
    """All names of a spec, by C's name spaces; macros share the one of functions, types and enumerators."""

    ordinary: dict[str, DeclaredName] = field(default_factory=dict)
    tags: dict[str, DeclaredName] = field(default_factory=dict)

    def declared_by(self, origin: str) -> SpecNames:
        """The same names as a spec that uses this one sees them."""

        def outside(names: Mapping[str, DeclaredName]) -> dict[str, DeclaredName]:
            return {name: replace(each, origin=each.origin or origin) for name, each in names.items()}

        return SpecNames(outside(self.ordinary), outside(self.tags))

    def of_kinds(self, *kinds: str) -> list[str]:
        """The names of all macros, functions, types and enumerators of some kinds."""
        return [name for name, each in self.ordinary.items() if each.kind in kinds]


def collect_names(
    root: Item, plans: Iterable[StructPlan], generated: Mapping[str, DeclaredName], used: SpecNames, problems: Problems
) -> SpecNames:
    """Declare everything that a spec names.

    Args:
        root: the spec.
        plans: its structs.
        generated: macros that the spec does not list but the header has (version macros, guard, helpers).
        used: the names of the specs that this one uses.
        problems: receives clashes and names that C or C++ reserves.
    """
    names = SpecNames(dict(used.ordinary), dict(used.tags))
    collector = _Collector(names, problems)
    stated: list[tuple[Span, str, Item]] = []
    for key, kind in KINDS.items():
        for item in root.items(key):
            stated.append((item.name_span, kind, item))
            stated += [(each.name_span, "enumerator", each) for each in item.items("enumerators")]
    for span, kind, item in sorted(stated, key=lambda each: each[0]):
        collector.declare(item.name, DeclaredName(kind, span), replaces=item.flag("guarded"))
    for plan in plans:
        hint = "" if plan.item.has("size_macro") else "name it otherwise with size_macro, or state size_macro: false"
        collector.declare(plan.size_macro, DeclaredName("size macro", plan.size_macro_span), hint=hint)
    for name, declared in generated.items():
        collector.declare(name, declared)
    for key in ("handles", "enums", "structs"):
        for item in root.items(key):
            collector.tag(item, KINDS[key])
    macros = set(names.of_kinds("constant", "size macro", "version macro"))
    for plan in plans:
        _check_members(plan, macros, problems)
    return names


def tag_of(item: Item, kind: str) -> str:
    """The tag of a handle, enumeration or struct; empty when it has none.

    Args:
        item: the entity.
        kind: `handle`, `enum` or `struct`.
    """
    pointer = kind == "handle" and item.flag("by_pointer", default=True)
    return item.text("tag", f"{item.name}_st" if pointer else item.name)


class _Collector:
    """Enters names one by one."""

    def __init__(self, names: SpecNames, problems: Problems) -> None:
        self.names = names
        self.problems = problems

    def declare(self, name: str, declared: DeclaredName, *, hint: str = "", replaces: bool = False) -> None:
        """Enter a name in the space that all of C's entities but tags and members share.

        A macro that is only defined where nothing has defined it before `replaces` that of a used spec.
        """
        if not name:
            return
        reason = reserved_word(name) or (f"is declared by {STANDARD_TYPES[name]}" if name in STANDARD_TYPES else "")
        if reason:
            self.problems.error(declared.span, f"'{name}' {reason}", hint)
        first = self.names.ordinary.get(name)
        if first is not None and not (replaces and first.origin and first.kind == declared.kind):
            message = f"'{name}' is declared twice: {_already(first, declared.kind)}"
            self.problems.error(declared.span, message, hint)
            return
        self.names.ordinary[name] = declared

    def tag(self, item: Item, kind: str) -> None:
        """Enter a tag; C++ keeps tags and types in one space (ISO/IEC 14882, [class.name])."""
        tag = tag_of(item, kind)
        if not item.name or not tag:
            return
        span = item.place("tag") if item.has("tag") else item.name_span
        if tag != item.name and (reason := reserved_word(tag)):
            self.problems.error(span, f"the tag '{tag}' {reason}")
        if kind == "handle" and tag == item.name and item.flag("by_pointer", default=True):
            hint = "leave 'tag' out, or state by_pointer: false if the name stands for the struct itself"
            self.problems.error(span, f"'{tag}' cannot be the tag too: C++ takes both for the same type", hint)
            return
        other = self.names.tags.get(tag)
        ordinary = self.names.ordinary.get(tag)
        if other is not None and not other.kind == kind == "handle":
            self.problems.error(span, f"the tag '{tag}' is used twice: {_already(other, kind)}")
        elif other is None and ordinary is not None and tag != item.name:
            message = f"the tag '{tag}' is also the name of something else: {_already(ordinary, kind)}"
            self.problems.error(span, message)
        elif other is None:
            self.names.tags[tag] = DeclaredName(kind, span)


def _already(first: DeclaredName, kind: str) -> str:
    what = "" if first.kind == kind else f" as {'an' if first.kind[0] in 'aeiou' else 'a'} {first.kind}"
    return (f"{first.origin} declares it" if first.origin else f"it stands at line {first.span.line}") + what


def _check_members(plan: StructPlan, macros: Collection[str], problems: Problems) -> None:
    leading = {each.name for each in plan.leading}
    seen: dict[str, Span] = {}
    for item in plan.item.items("fields"):
        name, span = item.name, item.name_span
        if not name or name in leading:
            continue
        if name in seen:
            message = f"'{plan.item.name}' has a member '{name}' already, at line {seen[name].line}"
            problems.error(span, message)
        elif reason := reserved_word(name, file_scope=False):
            problems.error(span, f"'{name}' {reason}")
        elif name in macros:
            problems.error(span, f"'{name}' is a macro of this header, which would replace the member's name")
        seen.setdefault(name, span)
