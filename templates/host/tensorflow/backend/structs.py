"""Structs that the core hands to a plugin to be filled."""

from __future__ import annotations

from typing import Generic, TypeVar

from plugin_api_runtime_v1 import Struct
from plugin_api_runtime_v1.memory import ffi

from abigen.host.backend import PluginError

S = TypeVar("S", bound=Struct)

_ROOM = 1024
_CANARY = b"\xa5"


class Provided(Generic[S]):
    """A struct with room behind it, in which a plugin of a newer release leaves its traces instead of a crash."""

    def __init__(self, kind: type[S]) -> None:
        """Make a struct with all members zero but its size.

        Args:
            kind: of struct, one that tells its size.
        """
        size = kind.unpadded_size
        self._memory = ffi.new("char[]", bytes(size) + _CANARY * _ROOM)
        self._behind = ffi.buffer(self._memory + size, _ROOM)
        self.struct = kind.at(self._memory)
        """The struct itself; it lives as long as this object."""
        self.struct.cdata.struct_size = size

    def check(self, plugin: str) -> None:
        """Look whether a plugin has written behind the struct.

        Args:
            plugin: its file.

        Raises:
            PluginError: it has.
        """
        written = len(self._behind[:].rstrip(_CANARY))
        if written:
            name = type(self.struct).__name__
            raise PluginError.at(
                None,
                f"{plugin}: has written {written} bytes past the end of {name}, which has "
                f"{self.struct.unpadded_size} bytes in this core",
                "compare `struct_size` with the end of a member before it is set; a plugin may be newer than the core",
            )
