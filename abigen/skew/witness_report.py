"""Reports of `abigen skew OLD NEW`: a line for each finding, and what programs showed of it."""

from __future__ import annotations

import json

import msgspec

from abigen.model.printable import printable
from abigen.report.junit import JUnitOutcome, JUnitSuite, JUnitTest, junit
from abigen.report.subject import Style
from abigen.shipped import fill_in
from abigen.skew.programs import Toolchain
from abigen.skew.witness import HOLDS, NO_BYTES, NOT_SHOWN, SHOWN, Witness

_COLOURS = {SHOWN: "31", HOLDS: "33", NOT_SHOWN: "33"}
_COUNTED = {
    SHOWN: "shown to break",
    HOLDS: "held by sides that look at struct_size first",
    NOT_SHOWN: "could not be shown",
    NO_BYTES: "not about bytes",
}


class WitnessReport(msgspec.Struct, frozen=True):
    """What was tried of a comparison, and what came of it."""

    old: str
    new: str
    target: str
    tools: Toolchain
    witnesses: tuple[Witness, ...]
    kept: str
    """The folder with the programs; empty when they are gone."""

    @property
    def ok(self) -> bool:
        """Whether no program shows a break."""
        return all(each.outcome != SHOWN for each in self.witnesses)

    @property
    def last_line(self) -> str:
        """How many findings came to what."""
        counts = [
            (sum(each.outcome == outcome for each in self.witnesses), words) for outcome, words in _COUNTED.items()
        ]
        found = ", ".join(f"{number} {words}" for number, words in counts if number) or "nothing changed"
        without = "" if self.tools.sanitizers else ", without sanitizers"
        return f"{found} (built by {' '.join(self.tools.compiler)} for {self.target}{without})"

    def render(self, format: str, style: Style) -> str:
        """The report: `text`, `json`, `html` or `junit`."""
        if format == "json":
            return self._json()
        if format == "junit":
            return self._junit()
        if format == "html":
            return fill_in("skew/witness.html.j2", report=self, outcomes=_COUNTED)
        return self._text(style)

    def program_of(self, witness: Witness) -> str:
        """The folder of a program that was kept."""
        return f"{self.kept}/{witness.program}" if self.kept and witness.program else ""

    def _text(self, style: Style) -> str:
        lines = []
        for each in self.witnesses:
            colour = _COLOURS.get(each.outcome, "") if style.colour else ""
            head = f"\033[{colour}m{each.outcome}\033[0m" if colour else each.outcome
            reason = f": {each.reason}" if each.reason else ""
            finding = each.finding
            lines.append(f"{head} {printable(f'{finding.code} {finding.rule} {finding.entity}{reason}')}")
            lines += [f"    {printable(line)}" for line in each.lines]
            if program := self.program_of(each):
                lines.append(f"    program: {printable(program)}")
        return "".join(f"{line}\n" for line in [*lines, printable(self.last_line)])

    def _json(self) -> str:
        found = [
            {
                "code": each.finding.code,
                "rule": each.finding.rule,
                "entity": each.finding.entity,
                "message": each.finding.message,
                "outcome": each.outcome,
                "reason": each.reason,
                "shown": list(each.lines),
                "program": self.program_of(each),
            }
            for each in self.witnesses
        ]
        whole = {
            "old": self.old,
            "new": self.new,
            "target": self.target,
            "compiler": list(self.tools.compiler),
            "sanitizers": list(self.tools.sanitizers),
            "ok": self.ok,
            "findings": found,
        }
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"

    def _junit(self) -> str:
        name = f"abigen skew {self.old} {self.new}: {self.last_line}"
        return junit([JUnitSuite(name, [self._test(each) for each in self.witnesses])])

    def _test(self, witness: Witness) -> JUnitTest:
        finding = witness.finding
        if witness.outcome == SHOWN:
            outcome = JUnitOutcome("failure", finding.message, witness.lines)
        elif witness.outcome == NOT_SHOWN:
            outcome = JUnitOutcome("skipped", witness.reason)
        else:
            outcome = JUnitOutcome("system-out", lines=[witness.outcome, *witness.lines])
        return JUnitTest(f"{finding.code} {finding.rule} {finding.entity}", self.new, (outcome,))
