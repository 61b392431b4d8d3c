"""Show what each revision of an API broke, and whether its version said so."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec.structs import replace

from abigen.checker.configuration import Configuration
from abigen.checker.histories import judged_steps, named_revisions
from abigen.checker.report.history import FORMATS, HistoryReport, render
from abigen.checker.report.subject import Style
from abigen.cli import completion, terminal
from abigen.cli.options import OPERANDS, jobs_option, reading_options, terminal_options
from abigen.cli.reports import Answer, write_file

_EXAMPLES = f"""{OPERANDS}
\b
Examples:
  abigen history include/api.h              every commit of git's log that changed it
  abigen history api.h --since v1.0 -I include
  abigen history v1/api.h v2/api.h v3/api.h
  abigen history api.yaml@1.0.0 api.yaml@1.1.0 api.yaml
  abigen history api.h --output html=life.html

\b
For one file, abigen judges each commit in git's log that changed it. It follows
renames. A merge counts as one commit, with all that it brought to the branch. A
revision that cannot be read is named and skipped. The html page draws how each
struct changed over time.

\b
Exit codes: 0 fine; 2 the question could not be answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("operands", metavar="FILE | OLD... NEW", nargs=-1, required=True)
@click.option("--since", metavar="REV", shell_complete=completion.among(completion.revisions),
              help="Begin at this git revision.")  # fmt: skip
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="text", show_default=True,
              help="How to write the report to stdout.")  # fmt: skip
@click.option("--output", "paths", multiple=True, metavar="FORMAT=PATH", help="Also write a report to a file.")
@click.option("--policy", metavar="NAME", help="How severely to judge: default, binary-only or strict.")
@click.option("--summary", is_flag=True, help="Print the summary only; files are written whole.")
@click.option("--all", "everything", is_flag=True, help="Show every revision, and everything that it broke.")
@jobs_option
@terminal_options
@reading_options
def command(
    operands: tuple[str, ...],
    since: str | None,
    format_name: str,
    paths: tuple[str, ...],
    policy: str | None,
    summary: bool,
    everything: bool,
    jobs: int | None,
    style: Style,
    configuration: Configuration,
) -> int:
    """Show what each revision of an API broke, and whether its version said so."""
    files = [_split(each) for each in paths]
    refuse_since(operands, since)
    names, remarks = named_revisions(operands, since, configuration)
    with terminal.progress() as announce:
        steps = judged_steps(names, configuration, policy, announce, jobs)
    report = HistoryReport(
        operands[0] if len(operands) == 1 else f"{operands[0]} to {operands[-1]}",
        steps,
        configuration.options.targets,
        configuration.policy_name(policy),
    )
    style = replace(style, summary=summary, everything=everything)
    for name, path in files:
        write_file(Path(path), render(name, report, Style(everything=everything)))
    return Answer(render(format_name, report, style), remarks).write()


def refuse_since(operands: tuple[str, ...], since: str | None) -> None:
    """Raise a usage error if `--since` goes with several operands."""
    if len(operands) > 1 and since is not None:
        raise click.UsageError("--since goes with one file, of which git knows the history.")


def _split(value: str) -> tuple[str, str]:
    """Take `FORMAT=PATH` apart."""
    name, equals, path = value.partition("=")
    if not equals or not path:
        raise click.UsageError(f"--output: '{value}' is not FORMAT=PATH.")
    if name not in FORMATS:
        raise click.UsageError(f"--output: '{name}' is not one of {', '.join(FORMATS)}.")
    return name, path
