"""A compiled library as its symbol table and its debugging information describe it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec


class CompiledValue(msgspec.Struct, frozen=True):
    """A parameter or a result of a compiled function."""

    kind: str
    """`integer`, `floating`, `pointer`, `struct`, or `other`."""
    size: int
    """In bytes."""

    def __str__(self) -> str:
        """Return it in words."""
        article = "an" if self.kind[0] in "aeiou" else "a"
        return "a pointer" if self.kind == "pointer" else f"{article} {self.kind} of {self.size} bytes"


class CompiledMember(msgspec.Struct, frozen=True):
    """A member, or a bit-field, as the library was compiled with it."""

    start: int
    """The first bit, counted from the start of the outermost struct in the order in which bit-fields are placed."""
    bits: int
    """The size in bits."""
    is_bit_field: bool = False
    alignment: int | None = None
    """The alignment in bytes that an attribute asks for; None if none does."""

    def __str__(self) -> str:
        """Return the place and size in words."""
        if self.is_bit_field:
            return f"bit {self.start} ({self.bits} {'bit' if self.bits == 1 else 'bits'})"
        return f"offset {self.start // 8} ({self.bits // 8} bytes)"


class CompiledStruct(msgspec.Struct, frozen=True):
    """A struct or union as the library was compiled with it."""

    size: int
    """In bytes."""
    members: Mapping[str, CompiledMember]
    """Named members by name; those of anonymous structs and unions are included, unnamed bit-fields are not."""
    alignment: int | None = None
    """The alignment in bytes, if an attribute asks for one; None otherwise."""


class CompiledFunction(msgspec.Struct, frozen=True):
    """A function as the library was compiled with it."""

    parameters: tuple[CompiledValue, ...]
    result: CompiledValue | None
    """None for `void`."""
    is_variadic: bool = False


class SymbolVersions(msgspec.Struct, frozen=True):
    """The versions with which a library exports a symbol."""

    default: str
    """The version that the linker binds programs to: `V2` of `open@@V2`. Empty if there is none."""
    others: tuple[str, ...] = ()
    """Versions for programs that were linked earlier: `V1` of `open@V1`."""
    is_plain: bool = False
    """The symbol is also exported without a version."""

    @property
    def is_linkable(self) -> bool:
        """True if new programs can be linked with the symbol."""
        return bool(self.default) or self.is_plain

    @property
    def all(self) -> tuple[str, ...]:
        """The versions, the default version first."""
        return (self.default, *self.others) if self.default else self.others


class CompiledLibrary(msgspec.Struct, frozen=True, kw_only=True):
    """The exported symbols of a library, and what its debugging information states of the headers."""

    name: str
    """The file, as the user wrote it."""
    target: str
    """The target that it is compiled for: `x86_64-linux-gnu`."""
    exports: frozenset[str]
    """The symbols that other files find in it."""
    soname: str = ""
    """The name by which programs that are linked with it load it (`libx.so.1`); empty if it states none."""
    versions: Mapping[str, SymbolVersions] = msgspec.field(default_factory=dict)
    """The versions of exported symbols that have one."""
    defined_versions: frozenset[str] = frozenset()
    """The names of all versions that it defines; empty for a library without versions."""
    structs: Mapping[str, CompiledStruct] = msgspec.field(default_factory=dict)
    """Structs and unions that the headers declare, by tag and by the names of typedefs."""
    enumerators: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Values of enumerators that the headers declare, by name."""
    functions: Mapping[str, CompiledFunction] = msgspec.field(default_factory=dict)
    """Functions that the library defines and that have a prototype, by name."""
    remarks: tuple[str, ...] = ()
    """The parts that are not known, a line each."""
    others: tuple[CompiledLibrary, ...] = ()
    """The parts for other targets, of a file for several machines."""

    def versioned(self, symbol: str) -> str:
        """Return the name of an exported symbol with its default version: `open@@V2`, or `open` without one."""
        versions = self.versions.get(symbol)
        if versions is None or versions.is_plain:
            return symbol
        return f"{symbol}@@{versions.default}" if versions.default else f"{symbol}@{versions.others[0]}"


Libraries: TypeAlias = tuple[CompiledLibrary, CompiledLibrary]
"""The libraries that ship with OLD and with NEW."""
