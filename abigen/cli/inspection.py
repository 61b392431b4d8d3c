"""What `abigen lint` does once its command line is understood; runs without click."""

from __future__ import annotations

from dataclasses import dataclass, replace

from abigen.check.exceptions import said_once
from abigen.check.lint import lint
from abigen.cli.configuration import Configuration
from abigen.cli.progress import shown
from abigen.cli.reports import Output, deliver, fails, manual
from abigen.read.load import load_all
from abigen.read.operand import apis_in
from abigen.report.subject import Inspection, Side, Style


@dataclass(frozen=True, kw_only=True)
class InspectionRequest:
    """All that a command line of `abigen lint` says."""

    operands: tuple[str, ...]
    output: Output
    style: Style
    configuration: Configuration

    def answer(self, arguments: list[str]) -> int:
        """Look for flaws, and write the report.

        Args:
            arguments: the command line.

        Returns:
            The exit code.

        Raises:
            AbigenError: the question cannot be answered.
        """
        output, configuration = self.output, self.configuration
        policy = configuration.policy(output.policy)
        operands = list(dict.fromkeys(each for operand in self.operands for each in apis_in(operand)))
        with shown() as announce:
            loaded = configuration.agreed(load_all(operands, configuration.options, announce))
            runs = said_once([lint(each.api, policy) for each in loaded])
        findings = tuple(finding for run in runs for finding in run)
        both = zip(operands, loaded, strict=True)
        sides = tuple(Side(operand, configuration.quotable(each.api)) for operand, each in both)
        subject = Inspection(sides, findings, not fails(findings, "error"), policy.name, manual)
        text = output.write(lambda report, plain: report.inspection(subject, plain or self.style))
        if not set(operands) <= set(self.operands):  # a directory may get more specs
            configuration = replace(configuration, options=replace(configuration.options, cache=False))
        return deliver(arguments, output, text, int(fails(findings, output.fail_on)), loaded, configuration)
