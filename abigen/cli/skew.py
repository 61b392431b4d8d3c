"""Compile binaries from different versions of an API, run them together, and show what breaks."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from abigen.checker.configuration import Configuration
from abigen.checker.report.subject import Style
from abigen.cli import terminal
from abigen.cli.options import OPERANDS, reading_options, split_paths, terminal_options
from abigen.cli.reports import write_file
from abigen.model.span import AbigenError
from abigen.workspace.files import Files

if TYPE_CHECKING:
    from abigen.runner.skew.programs import ProgramFolder, Toolchain
    from abigen.runner.skew.report import SkewReport

_FORMATS = ("text", "json", "html", "junit")
_EXAMPLES = f"""{OPERANDS}
\b
For specs, abigen compiles a core and a plugin of every release from the generated
headers and checks, and runs every core with every plugin. Both sides fill and
read each struct, and call every function and callback.

\b
For two headers, abigen writes a small C program for each finding of `abigen diff`
that is about bytes. One part is built with OLD, the other with NEW. The results:
  shown            the program showed the break
  holds with care  it works if both sides check struct_size before they read
  not about bytes  the finding is about names, comments or additions
  not shown        the program showed no break, or could not be built; the
                   report gives the reason

\b
Examples:
  abigen skew spec/api.yaml                     every release with every other
  abigen skew spec/api.yaml --from 1.1.0 --output html=skew.html
  abigen skew main:spec/api.yaml spec/api.yaml  with what another branch has
  abigen skew old.h new.h
  abigen skew HEAD~1:./api.h api.h -I include --keep programs
  abigen skew old.h new.h --cc "aarch64-linux-gnu-gcc -static" --emulator qemu-aarch64

\b
Exit codes: 0 every pair works, or refuses to work where the version numbers
announce it; 1 a pair breaks, or refuses although the version numbers promise that
it works; 2 the question could not be answered.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("operands", metavar="SPEC | OLD NEW", nargs=-1, required=True)
@click.option("--from", "first", metavar="VERSION", help="Begin with this release of a spec.")
@click.option("--to", "last", metavar="VERSION", help="End with this release of a spec.")
@click.option("--format", type=click.Choice(_FORMATS), default="text", show_default=True,
              help="How to write the report to stdout.")  # fmt: skip
@click.option("--output", "paths", multiple=True, metavar="FORMAT=PATH", callback=partial(split_paths, _FORMATS),
              help="Also write a report to a file; repeatable.")  # fmt: skip
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Keep the programs in DIR.")
@click.option(
    "--emulator", metavar="COMMAND", default="", help="The command that runs programs of the compiler in --cc."
)
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
    """Compile binaries from different versions of an API, run them together, and show what breaks."""
    from abigen.runner.skew.programs import ProgramFolder, find_toolchain
    from abigen.workspace.operand import parse_operand

    if len(operands) > 2:
        raise click.UsageError("name one spec, or OLD and NEW.")
    are_specs = all(parse_operand(each, disk).is_spec for each in operands)
    if not are_specs and len(operands) == 1:
        raise click.UsageError("a header does not state its releases: name OLD and NEW.")
    if not are_specs and (first or last):
        raise click.UsageError("--from and --to choose releases of specs.")
    compiler = configuration.options.cc
    tools = find_toolchain("" if compiler in (None, "none") else str(compiler), emulator)
    with terminal.progress() as announce, _folder(keep) as place:
        folder = ProgramFolder(place, tools, announce, str(keep or ""))
        if are_specs:
            shown = matrix_of(operands, (first, last), configuration, folder)
        else:
            shown = comparison_of((operands[0], operands[1]), configuration, folder)
    for name, path in paths:
        write_file(Path(path), shown.render(name, Style()))
    terminal.write(shown.render(format, style))
    return int(not shown.ok)


def matrix_of(
    operands: Sequence[str],
    bounds: tuple[str | None, str | None],
    configuration: Configuration,
    folder: ProgramFolder,
) -> SkewReport:
    """Build every release, and run every core with every plugin.

    Args:
        operands: one spec or two.
        bounds: the releases to begin and to end with.
        configuration: says how specs are read.
        folder: for the programs.

    Raises:
        AbigenError: a spec is wrong, or programs cannot be built or run.
    """
    from abigen.generator.project import templates_of
    from abigen.runner.skew.matrix import read_releases, run_matrix
    from abigen.runner.skew.report import matrix_report

    options = configuration.options
    releases = read_releases(operands, *bounds, options, folder.announce)
    matrix = run_matrix(releases, folder, templates_of(None, options.files))
    return matrix_report(operands, folder, matrix)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The folder for programs: the one that the user names, or one that is gone afterwards."""
    if keep is None:
        with TemporaryDirectory(prefix="abigen-") as folder:
            yield Path(folder)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbigenError.at(None, f"{keep} cannot be created: {error.strerror}") from None
    yield keep.absolute()


def comparison_of(operands: tuple[str, str], configuration: Configuration, folder: ProgramFolder) -> SkewReport:
    """Compare two headers, and run a program for each finding about bytes.

    Args:
        operands: OLD and NEW.
        configuration: how headers are read, and by which policy they are judged.
        folder: for the programs.

    Raises:
        AbigenError: a header cannot be read, or programs cannot be built or run.
    """
    from abigen.checker.compare import compare
    from abigen.model.layout import Layouts
    from abigen.model.target import find_target
    from abigen.runner.skew.report import witness_report
    from abigen.runner.skew.witness import headers_of, witnesses_of
    from abigen.specs.load import load_all
    from abigen.workspace.operand import options_of_sides, parse_operand

    asked = configuration.options
    target = _target(folder.tools, asked.targets)
    sides = [parse_operand(operand, asked.files) for operand in operands]
    options = options_of_sides(sides, replace(asked, targets=(target,), cc=None), ((), ()))
    old, new = load_all(operands, options, folder.announce)
    verdict = compare(old, new, configuration.policy(None))
    layouts = [Layouts(each.for_target(target), find_target(target)) for each in (old, new)]
    headers = [headers_of(*each) for each in zip(operands, ("old", "new"), options, (old, new), strict=True)]
    renamed = {before: after for after, before in verdict.renamed.items()}
    found = witnesses_of(verdict.findings, (layouts[0], layouts[1]), renamed, (headers[0], headers[1]), folder)
    return witness_report(operands, target, folder, found)


def _target(tools: Toolchain, asked: tuple[str, ...]) -> str:
    """Return the target that a compiler builds for, as far as it says so and abigen knows it."""
    from abigen.model.target import find_target

    if len(asked) == 1:
        return asked[0]
    done = subprocess.run([*tools.compiler, "-dumpmachine"], capture_output=True, text=True, timeout=60, check=False)
    name = done.stdout.strip()
    if "-m32" in tools.compiler:
        name = name.replace("x86_64", "i686")
    try:
        return find_target(name).name
    except AbigenError as error:
        message = f"{tools.compiler[0]} builds for `{name}`, which abigen does not know"
        raise AbigenError.at(None, message, "name the closest target: --abi TARGET") from error
