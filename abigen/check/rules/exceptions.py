"""What a project has decided about single findings, and no longer needs."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.exceptions import Stale
from abigen.check.policy import Override
from abigen.check.rule import Report, policy_rule
from abigen.model.finding import Bump


@policy_rule("ABI901")
def exception_unused(stale: Stale) -> Iterator[Report]:
    """An exception in the configuration matches no finding.

    What it means: the configuration accepts a finding (or changes its level) that there is not, because it was
    repaired, because the name is spelled otherwise, or because the rule is called otherwise.

    What happens: nothing now; but the exception would hide a new finding that happens to match it.

    Instead: remove it.

    Source: rulebook section 5.
    """
    for override in stale.unused:
        yield _about(override, f"the exception for {_what(override)} matches no finding", "remove it")


@policy_rule("ABI902")
def exception_expired(stale: Stale) -> Iterator[Report]:
    """An exception in the configuration is past its last day.

    What it means: the configuration says until when a finding is accepted, and that day is over.

    What happens: the finding counts again.

    Instead: repair what the exception excused, or decide anew and write a later date.

    Source: rulebook section 5.
    """
    for override in stale.expired:
        message = f"the exception for {_what(override)} expired on {override.expires}"
        yield _about(override, message, "repair what it excused, or decide anew and write a later date")


def _what(override: Override) -> str:
    """What an override is about."""
    return f"{override.rule} of {override.entity}"


def _about(override: Override, message: str, help: str) -> Report:
    """A report about one override."""
    return Report(
        entity=_what(override),
        bump=Bump.NONE,
        message=f"{message} (its reason: {override.reason})",
        help=help,
        new=override.place,
        caret="here" if override.place else "",
        level="warning",
    )
