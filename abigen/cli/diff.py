"""Judge what changed between two versions of an API: who breaks, why, and which bump it needs."""

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
  abigen diff old.h new.h
  abigen diff HEAD~1:./api.h api.h -I include
  abigen diff include spec --against origin/main
  abigen diff api.h --against main...      since this branch left main
  abigen diff v1.2:include include --abi i686-linux-gnu
  abigen diff api.yaml@1.0.0 api.yaml --format json --output json=diff.json

\b
With --against, what the revision lacks is new, what only it has is removed, and
a file that git sees as renamed is compared to what it was. The headers below a
directory are one API; each spec below it is another.

\b
In git, with these in its configuration:
  difftool.abigen.cmd    abigen diff -I include "$LOCAL" "$REMOTE"
  diff.abigen.textconv   abigen layout --no-places -I include
git difftool shows what a change costs. git diff and git log compare layouts for
files that .gitattributes says so of (`*.h diff=abigen`):
  git difftool -y -t abigen main -- include/api.h
  git difftool -y -t abigen -d main -- include

\b
Exit codes: 0 fine; 1 the declared version bump is too small, or what --fail-on
says; 2 the question could not be answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("operands", metavar="OLD NEW | PATH... --against REV", nargs=-1)
@click.option("--against", metavar="REV", help="Compare each PATH with what it was at a git revision.")
@report_options(fail_on=("declared", "major", "minor", "patch", "error", "warning", "note", "never"))
@terminal_options
@reading_options
@click.pass_obj
def command(
    arguments: list[str],
    operands: tuple[str, ...],
    against: str | None,
    output: Output,
    colour: bool,
    width: int,
    configuration: Configuration,
) -> int:
    """Judge what changed from OLD to NEW: who breaks, why, and which version bump it needs."""
    from abigen.cli.comparison import ComparisonRequest
    from abigen.cli.request import answer
    from abigen.report.subject import Style

    if output.explain_config:
        return explain_configuration(output, configuration)
    if against is None and len(operands) != 2:
        raise click.UsageError("name OLD and NEW, or compare with a git revision: --against REV.")
    if against is not None and not operands:
        raise click.UsageError(f"name the headers or directories to compare with {against}.")
    style = Style(colour=colour, width=width, summary=output.summary)
    request = ComparisonRequest(
        operands=operands, against=against, output=output, style=style, configuration=configuration
    )
    return answer(arguments, request)
