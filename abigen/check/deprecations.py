"""Members on their way out: which were marked in this change, and which new ones take their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abigen.check.comparison import StructPair
from abigen.check.pairing.fields import MemberPair

NO_OP = "no-op"


def newly_deprecated(pair: StructPair) -> Iterator[MemberPair]:
    """Members of both sides that only NEW marks as deprecated, in OLD's order."""
    for each in pair.fields.paired:
        if is_newly_deprecated(each):
            yield each


def is_newly_deprecated(pair: MemberPair) -> bool:
    """Whether only NEW marks a member as deprecated."""
    return pair.old.field.contract.deprecated is None and pair.new.field.contract.deprecated is not None


def replaced_members(pair: StructPair) -> Mapping[str, str]:
    """Members that this change marks as deprecated to the ones that it appends in their place.

    Either says so: the old one by `Use new`, or the new one by `Replaces old`.
    """
    appended = {member.name: member.field.contract.replaces for member in pair.fields.appended}
    if not appended:
        return {}
    found: dict[str, str] = {}
    for each in newly_deprecated(pair):
        old = each.old.name
        deprecated = each.new.field.contract.deprecated
        use = deprecated.use if deprecated else ""
        new = next((name for name, replaces in appended.items() if name == use or replaces == old), "")
        if new:
            found[old] = new
    return found
