"""The history of an API: its revisions in order of time, what each broke, and how its structs stood at each."""

from __future__ import annotations

import msgspec

from abigen.model.finding import Bump, Finding


class MemberShape(msgspec.Struct, frozen=True):
    """One member of a struct at one revision."""

    name: str
    type: str
    """Spelled so that two spellings of one type are the same."""
    offset: int
    """In bytes."""
    size: int
    """In bytes."""


class StructShape(msgspec.Struct, frozen=True):
    """How a struct or union stood at one revision."""

    name: str
    size: int
    """In bytes, on the first of the targets."""
    members: tuple[MemberShape, ...]


class StaleConstant(msgspec.Struct, frozen=True):
    """A size constant that leaves out members of its struct."""

    name: str
    struct: str
    value: int
    """In bytes."""
    unpadded_size: int
    """What it should be: the end of the last member, in bytes."""
    left_out: tuple[str, ...]


class RevisionName(msgspec.Struct, frozen=True):
    """One revision, as people know it."""

    label: str
    """A tag, the first digits of a commit's name, or an operand."""
    operand: str
    """What names the API there on a command line."""
    commit: str = ""
    """The full name of the commit; empty for files."""
    date: str = ""
    """As `2024-12-31`; empty when it is not known."""
    title: str = ""
    """The first line of the commit's message."""
    release: str = ""
    """The tag of the first release that contains the commit; empty when none does, and for files."""
    release_version: str = ""
    """The version that this tag names."""
    released: str = ""
    """When that release was committed, as `2024-12-31`."""


class RevisionState(msgspec.Struct, frozen=True, kw_only=True):
    """The API at one revision, and what changed since the one before that could be read."""

    version: str = ""
    """What the API says of itself; empty when it says nothing."""
    required: Bump = Bump.NONE
    demanded: Bump = Bump.NONE
    declared: str = "unknown"
    ok: bool = True
    """Whether the declared bump was large enough, and no flaw came that no version repairs."""
    breaks: tuple[Finding, ...] = ()
    """Changes that require MAJOR, and errors that no version repairs."""
    others: tuple[Finding, ...] = ()
    """The other findings that require a bump."""
    structs: tuple[StructShape, ...] = ()
    stale: tuple[StaleConstant, ...] = ()
    error: str = ""
    """Why the API cannot be read at this revision; empty when it can."""


class Step(msgspec.Struct, frozen=True):
    """A revision with what became of the API at it."""

    name: RevisionName
    state: RevisionState
    is_first: bool = False
    """Whether nothing that can be read comes before it."""

    @property
    def changes(self) -> bool:
        """Whether anything that counts is different from the revision before."""
        return bool(self.state.breaks or self.state.others)
