"""List all rules with what they find."""

from __future__ import annotations

import click

from abigen.checker.report.manual import TABLE_FORMATS
from abigen.checker.report.subject import Style
from abigen.cli import terminal
from abigen.cli.options import terminal_options
from abigen.cli.reports import whole_manual

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
    help="`text` is a table; the others contain the manual of each rule.",
)
@terminal_options
def command(form: str, style: Style) -> None:
    """List all rules with what they find; `abigen explain` says more about one."""
    from abigen.checker.report.manual import rules_table

    terminal.write(rules_table(whole_manual(), form, width=style.width, colour=style.colour))
