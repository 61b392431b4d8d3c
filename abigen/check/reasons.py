"""Sentences that several rules need: who reads or writes what, in the words of the two sides."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.model.contract import Party
from abigen.model.finding import Detail

_RUN = 4
"""How many members are so many that the first and the last stand for them."""
_SHOWN = 6


def verbs(producer: Party) -> tuple[str, str]:
    """What the plugin and the core do with a member.

    Args:
        producer: the side that sets it.
    """
    return {Party.PLUGIN: ("stores", "reads"), Party.CORE: ("reads", "stores")}.get(producer, ("accesses", "accesses"))


def misplaced(what: str, old: str, new: str, producer: Party) -> tuple[str, str]:
    """Both directions of a change that puts something elsewhere.

    Args:
        what: `depth`, `the members behind it`.
        old: where it was: `at offset 24`.
        new: where it is: `at offset 32`.
        producer: who fills it.

    Returns:
        What it does to a plugin built against OLD, and to one built against NEW.
    """
    plugin, core = verbs(producer)
    return (
        f"it {plugin} {what} {old}; a core built against NEW {core} it {new}",
        f"it {plugin} {what} {new}; a core built against OLD {core} it {old}",
    )


def missing_in_old(what: str, where: str, producer: Party) -> tuple[str, str]:
    """Both directions of something that only NEW knows, at bytes that OLD has for nothing or for something else.

    Args:
        what: the new member.
        where: `at offset 20`.
        producer: who fills it.

    Returns:
        What it does to a plugin built against OLD, and to one built against NEW.
    """
    if producer not in (Party.CORE, Party.PLUGIN):
        return (
            f"it does not know {what}, which a core built against NEW accesses {where}",
            f"it accesses {what} {where}, where a core built against OLD has no such member",
        )
    if producer is Party.CORE:
        return (
            f"it does not know {what}, which a core built against NEW sets {where}",
            f"it reads {what} {where}, which a core built against OLD never sets",
        )
    return (
        f"it never sets {what}, which a core built against NEW reads {where}",
        f"it stores {what} {where}, where a core built against OLD has no such member",
    )


def missing_in_new(what: str, where: str, producer: Party) -> tuple[str, str]:
    """Both directions of something that only OLD knows; the arguments and the result are those of `missing_in_old`."""
    if producer is Party.CORE:
        return (
            f"it reads {what} {where}, which a core built against NEW no longer sets",
            f"it ignores {what}, which a core built against OLD sets {where}",
        )
    if producer is Party.PLUGIN:
        return (
            f"it stores {what} {where}, which a core built against NEW no longer reads",
            f"it no longer sets {what}, which a core built against OLD reads {where}",
        )
    return (
        f"it accesses {what} {where}, which a core built against NEW does not have",
        f"it does not have {what}, which a core built against OLD accesses {where}",
    )


def who_tells(filler: Party, is_spec: bool) -> tuple[Detail, ...]:
    """That nobody knows who fills a member, and what would tell; nothing where it is known.

    Args:
        filler: who fills it.
        is_spec: whether a spec declares it, and not a header.
    """
    keys = "`set_by` at it, or `conventions.filled_by`" if is_spec else "`Set by core.` in its comment, or `filled-by`"
    return () if filler else (Detail("set by", f"unknown; state it with {keys} for the prefix of the struct"),)


def gone(name: str) -> str:
    """Why code that names something no longer compiles."""
    return f"code that names {name} no longer compiles"


def count(number: int, noun: str) -> str:
    """`1 member`, `2 members`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(clauses: Sequence[str], total: int | None = None) -> str:
    """The first few, and how many more there are.

    Args:
        clauses: all of them, or the first few.
        total: how many there are, if these are not all.
    """
    rest = (len(clauses) if total is None else total) - _SHOWN
    return ", ".join(clauses[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def last_members(names: Sequence[str]) -> str:
    """Members that stand behind one another, in short: `b, c`; `b to k (10 members)`."""
    return ", ".join(names) if len(names) < _RUN else f"{names[0]} to {names[-1]} ({count(len(names), 'member')})"


def where_they_differ(*texts: str, longest: int) -> list[str]:
    """Two texts, each on one line; cut when they are long, so that what differs is seen.

    Args:
        texts: the old one and the new one.
        longest: how many characters of each are shown at most.
    """
    lines = [text.split() for text in texts]
    same = next((at for at, words in enumerate(zip(*lines, strict=False)) if len(set(words)) > 1), min(map(len, lines)))
    shown = []
    for words in lines:
        is_late = len(" ".join(words[: same + 1])) > longest - 8
        line = " ".join(["...", *words[max(same - 3, 0) :]] if is_late else words)
        shown.append(line if len(line) <= longest else line[: longest - 4].rstrip() + " ...")
    return shown
