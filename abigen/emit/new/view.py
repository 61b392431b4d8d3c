"""What templates of scaffolds see: the functions that a plugin consists of, and the tables that they go into."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

import msgspec

from abigen.emit.c_checks.loader import Loader
from abigen.emit.cpp.view import CppTableMember
from abigen.emit.new.life import LifeTest
from abigen.emit.rust.rust_types import rust_name
from abigen.emit.rust.view import RustFunction, RustItem, RustStruct
from abigen.model.api import Api, HostProgram
from abigen.model.contract import Errors, ResultMeaning
from abigen.model.pattern import parse_pattern
from abigen.model.span import AbigenError, Diagnostic

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_LONGEST = 40
"""Characters of a name: files and symbols are named after it."""


class PluginIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """The names of a plugin."""

    name: str
    """As core and its users know it: `MY_XPU`."""
    device_type: str
    """The type of its devices, for APIs that have such; the name unless its author says otherwise."""

    @property
    def stem(self) -> str:
        """What its functions and files begin with: `my_xpu`."""
        return "_".join(filter(None, self.name.lower().split("_")))

    @property
    def capitals(self) -> str:
        """What its macros begin with: `MY_XPU`."""
        return self.stem.upper()

    @property
    def camel(self) -> str:
        """What its types begin with: `MyXpu`."""
        return "".join(word.capitalize() for word in self.stem.split("_"))

    @property
    def dashed(self) -> str:
        """What packages are named after: `my-xpu`."""
        return self.stem.replace("_", "-")


def identify(name: str, device_type: str | None, api: Api) -> PluginIdentity:
    """Check the names of a plugin by what its API wants of them.

    Args:
        name: of the plugin.
        device_type: None: the same.
        api: whose members say by their patterns what the names that they hold look like.

    Raises:
        AbigenError: a name cannot be used, with one that could.
    """
    identity = PluginIdentity(name=name, device_type=device_type or name)
    problems = list(_problems(identity, api))
    if problems:
        raise AbigenError(problems)
    return identity


def _problems(identity: PluginIdentity, api: Api) -> Iterator[Diagnostic]:
    texts = {"plugin_name": ("name", identity.name), "device_type": ("device type", identity.device_type)}
    refused: set[str] = set()
    for struct in api.structs.values():
        for member in struct.fields or ():
            if not struct.in_api or not member.pattern or member.stands_for not in texts:
                continue
            what, text = texts[member.stands_for]
            if text not in refused and not parse_pattern(member.pattern).matches(text):
                refused.add(text)
                message = f"the {what} '{text}' cannot be used: {struct.name}.{member.name} wants {member.pattern}"
                yield Diagnostic(None, message, _suggestion(text, member.pattern))
    if not _IDENTIFIER.fullmatch(identity.name) or len(identity.name) > _LONGEST:
        message = f"the name '{identity.name}' cannot be used: files and functions are named after it"
        yield Diagnostic(None, message, f"at most {_LONGEST} letters, digits and underscores, a letter first")


def _suggestion(text: str, pattern: str) -> str:
    """A name close to what was asked for; empty when nothing close would do."""
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII)
    lettered = re.sub(r"[\d_]+", "_", plain).strip("_")
    wanted = parse_pattern(pattern)
    for candidate in (plain, plain.upper(), plain.lower(), lettered, lettered.upper(), lettered.lower()):
        if candidate and wanted.matches(candidate):
            return f"did you mean {candidate}?"
    return ""


BEGIN, NAME, END = "\x02", "\x1f", "\x03"
"""What marks functions in what templates print: control characters, which no documentation of a spec keeps."""


class PluginParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a function; every one has a name."""

    name: str
    type: str
    """As C writes it."""


class PluginClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class in C++ whose functions go into a table."""

    name: str
    base: str
    """The class template that fills the table, with its namespace; empty where nothing but assignments can."""
    functions: Mapping[str, CppTableMember]
    """Its static members, by the keys of the functions."""


class PluginInCpp(msgspec.Struct, frozen=True, kw_only=True):
    """What templates for C++ see besides."""

    namespace: str
    """What the plugin's own things stand in."""
    include: str
    """The API's header in C++; empty where it has none."""
    failing: str
    """The class of statuses, with its namespace; empty for none."""
    classes: Mapping[str, PluginClass]
    """By the tables, as C names them."""

    def class_of(self, key: str) -> PluginClass:
        """The class that has a function."""
        return next(each for each in self.classes.values() if key in each.functions)

    def member(self, key: str) -> CppTableMember:
        """A function as a static member of its class."""
        return self.class_of(key).functions[key]


class PluginInRust(msgspec.Struct, frozen=True, kw_only=True):
    """What templates for Rust see besides."""

    modules: tuple[str, ...]
    """Of the APIs, by name; the plugin's own API first."""
    structs: Mapping[str, RustStruct]
    """By their names in Rust."""
    functions: Mapping[str, RustFunction]
    """By key; those that Rust cannot declare are missing."""
    numbers: frozenset[str]
    """Names of the constants that are plain integers."""

    def member(self, struct: str, member: str) -> RustItem:
        """A member of a struct, both by the names that C has for them."""
        found = self.structs[rust_name(struct.rpartition(" ")[2])]
        return next(each for each in found.members if each.name == rust_name(member))


class PluginStore(msgspec.Struct, frozen=True):
    """A parameter in which a function stores a pointer to a struct that it fills."""

    parameter: str
    struct: str
    """As C names it."""
    fill: str
    """The function that fills it."""


class PluginObject(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that the plugin exports as data."""

    name: str
    """By which core looks it up."""
    struct: str
    """As C names it."""
    doc: str


class PluginFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function that the plugin's author writes."""

    key: str
    """What the spec calls it: `XP_Fns.allocate`, or its name when the plugin exports it."""
    name: str
    doc: str
    declaration: str
    """As C declares it, on one line without semicolon."""
    result: str
    """What it returns, as C writes it."""
    returns: str
    """What that is: `nothing`, `number`, `truth`, `pointer`, `record` (a struct), or `table` (a pointer to a struct
    that it fills)."""
    parameters: tuple[PluginParameter, ...]
    status: str
    """The parameter that errors are reported in; empty for none."""
    outcome: ResultMeaning
    """What its result says of success and failure, as C writes values of its type."""
    error: str
    """What an error is that it returns by pointer: `text`, `opaque`, or `struct`; empty where it returns none."""
    tell: str
    """The beginning of a call that tells core why it has failed, up to the message; empty where nothing does."""
    exported: bool
    """Core looks it up by name."""
    core_major: tuple[str, str]
    """Where core states its major version, which nothing else compares: a parameter, and the member of what it points
    to, empty for the parameter itself; both empty for nowhere."""
    required: bool
    fills: tuple[tuple[str, str], ...]
    """Parameters that point to structs the plugin fills, and the functions that fill those."""
    shorter: dict[str, PluginShorterStruct]
    """Those of these parameters whose struct is shorter in an older core, by their names."""
    stores: tuple[PluginStore, ...]
    """Parameters in which it stores pointers to structs that it fills."""
    table: str
    """The struct that it returns a pointer to, as C names it, where `returns` is `table`; else empty."""
    only_begins: bool
    """True if a host calls it once, to begin or to end, so that there is nothing that it has to do."""
    listed_by: str
    """The parameter that counts what it lists; it returns NULL for all but the first. Empty for none."""
    group: str
    """What the spec lists it under."""

    def begin(self, name: str = "") -> str:
        """What a template prints before the function, so that it can be found in a file; readers never see it.

        Args:
            name: what the file calls it, when that is not `name`.
        """
        return f"{BEGIN}{self.key}{NAME}{name or self.name}{END}"

    @property
    def succeeds(self) -> bool:
        """Whether it works as it is scaffolded: it has nothing to do but fill what it is handed, or to return it."""
        return bool(self.fills or self.stores or self.only_begins) or self.returns in ("nothing", "table")

    @property
    def end(self) -> str:
        """What a template prints behind the function."""
        return f"{BEGIN}/{self.key}{END}"


class PluginTableMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a table that the plugin sets, or fills what it points to."""

    member: str
    value: str
    """The function that it is set to, the function that fills what it points to, or the text that it is set to."""
    guarded: bool
    """Whether some core has no such member."""


class PluginTableValue(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a table that has to have some value, for core to take the table."""

    member: str
    value: str
    object: str = ""
    """A static object that it points to; empty for none."""
    declaration: str = ""
    """Of that object."""
    size_field: str = ""
    """The member of the object that its size stands in; empty for none."""
    fill: str = ""
    """The function that fills the object; empty for none."""
    guarded: bool = False
    """Whether some core has no such member."""
    function: PluginFunction | None = None
    """A function that the member is set to; None for another value."""


class HandedObject(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that core hands over when it calls an entry point, for tests that are core."""

    name: str
    """Of the member of the library that holds it, or of the parameter."""
    struct: str
    """As C names it."""
    pointers: tuple[tuple[str, str], ...]
    """Members that point to other such structs, and the names of those."""
    values: tuple[PluginTableValue, ...]
    """What core has to set in it."""
    versions: tuple[tuple[str, str], ...] = ()
    """Members in which core states a part of its version, each with the macro that has it."""


class PluginShorterStruct(msgspec.Struct, frozen=True, kw_only=True):
    """A struct of which an older core has fewer members; the core passes its version beside it."""

    struct: str
    """As C names it."""
    version: str
    """The parameter with the version."""
    ends: tuple[tuple[str, str], ...]
    """A constant and a member each, the oldest first: the struct ends before this member if the version is lower."""


class PluginTable(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that the plugin fills, or has a part in."""

    struct: str
    """As C names it."""
    fill: str
    """Name of the function that fills it."""
    mine: bool
    """The plugin fills all of it, so it begins with zeros."""
    size_field: str
    """Empty for a struct that has always one size, and for one without helpers."""
    plain_size: str
    """The member in which a struct without helpers carries its size; empty for all others."""
    initialise: str
    """Name of the function that zeroes what both sides know of it; empty where it has no size."""
    has_field: str
    """Name of the macro that tells whether it has a member; empty where it has no size."""
    needed: str
    """The member without which nothing can be done; empty for none."""
    check_core: str
    """Name of the function that compares core's version with the plugin's; empty where core states none in it."""
    core_major: str
    """The member in which core states its major version; empty for none."""
    functions: tuple[PluginTableMember, ...]
    nested: tuple[PluginTableMember, ...]
    """Pointers to other tables."""
    texts: tuple[PluginTableMember, ...]
    """The plugin's names, where nobody else sets them."""
    values: tuple[PluginTableValue, ...]
    """What else core asks for; the author puts something better there."""


class ScaffoldRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the author wants."""

    name: str
    """Of the plugin."""
    device_type: str | None
    """None: the same."""
    api: str
    """Name of the API's spec."""
    language: str
    features: tuple[str, ...]
    minimal: bool
    entries: tuple[str, ...] = ()
    """The entry points that the plugin has; none for all that it has to have."""
    left_out: Mapping[str, str] = {}
    """Names of functions that the author has deleted, by their keys: the plugin does without the optional ones."""

    @property
    def options(self) -> str:
        """The request as a command line, behind the name and the directory."""
        parts = [f"--api {self.api}", f"--lang {self.language}"]
        parts += [f"--with {','.join(self.features)}"] if self.features else []
        parts += [f"--entry {each}" for each in self.entries]
        parts += ["--minimal"] if self.minimal else []
        parts += [f"--device-type {self.device_type}"] if self.device_type not in (None, self.name) else []
        return " ".join(parts)


class ScaffoldProject(ScaffoldRequest, frozen=True, kw_only=True):
    """A scaffold."""

    identity: PluginIdentity
    api_version: str
    """Empty for an API without."""
    abigen_version: str
    banner: tuple[str, ...]
    """What files begin with that are made anew by each update."""
    includes: tuple[str, ...]
    """Headers of the API."""
    vendor: str
    """The vendor's header as it is included; empty for an API whose header is generated."""
    constants: tuple[str, ...]
    """The names of the integer constants in the vendor's header."""
    extern_c: bool
    """True if extern "C" has to stand around the vendor's header in C++."""
    checks: str
    """The header with the API's checks; empty where there are none."""
    check_sources: tuple[str, ...]
    """Sources with the API's checks, below the folder of generated files."""
    loaders: tuple[Loader, ...]
    """What core loads the plugin with, where it has checks: one for each entry point."""
    handed: Mapping[str, tuple[HandedObject, ...]]
    """The structs that core hands over, by the entry points."""
    finding: str
    """The type that the checks hand findings over in; empty where there are none."""
    major: str
    """The macro with the API's major version; empty for an API without."""
    core_functions: tuple[str, ...]
    """What the plugin may call of core, by name."""
    errors: Errors | None
    functions: Mapping[str, PluginFunction]
    tables: tuple[PluginTable, ...]
    objects: tuple[PluginObject, ...]
    """Tables that core looks up by name."""
    life: LifeTest | None
    """What a test calls, for the API of a vendor; None for others."""
    host: HostProgram
    """The program that loads the plugin; in its texts the plugin's name stands already."""
    cpp: PluginInCpp | None
    """None where the language does not ask for headers in C++."""
    rust: PluginInRust | None
    """None where the language does not ask for modules of Rust."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The names of the codes of errors that the plugin reports, and of constants of the vendor's header."""
        texts = list(self.errors.codes.values()) if self.errors else []
        for each in self.functions.values():
            texts += [each.outcome.ok, each.outcome.failed, each.outcome.unsupported]
        names = (name for text in texts for name in re.findall(r"[A-Za-z_]\w*(?!\w*\))", text))
        return tuple(name for name in dict.fromkeys((*names, *self.constants)) if name not in ("NULL", "true", "false"))

    @property
    def needs_errno(self) -> bool:
        """Whether some function returns or tells error numbers of <errno.h>."""
        return any("ENOTSUP" in each.tell + each.outcome.unsupported for each in self.functions.values())

    def table(self, struct: str) -> PluginTable:
        """The table that is a struct, as C names it."""
        return next(each for each in self.tables if each.struct == struct)

    def has(self, *features: str) -> bool:
        """Whether one of these features was asked for."""
        return any(each in self.features for each in features)

    @property
    def exports(self) -> tuple[PluginFunction, ...]:
        """The functions that core looks up by name."""
        return tuple(each for each in self.functions.values() if each.exported)

    @property
    def host_arguments(self) -> tuple[str, ...]:
        """The words of the command that runs the host."""
        return tuple(shlex.split(self.host.command))

    @property
    def library_name(self) -> str:
        """What the library's file is called, without the suffix; empty for the usual name."""
        return self.host.library.rpartition(".")[0] or self.host.library

    @property
    def looked_up(self) -> tuple[PluginFunction | PluginObject, ...]:
        """What a plugin has to export, by name: functions that need not be there are left out."""
        return (*(each for each in self.exports if each.required), *self.objects)

    @property
    def callbacks(self) -> tuple[PluginFunction, ...]:
        """The functions that go into tables."""
        return tuple(each for each in self.functions.values() if not each.exported)
