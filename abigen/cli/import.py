"""Write the spec of an existing header, also with the history of its releases."""

# The file is called as the command is.
# ruff: noqa: N999

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click
from click.core import ParameterSource

from abigen.checker.configuration import Configuration
from abigen.cli import terminal
from abigen.cli.options import reading_options
from abigen.generator.importing.importer import Importer, Release
from abigen.model.span import AbigenError, Diagnostic, printable
from abigen.model.version import Version

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
_EXAMPLES = """\b
Examples:
  abigen import api.h                       write spec/api.yaml
  abigen import include/vendor/api.h -I include --out spec/vendor
  abigen import api.h --filled-by XY_=core --filled-by XP_=plugin
  abigen import api.h --release 1.0.0=v1.0:api.h --release 1.1.0=v1.1:api.h
  abigen import api.h --since-tags 'v*'
  abigen import /usr/include/ladspa.h --vendor --entry ladspa_descriptor

\b
If the header includes others from its own folder or from below -I, these become
specs of their own. If you name earlier releases, the spec says of each entity in
which release it was added. abigen reads the spec back, compares it with the
header, and lists every difference with its line. Before it writes anything, it
builds the spec, and compiles what it has built in C and in C++.

\b
--vendor is for authors of plugins. The header stays its vendor's: the spec says
which functions a plugin has and how they are called, and what abigen generates
includes the header. --entry names a function or object that the host looks up in
each plugin; write its declaration if no header has it. {name} in its name stands
for the plugin's name: 'int sqlite3_{name}_init(sqlite3* db, char** error)'.

\b
Exit codes: 0 the spec says all that the header says; 1 it says less, see the list;
2 nothing was written: the header cannot be read, or its spec cannot be built, or
what is built of it does not compile although the header does.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("headers", nargs=-1, required=True)
@click.option("--out", default="spec", show_default=True, metavar="DIR", help="The folder to write to.")
@click.option("--release", "releases", multiple=True, metavar="VERSION=HEADER",
              help="An earlier release, the oldest first; with one HEADER only.")  # fmt: skip
@click.option(
    "--name", metavar="NAME", help="The name of the spec.  [default: the name of the file; with one HEADER only]"
)
@click.option("--since-tags", "tags", metavar="PATTERN", help="Use the git tags that match as releases: 'v*'.")
@click.option("--filled-by", "fillers", multiple=True, metavar="PREFIX=SIDE",
              help="The side that sets structs with this prefix: core, plugin or both.")  # fmt: skip
@click.option("--vendor", is_flag=True, help="Keep the vendor's header, and write a spec for authors of plugins.")
@click.option("--entry", "entries", multiple=True, metavar="NAME",
              help="With --vendor: what the host looks up in plugins, by name or declaration.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace specs that exist.")
@reading_options
def command(
    headers: tuple[str, ...],
    out: str,
    releases: tuple[str, ...],
    name: str | None,
    tags: str | None,
    fillers: tuple[str, ...],
    vendor: bool,
    entries: tuple[str, ...],
    force: bool,
    configuration: Configuration,
) -> int:
    """Write the spec of each HEADER."""
    from abigen.generator.output_files import inside, write_files

    if (releases or tags is not None or name) and len(headers) > 1:
        raise click.UsageError("--name, --release and --since-tags go with one HEADER.")
    if name and not name.isidentifier():
        raise click.UsageError(f"--name: '{name}' is not an identifier.")
    if releases and tags is not None:
        raise click.UsageError("--release and --since-tags exclude each other.")
    if entries and not vendor:
        raise click.UsageError("--entry goes with --vendor.")
    if vendor:
        if len(headers) > 1 or releases or tags is not None or fillers:
            raise click.UsageError("--vendor takes one HEADER, and neither --release, --since-tags nor --filled-by.")
        given = click.get_current_context().get_parameter_source("out") is not ParameterSource.DEFAULT
        return _write_vendor_spec(headers[0], name or "", entries, out, configuration, force=force, is_chosen=given)
    history: dict[str, list[Release]] = {each: [] for each in headers}
    history[headers[0]] = (
        _stated_releases(releases) if tags is None else _tagged_releases(tags, headers[0], configuration)
    )
    importer = Importer(configuration, _filled_by(fillers), history)
    for header in headers:
        importer.add(header, name)
    if tags is not None:
        for each in importer.found:
            if each.operand not in history:
                with suppress(AbigenError, ValueError):  # a header that no tag has yet has no history
                    history[each.operand] = _tagged_releases(tags, os.path.relpath(each.operand), configuration)
    folder, disk = Path(out), configuration.options.files
    if click.get_current_context().get_parameter_source("out") is ParameterSource.DEFAULT:
        inside(Path(), out, disk)
    existing = [folder / f"{each.name}.yaml" for each in importer.found if disk.is_entry(folder / f"{each.name}.yaml")]
    if existing and not force:
        raise AbigenError(tuple(Diagnostic(None, f"{each} exists", "--force replaces it") for each in existing))
    texts, notes = importer.specs()
    write_files({name: text.encode() for name, text in texts.items()}, folder, disk)
    terminal.say("".join(f"wrote {folder / name}\n" for name in texts), sys.stdout)
    terminal.say("".join(f"{printable(each)}\n" for each in (*importer.remarks, *notes)), sys.stdout)
    return int(bool(notes))


def _filled_by(values: Sequence[str]) -> dict[str, str]:
    """Return the sides that fill structs, by the prefixes of their names.

    Args:
        values: of `--filled-by`: `XY_=core`.
    """
    found = {}
    for value in values:
        prefix, _, side = value.partition("=")
        if side not in ("core", "plugin", "both") or not prefix.isidentifier():
            raise click.UsageError(f"--filled-by: '{value}' is not PREFIX=core, PREFIX=plugin or PREFIX=both.")
        found[prefix] = side
    return found


def _stated_releases(values: Sequence[str]) -> list[Release]:
    """Return the releases that a user names, the oldest first.

    Args:
        values: of `--release`: `1.2.0=old/api.h`.
    """
    found: list[Release] = []
    for value in values:
        text, _, operand = value.partition("=")
        match = _VERSION.fullmatch(text)
        if match is None or not operand:
            raise click.UsageError(f"--release: '{value}' is not VERSION=HEADER, as in 1.2.0=old/api.h.")
        version = Version(int(match[1]), int(match[2]), int(match[3] or 0))
        if found and version <= found[-1][0]:
            raise click.UsageError(f"--release: {version} does not come after {found[-1][0]}.")
        found.append((version, operand))
    return found


def _tagged_releases(pattern: str, header: str, configuration: Configuration) -> list[Release]:
    """Return the releases that have git tags.

    Args:
        pattern: of the tags.
        header: its path.
        configuration: has the way to files.
    """
    from abigen.workspace.git_history import tagged_versions

    return [*tagged_versions(pattern, header, configuration.options.files)]


def _write_vendor_spec(
    header: str,
    name: str,
    entries: Sequence[str],
    out: str,
    configuration: Configuration,
    *,
    force: bool,
    is_chosen: bool,
) -> int:
    """Write the spec of a vendor's header, and say what the header has besides and what is left to find out.

    Args:
        header: names the header.
        name: of the spec; empty for that of the file.
        entries: names or declarations of the entry points.
        out: the folder to write to.
        configuration: how to read.
        force: whether a spec that exists is replaced.
        is_chosen: whether the user has named the folder.

    Raises:
        AbigenError: the header cannot be read, or its spec exists.
    """
    from abigen.generator.importing.attempts import grouped
    from abigen.generator.importing.vendor_header import vendor_spec
    from abigen.generator.output_files import inside, write_files

    made = vendor_spec(header, name, entries, configuration)
    path, disk = Path(out, f"{made.name}.yaml"), configuration.options.files
    if not is_chosen:
        inside(Path(), out, disk)
    if disk.is_entry(path) and not force:
        raise AbigenError.at(None, f"{path} exists", "--force replaces it")
    write_files({path.name: made.text.encode()}, Path(out), disk)
    terminal.say(f"wrote {path}: a plugin exports {', '.join(made.entries)}\n", sys.stdout)
    terminal.say("".join(f"{printable(each)}\n" for each in grouped(made.left_out)), sys.stdout)
    terminal.say("".join(f"to find out: {each}\n" for each in made.questions), sys.stdout)
    return 0
