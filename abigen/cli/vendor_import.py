"""Writes the spec of a vendor's header, for `abigen import --vendor`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from abigen.cli import terminal
from abigen.cli.configuration import Configuration
from abigen.cli.importing import grouped
from abigen.cli.vendor import vendor_spec
from abigen.emit.output_files import inside, write_files
from abigen.model.span import AbigenError, printable


def write_vendor_spec(
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
