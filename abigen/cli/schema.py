"""Print the JSON Schema of specs, of the configuration, or of reports, for editors and other tools."""

from __future__ import annotations

import click

from abigen.cli.options import write_result

_EXAMPLES = """\b
Examples:
  abigen schema > spec.schema.json
  abigen schema config > abigen.schema.json
  abigen schema diff                  what `abigen diff --format json` prints
"""


@click.command(epilog=_EXAMPLES)
@click.argument(
    "what", type=click.Choice(["spec", "config", "diff", "diffs", "lint"]), default="spec", metavar="[WHAT]"
)
def command(what: str) -> None:
    """Print a JSON Schema (draft 2020-12).

    WHAT is spec (the default), config (abigen.toml), or a report: diff, diffs (of several APIs) or lint. Editors
    complete and check specs with it: keep it as a file, and let a spec begin with
    `# yaml-language-server: $schema=spec.schema.json`.
    """
    if what == "spec":
        from abigen.read.spec.reader import SCHEMA_FILE

        write_result(SCHEMA_FILE.read_text(encoding="utf-8"))
    elif what == "config":
        from json import dumps

        from abigen.read.config.keys import json_schema

        write_result(dumps(json_schema(), indent=2) + "\n")
    else:
        from importlib.resources import files

        write_result((files("abigen.report") / f"{what}.schema.json").read_text(encoding="utf-8"))
