"""Entities of an API: structs, enumerations, functions, typedefs, constants, macros, and their contract."""

from __future__ import annotations

from typing import ClassVar, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from abigen.model.contract import NO_CONTRACT, Contract, Party
from abigen.model.ctype import CType, Expression, FunctionType
from abigen.model.span import Compared, Span
from abigen.model.version import COUNTER, Reading, Version


class Entity(Compared, frozen=True, kw_only=True, omit_defaults=True):
    """The attributes that every entity has.

    `span` is the place of its name; where an entity stands is not part of what it is, so comparing ignores it. `doc` is
    its documentation as plain text: comment markers, decoration and the contract marks' layout stripped, paragraphs
    kept. `in_api` is False for what merely came with an #include.
    """

    NOT_COMPARED = frozenset(("span",))

    name: str
    span: Span | None = None
    doc: str = ""
    contract: Contract = NO_CONTRACT
    in_api: bool = True

    @property
    def of_system(self) -> bool:
        """True if a spec has it from a header of the system's, `<time.h>`."""
        return not self.in_api and self.span is not None and self.span.file.startswith("<")


class Field(Entity, frozen=True, kw_only=True):
    """A member of a struct or union.

    `name` is empty for an anonymous struct or union member and for an unnamed bit-field. `alignment` holds what
    `_Alignas` or `aligned` asks for, in bytes (0: `aligned` without argument, the largest useful alignment).
    """

    type: CType
    filler: Party = Party.UNKNOWN
    """The side that sets it: by its own mark, else by the struct's. Decided by `abigen.headers.facts`."""
    bit_width: Expression | int | None = None
    alignment: Expression | int | None = None
    packed: bool = False
    group: str = ""
    """Heading under which the documentation lists it."""
    count: str = ""
    """The member that tells how many elements this pointer points to; empty when nothing says so. Where a spec says
    nothing, `abigen.headers.facts` finds it by the usual names."""
    allocated_by: Party = Party.UNKNOWN
    """The side that allocates the object that this pointer points to, for the other side to fill."""
    destroy: str = ""
    """The member of the same struct that frees what was allocated for the members of that object; empty for none."""
    version_part: str = ""
    """`major`, `minor` or `patch`: what part of its setter's version this member states; empty for none."""
    excludes: str = ""
    """The member of the same struct that cannot be set together with this one; empty for none."""
    pattern: str = ""
    """The pattern of the text that this pointer points to (`abigen.model.pattern`); empty for any text."""
    stands_for: str = ""
    """`plugin_name` or `device_type`: which of a plugin's names the text is; empty when it is none of them."""
    nullable: tuple[str, ...] = ()
    """Parameters that may be NULL."""
    non_null: tuple[str, ...] = ()
    """Parameters that may not be NULL."""
    outputs: tuple[str, ...] = ()
    """Parameters that point to where a result is stored, and that are not read."""
    gives: tuple[str, ...] = ()
    """Results that belong to the caller: some of `outputs`, or `return`."""
    takes: tuple[str, ...] = ()
    """Arguments that belong to the function after the call."""
    value: str = ""
    """The constant or number that whoever fills the struct sets it to, or several with ` or ` between; empty where
    all are allowed."""
    thread: str = ""
    """The thread that calls it: `any`, `main`, or another by its name; empty where it is not stated."""
    retains: tuple[str, ...] = ()
    """Parameters of the function that this points to whose pointers are kept after the call."""
    scope: str = ""
    """`static` where a function that is set here is called even when the struct is gone; else empty."""

    @property
    def values(self) -> tuple[str, ...]:
        """The constants or numbers of `value`, one by one."""
        return tuple(filter(None, self.value.split(" or ")))


class Struct(Entity, frozen=True, kw_only=True):
    """A struct or union; `fields` is None when it is never defined (an opaque type).

    `name` is its key: the name of the first typedef that names it directly, else its tag, else the path to the member
    that it is the type of (`Outer.member`, `Outer.<anonymous 1>`).
    """

    kind: str = "struct"
    """`struct` or `union`."""
    tag: str = ""
    typedef_names: tuple[str, ...] = ()
    fields: tuple[Field, ...] | None = None
    anonymous: bool = False
    """It has neither a tag nor a typedef."""
    packed: bool = False
    pack: int | None = None
    """The limit of `#pragma pack` in force, in bytes."""
    alignment: Expression | int | None = None
    """The alignment that `aligned` on the type asks for, in bytes (0: the largest useful), before and after its tag."""
    bitfield_rule: str = ""
    """`ms` or `sysv` when an attribute (ms_struct, gcc_struct) overrides the target's own."""
    transparent: bool = False
    flags: tuple[str, ...] = ()
    """The other attributes that are part of its meaning and change no layout, by name."""
    create: str = ""
    """Function that makes one of whose members the users know, when the spec names it."""
    destroy: str = ""
    begin: str = ""
    """The first function that is called with a struct which its user has allocated, when the spec names it."""
    calls: tuple[str, ...] = ()
    """Functions that are called with it, in the order in which a core calls them."""
    extension: str = ""
    """The enumerator or constant by which a chain of extensions tells that one is this struct; empty for none."""
    next_extension: str = ""
    """The member that points to the next extension, of a struct that extensions begin with; else empty."""
    filler: Party = Party.UNKNOWN
    """The side that fills it: by its own mark, else by the longest fitting prefix; see `abigen.headers.facts`."""
    size_member: str = ""
    """Path of the member that holds the struct's own size: `struct_size`, `base.struct_size`; empty for none."""
    told_by: str = ""
    """A further source of the size of the struct: a first member, which counts versions of the struct
    (`iVersion`), or a parameter that is passed beside it (`op_size`); empty for none, and beside `size_member`."""
    version_constant: str = ""
    """The constant that states the current value of the member `told_by`; empty for none."""
    mask_member: str = ""
    """The member whose bits tell which other members are set (`field_mask`); empty for none. `told_by` names it too."""
    allocated_by: Party = Party.UNKNOWN
    """The only side that allocates it; the other one has pointers to it and does not know its size."""
    likely_size: str = ""
    """The first member, where its name is that of a size and nothing says whether it is the struct's."""
    by_value: bool = False
    """True if some function takes or returns it by value."""

    @property
    def is_versioned(self) -> bool:
        """True if it may grow: it carries its size and is handed over by pointer only (rulebook section 1)."""
        return bool(self.size_member) and not self.by_value

    @property
    def may_grow(self) -> bool:
        """True if a reader can tell which members are there, and nobody holds a copy of it in registers."""
        return bool(self.size_member or self.told_by) and not self.by_value

    @property
    def size_field(self) -> str:
        """Path of the member that a versioned struct carries its size in; empty for a struct of one size."""
        return self.size_member if self.is_versioned else ""

    @property
    def version_field(self) -> str:
        """The first or second member, if it counts the versions of the struct and nobody holds a copy; or empty."""
        is_leading = self.told_by in [each.name for each in (self.fields or ())[:2]]
        return self.told_by if self.may_grow and is_leading and not self.mask_member else ""

    def member(self, name: str) -> Field | None:
        """Return the member of that name; None when there is none."""
        return next((each for each in self.fields or () if name and each.name == name), None)

    @property
    def is_union(self) -> bool:
        """True if all members stand at offset 0."""
        return self.kind == "union"


class Enumerator(Entity, frozen=True, kw_only=True):
    """A named value; `expression` is what stands behind `=`, None when the value is implicit."""

    value: int
    expression: Expression | None = None


class Enum(Entity, frozen=True, kw_only=True):
    """An enumeration; its name is formed as a struct's is. `enumerators` is None when it is never defined."""

    tag: str = ""
    typedef_names: tuple[str, ...] = ()
    enumerators: tuple[Enumerator, ...] | None = None
    underlying: CType | None = None
    """The type after the colon (C23), None when the compiler chooses."""
    cpp_underlying: CType | None = None
    """The type after a colon that only C++ reads (`#ifdef __cplusplus`); None where C++ reads what C does."""
    packed: bool = False
    anonymous: bool = False
    flags: bool = False
    """True if values may be combined."""


class Typedef(Entity, frozen=True, kw_only=True, tag_field="kind", tag=True):
    """A name for a type. `alignment` in bytes, when an attribute on the typedef asks for one."""

    type: CType
    alignment: Expression | int | None = None
    defined_by: Party = Party.UNKNOWN
    """The side that knows the definition of the type, where it stands for an object."""
    create: str = ""
    """Function that makes an object of this type, when the spec names it."""
    destroy: str = ""
    calls: tuple[str, ...] = ()
    """Functions that are called with the object, in the order in which a core calls them."""
    begins_with: str = ""
    """The struct, or the function, that the object begins with a pointer to: its dispatch table; empty for none."""


class Handle(Typedef, frozen=True, kw_only=True):
    """A typedef for a type whose definition only one side knows: an opaque handle.

    `by_pointer` says whether the name stands for the pointer (`typedef struct S_st* S;`) or for the struct
    (`typedef struct S S;`).
    """

    tag: str
    by_pointer: bool
    failure: str = ""
    """Function by which whoever is handed one reports that its work has failed: `failure(handle, status)`."""


class Callback(Typedef, frozen=True, kw_only=True):
    """A typedef for a function or a pointer to one."""

    function: FunctionType
    by_pointer: bool
    nullable: tuple[str, ...] = ()
    """Parameters that may be NULL."""
    non_null: tuple[str, ...] = ()
    """Parameters that may not be NULL."""
    outputs: tuple[str, ...] = ()
    """Parameters that point to where a result is stored, and that are not read."""
    gives: tuple[str, ...] = ()
    """Results that belong to the caller: some of `outputs`, or `return`."""
    takes: tuple[str, ...] = ()
    """Arguments that belong to the function after the call."""
    thread: str = ""
    """The thread that calls it: `any`, `main`, or another by its name; empty where it is not stated."""
    retains: tuple[str, ...] = ()
    """Parameters whose pointers are kept after the call."""
    scope: str = ""
    """The period in which an argument of this type is called: during the `call`, `once`, or at any time (`static`);
    empty where it is not stated."""


AnyTypedef: TypeAlias = Typedef | Handle | Callback


class ObjectCallbacks(NamedTuple):
    """Names of parameters that are functions which make, use and destroy one object, passed on as a `void*`."""

    create: str
    """Returns the object."""
    methods: tuple[str, ...]
    """Are given the object first."""
    destroy: str
    """Empty for none."""


class Function(Entity, frozen=True, kw_only=True):
    """A function that one side exports and the other calls, or a `static inline` one that both compile."""

    type: FunctionType
    static: bool = False
    """Compiled into each user; not part of the binary interface."""
    body: str = ""
    """The identity of its definition in the header; empty where there is none."""
    linkage: str = "C"
    """`C`, or `C++` when a C++ compiler would mangle the name (no extern "C" around it in a header that is meant for
    C++
    as well); empty when the header says nothing of C++ at all."""
    exported: bool | None = None
    """True: an attribute exports it (visibility default, dllexport, dllimport); False: hidden; None: nothing is
    said."""
    symbol: str = ""
    """The assembler name when an asm label or a pragma changes it. In specs, `{name}` stands for a plugin's name."""
    implemented_by: Party = Party.UNKNOWN
    entry_point: bool = False
    found_by: str = ""
    """The function by which a plugin gets it, by its name: `GetApi("XY_Log", &log)`; empty for none."""
    listed_by: str = ""
    """The parameter that a core counts up from 0 until the function returns NULL; empty for none."""
    only_if: str = ""
    """The condition under which a core calls it: `Struct.member == VALUE or VALUE`; empty for always."""
    declared_by: Party = Party.UNKNOWN
    """The plugin, where no header of the API declares it, and each plugin does so itself; unknown for all others."""
    flags: tuple[str, ...] = ()
    """The other attributes, by name: `weak`, `noreturn`, ..."""
    outputs: tuple[str, ...] = ()
    """Parameters that point to where a result is stored, and that are not read."""
    gives: tuple[str, ...] = ()
    """Results that belong to the caller: some of `outputs`, or `return`."""
    takes: tuple[str, ...] = ()
    """Arguments that belong to the function after the call; one that gives NULL in return has taken nothing."""
    nullable: tuple[str, ...] = ()
    """Parameters that may be NULL."""
    non_null: tuple[str, ...] = ()
    """Parameters that may not be NULL."""
    thread: str = ""
    """The thread that calls it: `any`, `main`, or another by its name; empty where it is not stated."""
    retains: tuple[str, ...] = ()
    """Parameters whose pointers are kept after the call."""
    object: ObjectCallbacks | None = None
    """The parameters that are the functions of one object."""

    @property
    def is_looked_up(self) -> bool:
        """True if its users have to do without it: it is optional, or a weak symbol."""
        return self.contract.is_optional or "weak" in self.flags

    @property
    def is_demanded(self) -> bool:
        """True if a plugin has to have it."""
        return self.implemented_by is Party.PLUGIN and not self.is_looked_up and not self.static


class Variable(Entity, frozen=True, kw_only=True):
    """An object with external linkage."""

    type: CType
    implemented_by: Party = Party.UNKNOWN
    entry_point: bool = False
    """True if a core looks it up by name in each plugin."""
    static: ClassVar[bool] = False
    """False for external linkage; only functions may be static."""
    linkage: str = "C"
    """The linkage, as for a function; C++ compilers give objects other symbols on Windows only."""
    exported: bool | None = None
    symbol: str = ""
    """The assembler name when an asm label or a pragma changes it."""
    thread_local: bool = False
    alignment: Expression | int | None = None
    """The alignment that `aligned` and `_Alignas` ask for, in bytes (0: the largest useful alignment)."""

    @property
    def is_demanded(self) -> bool:
        """True if a plugin has to have it."""
        return self.implemented_by is Party.PLUGIN and not self.contract.is_optional


class Constant(Entity, frozen=True, kw_only=True):
    """An object-like macro that stands for a value (specs: a constant).

    `expression` is None when the body is not an integer constant expression; then `text` is all there is (a string, a
    floating number, a type, an attribute). `text` is the body with white space folded.
    """

    text: str
    expression: Expression | None = None
    is_object: bool = False
    """True if a header makes it a static object that is const instead of a macro."""
    literal: str = ""
    """The string that the text makes with the macros in it expanded; empty where it has none, or is none."""


class Macro(Entity, frozen=True, kw_only=True):
    """A function-like macro: its parameters and its body with white space folded."""

    parameters: tuple[str, ...]
    body: str


class SizeConstant(Entity, frozen=True, kw_only=True):
    """A constant that tells how large a struct is, in whichever of the three forms it is written.

    `struct` is the key of the struct that the expression names. `last_member` is the path of the member at whose end
    the expression stops; empty for `sizeof(T)`, which counts tail padding.
    """

    struct: str
    last_member: str
    form: str
    """`macro`, `enumerator`, or `variable` for an object that is constant."""
    expression: Expression
    offset_struct: str = ""
    """The key of the struct that offsetof names, when sizeof names another one."""
    offset_member: str = ""


_LARGEST_COUNT = 1000
"""From this number on, a version is likely to be packed, and a configuration has to state its split."""


class VersionDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """The version that an API states of itself, and the macros that state it (name to span)."""

    version: Version
    macros: tuple[tuple[str, Span | None], ...] = ()
    texts: tuple[str, ...] = ()
    """The body of each of these macros, in C; none where a spec states the version."""
    parts: int = 3
    """The number of declared parts of major, minor, patch: 1, 2 or 3."""
    number: int | None = None
    """The value of the one macro that states them all, as people read it (`010` is ten); None where there are several
    macros or none, or where the macro names its parts."""
    spelling: str = ""
    """The spelling of that number: `12010`, `0x010203`."""
    readings: tuple[Reading, ...] = ()
    """The readings of that number; `version` and `parts` follow from the first. `(COUNTER,)` if unstated."""
    is_stated: bool = False
    """True if a comment, an accessor macro or the configuration states how that number is made up."""
    is_chosen: bool = False
    """The configuration or a spec says that this is the version."""
    is_likely: bool = False
    """True if only the names of the macros suggest that this is the version: it excuses and demands nothing."""
    others: tuple[VersionDeclaration, ...] = ()
    """The other declarations in the header that may state its version, in the same form."""

    @property
    def is_counter(self) -> bool:
        """True if it is one number whose parts are unknown, and no configuration counts it as MAJOR."""
        is_one = self.number is not None and self.readings == (COUNTER,)
        return is_one and not (self.is_chosen and (self.is_stated or (self.number or 0) < _LARGEST_COUNT))

    @property
    def names(self) -> tuple[str, ...]:
        """The macros that state it."""
        return tuple(name for name, _ in self.macros)

    def __str__(self) -> str:
        return str(self.version.major if self.parts == 1 else self.version)

    def candidates_with(self, new: VersionDeclaration) -> list[tuple[VersionDeclaration, VersionDeclaration]]:
        """Return pairs of version declarations that use the same macros on both sides, the most likely pair first.

        Args:
            new: what NEW states, where this is what OLD states.
        """
        both = [(one, other) for other in new.others for one in self.others if {*one.names} & {*other.names}]
        return [(self, new)] if self.is_chosen or new.is_chosen else [(self, new), *both]

    def read_as(self, readings: tuple[Reading, ...]) -> VersionDeclaration:
        """Return the same, with its number made up in one of some ways; as it is where there are none."""
        if self.number is None or not readings:
            return self
        first = readings[0]
        return replace(self, version=first.version(self.number), parts=len(first.weights), readings=readings)

    def numeral(self, number: int) -> str:
        """Return another number, written as this one is."""
        if self.spelling[:2] in ("0x", "0X"):
            return f"{self.spelling[:2]}{number:0{len(self.spelling) - 2}x}"
        return str(number).zfill(len(self.spelling) if self.spelling.startswith("0") else 0)
