"""The order of declarations: what C needs to see before what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abigen.model.span import Span
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report, did_you_mean


@dataclass(frozen=True)
class Declaration:
    """An entity in the header, and the entities that have to stand before it."""

    kind: str
    name: str
    span: Span
    needs: Mapping[str, Span]
    """Name to the place of the use that needs it."""


def order_declarations(root: Item, declarations: Sequence[Declaration], report: Report) -> tuple[tuple[str, str], ...]:
    """Put declarations in order.

    Args:
        root: the spec, whose `order` counts when there is one.
        declarations: all entities, in the order of the spec, kind by kind.
        report: receives cycles, and an `order` that C does not accept.

    Returns:
        (kind, name) of each: `order` as it stands, else the given order with what is needed moved to the front.
    """
    by_name = {each.name: each for each in declarations}
    if _report_cycles(by_name, report):
        return ()
    if root.has("order"):
        return _check_order(root, by_name, report)
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


def _report_cycles(by_name: Mapping[str, Declaration], report: Report) -> bool:
    """Find declarations that need themselves; one error per cycle, at the use that closes it."""
    done: set[str] = set()
    found = False
    for start in by_name:
        path: list[str] = []
        on_path: set[str] = set()
        pending: list[tuple[str, bool]] = [(start, False)]
        while pending:
            name, leaving = pending.pop()
            if leaving:
                on_path.discard(path.pop())
                done.add(name)
                continue
            if name in done or name in on_path:
                continue
            path.append(name)
            on_path.add(name)
            pending.append((name, True))
            for need, place in by_name[name].needs.items():
                if need in on_path:
                    _report_cycle([*path[path.index(need) :], need], by_name, place, report)
                    found = True
                elif need in by_name and need not in done:
                    pending.append((need, False))
    return found


def _report_cycle(path: Sequence[str], by_name: Mapping[str, Declaration], place: Span, report: Report) -> None:
    by_value = all(by_name[name].kind == "struct" for name in path)
    verb = "contains" if by_value else "is made of"
    way = "" if len(path) == 2 else f": {' -> '.join(path)}"
    hint = "hold it by pointer" if by_value else "a struct can be named before it is declared, by pointer"
    report.error(place, f"'{path[0]}' {verb} itself{way}", hint)


def _check_order(root: Item, by_name: Mapping[str, Declaration], report: Report) -> tuple[tuple[str, str], ...]:
    places = {scalar.text: (position, scalar) for position, scalar in enumerate(root.scalars("order"))}
    for name, (position, scalar) in places.items():
        declaration = by_name.get(name)
        if declaration is None:
            report.error(scalar.span, f"'{name}' is none of this spec's entities", did_you_mean(name, by_name))
            continue
        for need in declaration.needs:
            if need in places and places[need][0] > position:
                report.error(scalar.span, f"'{name}' has to come after '{need}', which it is made of")
    for name, declaration in by_name.items():
        if name not in places:
            report.error(declaration.span, f"'{name}' is missing from 'order'", "name every entity there")
    return tuple((by_name[name].kind, name) for name in places if name in by_name)
