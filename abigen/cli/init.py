"""Begin a project: write abigen.toml, and a spec, empty or from a header."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import click

from abigen.cli import terminal
from abigen.model.span import AbigenError, Diagnostic
from abigen.workspace.config.settings import OWN_NAME, SHARED_NAME, find_configuration
from abigen.workspace.files import Files
from abigen.workspace.shipped import fill_in

_EXAMPLES = """\b
Examples:
  abigen init                 write abigen.toml
  abigen init --spec toy      write spec/toy.yaml, from which abigen build makes a header
  abigen init --from include/vendor/api.h -I include --filled-by XP_=plugin

\b
With --from, abigen writes abigen.toml, writes the spec as `abigen import` does,
builds it, and prints what to do next.

\b
Exit codes: 0 fine; 1 the spec says less than the header, see the list; 2 a file
exists already, and nothing was written.
"""

_NEXT = """\
next: look through {spec}: state which side sets each struct, and which members are required
      abigen lint {spec}
      abigen diff {header} {spec}
      abigen build when the spec has changed; in CI abigen build --check, and abigen diff --against main
"""


@click.command(epilog=_EXAMPLES)
@click.option("--spec", "name", metavar="NAME", help="Begin a spec for an API of this name.")
@click.option("--from", "header", metavar="HEADER", help="Write the spec of an existing header, and build it.")
@click.option("-I", "includes", multiple=True, metavar="DIR", help="With --from: also look for included files in DIR.")
@click.option("--filled-by", "fillers", multiple=True, metavar="PREFIX=SIDE",
              help="With --from: the side that sets structs with this prefix: core, plugin or both.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite what is there.")
@click.pass_context
def command(
    context: click.Context,
    name: str | None,
    header: str | None,
    includes: tuple[str, ...],
    fillers: tuple[str, ...],
    force: bool,
) -> int:
    """Write a commented abigen.toml to the current directory, or begin a spec.

    With --spec and --from, an existing abigen.toml stays as it is.
    """
    from abigen.generator.output_files import write_files

    if (includes or fillers) and header is None:
        raise click.UsageError("-I and --filled-by go with --from.")
    if name is not None and header is not None:
        raise click.UsageError("--spec and --from exclude each other.")
    disk = context.find_object(Files) or Files()
    files = _files(name, _configuration(includes), disk, force=force, has_spec=name is not None or header is not None)
    if header is not None:
        return _begun_from(header, files, (includes, fillers), context, disk, force=force)
    write_files({path: text.encode() for path, text in files.items()}, Path(), disk)
    terminal.say("".join(f"wrote {path}\n" for path in files))
    if name is not None:
        terminal.say("next: abigen build\n", sys.stderr)
    return 0


def _files(name: str | None, configuration: str, disk: Files, *, force: bool, has_spec: bool) -> dict[str, str]:
    """Return the files to write: the configuration unless it exists and a spec is asked for, and a new spec."""
    shared = not disk.is_entry(OWN_NAME) and find_configuration(str(Path.cwd()), disk).path == SHARED_NAME
    files = {} if has_spec and (shared or disk.is_entry(OWN_NAME)) else {OWN_NAME: configuration}
    if name is not None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise AbigenError.at(
                None, f"'{name}' cannot be the name of an API", "small letters, digits and underscores: toy"
            )
        files = {f"spec/{name}.yaml": fill_in("init/spec.yaml.j2", name=name, prefix=name.upper()), **files}
    problems = [
        Diagnostic(None, f"{path} exists already; nothing was written", "--force overwrites it")
        for path in files
        if disk.is_entry(path)
    ]
    if OWN_NAME in files and shared and not problems:
        message = f"{SHARED_NAME} has a table tool.abigen, which {OWN_NAME} would replace"
        problems.append(Diagnostic(None, f"{message}; nothing was written", "--force writes it nevertheless"))
    if problems and not force:
        raise AbigenError(problems)
    return files


def _configuration(includes: tuple[str, ...]) -> str:
    """Return the configuration file, with the directories that the header needs if they are in the project."""
    inside = [each for each in includes if not Path(each).is_absolute() and ".." not in Path(each).parts]
    return fill_in("init/abigen.toml.j2", includes=json.dumps(inside) if inside else "")


def _begun_from(
    header: str,
    files: dict[str, str],
    given: tuple[tuple[str, ...], tuple[str, ...]],
    context: click.Context,
    disk: Files,
    *,
    force: bool,
) -> int:
    """Import a header, write the configuration besides, build, and say what comes next."""
    from abigen.cli.build import command as build
    from abigen.generator.output_files import write_files

    includes, fillers = given
    arguments = [header, *(f"-I{each}" for each in includes), *(f"--filled-by={each}" for each in fillers)]
    importing: click.Command = import_module("abigen.cli.import").command
    code = _run(importing, [*arguments, "--no-config", *(["--force"] if force else [])], context)
    write_files({path: text.encode() for path, text in files.items()}, Path(), disk)
    terminal.say("".join(f"wrote {path}\n" for path in files))
    code = _run(build, [], context) or code
    terminal.say(_NEXT.format(header=header, spec=f"spec/{Path(header).stem}.yaml"), sys.stderr)
    return code


def _run(command: click.Command, arguments: list[str], context: click.Context) -> int:
    """Run another command of abigen, which looks at the disk anew."""
    with command.make_context(str(command.name), arguments, context, obj=Files()) as inner:
        return int(command.invoke(inner) or 0)
