"""Which functions a plugin consists of, and the tables that they go into, from what an API says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from abigen.emit.c.helpers import StructHelpers, helpers_of
from abigen.emit.c.prose import documented
from abigen.emit.c.types import Speller
from abigen.emit.c_checks.loader import Loader, loader_of
from abigen.emit.c_checks.validators import Validators
from abigen.emit.new.identity import Identity
from abigen.emit.new.view import Nested, Parameter, PluginFunction, Slot, Table, Text
from abigen.emit.publication import Publication
from abigen.model.contract import Party
from abigen.model.ctype import Basic, CType, FunctionType, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Field, Function, Struct
from abigen.model.identifiers import reserved_word, screaming_snake
from abigen.model.version import Version


class Surface:
    """The plugin's side of an API."""

    def __init__(
        self, publication: Publication, identity: Identity, known: Mapping[str, str], *, minimal: bool
    ) -> None:
        """Look at an API.

        Args:
            publication: the API.
            identity: of the plugin.
            known: names that functions have already, by their keys.
            minimal: whether functions that need not be there are left out.
        """
        api, header = publication.api, publication.api.header
        assert header is not None, "only specs say how they are published"
        self._api = api
        self._identity = identity
        self._known = known
        self._minimal = minimal
        self._speller = Speller(api)
        validators = Validators(publication)
        helpers = self.helpers = helpers_of(publication)
        self._helpers: Mapping[str, StructHelpers] = {each.struct: each for each in helpers.structs} if helpers else {}
        exported = [each for each in api.functions.values() if each.in_api and each.implemented_by == "plugin"]
        self._exported = [each for each in exported if each.entry_point or not (minimal and each.contract.is_optional)]
        entries = [each for each in exported if each.entry_point]
        self.loaders: tuple[Loader, ...] = tuple(loader_of(each, publication, validators) for each in entries)

    @cached_property
    def functions(self) -> Mapping[str, PluginFunction]:
        """What the author writes, by key: what goes into tables, in the order of the spec, and what is exported."""
        found: dict[str, PluginFunction] = {}
        for struct in self._structs:
            for member in self._callbacks(struct):
                key = f"{struct.name}.{member.name}"
                made = self._function(key, self._names[key], member, self._callback_type(member))
                found[key] = replace(made, required=member.contract.is_required, group=member.group)
        for function in self._exported:
            made = self._function(function.name, function.name, function, function.type)
            found[function.name] = replace(made, exported=True, required=not function.contract.is_optional)
        return found

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The structs that the plugin fills or has a part in, in the order of the spec."""
        return tuple(self._table(each) for each in self._structs)

    @cached_property
    def _structs(self) -> list[Struct]:
        """Structs with functions of the plugin, with pointers to such, and those that core hands over to be filled."""
        own = [each for each in self._api.structs.values() if each.in_api and each.fields and not each.is_union]
        wanted = {each.name for each in own if any(self._callbacks(each))}
        for each in own:
            pointees = [pointee.name for _, pointee in self._handed_over(each)]
            wanted |= {each.name, *pointees} if pointees else set()
        for function in self._exported:
            for parameter in function.type.parameters:
                struct = self._api.pointee(parameter.type)
                if struct is not None and struct.in_api and not self._is_read_only(parameter.type):
                    wanted |= {struct.name} if self._is_mine(struct) else set()
        return [each for each in own if each.name in wanted]

    def _callbacks(self, struct: Struct) -> Iterator[Field]:
        for member in struct.fields or ():
            if self._callback_type(member) is None or member.filler is Party.CORE:
                continue
            contract = member.contract
            if contract.reserved or not member.name:
                continue
            # What a plugin has, it keeps: older cores call what is deprecated today.
            known = f"{struct.name}.{member.name}" in self._known
            if known or contract.is_required or not (self._minimal or contract.lifecycle.deprecated):
                yield member

    def _callback_type(self, member: Field) -> FunctionType | None:
        resolved = self._api.resolve(member.type)
        target = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        return target if isinstance(target, FunctionType) and not target.variadic else None

    def _handed_over(self, struct: Struct) -> Iterator[tuple[Field, Struct]]:
        """Members that point to objects which core has allocated for the plugin to fill."""
        for member in struct.fields or ():
            pointee = self._api.pointee(member.type)
            fits = pointee is not None and pointee.in_api and pointee.name != struct.name
            if member.allocated_by == "core" and pointee is not None and fits:
                yield member, pointee

    def _is_mine(self, struct: Struct) -> bool:
        return struct.filler in (Party.PLUGIN, Party.BOTH)

    def _is_read_only(self, type: CType) -> bool:
        resolved = self._api.resolve(type)
        target = resolved.target if isinstance(resolved, Pointer) else resolved
        return isinstance(target, Qualified) and "const" in target.qualifiers

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """Names of the functions in tables: the oldest member of a name has it, younger ones say where they belong."""
        members = [(struct, member) for struct in self._structs for member in self._callbacks(struct)]
        oldest = Version(0, 0, 0)
        members.sort(key=lambda each: each[1].contract.lifecycle.since or each[0].contract.lifecycle.since or oldest)
        names = dict(self._known)
        taken = {*names.values(), *self._api.functions}
        for struct, member in members:
            key = f"{struct.name}.{member.name}"
            if key in names:
                continue
            owner = screaming_snake(struct.name).lower()
            short = owner.partition("_")[2] or owner
            choices = (member.name, f"{short}_{member.name}", f"{owner}_{member.name}")
            stemmed = [f"{self._identity.stem}_{each}" for each in choices]
            names[key] = next((each for each in stemmed if each not in taken), f"{stemmed[-1]}_")
            taken.add(names[key])
        return names

    def _function(self, key: str, name: str, entity: Field | Function, type: FunctionType | None) -> PluginFunction:
        assert type is not None, "only functions are asked for"
        parameters = tuple(
            replace(each, name=_usable(each.name or f"argument{at + 1}")) for at, each in enumerate(type.parameters)
        )
        status = next((each.name or "" for each in parameters if self._is_status(each.type)), "")
        returns = self._returns(type.result)
        fills = []
        if status or returns in ("number", "truth"):
            fills = [(each.name or "", fill) for each in parameters if (fill := self._fill_for(each.type))]
        return PluginFunction(
            key=key,
            name=name,
            doc=documented(entity.doc, entity.contract, pointer=True),
            declaration=self._speller.declare(replace(type, parameters=parameters), name),
            result=self._speller.declare(_bare(type.result)),
            returns=returns,
            parameters=tuple(
                Parameter(name=each.name or "", type=self._speller.declare(each.type)) for each in parameters
            ),
            status=status,
            exported=False,
            required=False,
            fills=tuple(fills),
            group="",
        )

    def _fill_for(self, type: CType) -> str:
        """The function that fills what a parameter points to; empty for none."""
        struct = self._api.pointee(type)
        known = struct is not None and any(struct.name == each.name for each in self._structs)
        return self._fill(struct) if struct is not None and known and not self._is_read_only(type) else ""

    def _fill(self, struct: Struct) -> str:
        owner = screaming_snake(struct.name).lower()
        short = owner.partition("_")[2] or owner
        alike = [each for each in self._structs if screaming_snake(each.name).lower().partition("_")[2] == short]
        return f"{self._identity.stem}_fill_{short if len(alike) < 2 else owner}"

    def _is_status(self, type: CType) -> bool:
        errors = self._api.conventions.errors
        resolved = self._api.resolve(type)
        if errors is None or not isinstance(resolved, Pointer) or self._is_read_only(type):
            return False
        return self._api.resolve(resolved.target) == self._api.resolve(NamedType(errors.status))

    def _returns(self, type: CType) -> str:
        resolved = self._api.resolve(type)
        if resolved == Basic("void"):
            return "nothing"
        struct = self._api.pointee(type)
        if struct is not None and any(struct.name == each.name for each in self._structs):
            return "table"
        if isinstance(resolved, Pointer):
            return "pointer"
        if self._api.struct_of(type) is not None:
            return "record"
        return "truth" if resolved == Basic("_Bool") else "number"

    def _table(self, struct: Struct) -> Table:
        helpers = self._helpers.get(struct.name)
        needed = self._needed(struct) if helpers else ""
        names = [each.name for each in struct.fields or ()]
        always = names[: names.index(needed) + 1] if needed else []
        mine = self._is_mine(struct)
        texts = {"plugin_name": self._identity.name, "device_type": self._identity.device_type}
        return Table(
            struct=self._speller.declare(RecordType(struct.name)),
            fill=self._fill(struct),
            mine=mine,
            size_field=helpers.size_field if helpers else "",
            initialise=helpers.init if helpers and mine else "",
            has_field=helpers.has_field if helpers else "",
            needed=needed,
            check_core=next((each.check_core for each in self.loaders if self._states_version(each, struct)), ""),
            slots=tuple(
                Slot(
                    member=each.name,
                    function=self._names[f"{struct.name}.{each.name}"],
                    guarded=helpers is not None and each.name not in always,
                )
                for each in self._callbacks(struct)
            ),
            nested=tuple(
                Nested(
                    member=member.name,
                    fill=self._fill(pointee),
                    guarded=helpers is not None and member.name not in always,
                )
                for member, pointee in self._handed_over(struct)
            ),
            texts=tuple(
                Text(
                    member=each.name,
                    value=texts[each.stands_for],
                    guarded=helpers is not None and each.name not in always,
                )
                for each in struct.fields or ()
                if each.stands_for in texts
            ),
        )

    def _states_version(self, loader: Loader, struct: Struct) -> bool:
        return loader.core_version is not None and loader.core_version.struct in (struct.name, *struct.typedef_names)

    def _needed(self, struct: Struct) -> str:
        """The last member that the first release had and that a plugin cannot do without.

        Of what core fills that is its last member of all, for functions read what they need without asking.
        """
        first = (struct.fields or ())[:1]
        members = [
            each
            for each in struct.fields or ()
            if each.contract.lifecycle.since in (None, struct.contract.lifecycle.since)
        ]
        if self._is_mine(struct):
            members = [*first, *(each for each in members if each.contract.is_required)]
        return members[-1].name


def _usable(name: str) -> str:
    return f"{name}_" if reserved_word(name, file_scope=False) else name


def _bare(type: CType) -> CType:
    return type.type if isinstance(type, Qualified) else type
