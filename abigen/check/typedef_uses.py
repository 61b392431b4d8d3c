"""What names a typedef, directly or through other typedefs, and so changes with it."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.comparison import Comparison
from abigen.model.api import Api
from abigen.model.ctype import CType, NamedType, types_in
from abigen.model.finding import Detail


def reached(comparison: Comparison, typedef: str) -> Iterator[Detail]:
    """The members of the API, with what they move, its functions, and its other typedefs whose types name a typedef.

    Args:
        comparison: of two APIs.
        typedef: its name.
    """
    names = {typedef, *_aliases(comparison.new, typedef)}
    found = list(dict.fromkeys(_naming(comparison, names, typedef)))
    if found:
        yield Detail("reaches", ("; " if any(", " in each for each in found) else ", ").join(found))


def _aliases(api: Api, typedef: str) -> set[str]:
    """The typedefs that are spelled by means of another one, at any remove."""
    users: dict[str, list[str]] = {}
    for each in api.typedefs.values():
        for name in _names_in(each.type):
            users.setdefault(name, []).append(each.name)
    found: set[str] = set()
    waiting = [typedef]
    while waiting:
        fresh = [each for each in users.get(waiting.pop(), ()) if each not in found]
        found.update(fresh)
        waiting += fresh
    return found - {typedef}


def _naming(comparison: Comparison, names: set[str], typedef: str) -> Iterator[str]:
    """The uses of typedefs in NEW."""
    api = comparison.new
    old_keys = {new: old for old, new in comparison.pair.types.records.items()}
    for struct in api.structs.values():
        reached = [field.name for field in struct.fields or () if field.name and names & set(_names_in(field.type))]
        if not struct.in_api or not reached:
            continue
        pair = comparison.struct(old_keys[struct.name]) if struct.name in old_keys else None
        for member in reached:
            moves = pair.shifts.moved_by(member) if pair is not None and pair.is_defined else ""
            yield f"{struct.name}.{member}" + (f", which moves {moves}" if moves else "")
    yield from (each.name for each in api.functions.values() if each.in_api and names & set(_names_in(each.type)))
    yield from (each.name for each in api.variables.values() if each.in_api and names & set(_names_in(each.type)))
    yield from (each.name for each in api.typedefs.values() if each.in_api and each.name in names - {typedef})


def _names_in(type: CType) -> Iterator[str]:
    """The typedefs that a type names."""
    return (each.name for each in types_in(type) if isinstance(each, NamedType))
