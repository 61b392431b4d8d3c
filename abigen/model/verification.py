"""What came of trying out a plugin: the checks that ran, and what they found."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.model.finding import Finding

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """One check of `abigen verify`."""

    code: str
    name: str
    summary: str
    """What it looks for, one sentence."""
    result: str
    """`passed`, `failed` or `not run`."""
    reason: str = ""
    """Why it could not be run, or not to its end."""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Verification:
    """All checks of one plugin, in the order of their codes, and their findings, the loudest first."""

    plugin: str
    """The file, as the user wrote it."""
    api: str
    """Name of the API."""
    release: str
    """Of the core that was played: `1.2.0`; empty for an API without version."""
    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]
