"""Structs as core hands them out: memory of the size that core's release gives them, read and written by member."""

from __future__ import annotations

import ctypes
import struct as packing
import sys

from abigen.host.verify.memory import Memory
from abigen.model.ctype import Basic, Pointer
from abigen.model.entities import Field, Struct
from abigen.model.layout import FieldLayout, Layouts

SLACK = 1024
"""Bytes behind a struct that tell who writes there."""


class Record:
    """A struct in memory: one of core's, zero at first, with its size set; or one of the plugin's."""

    def __init__(self, key: str, layouts: Layouts, *, pages: bool = False, at: int | None = None) -> None:
        """Make one.

        Args:
            key: of the struct.
            layouts: what core knows of it.
            pages: whether nobody may touch what is behind it, instead of there being bytes that tell who did.
            at: the address of one that the plugin has made; then nothing is allocated.
        """
        self.struct: Struct = layouts.api.structs[key]
        self.layouts = layouts
        self.layout = layouts.of(key)
        size_field = layouts.api.conventions.size_field
        self._size_field = size_field if self.layout.named(size_field) else ""
        self.retired = False
        self._memory: Memory | None = None
        if at is not None:
            self.address = at
            return
        self._memory = Memory(self.layout.size, max(self.layout.alignment, 8), 0 if pages else SLACK)
        self.address = self._memory.address
        if self._size_field:
            self.write(size_field, self.layout.unpadded_size)

    @property
    def memory(self) -> Memory:
        """What core has allocated for it."""
        assert self._memory is not None, f"this {self.name} is the plugin's"
        return self._memory

    @property
    def is_cores(self) -> bool:
        """Whether core has allocated it."""
        return self._memory is not None

    @property
    def name(self) -> str:
        """The struct's name."""
        return self.struct.name

    @property
    def size(self) -> int:
        """What the struct says of its size, in bytes; what core gave it when it does not say."""
        return int(self.read(self._size_field)) if self._size_field else self.layout.unpadded_size

    def field(self, name: str) -> Field | None:
        """A member as core knows it; None when it knows none of that name."""
        found = self.layout.named(name)
        return found.field if found is not None else None

    def has(self, name: str) -> bool:
        """Whether there is a member of that name, the other side knows it as well, and it is not zero."""
        found = self.layout.named(name)
        if found is None or (not self.is_cores and self._size_field and found.offset + found.size > self.size):
            return False
        return bool(self.read(name))

    def read(self, name: str) -> int | float:
        """The value of a member; of a pointer, the address."""
        found = self._member(name)
        content = ctypes.string_at(self.address + found.offset, found.size)
        resolved = self.layouts.resolve(found.field.type)
        if isinstance(resolved, Basic) and resolved.name in ("float", "double"):
            return float(packing.unpack("f" if found.size == 4 else "d", content)[0])
        is_unsigned = (
            not isinstance(resolved, Basic) or resolved.name.startswith("unsigned") or resolved.name == "_Bool"
        )
        return int.from_bytes(content, sys.byteorder, signed=not is_unsigned)

    def write(self, name: str, value: int) -> None:
        """Set a member that is an integer or a pointer."""
        found = self._member(name)
        content = (value & ((1 << 8 * found.size) - 1)).to_bytes(found.size, sys.byteorder)
        ctypes.memmove(self.address + found.offset, content, found.size)

    def text(self, name: str) -> str | None:
        """What a pointer to characters points to; None for NULL."""
        address = int(self.read(name))
        return ctypes.string_at(address).decode("utf-8", "replace") if address else None

    def is_pointer(self, name: str) -> bool:
        """Whether a member is a pointer."""
        return isinstance(self.layouts.resolve(self._member(name).field.type), Pointer)

    def content(self) -> bytes:
        """All of its bytes."""
        return ctypes.string_at(self.address, self.layout.size)

    def retire(self) -> None:
        """Let nobody touch it from now on."""
        self.retired = True
        self.memory.retire()

    def _member(self, name: str) -> FieldLayout:
        found = self.layout.named(name)
        if found is None:
            raise KeyError(f"{self.name}.{name}")
        return found
