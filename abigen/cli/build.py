"""Generate headers, helpers, checks and bindings from specs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abigen.cli import terminal
from abigen.cli.options import spec_dir_option, templates_option
from abigen.generator.build import TARGETS
from abigen.generator.project import build_settings, load_specs, publication_of, templates_of
from abigen.model.span import AbigenError, did_you_mean
from abigen.workspace.files import Files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from abigen.generator.build import OutputTarget, SpecFile
    from abigen.generator.publication import Publication
    from abigen.model.api import ApiSet

_EXAMPLES = """\b
Without SPEC, abigen builds all specs in the folder of specs. abigen.toml names
that folder in its table [build]; by default it is spec/, here or beside
abigen.toml. A SPEC is a file, a folder, or a name relative to that folder. abigen
also builds the specs that it uses.

\b
Examples:
  abigen build                      write spec/ to generated/
  abigen build --check              fail when generated/ is out of date
  abigen build rfc --out other      write spec/rfc/ elsewhere

\b
Exit codes: 0 fine; 1 with --check, something is out of date; 2 a spec or a
template is wrong, and nothing was written.
"""
_LEFT_OVER = "no spec generates this file any more; abigen build --prune removes it"


@click.command(epilog=_EXAMPLES)
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--out", "chosen_out", type=click.Path(path_type=Path), metavar="DIR",
              help="Where to write.  [default: generated, or the folder that abigen.toml names]")  # fmt: skip
@click.option("--check", is_flag=True, help="Write nothing; show what would change, and exit with 1 if anything would.")
@click.option("--prune", is_flag=True,
              help="Remove files below --out that only earlier builds generated, for these targets.")  # fmt: skip
@click.option("--target", "targets", multiple=True, metavar="NAME|DIR",
              help=f"What to generate: {', '.join(TARGETS)}, the name of an installed target, or a folder (./DIR) that "
                   "contains a target; abigen runs the code of such a target. Repeatable.  [default: all that are "
                   "listed here]")  # fmt: skip
@click.option("--dump-model", is_flag=True, help="Print the contents of the specs as JSON, and write nothing.")
@spec_dir_option
@templates_option
@click.option("--api-mode", is_flag=True,
              help="Compile the Python packages, so that the C compiler checks their types.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print the path of each file that is written.")
@click.option("--no-cache", is_flag=True, help="Do not use results of earlier runs, and store none for later runs.")
@click.pass_obj
def command(
    disk: Files,
    specs: tuple[str, ...],
    chosen_out: Path | None,
    check: bool,
    prune: bool,
    targets: tuple[str, ...],
    spec_dir: Path | None,
    template_dir: Path | None,
    dump_model: bool,
    api_mode: bool,
    verbose: bool,
    no_cache: bool,
) -> int:
    """Generate headers, helpers, checks and bindings from specs."""
    from abigen.generator.build import build, find_targets, refuse_contradictions
    from abigen.generator.output_files import difference, inside, outdated, remove_files, stale_files, write_files
    from abigen.generator.publication import dump

    if check and (api_mode or prune):
        does = "--api-mode writes what it compiles" if api_mode else "--prune removes files"
        raise click.UsageError(f"{does}; --check writes nothing")
    settings = build_settings(disk, cache=not no_cache)
    out = chosen_out or inside(settings.out.parent, settings.out.name, disk)
    chosen = find_targets(targets or settings.targets or TARGETS)
    with terminal.progress() as announce:
        loaded = load_specs(_found(specs, spec_dir or settings.specs, disk), announce, disk, cache=not no_cache)
    said, publications = _compared(loaded, disk), _published(loaded, with_vendors=bool(specs))
    if dump_model:
        terminal.write_warnings(loaded.values())
        terminal.say(dump(publications), sys.stdout)
        return 0
    only = {} if targets else _existing(settings.only, chosen)
    files = build(publications, chosen, templates_of(template_dir, disk), only)
    refuse_contradictions(publications, chosen, files, out, disk)
    names = tuple(each.name for each in chosen)
    known = (*TARGETS, *(each for each in names if each not in TARGETS))
    stale = () if specs and not prune else stale_files(files, out, names, known, disk)
    terminal.write_warnings(loaded.values())
    if not prune:
        terminal.say("".join(f"{out / path}: {_LEFT_OVER}\n" for path in stale), sys.stderr)

    terminal.say("".join(f"{each}\n" for each in said), sys.stderr)
    changed = outdated(files, out, disk) if check else write_files(files, out, disk)
    if check and changed:
        terminal.say(difference(files, out, disk), sys.stdout)
        terminal.say(f"{_count(len(changed))} of {len(files)} out of date; run abigen build\n", sys.stderr)
        return 1
    if prune:
        remove_files(stale, out)
        terminal.say("".join(f"removed {out / path}\n" for path in stale), sys.stdout)
    if verbose:
        terminal.say("".join(f"wrote {out / path}\n" for path in changed), sys.stdout)
    left = 0 if prune else len(stale)
    terminal.say(_summary(len(files), len(changed), len(publications), left, out), sys.stdout)
    if api_mode:
        from abigen.generator.python.target import compile_packages

        terminal.say("".join(f"{line}\n" for line in compile_packages(files, out)), sys.stdout)
    return int(check and bool(stale or said))


def _existing(only: Mapping[str, Sequence[str]], chosen: Sequence[OutputTarget]) -> Mapping[str, Sequence[str]]:
    """Return the targets of groups for which the configuration names only some.

    Raises:
        AbigenError: there is no such target.
    """
    known = {target.name for target in chosen}
    for target in sorted({name for names in only.values() for name in names} - known):
        hint = did_you_mean(target, known, f"there are {', '.join(sorted(known))}")
        raise AbigenError.at(None, f"`build.only` in abigen.toml names the target '{target}', which is not built", hint)
    return only


def _published(loaded: Mapping[SpecFile, ApiSet], *, with_vendors: bool) -> list[Publication]:
    """Return what is built: of vendors' APIs, which have their headers, only those that somebody asks for."""
    own = {spec: each for spec, each in loaded.items() if with_vendors or not each.groups[0].api.is_vendors}
    return [publication_of(spec, each) for spec, each in own.items()]


def _compared(loaded: Mapping[SpecFile, ApiSet], disk: Files) -> list[str]:
    """Say what vendors' headers declare otherwise than their specs, where the headers are found."""
    from abigen.generator.importing.vendor_header import differences_from_header, reading_here

    found: list[str] = []
    for spec, each in loaded.items():
        api = each.groups[0].api
        if api.is_vendors:
            differences = differences_from_header(api, disk, reading_here(disk))
            found += [f"{spec.name}: {line}" for line in differences or ()]
    return found


def _found(specs: tuple[str, ...], folder: Path, disk: Files) -> tuple[SpecFile, ...]:
    """Return the specs to build: those that are named, else all in the project's own folder of specs."""
    from abigen.generator.build import find_specs
    from abigen.workspace.operand import SPEC_SUFFIXES

    if not disk.is_dir(folder) and not any(disk.is_entry(each) for each in specs):
        hint = "begin one with abigen init --spec NAME, or --from HEADER; or name its folder with --spec-dir"
        raise AbigenError.at(None, f"there is no folder of specs here: {folder}", hint)
    for each in specs:
        if disk.is_file(each) and not each.endswith(SPEC_SUFFIXES):
            hint = f"abigen import {each} writes the spec of a header"
            raise AbigenError.at(None, f"{each} is not a spec: its name ends neither with .yaml nor .yml", hint)
    return find_specs(specs, folder, disk)


def _summary(made: int, changed: int, specs: int, left: int, out: Path) -> str:
    """Return the line that states what a build did; `left` counts files that no spec makes any more."""
    same = made - changed
    said = f"wrote {_count(changed)} to {out} from {_count(specs, 'spec')}" if changed else ""
    if not changed:
        said = f"{_count(same)} up to date in {out}"
    elif same:
        said += f", {same} unchanged"
    return f"{said}, {left} left over\n" if left else f"{said}\n"


def _count(number: int, noun: str = "file") -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
