"""The names that checks have in C: they follow from those of the API, and may be none of them."""

from __future__ import annotations

from collections.abc import Iterable

from abigen.emit.c.helpers import file_beside
from abigen.model.api import Api, Header
from abigen.model.identifiers import include_guard
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.version import Version


def with_suffix(name: str, suffix: str) -> str:
    """A name with a word behind it, in the style of the name.

    Args:
        name: `XY_Device`, `xy_device_t`.
        suffix: `Check`.

    Returns:
        `XY_Device_Check`, `xy_device_check`.
    """
    return f"{name.removesuffix('_t')}_{suffix.lower()}" if name.islower() else f"{name}_{suffix}"


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


def guard_of(path: str) -> str:
    """The include guard of a file."""
    return include_guard(path)


def refuse_clashes(made: Iterable[str], api: Api) -> None:
    """Refuse to make what the API itself has declared.

    Args:
        made: names with external linkage, and of types.
        api: whose names those may not be.

    Raises:
        AbigenError: all that are taken.
    """
    groups = (api.structs, api.enums, api.typedefs, api.functions, api.variables, api.constants, api.macros)
    taken = {name: entity for group in groups for name, entity in group.items()}
    found = [
        Diagnostic(taken[name].span, f"`{name}` is what target c-checks calls something of its own", "rename it")
        for name in dict.fromkeys(made)
        if name in taken
    ]
    if found:
        raise AbigenError(found)
