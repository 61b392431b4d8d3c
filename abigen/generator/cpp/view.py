"""Records that the templates of target `cpp` receive, and the C++ spelling of names.

Types are spelled as in C, or are the names of classes. `cpp/functions.j2` writes the code for parameters and results.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from abigen.generator.publication import Publication
from abigen.model.api import Api
from abigen.model.entities import Entity, Field, Function, Handle, Struct
from abigen.model.roles import ExtensionKind
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.spelling import reserved_word

_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*_(?=[A-Za-z])")
_CALLBACK = re.compile(r"_?(func|fn|function|callback|cb)$", re.IGNORECASE)
_TABLE = "Fns"
_MOST_ALIKE = 20
_NAMESPACES = ("abigen", "std")
_C_LIBRARY = Path(__file__).with_name("c_library.txt")
"""The names that the headers of C and POSIX declare at file scope or define as macros, in small letters."""


def namespace_name(prefix: str, taken: Collection[str]) -> str:
    """Return the namespace of an API: its prefix in small letters.

    Args:
        prefix: `XY`.
        taken: names of something else.

    Returns:
        `xy`, or `xy_api` where `xy` is something else.
    """
    name = usable(prefix.lower().strip("_") or "api")
    is_taken = name in taken or name in _NAMESPACES or is_in_c_library(name)
    return f"{name.rstrip('_')}_api" if is_taken else name


@cache
def _c_library() -> frozenset[str]:
    return frozenset(_C_LIBRARY.read_text(encoding="utf-8").split())


def is_in_c_library(name: str) -> bool:
    """True if headers that C++ includes may declare a name outside of all namespaces."""
    return name in _c_library()


def bare(name: str, prefix: str) -> str:
    """Return a name in C without what stands for a namespace there.

    Args:
        name: `XY_OpenDevice`, `XYOpenDevice`, `xy_open_device`.
        prefix: the API's, `XY`.

    Returns:
        `OpenDevice`, `OpenDevice`, `open_device`. A word of capitals before the first underscore is such a prefix,
        whatever the API's is.
    """
    if not name.isupper() and (leading := _CAPITALS.match(name)):
        return name[leading.end() :]
    rest = name[len(prefix) :]
    if not prefix or not rest or not name.lower().startswith(prefix.lower()):
        return name
    if rest.startswith("_") and rest[1:2].isalpha():
        return rest[1:]
    return rest if rest[0].isupper() and not prefix.islower() else name


def class_name(name: str, prefix: str) -> str:
    """Return the class of a handle or struct.

    Args:
        name: `XY_Device`, `xy_device_t`.
        prefix: the API's.

    Returns:
        `Device`; `Xy` of a handle `xy_t`.
    """
    words = bare(name.removesuffix("_t"), prefix).split("_")
    return usable("".join(word[:1].upper() + word[1:] for word in words))


def whole_name(name: str) -> str:
    """Return a class by its whole name in C, where a part of it stands for something else already: `XyDevice`."""
    words = name.removesuffix("_t").split("_")
    return usable("".join(word[:1].upper() + word[1:] for word in words))


def numbered(name: str) -> Iterator[str]:
    """Yield names for things whose names in C differ only in case or underscores: `Device2`, `Device3`."""
    yield from (f"{name}{number}" for number in range(2, _MOST_ALIKE))


def table_name(name: str, prefix: str) -> str:
    """Return the class template that fills a struct of functions: `XY_Device` and `XY_DeviceFns` give `DeviceFns`."""
    found = class_name(name, prefix)
    return found if found.endswith(_TABLE) else found + _TABLE


def method_name(function: str, handle: str, prefix: str) -> str:
    """Return the method that a function becomes.

    Args:
        function: `XY_DeviceName`, `XY_Device_Name`, `XY_NewDevice`, `xy_device_name`.
        handle: the handle that it is a method of, in C: `XY_Device`, `xy_device_t`.
        prefix: the API's.

    Returns:
        `Name`, `Name`, `New`, `name`.
    """
    stem = handle.removesuffix("_t")
    rest = _after(function, stem)
    if rest:
        return usable(rest)
    name, noun = bare(function, prefix), bare(stem, prefix)
    return usable(_after(name, noun) or _before(name, noun) or name)


def function_name(function: str, prefix: str) -> str:
    """Return the function in the API's namespace that a function becomes."""
    return usable(bare(function, prefix))


def callback_name(parameter: str, function: str) -> str:
    """Return the method that a parameter of type function stands for, in the style of the function's name.

    Args:
        parameter: `compute_func`.
        function: the function that has it: `XY_NewThing`.

    Returns:
        `Compute`.
    """
    name = _CALLBACK.sub("", parameter) or parameter
    if function.islower():
        return usable(name)
    return usable("".join(word[:1].upper() + word[1:] for word in name.split("_")))


def usable(name: str) -> str:
    """Return the name, or one like it that C++ does not reserve."""
    if name[:1].isdigit():
        name = f"_{name}"
    name = re.sub(r"__+", "_", name)
    return f"{name}_" if reserved_word(name, file_scope=False) else name


def _after(name: str, start: str) -> str:
    """Return the pattern for the text after a word in a name; empty when the word is not separate there."""
    if not name.startswith(start):
        return ""
    rest = name[len(start) :]
    if rest.startswith("_") and rest[1:2].isalpha():
        return rest[1:]
    return rest if rest[:1].isupper() and not start.islower() else ""


def _before(name: str, end: str) -> str:
    """Return the pattern for the text before a word in a name."""
    if not name.endswith(end):
        return ""
    rest = name[: -len(end)]
    return rest[:-1] if rest.endswith("_") else rest if end[:1].isupper() else ""


class CppNames:
    """The names of one class or namespace."""

    def __init__(self, avoided: Collection[str] = ()) -> None:
        """Begin without names.

        Args:
            avoided: names that would hide something else.
        """
        self._avoided = avoided
        self._taken: dict[str, str] = {}

    def choose(self, candidates: Sequence[str], what: str, span: Span | None, *, along: Sequence[str] = ()) -> str:
        """Give a name to something.

        Args:
            candidates: from the best one on; one that would hide something gets an underscore behind it.
            what: what is to be named, for messages.
            span: where it stands.
            along: endings of other names that it takes with its own.

        Returns:
            The first candidate that is free.

        Raises:
            AbigenError: all of them are taken.
        """
        for candidate in candidates:
            name = f"{candidate}_" if candidate in self._avoided else candidate
            names = [name, *(name + ending for ending in along)]
            if not any(each in self._taken for each in names):
                self._taken |= dict.fromkeys(names, what)
                return name
        other = next(self._taken[name] for name in (*candidates, f"{candidates[0]}_") if name in self._taken)
        message = f"{what} and {other} would both be `{candidates[0]}` in C++"
        raise AbigenError((Diagnostic(span, message, "name one of them in conventions.cpp.names"),))


def types_in(api: Api, file: str | None = None) -> frozenset[str]:
    """Return names of types, tags and values in C, which a name in C++ would hide.

    Args:
        api: the API.
        file: only what this spec declares; None for all.
    """
    return frozenset(name for name, each in _entities(api) if file is None or (each.span and each.span.file == file))


def _entities(api: Api) -> Iterator[tuple[str, Entity]]:
    for struct in api.structs.values():
        yield from ((struct.name, struct), (struct.tag, struct))
    for each in api.enums.values():
        yield from ((each.name, each), (each.tag, each))
    yield from api.typedefs.items()
    yield from api.constants.items()
    for enum in api.enums.values():
        yield from ((each.name, each) for each in enum.enumerators or ())


class CppValue(msgspec.Struct, frozen=True, kw_only=True):
    """A result in C++: a value as it is in C, or an object of a class made from it."""

    type: str
    is_object: bool = False
    arguments: tuple[str, ...] = ()
    """The further arguments of the object's constructor."""


class CppFailure(msgspec.Struct, frozen=True, kw_only=True):
    """The result by which a C++ function reports to C that it failed."""

    kind: str = "zero"
    """`code`, `number` (a negative one of <errno.h>), `null`, `zero` (the result does not tell), or `unsaid`
    (nothing in the API says which results mean failure)."""
    ok: str = ""
    """Of `code`: the one for success."""
    value: str = ""
    """The value that is returned on failure; empty where that is zero or nothing."""
    tells: bool = False
    """True if it tells the API why, because that keeps the last error."""


class CppLastError(msgspec.Struct, frozen=True, kw_only=True):
    """The functions of an API that keeps the last error; empty for those that are not there."""

    set: str = ""
    message: str = ""
    code_type: str = ""
    """Of the code that `set` takes; empty when it takes none."""
    value_type: str = ""
    """Of the codes that functions return; empty when they return none."""
    failed: str = ""
    """The code for an exception that comes with none."""


class CppParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a C function, and what stands for it in C++."""

    kind: str
    """The argument of the C function: `self` (the handle of the object that the method is called on), `released self`
    (which the object gives up), `exchanged self` (which it gives up when the function gives something), `plain` (the
    parameter as it is in C), `borrowed`, `released` or `exchanged` (the handle of an object), `span` (its data),
    `count` (its size), `output` (where something is stored), or `status`."""
    name: str
    type: str
    """In C, without the name; of a span's elements."""
    declaration: str = ""
    """In C with the name, of `plain`; of the variable, of `output`."""
    object: str = ""
    """The class, where an object stands for it."""
    span: str = ""
    """Of a count: the name of the span."""
    value: CppValue | None = None
    """The type that is stored, for an `output`."""
    refused: str = ""
    """The error message for NULL where NULL is not allowed; empty where it is."""
    callback: str = ""
    """Of a function that a template can make: `function` (from one that is known when it is compiled), `create`,
    `method` or `destroy` (from a class of objects)."""
    accessor: str = ""
    """Of `method`: the type that finds the class's function, with its namespace."""
    fails: CppFailure = CppFailure()
    """Of a callback."""


class CppFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function of the API as C++ has it: a method, a static one, or one of none."""

    name: str
    c: Function
    """The function that it calls: one of the API, or one in a struct of functions, by the name of the member."""
    table: str = ""
    """The parameter that points to that struct; empty for a function of its own."""
    table_type: str = ""
    is_static: bool
    parameters: tuple[CppParameter, ...]
    returns: CppValue | None
    nodiscard: bool = False
    """True if its result says if it has worked."""
    code: str = ""
    """The class of the code that it returns, with its namespace; empty where it returns none."""
    ways: tuple[str, ...]
    """The ways to call it: always `plain`; `function` or `object` where a template creates its callbacks."""

    @property
    def outputs(self) -> tuple[CppParameter, ...]:
        """The parameters by which it stores results."""
        return tuple(each for each in self.parameters if each.kind == "output")

    @property
    def status(self) -> str:
        """The parameter that errors are reported in; empty for none."""
        return next((each.name for each in self.parameters if each.kind == "status"), "")

    @property
    def exchanged(self) -> tuple[CppParameter, ...]:
        """The objects that give their handles up when the function gives something."""
        own = sorted(self.parameters, key=lambda each: each.kind == "exchanged self")
        return tuple(each for each in own if each.kind.startswith("exchanged"))

    @property
    def qualifier(self) -> str:
        """The qualifier of the method: `const`, `&&`, or empty."""
        own = self.parameters[0].kind if self.parameters else ""
        return {"self": "const", "released self": "&&"}.get(own, "")


class CppCodes(msgspec.Struct, frozen=True, kw_only=True):
    """The class of the codes of one type that functions return to say whether they have worked."""

    name: str
    type: str
    """The spelling in C."""
    ok: str
    names: tuple[str, ...]


class CppKeeper(msgspec.Struct, frozen=True, kw_only=True):
    """The values that an owner retains beside a handle that functions in a struct create and destroy."""

    table: str
    """The struct, as C spells it."""
    destroy: str
    """The member that destroys the handle."""
    members: tuple[tuple[str, str, str], ...]
    """The further parameters of the destroying function: as a parameter, as a member, and the parameter's name."""
    arguments: tuple[str, ...]
    """The arguments of the call: names of parameters, empty for the handle."""
    create: CppFunction | None


class CppHandle(msgspec.Struct, frozen=True, kw_only=True):
    """The classes of a handle: one that borrows it, and one that owns it where it can be destroyed."""

    c: Handle
    ref: str
    owner: str
    """Empty when nothing destroys it."""
    type: str
    """The handle itself, as C spells it."""
    methods: tuple[CppFunction, ...]
    """Of both."""
    owner_methods: tuple[CppFunction, ...]
    """Of the owner: they make one, or end it."""
    members: bool
    """True if its users know what stands behind it, and may look at it."""
    kept: CppKeeper | None

    @property
    def shared(self) -> str:
        """The class that has the methods."""
        return f"{self.owner}Methods" if self.owner else self.ref


class CppStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status object that functions report errors in."""

    c: Handle | None
    """The handle; None for a status that is not declared as one, which C++ cannot create."""
    ref: str
    owner: str
    """Empty when none can be made."""
    type: str
    """A pointer to it, as C spells it."""
    code_type: str
    is_enum: bool
    """True if codes have a type of their own."""
    methods: tuple[CppFunction, ...]


class CppTableMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a struct that holds a function."""

    c: Field
    result: str
    """The result of a class's function: a status, where the function in C has a parameter for it."""
    parameters: tuple[CppParameter, ...]
    accessor: str = ""
    """The type that finds a class's function of this name."""
    fails: CppFailure = CppFailure()
    """The value that is returned when the class's function has thrown."""
    heading: str = ""
    """Name of the group that begins here."""
    is_always_there: bool = False
    """True if it is required, and each compatible release of the struct has it."""
    method: str = ""
    """Name of the function of the view that calls it."""
    c_result: str = ""
    """The result in C, or the class of the code that it is."""
    c_parameters: tuple[tuple[str, str], ...] = ()
    """The parameters in C: declarations and names."""


class CppTable(msgspec.Struct, frozen=True, kw_only=True):
    """A class template that fills a struct with the functions of a class, and a view of what others have filled."""

    c: Struct
    name: str
    struct: str
    """The spelling in C++: without `struct`, unless a function has the same name."""
    fill: str
    """Name of its function that does so."""
    size_type: str
    """Of the member with its size; empty for a struct that is not versioned."""
    whole: bool
    """True if whoever fills the functions fills all of it."""
    kind: ExtensionKind | None
    """The kind that an extension states besides its size; None for other structs."""
    members: tuple[CppTableMember, ...]

    @property
    def scope(self) -> str:
        """The struct before `::`: an alias of the class where a function hides the struct's name."""
        return "Struct" if " " in self.struct else self.struct


class CppEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A function that a plugin has to export, and the template that its body calls."""

    c: Function
    name: str
    type: str
    """A pointer to it, as C spells it."""
    result: str
    parameters: tuple[tuple[str, str], ...]
    """Declarations and names."""
    fails: CppFailure
    """The value that is returned when the function throws."""


class CppClasses(msgspec.Struct, frozen=True, kw_only=True):
    """The classes that a type has in C++, with their namespace."""

    name: str
    """Of the handle in C."""
    ref: str
    """Borrows it."""
    owner: str
    """Owns it, and needs nothing but the handle for that; empty where there is no such class."""
    type: str
    """The handle as a value, as C spells it."""
    include: str
    """The header that has the classes."""
    local: bool
    """True if this API's header has them."""


class CppHeader(msgspec.Struct, frozen=True, kw_only=True):
    """A header from top to bottom."""

    publication: Publication
    path: str
    uses: tuple[str, ...]
    """Headers of other APIs' classes."""
    namespace: str
    status: CppStatus | None
    """The one that this header defines."""
    reports: CppClasses | None
    """The classes of statuses, of this API or of one that it uses; None where nothing is said of errors."""
    flags: tuple[str, ...]
    """Enumerations whose values may be combined."""
    codes: tuple[CppCodes, ...]
    classes: tuple[CppHandle, ...]
    functions: tuple[CppFunction, ...]
    tables: tuple[CppTable, ...]
    objects: tuple[tuple[str, str, CppFailure], ...]
    """For the methods of classes of which functions take objects: the type that finds each, its name, and how it tells
    that it has failed."""
    entries: tuple[CppEntry, ...]
    last_error: CppLastError

    @property
    def needs_errno(self) -> bool:
        """True if numbers of <errno.h> stand in it."""
        functions = [each for made in self.classes for each in (*made.methods, *made.owner_methods)]
        called = [parameter.fails for each in (*functions, *self.functions) for parameter in each.parameters]
        others = [each.fails for each in self.entries] + [fails for _, _, fails in self.accessors]
        return self.last_error.failed == "EIO" or any(each.kind == "number" for each in (*called, *others))

    @property
    def is_empty(self) -> bool:
        """True if the API has nothing that C++ could make more of."""
        return not (
            self.status or self.flags or self.codes or self.classes or self.functions or self.tables or self.entries
        )

    @property
    def failing(self) -> tuple[CppHandle, ...]:
        """The handles that errors can be reported through."""
        return tuple(each for each in self.classes if each.c.failure and self.reports and self.reports.owner)

    @property
    def accessors(self) -> Iterator[tuple[str, str, CppFailure]]:
        """The accessors of a class's functions: by own name, by function, and by the way of reporting failure."""
        yield from ((each.accessor, each.c.name, each.fails) for table in self.tables for each in table.members)
        yield from self.objects
