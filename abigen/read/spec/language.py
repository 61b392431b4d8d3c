"""The language of specs: everything that a spec can say, key by key.

`python docs/make.py` makes `schema.json` of these records and of the texts below their keys, and from it the pages of
the manual. The entities are declared in `abigen/read/spec/entity_language.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, field

from abigen.model.key_schema import UNIQUE, OrAbsent, keys_matching, matching, one_of
from abigen.read.spec.entity_language import (
    Alignment,
    CallbackItem,
    Callee,
    ConstantItem,
    Doc,
    EnumItem,
    Filler,
    FunctionItem,
    HandleItem,
    Identifier,
    MacroItem,
    Prose,
    Release,
    SpecPart,
    StructItem,
    TypedefItem,
    VariableItem,
)

IncludedHeader: TypeAlias = Annotated[
    str,
    matching(
        r'^(<[^<>"\\\r\n]+>|"[^<>"\\\r\n]+")$',
        "write <name.h> or '\"name.h\"', with the brackets or quotes",
    ),
    Meta(examples=["<stdint.h>", '"other.h"']),
]
UsedSpec: TypeAlias = Annotated[
    str,
    matching(
        r"^(\.\./)*([A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        "name another spec by its path relative to this one, without .yaml",
    ),
]
FunctionOrMember: TypeAlias = Annotated[
    str,
    matching(
        r"^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)?$",
        "name a function, or a member as Struct.member",
    ),
]
Code: TypeAlias = (
    Annotated[
        str,
        matching("^([A-Za-z_][A-Za-z0-9_]*|-?[0-9]+)$", "a code is an enumerator, a constant, or a whole number"),
        Meta(max_length=1000, description="A code's name."),
    ]
    | Annotated[int, Meta(description="A number.")]
    | Annotated[bool, Meta(description="Of functions that return bool.")]
)
_STATUS = ("status", "set", "code", "message", "codes")
_ALL_OF_STATUS = Meta(
    extra_json_schema={"dependentRequired": {key: [each for each in _STATUS if each != key] for key in _STATUS}}
)


class HeaderItem(SpecPart, frozen=True, kw_only=True):
    """Header.

    The C header that publishes the API.
    """

    path: OrAbsent[
        Annotated[
            str,
            matching(
                r"^([A-Za-z0-9_+-][A-Za-z0-9_.+-]*/)*[A-Za-z0-9_+-][A-Za-z0-9_.+-]*\.(h|hh|hpp|hxx|inc)$",
                "a header's path is relative, with '/' between its parts, and ends in .h",
            ),
            Meta(max_length=1000),
        ]
    ] = UNSET
    """Path that users include it by, relative to the output directory. Default: the API's name and .h."""
    vendor: OrAbsent[IncludedHeader] = UNSET
    """The header of the API's owner, with brackets or quotes. Then none is generated, and what is generated includes
    this one. abigen compares its declarations with those of the spec where it finds it."""
    extern_c: OrAbsent[bool] = UNSET
    """Of a vendor's header: it says nothing of C++, so extern "C" stands around it where C++ includes it."""
    guard: OrAbsent[Identifier] = UNSET
    """Name of the include guard. Default: from the path, in capitals, with '_' at the end."""
    includes: OrAbsent[Annotated[tuple[IncludedHeader, ...], UNIQUE]] = UNSET
    """What the header includes, in order, with brackets or quotes. Standard headers that the types need are
    added."""
    export: OrAbsent[Identifier] = UNSET
    """Macro put before each function that core exports; with one parameter, it is put around the type that the
    function returns. What plugins implement gets PREFIX_PLUGIN_EXPORT, which the header defines."""
    extern: OrAbsent[bool] = UNSET
    """Whether exported functions are declared with an explicit extern."""
    reserved_names: OrAbsent[bool] = UNSET
    """Names may be ones that C reserves to compilers and their libraries (_Tag, __name), as those of many
    headers are that exist already."""


class LeadingDeclarationItem(SpecPart, frozen=True, kw_only=True):
    """Leading field.

    A leading member with its documentation.
    """

    declaration: str
    """The member as C declares it: void* ext."""
    doc: OrAbsent[Doc] = UNSET


class CppNamesItem(SpecPart, frozen=True, kw_only=True):
    """Names in C++.

    How target cpp names things where that does not follow from their names in C.
    """

    namespace: OrAbsent[Identifier] = UNSET
    """Default: the prefix in small letters."""
    names: OrAbsent[
        Annotated[
            Mapping[str, Identifier],
            keys_matching(r"^[A-Za-z_][A-Za-z0-9_]*$", "name a handle, a struct or a function"),
        ]
    ] = UNSET
    """Name of a handle, struct or function in C to that of the class, function table or method."""


class ErrorCodesItem(SpecPart, frozen=True, kw_only=True):
    """Error codes.

    Names of codes by what they mean; what is left out is reported as failed_precondition.
    """

    ok: Identifier
    """All is well."""
    failed_precondition: Identifier
    """The two sides do not fit together."""
    invalid_argument: OrAbsent[Identifier] = UNSET
    """A caller handed over something wrong."""
    not_found: OrAbsent[Identifier] = UNSET
    """What was asked for is not there."""
    unimplemented: OrAbsent[Identifier] = UNSET
    """The operation exists, but not here."""
    resource_exhausted: OrAbsent[Identifier] = UNSET
    """Memory or another resource has run out."""
    internal: OrAbsent[Identifier] = UNSET
    """A bug."""


class ResultCodesItem(SpecPart, frozen=True, kw_only=True):
    """Result codes.

    Codes that functions return: all whose result is of this type.
    """

    type: Annotated[str, Meta(min_length=1)]
    """An enumeration, a typedef, or an integer type, as C writes it."""
    ok: Code
    """What means that all is well: an enumerator, a constant or a number."""
    failed: Code
    """What is returned by a function that has failed where no better code fits, as when it has thrown an
    exception."""
    unsupported: OrAbsent[Code] = UNSET
    """What is returned by a function that is not offered, or not written yet. Default: the same as failed."""
    codes: OrAbsent[Annotated[tuple[Code, ...], UNIQUE]] = UNSET
    """Constants that are the other codes, for messages; those of an enumeration are known."""


class LastErrorItem(SpecPart, frozen=True, kw_only=True):
    """Last error.

    Functions that tell of the last error, called after a function has failed.
    """

    code: OrAbsent[Identifier] = UNSET
    """Function that returns its code: code()."""
    message: OrAbsent[Identifier] = UNSET
    """Function that returns its message: message()."""
    set: OrAbsent[Identifier] = UNSET
    """Function by which whoever fails says why: set(message), or set(code, message)."""


class ErrorRecordItem(SpecPart, frozen=True, kw_only=True):
    """Error record.

    A struct that a function which fails fills, through a pointer that it is handed. It belongs to the caller.
    """

    struct: Identifier
    """Name of the struct."""
    message: Identifier
    """The member that points to the text."""
    release: OrAbsent[Identifier] = UNSET
    """The member that holds the function which frees what is in it: release(record)."""


class ErrorsItem(SpecPart, frozen=True, kw_only=True):
    """Error reporting.

    How functions of the API report errors: in a status object that is handed to them by pointer (status, set, code,
    message, codes), by what they return (result, negative_errno, null_fails), or both. Default: as the first of the
    used specs that says so.
    """

    status: OrAbsent[Identifier] = UNSET
    """Type of the status object; functions take a pointer to one."""
    set: OrAbsent[Identifier] = UNSET
    """Function that stores a code and a message: set(status, code, message)."""
    code: OrAbsent[Identifier] = UNSET
    """Function that returns the code: code(status)."""
    message: OrAbsent[Identifier] = UNSET
    """Function that returns the message: message(status)."""
    codes: OrAbsent[ErrorCodesItem] = UNSET
    result: OrAbsent[ResultCodesItem] = UNSET
    negative_errno: OrAbsent[
        Annotated[str, Meta(min_length=1, description="A signed integer type, as C writes it.")]
        | Annotated[bool, Meta(description="true: int.")]
    ] = UNSET
    """Functions return an error number of <errno.h> with its sign changed (-EIO): all whose result is of this
    type. Other values are successes. true means int."""
    null_fails: OrAbsent[bool] = UNSET
    """Whether NULL as the result of a function that returns a pointer means failure."""
    returned_error: OrAbsent[Identifier] = UNSET
    """Type of the error that functions return a pointer to, which then belongs to the caller; NULL is a success."""
    last_error: OrAbsent[LastErrorItem] = UNSET
    record: OrAbsent[ErrorRecordItem] = UNSET
    exempt: OrAbsent[Annotated[tuple[FunctionOrMember, ...], UNIQUE]] = field(default=UNSET, name="except")
    """Functions, and members as Struct.member, whose results are not about errors."""


class ConventionsItem(SpecPart, frozen=True, kw_only=True):
    """Conventions.

    What the API's owners have agreed among themselves.
    """

    leading_fields: OrAbsent[
        Annotated[
            tuple[
                Annotated[str, Meta(description="A member as C declares it: size_t struct_size.")]
                | LeadingDeclarationItem,
                ...,
            ],
            Meta(min_length=1),
        ]
    ] = UNSET
    """Members that versioned structs begin with; the first holds the struct's size."""
    filled_by: OrAbsent[
        Annotated[
            Mapping[str, Filler], keys_matching(r"^[A-Za-z_][A-Za-z0-9_]*$", "a prefix is the beginning of a C name")
        ]
    ] = UNSET
    """Prefix of a struct's name to the side that fills the struct."""
    max_alignment: OrAbsent[Alignment] = UNSET
    """Largest alignment of a member of a versioned struct, in bytes. Default: 8."""
    unmarked: OrAbsent[Annotated[str, one_of("required")]] = UNSET
    """What members are that say neither required nor optional. Default: nothing is promised of them."""
    mask_member: OrAbsent[Annotated[tuple[Identifier, ...], Meta(min_length=1)]] = UNSET
    """Names of members whose bits tell which other members of their struct are set: field_mask. Such structs may
    grow."""
    sentinels: OrAbsent[tuple[Annotated[str, Meta(min_length=1)], ...]] = UNSET
    """Glob patterns of enumerators whose values may grow: *_COUNT."""
    offset_of_end: OrAbsent[Identifier] = UNSET
    """Macro that computes where a member ends, from which size macros are made. Default:
    PREFIX_OFFSET_OF_END."""
    size_macro: OrAbsent[
        Annotated[
            str,
            matching(
                r"^[A-Za-z0-9_]*\{(struct|STRUCT|WORDS)\}[A-Za-z0-9_]*$",
                "one of {struct}, {STRUCT}, {WORDS} has to stand for the struct's name",
            ),
            Meta(max_length=200),
        ]
    ] = UNSET
    """How macros that hold the sizes of structs are named: {struct} is XY_DeviceFns, {STRUCT} XY_DEVICEFNS,
    {WORDS} XY_DEVICE_FNS. Default: {WORDS}_STRUCT_SIZE."""
    size_form: OrAbsent[Annotated[str, one_of("macro", "enumerator")]] = UNSET
    """What holds the size of a struct: a macro, or the enumerator of an enumeration without a name, as headers
    have it that make it with a macro. Default: macro."""
    since_macro: OrAbsent[
        Annotated[
            str,
            matching(
                r"^[A-Za-z_][A-Za-z0-9_]*\{(name|NAME)\}[A-Za-z0-9_]*$",
                "{name} or {NAME} has to stand for the name of the function or enumerator",
            ),
            Meta(max_length=200),
        ]
    ] = UNSET
    """Constants that say that a function or enumerator is there which came later, to be asked for with #ifdef:
    XY_HAS_{name} gives XY_HAS_xy_post, {NAME} XY_POST. Left out: there are none."""
    release_macro: OrAbsent[Identifier] = UNSET
    """A macro to build for at most a release: -DXY_API=10100 hides what came after 1.1.0 in the header. Its
    value is major * 10000 + minor * 100 + patch. Needs releases. Specs that use one another can share it where
    they have the same first and last release. Left out: there is none."""
    first_call: OrAbsent[Callee] = UNSET
    """The function that the core calls before all others but entry points."""
    last_call: OrAbsent[Callee] = UNSET
    """The function that the core calls last, when all objects are gone."""
    cpp: OrAbsent[CppNamesItem] = UNSET
    errors: OrAbsent[Annotated[ErrorsItem, _ALL_OF_STATUS]] = UNSET


_TEXTS = keys_matching(r"^[^/\\\x00-\x1f]+$", "write a name without '/'")


class HostItem(SpecPart, frozen=True, kw_only=True):
    """Host.

    The program that loads plugins. In all texts {name} stands for the plugin's name, {library} for the path of its
    library, {folder} for the folder with the library.
    """

    library: OrAbsent[Annotated[str, matching(r"^[^/\s]+$", "a file's name has no '/' and no spaces")]] = UNSET
    """What the host wants the library's file to be called. Default: any name."""
    files: OrAbsent[Annotated[Mapping[str, str], _TEXTS]] = UNSET
    """Files beside the library that tell the host of the plugin: name to text."""
    command: OrAbsent[Annotated[str, Meta(min_length=1)]] = UNSET
    """Runs the host with the plugin, without a shell. Tests of plugins run it where the program is installed."""
    environment: OrAbsent[Annotated[Mapping[str, str], _TEXTS]] = UNSET
    """Environment variables that the command needs."""


class PythonNamesItem(SpecPart, frozen=True, kw_only=True):
    """Names in Python.

    How target python names what it makes.
    """

    package: OrAbsent[
        Annotated[
            str,
            matching(r"^[a-z][a-z0-9_]*$", "a package has a name of small letters, digits and underscores"),
            Meta(max_length=100),
        ]
    ] = UNSET
    """The package that the API's own stands in, the same for all specs of a vendor: acme_audio. Default:
    plugin_api, with the folder of the spec before it."""


class VerifyCallItem(SpecPart, frozen=True, kw_only=True):
    """Call.

    Arguments with which a function of the plugin does its work. Other arguments are made up.
    """

    function: Callee
    """The function; a member that holds one is written Struct.member."""
    arguments: Annotated[
        Mapping[str, str | float | bool],
        keys_matching(r"^[A-Za-z_][A-Za-z0-9_]*$", "name a parameter"),
    ]
    """Name of a parameter to its value: a number, the name of an enumerator or constant, or a text for a pointer to
    characters or bytes. In a text for bytes, an escape such as \\xff is one byte. The number of elements of a
    text follows from the text."""


class VerifyItem(SpecPart, frozen=True, kw_only=True):
    """Tests of plugins.

    Data with which `abigen verify` calls functions of plugins. Nothing else is made of it.
    """

    calls: Annotated[tuple[VerifyCallItem, ...], Meta(min_length=1)]
    """The functions that need arguments which nobody can make up: a file that exists, a query that is valid."""


class SpecItem(SpecPart, frozen=True, kw_only=True):
    """Spec.

    One C plugin API: what abigen generates everything else from.
    """

    abigen: Annotated[
        int,
        Meta(
            extra_json_schema={
                "const": 1,
                "constErrorMessage": "this abigen reads version 1 of the spec language; write `abigen: 1`, or update "
                "abigen if a newer one has written the spec",
            }
        ),
    ]
    """Version of the spec language."""
    api: Identifier
    """Name of the API, as an identifier: stream_executor."""
    doc: OrAbsent[Prose] = UNSET
    """What the API is for; goes to the top of the header."""
    prefix: OrAbsent[Identifier] = UNSET
    """What the names of version macros and generated helpers begin with: XY gives XY_MAJOR. Default: the API's
    name in capitals."""
    version: OrAbsent[Release] = UNSET
    """The API's current version; no since may be newer. Left out: the API has no versions, and its header
    states none."""
    releases: OrAbsent[Annotated[tuple[Release, ...], UNIQUE]] = UNSET
    """All releases so far; since and deprecated name only these. Default: those that are named anywhere."""
    version_macros: OrAbsent[
        Annotated[tuple[Annotated[Identifier, Meta(description="Name of a macro.")], ...], Meta(max_length=3), UNIQUE]
    ] = UNSET
    """Macros that state major, minor and patch, in this order. Default: PREFIX_MAJOR, PREFIX_MINOR,
    PREFIX_PATCH. An empty list: the header states no version."""
    header: OrAbsent[HeaderItem] = UNSET
    uses: OrAbsent[Annotated[tuple[UsedSpec, ...], UNIQUE]] = UNSET
    """Other specs whose types this one uses, by path relative to this file, without suffix; their headers are
    included."""
    conventions: OrAbsent[ConventionsItem] = UNSET
    host: OrAbsent[HostItem] = UNSET
    python: OrAbsent[PythonNamesItem] = UNSET
    verify: OrAbsent[VerifyItem] = UNSET
    macros: OrAbsent[tuple[MacroItem, ...]] = UNSET
    """Function-like macros."""
    constants: OrAbsent[tuple[ConstantItem, ...]] = UNSET
    """Object-like macros."""
    typedefs: OrAbsent[tuple[TypedefItem, ...]] = UNSET
    """Names for types."""
    handles: OrAbsent[tuple[HandleItem, ...]] = UNSET
    """Opaque types that only one side can look into."""
    callbacks: OrAbsent[tuple[CallbackItem, ...]] = UNSET
    """Names for types of functions."""
    enums: OrAbsent[tuple[EnumItem, ...]] = UNSET
    """Enumerations."""
    structs: OrAbsent[tuple[StructItem, ...]] = UNSET
    """Structs and unions."""
    functions: OrAbsent[tuple[FunctionItem, ...]] = UNSET
    """Functions that one side implements and the other calls."""
    variables: OrAbsent[tuple[VariableItem, ...]] = UNSET
    """Objects that one side exports and the other reads."""
    order: OrAbsent[Annotated[tuple[Annotated[Identifier, Meta(description="Name of an entity.")], ...], UNIQUE]] = (
        UNSET
    )
    """Order of all declarations in the header. Default: kind by kind, each in the order written, as far as C
    allows."""
