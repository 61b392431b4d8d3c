"""Pairing opaque types: they have no members to be known by, so what takes and returns them has to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abigen.model.api import Api
from abigen.model.ctype import Array, CType, FunctionType, Pointer, RecordType


def pair_by_uses(old: Api, new: Api, records: dict[str, str]) -> None:
    """Pair opaque structs that exist on one side only when every use of the one became a use of the other.

    Args:
        old: the API as it was.
        new: the API as it is.
        records: OLD's keys to NEW's; what is found is added.
    """
    taken = set(records.values())
    gone = {key for key, struct in old.structs.items() if key not in records and struct.fields is None}
    come = {key for key, struct in new.structs.items() if key not in taken and struct.fields is None}
    if not (gone and come):
        return
    partners: dict[str, set[str]] = {}
    rivals: dict[str, set[str]] = {}
    for before, after in _uses(old, new, records):
        partners.setdefault(before, set()).add(after)
        rivals.setdefault(after, set()).add(before)
    for key in old.structs:
        found = partners.get(key, set()) if key in gone else set()
        if len(found) == 1 and found <= come and all(rivals[after] == {key} for after in found):
            records[key] = next(iter(found))


def _uses(old: Api, new: Api, records: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The structs that stand at the same place in functions, typedefs, objects and members of the same name."""
    for olds, news in (
        (old.functions, new.functions),
        (old.typedefs, new.typedefs),
        (old.variables, new.variables),
    ):
        for name in olds:
            if name in news:
                yield from _corresponding(olds[name].type, news[name].type, old, new)
    for key, after in records.items():
        members = {each.name: each.type for each in new.structs[after].fields or () if each.name}
        for field in old.structs[key].fields or ():
            if field.name in members:
                yield from _corresponding(field.type, members[field.name], old, new)


def _corresponding(before: CType, after: CType, old: Api, new: Api) -> Iterator[tuple[str, str]]:
    """The structs that two types reach by the same way."""
    waiting = [(before, after)]
    while waiting:
        before, after = waiting.pop()
        before, after = old.resolve(before), new.resolve(after)
        if isinstance(before, Pointer) and isinstance(after, Pointer):
            waiting.append((before.target, after.target))
        elif isinstance(before, Array) and isinstance(after, Array):
            waiting.append((before.element, after.element))
        elif isinstance(before, FunctionType) and isinstance(after, FunctionType):
            waiting.append((before.result, after.result))
            if len(before.parameters) == len(after.parameters):
                waiting += zip(
                    (each.type for each in before.parameters), (each.type for each in after.parameters), strict=True
                )
        elif isinstance(before, RecordType) and isinstance(after, RecordType):
            yield before.key, after.key
