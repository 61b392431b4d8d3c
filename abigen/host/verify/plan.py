"""What a plugin is tried out against."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from abigen.host.compiler import kept_library
from abigen.host.verify.elf import Binary
from abigen.host.verify.entries import entry_point
from abigen.host.verify.shim import shim_source
from abigen.host.verify.stage import Plan
from abigen.model.api import Api
from abigen.model.span import AbigenError
from abigen.model.target import Target, find_target, target_names

_SYSTEMS = {"linux": "linux-gnu", "darwin": "apple-darwin"}
_MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}


def this_target() -> Target:
    """The target that this Python runs on.

    Raises:
        AbigenError: abigen does not know its data model.
    """
    machine = platform.machine().lower()
    name = f"{_MACHINES.get(machine, machine)}-{_SYSTEMS.get(sys.platform, sys.platform)}"
    if name not in target_names():
        raise AbigenError.at(None, f"abigen does not know how structs are laid out on this machine, {name}")
    return find_target(name)


def make_plan(
    plugin: Path, binary: Binary | None, latest: Api, others: tuple[Api, ...], api: Api, folder: Path
) -> Plan:
    """Prepare for trying out a plugin.

    Args:
        plugin: the library.
        binary: what it says of itself.
        latest: the API's current release.
        others: APIs whose functions core has as well.
        api: the API at the release that core is to be of.
        folder: where libraries that were compiled once are kept.

    Raises:
        AbigenError: core's functions cannot be compiled, or the machine is not known.
    """
    return Plan(
        plugin=plugin.resolve(),
        binary=binary,
        api=api,
        latest=latest,
        target=this_target(),
        entry=entry_point(latest),
        shim=kept_library(shim_source(api, others), (), folder),
        others=others,
    )
