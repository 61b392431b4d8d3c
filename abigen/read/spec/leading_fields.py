"""What each struct begins with, and what its size macro is called: decided before types are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abigen.model.identifiers import size_macro_name
from abigen.model.span import Span
from abigen.read.c.unit import Token
from abigen.read.document.problems import Problems
from abigen.read.document.tree import Item, Node, Scalar
from abigen.read.spec.c_text import tokens_of

_USUAL_SIZE_FIELD = "struct_size"
"""The member that makes a struct versioned where the spec states no convention."""


@dataclass(frozen=True)
class LeadingField:
    """A member that versioned structs begin with."""

    name: str
    type: tuple[Token, ...]
    span: Span
    doc: str


@dataclass(frozen=True)
class StructPlan:
    """A struct with what conventions add to it."""

    item: Item
    versioned: bool
    leading: tuple[LeadingField, ...]
    """Members that are not among the item's own fields."""
    size_macro: str
    """Empty when it has none."""
    size_macro_span: Span

    @property
    def members(self) -> list[str]:
        """The names of all members."""
        return [*(each.name for each in self.leading), *(each.name for each in self.item.items("fields"))]


def leading_fields(root: Item, problems: Problems) -> tuple[LeadingField, ...]:
    """Read `conventions.leading_fields` of a spec, and report what is wrong there."""
    fields: list[LeadingField] = []
    for node in root.item("conventions").nodes("leading_fields"):
        scalar, doc = _named(node, "declaration")
        if scalar is None:
            continue
        tokens = tokens_of(scalar)
        if len(tokens) < 2 or tokens[-1].kind != "id":
            problems.error(scalar.span, "expected a member as C declares it, its name last", "size_t struct_size")
            continue
        name = tokens[-1]
        if any(each.name == name.text for each in fields):
            problems.error(name.span, f"'{name.text}' is among the leading fields twice")
            continue
        fields.append(LeadingField(name.text, tuple(tokens[:-1]), name.span, doc or ""))
    return tuple(fields)


def plan_struct(item: Item, conventions: Sequence[LeadingField], problems: Problems) -> StructPlan:
    """Decide what a struct begins with.

    Args:
        item: the struct.
        conventions: what versioned structs of this API begin with.
        problems: receives what is wrong.
    """
    union = item.text("kind") == "union"
    own = item.items("fields")
    size_field = conventions[0].name if conventions else _USUAL_SIZE_FIELD
    explicit = bool(own) and own[0].name == size_field
    versioned = item.flag("versioned", default=not union and (bool(conventions) or explicit))
    leading: tuple[LeadingField, ...] = ()
    if union and versioned:
        message = f"the union '{item.name}' cannot be versioned: all of its members overlap"
        problems.error(item.place("versioned"), message)
        versioned = False
    elif item.has("leading") and not versioned:
        problems.error(item.place("leading"), f"'{item.name}' is not versioned, so it has no leading fields")
    elif versioned and explicit:
        _check_explicit(item, own, conventions, problems)
    elif versioned and conventions:
        leading = _choose(item, conventions, problems)
        for field in own:
            if any(field.name == each.name for each in leading):
                hint = f"leave it out, or state all leading fields, from '{size_field}' on"
                problems.error(field.name_span, f"'{field.name}' is a leading field and stands there already", hint)
    elif versioned:
        hint = "state conventions.leading_fields, or make 'size_t struct_size' its first member"
        message = f"'{item.name}' is versioned but has no member that holds its size"
        problems.error(item.place("versioned"), message, hint)
    stated = item.scalar("size_macro")
    if stated is None:
        size_macro = size_macro_name(item.name) if versioned and item.name else ""
    else:
        size_macro = "" if stated.kind == "boolean" else stated.text
    return StructPlan(item, versioned, leading, size_macro, stated.span if stated else item.name_span)


def _choose(item: Item, conventions: Sequence[LeadingField], problems: Problems) -> tuple[LeadingField, ...]:
    """The leading fields that `leading` names, with this struct's documentation; all when it says nothing."""
    if not item.has("leading"):
        return tuple(conventions)
    known = [each.name for each in conventions]
    chosen: list[LeadingField] = []
    for node in item.nodes("leading"):
        scalar, doc = _named(node, "name")
        if scalar is None:
            continue
        if scalar.text not in known:
            message = f"'{scalar.text}' is none of conventions.leading_fields"
            problems.unknown(scalar.span, message, scalar.text, known, f"they are {', '.join(known)}")
            continue
        base = conventions[known.index(scalar.text)]
        chosen.append(replace(base, span=scalar.span, doc=base.doc if doc is None else doc))
    order = [known.index(each.name) for each in chosen]
    if order != sorted(set(order)) or (order and order[0] != 0):
        message = f"leading fields stand in the order of the conventions, from '{known[0]}' on"
        problems.error(item.place("leading"), message)
        return tuple(conventions)
    return tuple(chosen)


def _named(node: Node, key: str) -> tuple[Scalar | None, str | None]:
    """What a leading field is called, and its documentation: it is a text, or a mapping with a key for that text."""
    if isinstance(node, Item):
        return node.scalar(key), node.text("doc") if node.has("doc") else None
    return node if isinstance(node, Scalar) else None, None


def _check_explicit(item: Item, own: Sequence[Item], conventions: Sequence[LeadingField], problems: Problems) -> None:
    """Members that a struct states itself must stand where the conventions want them."""
    if item.has("leading"):
        message = f"'{item.name}' states its leading fields among its members already"
        problems.error(item.place("leading"), message, "remove 'leading'")
    names = [field.name for field in own]
    stated = [each for each in conventions if each.name in names]
    for position, each in enumerate(stated):
        field = own[names.index(each.name)]
        if names[position] != each.name:
            problems.error(field.name_span, f"the leading field '{each.name}' has to be member {position + 1}")
        type = field.scalar("type")
        wanted = " ".join(token.text for token in each.type)
        if type and " ".join(token.text for token in tokens_of(type)) != wanted:
            problems.error(type.span, f"the leading field '{each.name}' is '{wanted}' by the conventions")
