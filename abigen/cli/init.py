"""Begin a configuration file, and a spec if one is wanted."""

from __future__ import annotations

import os
import re
import sys

import click

from abigen.cli import terminal
from abigen.cli.options import write_result
from abigen.model.span import AbigenError, Diagnostic

_EXAMPLES = """\b
Examples:
  abigen init                 write abigen.toml
  abigen init --spec toy      and spec/toy.yaml, from which abigen build makes a header

\b
Exit codes: 0 fine; 2 a file is there already, and nothing was written.
"""

_CONFIGURATION = """\
# What abigen does in this project. `abigen diff --explain-config` shows what holds, and
# `abigen schema config` what may stand here.

# default, binary-only (source code may break) or strict.
policy = "default"

# The targets to judge for; without it the usual 64-bit three.
# targets = ["x86_64-linux-gnu", "aarch64-apple-darwin", "x86_64-windows-msvc"]

# Where included files are, relative to this file.
# includes = ["include"]

# How loud single rules are: error, warning, note, off. `abigen rules` lists them.
[rules]
# implicit-padding = "off"

# Findings that are accepted. An exception that matches nothing, or has expired, is reported.
# [[exceptions]]
# rule = "field-removed"
# entity = "Toy.*"
# reason = "Toy was never shipped"
# expires = 2027-06-30
"""

_SPEC = """\
abigen: 1
api: {name}
doc: What plugins of {name} and their host agree on.
prefix: {prefix}
version: 0.1.0
releases: [0.1.0]
header: {{path: {name}.h, includes: [<stddef.h>, <stdint.h>]}}
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


@click.command(epilog=_EXAMPLES)
@click.option("--spec", "name", metavar="NAME", help="Begin a spec for an API of this name too.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def command(name: str | None, force: bool) -> int:
    """Write a commented abigen.toml to the current directory, and a spec if one is wanted."""
    files = {"abigen.toml": _CONFIGURATION}
    if name is not None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise AbigenError.at(None, f"'{name}' is no name for an API", "small letters, digits and underscores: toy")
        files[f"spec/{name}.yaml"] = _SPEC.format(name=name, prefix=name.upper())
    there = [path for path in files if os.path.lexists(path)]
    if there and not force:
        hint = "--force overwrites it"
        raise AbigenError([Diagnostic(None, f"{path} is there already; nothing was written", hint) for path in there])
    for path, text in files.items():
        _write(path, text)
    write_result("".join(f"wrote {path}\n" for path in files))
    if name is not None:
        terminal.write("next: abigen build\n", sys.stderr)
    return 0


def _write(path: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise AbigenError.at(None, f"{path} cannot be written: {error.strerror}") from None
