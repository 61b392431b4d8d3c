"""Sentences that several rules need: who reads or writes what, in the words of the two sides."""

from __future__ import annotations

from abigen.check.axes import Impact, breaks
from abigen.check.pairing.equality import Equality
from abigen.check.sides import CORE, PLUGIN
from abigen.check.signature import spelled
from abigen.model.ctype import CType

_VERBS = {PLUGIN: ("fills", "reads"), CORE: ("reads", "fills"), "": ("uses", "uses")}


def verbs(producer: str) -> tuple[str, str]:
    """What the plugin and the core do with a struct.

    Args:
        producer: `core`, `plugin`, or empty when nobody says.
    """
    return _VERBS[producer]


def misplaced(what: str, old: str, new: str, producer: str) -> tuple[Impact, Impact]:
    """Both directions of a change that puts something elsewhere.

    Args:
        what: `depth`, `the members behind it`.
        old: where it was: `at 24`.
        new: where it is: `at 32`.
        producer: `core`, `plugin`, or empty.

    Returns:
        What it does to a plugin built against OLD, and to one built against NEW.
    """
    plugin, core = verbs(producer)
    return (
        breaks(f"it {plugin} {what} {old}; a core built against NEW {core} it {new}"),
        breaks(f"it {plugin} {what} {new}; a core built against OLD {core} it {old}"),
    )


def missing_in_old(what: str, where: str, producer: str) -> tuple[Impact, Impact]:
    """Both directions of something that only NEW knows, at bytes that OLD has for nothing or for something else.

    Args:
        what: the new member.
        where: `at 20`.
        producer: `core`, `plugin`, or empty.

    Returns:
        What it does to a plugin built against OLD, and to one built against NEW.
    """
    if producer == CORE:
        return (
            breaks(f"it does not know {what}, which a core built against NEW fills {where}"),
            breaks(f"it reads {what} {where}, which a core built against OLD never fills"),
        )
    return (
        breaks(f"it never fills {what}, which a core built against NEW reads {where}"),
        breaks(f"it fills {what} {where}, where a core built against OLD expects none"),
    )


def missing_in_new(what: str, where: str, producer: str) -> tuple[Impact, Impact]:
    """Both directions of something that only OLD knows; the arguments and the result are those of `missing_in_old`."""
    if producer == CORE:
        return (
            breaks(f"it reads {what} {where}, which a core built against NEW no longer fills"),
            breaks(f"it ignores {what}, which a core built against OLD fills {where}"),
        )
    if producer == PLUGIN:
        return (
            breaks(f"it fills {what} {where}, which a core built against NEW no longer reads"),
            breaks(f"it no longer fills {what}, which a core built against OLD reads {where}"),
        )
    return (
        breaks(f"it relies on {what} {where}, which a core built against NEW does not have"),
        breaks(f"it does not have {what}, on which a core built against OLD relies {where}"),
    )


def was_is(old: CType, new: CType, equality: Equality) -> str:
    """`was X, is Y` for two types."""
    was, now = spelled(old, new, equality)
    return f"was `{was}`, is `{now}`"


def count(number: int, noun: str) -> str:
    """`1 member`, `2 members`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
