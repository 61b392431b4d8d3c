"""Reads the library that ships with a header, for commands with `--library`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from abigen.cli import terminal
from abigen.model.span import AbigenError, printable
from abigen.workspace.files import Files, refuse_leading_out

if TYPE_CHECKING:
    from abigen.model.api import ApiSet
    from abigen.model.compiled_library import CompiledLibrary


def shipped_library(names: Sequence[str], api: ApiSet, announce: Callable[[str], None]) -> CompiledLibrary:
    """Read the libraries that ship with an API, as one.

    Args:
        names: the files, as the user wrote them; at least one.
        api: the API that they implement.
        announce: shows what is done.

    Raises:
        AbigenError: a library cannot be read, is a link out of the project, or is for another target than the header.
    """
    from abigen.checker.library.debug_info import read_compiled_library

    files = click.get_current_context().ensure_object(Files)
    files.do_not_store()  # a library is not among the noted files
    headers = frozenset(re.split(r"[/\\\\:]", file)[-1] for group in api.groups for file in group.api.files)
    found = []
    for name in names:
        announce(f"reading {name}")
        refuse_leading_out(name, files)
        library = read_compiled_library(name, headers, api.targets, files.real(name))
        if library.target not in api.targets:
            message = f"{printable(name)} is for {library.target}, and the header was not read for that target"
            raise AbigenError.at(None, message, f"add --abi {library.target}")
        terminal.say("".join(f"abigen: {line}\n" for line in library.remarks), sys.stderr)
        found.append(library)
    merged: dict[str, CompiledLibrary] = {}
    for each in (part for library in found for part in (library, *library.others)):
        known = merged.get(each.target)
        merged[each.target] = replace(each, others=()) if known is None else _both(known, each)
    first, *others = merged.values()
    return replace(first, others=tuple(others))


def _both(first: CompiledLibrary, second: CompiledLibrary) -> CompiledLibrary:
    """Return two libraries for one target as one."""
    return replace(
        first,
        name=f"{first.name} and {second.name}",
        exports=first.exports | second.exports,
        versions={**second.versions, **first.versions},
        defined_versions=first.defined_versions | second.defined_versions,
        structs={**second.structs, **first.structs},
        enumerators={**second.enumerators, **first.enumerators},
        functions={**second.functions, **first.functions},
    )
