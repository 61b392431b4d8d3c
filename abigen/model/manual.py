"""A page of the manual: what one rule says about itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Page:
    """One rule, as people read about it."""

    code: str
    """Stable: `ABI103`."""
    name: str
    """Public name: `field-inserted`."""
    group: str
    """What the rule is about: `Members of structs and unions`."""
    commands: tuple[str, ...]
    """Those that report it: `diff`, `lint`."""
    summary: str
    """One sentence."""
    sections: tuple[tuple[str, str], ...] = ()
    """Heading (`What changed`, `What happens`, `Instead`, `Source`; empty for none) and paragraph, in order."""
