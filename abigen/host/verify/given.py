"""The arguments of one call of a plugin's function, and the handles that calls give."""

from __future__ import annotations

import ctypes

import msgspec

from abigen.host.verify.harness import CallArgument
from abigen.host.verify.struct_memory import Buffer, StructInstance

UNWRITTEN = 0xA5
"""What each byte holds that a function has to set."""
HANDLE_ROOM = 128
"""Bytes of room for a handle or number that a function stores."""


class HandleValue(msgspec.Struct, frozen=True):
    """A handle that the plugin has made."""

    name: str
    """Of its type."""
    address: int
    empty: int = 0
    """The value for no handle: NULL, or for a number, whose 0 may be a handle, bytes that no function has written."""

    @property
    def is_there(self) -> bool:
        """True if the plugin has given it."""
        return self.address != self.empty


class OutParameter:
    """The place where a function stores a result: zero at first, with room for any handle or number."""

    def __init__(self, name: str = "", size: int = 0) -> None:
        """Make room for it.

        Args:
            name: of the handle's type, or of the parameter when it is a number.
            size: of a handle that is a number, in bytes.
        """
        self.name = name
        self.empty = int.from_bytes(bytes([UNWRITTEN]) * size, "little")
        self._room = ctypes.create_string_buffer(HANDLE_ROOM)
        self.address = ctypes.addressof(self._room)
        ctypes.memset(self.address, UNWRITTEN, size)

    def value(self, type: type[ctypes.c_void_p] | type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
        """Return the stored bytes as a number of a type."""
        return int(type.from_buffer(self._room).value or 0)


class Arguments(msgspec.Struct):
    """The arguments of a call without status objects, and the memory that was made for it."""

    values: list[CallArgument] = msgspec.field(default_factory=list)
    structs: list[StructInstance] = msgspec.field(default_factory=list)
    """Structs that are new; those that the plugin is to fill, and those of core's that lead there."""
    buffers: list[tuple[str, Buffer]] = msgspec.field(default_factory=list)
    """Memory that is new and no struct, each with the parameter that leads to it."""
    handles: list[OutParameter] = msgspec.field(default_factory=list)
    numbers: list[OutParameter] = msgspec.field(default_factory=list)
    calls: list[StructInstance] = msgspec.field(default_factory=list)
    """Structs that are all that a function takes, with room for what it gives."""
    tables: list[OutParameter] = msgspec.field(default_factory=list)
    """Places for pointers to tables that an entry point stores, each named after the struct."""
    ends: bool = False
    """True if the function ends something by its name, so that no object may be made up for it."""
    has_numbers: bool = False
    """True if a plain number was made up."""
    has_examples: bool = False
    """True if the spec gives an example of an argument."""
    missing: str = ""
    """The reason why the function cannot be called; empty if it can."""
    made_up: bool = False
    """True if an argument was made up, so that the function may refuse it rightly."""

    def store(self, result: OutParameter, among: list[OutParameter]) -> bool:
        """Let the function store a result; `among` is one of the lists above."""
        among.append(result)
        self.values.append(result)
        return True
