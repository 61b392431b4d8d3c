"""Look for flaws of form in headers or specs, without comparing them to anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from abigen.cli.options import OPERANDS, reading_options, terminal_options
from abigen.cli.report_options import explain_configuration, report_options
from abigen.cli.reports import Output

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
    from abigen.cli.inspection import InspectionRequest
    from abigen.cli.request import answer
    from abigen.report.subject import Style

    if output.explain_config:
        return explain_configuration(output, configuration)
    if not apis:
        raise click.UsageError("Missing argument 'API...'.")
    style = Style(colour=colour, width=width, summary=output.summary)
    request = InspectionRequest(operands=apis, output=output, style=style, configuration=configuration)
    return answer(arguments, request)
