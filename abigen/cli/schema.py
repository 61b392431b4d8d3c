"""Print the JSON Schema of specs, of the configuration, or of reports, for editors and other tools."""

from __future__ import annotations

from pathlib import Path

import click

from abigen.cli import terminal

_PLACES = {"spec": "specs/schema.json", "config": "workspace/config/schema.json"}
"""The folders of schemas, except those of reports."""
_EXAMPLES = """\b
Examples:
  abigen schema > spec.schema.json
  abigen schema config > abigen.schema.json
  abigen schema diff                  what `abigen diff --format json` prints
"""


@click.command(epilog=_EXAMPLES)
@click.argument(
    "what", type=click.Choice(["spec", "config", "diff", "diffs", "history", "lint"]), default="spec", metavar="[WHAT]"
)
def command(what: str) -> None:
    """Print a JSON Schema (draft 2020-12).

    WHAT is spec (the default), config (abigen.toml), or a report: diff, diffs (of several APIs), history or lint.
    Editors complete and check specs with it: keep it as a file, and let a spec begin with
    `# yaml-language-server: $schema=spec.schema.json`.
    """
    path = Path(__file__).parents[1] / _PLACES.get(what, f"checker/report/{what}.schema.json")
    terminal.write(path.read_text(encoding="utf-8"))
