"""Begin a project: write abigen.toml, and a spec, empty or from a header."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import click

from abigen.cli import terminal
from abigen.files import Files
from abigen.model.span import AbigenError, Diagnostic
from abigen.read.config.settings import OWN_NAME, SHARED_NAME, find_configuration

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

_CONFIGURATION = """\
# What abigen does in this project. A setting that is commented out says what holds without it, or gives an
# example. `abigen diff --explain-config` shows what is in force and who says so; the command line goes before
# this file. `abigen schema config` is for editors.

# What to judge by: default, binary-only (source code may break), or strict.
#policy = "default"

# The targets to judge for; without it Linux, macOS and Windows on this machine's architecture.
#targets = ["x86_64-linux-gnu", "aarch64-apple-darwin", "x86_64-windows-msvc"]

# Where included files are, relative to this file; macros. -I, -D and -U add to these.
#includes = ["include"]
#defines = ["API_EXPORTS", "API_LEVEL=3"]
#undefines = ["API_INTERNAL"]

# What to include before each header, for headers that do not include what they need.
#preincludes = ["include/types.h"]

# Included files that are judged, too; without it, those below the folder of a header that declares nothing itself.
#own = ["detail/*.h"]

# What is below a directory and not meant by it.
#exclude = ["tests", "*_internal.h"]

# The C standard.
#std = "gnu17"

# The compiler that is asked for its standard headers and macros, by its name on PATH, or none.
#cc = "gcc-13"

# What abigen build does without arguments; paths are relative to this file.
[build]
#specs = "spec"
#out = "generated"
#targets = ["c", "c-checks"]  # without it, all that come with abigen

# Single decisions of the policy.
[options]
#major-zero = "cargo"         # while MAJOR is 0: cargo (a break moves MINOR), none, or strict (as if it were 1)
#source-counts = true         # a change that only breaks source code needs MAJOR
#patch-counts = false         # a PATCH that should have moved and did not fails the diff
#macro-body-bump = "none"     # what a changed body of a function-like macro needs: none, patch, minor or major
#repurposed-bump = "none"     # what a rewritten comment of a member needs
#strict-padding = false       # a hole in a versioned struct is an error

# How loud single rules are: error, warning, note or off. `abigen rules` lists them.
[rules]
#implicit-padding = "off"

# What headers cannot say of themselves; a spec says it itself.
[conventions]
#size-field = "struct_size"   # the first member of structs that may grow
#extension-field = "ext"      # the second one, if they have it
#max-alignment = 8            # of a member, in bytes
#sentinels = ["*_COUNT", "*_MAX", "*_LAST"]    # enumerators behind the last one
#counts = ["n_*"]             # names of counts, besides the usual ones; * is the pointer's name
#size-macro = "{WORDS}_STRUCT_SIZE"            # {struct} is XY_DeviceFns, {STRUCT} XY_DEVICEFNS, {WORDS} XY_DEVICE_FNS
#unmarked = "required"        # what members are that say neither required nor optional; without it, nothing
#size-member = ["op_size"]    # what else carries a struct's size: its first member, or a parameter beside the struct
#version-member = ["iVersion"]  # first members that count the versions of their struct
#version = ["XY_VERSION"]     # the macros that state the version: one, or MAJOR, MINOR and PATCH
#filled-by = { SE_ = "core", SP_ = "plugin" }  # who fills a struct, by the prefix of its name

# Findings that are accepted, by rule and entity (* and ? are wildcards). An exception that matches nothing, or
# has expired, is reported.
#[[exceptions]]
#rule = "field-removed"
#entity = "Toy.*"
#reason = "Toy was never shipped"
#expires = 2099-12-31         # the last day on which it holds
#against = "v1.2.0"           # the baseline that it is about; without it any
#level = "off"                # or another level: error, warning, note
"""

_SPEC = """\
abigen: 1
api: {name}
doc: What plugins of {name} and their host agree on.
prefix: {prefix}
version: 0.1.0
releases: [0.1.0]
header: {{path: {name}.h, includes: [<stddef.h>, <stdint.h>]}}
python: {{package: {name}_api}}
conventions:
  leading_fields: [size_t struct_size, void* ext]
  filled_by: {{{prefix}C_: core, {prefix}P_: plugin}}
structs:
  - name: {prefix}P_Plugin
    doc: What a plugin offers.
    fields:
      - {{name: ordinal, type: int32_t, doc: Its place among others.}}
      - {{name: run, type: "void (*)(int64_t count)", required: true, doc: Does the work.}}
functions:
  - name: {prefix}_InitPlugin
    implemented_by: plugin
    entry_point: true
    type: "int ({prefix}P_Plugin* plugin)"
    doc: Fills in the plugin; returns 0 when all is well.
"""


_NEXT = """\
next: look through {spec}: who fills what, and what is required, is for you to say
      abigen lint {spec}
      abigen diff {header} {spec}
      abigen build when the spec has changed; in CI abigen build --check, and abigen diff --against main
"""


@click.command(epilog=_EXAMPLES)
@click.option("--spec", "name", metavar="NAME", help="Begin a spec for an API of this name.")
@click.option("--from", "header", metavar="HEADER", help="Write the spec of an existing header, and build it.")
@click.option("-I", "includes", multiple=True, metavar="DIR", help="With --from: also look for included files in DIR.")
@click.option("--filled-by", "fillers", multiple=True, metavar="PREFIX=SIDE",
              help="With --from: who fills structs with this prefix: core, plugin or both.")  # fmt: skip
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
    from abigen.emit.output_files import write_files

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
    """What to write: the configuration unless there is one and a spec is what is wanted, and a spec from nothing."""
    shared = not disk.is_entry(OWN_NAME) and find_configuration(str(Path.cwd()), disk).path == SHARED_NAME
    files = {} if has_spec and (shared or disk.is_entry(OWN_NAME)) else {OWN_NAME: configuration}
    if name is not None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise AbigenError.at(None, f"'{name}' is no name for an API", "small letters, digits and underscores: toy")
        files = {f"spec/{name}.yaml": _SPEC.format(name=name, prefix=name.upper()), **files}
    problems = [
        Diagnostic(None, f"{path} is there already; nothing was written", "--force overwrites it")
        for path in files
        if disk.is_entry(path)
    ]
    if OWN_NAME in files and shared and not problems:
        message = f"{SHARED_NAME} has a table tool.abigen, which {OWN_NAME} would take the place of"
        problems.append(Diagnostic(None, f"{message}; nothing was written", "--force writes it nevertheless"))
    if problems and not force:
        raise AbigenError(problems)
    return files


def _configuration(includes: tuple[str, ...]) -> str:
    """The configuration file, with the directories that the header needs if they are in the project."""
    inside = [each for each in includes if not Path(each).is_absolute() and ".." not in Path(each).parts]
    said = f"includes = {json.dumps(inside)}"
    return _CONFIGURATION.replace('#includes = ["include"]', said) if inside else _CONFIGURATION


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
    from abigen.emit.output_files import write_files

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
