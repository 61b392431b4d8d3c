"""What an import is made of besides the declarations of a header, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from abigen.model.span import Diagnostic
from abigen.model.version import Version

Document = dict[str, object]
"""A mapping of a spec, in the order in which it shall stand."""


@dataclass(frozen=True)
class Surroundings:
    """What the header says outside of its declarations, and what the user says of it."""

    name: str
    """Of the API, an identifier."""
    path: str
    """By which users include the header."""
    lines: tuple[str, ...] = ()
    """Of the header."""
    guard: str = ""
    includes: tuple[str, ...] = ()
    """`<stddef.h>` or `"other.h"`, without the headers of `uses`."""
    uses: tuple[str, ...] = ()
    """Specs whose types it uses."""
    conditional: frozenset[str] = frozenset()
    """Macros that are defined below a condition."""
    guarded: frozenset[str] = frozenset()
    """Macros that are defined only where nothing has defined them before."""
    filled_by: Mapping[str, str] = field(default_factory=dict)
    """Prefix of a struct's name to the side that fills it."""
    since: Mapping[str, Version] = field(default_factory=dict)
    """Entity, or `Struct.member`, to the release that brought it; what is absent is as old as the API."""
    deprecated: Mapping[str, Version] = field(default_factory=dict)
    """Entity, or `Struct.member`, to the release that marked it."""
    releases: tuple[Version, ...] = ()


@dataclass(frozen=True)
class Imported:
    """A spec, and what of the header is not in it."""

    document: Document
    gaps: tuple[Diagnostic, ...]
