"""Whether a header says the same to two targets, so that it need not be read twice."""

from __future__ import annotations

import re

from abigen.read.c.unit import MacroDefinition, Unit

_WORD = re.compile(r"[A-Za-z_$]\w*")
_PIECE = re.compile(r"\w+|\S")


def declares_the_same(first: Unit, second: Unit) -> bool:
    """Whether two readings of the same files, for different targets, give the same declarations.

    System headers are left out of account: what they declare is known for each target apart.
    """
    if first.tokens != second.tokens or first.comments != second.comments or first.diagnostics != second.diagnostics:
        return False
    mine, others = _users_macros(first), _users_macros(second)
    return mine == others


def _users_macros(unit: Unit) -> dict[str, tuple[int | None, tuple[str, ...]]]:
    """The macros of the user's files, and those of the system that they are made of."""
    table: dict[str, MacroDefinition] = {each.name: each for each in unit.macros}
    from_system = frozenset(unit.system_files)
    pending = [each for each in unit.macros if not each.file.startswith("<") and each.file not in from_system]
    found: dict[str, tuple[int | None, tuple[str, ...]]] = {}
    while pending:
        macro = pending.pop()
        if macro.name in found:
            continue
        found[macro.name] = _meaning(macro)
        pending += [table[word] for word in _WORD.findall(macro.body) if word in table]
    return found


def _meaning(macro: MacroDefinition) -> tuple[int | None, tuple[str, ...]]:
    """How many parameters a macro has, and its body, whatever it calls them and wherever it has spaces.

    Systems spell `offsetof` each in their own way. What a file of the user's says is the same text on all targets.
    """
    has_literals = '"' in macro.body or "'" in macro.body  # in which spaces count
    pieces = [macro.body] if has_literals else _PIECE.findall(macro.body)
    if macro.parameters is None:
        return None, tuple(pieces)
    places = {name: f"\N{SECTION SIGN}{index}" for index, name in enumerate(macro.parameters)}
    return len(macro.parameters), tuple(places.get(each, each) for each in pieces)
