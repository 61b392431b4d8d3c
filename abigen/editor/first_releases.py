"""Finds the first release of each declaration, by git's tags; in a process of its own, since it reads many files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from multiprocessing.connection import Connection

import msgspec
from msgspec.structs import replace

from abigen.checker.configuration import configure
from abigen.model.api import Api
from abigen.model.span import AbigenError
from abigen.specs.load import load
from abigen.workspace.files import Files
from abigen.workspace.git_history import tagged_versions
from abigen.workspace.python_children import end_with_parent, spawning

_MOST = 60
"""The number of releases that are read, the newest ones."""


def first_releases(folder: str, name: str) -> Mapping[str, str]:
    """Return the tag of the first release of each declaration that the last release has.

    A declaration that was removed and came back counts from its return. Releases that cannot be read are passed over.

    Args:
        folder: the folder in which abigen runs; the process changes to it.
        name: the header or spec, relative to that folder.

    Returns:
        Tags by `Struct.member` or name; empty if no tag names a release that has the file. What only the oldest of many
        releases has may be older.
    """
    os.chdir(folder)
    files = Files()
    try:
        options = replace(configure({}, None, files, ignored=False, cache=True).options, files=files)
        releases = tagged_versions("*", name, files)[-_MOST:]
    except AbigenError:
        return {}
    known: dict[str, str] = {}
    for _, operand in releases:
        try:
            names = _names_in(load(operand, options).groups[0].api)
        except AbigenError:
            continue
        known = {name: known.get(name, operand.revision) for name in names}
    return known


def _names_in(api: Api) -> list[str]:
    """Return the names of the declarations of an API, members as `Struct.member`."""
    members = [f"{key}.{each.name}" for key, struct in api.structs.items() for each in struct.fields or ()]
    kinds = (api.structs, api.enums, api.enumerators, api.typedefs, api.functions, api.variables)
    more = (api.size_constants, api.constants, api.macros)
    return [*members, *(name for kind in (*kinds, *more) for name in kind)]


class ReleaseSearch:
    """A search in a process of its own, which ends with this one."""

    def __init__(self, folder: str, name: str) -> None:
        """Begin to search; see `first_releases`."""
        context = spawning()
        self._answer, other = context.Pipe(duplex=False)
        self._process = context.Process(target=_search, args=(other, folder, name), daemon=True)
        self._process.start()
        other.close()

    def wait(self) -> Mapping[str, str]:
        """Return the result; empty if the process was stopped."""
        try:
            return msgspec.json.decode(self._answer.recv_bytes(), type=dict[str, str])
        except EOFError:
            return {}

    def stop(self) -> None:
        """Stop the process."""
        self._process.kill()


def _search(answer: Connection, folder: str, name: str) -> None:
    """Search, and send the result."""
    end_with_parent()
    answer.send_bytes(msgspec.json.encode(first_releases(folder, name)))
