"""What the options of `abigen import` say of releases and of who fills structs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import click

from abigen.cli.configuration import Configuration
from abigen.model.version import Version

Release: TypeAlias = tuple[Version, str]
"""A release of a header, and the operand that names the header as it was then."""
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def filled_by(values: Sequence[str]) -> dict[str, str]:
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


def stated_releases(values: Sequence[str]) -> list[Release]:
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


def tagged_releases(pattern: str, header: str, configuration: Configuration) -> list[Release]:
    """Return the releases that have git tags.

    Args:
        pattern: of the tags.
        header: its path.
        configuration: has the way to files.
    """
    from abigen.read.git import tagged_versions

    return tagged_versions(pattern, header, configuration.options.files)
