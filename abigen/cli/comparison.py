"""What `abigen diff` does once its command line is understood; runs without click."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from abigen.check.beginning import begin
from abigen.check.compare import compare
from abigen.check.exceptions import said_once
from abigen.cli import terminal
from abigen.cli.configuration import Configuration
from abigen.cli.progress import shown
from abigen.cli.reports import Output, deliver, fails, manual
from abigen.model.finding import Verdict
from abigen.read.load import load_all
from abigen.read.operand import Nothing
from abigen.report.formats import comparisons
from abigen.report.subject import Comparison, Side, Style


@dataclass(frozen=True, kw_only=True)
class ComparisonRequest:
    """All that a command line of `abigen diff` says."""

    operands: tuple[str, ...]
    """Old and new; with `against`, any number of paths."""
    against: str | None
    """The git revision to compare with."""
    output: Output
    style: Style
    configuration: Configuration

    def answer(self, arguments: list[str]) -> int:
        """Judge what changed, and write the report.

        Args:
            arguments: the command line.

        Returns:
            The exit code.

        Raises:
            AbigenError: the question cannot be answered.
        """
        output, configuration = self.output, self.configuration
        policy = configuration.policy(output.policy)
        pairs = self._pairs()
        with shown() as announce:
            sides = [side for pair in pairs for side in pair]
            loaded = configuration.agreed(load_all(sides, configuration.options, announce))
            verdicts = []
            for (old, new), before, after in zip(pairs, loaded[::2], loaded[1::2], strict=True):
                announce(f"comparing {new}")
                judge = begin if isinstance(old, Nothing) else compare
                verdicts.append(judge(before.api, after.api, policy))
            subjects = []
            for number, findings in enumerate(said_once([verdict.findings for verdict in verdicts])):
                two = zip(pairs[number], loaded[2 * number : 2 * number + 2], strict=True)
                old_side, new_side = (Side(str(operand), configuration.quotable(each.api)) for operand, each in two)
                verdict = replace(verdicts[number], findings=findings)
                subjects.append(Comparison(old_side, new_side, verdict, policy.name, manual))
            text = output.write(lambda report, plain: comparisons(report, subjects, plain or self.style))
        code = int(any(_fails(subject.verdict, output.fail_on) for subject in subjects))
        if pairs != [self.operands]:  # a directory may get more specs
            configuration = replace(configuration, options=replace(configuration.options, cache=False))
        return deliver(arguments, output, text, code, loaded, configuration)

    def _pairs(self) -> Sequence[tuple[str | Nothing, str | Nothing]]:
        """What to compare with what."""
        if self.against is None:
            old, new = self.operands
            if not (os.path.isdir(old) and os.path.isdir(new)):
                return [(old, new)]
            from abigen.read.against import pairs_between

            return [(pair.old, pair.new) for pair in pairs_between(old, new)]
        from abigen.read.against import pairs_against

        pairs = pairs_against(self.operands, self.against)
        terminal.write("".join(f"abigen: {pair.remark}\n" for pair in pairs if pair.remark), sys.stderr)
        return [(pair.old, pair.new) for pair in pairs]


def _fails(verdict: Verdict, threshold: str) -> bool:
    """Whether a verdict makes the command fail."""
    return not verdict.ok if threshold == "declared" else fails(verdict.findings, threshold)
