"""The report about the programs for two headers: what they showed of each finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from abigen.report.junit import JUnitOutcome, JUnitTest
from abigen.skew.programs import ProgramFolder
from abigen.skew.report import SkewEntry, SkewReport
from abigen.skew.witness import HOLDS, NO_BYTES, NOT_SHOWN, SHOWN, Witness

_GRADES = {SHOWN: "error", HOLDS: "warning", NOT_SHOWN: "warning", NO_BYTES: "note"}
_COUNTED = {
    SHOWN: "shown to break",
    HOLDS: "held by sides that look at struct_size first",
    NOT_SHOWN: "could not be shown",
    NO_BYTES: "not about bytes",
}


def witness_report(
    operands: tuple[str, str], target: str, folder: ProgramFolder, witnesses: Sequence[Witness]
) -> SkewReport:
    """The report.

    Args:
        operands: OLD and NEW.
        target: that the programs were built for.
        folder: with the programs.
        witnesses: what became of each finding.
    """
    old, new = operands
    tools = folder.tools
    is_shown = any(each.outcome == SHOWN for each in witnesses)
    counts = [(sum(each.outcome == outcome for each in witnesses), words) for outcome, words in _COUNTED.items()]
    found = ", ".join(f"{number} {words}" for number, words in counts if number) or "nothing changed"
    without = "" if tools.sanitizers else ", without sanitizers"
    return SkewReport(
        title=" and ".join(operands),
        ok=not is_shown,
        verdict="Programs show a break" if is_shown else "No program shows a break",
        last_line=f"{found} (built by {' '.join(tools.compiler)} for {target}{without})",
        entries=tuple(_entry(each, folder.kept) for each in witnesses),
        tests=[_test(each, new) for each in witnesses],
        content={
            "old": old,
            "new": new,
            "target": target,
            "compiler": list(tools.compiler),
            "sanitizers": list(tools.sanitizers),
            "ok": not is_shown,
            "findings": [_finding(each, folder.kept) for each in witnesses],
        },
    )


def _program(witness: Witness, kept: str) -> str:
    """The folder of a program that was kept; empty for none."""
    return f"{kept}/{witness.program}" if kept and witness.program else ""


def _entry(witness: Witness, kept: str) -> SkewEntry:
    finding, program = witness.finding, _program(witness, kept)
    reason = f": {witness.reason}" if witness.reason else ""
    return SkewEntry(
        title=f"{witness.outcome} {finding.code} {finding.rule} {finding.entity}{reason}",
        grade=_GRADES[witness.outcome],
        lines=witness.lines,
        remark=finding.message,
        place=f"program: {program}" if program else "",
    )


def _finding(witness: Witness, kept: str) -> Mapping[str, object]:
    """A finding in JSON."""
    return {
        "code": witness.finding.code,
        "rule": witness.finding.rule,
        "entity": witness.finding.entity,
        "message": witness.finding.message,
        "outcome": witness.outcome,
        "reason": witness.reason,
        "shown": list(witness.lines),
        "program": _program(witness, kept),
    }


def _test(witness: Witness, new: str) -> JUnitTest:
    """A finding as a test."""
    finding = witness.finding
    if witness.outcome == SHOWN:
        outcome = JUnitOutcome("failure", finding.message, witness.lines)
    elif witness.outcome == NOT_SHOWN:
        outcome = JUnitOutcome("skipped", witness.reason)
    else:
        outcome = JUnitOutcome("system-out", lines=[witness.outcome, *witness.lines])
    return JUnitTest(f"{finding.code} {finding.rule} {finding.entity}", new, (outcome,))
