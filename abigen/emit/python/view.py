"""What templates of target `python` see: an API as the parts of a Python package.

Templates write what stands here in Python's terms: `python/values.j2` says for each kind of value what its annotation
is, and how it is converted.
"""

from __future__ import annotations

import msgspec


class PythonValue(msgspec.Struct, frozen=True, kw_only=True):
    """What a value of one of C's types is in Python."""

    kind: str
    """A key of the table in `python/values.j2`."""
    name: str = ""
    """The class of an enumeration, struct or handle; the alias of a function's type."""
    signature: str = ""
    """What describes a function's type."""
    ctype: str = ""
    """For a pointer to elements: the array of them, as cffi reads it."""
    length: int = 0
    """How many characters text in an array has room for, its NUL included."""
    item: PythonValue | None = None
    """The elements of an array."""


class PythonParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a C function."""

    role: str
    """`input`, `result` (it points to where one goes), or `status`."""
    name: str
    value: PythonValue
    """Of a result: what the parameter points to."""
    ctype: str = ""
    """The pointer to a result, as cffi reads it."""
    taken: str = ""
    """When a handle belongs to the function: `before` the call, or `after` it unless it gives NULL; `closed` where the
    function destroys it; empty: never."""
    given: bool = False
    """Whether it is a result that is a handle which the caller has to destroy."""
    fails: bool = False
    """Whether it is a handle by which it can be told that work has failed."""
    retained: bool = False
    """Whether the function keeps the pointer after the call."""
    null: str = ""
    """`refused` where it cannot be NULL, `allowed` where the API says that it can; empty where nobody has said."""


class PythonCloser(msgspec.Struct, frozen=True, kw_only=True):
    """How an object that a function returns destroys its handle: by a call with what it was made with."""

    handle: str
    """The object's class."""
    function: str
    is_method: bool
    """Whether the function is a method of the same object as the one that returns the handle."""
    arguments: tuple[str, ...]
    """Names of parameters of the function that makes the handle; empty for the handle itself."""


class PythonFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A C function, or the type of one."""

    name: str
    """In Python."""
    symbol: str
    """In C."""
    title: str
    """What messages call it: its name in C, behind the struct's where it is a member."""
    ctype: str
    """A pointer to it, as cffi reads it; empty where the struct says it."""
    doc: str
    result: PythonValue
    parameters: tuple[PythonParameter, ...]
    variadic: bool
    is_method: bool
    closer: PythonCloser | None = None
    deprecated: str = ""
    """What its callers are told of one that is deprecated; empty for others."""
    given: bool = False
    """Whether its own result is a handle that the caller has to destroy."""
    failed: str = ""
    """What it gives when it has failed, as Python writes it; empty for zero."""
    raises: str = ""
    """How the result tells of errors, which are exceptions in Python: `code`, `negative`, `null`, or empty."""
    ok: str = ""
    """The code for success, as Python writes it."""
    last: str = ""
    """The C function that gives the message of the last error; empty for none."""
    last_module: str = ""
    """The module that has that function; empty for the package's own."""
    tells: bool = False
    """Whether whoever fails in it stores the message of the last error."""
    unsaid: bool = False
    """Whether it has a result, and nothing in the API says which results mean failure."""
    scope: str = ""
    """How long C calls one that it was given: `call`, `once` or `static`; empty when nobody has said."""

    @property
    def inputs(self) -> tuple[PythonParameter, ...]:
        """What it is called with in Python."""
        return tuple(each for each in self.parameters if each.role == "input")

    @property
    def outputs(self) -> tuple[PythonParameter, ...]:
        """The results besides its own."""
        return tuple(each for each in self.parameters if each.role == "result")

    @property
    def status(self) -> int | None:
        """The position of the parameter that errors are reported in."""
        return next((at for at, each in enumerate(self.parameters) if each.role == "status"), None)


class PythonConstant(msgspec.Struct, frozen=True, kw_only=True):
    """A name for a value."""

    name: str
    value: int | float | str
    """In the enumeration, where there is one, the enumerator's name."""
    enumeration: str = ""
    doc: str = ""


class PythonEnum(msgspec.Struct, frozen=True, kw_only=True):
    """An enumeration."""

    name: str
    doc: str
    members: tuple[PythonConstant, ...]
    bits: int = 0
    """How many bits a value has, where values may be combined; 0 where they may not."""
    kind: str = "enumeration"


class PythonHandle(msgspec.Struct, frozen=True, kw_only=True):
    """A class for an opaque handle."""

    name: str
    doc: str
    ctype: str
    owned: bool
    """Whether something destroys it."""
    destroy: str
    """What destroys it with nothing but the handle; empty for nothing."""
    failure: str
    """The C function by which it is told that its user's work has failed; empty for none."""
    failure_module: str
    """The module that has that function; empty for the package's own."""
    kind: str = "handle"


class PythonMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a struct: data, or a pointer to a function."""

    name: str
    field: str
    """Its name in C."""
    since: str
    doc: str
    value: PythonValue | None
    """None of a function."""
    deprecated: str
    """What its readers are told of data that is deprecated; empty for others, and for a function, which says it."""
    count: str
    """The member that tells how many values there are; empty for one value."""
    function: PythonFunction | None


class PythonStruct(msgspec.Struct, frozen=True, kw_only=True):
    """A class for a struct or union."""

    name: str
    doc: str
    ctype: str
    size_field: str
    """Empty for a struct of one size."""
    extension: tuple[str, int] | None
    """The member by which others know an extension, and its value."""
    releases: tuple[tuple[str, str], ...]
    """Release and the last member that it has, for each release that appended members."""
    members: tuple[PythonMember, ...]
    kind: str = "struct"


class PythonAlias(msgspec.Struct, frozen=True, kw_only=True):
    """A name for a type: that of a function, or of a value."""

    name: str
    type: PythonFunction | PythonValue


class PythonStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How an API's statuses are made, read and freed."""

    functions: tuple[tuple[str, str, str], ...]
    """Role, module (empty for the package's own), and name of each function."""
    code_type: str
    ok: int
    failed: int


class PythonLastError(msgspec.Struct, frozen=True, kw_only=True):
    """How whoever fails tells an API why."""

    module: str
    """The module that has the function; empty for the package's own."""
    set: str
    """The C function, which is given the message, and the code before it."""
    failed: int | None
    """The code for an exception that comes with none; None where the function takes no code."""


class PythonImport(msgspec.Struct, frozen=True, kw_only=True):
    """An import of names from a module, or of one name as another; without names the module is imported as that."""

    module: str
    names: tuple[str, ...]
    alias: str = ""


class CffiDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """A C declaration as cffi's parser reads it."""

    kind: str
    """`forward`, `struct`, `inner` (a struct that is a member of another one, and has no name of its own), `opaque`,
    `enum` or `typedef`."""
    name: str
    tag: str = ""
    keyword: str = ""
    """`struct` or `union`."""
    members: tuple[tuple[str, int | None] | CffiDeclaration, ...] = ()
    """Declarations of a struct's members with their widths in bits; names and values of enumerators."""
    text: str = ""
    """What stands behind `typedef`."""


class CffiBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Declarations that are read together; `pack` is what structs in it are packed to, in bytes, 0 for nothing."""

    declarations: tuple[CffiDeclaration, ...]
    pack: int = 0


class PythonPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A package from top to bottom."""

    banner: tuple[str, ...]
    doc: str
    left_out: tuple[str, ...]
    """What is not there, since cffi has no word for a type that it needs."""
    include: str
    """The API's header."""
    version: str
    """Empty for an API that states none."""
    runtime: str
    """The package that those of all APIs import."""
    imports: tuple[tuple[PythonImport, ...], ...]
    """In groups."""
    exports: tuple[str, ...]
    constants: tuple[PythonConstant, ...]
    types: tuple[PythonEnum | PythonHandle | PythonStruct, ...]
    aliases: tuple[PythonAlias, ...]
    functions: tuple[PythonFunction, ...]
    """Functions that a library exports; those that the plugin does are methods of its class."""
    status: PythonStatus | None
    last_error: PythonLastError | None
    blocks: tuple[CffiBlock, ...]
    uses: tuple[tuple[str, str], ...]
    """The packages whose declarations these need, each with a name for its declarations."""
