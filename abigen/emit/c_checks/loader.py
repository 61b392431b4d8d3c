"""How a core loads a plugin through an entry point: what it provides, what it hands over, and what it frees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from abigen.emit.c.names import with_suffix
from abigen.emit.c.types import Speller
from abigen.emit.c_checks.validators import Validators
from abigen.model.api import Api, Header
from abigen.model.ctype import Basic, CType, NamedType, Parameter, Pointer, Qualified
from abigen.model.entities import Function, Struct

_PARTS = ("major", "minor", "patch")


@dataclass(frozen=True, kw_only=True)
class Check:
    """A call of a validator."""

    function: str
    arguments: tuple[str, ...]
    """What it is given besides the object."""


@dataclass(frozen=True, kw_only=True)
class Provided:
    """An object that the loader keeps for the plugin: the entry point is handed it, or something that points to it."""

    struct: str
    """Its type, as C names it."""
    name: str
    """Of the member of the library that holds it."""
    declaration: str
    size_field: str
    """Empty for a struct that is not versioned."""
    size_type: str
    last: str
    """Its last member, at whose end its size ends."""
    versions: tuple[tuple[str, str, str], ...]
    """Members that core states its version in: their names, types, and the macros that they are set to."""
    pointers: tuple[tuple[str, str], ...]
    """Members that point to other provided objects, and the names of those."""
    destroys: tuple[tuple[str, str], ...]
    """Members that free what the plugin allocated for an object, and the name of the object, as declared."""
    check: Check | None
    """None for an object without a validator, and for what another one's validator reaches."""


@dataclass(frozen=True, kw_only=True)
class StatedVersion:
    """Where a side states the version that it was built with."""

    object: str
    """The address of the object that states it, from the library."""
    struct: str
    """The object's type, as C names it."""
    size: str
    """Member with the object's size; empty for a struct that is not versioned."""
    member: str
    """Where the major version stands."""


@dataclass(frozen=True, kw_only=True)
class Loader:
    """Everything about one entry point."""

    entry: str
    optional: bool
    """Whether a library without it is a plugin all the same."""
    api: str
    """Name of the API in messages."""
    version: tuple[str, ...]
    """Macros with the version that core was built with: three, or none."""
    major: str
    """The macro with core's major version; empty for an API without version."""
    offer: str
    """What core offers, in a format: the API, and its version where it has one."""
    offer_arguments: str
    """What the format takes, each with a comma behind it."""
    offer_last: str
    """The same with a comma before each."""
    library: str
    prepare: str
    load: str
    unload: str
    function_type: str
    """Declares the type of pointers to the entry point."""
    function_name: str
    """The name of that type."""
    provided: tuple[Provided, ...]
    forwarded: tuple[str, ...]
    """Declarations of the parameters that the core passes through the loader."""
    forwarded_names: tuple[str, ...]
    arguments: tuple[str, ...]
    """What the entry point is called with."""
    status: str
    """The forwarded parameter that errors are reported in; empty for none."""
    result: str
    """What the entry point returns: `nothing`, `truth`, `number`, `pointer` (to an error), `table`."""
    result_type: str
    """Declares what keeps it."""
    ok: str
    """The number that says that all went well."""
    table_check: Check | None
    plugin_version: StatedVersion | None
    core_version: StatedVersion | None
    check_core: str
    """What a plugin checks core's version with; empty where core states none."""


def loader_of(entry: Function, api: Api, header: Header, validators: Validators, speller: Speller) -> Loader:
    """Make the view of the loader of an entry point.

    Args:
        entry: a function that plugins export.
        api: the API.
        header: how it is published.
        validators: of this API.
        speller: of this API.
    """
    return _Planner(api, header, validators, speller).plan(entry)


class _Planner:
    def __init__(self, api: Api, header: Header, validators: Validators, speller: Speller) -> None:
        self._api = api
        self._header = header
        self._validators = validators
        self._speller = speller
        self._names: set[str] = {"handle", "filled", "result"}

    def plan(self, entry: Function) -> Loader:
        provided: list[Provided] = []
        tops: set[str] = set()
        forwarded: list[str] = []
        names: list[str] = []
        arguments: list[str] = []
        status = ""
        for at, parameter in enumerate(entry.type.parameters):
            pointee = self._validators.pointee(parameter.type)
            if pointee is not None:
                reached = list(self._provide(pointee, parameter.name or "params", ()))
                provided += reached
                tops.add(reached[0].name)
                arguments.append(f"&library->{reached[0].name}")
                continue
            name = self._free(parameter.name or f"argument{at + 1}")
            forwarded.append(self._speller.declare(parameter.type, name))
            names.append(name)
            arguments.append(name)
            status = status or (name if self._is_status(parameter) else "")
        result, table = self._result(entry.type.result)
        errors = self._api.conventions.errors
        macros = self._header.version_macros
        version = macros if len(macros) == len(_PARTS) else ()
        name = self._header.banner.rpartition(".")[0] or self._header.prefix
        function_name = with_suffix(entry.name, "Function")
        core_version = self._stated(provided, None, by_plugin=False)
        return Loader(
            entry=entry.name,
            optional=entry.contract.is_optional,
            api=name,
            version=version,
            major=macros[0] if macros else "",
            offer=f"{name} %d.%d.%d" if version else name,
            offer_arguments="".join(f"{each}, " for each in version),
            offer_last="".join(f", {each}" for each in version),
            library=with_suffix(entry.name, "Library"),
            prepare=with_suffix(entry.name, "Prepare"),
            load=with_suffix(entry.name, "Load"),
            unload=with_suffix(entry.name, "Unload"),
            function_type=f"typedef {self._speller.declare(Pointer(entry.type), function_name)}",
            function_name=function_name,
            provided=tuple(
                replace(each, check=self._check(self._struct_called(each.struct), provided))
                if each.name in tops
                else each
                for each in provided
            ),
            forwarded=tuple(forwarded),
            forwarded_names=tuple(names),
            arguments=tuple(arguments),
            status=status,
            result=result,
            result_type="" if result == "nothing" else self._speller.declare(_bare(entry.type.result), "result"),
            ok=errors.codes["ok"] if errors and not status else "0",
            table_check=self._check(table, provided) if table is not None else None,
            plugin_version=self._stated(provided, table, by_plugin=True),
            core_version=core_version,
            check_core=with_suffix(entry.name, "CheckCore") if core_version else "",
        )

    def _free(self, name: str) -> str:
        """The name, or one like it that nothing has yet."""
        while name in self._names or name in ("library", "path", "report", "context", "reporter", "entry"):
            name += "_"
        self._names.add(name)
        return name

    def _provide(self, struct: Struct, name: str, above: tuple[str, ...]) -> Iterator[Provided]:
        """An object, and behind it those that its members point to; `above` are the structs that led here."""
        name = self._free(name)
        pointers: list[tuple[str, str]] = []
        destroys: list[tuple[str, str]] = []
        below: list[Provided] = []
        for member in struct.fields or ():
            pointee = self._validators.pointee(member.type)
            fits = member.allocated_by == "core" and not _is_constant(member.type)
            if not fits or pointee is None or pointee.name in (*above, struct.name):
                continue
            reached = list(self._provide(pointee, member.name, (*above, struct.name)))
            pointers.append((member.name, reached[0].name))
            if member.destroy:
                destroys.append((member.destroy, reached[0].name))
            below += reached
        versioned = struct.name in self._size_macros
        fields = struct.fields or ()
        declaration = struct.typedef_names[0] if struct.typedef_names else f"{struct.kind} {struct.tag}"
        yield Provided(
            struct=declaration,
            name=name,
            declaration=f"{declaration} {name}",
            size_field=fields[0].name if versioned else "",
            size_type=self._speller.declare(_bare(fields[0].type)),
            last=fields[-1].name,
            versions=tuple(self._versions(struct)),
            pointers=tuple(pointers),
            destroys=tuple(destroys),
            check=None,
        )
        yield from below

    @property
    def _size_macros(self) -> set[str]:
        """Structs that state their size, of this API and of those that it uses."""
        return {*self._header.size_macros, *(each.struct for each in self._api.size_constants.values())}

    def _check(self, struct: Struct, provided: Sequence[Provided]) -> Check | None:
        """The call of a struct's validator, which is given what core has provided."""
        validator = next((each for each in self._validators.all if each.struct == struct.name), None)
        if validator is None:
            return None
        objects = {each.struct: f"&library->{each.name}" for each in reversed(provided)}
        arguments = tuple(objects.get(each.type, "NULL") for each in validator.given)
        return Check(function=validator.function, arguments=arguments)

    def _versions(self, struct: Struct) -> Iterator[tuple[str, str, str]]:
        macros = dict(zip(_PARTS, self._header.version_macros, strict=False))
        for member in struct.fields or ():
            if _is_constant(member.type):
                continue
            if member.version_part in macros and not self._states_plugin_version(member.contract.set_by, struct):
                yield member.name, self._speller.declare(_bare(member.type)), macros[member.version_part]

    def _states_plugin_version(self, set_by: str, struct: Struct) -> bool:
        return set_by == "plugin" or (not set_by and self._validators.is_filled_by_plugin(struct))

    def _stated(self, provided: Sequence[Provided], table: Struct | None, *, by_plugin: bool) -> StatedVersion | None:
        """Where one of the two sides states its major version."""
        places = [(f"&library->{each.name}", self._struct_called(each.struct)) for each in provided]
        if table is not None:
            places.append(("library->result", table))
        for object, struct in places:
            for member in struct.fields or ():
                states = self._states_plugin_version(member.contract.set_by, struct)
                if member.version_part == "major" and states == by_plugin and self._header.version_macros:
                    size = (struct.fields or ())[0].name if struct.name in self._size_macros else ""
                    type = struct.typedef_names[0] if struct.typedef_names else f"{struct.kind} {struct.tag}"
                    return StatedVersion(object=object, struct=type, size=size, member=member.name)
        return None

    def _struct_called(self, type: str) -> Struct:
        struct = self._api.struct_of(NamedType(type)) if not type.startswith(("struct ", "union ")) else None
        return struct or next(each for each in self._api.structs.values() if f"{each.kind} {each.tag}" == type)

    def _is_status(self, parameter: Parameter) -> bool:
        errors = self._api.conventions.errors
        type = self._api.resolve(parameter.type)
        if errors is None or not isinstance(type, Pointer):
            return False
        return self._api.resolve(type.target) == self._api.resolve(NamedType(errors.status))

    def _result(self, type: CType) -> tuple[str, Struct | None]:
        resolved = self._api.resolve(type)
        if resolved == Basic("void"):
            return "nothing", None
        table = self._validators.pointee(type)
        if table is not None:
            return "table", table
        if isinstance(resolved, Pointer):
            return "pointer", None
        return ("truth" if resolved == Basic("_Bool") else "number"), None


def _is_constant(type: CType) -> bool:
    """Whether a member of the type cannot be assigned to."""
    return isinstance(type, Qualified) and "const" in type.qualifiers


def _bare(type: CType) -> CType:
    """The type without qualifiers at its top."""
    return type.type if isinstance(type, Qualified) else type
