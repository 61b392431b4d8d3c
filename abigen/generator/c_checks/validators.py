"""Views of the generated validators and of the loader.

A validator checks a struct that the other side filled. The loader opens a plugin, compares versions and calls its
entry point.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, count

import msgspec
from msgspec.structs import replace

from abigen.generator.c.lines import Speller, free_name, with_suffix
from abigen.generator.c.target import release_sizes, size_type
from abigen.generator.publication import Publication
from abigen.model.contract import Contract, Lifecycle, Party, ResultKind
from abigen.model.ctype import Array, Basic, BitInt, EnumType, NamedType, Pointer, RecordType, unqualified
from abigen.model.entities import Field, Function, Struct
from abigen.model.releases import compatible_releases
from abigen.model.roles import (
    ExtensionKind,
    can_be_missed,
    chain_of,
    extension_kind,
    extensions_of,
    is_left_to_plugins,
    is_of_plugin,
    kind_member,
)
from abigen.model.spelling import reserved_word, screaming_snake

_NAMES_IN_CHECKS = ("object", "report", "context", "reporter", "steps", "members", "conditions", "type")
"""Names that a check uses itself."""


class AskedMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member whose value a condition depends on."""

    struct: Struct
    type: str
    """The struct as C names it."""
    name: str
    """Of the parameter that points to the struct, and may be NULL; empty for the checked object itself."""
    member: str
    pointer: bool
    unless: bool
    """True if it has to be zero."""


Asked = tuple[AskedMember, ...]
"""Members that are set, or not, where another is required or forbidden; all have to hold. Empty for no condition."""


class MemberCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A member that is looked at where the object is large enough to have it."""

    field: Field
    pointer: bool
    required: bool
    """True if the plugin has to set it whatever else it sets."""
    required_when: Asked
    forbidden_when: Asked
    since: str
    """The release that brought it; empty for an API without version."""
    chain: Struct | None
    """The base of the extensions that it leads to."""
    successor: Field | None
    """The successor of a deprecated member in the same struct, which has to be set as well."""

    @property
    def deprecated(self) -> bool:
        """True if setting it is worth a warning: it is deprecated, and nothing requires it."""
        return self.field.contract.lifecycle.deprecated and not self.required


class SizeRange(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes that a struct can have from one release on: to the end of `last`, or to where the next range begins."""

    release: str
    first: str
    """The first member that the release appended; empty where nobody can ask for its offset, and in the first range."""
    last: str
    is_open: bool = False
    """True if `last` is an array without a length; its elements do not count."""


class GivenArgument(msgspec.Struct, frozen=True, kw_only=True):
    """The source of another struct that a check passes on to a nested check."""

    name: str
    """The object itself, or a parameter."""
    member: str = ""
    """The object's member that points to it; empty for what `name` points to."""
    later: bool = False
    """True if that member stands behind the one whose object is checked, so that it may not be there yet."""


class NestedCheck(msgspec.Struct, frozen=True, kw_only=True):
    """An object that the core has provided and that the plugin has filled, behind a pointer or within the struct."""

    member: str
    pointer: bool
    function: str
    """The function that checks the object."""
    arguments: tuple[GivenArgument, ...]
    """The further arguments of that function, one for each of `Validator.given` of the object's struct."""
    given: tuple[str, ...]
    """Members of the object, of which the plugin sets at least one if it gives what is optional; else empty."""
    type: str
    """The object's struct as C names it."""
    size_field: str


class ChainCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A function that walks a chain of extensions."""

    base: Struct
    """The struct that each extension begins with."""
    type: str
    """The base as C names it."""
    kind_member: str
    """The member of the base that says which extension it is."""
    kind_type: str
    known: tuple[tuple[str, str, str], ...]
    """Extensions that have a check: the value, the struct as C names it, and the check."""


class Validator(msgspec.Struct, frozen=True, kw_only=True):
    """Checks one struct."""

    struct: Struct
    type: str
    """The name in C."""
    function: str
    steps: tuple[SizeRange, ...]
    members: tuple[MemberCheck, ...]
    conditions: tuple[Asked, ...]
    """The constants of its members, each once."""
    nested: tuple[NestedCheck, ...]
    kind: ExtensionKind | None
    """The kind that an extension states besides its size; empty for other structs."""
    kind_type: str
    """The type of that; empty for what is no extension."""
    is_of_plugin: bool
    """True if the plugin fills any of it; otherwise the core checks it before handing it over, or the plugin does."""
    given: tuple[AskedMember, ...]
    """The other structs that its conditions or nested checks read, each with the member that is read."""


class Validators:
    """The validators of an API."""

    def __init__(self, publication: Publication) -> None:
        """Make them.

        Args:
            publication: the API.
        """
        self._api = publication.api
        self._releases = publication.header.releases
        self._speller = Speller(self._api)
        self._parameters = self._named_parameters()
        structs = [each for each in self._api.structs.values() if each.in_api and each.fields and not each.is_union]
        own = {each.name: tuple(self._members(each)) for each in structs if not each.anonymous}
        self._own = {
            key: members for key, members in own.items() if self._is_looked_at(self._api.structs[key], members)
        }
        checked = [each for each in structs if self._is_checked(each)]
        self._checked = {each.name for each in checked if self._is_of_plugin(each)}
        self._known: dict[str, tuple[AskedMember, ...]] = {}
        self.all = tuple(self._validator(each) for each in checked)
        """The validators of all structs that a plugin fills, or has a part in, in the order of declaration."""
        bases = {each.chain.name: each.chain for check in self.all for each in check.members if each.chain}
        self.chains = tuple(self._chain(each) for each in bases.values())
        """The functions that walk the chains of extensions that these structs lead to."""

    def _named_parameters(self) -> dict[str, str]:
        """Return names of the parameters that stand for structs which some condition could ask, by their keys."""
        api, found = self._api, dict[str, str]()
        taken = {
            *_NAMES_IN_CHECKS,
            *api.structs,
            *api.enums,
            *api.typedefs,
            *api.functions,
            *api.constants,
            *api.macros,
        }
        for struct in api.structs.values():
            if struct.in_api and struct.fields and not struct.anonymous:
                found[struct.name] = _free_name(struct.name, taken)
                taken.add(found[struct.name])
        return found

    def _type(self, struct: Struct) -> str:
        return self._speller.declare(RecordType(struct.name))

    def _is_of_plugin(self, struct: Struct) -> bool:
        """True if the plugin fills a struct, or may, or has a part in it."""
        parts = (is_of_plugin(each) or each.allocated_by is Party.CORE for each in struct.fields or ())
        return struct.filler is not Party.CORE or any(parts)

    def _is_looked_at(self, struct: Struct, members: tuple[MemberCheck, ...]) -> bool:
        """True if one side has reason to check a struct: the plugin fills part of it, or the core has to fill
        members."""
        return self._is_of_plugin(struct) or any(each.required or each.required_when for each in members)

    def _is_checked(self, struct: Struct) -> bool:
        """True if a struct has a validator: there is something to check of it or of what it holds."""
        if struct.name not in self._own:
            return False
        inside = self._inside(struct)
        return (
            struct.is_versioned
            or bool(self._own[struct.name])
            or any(pointer or (self._is_of_plugin(inner) and self._is_checked(inner)) for _, inner, pointer in inside)
        )

    def _validator(self, struct: Struct) -> Validator:
        members, kind = self._own[struct.name], extension_kind(struct, self._api)
        return Validator(
            struct=struct,
            type=self._type(struct),
            function=with_suffix(struct.name, "Check"),
            steps=tuple(self._steps(struct)) if struct.is_versioned else (),
            members=members,
            conditions=_conditions(members),
            nested=tuple(
                NestedCheck(
                    member=member.name,
                    pointer=pointer,
                    function=with_suffix(inner.name, "Check"),
                    arguments=tuple(
                        self._reached_from(each, struct, member) or GivenArgument(name=each.name)
                        for each in self._needed(inner)
                    ),
                    given=tuple(self._settable(inner)) if member.contract.is_optional else (),
                    type=self._type(inner),
                    size_field=inner.size_field,
                )
                for member, inner, pointer in self._inner(struct)
            ),
            kind=kind,
            kind_type=self._speller.declare(kind.type) if kind is not None else "",
            is_of_plugin=self._is_of_plugin(struct),
            given=self._needed(struct),
        )

    def _chain(self, base: Struct) -> ChainCheck:
        kind = kind_member(base, self._api)
        assert kind is not None  # a spec whose base has none is refused
        known = [
            (value, self._type(each), with_suffix(each.name, "Check"))
            for value, each in extensions_of(base, self._api).items()
            if each.in_api and self._is_checked(each) and not self._needed(each)
        ]
        return ChainCheck(
            base=base,
            type=self._type(base),
            kind_member=kind.name,
            kind_type=self._speller.declare(kind.type),
            known=tuple(known),
        )

    def _steps(self, struct: Struct) -> Iterator[SizeRange]:
        """Yield the sizes of a struct since the first release that this one is compatible with."""
        fields = struct.fields or ()
        names = [each.name for each in fields]
        sizes: dict[str, str] = {}
        for release, last in release_sizes(struct, compatible_releases(self._releases)):
            sizes.setdefault(last, str(release))
        begin = 0
        for last, since in (sizes or {names[-1]: ""}).items():
            first = fields[begin]
            known = begin > 0 and first.bit_width is None
            end = self._api.resolve(fields[names.index(last)].type)
            is_open = isinstance(end, Array) and end.length is None
            yield SizeRange(release=since, first=first.name if known else "", last=last, is_open=is_open)
            begin = names.index(last) + 1

    def _members(self, struct: Struct) -> Iterator[MemberCheck]:
        """Yield the members that can be looked at and of which there is something to say.

        What core sets in a struct that the plugin fills is not there yet when the core checks the struct.
        """
        by_core = struct.filler is Party.CORE
        fields = struct.fields or ()
        for each in fields[1:] if struct.is_versioned else fields:
            if (each.filler is Party.CORE and not by_core) or not each.name or not self._is_scalar(each):
                continue
            contract = each.contract
            pointer = isinstance(self._api.resolve(each.type), Pointer)
            demands = can_be_missed(each, self._api)
            excluded = struct.member(each.excludes) if each.excludes else None
            since = contract.lifecycle.since or struct.contract.lifecycle.since or next(iter(self._releases), "")
            check = MemberCheck(
                field=each,
                pointer=pointer,
                required=demands and contract.is_required,
                required_when=self._condition(contract, struct) if demands else (),
                forbidden_when=(self._asked(struct, excluded, struct, unless=False),) if excluded else (),
                since=str(since),
                chain=chain_of(each.type, self._api) if each.name != struct.next_extension else None,
                successor=self._successor(contract.lifecycle, struct),
            )
            demanded = check.required or check.required_when or check.forbidden_when
            if demanded or check.deprecated or each.pattern or check.chain:
                yield check

    def _settable(self, struct: Struct) -> Iterator[str]:
        """Yield the members that the plugin sets in a struct and whose place C can tell."""
        for each in struct.fields or ():
            if each.name and each.bit_width is None and is_left_to_plugins(each, struct):
                yield each.name

    def _successor(self, lifecycle: Lifecycle, struct: Struct) -> Field | None:
        """Return the member of the same struct that takes the place of one that is deprecated."""
        name = lifecycle.replaced_by if lifecycle.deprecated else ""
        found = struct.member(name.removeprefix(f"{struct.name}."))
        return found if found is not None and self._is_scalar(found) else None

    def _is_scalar(self, member: Field) -> bool:
        """True if all of its bytes are zero where it is not set, and C can say where it stands."""
        resolved = self._api.resolve(member.type)
        return member.bit_width is None and isinstance(resolved, (Pointer, Basic, BitInt, EnumType, NamedType))

    def _condition(self, contract: Contract, struct: Struct) -> Asked:
        """Return the condition under which a member is required; empty if there is none or it reads a newer member."""
        asked: list[AskedMember] = []
        for path, unless in ((contract.condition.when, False), (contract.condition.unless, True)):
            name, _, member_name = path.rpartition(".")
            owner = self._api.structs.get(name) if name else struct
            member = owner.member(member_name) if owner else None
            if path and (owner is None or member is None):
                return ()
            if owner is not None and member is not None:
                asked.append(self._asked(owner, member, struct, unless=unless))
        return tuple(asked)

    def _asked(self, owner: Struct, member: Field, struct: Struct, *, unless: bool) -> AskedMember:
        return AskedMember(
            struct=owner,
            type=self._type(owner),
            name="" if owner.name == struct.name else self._parameters[owner.name],
            member=member.name,
            pointer=isinstance(self._api.resolve(member.type), Pointer),
            unless=unless,
        )

    def _needed(self, struct: Struct) -> tuple[AskedMember, ...]:
        """Return the other structs that the validator of a struct is given, for itself and for those that it calls."""
        if struct.name not in self._known:
            asked = chain.from_iterable(_conditions(self._own[struct.name]))
            found = {each.struct.name: each for each in asked if each.name}
            for member, inner, _ in self._inner(struct):
                found |= {
                    each.struct.name: each
                    for each in self._needed(inner)
                    if not self._reached_from(each, struct, member)
                }
            self._known[struct.name] = tuple(found.values())
        return self._known[struct.name]

    def _inner(self, struct: Struct) -> Iterator[tuple[Field, Struct, bool]]:
        """Yield the objects that are checked along with a struct; but none from which the way leads back to it."""
        for member, inner, pointer in self._inside(struct):
            if inner.name in self._checked and struct.name not in self._reached(inner):
                yield member, inner, pointer

    def _reached(self, struct: Struct) -> set[str]:
        """Return the struct, and all that checks of it could lead to."""
        found: set[str] = set()
        ahead = [struct]
        while ahead:
            each = ahead.pop()
            if each.name not in found:
                found.add(each.name)
                ahead += (inner for _, inner, _ in self._inside(each) if inner.name in self._checked)
        return found

    def _reached_from(self, given: AskedMember, struct: Struct, checked: Field) -> GivenArgument | None:
        """Return the path by which the check of a member's object reaches another struct; None when it cannot."""
        if given.struct.name == struct.name:
            return GivenArgument(name="object")
        names = [each.name for each in struct.fields or ()]
        for member, pointee, pointer in self._inside(struct):
            if pointer and pointee.name == given.struct.name:
                later = names.index(member.name) > names.index(checked.name)
                return GivenArgument(name="object", member=member.name, later=later)
        return None

    def _inside(self, struct: Struct) -> Iterator[tuple[Field, Struct, bool]]:
        """Yield the structs of this API that a plugin fills in a struct; true for those behind pointers of the core."""
        fields = struct.fields or ()
        provided = [(each, self._api.pointee(each.type), True) for each in fields if each.allocated_by is Party.CORE]
        own = [each for each in fields if each.name and each.filler is not Party.CORE]
        embedded = [(each, self._api.struct_of(each.type), False) for each in own]
        for member, inner, pointer in provided + embedded:
            if inner is not None and inner.in_api:
                yield member, inner, pointer


def _conditions(members: Iterable[MemberCheck]) -> tuple[Asked, ...]:
    stated = (asked for each in members for asked in (each.required_when, each.forbidden_when) if asked)
    return tuple(dict.fromkeys(stated))


def _free_name(struct: str, taken: Collection[str]) -> str:
    """Return a name for a pointer to a struct: `XY_DeviceFns` gives `device_fns`, with a number if that is taken."""
    words = screaming_snake(struct.partition("_")[2] or struct).lower()
    base = re.sub("_+", "_", words).strip("_")
    names = (f"{base}{number}" for number in count(2))
    return next(each for each in chain([base], names) if each not in taken and not reserved_word(each))


_PARTS = ("major", "minor", "patch")
_NAMES_IN_LOADER = (
    "handle",
    "filled",
    "result",
    "library",
    "path",
    "report",
    "context",
    "reporter",
    "entry",
    "open_library",
)
"""Names of members of a library, and of what its functions use themselves."""


class ValidatorCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a validator."""

    function: str
    objects: tuple[str, ...]
    """The provided objects that it is given besides the checked one; empty for one that the core does not provide."""


class ProvidedObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object that the loader keeps for the plugin: the entry point is handed it, or something that points to it."""

    struct: Struct
    type: str
    """The name in C."""
    name: str
    """Of the member of the library that holds it."""
    size_type: str
    """Of the member with its size; empty for a struct that is not versioned."""
    versions: tuple[tuple[str, str, str], ...]
    """Members that the core states its version in: their names, types, and the macros that they are set to."""
    pointers: tuple[tuple[str, str], ...]
    """Members that point to other provided objects, and the names of those."""
    destroys: tuple[tuple[str, str], ...]
    """Members that free what the plugin allocated for an object, and the name of the object, as declared."""
    check: ValidatorCall | None = None
    """The validator; None for an object without one, and for an object that another validator reaches."""


class StatedVersion(msgspec.Struct, frozen=True, kw_only=True):
    """The place where a side states the version that it was built with."""

    object: str
    """The provided object that states it; empty for what the entry point returns."""
    struct: Struct
    type: str
    """The name in C."""
    member: str
    """The place of the major version."""


class EntryParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of the entry point."""

    name: str
    """Of the provided object whose address it takes, or of what the core passes through the loader."""
    declaration: str
    """Of what the core passes; empty for a provided object."""


class Loader(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one entry point that its loader needs."""

    entry: str
    optional: bool
    """True if a library without it is a plugin all the same."""
    api: str
    """Name of the API in messages."""
    version: tuple[str, ...]
    """Macros with the version that the core was built with: three, or none."""
    major: str
    """The macro with the core's major version; empty for an API without version."""
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
    """The kind of outcome that the entry point's result states (abigen/model/contract.py); empty for none."""
    result_type: str
    """Declares what keeps it."""
    ok: str
    """The number that says that all went well."""
    codes: tuple[str, ...]
    """The names of what it may return."""
    last_message: str
    """A function of the core's that tells what the last error was; empty for none."""
    table_check: ValidatorCall | None
    plugin_version: StatedVersion | None
    core_version: StatedVersion | None
    check_core: str
    """The function by which a plugin checks the core's version; empty where the core states none."""

    @property
    def forwarded(self) -> tuple[EntryParameter, ...]:
        """The arguments that the core passes through the loader."""
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
        self._names: set[str] = set(_NAMES_IN_LOADER)
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
        """Return the name, or one like it that nothing has yet."""
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
        """Return the call of a struct's validator, which is given what core has provided."""
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
        """Yield the place where one of the two sides states its major version."""
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
