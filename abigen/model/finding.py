"""Findings, verdicts and manual pages of rules, and the history of an API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TypeAlias

import msgspec

from abigen.model.span import Span


class Bump(Enum):
    """The part of the version that has to be raised, in rising order."""

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
        """The index of the version's part that it raises: 0 for MAJOR, 1 for MINOR, 2 for PATCH."""
        return Bump.MAJOR.rank - self.rank


class Level(Enum):
    """The severity of a finding."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Axis(Enum):
    """The effect of a change on one of the four kinds of users.

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
    """The effects of a change on four independent axes, each with its reason in words (empty when the axis is ok)."""

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


class Edit(msgspec.Struct, frozen=True):
    """A replacement of a run of characters; lines and columns count from 1, columns in characters."""

    file: str
    """The name of the file in spans."""
    start: tuple[int, int]
    """Line and column of the first replaced character."""
    end: tuple[int, int]
    """Line and column behind the last replaced character; the same as `start` for an insertion."""
    text: str
    """The new text; empty for a deletion."""


class Fix(msgspec.Struct, frozen=True):
    """The one edit, in one or several places, that removes a finding."""

    title: str
    """The title, as a command: `move frames after the last member`."""
    edits: tuple[Edit, ...]
    is_safe: bool = True
    """True if the edit keeps what the author of NEW means; False if it takes back a decision of the author."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A change or a flaw."""

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
    """The message: one line that names the entity, the old state and the new one."""
    help: str = ""
    """The remedy, one line."""
    details: tuple[Detail, ...] = ()
    old: Span | None = None
    new: Span | None = None
    caret: str = ""
    """The text after the caret: `new at offset 24`."""
    targets: Mapping[str, Mapping[str, int | str | None]] = msgspec.field(default_factory=dict)
    """Target name to numbers before and after (`old_offset`, `new_offset`, `old_size`, `new_size`, ... in bytes)."""
    calls: tuple[str, ...] = ()
    """The calls of a plugin that came before it, the last ones, in their order."""
    consequences: tuple[Finding, ...] = ()
    """The consequences of this finding, which do not count beside it."""
    fix: Fix | None = None
    """The edit of NEW that removes it, where there is one right edit."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of one comparison, and the bump that they require."""

    required: Bump
    """The highest bump of all findings."""
    demanded: Bump = Bump.NONE
    """The bump under the policy: lower while MAJOR is 0, and never a part that the version does not have."""
    declared: str
    """`none`, `patch`, `minor`, `major`, `backwards` or `unknown`."""
    ok: bool
    findings: tuple[Finding, ...]
    renamed: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Structs and unions that go by another name: NEW's key to OLD's."""
    accepted: tuple[Accepted, ...] = ()
    """The accepted findings; they are not among `findings`, and do not count."""
    flaws: int = 0
    """The number of findings that are errors which no version number repairs."""
    not_compared: tuple[str, ...] = ()
    """The differences in parts that no target reads, a line each; they do not count."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The manual page of a rule."""

    code: str
    """Stable: `ABI103`."""
    name: str
    """Public name: `field-inserted`."""
    group: str
    """The subject of the rule: `Members of structs and unions`."""
    commands: tuple[str, ...]
    """The commands that report it: `diff`, `lint`."""
    summary: str
    """The summary, one sentence."""
    bump: str = ""
    """The part of the version that its findings require unless they state another one: `MAJOR`; empty for none."""
    sections: tuple[tuple[str, str], ...] = ()
    """Heading (`What changed`, `What happens`, `Instead`, `Source`; empty for none) and paragraph, in order."""
    former: tuple[str, ...] = ()
    """Names that the rule had before."""


PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


class CheckRun(msgspec.Struct, frozen=True, kw_only=True):
    """A check of `abigen verify`."""

    code: str
    name: str
    result: str
    """`passed`, `failed` or `not run`."""
    reason: str = ""
    """The reason why it could not be run, or not to its end."""
    inapplicable: bool = False
    """True if it was not run because what it is about is not there, and need not be."""
    seconds: float = 0.0


class Override(msgspec.Struct, frozen=True, kw_only=True):
    """A project's decision about some findings: by rule and entity, for a reason, for a time."""

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
    """The place of the decision, in the configuration or in a comment in the code."""
    lines: tuple[int, int] = (0, 0)
    """The first and the last line, in the file of `place`, of what it is about; (0, 0) for whatever the entity says."""


class Accepted(msgspec.Struct, frozen=True):
    """A finding that a project accepts, and what it says of it."""

    finding: Finding
    override: Override

    def __str__(self) -> str:
        """Return the finding, the reason why it is accepted, and the date until which it is."""
        until = f", until {self.override.expires}" if self.override.expires else ""
        return f"{self.finding.code} {self.finding.rule}: {self.finding.message} ({self.override.reason}{until})"


class MemberShape(msgspec.Struct, frozen=True):
    """A member of a struct at one revision."""

    name: str
    type: str
    """Spelled so that two spellings of one type are the same."""
    offset: int
    """In bytes."""
    size: int
    """In bytes."""


class StructShape(msgspec.Struct, frozen=True):
    """The layout of a struct or union at one revision."""

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
    """The value that it should have: the end of the last member, in bytes."""
    left_out: tuple[str, ...]


class RevisionName(msgspec.Struct, frozen=True):
    """The names and dates of a revision."""

    label: str
    """A tag, the first digits of a commit's name, or an operand."""
    operand: str
    """The operand that names the API there on a command line."""
    commit: str = ""
    """The full name of the commit; empty for files."""
    path: str = ""
    """The file from the top of the repository at that commit; empty for files."""
    date: str = ""
    """The date as `2024-12-31`; empty when it is not known."""
    title: str = ""
    """The first line of the commit's message."""
    release: str = ""
    """The tag of the first release that contains the commit; empty when none does, and for files."""
    release_version: str = ""
    """The version that this tag names."""
    released: str = ""
    """The date of that release's commit, as `2024-12-31`."""


class RevisionState(msgspec.Struct, frozen=True, kw_only=True):
    """The API at one revision, and what changed since the one before that could be read."""

    version: str = ""
    """The version that the API states; empty when it states none."""
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
    """The reason why the API cannot be read at this revision; empty when it can."""


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
