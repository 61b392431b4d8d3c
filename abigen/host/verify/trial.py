"""What a plugin is tried against: an API, the function that core calls first, and a library with core's functions."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from abigen.host.compiler import kept_library
from abigen.host.verify.elf import SharedLibrary
from abigen.host.verify.shim import shim_source
from abigen.model.api import Api
from abigen.model.ctype import Basic, NamedType, Parameter
from abigen.model.entities import Function
from abigen.model.span import AbigenError
from abigen.model.target import Target, find_target, target_names

_SYSTEMS = {"linux": "linux-gnu", "darwin": "apple-darwin"}
_MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What is tried out, and with what."""

    plugin: Path
    binary: SharedLibrary | None
    """None where its format is not known."""
    api: Api
    """As core knows it."""
    latest: Api
    """The API's current release, which names members that an older core does not know."""
    target: Target
    entry: Function
    """Which function core calls first."""
    shim: Path
    """The functions that the plugin links against."""
    stand_ins: tuple[Path, ...] = ()
    """Empty libraries in place of those that this machine does not have."""
    others: tuple[Api, ...] = ()
    """APIs whose functions core has as well."""


def make_trial(
    plugin: Path, binary: SharedLibrary | None, latest: Api, others: tuple[Api, ...], api: Api, folder: Path
) -> Trial:
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
    machine = platform.machine().lower()
    target = f"{_MACHINES.get(machine, machine)}-{_SYSTEMS.get(sys.platform, sys.platform)}"
    if target not in target_names():
        raise AbigenError.at(None, f"abigen does not know how structs are laid out on this machine, {target}")
    return Trial(
        plugin=plugin.resolve(),
        binary=binary,
        api=api,
        latest=latest,
        target=find_target(target),
        entry=entry_point(latest),
        shim=kept_library(shim_source(api, others), (), folder),
        others=others,
    )


def entry_points(api: Api) -> tuple[Function, ...]:
    """The functions of an API's own by which core begins."""
    return tuple(each for each in api.functions.values() if each.entry_point and each.in_api)


def entry_point(api: Api) -> Function:
    """The function of an API by which core begins.

    Raises:
        AbigenError: there is none, or nobody knows what core gives it.
    """
    found = entry_points(api)
    if not found:
        hint = "mark it `entry_point: true`"
        raise AbigenError.at(None, f"{api.name} has no entry point, so core cannot begin", hint)
    for parameter in found[0].type.parameters:
        if not (api.is_status(parameter.type) or api.pointee(parameter.type) or version_part(parameter)):
            name = parameter.name or "a parameter"
            message = f"{found[0].name} takes {name}, and the spec does not say what core gives it"
            hint = "it can be a struct, a status object, or a number with major, minor or patch in its name"
            raise AbigenError.at(parameter.span or found[0].span, message, hint)
    return found[0]


def version_part(parameter: Parameter) -> str | None:
    """The part of core's version that a parameter of an entry point states by its name: `major`, `minor`, `patch`."""
    words = (parameter.name or "").lower().split("_")
    is_number = isinstance(parameter.type, Basic | NamedType)
    return next((part for part in ("major", "minor", "patch") if is_number and part in words), None)
