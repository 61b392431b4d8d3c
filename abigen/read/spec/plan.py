"""What each struct begins with, and what its size macro is called: decided before types are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abigen.model.naming import size_macro_name
from abigen.model.span import Span
from abigen.read.c.unit import Token
from abigen.read.spec.c_text import tokens_of
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.nodes import Mapping, Scalar

USUAL_SIZE_FIELD = "struct_size"
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


def leading_fields(conventions: Item | None, report: Report) -> tuple[LeadingField, ...]:
    """Read `conventions.leading_fields`.

    Args:
        conventions: the mapping, None when the spec has none.
        report: receives what is wrong.
    """
    fields: list[LeadingField] = []
    for node in conventions.nodes("leading_fields") if conventions else ():
        item = Item(node) if isinstance(node, Mapping) else None
        scalar = item.scalar("declaration") if item else node
        if not isinstance(scalar, Scalar):
            continue
        tokens = tokens_of(scalar)
        if len(tokens) < 2 or tokens[-1].kind != "id":
            report.error(scalar.span, "expected a member as C declares it, its name last", "size_t struct_size")
            continue
        name = tokens[-1]
        if any(each.name == name.text for each in fields):
            report.error(name.span, f"'{name.text}' is among the leading fields twice")
            continue
        fields.append(LeadingField(name.text, tuple(tokens[:-1]), name.span, item.text("doc") if item else ""))
    return tuple(fields)


def plan_struct(item: Item, conventions: Sequence[LeadingField], report: Report) -> StructPlan:
    """Decide what a struct begins with.

    Args:
        item: the struct.
        conventions: what versioned structs of this API begin with.
        report: receives what is wrong.
    """
    union = item.text("kind") == "union"
    own = item.items("fields")
    size_field = conventions[0].name if conventions else USUAL_SIZE_FIELD
    explicit = bool(own) and own[0].name == size_field
    versioned = item.flag("versioned", default=not union and (bool(conventions) or explicit))
    leading: tuple[LeadingField, ...] = ()
    if union and versioned:
        report.error(item.span("versioned"), f"the union '{item.name}' cannot be versioned: all of its members overlap")
        versioned = False
    elif item.has("leading") and not versioned:
        report.error(item.span("leading"), f"'{item.name}' is not versioned, so it has no leading fields")
    elif versioned and explicit:
        _check_explicit(item, own, conventions, report)
    elif versioned and conventions:
        leading = _choose(item, conventions, report)
        repeated = {each.name for each in leading}
        for field in own:
            if field.name in repeated:
                hint = f"leave it out, or state all leading fields, from '{size_field}' on"
                report.error(field.name_span, f"'{field.name}' is a leading field and stands there already", hint)
    elif versioned:
        hint = "state conventions.leading_fields, or make 'size_t struct_size' its first member"
        report.error(item.span("versioned"), f"'{item.name}' is versioned but has no member that holds its size", hint)
    stated = item.scalar("size_macro")
    if stated is None:
        size_macro = size_macro_name(item.name) if versioned and item.name else ""
    else:
        size_macro = "" if stated.kind == "boolean" else stated.text
    return StructPlan(item, versioned, leading, size_macro, stated.span if stated else item.name_span)


def _choose(item: Item, conventions: Sequence[LeadingField], report: Report) -> tuple[LeadingField, ...]:
    """The leading fields that `leading` names, with this struct's documentation; all when it says nothing."""
    if not item.has("leading"):
        return tuple(conventions)
    known = [each.name for each in conventions]
    chosen: list[LeadingField] = []
    for node in item.nodes("leading"):
        inner = Item(node) if isinstance(node, Mapping) else None
        scalar = inner.scalar("name") if inner else node
        if not isinstance(scalar, Scalar):
            continue
        if scalar.text not in known:
            hint = did_you_mean(scalar.text, known) or f"they are {', '.join(known)}"
            report.error(scalar.span, f"'{scalar.text}' is none of conventions.leading_fields", hint)
            continue
        base = conventions[known.index(scalar.text)]
        doc = inner.text("doc", base.doc) if inner else base.doc
        chosen.append(LeadingField(base.name, base.type, scalar.span, doc))
    order = [known.index(each.name) for each in chosen]
    if order != sorted(set(order)) or (order and order[0] != 0):
        message = f"leading fields stand in the order of the conventions, from '{known[0]}' on"
        report.error(item.span("leading"), message)
        return tuple(conventions)
    return tuple(chosen)


def _check_explicit(item: Item, own: Sequence[Item], conventions: Sequence[LeadingField], report: Report) -> None:
    """Members that a struct states itself must stand where the conventions want them."""
    if item.has("leading"):
        message = f"'{item.name}' states its leading fields among its members already"
        report.error(item.span("leading"), message, "remove 'leading'")
    names = [field.name for field in own]
    stated = [each for each in conventions if each.name in names]
    for position, each in enumerate(stated):
        field = own[names.index(each.name)]
        if names[position] != each.name:
            report.error(field.name_span, f"the leading field '{each.name}' has to be member {position + 1}")
        type_scalar = field.scalar("type")
        if type_scalar and [token.text for token in tokens_of(type_scalar)] != [token.text for token in each.type]:
            wanted = " ".join(token.text for token in each.type)
            report.error(type_scalar.span, f"the leading field '{each.name}' is '{wanted}' by the conventions")
