"""Whether a header says the same to two targets, so that it need not be read twice."""

from __future__ import annotations

import re

from abigen.read.c.unit import MacroDefinition, Unit

_WORD = re.compile(r"[A-Za-z_$]\w*")


def declares_the_same(first: Unit, second: Unit) -> bool:
    """Whether two readings of the same files, for different targets, give the same declarations.

    System headers are left out of account: what they declare is known for each target apart.
    """
    if first.tokens != second.tokens or first.comments != second.comments or first.diagnostics != second.diagnostics:
        return False
    mine, others = _users_macros(first), _users_macros(second)
    return mine == others


def _users_macros(unit: Unit) -> dict[str, tuple[tuple[str, ...] | None, str]]:
    """The macros of the user's files, and those of the system that they are made of."""
    table: dict[str, MacroDefinition] = {each.name: each for each in unit.macros}
    from_system = frozenset(unit.system_files)
    pending = [each for each in unit.macros if not each.file.startswith("<") and each.file not in from_system]
    found: dict[str, tuple[tuple[str, ...] | None, str]] = {}
    while pending:
        macro = pending.pop()
        if macro.name in found:
            continue
        found[macro.name] = (macro.parameters, macro.body)
        pending += [table[word] for word in _WORD.findall(macro.body) if word in table]
    return found
