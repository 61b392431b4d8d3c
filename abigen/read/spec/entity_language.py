"""Everything that the entities of a spec can say, key by key: macros, types, functions, and what stands in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, field

from abigen.model.key_schema import UNIQUE, OrAbsent, keys_matching, matching, one_of

Identifier: TypeAlias = Annotated[
    str,
    matching("^[A-Za-z_][A-Za-z0-9_]*$", "a name is letters, digits and '_', and begins with no digit"),
    Meta(title="Name", max_length=255),
]
Names: TypeAlias = Annotated[tuple[Identifier, ...], Meta(min_length=1)]
Release: TypeAlias = Annotated[
    str,
    matching(r"^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$", "a version is three numbers: 1.2.0"),
    Meta(title="Version", examples=["1.2.0"]),
]
Prose: TypeAlias = Annotated[str, Meta(title="Documentation")]
TypeName: TypeAlias = Annotated[str, Meta(title="Type", min_length=1, max_length=20000)]
Replacement: TypeAlias = Annotated[str, Meta(title="Replacement text", max_length=20000)]
MacroParameter: TypeAlias = Annotated[
    str,
    matching(
        r"^([A-Za-z_][A-Za-z0-9_]*(\.\.\.)?|\.\.\.)$",
        "a parameter is a C name, or ... as the last, or a name with ... behind it",
    ),
]
Side: TypeAlias = Annotated[str, one_of("core", "plugin"), Meta(title="Side")]
Filler: TypeAlias = Annotated[str, one_of("core", "plugin", "both")]
RecordKind: TypeAlias = Annotated[str, one_of("struct", "union")]
Alignment: TypeAlias = Annotated[
    int, Meta(title="Alignment", extra_json_schema={"enum": [1 << power for power in range(13)]})
]
Tag: TypeAlias = Annotated[
    str,
    matching("^([A-Za-z_][A-Za-z0-9_]*)?$", "a tag is a C name, or '' for none"),
    Meta(
        title="Tag",
        max_length=255,
        description="What stands behind struct, union or enum. Default: the name. '': none.",
    ),
]
_PATH = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$"
MemberPath: TypeAlias = Annotated[
    str,
    matching(_PATH, "name a member, one of another struct as Struct.member"),
    Meta(title="Member", max_length=511),
]
OnlyIf: TypeAlias = Annotated[
    str,
    matching(
        r"^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]* == [A-Za-z0-9_]+( or [A-Za-z0-9_]+)*$",
        "write Struct.member == CONSTANT, or Struct.member == CONSTANT or CONSTANT",
    ),
    Meta(title="Condition", max_length=2000),
]
Callee: TypeAlias = Annotated[
    str,
    matching(_PATH, "name a function, or a member as Struct.member"),
    Meta(title="Function or member", max_length=511),
]

Doc: TypeAlias = Annotated[Prose, Meta(description="Documentation, plain text; inline Markdown is passed through.")]
Since: TypeAlias = Annotated[
    Release, Meta(description="The release that brought it; left out: it was there from the beginning.")
]
Deprecated: TypeAlias = Annotated["bool | DeprecationItem", Meta(description="Whether it is on its way out.")]
Guarded: TypeAlias = Annotated[bool, Meta(description="Define it only where nothing has defined it before.")]
HasTypedef: TypeAlias = Annotated[
    bool,
    Meta(
        description="Whether the name is a typedef (default); false for what is always written with `struct`, `union` "
        "or `enum` before its tag."
    ),
]
Thread: TypeAlias = Annotated[
    Identifier,
    Meta(description="The thread that it is called on: any, main, or a name that the API's owners have for one."),
]
Parameters: TypeAlias = Annotated[
    "tuple[ParameterItem, ...]",
    Meta(min_length=1, description="Parameters with their documentation, and whether they may be NULL."),
]
Retained: TypeAlias = Annotated[
    Names,
    Meta(description="Parameters whose pointers are kept after the call: what they point to has to live on."),
]
Calls: TypeAlias = Annotated[
    tuple[Callee, ...],
    Meta(
        min_length=1,
        description="Functions that are called with the object, in the order in which a core calls them: names, or "
        "Struct.member.",
    ),
]
BeginsWith: TypeAlias = Annotated[
    Callee,
    Meta(
        description="The struct, or the function, that the object begins with a pointer to, as dispatch tables are "
        "found."
    ),
]
Symbol: TypeAlias = Annotated[
    str,
    matching(
        r"^([A-Za-z_][A-Za-z0-9_]*(\{name\}[A-Za-z0-9_]*)?|\{name\}[A-Za-z0-9_]*)$",
        "a symbol is a C name, in which {name} can stand for the plugin's name",
    ),
    Meta(
        max_length=255,
        description="The name that a plugin exports it under, {name} being the plugin's own. Default: the name.",
    ),
]
Cases: TypeAlias = Annotated["tuple[CaseItem, ...]", Meta(min_length=1)]


class SpecPart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping in a spec; no other keys can stand in it."""


class CaseItem(SpecPart, frozen=True, kw_only=True):
    """Case.

    What a constant or macro stands for under one condition.
    """

    condition: OrAbsent[
        Annotated[str, matching(r"^[^\r\n]*$", "a condition stands on one line"), Meta(min_length=1, max_length=2000)]
    ] = field(default=UNSET, name="if")
    """Condition of the preprocessor: defined(_WIN32). Left out in the last case: otherwise."""
    text: Replacement
    """The replacement text that holds then."""


class DeprecationItem(SpecPart, frozen=True, kw_only=True):
    """Deprecation.

    Since when it is on its way out, and what to use instead.
    """

    since: OrAbsent[Release] = UNSET
    """The release that marked it."""
    use: OrAbsent[Annotated[str, Meta(min_length=1, max_length=255)]] = UNSET
    """Name of what replaces it: a member of the same struct, Struct.member, or any entity."""


class ParameterItem(SpecPart, frozen=True, kw_only=True):
    """Parameter.

    What there is to say of one parameter.
    """

    name: Identifier
    """Name of the parameter, as the type has it."""
    doc: OrAbsent[Doc] = UNSET
    nullable: OrAbsent[bool] = UNSET
    """Whether a pointer may be NULL. Left out: nothing is said."""
    example: OrAbsent[str | float | bool] = UNSET
    """An argument that the function does its work with: a number, the name of an enumerator or constant, NULL, or a
    text for a pointer to char. `abigen verify` calls the function with it."""
    output: OrAbsent[bool] = UNSET
    """The call stores a result where it points, and does not read what was there."""
    given: OrAbsent[bool] = UNSET
    """What the call stores there belongs to the caller afterwards."""
    taken: OrAbsent[bool] = UNSET
    """What is handed over belongs to the function after the call."""
    count: OrAbsent[
        Annotated[
            str,
            matching(
                r"^([A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,2}|[1-9][0-9]*)$",
                "name a parameter; one of another function as function.parameter, or Struct.member.parameter",
            ),
        ]
        | int
    ] = UNSET
    """The parameter that tells how many elements this pointer leads to; bytes, for void*. A parameter of another
    function, which uses the buffer later, is written Struct.member.parameter. Or a number."""
    ended: OrAbsent[bool] = UNSET
    """NULL, or 0, stands behind the last element of the array that this pointer leads to."""
    below: OrAbsent[int | MemberPath] = UNSET
    """Of an index: the number that it is less than, or the constant or member (Struct.member) that says so."""
    versions: OrAbsent[
        Annotated[Mapping[str, Release], keys_matching(r"^[A-Za-z0-9_]+$", "name a constant, or write a number")]
    ] = UNSET
    """Of a version that is handed over: its values, each with the release that it stands for."""


class MacroItem(SpecPart, frozen=True, kw_only=True):
    """Macro.

    A function-like macro.
    """

    name: Identifier
    """Name of the macro."""
    parameters: Annotated[tuple[MacroParameter, ...], UNIQUE]
    """Names of the parameters."""
    body: Replacement | Cases
    """What the macro stands for, or a list of cases of which the first that holds counts."""
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET
    guarded: OrAbsent[Guarded] = UNSET


class ConstantItem(SpecPart, frozen=True, kw_only=True):
    """Constant.

    An object-like macro.
    """

    name: Identifier
    """Name of the constant."""
    value: float | Replacement | Cases
    """A number, the macro's replacement text, or a list of cases of which the first that holds counts."""
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET
    guarded: OrAbsent[Guarded] = UNSET
    before_includes: OrAbsent[bool] = UNSET
    """Define it before the header includes others, which ask for it: `_GNU_SOURCE`."""


class TypedefItem(SpecPart, frozen=True, kw_only=True):
    """Typedef.

    A name for a type.
    """

    name: Identifier
    """Name of the type."""
    type: TypeName
    """What it stands for, as C writes a type."""
    defined_by: OrAbsent[Side] = UNSET
    """The side that knows what the pointer leads to."""
    create: OrAbsent[Callee] = UNSET
    """The function that makes an object of this type; a member that holds a function is written Struct.member."""
    destroy: OrAbsent[Callee] = UNSET
    """The function that destroys the object; a member that holds a function is written Struct.member."""
    calls: OrAbsent[Calls] = UNSET
    begins_with: OrAbsent[BeginsWith] = UNSET
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


class HandleItem(SpecPart, frozen=True, kw_only=True):
    """Handle.

    A type whose definition only one side knows.
    """

    name: Identifier
    """Name of the handle."""
    tag: OrAbsent[Identifier] = UNSET
    """Tag of the struct that is never defined. Default: the name, with _st behind it for a pointer."""
    typedef: OrAbsent[bool] = UNSET
    """Whether the name is a typedef (default); false for a struct that is always written with `struct` before
    its tag."""
    by_pointer: OrAbsent[bool] = UNSET
    """Whether the name stands for a pointer to the struct (default), or for the struct itself."""
    defined_by: OrAbsent[Side] = UNSET
    """The side that knows the definition."""
    create: OrAbsent[Callee] = UNSET
    """The function that makes one; a member that holds a function is written Struct.member."""
    destroy: OrAbsent[Callee] = UNSET
    """The function that destroys one; a member that holds a function is written Struct.member."""
    calls: OrAbsent[Calls] = UNSET
    begins_with: OrAbsent[BeginsWith] = UNSET
    failure: OrAbsent[Identifier] = UNSET
    """The function by which whoever is handed one reports that its work has failed: failure(handle, status)."""
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


class CallbackItem(SpecPart, frozen=True, kw_only=True):
    """Callback.

    A name for a type of function, or of pointer to function.
    """

    name: Identifier
    """Name of the callback's type."""
    type: TypeName
    """The function, as C writes its type: void (*)(void* arg)."""
    scope: OrAbsent[Annotated[str, one_of("call", "once", "static")]] = UNSET
    """How long a function of this type that is passed as an argument is called: during that call only, once at
    some time, or whenever. Left out: nobody knows."""
    parameters: OrAbsent[Parameters] = UNSET
    retains: OrAbsent[Retained] = UNSET
    thread: OrAbsent[Thread] = UNSET
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


class EnumeratorItem(SpecPart, frozen=True, kw_only=True):
    """Enumerator.

    A named value.
    """

    name: Identifier
    """Name of the enumerator."""
    value: OrAbsent[int | Annotated[str, Meta(min_length=1, max_length=2000)]] = UNSET
    """A whole number, or a constant expression of C. Default: one more than the one before."""
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


class EnumItem(SpecPart, frozen=True, kw_only=True):
    """Enumeration.

    An enumeration.
    """

    name: OrAbsent[Identifier] = UNSET
    """Name of the enumeration's type. Left out: its enumerators are numbers, and there is no type."""
    tag: OrAbsent[Tag] = UNSET
    typedef: OrAbsent[HasTypedef] = UNSET
    also: OrAbsent[Names] = UNSET
    """More typedefs of it. One of them may be the tag."""
    underlying: OrAbsent[TypeName] = UNSET
    """Integer type behind it (C23). Default: the compiler chooses."""
    cpp_underlying: OrAbsent[TypeName] = UNSET
    """Integer type behind it in C++ only (below `#ifdef __cplusplus`); in C the compiler chooses. Instead of
    `underlying`."""
    flags: OrAbsent[bool] = UNSET
    """Whether the values are flags, of which several may be combined with |."""
    enumerators: Annotated[tuple[EnumeratorItem, ...], Meta(min_length=1)]
    """The values, in order."""
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


class InnerFieldItem(SpecPart, frozen=True, kw_only=True):
    """Inner field.

    A member of a struct or union that is written down in another one.
    """

    name: OrAbsent[Identifier] = UNSET
    """Name of the member. Left out, beside fields: what they name are members of the struct itself."""
    type: OrAbsent[TypeName] = UNSET
    """Its type, as C writes a type without a name: int32_t, const char*, char[16], void (*)(void* arg)."""
    fields: OrAbsent[Annotated[tuple[InnerFieldItem, ...], Meta(min_length=1)]] = UNSET
    """In place of type: the members of a struct or union that is written down in this one."""
    kind: OrAbsent[RecordKind] = UNSET
    """What fields are the members of. Default: struct."""
    doc: OrAbsent[Doc] = UNSET
    group: OrAbsent[Annotated[str, Meta(max_length=200)]] = UNSET
    """Heading under which it is listed, with those that follow until the next group. '': no heading."""
    since: OrAbsent[Release] = UNSET
    """The release that brought it; of a member of a union only. Left out: as old as what it stands in."""
    deprecated: OrAbsent[Deprecated] = UNSET
    zero: OrAbsent[Annotated[str, one_of("no-op", "meaningful")]] = UNSET
    """What zero or NULL means to the reader: nothing at all, or something."""
    reserved: OrAbsent[bool] = UNSET
    """It has no meaning yet."""
    bits: OrAbsent[Annotated[int, Meta(ge=0, le=128)]] = UNSET
    """Width of a bit-field, in bits."""
    alignment: OrAbsent[Alignment] = UNSET
    """Least alignment of the member, in bytes."""


class ConditionItem(SpecPart, frozen=True, kw_only=True):
    """Condition.

    When the side that fills the struct has to set it.
    """

    when: OrAbsent[MemberPath] = UNSET
    """The member that is not zero then: one of the same struct, or Struct.member."""
    unless: OrAbsent[MemberPath] = UNSET
    """The member that is zero then: one of the same struct, or Struct.member."""


class FieldItem(InnerFieldItem, frozen=True, kw_only=True):
    """Field.

    A member of a struct or union.
    """

    since: OrAbsent[Release] = UNSET
    """The release that appended it; left out: as old as the struct."""
    optional: OrAbsent[bool] = UNSET
    """The side that fills the struct may leave it zero."""
    required: OrAbsent[bool | ConditionItem] = UNSET
    """The side that fills the struct has to set it, always or under a condition."""
    set_by: OrAbsent[Filler] = UNSET
    """The side that sets it, where that differs from the struct's."""
    replaces: OrAbsent[Identifier] = UNSET
    """The older member that it replaces."""
    must_be_understood: OrAbsent[bool] = UNSET
    """Whoever reads the struct has to know this member."""
    count: OrAbsent[Identifier] = UNSET
    """The member that tells how many elements this pointer points to."""
    parameters: OrAbsent[Annotated[tuple[ParameterItem, ...], Meta(min_length=1)]] = UNSET
    """Of a pointer to a function: parameters with their documentation, and whether they may be NULL."""
    retains: OrAbsent[Names] = UNSET
    """Of a pointer to a function: parameters whose pointers are kept after the call: what they point to has to
    live on."""
    scope: OrAbsent[Annotated[str, one_of("static")]] = UNSET
    """static: a function that is set here is called even when the struct is gone. Left out: as long as the
    struct is there."""
    thread: OrAbsent[Thread] = UNSET
    allocated_by: OrAbsent[Side] = UNSET
    """The side that provides the object that this pointer points to, its size set; the other side fills it."""
    destroy: OrAbsent[Identifier] = UNSET
    """The member of the same struct that holds the function that frees what was allocated for the members of
    the object that this pointer points to."""
    version_part: OrAbsent[Annotated[str, one_of("major", "minor", "patch")]] = UNSET
    """The part of the API's version that this number states, as the side that sets it was built with."""
    excludes: OrAbsent[Identifier] = UNSET
    """The member of the same struct that cannot be set together with this one."""
    pattern: OrAbsent[Annotated[str, Meta(min_length=1, max_length=200)]] = UNSET
    """What the text that this pointer points to has to look like, as a regular expression of characters,
    [classes], and ?, * or + behind them: [A-Z][A-Z_]*."""
    stands_for: OrAbsent[Annotated[str, one_of("plugin_name", "device_type")]] = UNSET
    """Which of a plugin's names the text that this pointer points to is."""
    value: OrAbsent[int | Annotated[str, Meta(min_length=1, max_length=255)]] = UNSET
    """The constant or number that whoever fills the struct sets this member to; of several, one: A or B. For a pointer
    with a count, each element is one."""


class DocumentedLeadingItem(SpecPart, frozen=True, kw_only=True):
    """Leading field.

    A leading member, documented for this struct.
    """

    name: Identifier
    """Name of the leading member."""
    doc: OrAbsent[Doc] = UNSET


class StructItem(SpecPart, frozen=True, kw_only=True):
    """Struct.

    A struct or union.
    """

    name: Identifier
    """Name of the type."""
    tag: OrAbsent[Tag] = UNSET
    typedef: OrAbsent[HasTypedef] = UNSET
    also: OrAbsent[Names] = UNSET
    """More typedefs of it. One of them may be the tag."""
    kind: OrAbsent[RecordKind] = UNSET
    """Default: struct."""
    versioned: OrAbsent[bool] = UNSET
    """Whether it begins with conventions.leading_fields. Default: whether there are any."""
    leading: OrAbsent[Annotated[tuple[Identifier | DocumentedLeadingItem, ...], Meta(min_length=1)]] = UNSET
    """Which of conventions.leading_fields it begins with. Default: all."""
    filled_by: OrAbsent[Filler] = UNSET
    """The side that fills the struct, where that differs from what conventions.filled_by says."""
    create: OrAbsent[Callee] = UNSET
    """The function that makes one, where users do not make them themselves."""
    destroy: OrAbsent[Callee] = UNSET
    """The function that destroys one that was made so, or that ends the use of one that its user has allocated."""
    begin: OrAbsent[Callee] = UNSET
    """The first function that is called with one that its user has allocated."""
    calls: OrAbsent[Calls] = UNSET
    extension: OrAbsent[Identifier] = UNSET
    """The enumerator or constant that stands in the base of this struct, so that readers of a chain of extensions
    know which one it is. The struct begins with a base, which has next_extension, and carries its size there."""
    next_extension: OrAbsent[Identifier] = UNSET
    """Of the base that extensions begin with: the member that points to the next extension. The base also has its
    size, and a number that says which extension it is."""
    size_macro: OrAbsent[Annotated[bool, Meta(extra_json_schema={"enum": [False]})] | Identifier] = UNSET
    """Name of the macro that holds its unpadded size, false for none. Default: by conventions.size_macro,
    XY_DeviceFns gives XY_DEVICE_FNS_STRUCT_SIZE."""
    packed: OrAbsent[bool] = UNSET
    """Without any padding."""
    alignment: OrAbsent[Alignment] = UNSET
    """Least alignment of the whole struct, in bytes."""
    fields: tuple[FieldItem, ...]
    """The members, in order."""
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


class ObjectItem(SpecPart, frozen=True, kw_only=True):
    """Object.

    Parameters that are functions which make, use and destroy one object, passed on as a void*.
    """

    create: Identifier
    """The parameter whose function returns the object."""
    methods: Names
    """The parameters whose functions are given the object first."""
    destroy: OrAbsent[Identifier] = UNSET
    """The parameter whose function destroys the object."""


class FunctionItem(SpecPart, frozen=True, kw_only=True):
    """Function.

    A function that one side implements and the other calls.
    """

    name: Identifier
    """Name of the function."""
    type: TypeName
    """The function, as C writes its type without a name: void (int32_t ordinal, void* result). `int ()` has no
    prototype: C before C23 takes any arguments, C++ and bindings take none."""
    implemented_by: OrAbsent[Side] = UNSET
    """The side that defines it."""
    entry_point: OrAbsent[bool] = UNSET
    """The core looks it up by name in each plugin."""
    symbol: OrAbsent[Symbol] = UNSET
    found_by: OrAbsent[Callee] = UNSET
    """The function by which the other side gets it by its name, if that does not link it: GetApi("XY_Log", &log)."""
    listed_by: OrAbsent[Identifier] = UNSET
    """The parameter that the core counts up from 0 until the function returns NULL."""
    only_if: OrAbsent[OnlyIf] = UNSET
    """The core calls it only if a member that the plugin has set has one of these values. For a function with an index,
    the struct with the member is that of the same index."""
    declared_by: OrAbsent[Literal["plugin"]] = UNSET
    """Who declares it, if not the header: each plugin by itself."""
    optional: OrAbsent[bool] = UNSET
    """A plugin need not have it."""
    export: OrAbsent[bool] = UNSET
    """Whether a macro that exports it stands before it. Default: true."""
    outputs: OrAbsent[Names] = UNSET
    """Parameters that point to where the call stores a result, and that it does not read."""
    gives: OrAbsent[Names] = UNSET
    """Results that belong to the caller, who has to destroy them: outputs, or return for what is returned."""
    takes: OrAbsent[Names] = UNSET
    """Arguments that belong to the function after the call; when it gives NULL in return, it has taken
    nothing."""
    parameters: OrAbsent[Parameters] = UNSET
    retains: OrAbsent[Retained] = UNSET
    object: OrAbsent[ObjectItem] = UNSET
    thread: OrAbsent[Thread] = UNSET
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


class VariableItem(SpecPart, frozen=True, kw_only=True):
    """Variable.

    An object that one side exports and the other reads.
    """

    name: Identifier
    """Name of the object."""
    type: TypeName
    """Its type, as C writes it."""
    implemented_by: OrAbsent[Side] = UNSET
    """The side that defines it."""
    entry_point: OrAbsent[bool] = UNSET
    """The core looks it up by name in each plugin."""
    symbol: OrAbsent[Symbol] = UNSET
    optional: OrAbsent[bool] = UNSET
    """A plugin need not have it. Of the objects of different types that stand for kinds of plugins, one is enough."""
    doc: OrAbsent[Doc] = UNSET
    since: OrAbsent[Since] = UNSET
    deprecated: OrAbsent[Deprecated] = UNSET


DEFINITIONS = {
    "deprecated": DeprecationItem,
    "macro": MacroItem,
    "constant": ConstantItem,
    "typedef": TypedefItem,
    "handle": HandleItem,
    "callback": CallbackItem,
    "enum": EnumItem,
    "enumerator": EnumeratorItem,
    "struct": StructItem,
    "field": FieldItem,
    "inner_field": InnerFieldItem,
    "function": FunctionItem,
    "variable": VariableItem,
    "parameter": ParameterItem,
    "case": CaseItem,
}
"""What the JSON Schema and the manual define by itself, by the name that it has there."""
