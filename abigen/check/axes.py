"""The four questions of rulebook section 2, and how rules answer them."""

from __future__ import annotations

from typing import NamedTuple

from abigen.model.finding import Axes, Axis


class Impact(NamedTuple):
    """The answer on one axis, with its reason in words."""

    axis: Axis
    reason: str = ""


OK = Impact(Axis.OK)


def breaks(reason: str) -> Impact:
    """This kind of user breaks.

    Args:
        reason: which side reads or writes what, and why that goes wrong; a clause without a full stop.
    """
    return Impact(Axis.BREAKS, reason)


def at_risk(reason: str) -> Impact:
    """This kind of user works only if the other side makes a check.

    Args:
        reason: which side has to make which check; a clause without a full stop.
    """
    return Impact(Axis.AT_RISK, reason)


def axes(*, old_plugin: Impact = OK, new_plugin: Impact = OK, source: Impact = OK, contract: Impact = OK) -> Axes:
    """Put four answers together.

    Args:
        old_plugin: a plugin binary built against OLD in a core built against NEW.
        new_plugin: a plugin binary built against NEW in a core built against OLD.
        source: code that compiled against OLD, compiled against NEW.
        contract: whether both sides still mean the same by the same bytes.
    """
    impacts = {"old_plugin": old_plugin, "new_plugin": new_plugin, "source": source, "contract": contract}
    return Axes(
        old_plugin=old_plugin.axis,
        new_plugin=new_plugin.axis,
        source=source.axis,
        contract=contract.axis,
        reasons={name: impact.reason for name, impact in impacts.items() if impact.reason},
    )


def is_binary_break(answer: Axes) -> bool:
    """Whether a plugin binary breaks, in either direction, or the two sides no longer agree about the meaning."""
    return Axis.BREAKS in (answer.old_plugin, answer.new_plugin, answer.contract)
