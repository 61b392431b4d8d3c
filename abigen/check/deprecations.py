"""Members on their way out: which were marked in this change, and which new ones take their place."""

from __future__ import annotations

from collections.abc import Mapping

from abigen.check.pairing.fields import Fields, MemberPair

NO_OP = "no-op"


def newly_deprecated(fields: Fields) -> tuple[MemberPair, ...]:
    """Members of both sides that only NEW marks as deprecated, in OLD's order."""
    return tuple(
        each
        for each in fields.paired
        if each.new.field.contract.lifecycle.deprecated and not each.old.field.contract.lifecycle.deprecated
    )


def successors(fields: Fields) -> Mapping[str, str]:
    """Members that this change marks as deprecated to the ones that take their place.

    Either says so: the old one by `Use new`, or the new one by `Replaces old`. The new one is appended in the same
    change, or it stood in OLD already and said there what it replaces.
    """
    appended = {member.name: member.field.contract.lifecycle.replaces for member in fields.appended}
    found: dict[str, str] = {}
    for each in newly_deprecated(fields):
        use = each.new.field.contract.lifecycle.replaced_by
        new = next((name for name, replaces in appended.items() if name == use or replaces == each.old.name), "")
        if not new:
            known = (pair for pair in fields.paired if pair.old.field.contract.lifecycle.replaces == each.old.name)
            new = next((pair.new.name for pair in known), "")
        if new:
            found[each.old.name] = new
    return found
