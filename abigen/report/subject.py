"""What a report is about, and how it may look: the arguments of every format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from abigen.model.api import ApiSet
from abigen.model.finding import CheckRun, Finding, Page, Verdict
from abigen.model.version import Version

Manual = Callable[[], Sequence[Page]]
"""Gives the manual pages of all rules; called only by formats that carry them."""


@dataclass(frozen=True)
class Side:
    """One of the APIs that a report is about."""

    operand: str
    """As the user wrote it."""
    api: ApiSet

    @property
    def version(self) -> Version | None:
        """What the API says of itself; None when it says nothing."""
        declarations = [group.api.version for group in self.api.groups]
        return next((each.version for each in declarations if each is not None), None)

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose declarations are the API's own, as messages name them."""
        return tuple(dict.fromkeys(file for group in self.api.groups for file in group.api.files))


@dataclass(frozen=True)
class Comparison:
    """What `abigen diff` has found."""

    old: Side
    new: Side
    verdict: Verdict
    policy: str = "default"
    """Name of the policy that it was judged by."""
    manual: Manual = tuple


@dataclass(frozen=True)
class Inspection:
    """What `abigen lint` has found."""

    sides: tuple[Side, ...]
    findings: tuple[Finding, ...]
    ok: bool
    policy: str = "default"
    manual: Manual = tuple


@dataclass(frozen=True)
class Verification:
    """What `abigen verify` has found."""

    plugin: str
    """The file, as the user wrote it."""
    side: Side
    """The API that it was tried against."""
    release: str
    """Of the core that was played: `1.2.0`; empty for an API without version."""
    runs: tuple[CheckRun, ...]
    """All checks, by code."""
    findings: tuple[Finding, ...]
    """The loudest first."""
    ok: bool
    manual: Manual = tuple


@dataclass(frozen=True)
class Style:
    """How a report for people looks; formats for machines take no notice."""

    colour: bool = False
    width: int = 100
    """Columns to wrap at."""
    summary: bool = False
    """Only the verdict."""
