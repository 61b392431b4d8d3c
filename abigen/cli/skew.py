"""Run what was built from one version of an API with what was built from another, and show what breaks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Protocol

import click

from abigen.cli import terminal
from abigen.cli.configuration import Configuration
from abigen.cli.options import OPERANDS, reading_options, split_paths, terminal_options
from abigen.cli.reports import write_file
from abigen.files import Files
from abigen.report.subject import Style

_FORMATS = ("text", "json", "html", "junit")
_EXAMPLES = f"""{OPERANDS}
\b
Of specs, a core and a plugin of every release are compiled from the generated
headers and checks, and every core is run with every plugin: each struct is
filled and read by both sides, every function and callback is called.

\b
Of two headers, each finding of `abigen diff` about bytes is tried by a small C
program of which one part is built with OLD and one with NEW. It is `shown`,
`holds with care` (of sides that look at struct_size first), `not about bytes`,
or `not shown`, with the reason.

\b
Examples:
  abigen skew spec/api.yaml                     every release with every other
  abigen skew spec/api.yaml --from 1.1.0 --output html=skew.html
  abigen skew main:spec/api.yaml spec/api.yaml  with what another branch has
  abigen skew old.h new.h
  abigen skew HEAD~1:./api.h api.h -I include --keep programs
  abigen skew old.h new.h --cc "aarch64-linux-gnu-gcc -static" --emulator qemu-aarch64

\b
Exit codes: 0 all works, or is refused as the versions say; 1 something breaks,
or is refused although the versions promise that it works; 2 the question could
not be answered.
"""


class Shown(Protocol):
    """What was found by running programs."""

    @property
    def ok(self) -> bool:
        """Whether nothing breaks."""

    def render(self, format: str, style: Style) -> str:
        """A report: `text`, `json`, `html` or `junit`."""


@click.command(epilog=_EXAMPLES)
@click.argument("operands", metavar="SPEC | OLD NEW", nargs=-1, required=True)
@click.option("--from", "first", metavar="VERSION", help="Begin with this release of a spec.")
@click.option("--to", "last", metavar="VERSION", help="End with this release of a spec.")
@click.option("--format", type=click.Choice(_FORMATS), default="text", show_default=True,
              help="How to write the report to stdout.")  # fmt: skip
@click.option("--output", "paths", multiple=True, metavar="FORMAT=PATH", callback=partial(split_paths, _FORMATS),
              help="Write a report to a file besides; repeatable.")  # fmt: skip
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Keep the programs in a folder.")
@click.option("--emulator", metavar="COMMAND", default="", help="What runs programs of the compiler that --cc names.")
@terminal_options
@reading_options
@click.pass_obj
def command(
    disk: Files,
    operands: tuple[str, ...],
    first: str | None,
    last: str | None,
    format: str,
    paths: tuple[tuple[str, str], ...],
    keep: Path | None,
    emulator: str,
    style: Style,
    configuration: Configuration,
) -> int:
    """Run what was built from one version of an API with what was built from another, and show what breaks."""
    from abigen.read.operand import parse_operand

    if len(operands) > 2:
        raise click.UsageError("name one spec, or OLD and NEW.")
    shown: Shown
    are_specs = [parse_operand(each, disk).is_spec for each in operands]
    if all(are_specs):
        from abigen.cli.matrices import matrix_of

        shown = matrix_of(operands, (first, last), keep, emulator, configuration)
    elif len(operands) == 1:
        raise click.UsageError("a header knows nothing of its releases: name OLD and NEW.")
    elif first or last:
        raise click.UsageError("--from and --to choose releases of specs.")
    else:
        from abigen.cli.witnesses import witnesses_of

        shown = witnesses_of((operands[0], operands[1]), keep, emulator, configuration)
    for name, path in paths:
        write_file(Path(path), shown.render(name, Style()))
    terminal.write(shown.render(format, style))
    return int(not shown.ok)
