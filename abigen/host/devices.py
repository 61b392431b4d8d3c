"""The types of devices that a core offers, and whose they are when several want one name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from abigen.model.span import AbigenError

BUILT_IN_PRIORITY = 100
"""Of the devices that a core has itself."""

PLUGGED_PRIORITY = 200
"""Of the devices that plugins bring: they take the place of a built-in type of the same name."""

PLUGGED_PREFIX = "PLUGGABLE_"
"""Before the type by which kernels of plugged devices are looked up, so that those of a built-in device of the same
name stay apart (RFC 262, "PluggableDevice kernel registration", option 2)."""


@dataclass(frozen=True, kw_only=True)
class DeviceType:
    """A type of device under the name that users know it by."""

    name: str
    priority: int = PLUGGED_PRIORITY
    owner: str = ""
    """The plugin's file; empty for a type that the core has itself."""
    platform: str = ""
    """The name that the plugin gives itself; empty for a type that the core has itself."""
    own_name: str = ""
    """What the plugin calls the type, where the user has given it another name."""
    replaceable: bool = True
    """Whether a plugged type may take this name over."""

    @property
    def kernel_type(self) -> str:
        """The type by which its kernels are looked up."""
        return PLUGGED_PREFIX + self.name if self.owner else self.name


class DeviceTypes:
    """All types of devices, built in or plugged."""

    def __init__(self, built_in: tuple[DeviceType, ...]) -> None:
        self._types = list(built_in)

    def add(self, added: DeviceType) -> None:
        """Take in the type of a plugin.

        Raises:
            AbigenError: its name or its platform's is taken; with what the user can do about it.
        """
        check_name(added.name)
        for other in self._types:
            if other.name == added.name and (other.priority == added.priority or not other.replaceable):
                raise AbigenError.at(None, _taken("device type", other.name, other, added), _way_out(other, added))
            if other.owner and other.platform == added.platform and not (added.own_name or other.own_name):
                message = _taken("platform name", other.platform, other, added)
                raise AbigenError.at(None, message, _way_out(other, added))
        self._types.append(added)

    def remove(self, owner: str) -> None:
        """Forget what a plugin has brought; a built-in type of the same name is back."""
        self._types = [each for each in self._types if each.owner != owner or not owner]

    def all(self) -> tuple[DeviceType, ...]:
        """The types that users can name, in the order of registration; of several with one name, the first in rank."""
        return tuple(each for each in self._types if self.find(each.name) is each)

    def kernel_type(self, name: str) -> str:
        """The type by which kernels are looked up that a plugin registers for devices of a type with this name."""
        named = [each for each in self._types if name in (each.own_name, each.name) and each.owner]
        return named[-1].kernel_type if named else name

    def find(self, name: str) -> DeviceType:
        """The type with a name, whatever its case; of several the one with the highest priority.

        Raises:
            AbigenError: there is none, with a suggestion.
        """
        named = [each for each in self._types if each.name.casefold() == name.casefold()]
        if not named:
            known = ", ".join(dict.fromkeys(each.name for each in self._types))
            raise AbigenError.at(None, f"there is no device of type {name}", f"there are {known}")
        return max(named, key=lambda each: each.priority)


def check_name(name: str) -> None:
    """Check a name that a user has given to a device type.

    Raises:
        AbigenError: it is none.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise AbigenError.at(
            None, f"`{name}` is no name for devices", "take letters, digits and underscores, a letter first"
        )


def _taken(what: str, name: str, other: DeviceType, added: DeviceType) -> str:
    whose = other.owner or "the core itself"
    return f"{added.owner}: the {what} {name} is taken by {whose}; this plugin was not registered"


def _way_out(other: DeviceType, added: DeviceType) -> str:
    again = f'give this plugin\'s devices another name: `NAME={added.owner}`, or load_plugin("NAME", "{added.owner}")'
    return f"load only one of the two, or {again}" if other.owner else again
