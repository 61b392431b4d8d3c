"""Judge what changed between two versions of an API: who breaks, why, and which bump it needs."""

from __future__ import annotations

import click

from abigen.cli.options import OPERANDS, reading_options, terminal_options
from abigen.cli.reports import Output, deliver, fails, report_options
from abigen.model.finding import Verdict
from abigen.read.options import ReadOptions

_EXAMPLES = f"""{OPERANDS}
\b
Examples:
  abigen diff old.h new.h
  abigen diff HEAD~1:./api.h api.h -I include
  abigen diff v1.2:include include --abi i686-linux-gnu
  abigen diff api.yaml@1.0.0 api.yaml --format json --output json=diff.json

\b
Exit codes: 0 fine; 1 the declared version bump is too small, or what --fail-on
says; 2 the question could not be answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("old")
@click.argument("new")
@report_options(fail_on=("declared", "major", "minor", "patch", "error", "warning", "note", "never"))
@terminal_options
@reading_options
@click.pass_obj
def command(
    arguments: list[str], old: str, new: str, output: Output, colour: bool, width: int, options: ReadOptions
) -> int:
    """Judge what changed from OLD to NEW: who breaks, why, and which version bump it needs."""
    from abigen.check.compare import compare
    from abigen.check.policy import find_policy
    from abigen.read.load import load_all
    from abigen.report.subject import Comparison, Side, Style

    policy = find_policy(output.policy)
    before, after = load_all((old, new), options)
    verdict = compare(before.api, after.api, policy)
    subject = Comparison(Side(old, before.api), Side(new, after.api), verdict, policy.name)
    style = Style(colour=colour, width=width, summary=output.summary)
    text = output.write(lambda report, plain: report.comparison(subject, plain or style))
    code = int(_fails(verdict, output.fail_on))
    return deliver(arguments, output, text, code, (before, after), options)


def _fails(verdict: Verdict, threshold: str) -> bool:
    """Whether a verdict makes the command fail."""
    return not verdict.ok if threshold == "declared" else fails(verdict.findings, threshold)
