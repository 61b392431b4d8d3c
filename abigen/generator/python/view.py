"""Records that the templates of target `python` receive, and the Python spelling of names.

Templates turn these records into Python text: `python/values.j2` has the annotation and the conversion of each kind of
value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from keyword import iskeyword
from pathlib import Path
from posixpath import basename, dirname, isabs, join, normpath, relpath

import msgspec

from abigen.generator.c.lines import free_name
from abigen.generator.publication import Publication
from abigen.model.entities import Entity, Struct


class PythonValue(msgspec.Struct, frozen=True, kw_only=True):
    """The Python value of a type of C."""

    kind: str
    """A key of the table in `python/values.j2`."""
    name: str = ""
    """The class of an enumeration, struct or handle; the alias of a function's type."""
    signature: str = ""
    """The signature of a function's type."""
    ctype: str = ""
    """For a pointer to elements: the array of them, as cffi reads it."""
    length: int = 0
    """The number of characters that an array of characters has room for, including the NUL."""
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
    """The moment at which the function takes ownership of a handle: `before` the call, or `after` it unless it returns
    NULL; `closed` where the function destroys it; empty: never."""
    given: bool = False
    """True if it is a result that is a handle which the caller has to destroy."""
    fails: bool = False
    """True if it is a handle by which it can be told that work has failed."""
    retained: bool = False
    """True if the function keeps the pointer after the call."""
    null: str = ""
    """`refused` where it cannot be NULL, `allowed` where the API says that it can; empty where nobody has said."""


class PythonCloser(msgspec.Struct, frozen=True, kw_only=True):
    """The call by which an object that a function returns destroys its handle, with the arguments of its creation."""

    handle: str
    """The object's class."""
    function: str
    is_method: bool
    """True if the function is a method of the same object as the one that returns the handle."""
    arguments: tuple[str, ...]
    """Names of parameters of the function that makes the handle; empty for the handle itself."""


class PythonFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A C function, or the type of one."""

    name: str
    """In Python."""
    symbol: str
    """In C."""
    title: str
    """The name in messages: its name in C, after the struct's name for a member."""
    ctype: str
    """A pointer to it, as cffi reads it; empty where the struct says it."""
    doc: str
    result: PythonValue
    parameters: tuple[PythonParameter, ...]
    variadic: bool
    is_method: bool
    closer: PythonCloser | None = None
    deprecated: str = ""
    """The advice for callers of a deprecated function; empty for others."""
    given: bool = False
    """True if its own result is a handle that the caller has to destroy."""
    failed: str = ""
    """The result in case of a failure, in Python; empty for zero."""
    raises: str = ""
    """The way in which the result reports errors, which become exceptions: `code`, `negative`, `null`, or empty."""
    ok: str = ""
    """The code for success, as Python writes it."""
    last: str = ""
    """The C function that gives the message of the last error; empty for none."""
    last_module: str = ""
    """The module that has that function; empty for the package's own."""
    tells: bool = False
    """True if whoever fails in it stores the message of the last error."""
    unsaid: bool = False
    """True if it has a result, and nothing in the API says which results mean failure."""
    scope: str = ""
    """The lifetime of a function that is passed to C: `call`, `once` or `static`; empty where it is not stated."""

    @property
    def inputs(self) -> tuple[PythonParameter, ...]:
        """The parameters in Python."""
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
    """The number of bits of a value, where values may be combined; 0 where they may not."""
    kind: str = "enumeration"


class PythonHandle(msgspec.Struct, frozen=True, kw_only=True):
    """A class for an opaque handle."""

    name: str
    doc: str
    ctype: str
    owned: bool
    """True if something destroys it."""
    destroy: str
    """The function that destroys it and takes the handle alone; empty for none."""
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
    """The value; None for a function."""
    deprecated: str
    """The advice for readers of deprecated data; empty for other data, and for a function, which has its own."""
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
    """The functions that create, read and destroy the statuses of an API."""

    functions: tuple[tuple[str, str, str], ...]
    """Role, module (empty for the package's own), and name of each function."""
    code_type: str
    ok: int
    failed: int


class PythonLastError(msgspec.Struct, frozen=True, kw_only=True):
    """The function that stores the reason of a failure."""

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
    """The text after `typedef`."""


class CffiBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Declarations that are read together; `pack` is what structs in it are packed to, in bytes, 0 for nothing."""

    declarations: tuple[CffiDeclaration, ...]
    pack: int = 0


class PythonPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A package from top to bottom."""

    banner: tuple[str, ...]
    doc: str
    left_out: tuple[str, ...]
    """The entities that are left out, since cffi cannot express a type that they need."""
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


RUNTIME = "plugin_api_runtime_v1"
"""The package that those of all APIs import; another number when what it has changes its meaning."""

BUILT_IN = frozenset({"bool", "bytes", "complex", "dict", "float", "int", "object", "str", "tuple", "type"})
"""The names that annotations use."""

OF_MODULES = BUILT_IN | {"Callable", "FUNCTIONS", "Plugin", "TYPE_CHECKING", "TypeAlias", "annotations", "ffi", "super"}
"""The names that a generated module uses for its own objects."""

OF_STRUCTS = frozenset(
    {
        *("at", "cdata", "describe", "for_release", "forget", "function", "has", "having", "is_set", "kept"),
        *(
            "member_names",
            "mro",
            "new_array",
            "null",
            "offset_of",
            "part",
            "place",
            "returned",
            "self",
            "size_of",
            "storage",
            "type_of",
        ),
        *("unpadded_size", "unset", "within"),
    }
)
"""The attributes that objects of structs have besides their members."""

OF_ENUMS = frozenset(
    {"mro", "name", "value", "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator"}
) | {
    *("from_bytes", "imag", "is_integer", "numerator", "real", "to_bytes"),
}
"""The attributes that members of enumerations have."""

OF_LIBRARIES = frozenset({"close", "has", "path", "symbols"})
"""The attributes that a library has besides its functions."""

OF_BODIES = frozenset(
    {
        *("adapted", "call", "creation", "error", "ffi", "function", "handle", "kept", "more", "own", "result", "self"),
        "table",
    }
)
"""The names that generated functions use for their own objects."""


def python_name(name: str, taken: Collection[str] = ()) -> str:
    """Return a name in Python.

    Args:
        name: in C.
        taken: what it may not be.

    Returns:
        The same, with an underscore behind it where it would be a keyword, private, or taken.
    """
    private = name.startswith("_")
    return f"{name}_" if iskeyword(name) or name in taken or (private and name.endswith("__")) else name


def attribute(holder: str, name: str, *, in_class: bool) -> str:
    """Return an expression for an attribute by its name in C.

    Args:
        holder: an expression.
        name: of the attribute.
        in_class: whether the expression stands in a class, where two underscores at the front change a name.
    """
    if iskeyword(name) or (in_class and name.startswith("__")):
        return f'getattr({holder}, "{name}")'
    return f"{holder}.{name}"


def module_name(path: str) -> str:
    """Return the name of the package for a spec: `group/stream-executor.yaml` gives `stream_executor`."""
    stem = basename(path.replace("\\", "/")).rpartition(".")[0] or basename(path)
    name = re.sub(r"\W", "_", stem, flags=re.ASCII)
    return python_name(f"api_{name}" if name[:1].isdigit() or name.startswith("_") else name)


def parent_name(group: str, package: str = "") -> str:
    """Return the name of the package that holds those of a group: `rfc` gives `rfc_plugin_api`, no group `plugin_api`.

    Args:
        group: the folder of the specs.
        package: what a spec says; empty for nothing.
    """
    if package:
        return package
    folder = normpath(group) if group else ""
    name = re.sub(r"\W", "_", folder.removeprefix("../").strip("./"), flags=re.ASCII)
    return "_".join(filter(None, (f"api_{name}" if name[:1].isdigit() else name, "plugin_api")))


def linter_order(name: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    """Return the sort key of linters: constants, classes, then everything else, and numbers by their value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    parts = re.findall(r"\d+|\D+", name)
    return kind, tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


_STANDARD = ("collections.abc", "typing")


class PythonScope:
    """The names that a module uses, each imported once it is asked for."""

    def __init__(self, publication: Publication) -> None:
        """Begin a module.

        Args:
            publication: the API that it is for.
        """
        self._publication = publication
        self._own_file = next(iter(publication.api.files), "")
        self._names: dict[str, set[str]] = {}
        self._aliases: dict[str, str] = {"..core": "_libraries"}

    def name(self, entity: Entity) -> str:
        """Return the name of an entity in Python, imported when it belongs to another spec."""
        if isinstance(entity, Struct) and entity.anonymous:
            words = (each for each in entity.name.split(".") if each[:1] != "<")
            api = self._publication.api
            taken = {*OF_MODULES, *api.structs, *api.enums, *api.typedefs, *api.functions, *api.constants}
            return self._imported(entity, free_name(python_name("_".join(words)), taken))
        return self._imported(entity, python_name(entity.name, OF_MODULES))

    def private(self, entity: Entity) -> str:
        """Return the name of what describes an entity within packages, imported when it belongs to another spec."""
        return self._imported(entity, f"_{python_name(entity.name, OF_MODULES)}")

    def module(self, entity: Entity) -> str:
        """Return the name for the package that an entity belongs to, which is imported; empty for the module's own."""
        if self._is_own(entity):
            return ""
        package = self._package(entity)
        return self._aliases.setdefault(package, free_name(f"_{last_part(package)}", self._aliases.values()))

    def import_from(self, module: str, *names: str) -> None:
        """Import names from a module, as `from module import name` says it."""
        self._names.setdefault(module, set()).update(names)

    def package_of(self, path: str) -> str:
        """Return the package of a spec, as this module imports it.

        Args:
            path: of the spec, relative to this one's folder.
        """
        folder, group = dirname(path), self._publication.group
        other = normpath(join(group, folder)) if folder else group
        other = "" if other == "." else other
        module, conventions = module_name(path), self._publication.api.conventions
        file = normpath(join(dirname(self._own_file), path))
        used = {normpath(name).rpartition(".")[0]: each for name, (_, each) in self._publication.api.used.items()}
        found = used.get(file.rpartition(".")[0])
        parent = parent_name(other, found.python_package if found else "")
        is_beside = other == group and parent == parent_name(group, conventions.python_package)
        return f"..{module}" if is_beside else f"{parent}.{module}"

    def imports(self) -> tuple[tuple[PythonImport, ...], ...]:
        """Return the imports, in the groups and the order that linters require."""
        modules = sorted({*self._names, *map(parent_of, self._aliases)})
        standard = [each for each in modules if each in _STANDARD]
        relative = [each for each in modules if each.startswith(".")]
        relative.sort(key=lambda each: (len(each.lstrip(".")) - len(each), each))
        others = [each for each in modules if each not in standard and each not in relative]
        made = [tuple(line for each in group for line in self._lines(each)) for group in (standard, others, relative)]
        made[1] = (PythonImport(module=RUNTIME, names=(), alias="_rt"), *made[1])
        return tuple(filter(None, made))

    def _lines(self, module: str) -> Iterator[PythonImport]:
        if module in self._names:
            yield PythonImport(module=module, names=tuple(sorted(self._names[module], key=linter_order)))
        for package, alias in sorted(self._aliases.items()):
            if parent_of(package) == module:
                yield PythonImport(module=module, names=(last_part(package),), alias=alias)

    def _imported(self, entity: Entity, name: str) -> str:
        if not self._is_own(entity):
            self.import_from(self._package(entity), name)
        return name

    def _is_own(self, entity: Entity) -> bool:
        return entity.in_api or (entity.span is not None and entity.span.file == self._own_file)

    def _package(self, entity: Entity) -> str:
        file = entity.span.file if entity.span else ""
        folder = dirname(self._own_file)
        if isabs(file) != isabs(folder):
            folder, file = (Path(each).absolute().as_posix() for each in (folder, file))
        return self.package_of(relpath(file, folder or "."))


def last_part(package: str) -> str:
    """Return the last name of a dotted one: `..a` and `x.a` give `a`."""
    return package.rpartition(".")[2]


def parent_of(package: str) -> str:
    """Return the package of a dotted name, including leading dots: `..a` gives `..`, `x.a` gives `x`."""
    parent = package.removesuffix(last_part(package))
    return parent if not parent.strip(".") else parent.removesuffix(".")
