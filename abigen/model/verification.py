"""How each check of a plugin went."""

from __future__ import annotations

from dataclasses import dataclass

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """One check of `abigen verify`."""

    code: str
    name: str
    result: str
    """`passed`, `failed` or `not run`."""
    reason: str = ""
    """Why it could not be run, or not to its end."""
    seconds: float = 0.0
