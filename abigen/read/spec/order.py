"""The order of declarations: what C needs to see before what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from abigen.model.ctype import Array, CType, EnumType, Expression, FunctionType, Name, NamedType, Pointer, RecordType
from abigen.model.span import Span
from abigen.read.document.problems import Problems
from abigen.read.document.tree import Item


@dataclass(frozen=True)
class OrderedDeclaration:
    """An entity in the header, and the entities that have to stand before it."""

    kind: str
    name: str
    span: Span
    needs: Mapping[str, Span]
    """Name to the place of the use that needs it."""


def order_declarations(
    root: Item, declarations: Sequence[OrderedDeclaration], problems: Problems
) -> tuple[tuple[str, str], ...]:
    """Put declarations in order.

    Args:
        root: the spec, whose `order` counts when there is one.
        declarations: all entities, in the order of the spec, kind by kind.
        problems: receives cycles, and an `order` that C does not accept.

    Returns:
        (kind, name) of each: `order` as it stands, else the given order with what is needed moved to the front.
    """
    by_name = {each.name: each for each in declarations}
    found = False
    for path, place in _cycles(by_name):
        found = True
        by_value = all(by_name[name].kind == "struct" for name in path)
        way = "" if len(path) == 2 else f": {' -> '.join(path)}"
        hint = "hold it by pointer" if by_value else "a struct can be named before it is declared, by pointer"
        problems.error(place, f"'{path[0]}' {'contains' if by_value else 'is made of'} itself{way}", hint)
    if found:
        return ()
    if root.has("order"):
        return _check_order(root, by_name, problems)
    ordered = needs_first({each.name: tuple(each.needs) for each in declarations})
    return tuple((by_name[name].kind, name) for name in ordered)


def needs_first(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Put names in order so that each stands behind those that it needs, and otherwise as they come.

    Args:
        needs: name to the names that it needs; names that are no keys are left out.

    Returns:
        All keys; where they need one another in a circle, the first of them comes last.
    """
    placed: dict[str, None] = {}
    met: set[str] = set()
    for start in needs:
        pending = [start]
        while pending:
            name = pending[-1]
            if name not in met:
                met.add(name)
                pending += [each for each in reversed(needs[name]) if each in needs and each not in met]
            else:
                placed[pending.pop()] = None
    return list(placed)


def _cycles(by_name: Mapping[str, OrderedDeclaration]) -> Iterator[tuple[list[str], Span]]:
    """Declarations that need themselves: the way around, and the place of the use that closes it."""
    needs = {name: {need for need in each.needs if need in by_name} for name, each in by_name.items()}
    position = {name: number for number, name in enumerate(by_name)}
    while True:
        try:
            return TopologicalSorter(needs).prepare()
        except CycleError as error:
            *path, _ = reversed(error.args[1])
        first = min(range(len(path)), key=lambda index: position[path[index]])
        path = path[first:] + path[:first]
        yield [*path, path[0]], by_name[path[-1]].needs[path[0]]
        needs[path[-1]].discard(path[0])


def _check_order(
    root: Item, by_name: Mapping[str, OrderedDeclaration], problems: Problems
) -> tuple[tuple[str, str], ...]:
    """The order that the spec states, with errors for what is missing, unknown or too early."""
    places = {scalar.text: (position, scalar.span) for position, scalar in enumerate(root.scalars("order"))}
    for name, (position, span) in places.items():
        if name not in by_name:
            problems.unknown(span, f"'{name}' is none of this spec's entities", name, by_name)
            continue
        for need in by_name[name].needs:
            if need in places and places[need][0] > position:
                problems.error(span, f"'{name}' has to come after '{need}', which it is made of")
    for name, declaration in by_name.items():
        if name not in places:
            problems.error(declaration.span, f"'{name}' is missing from 'order'", "name every entity there")
    return tuple((by_name[name].kind, name) for name in places if name in by_name)


def needs_of(
    node: CType | Expression, forward: frozenset[str], enum_of: Callable[[str], str | None], *, by_value: bool = True
) -> Iterator[str]:
    """Names that have to be declared before something of a type, or with an expression, is declared.

    Args:
        node: the type of a member, a typedef, a callback or a function; or an expression.
        forward: structs that a forward declaration makes known, so that only a use by value needs their definition.
        enum_of: finds the enumeration that declares an enumerator.
        by_value: whether a value of the type is needed, not only a pointer to one.

    Returns:
        Names of entities; some may be declared elsewhere.
    """
    if isinstance(node, (NamedType, RecordType)):
        name = node.name if isinstance(node, NamedType) else node.key
        if by_value or name not in forward:
            yield name
    elif isinstance(node, EnumType):
        yield node.key
    elif isinstance(node, Name) and (enum := enum_of(node.name)):
        yield enum
    # Even behind a pointer, the element of an array has to be complete (C 6.7.6.2 paragraph 1), and so has the type in
    # an expression such as sizeof.
    by_value = isinstance(node, (Array, Expression)) or (by_value and not isinstance(node, (Pointer, FunctionType)))
    for part in _parts_of(node):
        yield from needs_of(part, forward, enum_of, by_value=by_value)


def _parts_of(node: CType | Expression) -> Iterable[CType | Expression]:
    """The types and expressions that a type or an expression is directly made of."""
    if isinstance(node, FunctionType):
        return [node.result, *(each.type for each in node.parameters)]
    return [each for each in vars(node).values() if isinstance(each, (CType, Expression))]


def named_in(node: CType | Expression) -> Iterator[str]:
    """Names of all types that a type is made of, behind pointers too."""
    return needs_of(node, frozenset(), lambda name: None)
