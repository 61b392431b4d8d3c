"""How an API is published as a C header: what a spec says beyond the API's entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from abigen.model.version import Version


@dataclass(frozen=True, kw_only=True)
class Header:
    """The file that target `c` writes for an API."""

    path: str
    """Relative to the output directory; the path that users include it by."""
    includes: tuple[str, ...] = ()
    """`<stddef.h>` or `"other.h"`, in order, brackets or quotes included."""
    guard: str = ""
    """Name of the include guard."""
    prefix: str = ""
    """What the names of version macros and helpers begin with (`SE`)."""
    export: str = ""
    """A macro put before each exported function (`TF_CAPI_EXPORT`); empty for none."""
    extern: bool = False
    """Exported functions are declared with an explicit `extern`."""
    cases: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Constant whose text depends on the target or on how it is compiled to its (condition, text), as `#if` reads them;
    the condition of what holds otherwise is empty."""
    version_macros: tuple[str, ...] = ()
    """Names of the macros for major, minor, patch; empty when the header states no version."""
    size_macros: Mapping[str, str] = field(default_factory=dict)
    """Struct to the name of its size macro; a struct that is not versioned has none."""
    offset_of_end: str = ""
    """Name of the macro that computes where a member ends; empty when no size macro needs it."""
    guarded: tuple[str, ...] = ()
    """Macros and constants that are defined only where nothing has defined them before."""
    unexported: tuple[str, ...] = ()
    """Functions that `export` does not stand before."""
    uses: tuple[str, ...] = ()
    """Paths of specs whose types this one uses, relative to this spec."""
    releases: tuple[Version, ...] = ()
    """All releases that any `since` or `deprecated` names, and the current one, in rising order."""
    order: tuple[tuple[str, str], ...] = ()
    """The order of declarations in the spec: (kind, name) with kind `macro`, `constant`, `handle`, `callback`,
    `typedef`, `enum`, `struct`, `function`."""
    banner: str = ""
    """The spec's name as the file's banner states it."""
