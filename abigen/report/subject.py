"""What a report is about, and how it may look: the arguments of every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from abigen.model.api import ApiSet
    from abigen.model.finding import CheckRun, Finding, Page, Verdict
    from abigen.model.version import Version

Manual: TypeAlias = "Callable[[], Sequence[Page]]"
"""Gives the manual pages of all rules; called only by formats that carry them."""


@dataclass(frozen=True)
class ReportedApi:
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
class DiffReport:
    """What `abigen diff` has found."""

    old: ReportedApi
    new: ReportedApi
    verdict: Verdict
    policy: str = "default"
    """Name of the policy that it was judged by."""
    manual: Manual = tuple

    @property
    def operand(self) -> str:
        """What the findings are about."""
        return self.new.operand

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The worst first."""
        return self.verdict.findings

    @property
    def ok(self) -> bool:
        """Whether the version's bump is large enough, and nothing is wrong that no version repairs."""
        return self.verdict.ok

    @property
    def sources(self) -> Mapping[str, str]:
        """Texts that findings quote, by file name."""
        return {**self.old.api.sources, **self.new.api.sources}

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets that were compared."""
        return self.new.api.targets


@dataclass(frozen=True)
class LintReport:
    """What `abigen lint` has found."""

    apis: tuple[ReportedApi, ...]
    findings: tuple[Finding, ...]
    ok: bool
    policy: str = "default"
    manual: Manual = tuple

    @property
    def operand(self) -> str:
        """What the findings are about."""
        return " ".join(each.operand for each in self.apis)

    @property
    def sources(self) -> Mapping[str, str]:
        """Texts that findings quote, by file name."""
        return {name: text for each in reversed(self.apis) for name, text in each.api.sources.items()}

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets that were looked at."""
        return self.apis[0].api.targets


@dataclass(frozen=True)
class VerifyReport:
    """What `abigen verify` has found."""

    operand: str
    """The plugin's file, as the user wrote it."""
    api: ReportedApi
    """What it was tried against."""
    release: str
    """Of the core that was played: `1.2.0`; empty for an API without version."""
    runs: tuple[CheckRun, ...]
    """All checks, by code."""
    findings: tuple[Finding, ...]
    """The loudest first."""
    ok: bool
    manual: Manual = tuple

    @property
    def sources(self) -> Mapping[str, str]:
        """Texts that findings quote, by file name."""
        return self.api.api.sources

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets that the API was read for."""
        return self.api.api.targets


Subject = DiffReport | LintReport | VerifyReport


@dataclass(frozen=True)
class Style:
    """How a report for people looks; formats for machines take no notice."""

    colour: bool = False
    width: int = 100
    """Columns to wrap at."""
    summary: bool = False
    """Only the verdict."""
