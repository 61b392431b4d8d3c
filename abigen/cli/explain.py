"""Explain a rule: what it finds, what then happens, and what to do instead."""

from __future__ import annotations

import click

from abigen.cli.options import terminal_options, write_result

_EXAMPLES = """\b
Examples:
  abigen explain field-inserted
  abigen explain ABI103
"""


@click.command(epilog=_EXAMPLES)
@click.argument("rules", metavar="RULE...", nargs=-1, required=True)
@terminal_options
def command(rules: tuple[str, ...], colour: bool, width: int) -> None:
    """Explain rules, by name or code: what they find, what then happens, and what to do instead."""
    from abigen.check.manual import find_page
    from abigen.cli.manual import all_pages
    from abigen.report.manual import page_text

    manual = all_pages()
    pages = [find_page(rule, manual) for rule in dict.fromkeys(rules)]
    write_result("\n".join(page_text(page, width=width, colour=colour) for page in pages))
