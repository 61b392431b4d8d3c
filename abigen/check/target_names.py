"""Names the target in sentences of a finding that do not hold on every target."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from abigen.model.finding import Detail, Finding

_MOST = 3
"""How many targets are named at most."""


def with_targets(finding: Finding, of_targets: Sequence[Finding], targets: Sequence[str]) -> Finding:
    """Return a finding whose sentences name their target where they differ between targets.

    Args:
        finding: the one that speaks for all targets.
        of_targets: the finding of each target.
        targets: all targets that were compared; none where findings are about no target.
    """
    is_on_some = not finding.targets.keys() >= set(targets)
    if not is_on_some and len(of_targets) < 2:
        return finding

    def named(text: str, others: Sequence[str], *, is_always: bool = False) -> str:
        """Add the targets to a sentence; `others` has the sentence of each target."""
        differs = any(text != each for each in others)
        if not text or not (differs or (is_on_some and (is_always or re.search(r"\d", text)))):
            return text
        same = [
            target for each, other in zip(of_targets, others, strict=True) if text == other for target in each.targets
        ]
        if not same:
            return text
        rest = f" and {len(same) - _MOST} more" if len(same) > _MOST else ""
        return f"{text} (on {', '.join(same[:_MOST])}{rest})"

    def texts(label: str) -> list[str]:
        """Return the detail of a label of each target; empty where a target has none."""
        return [next((each.text for each in other.details if each.label == label), "") for other in of_targets]

    reasons = {
        axis: named(reason, [other.axes.reasons.get(axis, "") for other in of_targets])
        for axis, reason in finding.axes.reasons.items()
    }
    return replace(
        finding,
        message=named(finding.message, [other.message for other in of_targets], is_always=True),
        caret=named(finding.caret, [other.caret for other in of_targets]),
        axes=replace(finding.axes, reasons=reasons),
        details=tuple(
            Detail(each.label, named(each.text, texts(each.label))) if _is_single(each, finding) else each
            for each in finding.details
        ),
    )


def _is_single(detail: Detail, finding: Finding) -> bool:
    """True if no other detail of the finding has this label."""
    return sum(each.label == detail.label for each in finding.details) == 1
