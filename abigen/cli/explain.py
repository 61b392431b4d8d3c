"""Explain a rule: what it finds, what goes wrong, and what to do instead."""

from __future__ import annotations

import click

from abigen.checker.report.subject import Style
from abigen.cli import completion, terminal
from abigen.cli.options import terminal_options
from abigen.cli.reports import manual, whole_manual

_EXAMPLES = """\b
Examples:
  abigen explain field-inserted
  abigen explain ABI103
"""


@click.command(epilog=_EXAMPLES)
@click.argument("rules", metavar="RULE...", nargs=-1, required=True, shell_complete=completion.among(completion.rules))
@terminal_options
def command(rules: tuple[str, ...], style: Style) -> None:
    """Explain rules, by name or code: what they find, what then happens, and what to do instead."""
    from abigen.checker.compare import find_page
    from abigen.checker.report.manual import page_text

    known = {key.lower() for page in manual() for key in (page.code, page.name, *page.former)}
    pages = [
        find_page(rule, manual() if rule.lower() in known else whole_manual())  # the pages of checks load the checks
        for rule in dict.fromkeys(rules)
    ]
    terminal.write("\n".join(page_text(page, width=style.width, colour=style.colour) for page in pages))
