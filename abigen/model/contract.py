"""What the two sides have agreed about an entity beyond its bytes (rulebook section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from abigen.model.version import Version


class Party(StrEnum):
    """A side of the interface, or both, or nobody that we know of. False when unknown."""

    CORE = "core"
    PLUGIN = "plugin"
    BOTH = "both"
    UNKNOWN = ""

    @property
    def other(self) -> Party:
        """The opposite side; both and unknown stay as they are."""
        return {Party.CORE: Party.PLUGIN, Party.PLUGIN: Party.CORE}.get(self, self)


class Zero(StrEnum):
    """What zero means as the value of a member. False when nothing is said."""

    NO_OP = "no-op"
    """The same as if the member were not there."""
    MEANINGFUL = "meaningful"
    """A value like any other."""
    UNSAID = ""


class Requirement(StrEnum):
    """Whether whoever fills a struct has to fill a member. False when nothing is said, which is not `REQUIRED`."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    CONDITIONAL = "conditional"
    """Required when the `Condition` holds."""
    UNSAID = ""


@dataclass(frozen=True)
class Condition:
    """When a member is required; with both paths, both have to hold.

    A path is the name of a sibling, or `Struct.member`.
    """

    when: str = ""
    """The member that must not be zero; empty for none."""
    unless: str = ""
    """The member that must be zero; empty for none."""

    def __bool__(self) -> bool:
        return bool(self.when or self.unless)

    def holds_whenever(self, other: Condition) -> bool:
        """Whether it asks for nothing that another condition does not ask for, too."""
        return self.when in ("", other.when) and self.unless in ("", other.unless)


@dataclass(frozen=True)
class Lifecycle:
    """When an entity came, whether it is on its way out, and what takes its place."""

    since: Version | None = None
    """The release that brought it; None when nothing says so."""
    deprecated: bool = False
    deprecated_since: Version | None = None
    """The release that deprecated it; None when nothing says so."""
    replaced_by: str = ""
    """What to use instead, as its mark says (`Use x.`); empty for nothing."""
    replaces: str = ""
    """What it is there instead of, as its mark says (`Replaces x.`); empty for nothing."""


@dataclass(frozen=True)
class Contract:
    """The marks of one entity: comments in headers (`0 is no-op.`, `Optional.`, `Use x.`, ...), keys in specs."""

    zero: Zero = Zero.UNSAID
    requirement: Requirement = Requirement.UNSAID
    condition: Condition = Condition()
    set_by: Party = Party.UNKNOWN
    """Its own mark only. Who fills a struct or a member in the end is `Struct.filler` and `Field.filler`."""
    must_be_understood: bool = False
    reserved: bool = False
    lifecycle: Lifecycle = Lifecycle()

    @property
    def is_required(self) -> bool:
        """Whether it has to be filled whatever else is filled."""
        return self.requirement is Requirement.REQUIRED

    @property
    def is_optional(self) -> bool:
        """Whether it is said that it may be left zero."""
        return self.requirement is Requirement.OPTIONAL


NO_CONTRACT = Contract()
