"""What templates of target `python` see: an API as the parts of a Python package."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.emit.python.code import Code
from abigen.emit.python.declarations import Piece
from abigen.emit.python.functions import PythonFunction


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A name for a value."""

    name: str
    value: str
    doc: str = ""


@dataclass(frozen=True, kw_only=True)
class Enumeration:
    """An enumeration."""

    name: str
    doc: str
    members: tuple[Constant, ...]
    kind: str = "enumeration"


@dataclass(frozen=True, kw_only=True)
class HandleClass:
    """A class for an opaque handle."""

    name: str
    doc: str
    head: Code
    destroy: str
    """What destroys it with nothing but the handle; empty for nothing."""
    kind: str = "handle"


@dataclass(frozen=True, kw_only=True)
class DataMember:
    """A member of a struct that is data."""

    name: str
    code: Code
    doc: str
    accepts: str
    """The type of what may be assigned."""
    kind: str = "data"


@dataclass(frozen=True, kw_only=True)
class FunctionMember:
    """A member of a struct that points to a function."""

    function: PythonFunction
    name: str
    field: str
    """An expression for the pointer."""
    quoted: str
    """The member's name in C as a string."""
    size: str
    """An expression for the size of the object; empty for a struct of one size."""
    accepts: str = "_rt.Implementation"
    """The type of what may be given for it when an object is made."""
    kind: str = "function"


@dataclass(frozen=True, kw_only=True)
class StructClass:
    """A class for a struct or union."""

    name: str
    doc: str
    head: Code
    members: tuple[DataMember | FunctionMember, ...]
    kind: str = "struct"


@dataclass(frozen=True, kw_only=True)
class LibraryFunction:
    """A function that a library exports."""

    function: PythonFunction
    pointer: str
    """An expression for C's."""


@dataclass(frozen=True, kw_only=True)
class Binding:
    """A name, or an entry, for an expression."""

    name: str
    code: Code


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package from top to bottom."""

    banner: tuple[str, ...]
    doc: str
    include: str
    """The API's header."""
    imports: tuple[tuple[Code, ...], ...]
    """In groups."""
    exports: tuple[str, ...]
    constants: tuple[Constant, ...]
    """Those that are literals."""
    named: tuple[Constant, ...]
    """Those that are members of enumerations, which have to be there first."""
    types: tuple[Enumeration | HandleClass | StructClass, ...]
    core: tuple[LibraryFunction, ...]
    """Functions that core implements, and those of which nobody has said who does."""
    plugin: tuple[LibraryFunction, ...]
    aliases: tuple[Binding, ...]
    """Names for types."""
    bindings: tuple[Binding, ...]
    """What describes functions once all types are there; what has no name is run for what it does."""
    declarations: Code
    pieces: tuple[Piece, ...]
    used: tuple[str, ...]
    """Imports of the declarations that these need and that stand elsewhere."""
    used_beside: tuple[str, ...]
    """Imports of those that stand beside the package."""
