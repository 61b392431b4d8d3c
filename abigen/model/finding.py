"""Findings, verdicts and manual pages of rules, and the history of an API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TypeAlias

import msgspec

from abigen.model.span import Span


class Bump(Enum):
    """How far the version has to move, in rising order."""

    NONE = "none"
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"

    @property
    def rank(self) -> int:
        """0 for none up to 3 for major."""
        return list(Bump).index(self)

    @property
    def place(self) -> int:
        """Which number of a version it raises: 0 for MAJOR, 1 for MINOR, 2 for PATCH; for none there is no such one."""
        return Bump.MAJOR.rank - self.rank


class Level(Enum):
    """How loud a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Axis(Enum):
    """What a change does to one of the four kinds of user.

    `at-risk`: works only if the other side makes the check that the reason names.
    """

    OK = "ok"
    AT_RISK = "at-risk"
    BREAKS = "breaks"


Labels: TypeAlias = Iterable[tuple[str, ...]]
"""Code, name and former names of each rule."""


def rule_named(spelled: str, labels: Labels) -> str:
    """Return the public name of a rule; empty where there is none.

    Args:
        spelled: its name, one that it had before, or its code in upper or lower case.
        labels: of all rules.
    """
    return next((each[1] for each in labels if spelled in each[1:] or spelled.upper() == each[0]), "")


class Axes(msgspec.Struct, frozen=True):
    """Who breaks, on four independent axes, each with its reason in words (empty when the axis is ok)."""

    old_plugin: Axis = Axis.OK
    new_plugin: Axis = Axis.OK
    source: Axis = Axis.OK
    contract: Axis = Axis.OK
    reasons: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Axis name (`old_plugin`, ...) to the reason: who reads or writes what, and which check it has to make."""


class Detail(msgspec.Struct, frozen=True):
    """A line below a finding: a label (`moves`, `offset`, `size`, `was`, `is`) and its text."""

    label: str
    text: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One change or one flaw, stated once."""

    code: str
    """Stable: `ABI103`."""
    rule: str
    """Public name: `field-inserted`."""
    entity: str
    """`Struct.member`, a function's name, ..."""
    bump: Bump
    level: Level
    axes: Axes = msgspec.field(default_factory=Axes)
    message: str
    """One line that names the entity, what was and what is."""
    help: str = ""
    """What to do instead, one line."""
    details: tuple[Detail, ...] = ()
    old: Span | None = None
    new: Span | None = None
    caret: str = ""
    """What to write behind the caret: `new at offset 24`."""
    targets: Mapping[str, Mapping[str, int | str | None]] = msgspec.field(default_factory=dict)
    """Target name to numbers before and after (`old_offset`, `new_offset`, `old_size`, `new_size`, ... in bytes)."""
    calls: tuple[str, ...] = ()
    """The calls of a plugin that came before it, the last ones, in their order."""
    consequences: tuple[Finding, ...] = ()
    """What follows from this one, and counts for nothing beside it."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """All findings of one comparison, and what follows from them."""

    required: Bump
    """The highest bump of all findings."""
    demanded: Bump = Bump.NONE
    """What the policy makes of it: less while MAJOR is 0, nothing that the version has no number for."""
    declared: str
    """`none`, `patch`, `minor`, `major`, `backwards` or `unknown`."""
    ok: bool
    findings: tuple[Finding, ...]
    renamed: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Structs and unions that go by another name: NEW's key to OLD's."""
    accepted: tuple[Accepted, ...] = ()
    """What the project accepts; it is not among `findings`, and counts for nothing."""
    flaws: int = 0
    """How many findings are errors that no version number repairs."""
    not_compared: tuple[str, ...] = ()
    """What differs where no target reads it, a line each; it counts for nothing."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One rule, as people read about it."""

    code: str
    """Stable: `ABI103`."""
    name: str
    """Public name: `field-inserted`."""
    group: str
    """What the rule is about: `Members of structs and unions`."""
    commands: tuple[str, ...]
    """Those that report it: `diff`, `lint`."""
    summary: str
    """One sentence."""
    sections: tuple[tuple[str, str], ...] = ()
    """Heading (`What changed`, `What happens`, `Instead`, `Source`; empty for none) and paragraph, in order."""
    former: tuple[str, ...] = ()
    """Names that the rule had before."""


PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


class CheckRun(msgspec.Struct, frozen=True, kw_only=True):
    """One check of `abigen verify`."""

    code: str
    name: str
    result: str
    """`passed`, `failed` or `not run`."""
    reason: str = ""
    """Why it could not be run, or not to its end."""
    inapplicable: bool = False
    """True if it was not run because what it is about is not there, and need not be."""
    seconds: float = 0.0


class Override(msgspec.Struct, frozen=True, kw_only=True):
    """What a project decides about some findings: by rule and entity, for a reason, for a time."""

    rule: str
    """Name or code; `*` and `?` are wildcards."""
    entity: str = "*"
    """`*` and `?` are wildcards."""
    level: str = "off"
    """`error`, `warning`, `note` or `off`; `off` accepts the findings, and they no longer count towards the bump."""
    reason: str
    expires: str = ""
    """The last day on which it holds, `YYYY-MM-DD`; empty for no end."""
    against: str = ""
    """The baseline that it is about, as the command line names it: `v1.2.0`; empty for all, and for what has none."""
    place: Span
    """Where the configuration, or a comment in the code, says so."""
    lines: tuple[int, int] = (0, 0)
    """The first and the last line, in the file of `place`, of what it is about; (0, 0) for whatever the entity says."""


class Accepted(msgspec.Struct, frozen=True):
    """A finding that a project accepts, and what it says of it."""

    finding: Finding
    override: Override

    def __str__(self) -> str:
        """What was found, why it is accepted, and until when."""
        until = f", until {self.override.expires}" if self.override.expires else ""
        return f"{self.finding.code} {self.finding.rule}: {self.finding.message} ({self.override.reason}{until})"


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
    """True if the declared bump was large enough, and no flaw came that no version repairs."""
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
    """True if nothing that can be read comes before it."""

    @property
    def changes(self) -> bool:
        """True if anything that counts is different from the revision before."""
        return bool(self.state.breaks or self.state.others)
