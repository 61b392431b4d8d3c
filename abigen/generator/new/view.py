"""Records that the templates of scaffolds receive: functions, tables, and objects with a lifetime."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from abigen.generator.c.lines import Speller
from abigen.generator.c_checks.validators import Loader
from abigen.generator.cpp.functions import named_parameters
from abigen.generator.cpp.view import CppTableMember
from abigen.generator.rust.view import RustFunction, RustItem, RustStruct, rust_name
from abigen.model.api import Api, HostProgram
from abigen.model.contract import Errors, ResultMeaning
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Pointer, RecordType, unqualified
from abigen.model.entities import Function, Handle, Struct, Typedef
from abigen.model.evaluate import number_of
from abigen.model.pattern import parse_pattern
from abigen.model.roles import contracts_of, counts_of
from abigen.model.span import AbigenError, Diagnostic

_ELEMENTS = 16
"""The number of elements of arrays, where another parameter counts them."""


class LifeCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a function of the plugin in a test."""

    entity: str
    """For messages: its name, or `Struct.member`."""
    guard: str
    """The condition of the call, in C; empty for none."""
    index: str
    """The number of calls, as C writes it, of a function that is called with each index; else empty."""
    call: str
    """The call as C writes it."""
    keeps: str
    """The variable that keeps the result; empty for none."""


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """The calls on one object, from the one that creates it to the one that destroys it."""

    name: str
    """Of its type."""
    declaration: str
    """Declares the variable that stands for it."""
    variable: str
    make: LifeCall
    is_made: str
    """The condition under which the call has made one, as C writes it."""
    uses: tuple[LifeCall, ...]
    end: LifeCall | None


class LifeTest(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of a test of a plugin."""

    functions: tuple[tuple[str, str], ...]
    """Exported functions: what declares a pointer to each, and the name by which the library exports it."""
    tables: tuple[tuple[str, str], ...]
    """Variables for tables: what declares each, and what it is set to."""
    structs: tuple[str, ...]
    """Declarations of structs that the plugin fills, and of those for errors."""
    begin: tuple[LifeCall, ...]
    """Calls before objects are made."""
    lives: tuple[Life, ...]
    end: tuple[LifeCall, ...]
    """Calls when all objects are gone."""


def life_test(api: Api, exported: Sequence[Function], names: Mapping[str, str], tables: Sequence[Struct]) -> LifeTest:
    """Plan a test of a plugin for a vendor's API.

    Args:
        api: the API.
        exported: the functions that the plugin exports, the one that a host calls first in front.
        names: by what name the library exports each.
        tables: the structs that the plugin hands over.
    """
    return _Planner(api, exported, names, tables).plan()


class _Planner:
    def __init__(
        self, api: Api, exported: Sequence[Function], names: Mapping[str, str], tables: Sequence[Struct]
    ) -> None:
        self._api = api
        self._exported = {each.name: each for each in exported}
        self._names = names
        self._tables = {each.name: each for each in tables}
        self._speller = Speller(api)
        self._fetched: dict[str, str] = {}
        """Struct to the variable that has a pointer to it, or is one."""
        self._filled: dict[str, str] = {}
        """Struct to the declaration of a variable that the plugin fills."""
        self._objects: dict[str, str] = {}
        """Typedef or struct to the variable that stands for its object."""

    def plan(self) -> LifeTest:
        """Plan everything."""
        conventions = self._api.conventions
        first = next(iter(self._exported.values()), None)
        tables = list(self._fetch(first)) if first is not None else []
        begin = [] if first is None or tables else [self._call(first.name)]
        begin += [
            self._call(each) for each in (conventions.first_call,) if each and (first is None or each != first.name)
        ]
        asks = (each.name for each in self._exported.values() if each is not first and self._fills(each.type))
        begin += [self._call(each) for each in asks]
        objects: list[Typedef | Struct] = [*self._api.typedefs.values()]
        objects += self._api.structs.values()
        lives = [life for each in objects if (life := self._life(each)) is not None]
        end = [self._call(each) for each in (conventions.last_call,) if each]
        functions = tuple(
            (self._speller.declare(Pointer(each.type), f"{each.name}_"), self._names[each.name])
            for each in self._exported.values()
        )
        known = [each for each in (*begin, *end) if each is not None]
        return LifeTest(
            functions=functions,
            tables=tuple(tables),
            structs=tuple(self._filled.values()),
            begin=tuple(each for each in begin if each in known),
            lives=tuple(lives),
            end=tuple(each for each in end if each in known),
        )

    def _fetch(self, first: Function) -> Iterator[tuple[str, str]]:
        """Yield the variables for the tables that an entry point returns or stores, and how each is set."""
        table = self._api.pointee(first.type.result)
        if table is not None and table.name in self._tables:
            self._fetched[table.name] = "table"
            arguments = self._arguments(first.name, first.type)
            if arguments is not None:
                yield self._speller.declare(first.type.result, "table"), f"{first.name}_({', '.join(arguments)})"

    def _fills(self, type: FunctionType) -> bool:
        structs = (
            self._api.pointee(each.type) for each in type.parameters if not self._api.is_const_pointer(each.type)
        )
        return any(each is not None and each.name in self._tables for each in structs)

    def _life(self, entity: Typedef | Struct) -> Life | None:
        """Plan the life of an object; None for what nothing makes that a test could call."""
        maker = entity.create or (entity.begin if isinstance(entity, Struct) else "")
        type = self._type_of(maker)
        if type is None or not self._is_known(maker):
            return None
        variable = f"object{len(self._objects) + 1}"
        is_struct = isinstance(entity, Struct)
        self._objects[entity.name] = variable
        returned = not is_struct and self._is(type.result, entity)
        make = self._call(maker, variable if returned else "")
        if make is None:
            del self._objects[entity.name]
            return None
        outcome = self._api.outcome(type, maker)
        made = variable if returned else f"result == {outcome.ok}" if outcome.ok else "1"
        uses = [self._call(each) for each in entity.calls if self._is_known(each)]
        end = self._call(entity.destroy) if entity.destroy and self._is_known(entity.destroy) else None
        declared = self._speller.declare(RecordType(entity.name)) if is_struct else entity.name
        if isinstance(entity, Handle) and not entity.by_pointer:
            declared = f"{declared}*"
        return Life(
            name=entity.name,
            declaration=f"{declared} {variable}",
            variable=variable,
            make=make,
            is_made=made,
            uses=tuple(each for each in uses if each is not None),
            end=end,
        )

    def _is(self, type: CType, entity: Typedef | Struct) -> bool:
        found = self._api.object_of(type)
        return found is not None and found.name == entity.name

    def _is_known(self, entity: str) -> bool:
        """True for a function that the plugin exports, or that is in a table which was fetched."""
        struct, _, _ = entity.rpartition(".")
        return entity in self._exported or struct in self._fetched

    def _type_of(self, entity: str) -> FunctionType | None:
        struct, _, member = entity.rpartition(".")
        if not struct:
            return self._exported[entity].type if entity in self._exported else None
        field = self._api.structs[struct].member(member) if struct in self._api.structs else None
        return self._api.callback(field.type) if field is not None else None

    def _call(self, entity: str, keeps: str = "") -> LifeCall | None:
        """Plan one call; None where an argument cannot be made up."""
        type = self._type_of(entity)
        if type is None or type.variadic or not self._is_known(entity):
            return None
        arguments = self._arguments(entity, type)
        if arguments is None:
            return None
        struct, _, member = entity.rpartition(".")
        callee = f"{self._fetched[struct]}->{member}" if struct else f"{entity}_"
        below = next((each.below for each in type.parameters if each.below), "")
        is_code = not keeps and self._api.outcome(type, entity).ok
        return LifeCall(
            entity=entity,
            guard=f"{callee} != NULL",
            index=self._limit(below),
            call=f"{callee}({', '.join(arguments)})",
            keeps=keeps or ("result" if is_code and isinstance(self._api.resolve(type.result), Basic) else ""),
        )

    def _limit(self, below: str) -> str:
        """Return the number of indexes as C writes it; empty for a function without one."""
        struct, _, member = below.partition(".")
        if not member:
            return below
        if struct in self._fetched:
            return f"{self._fetched[struct]}->{member}"
        return f"{self._variable(struct)}.{member}" if struct in self._filled else "0"

    def _variable(self, struct: str) -> str:
        """Return the variable that is a struct which the plugin fills; it is declared when it is first asked for."""
        name = f"filled{[*self._filled].index(struct) + 1 if struct in self._filled else len(self._filled) + 1}"
        self._filled.setdefault(struct, self._speller.declare(RecordType(struct), name))
        return name

    def _arguments(self, entity: str, type: FunctionType) -> list[str] | None:
        """Choose the arguments of a function; None where one cannot be made up."""
        parameters = named_parameters(type.parameters)
        counts = {*counts_of(parameters, self._api).values()}
        counts |= {at for at, each in enumerate(parameters) if any(each.name == one.count for one in parameters)}
        nullable = next((each.nullable for each in contracts_of(self._api, entity) if each.nullable), ())
        listed = next((each.listed_by for each in (self._exported.get(entity),) if each is not None), "")
        found = []
        for at, each in enumerate(parameters):
            if each.example and not isinstance(self._api.resolve(each.type), Pointer):
                chosen: str | None = each.example
            elif each.example == "NULL":
                chosen = "NULL"
            elif each.versions:
                chosen = each.versions[-1][0]
            elif each.below or (listed and each.name == listed):
                chosen = "index" if each.below else "0"
            elif at in counts and self._api.is_integer(each.type):
                chosen = str(_ELEMENTS)
            else:
                chosen = self._argument(each.type, nullable=each.name in nullable)
            if chosen is None:
                return None
            found.append(chosen)
        return found

    def _argument(self, type: CType, *, nullable: bool) -> str | None:
        """Choose an argument by its type; None where that is not possible."""
        resolved, object = self._api.resolve(type), self._api.object_of(type)
        if object is not None and object.name in self._objects:
            return self._objects[object.name]
        struct = self._api.pointee(type)
        if struct is not None and struct.name in self._objects:
            return f"&{self._objects[struct.name]}"
        if struct is not None and struct.name in self._fetched:
            return self._fetched[struct.name]
        if struct is not None and struct.fields is not None:
            return f"&{self._variable(struct.name)}"
        if isinstance(resolved, Pointer):
            if nullable:
                return "NULL"
            if self._api.callback(type) is not None or object is not None:
                return None
            inner = self._api.object_of(resolved.target)
            if inner is not None and inner.name in self._objects:
                return f"&{self._objects[inner.name]}"
            return f"({self._speller.declare(unqualified(type))})(void*)room"
        if isinstance(resolved, (Basic, EnumType)) or self._api.is_integer(type):
            return "1" if resolved in (Basic("float"), Basic("double")) else "0"
        return None if number_of("0") is None or isinstance(resolved, RecordType) else "0"


_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_LONGEST = 40
"""Characters of a name: files and symbols are named after it."""


class PluginIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """The names of a plugin."""

    name: str
    """The name that the core and its users know: `MY_XPU`."""
    device_type: str
    """The type of its devices, for APIs that have such; the name unless its author says otherwise."""

    @property
    def stem(self) -> str:
        """The prefix of its functions and files: `my_xpu`."""
        return "_".join(filter(None, self.name.lower().split("_")))

    @property
    def capitals(self) -> str:
        """The prefix of its macros: `MY_XPU`."""
        return self.stem.upper()

    @property
    def camel(self) -> str:
        """The prefix of its types: `MyXpu`."""
        return "".join(word.capitalize() for word in self.stem.split("_"))

    @property
    def dashed(self) -> str:
        """The name of its packages: `my-xpu`."""
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
    """Return a name close to what was asked for; empty when nothing close would do."""
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII)
    lettered = re.sub(r"[\d_]+", "_", plain).strip("_")
    wanted = parse_pattern(pattern)
    for candidate in (plain, plain.upper(), plain.lower(), lettered, lettered.upper(), lettered.lower()):
        if candidate and wanted.matches(candidate):
            return f"did you mean {candidate}?"
    return ""


BEGIN, NAME, END = "\x02", "\x1f", "\x03"
"""The marks of functions in the output of templates: control characters, which no documentation of a spec contains."""


class PluginParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a function; every one has a name."""

    name: str
    type: str
    """The spelling in C."""


class PluginClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class in C++ whose functions go into a table."""

    name: str
    base: str
    """The class template that fills the table, with its namespace; empty where nothing but assignments can."""
    functions: Mapping[str, CppTableMember]
    """Its static members, by the keys of the functions."""


class PluginInCpp(msgspec.Struct, frozen=True, kw_only=True):
    """The further values that templates for C++ receive."""

    namespace: str
    """The namespace of the plugin."""
    include: str
    """The API's header in C++; empty where it has none."""
    failing: str
    """The class of statuses, with its namespace; empty for none."""
    classes: Mapping[str, PluginClass]
    """By the tables, as C names them."""

    def class_of(self, key: str) -> PluginClass:
        """Return the class that has a function."""
        return next(each for each in self.classes.values() if key in each.functions)

    def member(self, key: str) -> CppTableMember:
        """Return a function as a static member of its class."""
        return self.class_of(key).functions[key]


class PluginInRust(msgspec.Struct, frozen=True, kw_only=True):
    """The further values that templates for Rust receive."""

    modules: tuple[str, ...]
    """Of the APIs, by name; the plugin's own API first."""
    structs: Mapping[str, RustStruct]
    """By their names in Rust."""
    functions: Mapping[str, RustFunction]
    """By key; those that Rust cannot declare are missing."""
    numbers: frozenset[str]
    """Names of the constants that are plain integers."""

    def member(self, struct: str, member: str) -> RustItem:
        """Return a member of a struct, both by the names that C has for them."""
        found = self.structs[rust_name(struct.rpartition(" ")[2])]
        return next(each for each in found.members if each.name == rust_name(member))


class PluginStore(msgspec.Struct, frozen=True):
    """A parameter in which a function stores a pointer to a struct that it fills."""

    parameter: str
    struct: str
    """The name in C."""
    fill: str
    """The function that fills it."""


class PluginObject(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that the plugin exports as data."""

    name: str
    """By which the core looks it up."""
    struct: str
    """The name in C."""
    doc: str


class PluginFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function that the plugin's author writes."""

    key: str
    """The name in the spec: `XP_Fns.allocate`, or the function's name when the plugin exports it."""
    name: str
    doc: str
    declaration: str
    """The declaration in C, on one line without semicolon."""
    result: str
    """The type of the result, in C."""
    returns: str
    """The kind of that type: `nothing`, `number`, `truth`, `pointer`, `record` (a struct), or `table` (a pointer to a
    struct that it fills)."""
    parameters: tuple[PluginParameter, ...]
    status: str
    """The parameter that errors are reported in; empty for none."""
    outcome: ResultMeaning
    """The results for success and failure, as C writes values of its type."""
    error: str
    """The kind of error that it returns by pointer: `text`, `opaque`, or `struct`; empty where it returns none."""
    tell: str
    """The beginning of a call that tells the core why it has failed, up to the message; empty where nothing does."""
    exported: bool
    """Core looks it up by name."""
    core_major: tuple[str, str]
    """The place of the core's major version, which nothing else compares: a parameter, and the member of its pointee,
    empty for the parameter itself; both empty for nowhere."""
    required: bool
    fills: tuple[tuple[str, str], ...]
    """Parameters that point to structs the plugin fills, and the functions that fill those."""
    shorter: dict[str, PluginShorterStruct]
    """The parameters whose struct is shorter in an older core, by name."""
    stores: tuple[PluginStore, ...]
    """Parameters in which it stores pointers to structs that it fills."""
    table: str
    """The struct that it returns a pointer to, as C names it, where `returns` is `table`; else empty."""
    only_begins: bool
    """True if a host calls it once, to begin or to end, so that there is nothing that it has to do."""
    listed_by: str
    """The parameter that counts what it lists; it returns NULL for all but the first. Empty for none."""
    group: str
    """The heading in the spec."""

    def begin(self, name: str = "") -> str:
        """Return the mark that a template prints before the function, by which it is found; it is removed later.

        Args:
            name: what the file calls it, when that is not `name`.
        """
        return f"{BEGIN}{self.key}{NAME}{name or self.name}{END}"

    @property
    def succeeds(self) -> bool:
        """True if it works as it is scaffolded: it has nothing to do but fill what it is handed, or to return it."""
        return bool(self.fills or self.stores or self.only_begins) or self.returns in ("nothing", "table")

    @property
    def end(self) -> str:
        """Return the mark that a template prints behind the function."""
        return f"{BEGIN}/{self.key}{END}"


class PluginTableMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a table that the plugin sets, or fills what it points to."""

    member: str
    value: str
    """The function that it is set to, the function that fills what it points to, or the text that it is set to."""
    guarded: bool
    """True if some core has no such member."""


class PluginTableValue(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a table that has to have some value, for the core to take the table."""

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
    """True if some core has no such member."""
    function: PluginFunction | None = None
    """A function that the member is set to; None for another value."""


class HandedObject(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that the core hands over when it calls an entry point, for tests that are the core."""

    name: str
    """Of the member of the library that holds it, or of the parameter."""
    struct: str
    """The name in C."""
    pointers: tuple[tuple[str, str], ...]
    """Members that point to other such structs, and the names of those."""
    values: tuple[PluginTableValue, ...]
    """The members that the core has to set in it."""
    versions: tuple[tuple[str, str], ...] = ()
    """Members in which the core states a part of its version, each with the macro that has it."""


class PluginShorterStruct(msgspec.Struct, frozen=True, kw_only=True):
    """A struct of which an older core has fewer members; the core passes its version beside it."""

    struct: str
    """The name in C."""
    version: str
    """The parameter with the version."""
    ends: tuple[tuple[str, str], ...]
    """A constant and a member each, the oldest first: the struct ends before this member if the version is lower."""


class PluginTable(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that the plugin fills, or has a part in."""

    struct: str
    """The name in C."""
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
    """Name of the function that compares the core's version with the plugin's; empty where the core states none in
    it."""
    core_major: str
    """The member in which the core states its major version; empty for none."""
    functions: tuple[PluginTableMember, ...]
    nested: tuple[PluginTableMember, ...]
    """Pointers to other tables."""
    texts: tuple[PluginTableMember, ...]
    """The plugin's names, where nobody else sets them."""
    values: tuple[PluginTableValue, ...]
    """The other members that the core requires, with values that the author replaces."""


class ScaffoldRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The author's request."""

    name: str
    """Of the plugin."""
    device_type: str | None
    """The name of the device; None for the plugin's name."""
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
    """The first line of files that each update generates anew."""
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
    """The loaders by which the core loads the plugin, one for each entry point; empty without checks."""
    handed: Mapping[str, tuple[HandedObject, ...]]
    """The structs that the core hands over, by the entry points."""
    finding: str
    """The type that the checks hand findings over in; empty where there are none."""
    major: str
    """The macro with the API's major version; empty for an API without."""
    core_functions: tuple[str, ...]
    """The functions of the core that the plugin may call, by name."""
    errors: Errors | None
    functions: Mapping[str, PluginFunction]
    tables: tuple[PluginTable, ...]
    objects: tuple[PluginObject, ...]
    """Tables that the core looks up by name."""
    life: LifeTest | None
    """The calls of a test, for the API of a vendor; None for others."""
    host: HostProgram
    """The program that loads the plugin; in its texts the plugin's name stands already."""
    cpp: PluginInCpp | None
    """The part for C++; None where the language needs no C++ headers."""
    rust: PluginInRust | None
    """The part for Rust; None where the language needs no Rust modules."""

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
        """True if some function returns or tells error numbers of <errno.h>."""
        return any("ENOTSUP" in each.tell + each.outcome.unsupported for each in self.functions.values())

    def table(self, struct: str) -> PluginTable:
        """Return the table that is a struct, as C names it."""
        return next(each for each in self.tables if each.struct == struct)

    def has(self, *features: str) -> bool:
        """True if one of these features was asked for."""
        return any(each in self.features for each in features)

    @property
    def exports(self) -> tuple[PluginFunction, ...]:
        """The functions that the core looks up by name."""
        return tuple(each for each in self.functions.values() if each.exported)

    @property
    def host_arguments(self) -> tuple[str, ...]:
        """The words of the command that runs the host."""
        return tuple(shlex.split(self.host.command))

    @property
    def library_name(self) -> str:
        """Return the file name of the library without the suffix; empty for the usual name."""
        return self.host.library.rpartition(".")[0] or self.host.library

    @property
    def looked_up(self) -> tuple[PluginFunction | PluginObject, ...]:
        """Return the functions that a plugin has to export, by name; optional functions are left out."""
        return (*(each for each in self.exports if each.required), *self.objects)

    @property
    def callbacks(self) -> tuple[PluginFunction, ...]:
        """The functions that go into tables."""
        return tuple(each for each in self.functions.values() if not each.exported)
