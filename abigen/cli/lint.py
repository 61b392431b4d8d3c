"""Look for flaws of form in headers or specs, without comparing them to anything."""

from __future__ import annotations

from dataclasses import replace

import click

from abigen.cli.options import OPERANDS, reading_options, terminal_options
from abigen.cli.progress import shown
from abigen.cli.reports import Output, deliver, explain_configuration, fails, manual, report_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from abigen.cli.configuration import Configuration

_EXAMPLES = f"""{OPERANDS}
\b
Examples:
  abigen lint api.h
  abigen lint include -I include --abi i686-linux-gnu
  abigen lint spec --format json

\b
The headers below a directory are one API; each spec below it is another.

\b
Exit codes: 0 fine; 1 a finding at or above --fail-on; 2 the question could not
be answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("apis", metavar="API...", nargs=-1)
@report_options(fail_on=("error", "warning", "note", "never"))
@terminal_options
@reading_options
@click.pass_obj
def command(
    arguments: list[str],
    apis: tuple[str, ...],
    output: Output,
    colour: bool,
    width: int,
    configuration: Configuration,
) -> int:
    """Look for flaws of form in each API, without comparing it to anything."""
    from abigen.check.exceptions import said_once
    from abigen.check.lint import lint
    from abigen.read.load import load_all
    from abigen.read.operand import apis_in
    from abigen.report.subject import Inspection, Side, Style

    if output.explain_config:
        return explain_configuration(output, configuration)
    if not apis:
        raise click.UsageError("Missing argument 'API...'.")
    policy = configuration.policy(output.policy)
    operands = list(dict.fromkeys(operand for api in apis for operand in apis_in(api)))
    with shown() as announce:
        loaded = configuration.agreed(load_all(operands, configuration.options, announce))
        runs = said_once([lint(each.api, policy) for each in loaded])
    findings = tuple(finding for run in runs for finding in run)
    both = zip(operands, loaded, strict=True)
    sides = tuple(Side(operand, configuration.quotable(each.api)) for operand, each in both)
    subject = Inspection(sides, findings, not fails(findings, "error"), policy.name, manual)
    style = Style(colour=colour, width=width, summary=output.summary)
    text = output.write(lambda report, plain: report.inspection(subject, plain or style))
    if not set(operands) <= set(apis):  # a directory may get more specs
        configuration = replace(configuration, options=replace(configuration.options, cache=False))
    return deliver(arguments, output, text, int(fails(findings, output.fail_on)), loaded, configuration)
