"""Print the JSON Schema of specs, for editors and other tools."""

from __future__ import annotations

import click

from abigen.cli.options import write_result


@click.command(
    help="Print the JSON Schema (draft 2020-12) of specs.\n\n"
    "Editors complete and check specs with it: keep it as a file, and let a spec begin with"
    " `# yaml-language-server: $schema=spec.schema.json`."
)
def command() -> None:
    """Run `abigen schema`."""
    from abigen.read.spec.structure import schema_text

    write_result(schema_text())
