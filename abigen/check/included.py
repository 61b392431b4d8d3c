"""Breaks that arrive through an included header: by a struct that one of the API holds, takes or returns by value."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.comparison import Comparison, StructPair
from abigen.check.embedding import Use
from abigen.model.span import Span


def changed_uses(comparison: Comparison) -> Iterator[tuple[Use, StructPair, bool]]:
    """Where the API uses an included struct by value whose layout is not what it was.

    Returns:
        OLD's use, whose holder is the API's own (a struct, a function or a typedef); the struct that changed; and
        whether it merely got members at its end.
    """
    uses = comparison.pair.old_uses
    seen: set[tuple[str, str]] = set()
    for pair in comparison.included_structs:
        if not pair.is_defined or not pair.shifts.is_any:
            continue
        waiting = list(uses.of(pair.name))
        while waiting:
            use = waiting.pop(0)
            if (use.kind, use.path) in seen:
                continue
            seen.add((use.kind, use.path))
            if is_own(use, comparison):
                yield use, pair, _is_append(pair)
            elif use.holder in comparison.old.structs:
                waiting += uses.of(use.holder)


def is_own(use: Use, comparison: Comparison) -> bool:
    """Whether the holder of a use is declared by the API itself."""
    name = use.holder.partition(".")[0]
    old = comparison.old
    return any(
        entities[name].in_api
        for entities in (old.structs, old.functions, old.typedefs, old.variables)
        if name in entities
    )


def place_in_new(use: Use, comparison: Comparison) -> Span | None:
    """Where NEW has the member that uses a struct in OLD; the holder itself when the member is gone."""
    holder = comparison.struct(use.holder) if use.holder in comparison.old.structs else None
    if holder is None:
        name = use.holder.partition(".")[0]
        new = comparison.new
        found = new.functions.get(name) or new.typedefs.get(name) or new.variables.get(name) or new.structs.get(name)
        return found.span if found is not None else None
    return next((each.span for each in holder.new.fields or () if each.name == use.member), holder.new.span)


def _is_append(pair: StructPair) -> bool:
    """Whether nothing but appended members differs."""
    fields = pair.fields
    return bool(fields.appended) and not (
        fields.removed
        or fields.inserted
        or fields.moved
        or fields.overlaid
        or any(pair.comparison.moves_bytes(each) for each in fields.paired)
    )
