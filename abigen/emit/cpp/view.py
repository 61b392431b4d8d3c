"""What templates of target `cpp` see: an API as the parts of a C++ header."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Overload:
    """One way to call a function of the API."""

    template: str
    """Parameters of the template; empty for no template."""
    result: str
    """The type that it returns."""
    parameters: tuple[str, ...]
    """Declarations."""
    body: tuple[str, ...]
    """Statements."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A function of the API as C++ has it, in all its overloads."""

    name: str
    doc: str
    deprecated: str
    """The text that compilers show whoever uses it; empty when it is not deprecated."""
    before: str
    """`static` or nothing."""
    behind: str
    """`const`, `&&` or nothing."""
    overloads: tuple[Overload, ...]


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What an owner keeps beside a handle that functions in a struct make and destroy."""

    table: str
    """The struct, as C spells it."""
    destroy: str
    """The member that destroys the handle."""
    members: tuple[tuple[str, str, str], ...]
    """What that takes beside the handle: as a parameter, as a member, and its name as a parameter."""
    arguments: tuple[str, ...]
    """What it is called with; `old` is the handle."""
    create: Method | None


@dataclass(frozen=True, kw_only=True)
class HandleClass:
    """The classes of a handle: one that borrows it, and one that owns it where it can be destroyed."""

    ref: str
    owner: str
    """Empty when nothing destroys it."""
    type: str
    """The handle itself, as C spells it."""
    name: str
    """Its name in C."""
    destroy: str
    """The function that destroys one."""
    doc: str
    methods: tuple[Method, ...]
    """Of both."""
    owner_methods: tuple[Method, ...]
    """Of the owner: they make one, or end it."""
    failure: str
    """Function that reports failure to it; empty for none."""
    members: bool
    """Whether its users know what stands behind it, and may look at it."""
    kept: Kept | None

    @property
    def shared(self) -> str:
        """The class that has the methods."""
        return f"{self.owner}Methods" if self.owner else self.ref


@dataclass(frozen=True, kw_only=True)
class StatusClass:
    """The status object that functions report errors in."""

    ref: str
    owner: str
    """Empty when none can be made."""
    type: str
    """A pointer to it, as C spells it."""
    name: str
    code_type: str
    is_enum: bool
    """Whether codes have a type of their own."""
    create: str
    destroy: str
    set: str
    code: str
    message: str
    ok: str
    out_of_memory: str
    invalid_argument: str
    internal: str
    doc: str
    methods: tuple[Method, ...]


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A member of a struct that holds a function."""

    name: str
    accessor: str
    """The type that finds a class's function of this name."""
    type: str
    required: bool
    usage: str
    """How a class declares its function."""
    doc: str
    heading: str
    """Name of the group that begins here."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A class template that fills a struct with the functions of a class."""

    name: str
    struct: str
    fill: str
    """Name of its function that does so."""
    size_field: str
    """Empty for a struct that is not versioned."""
    size_type: str
    last: str
    whole: bool
    """Whether whoever fills the functions fills all of it."""
    slots: tuple[Slot, ...]
    doc: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A function that a plugin has to export, and the template that its body calls."""

    name: str
    function: str
    """Its name in C."""
    type: str
    """A pointer to it, as C spells it."""
    result: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    failure: str
    """What it returns when the function throws; empty for zero, or nothing."""


@dataclass(frozen=True, kw_only=True)
class ObjectMethod:
    """A method that classes have to have of which a function takes objects."""

    accessor: str
    name: str


@dataclass(frozen=True, kw_only=True)
class CppHeader:
    """A header from top to bottom."""

    path: str
    include: str
    """The API's header in C."""
    support: str
    """The header that all of them share."""
    uses: tuple[str, ...]
    """Headers of other APIs' classes."""
    banner: tuple[str, ...]
    guard: str
    namespace: str
    doc: str
    status: StatusClass | None
    """The one that this header defines."""
    failing: str
    """The class of owned status objects, with its namespace; empty for none."""
    carrier: str
    """The type that such an object carries errors by, as C spells it."""
    classes: tuple[HandleClass, ...]
    functions: tuple[Method, ...]
    tables: tuple[Table, ...]
    objects: tuple[ObjectMethod, ...]
    entries: tuple[Entry, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the API has nothing that C++ could make more of."""
        return not (self.status or self.classes or self.functions or self.tables or self.entries)

    @property
    def carriers(self) -> tuple[StatusClass | HandleClass, ...]:
        """What errors can be reported through."""
        status = (self.status,) if self.status else ()
        return (*status, *(each for each in self.classes if each.failure and self.failing))

    @property
    def accessors(self) -> Iterator[tuple[str, str]]:
        """All that find a class's functions: their own name, and that of the function."""
        yield from ((each.accessor, each.name) for table in self.tables for each in table.slots)
        yield from ((each.accessor, each.name) for each in self.objects)
