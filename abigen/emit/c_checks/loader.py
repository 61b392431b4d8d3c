"""How a core loads a plugin through an entry point: what it provides, what it hands over, and what it frees."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from abigen.emit.c.helpers import size_type
from abigen.emit.c.names import Speller, free_name, with_suffix
from abigen.emit.c_checks.validators import Validators
from abigen.emit.publication import Publication
from abigen.model.contract import Party, ResultKind
from abigen.model.ctype import Basic, Pointer, RecordType, unqualified
from abigen.model.entities import Function, Struct
from abigen.model.roles import is_of_plugin

_PARTS = ("major", "minor", "patch")
_TAKEN = ("handle", "filled", "result", "library", "path", "report", "context", "reporter", "entry", "open_library")
"""Names of members of a library, and of what its functions use themselves."""


class ValidatorCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a validator."""

    function: str
    objects: tuple[str, ...]
    """The provided objects that it is given besides the checked one; empty for one that core does not provide."""


class ProvidedObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object that the loader keeps for the plugin: the entry point is handed it, or something that points to it."""

    struct: Struct
    type: str
    """As C names it."""
    name: str
    """Of the member of the library that holds it."""
    size_type: str
    """Of the member with its size; empty for a struct that is not versioned."""
    versions: tuple[tuple[str, str, str], ...]
    """Members that core states its version in: their names, types, and the macros that they are set to."""
    pointers: tuple[tuple[str, str], ...]
    """Members that point to other provided objects, and the names of those."""
    destroys: tuple[tuple[str, str], ...]
    """Members that free what the plugin allocated for an object, and the name of the object, as declared."""
    check: ValidatorCall | None = None
    """None for an object without a validator, and for what another one's validator reaches."""


class StatedVersion(msgspec.Struct, frozen=True, kw_only=True):
    """Where a side states the version that it was built with."""

    object: str
    """The provided object that states it; empty for what the entry point returns."""
    struct: Struct
    type: str
    """As C names it."""
    member: str
    """Where the major version stands."""


class EntryParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of the entry point."""

    name: str
    """Of the provided object whose address it takes, or of what the core passes through the loader."""
    declaration: str
    """Of what the core passes; empty for a provided object."""


class Loader(msgspec.Struct, frozen=True, kw_only=True):
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
    library: str
    prepare: str
    load: str
    load_handle: str
    """The same from a library that is open already."""
    load_entry: str
    """The same from the address of the entry point."""
    unload: str
    function: str
    """The type of pointers to the entry point."""
    function_type: str
    """Declares that."""
    provided: tuple[ProvidedObject, ...]
    parameters: tuple[EntryParameter, ...]
    status: str
    """The parameter that errors are reported in; empty for none."""
    result: str
    """What the entry point's result says: the kind of an outcome (abigen/model/contract.py), empty for nothing."""
    result_type: str
    """Declares what keeps it."""
    ok: str
    """The number that says that all went well."""
    codes: tuple[str, ...]
    """The names of what it may return."""
    last_message: str
    """A function of core's that tells what the last error was; empty for none."""
    table_check: ValidatorCall | None
    plugin_version: StatedVersion | None
    core_version: StatedVersion | None
    check_core: str
    """What a plugin checks core's version with; empty where core states none."""

    @property
    def forwarded(self) -> tuple[EntryParameter, ...]:
        """What the core passes through the loader."""
        return tuple(each for each in self.parameters if each.declaration)


def loader_of(entry: Function, publication: Publication, validators: Validators) -> Loader:
    """Make the view of the loader of an entry point.

    Args:
        entry: a function that plugins export.
        publication: the API.
        validators: of this API.
    """
    return _Planner(publication, validators).plan(entry)


class _Planner:
    def __init__(self, publication: Publication, validators: Validators) -> None:
        self._api = publication.api
        self._header = publication.header
        self._validators = {each.struct.name: each for each in validators.all}
        self._declare = Speller(self._api).declare
        self._names: set[str] = set(_TAKEN)
        self._objects: list[ProvidedObject] = []

    def plan(self, entry: Function) -> Loader:
        parameters: list[EntryParameter] = []
        tops: set[str] = set()
        status = ""
        for at, parameter in enumerate(entry.type.parameters):
            pointee = self._api.pointee(parameter.type)
            if pointee is not None:
                name = self._provide(pointee, parameter.name or "params", ())
                tops.add(name)
                parameters.append(EntryParameter(name=name, declaration=""))
                continue
            name = self._free(parameter.name or f"argument{at + 1}")
            parameters.append(EntryParameter(name=name, declaration=self._declare(parameter.type, name)))
            status = status or (name if self._api.is_status(parameter.type) else "")
        macros, last = self._header.version_macros, self._api.functions.get(self._api.conventions.returned.last.message)
        table = self._api.pointee(entry.type.result)
        outcome = self._api.outcome(entry.type, entry.name, entry_point=True)
        is_void = self._api.resolve(entry.type.result) == Basic("void")
        core_version = next(self._stated(None, by_plugin=False), None)
        parts = ("Library", "Prepare", "Load", "Unload", "Function")
        names = {part.lower(): with_suffix(entry.name, part) for part in parts}
        return Loader(
            entry=entry.name,
            optional=entry.contract.is_optional,
            api=self._header.banner.rpartition(".")[0] or self._header.prefix,
            version=macros if len(macros) == len(_PARTS) else (),
            major=macros[0] if macros else "",
            **names,
            load_handle=with_suffix(entry.name, "LoadHandle"),
            load_entry=with_suffix(entry.name, "LoadEntry"),
            function_type=self._declare(Pointer(entry.type), names["function"]),
            provided=tuple(
                replace(each, check=self._check(each.struct)) if each.name in tops else each for each in self._objects
            ),
            parameters=tuple(parameters),
            status=status,
            result=outcome.kind.value,
            result_type="" if is_void else self._declare(unqualified(entry.type.result), "result"),
            ok=outcome.ok,
            codes=self._api.codes_of(entry.type) if outcome.kind is ResultKind.CODE else (),
            last_message=last.name if last and outcome and last.implemented_by is not Party.PLUGIN else "",
            table_check=self._check(table) if table is not None else None,
            plugin_version=next(self._stated(table, by_plugin=True), None),
            core_version=core_version,
            check_core=with_suffix(entry.name, "CheckCore") if core_version else "",
        )

    def _free(self, name: str) -> str:
        """The name, or one like it that nothing has yet."""
        self._names.add(free := free_name(name, self._names))
        return free

    def _provide(self, struct: Struct, name: str, above: tuple[str, ...]) -> str:
        """Provide an object, and those that its members point to; `above` are the structs that led here."""
        name = self._free(name)
        place = len(self._objects)
        pointers: list[tuple[str, str]] = []
        destroys: list[tuple[str, str]] = []
        for member in struct.fields or ():
            pointee = self._api.pointee(member.type)
            fits = member.allocated_by is Party.CORE and not self._api.is_const(member.type)
            if not fits or pointee is None or pointee.name in (*above, struct.name):
                continue
            reached = self._provide(pointee, member.name, (*above, struct.name))
            pointers.append((member.name, reached))
            if member.destroy:
                destroys.append((member.destroy, reached))
        made = ProvidedObject(
            struct=struct,
            type=self._declare(RecordType(struct.name)),
            name=name,
            size_type=self._declare(unqualified(size_type(struct, self._api))) if struct.is_versioned else "",
            versions=tuple(self._versions(struct)),
            pointers=tuple(pointers),
            destroys=tuple(destroys),
        )
        self._objects.insert(place, made)
        return name

    def _check(self, struct: Struct) -> ValidatorCall | None:
        """The call of a struct's validator, which is given what core has provided."""
        validator = self._validators.get(struct.name)
        if validator is None or not validator.is_of_plugin:
            return None
        objects = {each.struct.name: each.name for each in reversed(self._objects)}
        return ValidatorCall(
            function=validator.function, objects=tuple(objects.get(each.struct.name, "") for each in validator.given)
        )

    def _versions(self, struct: Struct) -> Iterator[tuple[str, str, str]]:
        macros = dict(zip(_PARTS, self._header.version_macros, strict=False))
        for member in struct.fields or ():
            if member.version_part in macros and not self._api.is_const(member.type) and not is_of_plugin(member):
                yield member.name, self._declare(unqualified(member.type)), macros[member.version_part]

    def _stated(self, table: Struct | None, *, by_plugin: bool) -> Iterator[StatedVersion]:
        """Where one of the two sides states its major version."""
        places = [(each.name, each.struct) for each in self._objects]
        places += [("", table)] if table is not None else []
        for object, struct in places if self._header.version_macros else ():
            for member in struct.fields or ():
                if member.version_part == "major" and is_of_plugin(member) == by_plugin:
                    yield StatedVersion(
                        object=object,
                        struct=struct,
                        type=self._declare(RecordType(struct.name)),
                        member=member.name,
                    )
