"""Every JSON document that a report can be: what it says, key by key, in the order in which it is written.

`python -m tests.manual` makes the published schemas (`*.schema.json`) of these records and of the texts below their
keys. What can be absent was not written by earlier releases, or is written for some findings only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET

from abigen.model.finding import FAILED, NOT_RUN, PASSED, Axis, Bump, Detail, Level, StaleConstant, StructShape
from abigen.model.span import OrAbsent, one_of

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Code: TypeAlias = Annotated[str, msgspec.Meta(pattern="^ABI[0-9]{3}$")]
Release: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
Date: TypeAlias = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date"})]
Declared: TypeAlias = Annotated[str, one_of(*(each.value for each in Bump), "backwards", "unknown")]


class Place(msgspec.Struct, frozen=True):
    """A place in a file; line and column count from 1."""

    file: str
    """The file as the user named it, or `REV:path`."""
    line: Number
    column: Number
    """In characters, not bytes."""


class Answers(msgspec.Struct, frozen=True):
    """The effects on each kind of user."""

    old_plugin: Axis
    """A plugin binary built against OLD, in a core built against NEW."""
    new_plugin: Axis
    """A plugin binary built against NEW, in a core built against OLD."""
    source: Axis
    """Code that compiled against OLD, compiled against NEW."""
    contract: Axis
    """True if both sides still mean the same by the same bytes."""


class ReportedEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A replacement of a run of characters; lines and columns count from 1, columns in characters."""

    file: str
    """The file as the user named it."""
    start_line: Number
    start_column: Number
    end_line: Number
    end_column: Number
    """The column behind the last replaced character."""
    text: str
    """The new text; empty for a deletion."""


class ReportedFix(msgspec.Struct, frozen=True, kw_only=True):
    """The edit, in one or several places, that removes a finding."""

    title: str
    """The title, as a command."""
    safe: bool
    """False if the edit takes back a decision of the author, so that only --unsafe-fixes makes it."""
    edits: tuple[ReportedEdit, ...]


class FoundAnywhere(msgspec.Struct, frozen=True, kw_only=True):
    """The parts that findings of all commands have."""

    code: Code
    """Stable; `abigen explain` takes it."""
    rule: str
    """The rule's public name."""
    entity: str
    """The subject of the finding: `Struct.member`, a function's name, and so on."""
    bump: Bump
    level: Level
    axes: Answers
    reasons: OrAbsent[Mapping[str, str]] = UNSET
    """The reasons, by axis."""
    message: str
    """The message: one line that names the entity, the old state and the new one."""
    help: str
    """The remedy; may be empty."""
    details: OrAbsent[tuple[Detail, ...]] = UNSET
    targets: Mapping[str, Mapping[str, int | str | None]]
    """By target: sizes and offsets before and after, in bytes."""
    fix: OrAbsent[ReportedFix] = UNSET
    """The edit that removes it; absent where there is not one right edit."""


class ReportedChange(FoundAnywhere, frozen=True, kw_only=True):
    """A finding about two APIs."""

    old: Place | None
    """The place in OLD."""
    new: Place | None
    """The place in NEW."""


class ReportedFlaw(FoundAnywhere, frozen=True, kw_only=True):
    """A finding about one API."""

    place: Place | None
    """The place."""
    old: OrAbsent[None] = UNSET
    """There is no OLD; here so that what reads `abigen-diff/1` reads this."""
    new: OrAbsent[Place | None] = UNSET
    """The same as `place`."""


class Misbehaviour(ReportedFlaw, frozen=True, kw_only=True):
    """A finding about a plugin."""

    calls: OrAbsent[tuple[str, ...]] = UNSET
    """The calls of the plugin that came before it, the last ones, in their order; what follows from another finding has
    none."""
    consequences: OrAbsent[tuple[Misbehaviour, ...]] = UNSET
    """Findings that follow from this one, and count for nothing beside it; they have none themselves."""


class AcceptedFinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finding that the project's configuration accepts."""

    code: str
    rule: str
    entity: str
    message: str
    reason: str
    """The reason, as the configuration states it."""
    expires: str | None
    """The last day on which it is accepted, YYYY-MM-DD."""


class DiffSide(msgspec.Struct, frozen=True, kw_only=True):
    """OLD or NEW."""

    operand: str
    """The operand as the user wrote it."""
    version: Release | None
    """The version that the API states; null when it states none."""
    files: tuple[str, ...]
    """The files whose declarations are the API's own."""


class Diff(msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="abigen-diff/1"):
    """The output of `abigen diff --format json`."""

    old: DiffSide
    new: DiffSide
    policy: OrAbsent[str] = UNSET
    """Name of the policy that was judged by."""
    targets: OrAbsent[tuple[str, ...]] = UNSET
    """The targets that were compared."""
    required_bump: Bump
    """The highest bump of all findings."""
    demanded_bump: OrAbsent[Bump] = UNSET
    """The bump under the policy: less while MAJOR is 0."""
    declared_bump: Declared
    """The bump that the version numbers declare; `unknown` when a side states none."""
    sentence: OrAbsent[str] = UNSET
    """The verdict as other formats print it, with the next version."""
    ok: bool
    """True if the declared bump is enough."""
    accepted: OrAbsent[Count] = UNSET
    """The number of findings that the project's configuration accepts."""
    accepted_findings: tuple[AcceptedFinding, ...]
    """Findings that the project's configuration accepts."""
    not_compared: OrAbsent[tuple[str, ...]] = UNSET
    """The differences that no target reads, each with its place and the way to have it compared."""
    not_shown: OrAbsent[Count] = UNSET
    """The number of findings that count and are not listed, because of --select, --ignore or --level."""
    findings: tuple[ReportedChange, ...]
    """Worst first."""


class Diffs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="schema",
            tag="abigen-diffs/1"):  # fmt: skip
    """The output of `abigen diff --format json` for several APIs."""

    ok: bool
    """True if every API declares a large enough bump."""
    diffs: tuple[Diff, ...]
    """The comparisons, in the order of the command line."""


class Lint(msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="abigen-lint/1"):
    """The output of `abigen lint --format json`."""

    files: OrAbsent[tuple[str, ...]] = UNSET
    policy: OrAbsent[str] = UNSET
    """Name of the policy that was judged by."""
    ok: bool
    """True if there is no error."""
    not_judged: OrAbsent[tuple[str, ...]] = UNSET
    """The reasons why other operands cannot be read, each with its place; absent when all can."""
    accepted_findings: tuple[AcceptedFinding, ...]
    """Findings that the project's configuration accepts."""
    not_shown: OrAbsent[Count] = UNSET
    """The number of findings that count and are not listed, because of --select, --ignore or --level."""
    findings: tuple[ReportedFlaw, ...]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A check of `abigen verify`."""

    code: Code
    """Stable; `abigen explain` takes it."""
    rule: str
    """The check's public name."""
    result: Annotated[str, one_of(PASSED, FAILED, NOT_RUN)]
    reason: str
    """The reason why it could not be run, or not to its end; empty when it could."""
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    """The duration."""


class NotCalled(msgspec.Struct, frozen=True):
    """A function of the plugin that nothing has called."""

    function: str
    reason: str
    """The reason why it cannot be called."""


class Verify(msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="abigen-verify/1"):
    """The output of `abigen verify --format json`."""

    plugin: str
    """The file, as the user wrote it."""
    api: str
    """The API that it was tried against."""
    release: str | None
    """Of the core that was played; null for an API without version."""
    ok: bool
    """True if there is no error."""
    checks: tuple[Check, ...]
    not_called: tuple[NotCalled, ...]
    """Functions of the plugin that nothing has called; empty when only some checks were run."""
    findings: tuple[Misbehaviour, ...]
    """The loudest first."""


class Break(msgspec.Struct, frozen=True):
    """A change that requires MAJOR, or an error that no version repairs."""

    code: str
    rule: str
    entity: str
    message: str


class HistoryStep(msgspec.Struct, frozen=True, kw_only=True):
    """A revision of an API, and what changed at it."""

    revision: str
    """A tag, the first digits of a commit's name, or an operand."""
    commit: OrAbsent[str | None] = UNSET
    operand: str
    date: OrAbsent[Date | None] = UNSET
    title: OrAbsent[str | None] = UNSET
    """The first line of the commit's message."""
    version: OrAbsent[str | None] = UNSET
    error: str | None
    """The reason why the API cannot be read at this revision."""
    is_first: bool
    required_bump: Bump
    demanded_bump: OrAbsent[Bump] = UNSET
    declared_bump: Declared
    ok: bool
    breaks: tuple[Break, ...]
    others: OrAbsent[Mapping[str, int]] = UNSET
    """The other findings, by rule."""
    stale: OrAbsent[tuple[StaleConstant, ...]] = UNSET
    structs: tuple[StructShape, ...]


class StaleTime(msgspec.Struct, frozen=True, kw_only=True):
    """A time in which a size constant left out members of its struct."""

    constant: str
    struct: str
    left_out: tuple[str, ...]
    since: str
    until: str | None
    """The revision that mended it; null while it is stale."""


class History(msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="abigen-history/1"):
    """The output of `abigen history --format json`."""

    of: str
    """The operands, as the user wrote them."""
    policy: str
    """Name of the policy that was judged by."""
    targets: tuple[str, ...]
    summary: tuple[str, ...]
    """The number of steps whose version was right, as sentences."""
    steps: tuple[HistoryStep, ...]
    """The revisions, in order of time."""
    stale: tuple[StaleTime, ...]
    """The periods in which size constants left out members of their structs."""


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a struct on one target."""

    name: str
    """Empty for an anonymous member."""
    offset: int
    """In bytes."""
    size: int
    """In bytes."""
    bit_offset: int | None
    """In bits, from the start of the struct; null for members that are no bit-fields."""
    type: str


class StructLayout(msgspec.Struct, frozen=True, kw_only=True):
    """A struct or union on one target; its numbers are in bytes."""

    size: int
    align: int
    unpadded_size: int
    fields: tuple[Member, ...]


class TargetLayout(msgspec.Struct, frozen=True, kw_only=True):
    """The output of `abigen layout --format json`; for several targets, a list of these."""

    abi: str
    """The target."""
    structs: Mapping[str, StructLayout]


SCHEMAS = {"diff": Diff, "diffs": Diffs, "lint": Lint, "verify": Verify, "history": History}
"""The documents whose JSON Schema is published, by the name of its file."""


def written(document: object) -> str:
    """Return a document, or a list of them, as it is printed: in ASCII, with two spaces for each level."""
    return json.dumps(msgspec.to_builtins(document), indent=2) + "\n"
