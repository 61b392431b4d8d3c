"""How members and enumerators stand below each other: comments above or behind, aligned, with room between groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abigen.emit.c.prose import one_line
from abigen.emit.c.wrapping import WIDTH

INDENT = 2
"""Columns before a member."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member of a struct, or an enumerator.

    `text` is its declaration on one line without what ends it. Its documentation is either `doc`, to stand above it, or
    `behind`, a comment with the spaces before it.
    """

    text: str
    end: str
    doc: str
    heading: str = ""
    """Name of the group that begins here."""
    behind: str = ""
    gap: bool = False
    """Whether an empty line stands before it."""


def lay_out(members: Sequence[Member]) -> tuple[Member, ...]:
    """Decide where the documentation of each member stands.

    A comment goes behind a member when both fit on one line with the comments around it aligned; functions have theirs
    above. An empty line separates what has a comment above.

    Args:
        members: in order, with `doc` set.

    Returns:
        The same members with `behind` and `gap` set; `doc` is empty where `behind` is not.
    """
    behind = [_may_stand_behind(member) for member in members]
    while True:
        columns = _columns(members, behind)
        misfits = [
            at for at, member in enumerate(members) if behind[at] and columns[at] + len(one_line(member.doc)) > WIDTH
        ]
        if not misfits:
            break
        for at in misfits:
            behind[at] = False
    placed: list[Member] = []
    for at, member in enumerate(members):
        above = bool(member.doc) and not behind[at]
        gap = at > 0 and (above or bool(member.heading) or bool(placed[-1].doc))
        trail = " " * (columns[at] - _width(member)) + one_line(member.doc) if behind[at] else ""
        placed.append(replace(member, doc=member.doc if above else "", behind=trail, gap=gap))
    return tuple(placed)


def _may_stand_behind(member: Member) -> bool:
    return bool(one_line(member.doc)) and "(" not in member.text


def _width(member: Member) -> int:
    return INDENT + len(member.text) + len(member.end)


def _columns(members: Sequence[Member], behind: list[bool]) -> list[int]:
    """For each member the column where comments behind it and its neighbours begin."""
    columns = [0] * len(members)
    start = 0
    for at in range(len(members) + 1):
        if at < len(members) and behind[at] and not (members[at].heading and at > start):
            continue
        run = range(start, at)
        column = max((_width(members[each]) for each in run), default=0) + 2
        for each in run:
            columns[each] = column
        start = at if at < len(members) and behind[at] else at + 1
    return columns
