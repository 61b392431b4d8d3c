"""Write reference documentation of APIs, as one page or a page for each entity."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abigen.checker.configuration import Configuration
from abigen.cli import terminal
from abigen.cli.options import OPERANDS, reading_options, templates_option
from abigen.generator.project import specs_named, templates_of

if TYPE_CHECKING:
    from abigen.model.api import ApiSet
    from abigen.workspace.files import Files

_EXAMPLES = f"""{OPERANDS}
Any other name is a spec below spec/, or one that comes with abigen:
`tensorflow` means all of spec/tensorflow.

\b
Examples:
  abigen docs api.h                          write generated/docs/index.html
  abigen docs spec/api.yaml --format markdown --out docs/api
  abigen docs tensorflow/stream_executor --check

\b
Exit codes: 0 fine; 1 with --check, something is out of date or left over;
2 the question could not be answered, and nothing was written.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("operands", metavar="SPEC|HEADER...", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(["html", "markdown"]), default="html", show_default=True,
              help="One page of HTML, or a page of Markdown for each entity.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), default=Path("generated/docs"), show_default=True,
              metavar="DIR", help="Where to write.")  # fmt: skip
@click.option("--check", is_flag=True, help="Write nothing; show what would change, and exit with 1 if anything would.")
@templates_option
@reading_options
def command(
    operands: tuple[str, ...],
    form: str,
    out: Path,
    check: bool,
    template_dir: Path | None,
    configuration: Configuration,
) -> int:
    """Write reference documentation of APIs, all on one page, or a page for each of their entities.

    The reference contains the documentation of each entity and a drawing of each struct's memory. Targets with the
    same layout share a drawing. It also lists the smallest valid size of each struct at each release.
    """
    from abigen.generator.docs.pages import described, pages
    from abigen.generator.output_files import difference, outdated, stale_files, write_files

    disk = configuration.options.files
    reads = _read(operands, configuration, disk)
    made = pages(described(reads), form, templates_of(template_dir, disk))
    terminal.write_warnings(reads.values())
    stale = [each for each in stale_files(made, out, ("",), (), disk) if "/" not in each]
    terminal.say(
        "".join(f"{out / path}: no input generates this page any more; delete it\n" for path in stale), sys.stderr
    )
    changed = outdated(made, out, disk) if check else write_files(made, out, disk)
    if check and changed:
        terminal.say(difference(made, out, disk), sys.stdout)
        terminal.say(f"{len(changed)} of {len(made)} out of date; run abigen docs\n", sys.stderr)
        return 1
    terminal.say("".join(f"wrote {out / path}\n" for path in changed[:_SHOWN]), sys.stdout)
    if len(changed) > _SHOWN:
        terminal.say(f"and {len(changed) - _SHOWN} more\n", sys.stdout)
    if not changed:
        terminal.say(f"{len(made)} up to date in {out}\n", sys.stdout)
    return int(check and bool(stale))


_SHOWN = 10
"""The number of written files that are named."""


def _read(operands: tuple[str, ...], configuration: Configuration, disk: Files) -> Mapping[str, ApiSet]:
    """Return the APIs that a command line names, by what the documentation calls them."""
    from abigen.model.span import AbigenError
    from abigen.specs.load import load_all
    from abigen.workspace.operand import Operand, apis_in, parse_operand

    options = configuration.options
    wanted: dict[Operand, str] = {}
    for text in operands:
        named = parse_operand(text, disk)
        is_there = named.revision or text == "-" or disk.exists(named.path)
        try:
            specs = () if is_there else specs_named(text, None, disk)
        except AbigenError:
            if named.path.endswith((".h", ".yaml", ".yml")):
                specs = ()  # reading it says best what is missing
            else:
                raise
        found = {Operand.of_file(str(spec.path)): spec.api for spec in specs}
        found = found or {operand: str(operand) for operand in apis_in(text, options)}
        wanted.update(found)
    with terminal.progress() as announce:
        reads = load_all(list(wanted), options, announce)
    short = [_called(each) for each in wanted.values()]
    names = [each if short.count(each) == 1 else name for each, name in zip(short, wanted.values(), strict=True)]
    return dict(zip(names, reads, strict=True))


def _called(name: str) -> str:
    """Return the short name of an API: its file, without what the folder repeats."""
    short = Path(name.partition("@")[0]).name.removesuffix(".yaml").removesuffix(".yml")
    return short or name
