"""Lists the functions of a plugin and the tables that they go into."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from abigen.generator.c.lines import Speller, documented
from abigen.generator.c.target import StructHelpers, helpers_of
from abigen.generator.c_checks.validators import Loader, ProvidedObject, Validators, loader_of
from abigen.generator.cpp.functions import named_parameters
from abigen.generator.new.view import (
    HandedObject,
    PluginFunction,
    PluginIdentity,
    PluginObject,
    PluginParameter,
    PluginShorterStruct,
    PluginStore,
    PluginTable,
    PluginTableMember,
    PluginTableValue,
    life_test,
)
from abigen.generator.publication import Publication
from abigen.model.contract import Contract, Party, ResultKind, ResultMeaning
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Parameter, Pointer, RecordType, unqualified
from abigen.model.entities import Field, Function, Struct, Variable
from abigen.model.pattern import parse_pattern
from abigen.model.roles import is_demanded, is_of_plugin
from abigen.model.spelling import screaming_snake
from abigen.model.version import Version

_PARTS = ("major", "minor", "patch")


class RequiredValues:
    """Chooses values for the members of structs that a plugin fills, or the core."""

    def __init__(self, publication: Publication, name: str, fills: dict[str, str]) -> None:
        """Look at an API.

        Args:
            publication: the API.
            name: of the plugin, for texts.
            fills: the functions that fill structs, by the structs' names.
        """
        self._api = publication.api
        self._macros = dict(zip(_PARTS, publication.header.version_macros, strict=False))
        self._speller = Speller(self._api)
        self._name = name
        self._fills = fills
        self._is_vendors = bool(publication.header.vendor)

    def of(self, struct: Struct, members: list[Field], *, prefix: str = "") -> Iterator[PluginTableValue]:
        """Yield the values of members of a struct, those that it has to have.

        Args:
            struct: one that the plugin fills, or the core.
            members: those that nothing else sets.
            prefix: what the names of objects begin with that members point to.
        """
        for each in members:
            if each.values and self._api.holds_whole_numbers(each.type):
                yield PluginTableValue(member=each.name, value=each.values[0])
                continue
            is_version = each.version_part in self._macros
            is_text = self._is_vendors and self._is_text(each) and not each.contract.is_optional
            if is_version or is_text or (is_demanded(each) and each.bit_width is None):
                found = self._macros[each.version_part] if is_version else self._plain(each)
                if found:
                    yield PluginTableValue(member=each.name, value=found)
                elif isinstance(self._api.resolve(each.type), Pointer):
                    yield self._object(each, struct, prefix)

    def _plain(self, member: Field) -> str:
        """Return a text or a number, as C and C++ write it; empty for other types."""
        resolved = self._api.resolve(member.type)
        if isinstance(resolved, Pointer):
            target = self._api.resolve(resolved.target)
            return f'"{self._text(member)}"' if target == Basic("char") and self._is_const(member) else ""
        type = self._speller.declare(unqualified(member.type))
        enum = self._api.enum_of(member.type)
        if isinstance(resolved, EnumType) and enum is not None:
            return next((each.name for each in enum.enumerators or () if each.value), f"({type})1")
        is_number = isinstance(resolved, Basic) or self._api.is_integer(member.type)
        return ("true" if resolved == Basic("_Bool") else "1") if is_number else ""

    def _is_const(self, member: Field) -> bool:
        return self._api.is_const_pointer(member.type)

    def _is_text(self, member: Field) -> bool:
        resolved = self._api.resolve(member.type)
        is_char = isinstance(resolved, Pointer) and self._api.resolve(resolved.target) == Basic("char")
        return is_char and self._is_const(member) and not member.count

    def _text(self, member: Field) -> str:
        """Return the plugin's name, or a text that has the form which the member's has to have."""
        pattern = parse_pattern(member.pattern) if member.pattern else None
        if pattern is None:
            return self._name
        names = (self._name, self._name.upper(), self._name.lower())
        return next(filter(pattern.matches, names), pattern.example())

    def _object(self, member: Field, struct: Struct, prefix: str) -> PluginTableValue:
        """Return a pointer to an object that is there for nothing else."""
        pointer = self._api.resolve(member.type)
        assert isinstance(pointer, Pointer)
        target, pointee = unqualified(pointer.target), self._api.pointee(member.type)
        name = f"{prefix}{member.name}_"
        if pointee is not None:
            fill = self._fills.get(pointee.name, "") if pointee.name != struct.name else ""
            size = pointee.size_field
            declaration = self._speller.declare(RecordType(pointee.name), name)
            return PluginTableValue(
                member=member.name, value=f"&{name}", object=name, declaration=declaration, size_field=size, fill=fill
            )
        resolved = self._api.resolve(target)
        is_known = isinstance(resolved, (Pointer, Basic, EnumType)) and resolved != Basic("void")
        if is_known or self._api.is_integer(target):
            declaration = self._speller.declare(target, name)
            return PluginTableValue(member=member.name, value=f"&{name}", object=name, declaration=declaration)
        type = self._speller.declare(unqualified(member.type))
        return PluginTableValue(member=member.name, value=f"({type})&{name}", object=name, declaration=f"char {name}")


def _is_without_successor(contract: Contract) -> bool:
    """True if something is to go, and nothing comes in its place."""
    return contract.lifecycle.deprecated and not contract.lifecycle.replaced_by


class PluginSide:
    """The plugin's side of an API."""

    def __init__(
        self,
        publication: Publication,
        identity: PluginIdentity,
        known: Mapping[str, str],
        *,
        minimal: bool,
        chosen: Collection[str] = (),
        left_out: Collection[str] = (),
    ) -> None:
        """Look at an API.

        Args:
            publication: the API.
            identity: of the plugin.
            known: names that functions have already, by their keys.
            minimal: whether functions that need not be there are left out.
            chosen: names of the entry points that the author wants; none for all that a plugin has to have.
            left_out: keys of functions that the author does without, where they are optional.
        """
        self._api = api = publication.api
        self._identity = identity
        self._known = known
        self._minimal = minimal
        self._without = left_out
        self._version_macros = publication.header.version_macros
        self._speller = Speller(api)
        helpers = self.helpers = helpers_of(publication)
        self._helpers: Mapping[str, StructHelpers] = {each.struct: each for each in helpers.structs} if helpers else {}
        exported = [each for each in api.functions.values() if each.in_api and each.implemented_by is Party.PLUGIN]
        exported = [each for each in exported if each.entry_point or not (minimal and each.contract.is_optional)]
        exported = [each for each in exported if each.name not in left_out or not each.contract.is_optional]
        self._is_vendors = bool(publication.header.vendor)
        offered = [each for each in api.variables.values() if each.in_api and each.implemented_by is Party.PLUGIN]
        needed = [each for each in offered if each.name in chosen or not (chosen or each.contract.is_optional)]
        self._objects = needed or ([] if exported else offered[:1])
        if chosen:
            exported = [each for each in exported if each.name in chosen or not each.contract.is_optional]
        validators = Validators(publication)
        entries = (each for each in exported if each.entry_point and not self._is_vendors)
        self.loaders: tuple[Loader, ...] = tuple(loader_of(each, publication, validators) for each in entries)
        self._structs = self._wanted(exported)
        self._names = self._choose_names()
        fills = {each.name: self._fill(each) for each in self._structs if is_of_plugin(each)}
        self._values = RequiredValues(publication, identity.name, fills)
        self._core_values = RequiredValues(publication, "core", {})
        self.functions: Mapping[str, PluginFunction] = {each.key: each for each in self._functions(exported)}
        """The functions that the author writes, by key: in the order of the spec, and then exported ones."""
        self.tables = tuple(map(self._table, self._structs))
        self.objects = tuple(map(self._object, self._objects))
        """The structs that the plugin fills or has a part in, in the order of the spec."""
        names = {each.name: self._symbol(each) for each in exported}
        self.life = life_test(api, exported, names, self._structs) if self._is_vendors else None
        """The calls of a test of the plugin; None for an API whose the core is generated."""
        self.handed = {each.entry: tuple(map(self._handed, each.provided)) for each in self.loaders}
        """The structs that the core hands over, by the entry points."""

    def _wanted(self, exported: Iterable[Function]) -> list[Struct]:
        """Return structs with functions of the plugin or pointers to them, and those that it fills for the core."""
        own = [each for each in self._api.structs.values() if each.in_api and each.fields and not each.is_union]
        # What functions of tables store for the core while they are called is theirs to set, and no table.
        tables = [each for each in own if is_of_plugin(each)]
        calls = (self._api.callback(field.type) for each in tables for field in each.fields or ())
        taken = (self._api.pointee(each.type) for call in calls if call for each in call.parameters)
        arguments = {each.name for each in taken if each is not None and each.filler is Party.CORE}
        wanted = {each.name for each in own if each.name not in arguments and any(self._callbacks(each))}
        if self._is_vendors:
            wanted = {each.name for each in self._handed_by(exported) if is_of_plugin(each)}
        for each in own if not self._is_vendors else ():
            pointees = [pointee.name for _, pointee in self._handed_over(each)]
            wanted |= {each.name, *pointees} if pointees else set()
        for type in (parameter.type for function in exported for parameter in function.type.parameters):
            struct = self._api.pointee(type)
            if struct is not None and struct.in_api and is_of_plugin(struct) and not self._api.is_const_pointer(type):
                wanted.add(struct.name)
        return [each for each in own if each.name in wanted]

    def _handed_by(self, exported: Iterable[Function]) -> Iterator[Struct]:
        """Yield the structs that entry points return or store in a parameter, and exported ones."""
        types = [each.type for each in self._objects]
        for function in exported:
            types += [function.type.result, *(each.type for each in function.type.parameters)]
        for type in types:
            struct = self._api.struct_of(type) or self._api.pointee(type) or self._stored(type)
            if struct is not None:
                yield struct

    def _stored(self, type: CType) -> Struct | None:
        """Return the struct that a pointer to a pointer leads to; None for other types."""
        resolved = self._api.resolve(type)
        return self._api.pointee(resolved.target) if isinstance(resolved, Pointer) else None

    def _object(self, variable: Variable) -> PluginObject:
        struct = self._api.struct_of(variable.type)
        doc = documented(variable.doc, variable.contract, pointer=False)
        type = self._speller.declare(RecordType(struct.name)) if struct is not None else ""
        return PluginObject(name=self._symbol(variable), struct=type, doc=doc)

    def _symbol(self, entity: Function | Variable) -> str:
        """Return the symbol under which the plugin exports an entity."""
        return entity.symbol.replace("{name}", self._identity.stem) or entity.name

    def _callbacks(self, struct: Struct) -> Iterator[tuple[Field, FunctionType]]:
        """Yield the members that hold functions of the plugin."""
        for member in struct.fields or ():
            type, contract = self._api.callback(member.type), member.contract
            if type is None or type.variadic or not member.name or contract.reserved or member.filler is Party.CORE:
                continue
            if self._is_left_out(struct, member) or self._api.is_const(member.type):
                continue
            # Older cores call what is deprecated today: it stays, and is there beside what replaces it.
            known = f"{struct.name}.{member.name}" in self._known
            if known or contract.is_required or not (self._minimal or _is_without_successor(contract)):
                yield member, type

    def _is_left_out(self, struct: Struct, member: Field) -> bool:
        """True if a member stays NULL: another one that excludes it is filled, or what alone needs it is NULL."""
        key, fields = f"{struct.name}.{member.name}", struct.fields or ()
        if key in self._without and member.contract.is_optional:
            return True
        if key in self._known:
            return False
        when = member.contract.condition.when
        needed_by = struct.member(when) if when else None
        if needed_by is not None and self._is_left_out(struct, needed_by):
            return True
        named = [each for each in fields if each.name]
        others = [each for each in named if member.name == each.excludes or each.name == member.excludes]
        before = fields[: fields.index(member)]
        return any(each in before or f"{struct.name}.{each.name}" in self._known for each in others)

    def _handed_over(self, struct: Struct) -> Iterator[tuple[Field, Struct]]:
        """Yield members that point to objects which the core has allocated for the plugin to fill."""
        for member in struct.fields or ():
            pointee = self._api.pointee(member.type) if member.allocated_by is Party.CORE else None
            if pointee is not None and pointee.in_api and pointee.name != struct.name:
                yield member, pointee

    def _handed(self, provided: ProvidedObject) -> HandedObject:
        """Return a struct that the core hands over, with what core has to set in it."""
        struct, name = provided.struct, provided.name
        set_by_loader = {struct.size_member, *(member for member, _ in provided.pointers)}
        set_by_loader |= {member for member, _, _ in provided.versions}
        cores = [each for each in struct.fields or () if each.filler is Party.CORE and each.name not in set_by_loader]
        callbacks = {each.name: self._api.callback(each.type) for each in cores}
        plain = [each for each in cores if callbacks[each.name] is None]
        values = list(self._core_values.of(struct, plain, prefix=f"{name}_"))
        for each in cores:
            type = callbacks[each.name]
            if type is not None and not type.variadic and is_demanded(each):
                made = self._function(f"{struct.name}.{each.name}", f"{name}_{each.name}", each, type)
                values.append(PluginTableValue(member=each.name, value=made.name, function=made))
        pointers = provided.pointers
        versions = tuple((member, macro) for member, _, macro in provided.versions)
        return HandedObject(name=name, struct=provided.type, pointers=pointers, values=tuple(values), versions=versions)

    def _choose_names(self) -> Mapping[str, str]:
        """Return names of functions in tables: the oldest member keeps its name, younger ones get their struct's."""
        members = [(struct, member) for struct in self._structs for member, _ in self._callbacks(struct)]
        oldest = Version(0, 0, 0)
        members.sort(key=lambda each: each[1].contract.lifecycle.since or each[0].contract.lifecycle.since or oldest)
        names = dict(self._known)
        taken = {*names.values(), *self._api.functions, *map(self._symbol, self._objects)}
        for struct, member in members:
            key = f"{struct.name}.{member.name}"
            if key not in names:
                owners = ("", *(f"{each}_" for each in _short_and_whole_name(struct)))
                choices = [f"{self._identity.stem}_{owner}{member.name}" for owner in owners]
                names[key] = next((each for each in choices if each not in taken), f"{choices[-1]}_")
                taken.add(names[key])
        return names

    def _functions(self, exported: Iterable[Function]) -> Iterator[PluginFunction]:
        for struct in self._structs:
            for member, type in self._callbacks(struct):
                key = f"{struct.name}.{member.name}"
                made = self._function(key, self._names[key], member, type)
                yield replace(made, required=member.contract.is_required, group=member.group)
        for function in exported:
            made = self._function(function.name, self._symbol(function), function, function.type)
            major = self._core_major(function) if made.succeeds else ("", "")
            yield replace(made, exported=True, core_major=major, required=not function.contract.is_optional)

    def _core_major(self, function: Function) -> tuple[str, str]:
        """See `PluginFunction.core_major`."""
        for each in named_parameters(function.type.parameters) if len(self._version_macros) == len(_PARTS) else ():
            struct = self._api.pointee(each.type)
            members = struct.fields if struct is not None and struct not in self._structs else ()
            for member in members or ():
                if member.version_part == _PARTS[0] and member.filler is Party.CORE:
                    return each.name or "", member.name
            if each.version_part == _PARTS[0]:
                return each.name or "", ""
        return "", ""

    def _function(self, key: str, name: str, entity: Field | Function, type: FunctionType) -> PluginFunction:
        parameters = named_parameters(type.parameters)
        position = self._api.status_position(type, key)
        status = "" if position is None else parameters[position].name or ""
        returns = self._returns(type.result)
        entry_point = isinstance(entity, Function) and entity.entry_point
        outcome = self._outcome(type, self._api.outcome(type, key, entry_point=entry_point))
        tells = status or returns in ("number", "truth", "nothing") or outcome.kind is ResultKind.COMPLAINT
        tells = tells and (isinstance(entity, Function) or not self._is_vendors)
        record = self._api.conventions.returned.record.struct
        fills = (
            (each.name or "", self._fill_for(each.type))
            for each in parameters
            if tells and getattr(self._api.pointee(each.type), "name", "") != record
        )
        stored = ((each.name or "", self._stored(each.type)) for each in parameters if isinstance(entity, Function))
        table = self._api.pointee(type.result) if returns == "table" else None
        return PluginFunction(
            key=key,
            name=name,
            doc=documented(entity.doc, entity.contract, pointer=True),
            declaration=self._speller.declare(replace(type, parameters=parameters), name),
            result=self._speller.declare(unqualified(type.result)),
            returns=returns,
            parameters=tuple(
                PluginParameter(name=each.name or "", type=self._speller.declare(each.type)) for each in parameters
            ),
            status=status,
            outcome=outcome,
            error=self._error(type, outcome),
            tell=self._tell(outcome),
            exported=False,
            core_major=("", ""),
            required=False,
            fills=tuple(each for each in fills if each[1]),
            shorter=self._shorter(parameters) if isinstance(entity, Function) else {},
            stores=tuple(
                PluginStore(name, self._speller.declare(RecordType(struct.name)), self._fill(struct))
                for name, struct in stored
                if struct is not None and struct in self._structs
            ),
            table=self._speller.declare(RecordType(table.name)) if table is not None else "",
            only_begins=self._only_begins(key, entity),
            listed_by=entity.listed_by if isinstance(entity, Function) else "",
            group="",
        )

    def _shorter(self, parameters: Sequence[Parameter]) -> dict[str, PluginShorterStruct]:
        """See `PluginFunction.shorter`."""
        found: dict[str, PluginShorterStruct] = {}
        stated = next((each for each in parameters if each.versions), None)
        for each in parameters if stated is not None else ():
            assert stated is not None
            struct = self._api.pointee(each.type)
            ends: dict[Version, tuple[str, str]] = {}
            for member in struct.fields or () if struct in self._structs and struct is not None else ():
                since = member.contract.lifecycle.since
                constant = next((name for name, release in stated.versions if since and release == str(since)), "")
                if since and constant and member.name:
                    ends.setdefault(since, (constant, member.name))
            if struct is not None and ends:
                type = self._speller.declare(RecordType(struct.name))
                ordered = tuple(ends[since] for since in sorted(ends))
                found[each.name or ""] = PluginShorterStruct(struct=type, version=stated.name or "", ends=ordered)
        return found

    def _only_begins(self, key: str, entity: Field | Function) -> bool:
        """See `PluginFunction.only_begins`; for an entry point of a vendor's API that hands over no table.

        An entry point that first has to find core's functions by their names cannot succeed without this.
        """
        conventions = self._api.conventions
        if key in (conventions.first_call, conventions.last_call):
            return True
        if not (isinstance(entity, Function) and entity.entry_point and self._is_vendors):
            return False
        return not any(each.found_by for each in self._api.functions.values()) and not any(
            map(is_of_plugin, self._handed_by([entity]))
        )

    def _outcome(self, type: FunctionType, outcome: ResultMeaning) -> ResultMeaning:
        """Return an outcome with numbers that C++ takes for an enumeration, too."""
        if self._api.enum_of(type.result) is None:
            return outcome
        cast = f"({self._speller.declare(unqualified(type.result))})"
        values = {key: getattr(outcome, key) for key in ("ok", "failed", "unsupported")}
        return replace(outcome, **{key: each if each.isidentifier() else cast + each for key, each in values.items()})

    def _error(self, type: FunctionType, outcome: ResultMeaning) -> str:
        """See `PluginFunction.error`."""
        resolved = self._api.resolve(type.result)
        if outcome.kind is not ResultKind.COMPLAINT or not isinstance(resolved, Pointer):
            return ""
        if self._api.resolve(resolved.target) == Basic("char"):
            return "text"
        return "struct" if self._api.pointee(type.result) is not None else "opaque"

    def _tell(self, outcome: ResultMeaning) -> str:
        """See `PluginFunction.tell`."""
        returned = self._api.conventions.returned
        function = self._api.functions.get(returned.last.set)
        if function is None or not outcome:
            return ""
        code = returned.result.outcome.unsupported if returned.result else "ENOTSUP"
        return f"{function.name}({f'{code}, ' if len(function.type.parameters) > 1 else ''}"

    def _returns(self, type: CType) -> str:
        """Return the kind of result of a function: see `PluginFunction.returns`."""
        resolved = self._api.resolve(type)
        if isinstance(resolved, Basic) and resolved.name in ("void", "_Bool"):
            return "nothing" if resolved.name == "void" else "truth"
        if self._api.pointee(type) in self._structs:
            return "table"
        if isinstance(resolved, Pointer):
            return "pointer"
        return "number" if self._api.struct_of(type) is None else "record"

    def _fill_for(self, type: CType) -> str:
        """Return the function that fills what a parameter points to; empty for none."""
        struct = self._api.pointee(type)
        known = struct in self._structs and not self._api.is_const_pointer(type)
        return self._fill(struct) if struct is not None and known else ""

    def _fill(self, struct: Struct) -> str:
        """Return the name of the function that fills a table."""
        short, whole = _short_and_whole_name(struct)
        alike = [each for each in self._structs if _short_and_whole_name(each)[0] == short]
        same = [each.name for each in alike if _short_and_whole_name(each)[1] == whole]
        number = str(same.index(struct.name) + 1) if struct.name in same[1:] else ""
        return f"{self._identity.stem}_fill_{short if len(alike) < 2 else whole}{number}"

    def _table(self, struct: Struct) -> PluginTable:
        helpers = self._helpers.get(struct.name)
        needed = self._needed(struct) if helpers else ""
        texts = {"plugin_name": self._identity.name, "device_type": self._identity.device_type}
        names = [each.name for each in struct.fields or ()]
        always = names[: names.index(needed) + 1] if helpers else names

        def member(name: str, value: str) -> PluginTableMember:
            return PluginTableMember(member=name, value=value, guarded=name not in always)

        set_by_others = {
            struct.size_member,
            *(each.name for each, _ in self._callbacks(struct)),
            *(each.name for each, _ in self._handed_over(struct)),
            *(each.name for each in struct.fields or () if each.stands_for in texts),
        }
        mine = (each for each in struct.fields or () if is_of_plugin(each))
        mine = (each for each in mine if each.name not in set_by_others and not self._is_left_out(struct, each))
        values = self._values.of(struct, list(mine))
        return PluginTable(
            struct=self._speller.declare(RecordType(struct.name)),
            fill=self._fill(struct),
            mine=is_of_plugin(struct),
            size_field=helpers.size_field if helpers else "",
            plain_size="" if helpers or not is_of_plugin(struct) else struct.size_field,
            initialise=helpers.init if helpers and is_of_plugin(struct) else "",
            has_field=helpers.has_field if helpers else "",
            needed=needed,
            check_core=next((each.check_core for each in self.loaders if _states_version(each, struct)), ""),
            core_major=next(
                (
                    each.core_version.member
                    for each in self.loaders
                    if each.core_version is not None and _states_version(each, struct)
                ),
                "",
            ),
            functions=tuple(
                member(each.name, self._names[f"{struct.name}.{each.name}"]) for each, _ in self._callbacks(struct)
            ),
            nested=tuple(member(each.name, self._fill(pointee)) for each, pointee in self._handed_over(struct)),
            texts=tuple(
                member(each.name, texts[each.stands_for]) for each in struct.fields or () if each.stands_for in texts
            ),
            values=tuple(replace(each, guarded=each.member not in always) for each in values),
        )

    def _needed(self, struct: Struct) -> str:
        """Return the last member that the first release had and that a plugin cannot do without.

        Of what core fills that is its last member of all, for functions read what they need without asking.
        """
        first, *rest = struct.fields or ()
        born = (None, struct.contract.lifecycle.since)
        mine = is_of_plugin(struct)
        needed = [each for each in rest if each.contract.is_required or not mine]
        return [first, *(each for each in needed if each.contract.lifecycle.since in born)][-1].name


def _states_version(loader: Loader, struct: Struct) -> bool:
    """True if the core states its version in a struct."""
    return loader.core_version is not None and loader.core_version.struct == struct


def _short_and_whole_name(struct: Struct) -> tuple[str, str]:
    """Return a struct's name in small letters, without the word that all names of an API begin with, and with it."""
    whole = screaming_snake(struct.name).lower()
    return whole.partition("_")[2] or whole, whole
