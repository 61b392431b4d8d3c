"""Files of checks, and the releases that they are about."""

from __future__ import annotations

from abigen.emit.c.names import file_beside
from abigen.model.api import Header
from abigen.model.version import Version


def asserts_file(header: str, release: Version | None) -> str:
    """The path of the asserts of a release; of all of them when it is None."""
    number = f"_{release.major}_{release.minor}_{release.patch}" if release else ""
    return file_beside(header, f"_asserts{number}.h")


def compatible_releases(header: Header) -> tuple[Version, ...]:
    """The releases with the major version that an API has now: what older ones promised holds no longer.

    Args:
        header: of the API.

    Returns:
        In rising order; empty for an API without version.
    """
    return tuple(each for each in header.releases if each.major == header.releases[-1].major)
