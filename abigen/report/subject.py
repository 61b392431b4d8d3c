"""What a report is about, and how it may look: the arguments of every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    from abigen.model.api import ApiSet
    from abigen.model.entities import VersionDeclaration
    from abigen.model.finding import Accepted, CheckRun, Finding, Page, Verdict

Manual: TypeAlias = "Callable[[], Sequence[Page]]"
"""Gives the manual pages of all rules; called only by formats that carry them."""


class ReportedApi(msgspec.Struct, frozen=True):
    """One of the APIs that a report is about."""

    operand: str
    """As the user wrote it."""
    api: ApiSet

    @property
    def version(self) -> VersionDeclaration | None:
        """What the API says of itself; None when it says nothing."""
        declarations = [group.api.version for group in self.api.groups]
        return next(filter(None, declarations), None)

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose declarations are the API's own, as messages name them."""
        return tuple(dict.fromkeys(file for group in self.api.groups for file in group.api.files))


class _AboutApis:
    """What reports have in common, by the APIs that they are about: those whose texts and targets count come first."""

    is_diff = False

    @property
    def sides(self) -> tuple[ReportedApi, ...]:
        """All of them."""
        raise NotImplementedError

    @property
    def sources(self) -> Mapping[str, str]:
        """Texts that findings quote, by file name."""
        return {name: text for each in reversed(self.sides) for name, text in each.api.sources.items()}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was judged, where the operands do not say it themselves: OLD's first."""
        groups = [group for each in reversed(self.sides) for group in each.api.groups]
        notes = (each.message for group in groups for each in group.api.warnings if each.severity == "note")
        return tuple(dict.fromkeys(notes))

    @property
    def not_compared(self) -> tuple[str, ...]:
        """What differs where no target reads it, a line each."""
        return ()

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the report says nothing of, a line each: parts that were not compared, APIs that were not judged."""
        return tuple(f"not compared: {each}" for each in self.not_compared)

    @property
    def accepted_findings(self) -> tuple[Accepted, ...]:
        """What the project accepts."""
        return ()

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets that were compared, or looked at."""
        return self.sides[0].api.targets


class DiffReport(msgspec.Struct, _AboutApis, frozen=True):
    """What `abigen diff` has found."""

    is_diff = True
    old: ReportedApi
    new: ReportedApi
    verdict: Verdict
    policy: str = "default"
    """Name of the policy that it was judged by."""
    manual: Manual = tuple
    left_out: tuple[Finding, ...] = ()
    """Findings that count, and are not shown because the user wants to see others only."""

    @property
    def sides(self) -> tuple[ReportedApi, ...]:
        """Both sides."""
        return self.new, self.old

    @property
    def operand(self) -> str:
        """What the findings are about."""
        return self.new.operand

    @property
    def not_compared(self) -> tuple[str, ...]:
        """What differs where no target reads it, a line each."""
        return self.verdict.not_compared

    @property
    def accepted_findings(self) -> tuple[Accepted, ...]:
        """What the project accepts."""
        return self.verdict.accepted

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those that are shown, the worst first."""
        return tuple(each for each in self.verdict.findings if each not in self.left_out)

    @property
    def ok(self) -> bool:
        """Whether the version's bump is large enough, and nothing is wrong that no version repairs."""
        return self.verdict.ok


class LintReport(msgspec.Struct, _AboutApis, frozen=True):
    """What `abigen lint` has found."""

    apis: tuple[ReportedApi, ...]
    all_findings: tuple[Finding, ...]
    ok: bool
    policy: str = "default"
    manual: Manual = tuple
    accepted: tuple[Accepted, ...] = ()
    left_out: tuple[Finding, ...] = ()
    """Findings that count, and are not shown because the user wants to see others only."""
    not_judged: tuple[str, ...] = ()
    """Why each of the other APIs cannot be read, with the place."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those that are shown."""
        return tuple(each for each in self.all_findings if each not in self.left_out)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the report says nothing of, a line each."""
        return tuple(f"not judged: {each}" for each in self.not_judged)

    @property
    def accepted_findings(self) -> tuple[Accepted, ...]:
        """What the project accepts."""
        return self.accepted

    @property
    def sides(self) -> tuple[ReportedApi, ...]:
        """All that were looked at."""
        return self.apis

    @property
    def operand(self) -> str:
        """What the findings are about."""
        return " ".join(each.operand for each in self.apis)


class VerifyReport(msgspec.Struct, _AboutApis, frozen=True):
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
    not_called: tuple[tuple[str, str], ...] = ()
    """Functions of the plugin that nothing has called, with the reason."""
    of_host: bool = False
    """True if the operand is a command that runs a host, which was tried with plugins."""
    manual: Manual = tuple

    @property
    def sides(self) -> tuple[ReportedApi, ...]:
        """The one that it was tried against."""
        return (self.api,)


Subject = DiffReport | LintReport | VerifyReport


class Style(msgspec.Struct, frozen=True):
    """How a report for people looks; formats for machines take notice of the folder alone."""

    colour: bool = False
    width: int = 100
    """Columns to wrap at."""
    is_wrapped: bool = False
    """Whether lines are wrapped that a program may search for, too: headlines, and what was not compared."""
    summary: bool = False
    """Only the verdict."""
    statistics: bool = False
    """How many findings each rule has, instead of the findings."""
    everything: bool = False
    """Whether findings that repeat themselves are written in full, too."""
    folder: str = ""
    """Where abigen runs, below the root of the repository: `include/`; empty in the root, and where there is none."""
