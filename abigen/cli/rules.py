"""List all rules with what they find."""

from __future__ import annotations

import click

from abigen.cli.options import terminal_options, write_result
from abigen.report.manual import TABLE_FORMATS

_EXAMPLES = """\b
Examples:
  abigen rules
  abigen rules --format markdown > rules.md
"""


@click.command(epilog=_EXAMPLES)
@click.option(
    "--format",
    "form",
    type=click.Choice(TABLE_FORMATS),
    default="text",
    show_default=True,
    help="`text` is a table; the others hold the whole manual.",
)
@terminal_options
def command(form: str, colour: bool, width: int) -> None:
    """List all rules with what they find; `abigen explain` says more about one."""
    from abigen.cli.manual import all_pages
    from abigen.report.manual import rules_table

    write_result(rules_table(all_pages(), form, width=width, colour=colour))
